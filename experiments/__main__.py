"""`python -m experiments [STEP…] [--again]`: run what is not done yet, print its rows, write the result pages."""

import sys

from experiments.pages import write_pages
from experiments.steps import main

if __name__ == "__main__":
    words = sys.argv[1:]
    failed = main("experiments", [w for w in words if not w.startswith("-")], "--again" in words, at_once=2)
    write_pages("experiments")
    sys.exit(1 if failed else 0)

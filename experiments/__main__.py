"""`python -m experiments [STEP…] [--again]`: run what is not done yet, print its rows, write the result pages."""

import sys

from experiments.steps import command

if __name__ == "__main__":
    sys.exit(command("experiments", sys.argv[1:], at_once=2))

"""`python -m sequester.contract METHOD [pytest options]`."""

from __future__ import annotations

import sys


def main(arguments: list[str]) -> int:
    """Run the suite on one method; the exit code is 0 when it keeps the whole contract, 2 for a bad call."""
    from sequester.errors import SequesterError
    from sequester.methods import method_class

    if not arguments or arguments[0].startswith("-"):
        print("usage: python -m sequester.contract METHOD [pytest options]", file=sys.stderr)
        return 2
    try:
        method_class(arguments[0])
    except SequesterError as error:
        print(f"contract: {error}", file=sys.stderr)
        return 2
    try:
        import pytest
    except ImportError:
        print("contract: the suite needs pytest. Install it with: pip install 'sequester[contract]'", file=sys.stderr)
        return 2
    lines = ["--pyargs", "sequester.contract", "-p", "sequester.contract.plugin", "--method", arguments[0]]
    return int(pytest.main([*lines, *arguments[1:]]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

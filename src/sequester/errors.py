"""Everything sequester raises on purpose.

    SequesterError
    ├── InputError        the data, file or column asked for is not usable       exit 2
    ├── ParameterError    a method's parameter is outside its range              exit 2
    │   └── ReplayError   two runs of an audit take different steps
    ├── BudgetError       more privacy budget was asked for than remains         exit 2
    ├── BundleError       a bundle cannot be read, written or trusted            exit 2
    └── PromiseBroken     verification could not confirm the promise             exit 1

and what it warns of, while the work goes on:

    SequesterWarning      something the custodian should look at

A message is one sentence or two: what was asked, what was found, what to do. It carries counts,
column names and row numbers; never a cell's value or a person's identifier.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SequesterError(Exception):
    """Base of every error this package raises on purpose."""

    exit_code = 2


class InputError(SequesterError):
    """The data, file or column asked for is not usable."""


class ParameterError(SequesterError):
    """A parameter is outside its range."""


class ReplayError(ParameterError):
    """A run asked for other noise than the run it repeats: the steps alone tell the two datasets apart."""


class BudgetError(SequesterError):
    """More privacy budget was asked for than remains."""


class BundleError(SequesterError):
    """A bundle cannot be read, written or trusted."""


class PromiseBroken(SequesterError):
    """Verification could not confirm the promise; nothing is published."""

    exit_code = 1


class SequesterWarning(UserWarning):
    """Something the custodian should look at; the work goes on."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like a misspelt one, for a hint at the end of a message."""
    close = difflib.get_close_matches(word.lower(), {k.lower(): k for k in known}, n=1, cutoff=0.5)
    if close:
        return next(k for k in known if k.lower() == close[0])
    return next((k for k in known if word.lower() in k.lower() or k.lower() in word.lower()), None)

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

An option that a message names is written between single guillemets, as Python calls it: `Pass ‹missing='drop'›.` The
error takes it apart (`parts`, `options`), and whoever shows the error spells it: `str(error)` is Python's spelling, the
command line asks for `spelled(error, as_flag)`, a plan for `as_key` and a form for `as_field`.

What Python's archive modules raise, told apart: a damaged archive is not a full disk.
"""

from __future__ import annotations

import difflib
import errno
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple


class Option(NamedTuple):
    """A parameter that a message names, and the value it proposes or was given."""

    name: str
    value: str = ""
    """As Python writes it: `'drop'`, `True`; a word in capitals stands for the reader's own; nothing if any will do."""


PLACEHOLDER = re.compile(r"‹([a-z]\w*)=([^‹›]*)›")


def counted(n: object, one: str, many: str = "") -> str:
    """`1 row`, `3 rows`; words that change with the number go along: `counted(n, "row was", "rows were")`."""
    return f"{n} {one if str(n) == '1' else many or one + 's'}"


def verb_for(n: int, one: str, many: str) -> str:
    """The word that fits a number which stands further ahead: `1 of 3 files is`, `2 of 3 files are`."""
    return one if n == 1 else many


def as_sentence(words: str) -> str:
    """With a capital and a full stop: sentences stand one behind the other."""
    return words[:1].upper() + words[1:] + ("" if not words or words.endswith((".", "?", "!")) else ".")


def left_out(n: int, one: str, which: str) -> str:
    """`1 row without a person was left out`, `3 rows without a person were left out`."""
    return f"{counted(n, one)} {which} {verb_for(n, 'was', 'were')} left out"


def marked(name: str, value: object) -> str:
    """An option as it was given, marked for a message; of a path only the option."""
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    plain = not isinstance(value, str) or not any(c in value for c in "/\\‹›")
    return f"‹{name}={value!r}›" if plain else f"‹{name}=›"


def parts_of(message: str) -> tuple[str | Option, ...]:
    """The words of a message and the options between them."""
    pieces = PLACEHOLDER.split(message)
    out: list[str | Option] = [pieces[0]]
    for name, value, words in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        out += [Option(name, value), words]
    return tuple(out)


def as_argument(option: Option) -> str:
    """The spelling of Python: `missing='drop'`, `quasi=`."""
    return f"{option.name}={option.value}"


def as_flag(option: Option) -> str:
    """The spelling of the command line: `--missing drop`, `--zone 'a b'`, `--quasi`, `--force`, `--no-header`."""
    flag = option.name.rstrip("_").replace("_", "-")
    if option.value in ("", "True"):
        return f"--{flag}"
    bare = re.fullmatch(r"'([\w./:@%+,-]+)'", option.value)  # what a shell takes as it is
    return f"--no-{flag}" if option.value == "False" else f"--{flag} {bare[1] if bare else option.value}"


def as_field(option: Option) -> str:
    """The spelling of a form: the label of the field, and what to put there; a word in capitals the reader knows."""
    bare = option.value.strip("'")
    value = "" if bare in ("", "True") or bare.isupper() else f" = {bare}"
    return f"“{option.name.rstrip('_').replace('_', ' ')}”{value}"


def as_key(option: Option) -> str:
    """The spelling of a plan: `missing = 'drop'`, `force = true`; the bare name where any value will do."""
    value = option.value.lower() if option.value in ("True", "False") else option.value
    return f"{option.name} = {value}" if value else option.name


class _Message(Exception):
    """What carries a message: its parts, and its words in Python's spelling."""

    def __init__(self, message: str = "", *others: object) -> None:
        self.parts = parts_of(str(message))
        super().__init__(_joined(self.parts, as_argument), *others)

    def sentence(self, spell: Callable[[Option], str] | None = None) -> str:
        """What is said without who says it, to become part of another message: options stay marked unless spelled.

        A message may begin with one word and a colon (`publish:`, `Kapra:`): who says it.
        """
        found = spelled(self, spell) if spell else with_markers(self)
        who, colon, rest = found.partition(": ")
        return rest if colon and " " not in who else found

    @property
    def options(self) -> tuple[Option, ...]:
        """The options the message names."""
        return tuple(part for part in self.parts if isinstance(part, Option))


def _joined(parts: Iterable[str | Option], spell: Callable[[Option], str]) -> str:
    return "".join(spell(part) if isinstance(part, Option) else part for part in parts)


def in_words(message: str, spell: Callable[[Option], str]) -> str:
    """A message that is no error, its marked options spelled for whoever reads it."""
    return _joined(parts_of(message), spell)


def spelled(error: BaseException, spell: Callable[[Option], str]) -> str:
    """The message of an error or a warning, its options spelled for whoever reads it."""
    return _joined(error.parts, spell) if isinstance(error, _Message) else str(error)


def with_markers(error: BaseException) -> str:
    """The message with its options still marked, to become part of another error's message."""
    return spelled(error, lambda option: f"‹{as_argument(option)}›")


class SequesterError(_Message):
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


MALFORMED = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError, NotImplementedError)
"""What code that works on tables raises where they do not have the shape it expects; Arrow's errors are among them."""


class PromiseBroken(SequesterError):
    """Verification could not confirm the promise; nothing is published."""

    exit_code = 1


class SequesterWarning(_Message, UserWarning):
    """Something the custodian should look at; the work goes on."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like a misspelt one, for a hint at the end of a message."""
    close = difflib.get_close_matches(word.lower(), {k.lower(): k for k in known}, n=1, cutoff=0.5)
    if close:
        return next(k for k in known if k.lower() == close[0])
    return next((k for k in known if word.lower() in k.lower() or k.lower() in word.lower()), None)


DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError, OSError,
    OverflowError,
)  # fmt: skip
"""What a damaged or encrypted archive raises; a place beyond the file or below zero is an OSError."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def disk_is_full(error: BaseException) -> bool:
    """Whether the system had no room for what was unpacked."""
    return isinstance(error, OSError) and error.errno in NO_ROOM


def no_room(who: str, name: str) -> str:
    """The sentence for a full disk, which is not the archive's fault."""
    return (
        f"{who}: there is no room to unpack '{name}' in the folder for temporary files. Make room, or set TMPDIR to a "
        "folder on another disk."
    )

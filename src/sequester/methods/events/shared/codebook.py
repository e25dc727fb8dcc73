"""The states anyone may know, and the broader codes of a public hierarchy: from files, or by prefixes."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from sequester.errors import InputError, counted

OTHER = "OTHER"
"""What every state outside the codebook becomes."""
MOST_STATES = 1000
"""A table of transitions has the square of this many cells; with more states every one of them is noise."""
MOST_BYTES = 1000 * MOST_STATES
"""A longer file is no codebook; it is not read to its end."""


def read_codebook(path: str | None, who: str) -> tuple[str, ...] | None:
    """Names, one per line, in their order; None without a file."""
    if path is None:
        return None
    if not isinstance(path, (str, Path)):
        raise InputError(f"{who}: codebook must be the name of a file with one state per line.")
    file = Path(path)
    text = _text(file, f"{who}: codebook file '{file.name}'", MOST_BYTES, "Write one state per line")
    if text is None:
        raise InputError(_too_many(who, file))
    names = tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    if not names:
        raise InputError(f"{who}: codebook file '{file.name}' names no state. Write one per line.")
    if len(names) > MOST_STATES:
        raise InputError(_too_many(who, file))
    return names


def _text(file: Path, what: str, most: int, write: str) -> str | None:
    """What a small text file holds; None: it is larger than such a file can be, and was not read."""
    if not file.is_file():
        raise InputError(f"{what} does not exist. Check the path.")
    if file.stat().st_size > most:
        return None
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{what} is not UTF-8 text. {write}, or check the path.") from error


def _too_many(who: str, file: Path) -> str:
    return (
        f"{who}: codebook file '{file.name}' names more than {counted(MOST_STATES, 'state')}. Check that it is the "
        "right file, "
        "or fold states into fewer."
    )


MOST_CODES, MOST_LEVELS = 100_000, 5
"""Rows of a file of codes, and names of one code from itself to the broadest."""


@dataclass(frozen=True, kw_only=True)
class Codes:
    """What codes are called if too few people have them: a public list, or prefixes. It never comes from the data."""

    broader: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Code → itself and its broader codes, as the custodian's file lists them."""
    prefixes: tuple[int, ...] = ()
    """Lengths of prefixes, falling, where there is no file."""

    @property
    def public(self) -> bool:
        """Whether all codes are known in public."""
        return not self.prefixes

    @property
    def levels(self) -> int:
        """How many names a code may have, from itself to the broadest."""
        return 1 + len(self.prefixes) if self.prefixes else max(map(len, self.broader.values()))

    def at(self, name: str, level: int) -> str | None:
        """What a code is called at a level; None: the list does not know it."""
        if self.prefixes:
            return name if level == 0 else f"{name[: self.prefixes[level - 1]]}*"
        chain = self.broader.get(name)
        return None if chain is None else chain[min(level, len(chain) - 1)]

    def is_broader(self, name: str) -> bool:
        """Whether a published name stands for several codes."""
        return name.endswith("*") if self.prefixes else name not in self.broader

    def names_at(self, level: int) -> tuple[str, ...]:
        """All names of the list at a level."""
        return tuple(dict.fromkeys(chain[min(level, len(chain) - 1)] for chain in self.broader.values()))


def published_name(name: str, codes: Codes | None, kept: Collection[str]) -> str:
    """The narrowest name of a state among those that are kept; OTHER if there is none."""
    if codes is None:
        return name if name in kept else OTHER
    return next((n for level in range(codes.levels) if (n := codes.at(name, level)) in kept and n is not None), OTHER)


def read_codes(path: str, who: str) -> Codes:
    """A file with one code per line and its broader codes after it, separated by commas: `I21.4,I21,heart`."""
    file = Path(path)
    what, write = f"{who}: codes file '{file.name}'", "Write CODE,BROADER,BROADEST, one code per line"
    text = _text(file, what, 1000 * MOST_CODES, write)
    if text is None:
        raise InputError(f"{what} is too large to be a list of codes. Check the path.")
    broader: dict[str, tuple[str, ...]] = {}
    for number, row in enumerate(csv.reader(text.splitlines()), 1):
        chain = tuple(cell.strip() for cell in row if cell.strip() and cell.strip() != OTHER)
        if not chain:
            continue
        if len(chain) > MOST_LEVELS:
            raise InputError(f"{what} has {len(chain)} names in row {number}; {MOST_LEVELS} are the most. {write}.")
        if broader.setdefault(chain[0], chain) != chain:
            raise InputError(f"{what} lists a code twice with other broader codes (row {number}). Keep one of them.")
    if not broader or max(map(len, broader.values())) == 1:
        raise InputError(f"{what} names no broader code. {write}; a list without them is a codebook.")
    if len(broader) > MOST_CODES:
        raise InputError(f"{what} has {len(broader)} codes; {MOST_CODES} are the most. Leave out what cannot occur.")
    return Codes(broader=broader)


def read_code_levels(text: str, who: str) -> Codes:
    """Lengths of prefixes: `3,1` publishes a rare I21.4 as I21*, and a rare I21* as I*."""
    lengths = [part.strip() for part in text.split(",")]
    if not all(part.isdigit() and int(part) > 0 for part in lengths):
        raise InputError(f"{who}: code_levels must be lengths of prefixes such as 3,1; got {text!r}.")
    prefixes = tuple(int(part) for part in lengths)
    if any(a <= b for a, b in pairwise(prefixes)) or len(prefixes) >= MOST_LEVELS:
        raise InputError(f"{who}: code_levels must fall and be at most {MOST_LEVELS - 1}, such as 3,1; got {text!r}.")
    return Codes(prefixes=prefixes)

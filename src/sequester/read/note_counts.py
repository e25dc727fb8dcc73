"""What a reader did on the way, in counts that add up: notes of parts become the note of the whole.

A note that counts nothing is not said. Readers write it down all the same, so that every part has the same notes in the
same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from sequester.model import Invented

Word = str | int | Callable[[tuple[int, ...]], str]


@dataclass(frozen=True)
class Words:
    """What follows a count: words for one, and words for any other number."""

    one: str
    many: str

    def __call__(self, counts: tuple[int, ...]) -> str:
        return f" {self.one if counts[0] == 1 else self.many}"


def rows_left_out(which: str) -> Words:
    """`rows without a person were left out`."""
    return Words(f"row {which} was left out", f"rows {which} were left out")


class Counted(str):
    """A note made of words and counts; a function among the words is told the counts, and says what follows."""

    words: tuple[Word, ...]
    always: bool
    invents: tuple[str, str] | None
    """What it counts was not in the source: things, and what was done to them."""

    def __new__(cls, *words: Word, always: bool = False, invents: tuple[str, str] | None = None) -> Counted:
        counts = tuple(w for w in words if isinstance(w, int))
        made = super().__new__(cls, "".join(w(counts) if callable(w) else str(w) for w in words))
        made.words, made.always, made.invents = words, always, invents
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[Word, ...], dict[str, Any]]:
        return self.words, {"always": self.always, "invents": self.invents}

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers in it, the first the one that matters."""
        return tuple(w for w in self.words if isinstance(w, int))

    def plus(self, other: Counted) -> Counted:
        """The same note with the counts of both."""
        added = iter(a + b for a, b in zip(self.counts, other.counts, strict=True))
        words = (next(added) if isinstance(w, int) else w for w in self.words)
        return Counted(*words, always=self.always, invents=self.invents)


def invented(noun: str, done: str, n: int, of: int) -> Counted:
    """A note on what was filled, merged, moved or rounded on the way."""
    return Counted(int(n), " of ", int(of), f" {noun} were {done}", invents=(noun, done))


def said(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes that count anything, as plain text."""
    return tuple(_plain(n) for n in notes if n and (not isinstance(n, Counted) or n.always or n.counts[0]))


def _plain(note: str) -> str:
    if isinstance(note, Counted) and note.invents is not None:
        return Invented(*note.invents, *note.counts[:2])
    return note if isinstance(note, Invented) else str(note)


def added_up(parts: Sequence[Sequence[str]]) -> list[str]:
    """Notes of all parts as those of the whole; a part of which nobody is left may have ended early."""
    total = list(parts[int(np.argmax([len(notes) for notes in parts]))])
    for i, note in enumerate(total):
        of = [notes[i] for notes in parts if len(notes) > i]
        counted = [n for n in of if isinstance(n, Counted)]
        if isinstance(note, Counted):
            total[i] = reduce(Counted.plus, counted)
    return total

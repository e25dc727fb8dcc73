"""The people of a log, in one piece or in parts: asked the same questions, giving the same sums."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from sequester.engines import Engine
from sequester.engines.files import keep_all, load_all
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.pieces import Frame, Piece, Question
from sequester.methods.events.markov_dp.state_names import folded_piece, name_weights
from sequester.methods.events.shared.notes import outside_dates
from sequester.model import EventLog, Parts

LEAST_CELLS, MOST_CELLS = 1 << 12, 1 << 24
"""Hashed counts of whole traces: how many cells there may be. Results never depend on it."""


class Crowd(Protocol):
    """What the measuring stage asks."""

    n: int
    """People."""
    state_names: tuple[str, ...]

    def name_weights(self) -> np.ndarray:
        """Gated weight of every state name over all people."""
        ...

    def outside_dates(self) -> tuple[int, int]:
        """Events outside the public dates, and all events."""
        ...

    def fold_into(self, names: tuple[str, ...]) -> None:
        """From now on states are codes into these names."""
        ...

    def variants(self, least: int) -> dict[bytes, int]:
        """Whole traces of at least so many people, and of how many."""
        ...

    def described(self, variants: set[bytes]) -> None:
        """From now on these traces describe their people."""
        ...

    def ask(self, frame: Frame, **questions: Question) -> dict[str, np.ndarray]:
        """Every question's answer over all people."""
        ...


class Whole:
    """A log in memory."""

    def __init__(self, log: EventLog, plan: Design) -> None:
        self._log, self._plan = log, plan
        self._piece: Piece | None = None
        self.n, self.state_names = log.n_records, log.state_names

    def name_weights(self) -> np.ndarray:
        """Gated weight of every state name."""
        return name_weights(self._log, self._plan)

    def outside_dates(self) -> tuple[int, int]:
        """Events outside the public dates, and all events."""
        return outside_dates(self._log.times, self._plan.dates)

    def fold_into(self, names: tuple[str, ...]) -> None:
        """Cut and recode the log."""
        self._piece = folded_piece(self._log, names, self._plan)

    @property
    def piece(self) -> Piece:
        """The folded log."""
        assert self._piece is not None
        return self._piece

    def variants(self, least: int) -> dict[bytes, int]:
        """Counted at once."""
        return {key: c for key, c in Counter(self.piece.traces()).items() if c >= least}

    def described(self, variants: set[bytes]) -> None:
        """Mark who is described."""
        rest = np.array([trace not in variants for trace in self.piece.traces()], bool)
        self._piece = replace(self.piece, rest=rest)

    def ask(self, frame: Frame, **questions: Question) -> dict[str, np.ndarray]:
        """The one piece answers for all."""
        return dict(zip(questions, self.piece.answers(tuple(questions.values()), frame)))


class Split:
    """A log in parts. Each is folded once and kept in `scratch`; every round of questions passes over all of them."""

    def __init__(self, parts: Parts, plan: Design, engine: Engine, scratch: Path) -> None:
        self._parts, self._plan, self._engine, self._scratch = parts, plan, engine, scratch
        self._names: tuple[str, ...] = ()
        self._variants: frozenset[bytes] | None = None
        self.n, self.state_names = parts.n_records, tuple(parts.facts["state_names"])

    def name_weights(self) -> np.ndarray:
        """Added up over parts."""
        return self._engine.fold(partial(_weights, self._parts, self._plan), self._parts.paths, np.add, "states")

    def outside_dates(self) -> tuple[int, int]:
        """Added up over parts."""
        task = partial(_outside, self._parts, self._plan)
        outside, events = self._engine.fold(task, self._parts.paths, np.add, "dates").tolist()
        return outside, events

    def fold_into(self, names: tuple[str, ...]) -> None:
        """Done by the first round that needs it."""
        self._names = names

    def variants(self, least: int) -> dict[bytes, int]:
        """In two rounds: hashed counts, then exact ones of traces whose cell could reach `least`.

        A trace of `least` people has a cell of at least as many, so none is lost; others of its cell are counted
        exactly and dropped.
        """
        n_cells = min(MOST_CELLS, max(LEAST_CELLS, 1 << (4 * self.n).bit_length()))
        cells = np.zeros(n_cells, np.int32)
        for at, counts in self._engine.each(
            partial(_hashed_traces, self._part, n_cells), self._parts.paths, "variants"
        ):
            cells[at] += counts  # a part tells the cells it has, and no more: few travel, and none are held twice
        exact = partial(_exact_traces, self._part, n_cells, np.flatnonzero(cells >= least).astype(np.uint32))
        found = self._engine.fold(exact, self._parts.paths, _add_counts, "variants")
        return {key: c for key, c in found.items() if c >= least}

    def described(self, variants: set[bytes]) -> None:
        """Told to every part with the next round."""
        self._variants = frozenset(variants)

    @property
    def _part(self) -> _Part:
        return _Part(self._parts, self._plan, self._names, self._variants, self._scratch)

    def ask(self, frame: Frame, **questions: Question) -> dict[str, np.ndarray]:
        """Answers of all parts, added up."""
        task = partial(_answers, self._part, tuple(questions.values()), frame)
        total = self._engine.fold(task, self._parts.paths, _add_all, "measuring")
        return dict(zip(questions, total))


class _Part(NamedTuple):
    """How a worker gets a folded part: from scratch where it was folded before."""

    parts: Parts
    plan: Design
    names: tuple[str, ...]
    variants: frozenset[bytes] | None
    scratch: Path

    def piece(self, path: Path) -> Piece:
        """The part, folded; who is described is found out once."""
        kept = self.scratch / f"{path.stem}.folded.npz"
        if kept.exists():
            piece = Piece(**load_all(kept))
        else:
            piece = folded_piece(self.parts.load(path), self.names, self.plan)
            keep_all(
                kept,
                {
                    n: v
                    for n in ("states", "offsets", "times", "values", "codes")
                    if (v := getattr(piece, n)) is not None
                },
            )
        if self.variants is None:
            return piece
        marked = self.scratch / f"{path.stem}.rest.npz"
        if marked.exists():
            return replace(piece, rest=load_all(marked)["rest"])
        rest = np.array([trace not in self.variants for trace in piece.traces()], bool)
        keep_all(marked, {"rest": rest})
        return replace(piece, rest=rest)


def _add_all(a: list[np.ndarray], b: list[np.ndarray]) -> list[np.ndarray]:
    return [x + y for x, y in zip(a, b)]


def _add_counts(a: dict[bytes, int], b: dict[bytes, int]) -> dict[bytes, int]:
    for key, c in b.items():
        a[key] = a.get(key, 0) + c
    return a


def _weights(parts: Parts, plan: Design, path: Path) -> np.ndarray:
    return name_weights(parts.load(path), plan)


def _outside(parts: Parts, plan: Design, path: Path) -> np.ndarray:
    return np.array(outside_dates(parts.load(path).times, plan.dates), np.int64)


def _answers(part: _Part, questions: tuple[Question, ...], frame: Frame, path: Path) -> list[np.ndarray]:
    return part.piece(path).answers(questions, frame)


def _cells_of(traces: list[bytes], n_cells: int) -> np.ndarray:
    return np.fromiter(map(zlib.crc32, traces), np.uint32, len(traces)) & np.uint32(n_cells - 1)


def _hashed_traces(part: _Part, n_cells: int, path: Path) -> tuple[np.ndarray, np.ndarray]:
    cells, counts = np.unique(_cells_of(part.piece(path).traces(), n_cells), return_counts=True)
    return cells, counts.astype(np.int32)


def _exact_traces(part: _Part, n_cells: int, heavy: np.ndarray, path: Path) -> dict[bytes, int]:
    """Counts of the traces whose cell is among the `heavy` ones, which rise: there may be millions of them."""
    if not len(heavy):
        return {}
    traces = part.piece(path).traces()
    cells = _cells_of(traces, n_cells)
    known = heavy[np.minimum(np.searchsorted(heavy, cells), len(heavy) - 1)] == cells
    return dict(Counter(trace for trace, is_heavy in zip(traces, known.tolist()) if is_heavy))

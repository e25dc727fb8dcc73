"""The people of a log: every part answers in whole numbers that add up, and nothing else leaves a part.

A log in memory is one part. Whole traces are counted under keyed hashes, bit by bit; what such a hash stands for is
asked only of those whose noisy count passed the threshold.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sequester.engines import Engine
from sequester.engines.questions import Asked
from sequester.engines.scratch import keep_all, load_all
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.pieces import ID_BITS, Answer, Frame, Piece, Question
from sequester.methods.events.markov_dp.state_names import folded_piece, name_weights
from sequester.methods.events.shared.notes import outside_dates
from sequester.model import Data
from sequester.model.kind import Part

CELL_BITS = 20
"""Two to this power is about how many cells of hashed traces a part counts at once. Results never depend on it."""

Sums = list[np.ndarray]


class People:
    """Asked in rounds; every round passes over all parts. Each part is folded once and kept: in `scratch`, or here."""

    def __init__(
        self, data: Data, plan: Design, engine: Engine | None = None, scratch: Path | None = None, key: bytes = b""
    ) -> None:
        self._data, self._plan, self._key = data, plan, key
        self._engine, self._scratch = engine or Engine(threads=1), scratch
        self._held: dict[str, Piece] | None = {} if scratch is None or data.in_memory else None
        self._names: tuple[str, ...] = ()
        self._variants: frozenset[bytes] | None = None
        self.state_names: tuple[str, ...] = tuple(data.state_names)  # type: ignore[attr-defined]

    def name_weights(self, key_of: np.ndarray, n_keys: int) -> np.ndarray:
        """Gated weight of every key, `key_of` naming that of every state (-1: none)."""
        return self._over("names", "states", plan=self._plan, key_of=key_of, n_keys=n_keys)[0]

    def outside_dates(self) -> tuple[int, int]:
        """Events outside the public dates, and all events."""
        outside, events = self._over("dates", "dates", plan=self._plan)[0].tolist()
        return outside, events

    def fold_into(self, names: tuple[str, ...]) -> None:
        """From now on states are codes into these names."""
        self._names = names

    def variants(self, least: int) -> tuple[np.ndarray, np.ndarray]:
        """Hashes of whole traces that at least so many people have, in rising order, and how many have each.

        A hash of so many people begins with bits that at least as many share: each round looks at some more bits below
        those that enough people share.
        """
        ids, bits = np.zeros(1, np.int64), 0
        counts: np.ndarray = np.zeros(1, np.int64)
        while bits < ID_BITS and len(ids):
            more = min(ID_BITS - bits, max(4, CELL_BITS - len(ids).bit_length()))
            counts = self._ask_pieces("hashed traces", "variants", ids=ids, bits=bits, more=more)[0]
            counts = counts.reshape(len(ids), -1)
            row, cell = np.nonzero(counts >= least)
            ids, counts, bits = (ids[row] << more) + cell, counts[row, cell], bits + more
        return ids, counts

    def spelled(self, ids: np.ndarray) -> list[np.ndarray]:
        """The traces behind hashes that passed; empty where nobody has one."""
        rising = np.sort(ids)
        sums = self._ask_pieces("trace sizes", "variants", ids=rising)[0].reshape(2, -1)
        sizes = sums[1] // np.maximum(sums[0], 1)
        states = self._ask_pieces("trace states", "variants", ids=rising, sizes=sizes)[0]
        states = states // np.repeat(np.maximum(sums[0], 1), sizes)
        traces = np.split(states.astype(np.int32), np.cumsum(sizes)[:-1])
        return [traces[i] for i in np.searchsorted(rising, ids)]

    def described(self, variants: set[bytes]) -> None:
        """From now on these traces describe their people."""
        self._variants = frozenset(variants)
        if self._held is not None:
            self._held = {name: _marked(piece, self._variants) for name, piece in self._held.items()}

    def ask(self, frame: Frame, **questions: Question) -> dict[str, Answer]:
        """Every question's answer over all people."""
        asked = tuple(questions.values())
        sums = self._ask_pieces("sums", "measuring", questions=asked, frame=frame)
        return dict(zip(questions, map(Answer, asked, sums)))

    def _over(self, name: str, title: str, **numbers: Any) -> Sums:
        return self._engine.fold(Asked(f"markov-dp {name}", numbers), self._data.parts, _add_all, title)

    def _ask_pieces(self, name: str, title: str, **numbers: Any) -> Sums:
        folding = _Folding(self._plan, self._names, self._key, self._variants, self._scratch, self._held)
        return self._over(name, title, folding=folding, **numbers)


class _Folding(NamedTuple):
    """How a worker gets a folded part: from scratch where it was folded before."""

    plan: Design
    names: tuple[str, ...]
    key: bytes
    variants: frozenset[bytes] | None
    scratch: Path | None
    held: dict[str, Piece] | None
    """Folded parts of a log in memory; None where they are kept in scratch."""

    def piece(self, part: Part) -> Piece:
        """The part, folded; who is described is found out once."""
        if self.held is not None:
            if part.name not in self.held:
                self.held[part.name] = folded_piece(part.load(), self.names, self.plan, self.key)
            return self.held[part.name]
        assert self.scratch is not None
        kept = self.scratch / f"{part.name}.folded.npz"
        if kept.exists():
            piece = Piece(**load_all(kept))
        else:
            piece = folded_piece(part.load(), self.names, self.plan, self.key)
            fields = ("states", "offsets", "times", "values", "codes", "ids")
            keep_all(kept, {n: v for n in fields if (v := getattr(piece, n)) is not None})
        if self.variants is None:
            return piece
        marked = self.scratch / f"{part.name}.rest.npz"
        if marked.exists():
            return replace(piece, rest=load_all(marked)["rest"])
        piece = _marked(piece, self.variants)
        assert piece.rest is not None
        keep_all(marked, {"rest": piece.rest})
        return piece


def _marked(piece: Piece, variants: frozenset[bytes]) -> Piece:
    return replace(piece, rest=np.array([trace not in variants for trace in piece.traces()], bool))


def _add_all(a: Sums, b: Sums) -> Sums:
    return [x + y for x, y in zip(a, b)]


def answer_names(part: Part, *, plan: Design, key_of: np.ndarray, n_keys: int) -> Sums:
    """The weight of every key."""
    return [name_weights(part.load(), plan, key_of, n_keys)]


def answer_dates(part: Part, *, plan: Design) -> Sums:
    """Events outside the public dates, and all events."""
    return [np.array(outside_dates(part.load().times, plan.dates), np.int64)]


def answer_sums(part: Part, *, folding: _Folding, questions: tuple[Question, ...], frame: Frame) -> Sums:
    """Gated sums, or how many people have a norm up to every point of a grid."""
    return folding.piece(part).answers(questions, frame)


def _place(ids: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whose hash is among the rising `ids`, and where it stands there."""
    at = np.minimum(np.searchsorted(ids, found), len(ids) - 1)
    known = np.flatnonzero(ids[at] == found) if len(ids) else np.zeros(0, np.int64)
    return known, at[known]


def answer_hashed_traces(part: Part, *, folding: _Folding, ids: np.ndarray, bits: int, more: int) -> Sums:
    """People by the first bits of their trace's hash: those that `ids` lists, and `more` bits after them."""
    piece = folding.piece(part)
    assert piece.ids is not None
    begins = piece.ids >> (ID_BITS - bits - more)
    known, at = _place(ids, begins >> more)
    cells = (at << more) + (begins[known] & ((1 << more) - 1))
    return [np.bincount(cells, minlength=len(ids) << more)]


def answer_trace_sizes(part: Part, *, folding: _Folding, ids: np.ndarray) -> Sums:
    """How many people have each of the traces, and how many events they have together."""
    piece = folding.piece(part)
    assert piece.ids is not None
    known, at = _place(ids, piece.ids)
    sizes = np.zeros(len(ids), np.int64)
    np.add.at(sizes, at, np.diff(piece.offsets)[known])
    return [np.r_[np.bincount(at, minlength=len(ids)), sizes]]


def answer_trace_states(part: Part, *, folding: _Folding, ids: np.ndarray, sizes: np.ndarray) -> Sums:
    """Sums of the codes at every place of the traces, over the people who have them."""
    piece = folding.piece(part)
    assert piece.ids is not None
    begins = np.r_[0, np.cumsum(sizes)]
    out = np.zeros(int(begins[-1]), np.int64)
    for who, at in zip(*(x.tolist() for x in _place(ids, piece.ids))):
        trace = piece.states[piece.offsets[who] : piece.offsets[who + 1]]
        out[begins[at] : begins[at + 1]] += trace[: sizes[at]]
    return [out]

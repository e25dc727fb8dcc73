"""Synthetic traces from a noisy tree of variable-length n-grams (Chen, Acs, Castelluccia 2012).

Of people it sees the first states of everybody, in memory or part by part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from sequester.dp.ledger import Ledger
from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.engines.gram_rounds import GramRounds, walked
from sequester.engines.questions import Asked
from sequester.errors import InputError, counted
from sequester.guarantees.differential_privacy import differential_privacy
from sequester.layouts.log import write as event_table
from sequester.method import Method
from sequester.methods.events.shared.attributes import refuse_attributes
from sequester.methods.events.shared.codebook import OTHER, read_codebook
from sequester.model import EventLog
from sequester.options import option
from sequester.papers import CHEN
from sequester.primitives.ngram_tree import Counts, Gram, Tree, Walkers, generate, grow_counted
from sequester.release import Guarantee, Note, Release


def followers_of(data: EventLog, of: np.ndarray, n_names: int, l_max: int, engine: Engine) -> Counts:
    """What counts the states behind grams, in the first `l_max` states of every person, as codes `of` public names."""
    here = [walkers(of, n_names, l_max, part.load()) for part in data.parts if part.in_memory]
    return GramRounds("events-ngram-dp followers", data, engine, here, of=of, n_names=n_names, l_max=l_max)


def answer_followers(
    log: EventLog, *, of: np.ndarray, n_names: int, l_max: int, levels: list[list[Gram]]
) -> np.ndarray:
    """Counts of every state, and of the end, behind the grams of the last level."""
    return walked(walkers(of, n_names, l_max, log), levels)


def states_of(data: EventLog, of: np.ndarray, engine: Engine) -> np.ndarray:
    """Which public names occur, as their codes."""
    return np.flatnonzero(engine.fold(Asked("events-ngram-dp states", {"of": of}), data, np.add, "counting"))


def answer_states(log: EventLog, *, of: np.ndarray) -> np.ndarray:
    """How often every public name occurs."""
    return np.bincount(of[log.states], minlength=int(of.max(initial=0)) + 1)


def walkers(of: np.ndarray, n_names: int, l_max: int, log: EventLog) -> Walkers:
    """The first states of every object."""
    states = of[log.states]
    ends = np.minimum(log.offsets[1:], log.offsets[:-1] + l_max)
    sequences = [states[a:b] for a, b in zip(log.offsets[:-1].tolist(), ends.tolist(), strict=True)]
    return Walkers(sequences, (ends == log.offsets[1:]).tolist(), n_names)


MOST_NAMED = 20
"""States a note names."""


@dataclass(frozen=True, kw_only=True)
class EventsNgramDP(Method):
    """Draw traces of states, without times, from noisy counts of the n-grams worth knowing."""

    epsilon: float = option(low=1e-3)
    """Privacy budget per person."""
    n_max: int = option(5, low=1, level="everyday")
    """Longest gram."""
    l_max: int = option(20, low=1, level="everyday")
    """States used per object, from its first; the noise grows with it."""
    objects: int = option(1000, low=1, level="everyday")
    """How many synthetic objects to draw; costs no budget."""
    codebook: str | None = option(None, path=True, level="everyday")
    """File with the states anyone may know, one per line; needed where the names were found in the log."""

    id: ClassVar[str] = "events-ngram-dp"
    accepts: ClassVar[type] = EventLog
    paper: ClassVar[str] = CHEN
    layout = "log"
    needs_everybody = False
    example: ClassVar[dict[str, Any]] = {"epsilon": 4.0, "n_max": 3, "l_max": 15, "objects": 200}
    baseline: ClassVar[bool] = True

    @property
    def guarantee(self) -> Guarantee:
        """Pure differential privacy per person."""
        return differential_privacy(
            self.epsilon,
            0.0,
            "person",
            (
                "The names of the states: they are published as told; names that were found in the log are refused.",
                f"Events of an object after its first {self.l_max}: they are not used at all.",
                "Facts about the population, which the counts are meant to tell.",
            ),
        )

    def measure_noisily(self, data: EventLog, *, rng: Randomness) -> Tree:
        """The noisy tree: traces drawn from it add no noise."""
        names, of = self._codes(data)
        return self._grown(data, of, len(names), rng, Engine(threads=1))

    def _codes(self, data: EventLog) -> tuple[tuple[str, ...], np.ndarray]:
        """Public names of states, and which of them each state of the log is."""
        found = data.state_names
        refuse_attributes(data.beside, self.id)
        stated = read_codebook(self.codebook, self.id)
        if stated is None and not data.names_public:
            raise InputError(
                "anonymize: differential privacy needs state names that do not depend on the people in the data, and "
                "these were found in it. Pass ‹codebook=› with the states anyone may know."
            )
        names = found if stated is None else (*(n for n in stated if n != OTHER), OTHER)
        code = {name: i for i, name in enumerate(names)}
        return names, np.array([code.get(name, len(names) - 1) for name in found])

    def _grown(self, data: EventLog, of: np.ndarray, n_names: int, rng: Randomness, engine: Engine) -> Tree:
        return grow_counted(
            followers_of(data, of, n_names, self.l_max, engine),
            n_symbols=n_names,
            budget=self.epsilon,
            n_max=self.n_max,
            positions=self.l_max,
            noise=rng.noise.laplace,
        )

    def apply(self, data: EventLog, *, rng: Randomness, engine: Engine) -> Release:
        """Cut every object, grow the noisy tree, draw traces from it."""
        names, of = self._codes(data)
        tree = self._grown(data, of, len(names), rng, engine)
        ledger = Ledger.pure(epsilon=self.epsilon)
        # A position walks one path and an object has at most l_max of them: the costliest path bounds them all.
        paths = ([tree.shares[gram[:i]] for i in range(len(gram) + 1)] for gram in tree.shares)
        for order, share in enumerate(max(paths, key=sum), start=1):
            scale = self.l_max / share
            mechanism = f"order {order} of the costliest path"
            ledger.spend(mechanism, share, kind="laplace", sensitivity=float(self.l_max), scale=scale)
        if ledger.remaining > 1e-9 * self.epsilon:  # no gram was worth going on: said, so that nothing can be left out
            left = ledger.remaining
            ledger.spend("kept back", left, kind="laplace", sensitivity=float(self.l_max), scale=self.l_max / left)
        drawn = [t for t in generate(tree, self.objects, longest=self.l_max, order=self.n_max, rng=rng.secret) if t]
        drawn = drawn or [[0]]  # a tree without a count: one trace of one public state
        flat = np.array([x for t in drawn for x in t])
        offsets = np.r_[0, np.cumsum([len(t) for t in drawn])]
        return Release(
            tables={
                "events": event_table(flat, np.arange(len(flat)), offsets, names, "order", rng.secret),
                "codebook": pa.table({"state": pa.array(sorted(names), pa.string())}),
            },
            guarantee=self.guarantee,
            method=self,
            ledger=ledger,
            notes=_vanished(np.setdiff1d(states_of(data, of, engine), flat), names),
            teaching_only=rng.seeded,
        )


def _vanished(gone: np.ndarray, names: Sequence[str]) -> tuple[Note, ...]:
    """Tell the custodian of states that occur in the log and in no drawn trace; their names are public."""
    if not len(gone):
        return ()
    which = ", ".join(names[i] for i in gone[:MOST_NAMED]) + (", …" if len(gone) > MOST_NAMED else "")
    return (Note("vanished", f"{counted(len(gone), 'state')} of the log in no released trace: {which}."),)

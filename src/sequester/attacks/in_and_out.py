"""Everybody in and out: of 100 pairs of a member and a stranger, how many does an attacker tell apart?

The method is run on random halves, in complementary pairs, so that each person is in half of the runs and out of the
other half: each is their own control. For each person the score of every run with them is compared with the score of
every run without. 50 of 100 is what a coin gives.

A run has half of the people, so that for the same k or epsilon it shows **more** than the release of all of them does.
Members are drawn by coins: given the others, a run with a person and one without are the neighbours of which
differential privacy speaks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from sequester import flow
from sequester.attacks.members import half_width
from sequester.engines import Engine
from sequester.errors import InputError
from sequester.layouts import LAYOUTS
from sequester.method import Method
from sequester.model import Data
from sequester.model.kind import rows_of_people, take
from sequester.release import Claim

RUNS, RUNS_OF_FEW = 8, 16
"""Runs of the method; small data needs more of them."""
FEW_PEOPLE = 400
MOST_PEOPLE = 1000
"""People who are looked at, at most: their interval is about 1.4 points wide to either side."""
FEWEST_PEOPLE = 8
"""With fewer, halves are no data."""


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """How many of 100 pairs an attacker tells apart."""

    right: float
    """As a share; 0.5 is a coin."""
    within: float
    """Half of its 95 % interval."""
    people: int
    runs: int
    coin: float | None = None
    """The same with releases that have nothing to do with who was in: what chance alone gives here."""


class InAndOut:
    """The halves of one data set: the same for every setting, so that settings are compared on the same draws."""

    def __init__(self, data: Data, *, seed: int = 0, runs: int | None = None) -> None:
        rng = np.random.default_rng([seed, 3])
        if data.n_people > MOST_PEOPLE:
            chosen = rng.permutation(data.n_people)[:MOST_PEOPLE]
            data = take(data, rows_of_people(data, chosen)[0])
        self.data, self.seed, self.people = data, seed, data.n_people
        if self.people < FEWEST_PEOPLE:
            raise InputError(f"in and out: halves need at least {FEWEST_PEOPLE} people, there are {self.people}.")
        _, self.owner = np.unique(data.persons.astype(str), return_inverse=True)
        self.runs = runs or (RUNS if self.people >= FEW_PEOPLE else RUNS_OF_FEW)
        coins = [rng.random(self.people) < 0.5 for _ in range(self.runs // 2)]
        self.masks = [mask for coin in coins for mask in (coin, ~coin)]
        self._scores: dict[str, Any] = {}

    def pairs(
        self, method: Method, *, engine: Engine | None = None, control: bool = False,
        tick: Callable[[], None] = lambda: None,
    ) -> Pairs | None:  # fmt: skip
        """What an attacker achieves on this method; None where its layout has no such attack.

        With `control` every score is computed once more as if another, unrelated half had been in.
        """
        where = LAYOUTS[method.layout].members
        if not where:
            return None
        if where not in self._scores:
            self._scores[where] = LAYOUTS[method.layout].load("members")(self.data)
        score = self._scores[where]
        scores, others = [], []
        for run, mask in enumerate(self.masks):
            inside = mask[self.owner]
            released: Claim = flow.anonymize(
                take(self.data, np.flatnonzero(inside)), on_half(method, int(mask.sum())), seed=self.seed + run,
                engine=engine,
            )  # fmt: skip
            found = score(inside, released)
            if found is None:
                return None
            scores.append(self._by_person(found))
            if control:
                unrelated = self.masks[(run + 2) % self.runs]
                again = score(unrelated[self.owner], released)
                others.append((unrelated, self._by_person(again)))
            tick()
        shares = in_before_out(np.array(self.masks), np.array(scores))
        coin = None
        if others:
            coin = float(in_before_out(np.array([m for m, _ in others]), np.array([s for _, s in others])).mean())
        return Pairs(
            right=float(shares.mean()), within=half_width(shares), people=self.people, runs=self.runs, coin=coin
        )

    def _by_person(self, scores: np.ndarray) -> np.ndarray:
        return np.bincount(self.owner, scores, self.people) / np.bincount(self.owner, minlength=self.people)


def in_before_out(inside: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """For each person the share of (run with, run without) whose first score is higher; ties count half.

    Both are runs x people.
    """
    won, pairs = np.zeros(scores.shape[1]), np.zeros(scores.shape[1])
    for a in range(len(scores)):
        for b in range(len(scores)):
            both = inside[a] & ~inside[b]
            won += both * ((scores[a] > scores[b]) + (scores[a] == scores[b]) / 2)
            pairs += both
    return won[pairs > 0] / pairs[pairs > 0]


def on_half(method: Method, people: int) -> Method:
    """The same method for a half of the people: what is declared of their number, and no refusal of small data."""
    known = {f.name for f in fields(method)}
    changed: dict[str, Any] = {}
    if getattr(method, "people_at_least", None):
        changed["people_at_least"] = max(1, people)
    if "force" in known:
        changed["force"] = True
    return replace(method, **changed) if changed else method

"""Beside the original: released traces that are a person's own, exactly or with times shifted a little.

Chance repeats plain traces. How many is reckoned from the original as if every object were drawn a step at a time, each
gap by its two states: honest releases of logs with gaps of a few seconds come within a fifth of that number.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.judges.markov_release import published_as
from sequester.release import Check, Claim

Trace = tuple[tuple[str, ...], tuple[int, ...]]
"""States, and the gaps between them; of a log that knows an order alone there are none."""
SHARE, SHARE_OF_ORDERS, TIMES_CHANCE = 0.02, 0.25, 3
"""How many objects may be copies: some times what chance gives, and a share, for methods know more than one step."""
NEARLY_LEAST = 5
"""Events of a trace whose gaps are compared with a tolerance: four gaps or more."""


def copies(claim: Claim, source: Any) -> list[Check]:
    """With the original: released traces that repeat a person's states and times, beyond what chance gives."""
    table = claim.tables["events"].slice(0)  # in memory, as the original is
    kind = table["time"].type
    order = pa.types.is_integer(kind)
    times = table["time"].to_numpy() if order else table["time"].cast(pa.timestamp("s")).cast(pa.int64()).to_numpy()
    states, objects = table["state"].to_pylist(), table["object"].to_numpy()
    least = 3 if pa.types.is_timestamp(kind) else 10

    def traces(names: list[str], t: np.ndarray, bounds: list[int]) -> list[Trace]:
        steps = np.diff(t, prepend=t[:1]).tolist()
        return [(tuple(names[a:b]), () if order else tuple(steps[a + 1 : b])) for a, b in pairwise(bounds)]

    begins = np.flatnonzero(np.r_[True, objects[1:] != objects[:-1]]).tolist()
    shown = [t for t in traces(states, times, [*begins, len(objects)]) if len(t[0]) >= least]
    called = published_as(claim, states)
    folded = [called(name) for name in source.state_names]
    own = np.array(folded, dtype=object)[source.states].tolist()
    all_ = traces(own, source.times, source.offsets.tolist())
    held = Counter(t for t in all_ if len(t[0]) >= least)
    drawn = Counter(shown)  # what is drawn again and again is common in the law, and no copy
    found = sum(held.get(t) == 1 and drawn[t] == 1 for t in shown)
    law = None if order else _Law(all_)
    once = (
        0.0
        if law is None
        else sum(x * math.exp(-x) for t, n in held.items() if n == 1 if (x := law.expected(t, shown)))
    )
    most = _most(SHARE if least == 3 else SHARE_OF_ORDERS, shown, once)
    what = "states" if order else "states and gaps"
    out = [
        Check(
            name="no copies of people",
            passed=found <= most,
            detail=f"{found} of {counted(len(shown), 'object')} with {least} or more events repeat {what} that "
            f"one person of the original alone has; independent draws give at most {most}",
        )
    ]
    if law is None:
        return out
    of_people = [t for t in held if len(t[0]) >= NEARLY_LEAST and len(set(t[1])) > 2]
    near = _nearly(shown, of_people)
    most = _most(SHARE, shown, sum(law.expected(t, shown, nearly=True) for t in of_people))
    return [
        *out,
        Check(
            name="no copies of people with shifted times",
            passed=near <= most,
            detail=f"{near} of {counted(len(shown), 'object')} repeat the states of one person and every gap to "
            f"within 2 seconds or 1 %, where gaps differ; independent draws give at most {most}",
        ),
    ]


def _most(share: float, shown: list[Trace], by_chance: float) -> int:
    return min(len(shown), max(5, math.ceil(share * len(shown))) + int(TIMES_CHANCE * by_chance))


class _Law:
    """How likely each step of a trace is among all traces of the original, and each gap between two states."""

    def __init__(self, traces: list[Trace]) -> None:
        steps = [(a, b) for states, _ in traces for a, b in pairwise(("", *states, ""))]
        self.steps, self.leaves = Counter(steps), Counter(a for a, _ in steps)
        self.gaps: dict[tuple[str, str], list[int]] = {}
        for states, gaps in traces:
            for step, gap in zip(pairwise(states), gaps, strict=True):
                self.gaps.setdefault(step, []).append(gap)
        for gaps_ in self.gaps.values():
            gaps_.sort()

    def expected(self, trace: Trace, shown: list[Trace], *, nearly: bool = False) -> float:
        """How many of the objects would have this trace of the original, or be near it, by chance."""
        states, gaps = trace
        chance = math.prod(self.steps[step] / self.leaves[step[0]] for step in pairwise(("", *states, "")))
        for step, gap in zip(pairwise(states), gaps, strict=True):
            near, all_ = _tolerance(gap) if nearly else 0.0, self.gaps[step]
            chance *= (bisect_right(all_, gap + near) - bisect_left(all_, gap - near)) / len(all_)
        return len(shown) * chance


def _tolerance(gap: Any) -> Any:
    """How far a gap may be off that counts as shifted."""
    return 2 + 0.01 * gap


def _nearly(shown: list[Trace], of_people: list[Trace]) -> int:
    """Traces with the states of a trace of the original, and all gaps nearly its gaps."""
    by_states: dict[tuple[str, ...], list[tuple[int, ...]]] = {}
    for states, gaps in of_people:
        by_states.setdefault(states, []).append(gaps)
    own = {states: np.array(gaps) for states, gaps in by_states.items()}  # a row per person
    return sum(
        bool((np.abs(own[states] - gaps) <= _tolerance(own[states])).all(axis=1).any())
        for states, gaps in shown
        if states in own
    )

"""Beside the original: released traces that are a person's own, exactly or with times shifted a little."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.judges.markov_release import published_as
from sequester.release import Check, Claim


def copies(claim: Claim, source: Any) -> list[Check]:
    """With the original: released traces that repeat a person's states and times exactly, beyond what chance gives."""
    table = claim.tables["events"].slice(0)  # in memory, as the original is
    kind = table["time"].type
    order = pa.types.is_integer(kind)
    times = table["time"].to_numpy() if order else table["time"].cast(pa.timestamp("s")).cast(pa.int64()).to_numpy()
    states, objects = table["state"].to_pylist(), table["object"].to_numpy()
    least = 3 if not order and pa.types.is_timestamp(kind) else 10

    def traces(names: list[str], t: np.ndarray, bounds: list[int]) -> list[tuple[Any, ...]]:
        steps = [0] * len(names) if order else np.diff(t, prepend=t[:1]).tolist()
        spans = pairwise(bounds)
        return [(*names[a:b], *steps[a + 1 : b]) for a, b in spans if b - a >= least]

    begins = np.flatnonzero(np.r_[True, objects[1:] != objects[:-1]]).tolist()
    shown = traces(states, times, [*begins, len(objects)])
    called = published_as(claim, states)
    folded = [called(name) for name in source.state_names]
    own = np.array(folded, dtype=object)[source.states].tolist()
    held: dict[tuple[Any, ...], int] = {}
    for trace in traces(own, source.times, source.offsets.tolist()):
        held[trace] = held.get(trace, 0) + 1
    near = 0 if order else _nearly(shown, list(held), NEARLY_LEAST)
    drawn = Counter(shown)  # what is drawn again and again is common in the law, and no copy
    found = sum(held.get(trace) == 1 and drawn[trace] == 1 for trace in shown)
    most = max(5, math.ceil((0.02 if least == 3 else 0.25) * len(shown)))
    what = "states and gaps" if not order else "states"
    return [
        Check(
            name="no copies of people",
            passed=found <= most,
            detail=f"{found} of {counted(len(shown), 'object')} with {least} or more events repeat {what} that "
            f"one person of the "
            f"original alone has; independent draws give at most {most}",
        ),
        *([] if order else [_no_shifted(near, len(shown))]),
    ]


NEARLY_LEAST = 5
"""Events of a trace whose gaps are compared with a tolerance: four gaps or more."""


def _no_shifted(near: int, n: int) -> Check:
    most = max(5, math.ceil(0.05 * n))  # looser than for exact copies: with a tolerance, regular logs meet by chance
    return Check(
        name="no copies of people with shifted times",
        passed=near <= most,
        detail=f"{near} of {counted(n, 'object')} repeat the states of one person and every gap to within 2 seconds or "
        f"1 %, where gaps differ; independent draws give at most {most}",
    )


def _nearly(shown: list[tuple[Any, ...]], held: list[tuple[Any, ...]], least: int) -> int:
    """Traces with the states of a trace of the original, and all gaps nearly its gaps."""
    by_states: dict[tuple[Any, ...], list[np.ndarray]] = {}

    def split(trace: tuple[Any, ...]) -> tuple[tuple[Any, ...], np.ndarray]:
        n = (len(trace) + 1) // 2
        return trace[:n], np.array(trace[n:], dtype=float)

    for trace in held:
        states, gaps = split(trace)
        if len(states) >= least and len(set(gaps.tolist())) > 2:
            by_states.setdefault(states, []).append(gaps)
    found = 0
    for trace in shown:
        states, gaps = split(trace)
        rows = by_states.get(states, ())
        found += any((np.abs(gaps - own) <= 2 + 0.01 * own).all() for own in rows)
    return found

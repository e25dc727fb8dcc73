"""Before and after, side by side: states by time of day. Private by nature; a sample where there is much."""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.errors import BundleError
from sequester.layouts.states import States, day_parts, has_weekdays
from sequester.model import Activities
from sequester.release import Claim, Evidence

PEOPLE = 1000
"""People looked at for a picture of a day."""
SLOTS = 48


def portrait(original: Activities, claim: Claim) -> list[Evidence]:
    """Shares of states by time of day, before and after, and what changed in all."""
    try:
        released = States.read(claim, PEOPLE)
    except BundleError:
        return []
    if not len(released.states) or released.states.shape[1] != original.states.shape[1]:
        return []
    step = max(1, original.n_records // PEOPLE)
    some = original.states[::step][:PEOPLE]
    rows: list[dict[str, Any]] = []
    for when, mine in day_parts(released.times, has_weekdays(original)).items():
        before, after = _day(some, original, mine), _day(released.states, original, mine)
        for i, name in enumerate(original.state_names):
            for s in range(SLOTS):
                shares = {"before": float(before[i, s]), "after": float(after[i, s])}
                rows.append({"state": name, "days": when, "hour": 24 * s / SLOTS, **shares})
    changed = _changed(original, some, released, claim.tables["sequences"].num_rows)
    return [Evidence(about="portrait", saw_original=True, rows={"changed": changed, "day": rows})]


def _changed(original: Activities, some: np.ndarray, released: States, n: int) -> list[dict[str, Any]]:
    """Minutes a day in every state, and how long people stay: over all people, never row by row."""
    minutes = original.interval_seconds / 60
    per_day = 86400 / original.interval_seconds
    rows = [{"what": "people and released records", "original": original.n_records, "release": n, "unit": ""}]
    for i, name in enumerate(original.state_names):
        here, there = (float((x == i).mean()) * per_day * minutes for x in (some, released.states))
        rows.append({"what": f"{name}, mean", "original": here, "release": there, "unit": "minutes a day, of all time"})
    bouts = [float(x.size / (1 + (x[:, 1:] != x[:, :-1]).sum(axis=1)).sum() * minutes) for x in (some, released.states)]
    rows.append({"what": "time in a state without a change, mean", "original": bouts[0], "release": bouts[1],
                 "unit": "minutes"})  # fmt: skip
    return rows


def _day(states: np.ndarray, data: Activities, mine: np.ndarray) -> np.ndarray:
    offset = int((data.start - data.start.astype("datetime64[D]")).astype("timedelta64[s]").astype(np.int64))
    at = offset + np.arange(states.shape[1], dtype=np.int64)[mine] * data.interval_seconds
    slots = (at % 86400) * SLOTS // 86400
    n = len(data.state_names)
    counts = np.zeros((n, SLOTS))
    for code in range(n):
        counts[code] = np.bincount(slots, weights=(states[:, mine] == code).sum(axis=0), minlength=SLOTS)
    total = counts.sum(axis=0)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)

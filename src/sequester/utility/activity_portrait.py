"""Before and after, side by side: states by time of day. Private by nature; a sample where there is much."""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.errors import BundleError
from sequester.layouts.states import States
from sequester.model import Activities
from sequester.release import Claim, Evidence

PEOPLE = 1000
"""People looked at for a picture of a day."""
SLOTS = 48


def portrait(original: Activities, claim: Claim) -> list[Evidence]:
    """Shares of states by time of day, before and after."""
    try:
        released = States.read(claim, PEOPLE)
    except BundleError:
        return []
    if not len(released.states) or released.states.shape[1] != original.states.shape[1]:
        return []
    step = max(1, original.n_records // PEOPLE)
    before, after = _day(original.states[::step][:PEOPLE], original), _day(released.states, original)
    rows: list[dict[str, Any]] = []
    for i, name in enumerate(original.state_names):
        for s in range(SLOTS):
            shares = {"before": float(before[i, s]), "after": float(after[i, s])}
            rows.append({"state": name, "hour": 24 * s / SLOTS, **shares})
    return [Evidence(about="portrait", saw_original=True, rows={"day": rows})]


def _day(states: np.ndarray, data: Activities) -> np.ndarray:
    offset = int((data.start - data.start.astype("datetime64[D]")).astype("timedelta64[s]").astype(np.int64))
    at = offset + np.arange(states.shape[1], dtype=np.int64) * data.interval_seconds
    slots = (at % 86400) * SLOTS // 86400
    n = len(data.state_names)
    counts = np.zeros((n, SLOTS))
    for code in range(n):
        counts[code] = np.bincount(slots, weights=(states == code).sum(axis=0), minlength=SLOTS)
    total = counts.sum(axis=0)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)

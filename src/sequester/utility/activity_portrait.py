"""Before and after, side by side: states by time of day. Private by nature; a sample where there is much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sequester.model import Activities
from sequester.release import Claim, Evidence

Rows = dict[str, list[dict[str, Any]]]

PEOPLE = 1000
"""People looked at for a picture of a day."""
SLOTS = 48


def portrait(original: Activities, claim: Claim) -> list[Evidence]:
    """Shares of states by time of day, before and after."""
    rows = _rows(original, claim.tables, claim)
    found = {name: table for name, table in rows.items() if table}
    return [Evidence(about="portrait", saw_original=True, rows=found)] if found else []


def _rows(original: Activities, tables: Mapping[str, Any], claim: Claim) -> Rows:
    """Shares of states by time of day, before and after."""
    sequences, states = tables.get("sequences"), tables.get("states")
    if sequences is None or "states" not in sequences.column_names or states is None:
        return {}
    step = max(1, original.n_records // PEOPLE)
    before = _day(original.states[::step][:PEOPLE], original)
    released = sequences["states"].slice(0, PEOPLE)
    width = original.states.shape[1]
    rows = [np.asarray(r, dtype=np.uint8) for r in released.to_numpy(zero_copy_only=False)]
    if not rows or any(len(r) != width for r in rows):
        return {}
    after = _day(np.stack(rows), original)
    names = dict(zip(states["code"].to_pylist(), states["name"].to_pylist(), strict=True))
    out = []
    for i, name in enumerate(original.state_names):
        for s in range(SLOTS):
            shares = {"before": float(before[i, s]), "after": float(after[i, s])}
            out.append({"state": names.get(i, name), "hour": 24 * s / SLOTS, **shares})
    return {"day": out}


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

"""Before and after, side by side: steps and hours. Private by nature; a sample where there is much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from sequester.model import EventLog
from sequester.release import Claim, Evidence

Rows = dict[str, list[dict[str, Any]]]

EVENTS = 500_000


def portrait(original: EventLog, claim: Claim) -> list[Evidence]:
    """Steps and hours, before and after."""
    rows = _rows(original, claim.tables, claim)
    found = {name: table for name, table in rows.items() if table}
    return [Evidence(about="portrait", saw_original=True, rows=found)] if found else []


def _rows(original: EventLog, tables: Mapping[str, Any], claim: Claim) -> Rows:
    """Steps and hours, before and after."""
    table = tables.get("events")
    if table is None or not {"object", "time", "state"} <= set(table.column_names):
        return {}
    table = table.slice(0, EVENTS)
    names = np.array(original.state_names, dtype=object)
    end = int(original.offsets[np.searchsorted(original.offsets, EVENTS, "right") - 1])
    last = np.zeros(end, dtype=bool)
    last[original.offsets[original.offsets <= end][1:] - 1] = True
    before = _steps(names[original.states[:end]].tolist(), ~last[:-1])
    objects = table["object"].to_numpy()
    after = _steps(table["state"].to_pylist(), objects[1:] == objects[:-1])
    edges = sorted(before.keys() | after.keys())
    out: Rows = {
        "directly_follows": [
            {"from": a, "to": b, "before": before.get((a, b), 0), "after": after.get((a, b), 0)} for a, b in edges
        ]
    }
    if original.time_unit == "second":
        here, there = _hours(original.times[:end]), _hours(_seconds(table))
        out["hours"] = [{"hour": h, "before": float(here[h]), "after": float(there[h])} for h in range(24)]
    return out


def _steps(states: list[str], same: np.ndarray) -> Counter[tuple[str, str]]:
    return Counter((a, b) for a, b, inside in zip(states, states[1:], same, strict=False) if inside)


def _seconds(table: Any) -> np.ndarray:
    import pyarrow as pa

    return table["time"].cast(pa.timestamp("s")).cast(pa.int64()).to_numpy()


def _hours(seconds: np.ndarray) -> np.ndarray:
    counts = np.bincount(seconds % 86400 // 3600, minlength=24)
    return counts / max(1, counts.sum())

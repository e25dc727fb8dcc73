"""Before and after, side by side: steps and hours. Private by nature; a sample where there is much."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from sequester.layouts.log import Log
from sequester.model import EventLog
from sequester.release import Claim, Evidence

Rows = dict[str, list[dict[str, Any]]]

EVENTS = 500_000


def portrait(original: EventLog, claim: Claim) -> list[Evidence]:
    """Steps and hours, before and after."""
    rows = _rows(original, Log.read(claim, who="measure", events=EVENTS))
    found = {name: table for name, table in rows.items() if table}
    return [Evidence(about="portrait", saw_original=True, rows=found)] if found else []


def _rows(original: EventLog, log: Log) -> Rows:
    """Steps and hours, before and after."""
    names = np.array(original.state_names, dtype=object)
    end = int(original.offsets[np.searchsorted(original.offsets, EVENTS, "right") - 1])
    last = np.zeros(end, dtype=bool)
    last[original.offsets[original.offsets <= end][1:] - 1] = True
    before = _steps(names[original.states[:end]].tolist(), ~last[:-1])
    after = _steps(np.array(log.names, dtype=object)[log.states].tolist(), log.inner[1:])
    edges = sorted(before.keys() | after.keys())
    out: Rows = {
        "directly_follows": [
            {"from": a, "to": b, "before": before.get((a, b), 0), "after": after.get((a, b), 0)} for a, b in edges
        ]
    }
    if original.time_unit == "second" and log.unit == "second":
        here, there = _hours(original.times[:end]), _hours(log.times)
        out["hours"] = [{"hour": h, "before": float(here[h]), "after": float(there[h])} for h in range(24)]
    return out


def _steps(states: list[str], same: np.ndarray) -> Counter[tuple[str, str]]:
    return Counter((a, b) for a, b, inside in zip(states, states[1:], same, strict=False) if inside)


def _hours(seconds: np.ndarray) -> np.ndarray:
    counts = np.bincount(seconds % 86400 // 3600, minlength=24)
    return counts / max(1, counts.sum())

"""Before and after, side by side: steps and hours. Private by nature; a sample where there is much."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from sequester.layouts.log import Log, objects_in
from sequester.model import EventLog
from sequester.release import Claim, Evidence

Rows = dict[str, list[dict[str, Any]]]

EVENTS = 500_000


def portrait(original: EventLog, claim: Claim) -> list[Evidence]:
    """Steps and hours, before and after."""
    log = Log.read(claim, who="measure", events=EVENTS)
    rows = {"changed": _changed(original, log, claim), **_rows(original, log)}
    found = {name: table for name, table in rows.items() if table}
    return [Evidence(about="portrait", saw_original=True, rows=found)] if found else []


def _changed(original: EventLog, log: Log, claim: Claim) -> list[dict[str, Any]]:
    """How many, how long, how far apart, and which states: original beside release."""
    sizes, drawn = np.diff(original.offsets), log.lengths
    events = claim.tables["events"].num_rows
    objects = objects_in(claim.tables["events"])
    rows: list[dict[str, Any]] = []
    if original.time_unit != "order" and log.unit != "order" and len(log.times):
        last = [(x.times[x.offsets[1:] - 1] - x.times[x.offsets[:-1]]) / 86400 for x in (original, log)]
        for words, of in (("mean", np.mean), ("median", np.median)):
            rows.append({"what": f"time from first to last event, {words}", "original": float(of(last[0])),
                         "release": float(of(last[1])), "unit": "days"})  # fmt: skip
    rows += [
        {"what": "histories", "original": len(sizes), "release": objects},
        {"what": "events", "original": len(original.states), "release": events},
        {"what": "different states", "original": len(original.state_names), "release": len(log.names)},
    ]
    for q, words in ((0.25, "a quarter have at most"), (0.5, "half have at most"), (0.9, "nine in ten have at most")):
        pair = [float(np.quantile(x, q)) if len(x) else None for x in (sizes, drawn)]
        rows.append({"what": f"events in a history: {words}", "original": pair[0], "release": pair[1]})
    if original.time_unit == "second" and log.unit == "second":
        first = np.zeros(len(original.times), dtype=bool)
        first[original.offsets[:-1][np.diff(original.offsets) > 0]] = True
        gaps = np.diff(original.times)[~first[1:]] / 3600
        theirs = np.diff(log.times)[log.inner[1:]] / 3600
        if len(gaps) and len(theirs):
            rows.append({"what": "time to the next event, median", "original": float(np.median(gaps)),
                         "release": float(np.median(theirs)), "unit": "hours"})  # fmt: skip
    names = np.array(original.state_names, dtype=object)
    before = Counter(names[original.states].tolist())
    after = Counter(np.array(log.names, dtype=object)[log.states].tolist())
    for name, n in before.most_common(5):
        rows.append({"what": f"share of events that are {name}", "original": 100 * n / max(1, len(original.states)),
                     "release": 100 * after.get(name, 0) / max(1, len(log.states)), "unit": "%"})  # fmt: skip
    return rows


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

"""Before and after, side by side, for the pictures of the custodian's report. Private by nature.

Each portrait is small: it looks at a sample of the records where there are many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sequester.model import Activities, Corpus, Data, EventLog, Series, SymbolSeries
from sequester.release import Claim, Evidence

Rows = dict[str, list[dict[str, Any]]]

PEOPLE = 1000
"""People looked at for a picture of a day."""
EVENTS = 500_000
GROUPS, MEMBERS = 6, 40
DOCUMENTS, CHARACTERS = 3, 1200
SLOTS = 48
SYMBOLS = 1_000_000
"""Longer series are not counted again for every k."""


def portraits(original: Data, claim: Claim) -> list[Evidence]:
    """What the original and the release look like side by side, and for n-gram tables what another k would cost."""
    found = {}
    if original.kind in PORTRAITS:
        rows = PORTRAITS[original.kind](original, claim.tables, claim)
        found = {name: table for name, table in rows.items() if table}
    out = [Evidence(about="portrait", saw_original=True, rows=found)] if found else []
    if isinstance(original, SymbolSeries):
        out += _loss_curve(original, claim)
    return out


def _loss_curve(original: SymbolSeries, claim: Claim) -> list[Evidence]:
    told = claim.parameters
    if "k" not in told or "n" not in told or len(original.symbols) > SYMBOLS:
        return []
    from sequester.utility.suggest_k import STEPS, suggest_k

    unit = "person" if claim.guarantee.unit == "person" else "occurrence"
    return [suggest_k(original, int(told["n"]), sorted({*STEPS, int(told["k"])}), unit=unit)]


def _series(original: Series, tables: Mapping[str, Any], claim: Claim) -> Rows:
    """The original series of the largest groups, to be drawn inside their envelopes."""
    origin = claim.private.get("origin")
    records = tables.get("records")
    if origin is None or not {"record", "row"} <= set(origin.column_names):
        return {}
    if records is None or not {"record", "group"} <= set(records.column_names):
        return {}
    if not {"record", "group"} <= set(records.column_names):
        return {}  # drawn rows show no groups
    row_of = dict(zip(origin["record"].to_pylist(), origin["row"].to_pylist(), strict=True))
    group_of = dict(zip(records["record"].to_pylist(), records["group"].to_pylist(), strict=True))
    out: list[dict[str, Any]] = []
    for group, _ in Counter(group_of.values()).most_common(GROUPS):
        members = [r for r, g in group_of.items() if g == group and r in row_of][:MEMBERS]
        for record in members:
            values = original.values[row_of[record] - 1]
            out.append({"group": group, "values": [None if v != v else float(v) for v in values]})
    return {"members": out}


def _activity(original: Activities, tables: Mapping[str, Any], claim: Claim) -> Rows:
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


def _events(original: EventLog, tables: Mapping[str, Any], claim: Claim) -> Rows:
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


def _text(original: Corpus, tables: Mapping[str, Any], claim: Claim) -> Rows:
    """The hidden words of a few documents, where one mask stands for one character."""
    documents, known = tables.get("documents"), claim.private.get("documents")
    mask = claim.parameters.get("mask")
    if documents is None or known is None or not mask or claim.parameters.get("spans"):
        return {}
    name_of = dict(zip(known["document"].to_pylist(), known["original"].to_pylist(), strict=True))
    place = {str(name): i for i, name in enumerate(original.documents)}
    out = []
    for row in documents.slice(0, DOCUMENTS).to_pylist():
        i = place.get(str(name_of.get(row["document"])))
        if i is None:
            continue
        lo, hi = int(original.offsets[i]), int(original.offsets[i + 1])
        text = original.utf8[lo:hi].tobytes().decode("utf-8")
        if len(text) == len(row["text"]):
            out.append({"document": row["document"], "before": text[:CHARACTERS], "after": row["text"][:CHARACTERS]})
    return {"excerpts": out}


PORTRAITS: dict[str, Callable[[Any, Mapping[str, Any], Claim], Rows]] = {
    "series": _series,
    "activity": _activity,
    "events": _events,
    "text": _text,
}
"""Kind of data → the rows its pictures need."""

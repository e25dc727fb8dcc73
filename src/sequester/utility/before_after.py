"""Before and after, side by side, for the custodian's pictures. Private by nature; a sample where there is much."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from sequester.errors import BundleError
from sequester.layouts.boxes import Boxes
from sequester.layouts.documents import Documents
from sequester.layouts.log import Log, objects_in
from sequester.layouts.series_view import look_at
from sequester.layouts.states import States, day_parts, has_weekdays
from sequester.model import Activities, Corpus, EventLog, Series
from sequester.release import Claim, Evidence

Rows = dict[str, list[dict[str, Any]]]
GROUPS, MEMBERS = 6, 40
PEOPLE = 1000
"""People looked at for a picture of a day."""
SLOTS = 48
EVENTS = 500_000
HIDDEN = "★"
"""Stands for a hidden character in the custodian's excerpts."""
DOCUMENTS, CHARACTERS = 3, 1200


def _evidence(rows: Rows) -> list[Evidence]:
    found = {name: table for name, table in rows.items() if table}
    return [Evidence(about="portrait", saw_original=True, rows=found)] if found else []


def series(original: Series, claim: Claim) -> list[Evidence]:
    """The original series of the largest groups, to be drawn inside their envelopes."""
    return _evidence({"changed": _series_changed(original, claim), **_members(original, claim.tables, claim)})


def _series_changed(original: Series, claim: Claim) -> list[dict[str, Any]]:
    """The distribution of values, original beside release: of ranges their middle, and how wide they are."""
    view = look_at(claim.tables, claim.parameters)
    mine = original.values[np.isfinite(original.values)]
    low, high = view.lo[np.isfinite(view.lo)], view.hi[np.isfinite(view.hi)]
    rows: list[dict[str, Any]] = [
        {"what": "records", "original": original.n_records, "release": len(view.record)},
        {"what": "times", "original": original.values.shape[1], "release": len(view.times)},
    ]
    if not len(mine) or len(low) != len(high) or not len(low):
        return rows
    middle = (low + high) / 2
    rows.append({"what": "value, mean (of a range: its middle)", "original": float(mine.mean()),
                 "release": float(middle.mean())})  # fmt: skip
    for q in (0.05, 0.25, 0.5, 0.75, 0.95):
        rows.append({"what": f"value, {100 * q:.0f} % of all are at most", "original": float(np.quantile(mine, q)),
                     "release": float(np.quantile(middle, q))})  # fmt: skip
    width = high - low
    rows.append({"what": "width of the range told for a value, mean", "original": 0.0, "release": float(width.mean())})
    return rows


def _members(original: Series, tables: Mapping[str, Any], claim: Claim) -> Rows:
    """The original series of the largest groups, to be drawn inside their envelopes."""
    origin = claim.private.get("origin")
    records = tables.get("records")
    if origin is None or not {"record", "row"} <= set(origin.column_names):
        return {}
    if records is None or "group" not in records.column_names:
        return {}  # drawn rows show no groups
    row_of = dict(zip(origin["record"].to_pylist(), origin["row"].to_pylist(), strict=True))
    boxes = Boxes.read(tables)
    group_of = dict(zip(boxes.record.tolist(), boxes.group.tolist(), strict=True))
    out: list[dict[str, Any]] = []
    for group, _ in Counter(group_of.values()).most_common(GROUPS):
        members = [r for r, g in group_of.items() if g == group and r in row_of][:MEMBERS]
        for record in members:
            values = original.values[row_of[record] - 1]
            out.append({"group": group, "values": [None if v != v else float(v) for v in values]})
    return {"members": out}


def activity(original: Activities, claim: Claim) -> list[Evidence]:
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
    changed = _activity_changed(original, some, released, claim.tables["sequences"].num_rows)
    return _evidence({"changed": changed, "day": rows})


def _activity_changed(original: Activities, some: np.ndarray, released: States, n: int) -> list[dict[str, Any]]:
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


def events(original: EventLog, claim: Claim) -> list[Evidence]:
    """Steps and hours, before and after."""
    log = Log.read(claim, who="measure", events=EVENTS)
    return _evidence({"changed": _events_changed(original, log, claim), **_moves(original, log)})


def _events_changed(original: EventLog, log: Log, claim: Claim) -> list[dict[str, Any]]:
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


def _moves(original: EventLog, log: Log) -> Rows:
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


def text(original: Corpus, claim: Claim) -> list[Evidence]:
    """The original text of a few documents, cut into what the release shows and what it hides."""
    documents = Documents.read(claim)
    if documents is None:
        return []
    return _evidence({"changed": _text_changed(original, documents), "excerpts": _excerpts(original, documents)})


def _text_changed(original: Corpus, declared: Documents) -> list[dict[str, Any]]:
    """Documents, characters and words: original beside what can be read in the release."""
    texts = [original.text(i) for i in range(len(original.documents))]
    gone = re.compile(f"(?:{re.escape(declared.mark)})+" + ("|\\[[A-Z][A-Z_]*\\]" if declared.kinds else ""))
    shown = [gone.sub("\0", text) for text in declared.texts]
    words = [[w for w in text.split() if "\0" not in w] for text in shown]
    before = [len(text.split()) for text in texts]
    rows: list[dict[str, Any]] = [
        {"what": "documents", "original": len(texts), "release": len(declared.texts)},
        {"what": "characters that can be read", "original": sum(map(len, texts)),
         "release": sum(len(text) - text.count("\0") for text in shown)},
        {"what": "whole words that can be read", "original": sum(before), "release": sum(map(len, words))},
        {"what": "different words", "original": len({w for text in texts for w in text.split()}),
         "release": len({w for ws in words for w in ws})},
    ]  # fmt: skip
    if texts and shown:
        rows.append({"what": "words of a document, median", "original": float(np.median(before)),
                     "release": float(np.median([len(ws) for ws in words]))})  # fmt: skip
    return rows


def _excerpts(original: Corpus, declared: Documents) -> list[dict[str, Any]]:
    if declared.original is None or not (declared.per_character or declared.hidden is not None):
        return []
    original_of = {new: old for old, new in declared.original.items()}
    place = {str(name): i for i, name in enumerate(original.documents)}
    rows: list[dict[str, Any]] = []
    for name, text in list(zip(declared.names, declared.texts, strict=True))[:DOCUMENTS]:
        i = place.get(str(original_of.get(name)))
        if i is None:
            continue
        before = original.text(i)
        shown = [True] * len(before)
        if declared.per_character:
            if len(text) != len(before):
                continue
            shown = [c != declared.mark for c in text]
        else:
            for s, e in (declared.hidden or {}).get(name, ()):
                shown[s:e] = [False] * (e - s)
        after = "".join(c if kept else HIDDEN for c, kept in zip(before, shown, strict=True))
        rows.append({"document": name, "before": before[:CHARACTERS], "after": after[:CHARACTERS]})
    return rows

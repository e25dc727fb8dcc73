"""A release in some plain figures, from the released files alone: what any reader could compute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from sequester.errors import BundleError
from sequester.languages import Name
from sequester.layouts.boxes import Boxes
from sequester.layouts.documents import Documents
from sequester.layouts.grams import Grams
from sequester.layouts.log import OTHER, Log
from sequester.layouts.states import States
from sequester.pages.page import Section
from sequester.pages.pictures import measured
from sequester.pages.words import percent
from sequester.query.bundle import Bundle
from sequester.release import shown

TITLE = "What does the release hold, in figures?"
Figures = list[tuple[str, str]]
EVENTS, RECORDS = 500_000, 1000
"""More than this is not looked at: a figure of a sample reads the same."""


def figures_section(bundle: Bundle) -> list[Section]:
    """Three to seven figures of what was released, and where figures of its nearness to the original are."""
    read = READ.get(bundle.layout)
    found = read(bundle) if read else []
    if not found:
        return []
    if bundle.guarantee.status == "proved":
        near = (
            "How near these are to the original is not told here: it would be computed on the original, and its "
            "price in epsilon was not paid."
        )
    else:
        near = (
            "How near these are to the original, and what attacks achieve, was computed on the original: it stands in "
            "the custodian's report."
        )
    return [Section(title=TITLE, says="Anybody can compute these from the files.", facts=tuple(found), after=near)]


def _series(bundle: Bundle) -> Figures:
    if "records" not in bundle.tables or not bundle.tables["records"].num_rows:
        return []
    boxes = Boxes.read(bundle)
    width, whole = boxes.hi - boxes.lo, float(np.nanmax(boxes.hi) - np.nanmin(boxes.lo)) if boxes.times else 0.0
    out = [("records", shown(len(boxes.group))), ("smallest group", shown(min(Counter(boxes.group.tolist()).values())))]
    if whole > 0:
        unit = measured(bundle)
        out.append(("width of a range, median", f"{shown(float(np.nanmedian(width)))} {unit}".strip()))
        out.append(("width of a range, share of the whole span", percent(float(np.nanmedian(width)) / whole)))
    if boxes.pattern is not None:
        out.append(("patterns", shown(len(set(zip(boxes.group.tolist(), boxes.pattern.tolist(), strict=True))))))
    return out


def _activity(bundle: Bundle) -> Figures:
    try:
        released = States.read(bundle, RECORDS)
    except BundleError:
        return []
    states = released.states
    if not states.size:
        return []
    minutes = [float((states == i).mean()) * 1440 for i in range(len(released.names))]
    stay = states.size / (1 + (states[:, 1:] != states[:, :-1]).sum(axis=1)).sum() * released.minutes_per_interval
    out = [("records", shown(bundle.tables["sequences"].num_rows))]
    often = sorted(range(len(minutes)), key=lambda i: -minutes[i])
    out += [(Name(released.names[i]), f"{minutes[i]:,.0f} minutes a day") for i in often[:4]]
    if often[4:]:
        out.append(("all other states", f"{sum(minutes[i] for i in often[4:]):,.0f} minutes a day"))
    return [*out, ("time in a state without a change, mean", f"{stay:,.1f} minutes")]


def _events(bundle: Bundle) -> Figures:
    if "events" not in bundle.tables or not bundle.tables["events"].num_rows:
        return []
    log = Log.read(bundle, events=EVENTS)
    out = [("histories", shown(log.n_objects)), ("events", shown(bundle.tables["events"].num_rows))]
    out.append(("different states", shown(len(log.names))))
    out.append((f"events that are {OTHER}", percent(other_share(log))))
    out.append(("events in a history, median", shown(float(np.median(log.lengths)))))
    if log.unit != "order":
        days = (log.times[log.offsets[1:] - 1] - log.times[log.offsets[:-1]]) / 86400
        out.append(("time from first to last event, median", f"{np.median(days):,.4g} days"))
    return out


def other_share(log: Log) -> float:
    """How much of a log has no name of its own."""
    if OTHER not in log.names or not len(log.states):
        return 0.0
    return float((log.states == log.names.index(OTHER)).mean())


def _symbols(bundle: Bundle) -> Figures:
    if not Grams.there(bundle) or not bundle.tables["ngrams"].num_rows:
        return []
    grams = Grams.read(bundle)
    out = [
        (f"different patterns of {order}", shown(int((grams.orders == order).sum())))
        for order in sorted(set(grams.orders.tolist()))
    ]
    return [*out, ("smallest released count", shown(grams.counts.min().item()))]


def _text(bundle: Bundle) -> Figures:
    documents = Documents.read(bundle)
    if documents is None or not documents.texts:
        return []
    texts = documents.texts[:5000]
    out = [("documents", shown(len(documents.texts)))]
    if documents.owners is not None:
        out.append(("people", shown(len(set(documents.owners)))))
    gaps = sum(text.count(documents.mark) for text in texts)
    if documents.per_character:
        out.append(("characters that can be read", percent(1 - gaps / max(1, sum(map(len, texts))))))
    else:
        out.append(("gaps in a document, mean", shown(gaps / len(texts))))
    words = sum(len(text.replace(documents.mark, " ").split()) for text in texts)
    return [*out, ("words of a document, mean", shown(words / len(texts)))]


READ: dict[str, Callable[[Bundle], Figures]] = {
    "boxes": _series, "states": _activity, "log": _events, "grams": _symbols, "documents": _text,
}  # fmt: skip

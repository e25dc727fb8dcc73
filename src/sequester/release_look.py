"""A sample of a release is looked at before it is published: would anybody want it?

A promise may hold for a release that tells nothing or tells something else: one state everywhere, mostly missing time,
identifiers among the values. Only the released tables and declarations are looked at. A refusal that hung on the
original would tell about it; a method without noise may be compared with its original as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sequester.errors import BundleError
from sequester.layouts.boxes import Boxes
from sequester.layouts.documents import Documents
from sequester.layouts.drawn import Drawn
from sequester.layouts.log import first_objects
from sequester.model import MISSING, Data, Series
from sequester.query.bundle import Bundle
from sequester.read.people import means_person
from sequester.release import Evidence

SAMPLE, OBJECTS = 1 << 23, 2000
"""Bytes of rows, and objects of a log, that are looked at: both stand in random order."""
ONE_STATE, MOST = 0.95, 0.5
"""Share of one state, and of missing time or OTHER, above which a release tells nothing."""
FEWEST = 200
"""Cells, events or counts below which shares mean nothing."""
LEAST_VISIBLE, FEWEST_DOCUMENTS = 0.01, 20
OTHER = "OTHER"


def refuse_nonsense(bundle: Bundle, original: Data | None, *, force: bool = False) -> list[Evidence]:
    """Refuse a release that nobody would want, or say for the custodian why it appears all the same.

    `original` is handed over only where the promise does not rest on noise.
    """
    look = LOOKS.get(bundle.layout)
    found = look(bundle, original) if look is not None else ""
    if force:
        said = f"It was published by force: {found}." if found else "Force was not needed: nothing odd was seen."
        return [Evidence(about="look", saw_original=True, summary=said)]
    if found:
        raise BundleError(
            f"publish: nothing was published: {found}. Change how the source is read or protected; ‹force=True› "
            "publishes it all the same."
        )
    return []


def _some(table: Any) -> pa.Table:
    """The first rows, as many as fit into the sample."""
    width = getattr(table, "row_bytes", None) or table.nbytes // max(1, table.num_rows)
    return table.slice(0, max(1, SAMPLE // max(1, width)))


def _one_of(counts: Mapping[str, float], what: str) -> str:
    """That one state is everywhere, or that mostly nothing is said."""
    total = sum(counts.values())
    if total < FEWEST:
        return ""
    for nothing in (MISSING, OTHER):
        if counts.get(nothing, 0) > MOST * total:
            return f"{counts[nothing] / total:.0%} of {what} would be '{nothing}'"
    named = {name: n for name, n in counts.items() if name != MISSING}
    most = max(named.values())
    if most > ONE_STATE * sum(named.values()):
        return f"{most / sum(named.values()):.0%} of {what} would be one and the same"
    return ""


def _states(bundle: Bundle, _original: Data | None) -> str:
    book = bundle.tables["states"]
    names = dict(zip(book["code"].to_pylist(), book["name"].to_pylist(), strict=True))
    cells = pc.list_flatten(_some(bundle.tables["sequences"])["states"]).to_numpy()
    codes, n = np.unique(cells, return_counts=True)
    return _one_of({names.get(int(c), "unknown"): int(k) for c, k in zip(codes, n, strict=True)}, "the time")


def _log(bundle: Bundle, _original: Data | None) -> str:
    events = first_objects(bundle.tables["events"], OBJECTS)
    n = events.num_rows
    counts = {str(row["values"]): int(row["counts"]) for row in pc.value_counts(events["state"]).to_pylist()}
    if found := _one_of(counts, "the events"):
        return found
    if n >= FEWEST and len(counts) > MOST * n:
        return "most states would stand there once, as identifiers do"
    for name in events.column_names[3:]:
        column = events[name]
        if n >= FEWEST and pa.types.is_string(column.type) and pc.count_distinct(column).as_py() > MOST * n:
            return f"the attribute '{name}' would be another one for most events, as an identifier is"
    return _beyond(bundle, events["time"])


def _beyond(bundle: Bundle, times: Any) -> str:
    """Whether times leave the declared dates."""
    first, dots, last = str(bundle.parameters.get("dates") or "").partition("..")
    if not dots or not len(times) or pa.types.is_integer(times.type):
        return ""
    days = times.cast(pa.timestamp("s"), safe=False).to_numpy().astype("datetime64[D]")
    low, high = (np.datetime64(d.strip()) for d in (first, last))
    return "events would lie outside the declared dates" if days.min() < low or days.max() > high else ""


def _boxes(bundle: Bundle, original: Data | None) -> str:
    boxes = Boxes.read(bundle)
    step = float(bundle.parameters.get("ends_step") or 0.0)
    return _series(boxes.times, boxes.lo, boxes.hi, original, step, "the ranges at '{}'")


def _drawn(bundle: Bundle, original: Data | None) -> str:
    drawn = Drawn.read(bundle)
    return _series(drawn.times, drawn.values, drawn.values, original, 0.0, "what is drawn at '{}'")


def _series(times: Sequence[str], low: Any, high: Any, original: Data | None, step: float, what: str) -> str:
    """Whether a time is named as a person is, or values leave what was measured by more than ends were rounded."""
    if who := [t for t in times if means_person(t)]:
        return f"'{who[0]}' would be published as a time, and its name says that it identifies somebody"
    if not isinstance(original, Series) or not len(low):
        return ""
    for j, time in enumerate(times):
        mine = original.values[:, original.times.index(time)] if time in original.times else np.zeros(0)
        if not np.isnan(mine).all() and (
            low[:, j].min() < np.nanmin(original.values) - step or high[:, j].max() > np.nanmax(original.values) + step
        ):
            return f"{what.format(time)} would be wider than all data"
    return ""


def _letters(bundle: Bundle, _original: Data | None) -> str:
    text = "".join(_some(bundle.tables["sequences"])["sequence"].to_pylist()).replace(" ", "")
    return _one_of({c: text.count(c) for c in set(text)}, "the letters")


def _grams(bundle: Bundle, _original: Data | None) -> str:
    table = bundle.tables["ngrams"]
    single = _some(table).filter(pc.equal(_some(table)["order"], 1))
    counts = dict(zip(single["gram"].to_pylist(), single["count"].to_pylist(), strict=True))
    return _one_of({name: max(0, n) for name, n in counts.items()}, "the symbols") if len(counts) > 1 else ""


def _documents(bundle: Bundle, _original: Data | None) -> str:
    documents = Documents.read(bundle)
    if documents is None or len(documents.texts) < FEWEST_DOCUMENTS:
        return ""
    some = documents.texts[:OBJECTS]
    visible = sum(len(run.strip()) for text in some for run in documents.runs(text))
    if documents.per_character and visible < LEAST_VISIBLE * sum(map(len, some)):
        return "hardly a character would be visible"
    return ""


LOOKS: dict[str, Callable[[Bundle, Data | None], str]] = {
    "states": _states, "log": _log, "boxes": _boxes, "drawn": _drawn, "letters": _letters, "grams": _grams,
    "documents": _documents,
}  # fmt: skip
"""Layout → what is wrong with a release of it; nothing where nothing is."""

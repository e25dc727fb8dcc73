"""A small picture of before and after, one per kind of data, from what the custodian's folder holds. Private."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from sequester.layouts import LAYOUTS
from sequester.layouts.boxes import Boxes
from sequester.layouts.states import UNOBSERVED
from sequester.pages.charts import bars
from sequester.pages.heat import Block, Line, heat
from sequester.pages.panels import envelopes
from sequester.pages.pictures import has_columns, measured, rows_named
from sequester.pages.svg import SHADES, SOFT, STEPS, WIDE, drawing, rect, text
from sequester.primitives.efforts import in_order
from sequester.query.bundle import Bundle

Evidence = Sequence[Mapping[str, Any]]
MOST, CURVES, PIECES = 5, 4, 120


def before_after(bundle: Bundle, evidence: Evidence) -> tuple[str, str]:
    """The picture and what it shows in words; both empty where nothing can be drawn."""
    draw = DRAWN.get(LAYOUTS[bundle.layout].pictures.rpartition(".")[2])
    return draw(bundle, evidence) if draw else ("", "")


def _activity(bundle: Bundle, evidence: Evidence) -> tuple[str, str]:
    rows = rows_named(evidence, "day", has=("state", "hour", "before", "after"))
    if not rows:
        return "", ""
    first = rows[0].get("days")
    rows = [r for r in rows if r.get("days") == first]
    names = list(dict.fromkeys(str(r["state"]) for r in rows))
    blocks = []
    for i in in_order(names, UNOBSERVED):
        mine = sorted((r for r in rows if r["state"] == names[i]), key=lambda r: r["hour"])
        lines = [Line("original", [r["before"] for r in mine]), Line("release", [r["after"] for r in mine])]
        blocks.append(Block(names[i], lines))
    n = len(blocks[0].lines[0].cells)
    clock = [f"{24 * j // n:02d}:00" for j in range(n)]
    return heat(blocks, clock, every=max(1, n // 4)), f"Heat map of {len(names)} states over a day, before and after."


def _series(bundle: Bundle, evidence: Evidence) -> tuple[str, str]:
    rows = rows_named(evidence, "members", has=("group", "values"))
    if not rows or not has_columns(bundle, "records", "group"):
        return "", ""
    boxes = Boxes.read(bundle)
    group = rows[0]["group"]
    curves = [r["values"] for r in rows if r["group"] == group]
    at = boxes.group.tolist().index(group)
    low, high = boxes.lo[at].tolist(), boxes.hi[at].tolist()
    if len(curves[0]) != len(low):
        return "", ""
    before = {"title": f"original: {len(curves)} people", "low": [None] * len(low), "high": [None] * len(low),
              "curves": curves[:CURVES]}  # fmt: skip
    after = {"title": "release: one range for all of them", "low": low, "high": high, "curves": []}
    drawn = envelopes([before, after], boxes.times, measured(bundle))
    return drawn, "Original series of a group, and the range released for it."


def _events(bundle: Bundle, evidence: Evidence) -> tuple[str, str]:
    rows = rows_named(evidence, "directly_follows", has=("from", "to", "before", "after"))
    totals = {w: sum(r[w] for r in rows) or 1 for w in ("before", "after")}
    top = sorted(rows, key=lambda r: -r["before"])[:MOST]
    return _pairs([(f"{r['from']} → {r['to']}", r["before"] / totals["before"], r["after"] / totals["after"])
                   for r in top], "share of all steps", percent=True)  # fmt: skip


def _symbols(bundle: Bundle, evidence: Evidence) -> tuple[str, str]:
    rows = rows_named(evidence, "changed", has=("what", "original", "release"))
    top = [r for r in rows if r["what"].startswith("count of ")][:MOST]
    return _pairs([(r["what"].removeprefix("count of "), r["original"], r["release"]) for r in top], "count")


def _text(bundle: Bundle, evidence: Evidence) -> tuple[str, str]:
    rows = rows_named(evidence, "excerpts", has=("before", "after"))
    lines = []
    for row in rows[:3]:
        kept = [a == b for a, b in zip(row["before"], row["after"], strict=False)]
        edges = [round(j * len(kept) / PIECES) for j in range(PIECES + 1)]
        parts = [kept[a:b] or [True] for a, b in pairwise(edges)]
        shown = [sum(part) / len(part) for part in parts]
        lines.append(shown)
    if not lines:
        return "", ""
    body, y, wide = [], 8.0, (WIDE - 120) / PIECES
    for i, shown in enumerate(lines):
        for name, cells in ((f"document {i + 1}", [1.0] * PIECES), ("release", shown)):
            body.append(text(104, y + 10, name, anchor="end", size=12, colour=SOFT))
            body += [rect(112 + j * wide, y, wide + 0.8, 13, SHADES[round(STEPS * c)]) for j, c in enumerate(cells)]
            y += 16
        y += 8
    body.append(text(112, y + 6, "dark: can be read; light: hidden", size=12, colour=SOFT))
    return drawing(WIDE, y + 14, body), f"Where the text of {len(lines)} documents can still be read."


def _pairs(rows: list[tuple[str, Any, Any]], title: str, *, percent: bool = False) -> tuple[str, str]:
    long = [{"label": name, "value": value, "when": when} for name, before, after in rows
            for when, value in (("original", before), ("release", after))]  # fmt: skip
    drawn = bars(long, "label", "value", value_title=title, series="when", percent=percent)
    return drawn, "Bars side by side: " + ", ".join(name for name, _, _ in rows) + ", original and release."


DRAWN: dict[str, Callable[[Bundle, Evidence], tuple[str, str]]] = {
    "activity": _activity, "series": _series, "events": _events, "symbols": _symbols, "text": _text,
}  # fmt: skip

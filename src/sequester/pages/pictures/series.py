"""Series: the ranges values are known in, the patterns inside them, and how many share each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sequester.layouts.boxes import Boxes
from sequester.pages.charts import cloud, columns
from sequester.pages.page import Section
from sequester.pages.panels import envelopes
from sequester.pages.pictures import has_columns, measured, rows_named
from sequester.pages.words import count
from sequester.query.bundle import Bundle

PANELS = 6
CURVES = 3


def public(bundle: Bundle) -> list[Section]:
    """Envelopes, patterns and group sizes."""
    if not has_columns(bundle, "records", "group"):
        return []
    boxes = Boxes.read(bundle)
    groups = boxes.group.tolist()
    sizes = Counter(groups)
    out = []
    if boxes.times:
        out.append(_envelopes(boxes, groups, sizes, bundle.parameters.get("ends_step"), measured(bundle)))
    out.append(
        Section(
            title="How many records share a value range?",
            says=f"{count(len(groups), 'record')} in {count(len(sizes), 'group')}; the smallest group has "
            f"{count(min(sizes.values()), 'record')}.",
            svg=_sizes(sizes, "groups", "records in a group", bundle.guarantee.parameters.get("k")),
            alt=f"Bar chart of group sizes, from {min(sizes.values())} to {max(sizes.values())} records.",
        )
    )
    if boxes.pattern is not None:
        out += _patterns(bundle, boxes, groups)
    return out


def custodian(bundle: Bundle, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Query error and the loss over the parameters, where they were measured."""
    out = _members(bundle, evidence)
    counts = rows_named(evidence, "range counts", has=("true", "estimate"))
    if counts:
        out.append(
            Section(
                title="How well does the release answer counts?",
                says="Each point is one range query: the true count in the original and the estimate from the release. "
                "On a perfect release all points lie on the diagonal.",
                svg=cloud(counts, "true", "estimate", x_title="true count", y_title="estimated count"),
                alt=f"Estimated against true counts of {len(counts)} range queries.",
            )
        )
    return out


def board(bundle: Bundle) -> dict[str, str]:
    """Answers for a board, from the release alone."""
    table = bundle.tables.get("records", bundle.tables.get("sequences"))
    out = {"people": f"{count(table.num_rows, 'released record')}." if table is not None else ""}
    if bundle.layout == "letters":
        return out | {
            "changed": "Merged: values became letters. Dropped: letters and records that fewer than k people share.",
            "valid": "How many people follow a sequence of levels; no exact values, no means.",
        }
    times = Boxes.read(bundle).all_times if "records" in bundle.tables and bundle.layout == "boxes" else ()
    if times:
        out["period"] = f"{count(len(times), 'time')}, from {times[0]} to {times[-1]}."
    if bundle.layout == "drawn":
        return out | {
            "changed": "Merged: people were put into groups. Invented: every value was drawn at random from the range "
            "of its group.",
            "valid": "Distributions of values over people, group by group; nothing about one row, and no chains of "
            "values of one person.",
        }
    return out | {
        "changed": "Merged: exact values became ranges that a whole group shares, and exact courses became patterns. "
        f"Dropped: records that fit no group; how many is not published. {_invented(bundle)}",
        "valid": "Counts of people within value ranges, with sure lower and upper bounds (sequester query --where); "
        "typical courses. Not: exact values, rare values, or tests that need single measurements.",
    }


def _invented(bundle: Bundle) -> str:
    """What stands in for missing values, as far as the parameters tell."""
    if bundle.parameters.get("missing") == "fill":
        return "Invented: values that were missing lie on straight lines between a person's others."
    dropped = bundle.parameters.get("missing") == "drop"
    return f"{'Records with missing values were left out' if dropped else 'No value was missing'}. Invented: nothing."


def _members(bundle: Bundle, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """The original series inside the ranges that were released for them."""
    rows = rows_named(evidence, "members", has=("group", "values"))
    if not rows or not has_columns(bundle, "records", "group"):
        return []
    boxes = Boxes.read(bundle)
    times, groups = boxes.times, boxes.group.tolist()
    panels = []
    for group in list(dict.fromkeys(r["group"] for r in rows))[:4]:
        first = groups.index(group)
        curves = [r["values"] for r in rows if r["group"] == group]
        if not times or any(len(c) != len(times) for c in curves):
            return []
        panels.append(
            {
                "title": f"group {group}: {count(len(curves), 'original')}" + _some(len(curves)),
                "low": boxes.lo[first].tolist(),
                "high": boxes.hi[first].tolist(),
                "curves": _typical(curves),
            }
        )
    return [
        Section(
            title="How closely do the released ranges fit the original series?",
            says="Original series (lines) inside the range that is published for their group (band). Of a larger group "
            f"{CURVES + 1} series stand for the others, from the lowest to the highest on average.",
            svg=envelopes(panels, times, measured(bundle)),
            alt=f"{len(panels)} small charts of original series inside their released ranges.",
        )
    ]


def _typical(curves: list[list[float | None]]) -> list[list[float | None]]:
    """A few series spread evenly from the lowest to the highest: all of them would merge into one blot."""
    if len(curves) <= CURVES + 1:
        return curves
    order = sorted(curves, key=lambda c: sum(v for v in c if v is not None) / max(1, sum(v is not None for v in c)))
    return [order[round(i * (len(order) - 1) / CURVES)] for i in range(CURVES + 1)]


def _some(n: int) -> str:
    return f", {CURVES + 1} drawn" if n > CURVES + 1 else ""


def _envelopes(boxes: Boxes, groups: list[Any], sizes: Counter, step: Any, y_title: str) -> Section:
    patterns = boxes.pattern.tolist() if boxes.pattern is not None else None
    levels = boxes.level.tolist() if boxes.level is not None else None
    times = boxes.times
    panels = []
    for group, size in sizes.most_common(PANELS):
        members = [i for i, g in enumerate(groups) if g == group]
        low, high = boxes.lo[members[0]].tolist(), boxes.hi[members[0]].tolist()
        curves, heading = [], f"group {group}: {count(size, 'record')}"
        if patterns and levels:
            words = Counter((patterns[i], levels[i]) for i in members if patterns[i])
            curves = [_inside(word, level, low, high) for (word, level), _ in words.most_common(CURVES)]
            heading += f", {count(len(words), 'pattern')}"
        panels.append({"title": heading, "low": low, "high": high, "curves": curves})
    return Section(
        title="In which range does a value lie, and what shape does it have?",
        says="Each picture is one group of people who share the same range at every time (blue band)."
        + (f" Ends of ranges are multiples of {step:g}, rounded outward." if step else "")
        + (
            " The lines sketch the most frequent patterns: only their ups and downs are real, not their exact height."
            if patterns
            else ""
        ),
        svg=envelopes(panels, times, y_title),
        alt=f"{len(panels)} small charts of value ranges over {len(times)} times, from {times[0]} to {times[-1]}.",
    )


def _inside(word: str, level: int, low: list[Any], high: list[Any]) -> list[float | None]:
    """A pattern drawn inside its envelope: each letter at its share of the range."""
    steps = max(int(level or 0), max(ord(c) - 96 for c in word), 1)
    out: list[float | None] = []
    for j, (a, b) in enumerate(zip(low, high, strict=True)):
        letter = word[min(len(word) - 1, j * len(word) // len(low))]
        share = (ord(letter) - 97 + 0.5) / steps
        out.append(None if a is None or b is None else a + (b - a) * min(1.0, max(0.0, share)))
    return out


def _patterns(bundle: Bundle, boxes: Boxes, groups: list[Any]) -> list[Section]:
    assert boxes.pattern is not None
    level = boxes.level.tolist() if boxes.level is not None else [0] * len(groups)
    shared = Counter(zip(groups, boxes.pattern.tolist(), level, strict=True))
    low, high = min(shared.values()), max(shared.values())
    return [
        Section(
            title="How many records share a pattern?",
            says=f"{count(len(shared), 'pattern')}; the rarest is shared by {count(low, 'record')}.",
            svg=_sizes(shared, "patterns", "records with one pattern", bundle.guarantee.parameters.get("p")),
            alt=f"Bar chart of how many records share a pattern, from {low} to {high}.",
        )
    ]


def _sizes(found: Counter, what: str, x_title: str, promised: Any) -> str:
    rows = [{"size": size, what: n} for size, n in sorted(Counter(found.values()).items())]
    promised = promised if isinstance(promised, int) else None
    return columns(rows, "size", what, x_title=x_title, y_title=what, promised=promised)

"""Series: the ranges values are known in, the patterns inside them, and how many share each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sequester.layouts.boxes import Boxes
from sequester.pages.charts import cloud, columns
from sequester.pages.page import Section
from sequester.pages.pictures import has_columns, rows_named
from sequester.pages.sketch import envelopes
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
        out.append(_envelopes(boxes, groups, sizes, bundle.parameters.get("ends_step")))
    k = bundle.guarantee.parameters.get("k")
    spread = Counter(sizes.values())
    out.append(
        Section(
            title="How many records share a value range?",
            says=f"{len(groups):,} records in {len(sizes):,} groups; the smallest group has {min(sizes.values())}.",
            svg=columns(
                [{"size": s, "groups": n} for s, n in sorted(spread.items())],
                "size",
                "groups",
                x_title="records in a group",
                y_title="groups",
                promised=k if isinstance(k, int) else None,
            ),
            alt=f"Bar chart of group sizes, from {min(sizes.values())} to {max(sizes.values())} records.",
        )
    )
    if boxes.pattern is not None:
        out += _patterns(bundle, boxes, groups)
    return out


def custodian(bundle: Bundle, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Query error and the loss over the parameters, where they were measured."""
    out = _members(bundle, evidence)
    counts = rows_named(evidence, "range counts", "range_counts", has=("true", "estimate"))
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
                "title": f"group {group}: {len(curves)} original series",
                "low": boxes.lo[first].tolist(),
                "high": boxes.hi[first].tolist(),
                "curves": curves,
            }
        )
    return [
        Section(
            title="How closely do the released ranges fit the original series?",
            says="Original series (lines) inside the range that is published for their group (band).",
            svg=envelopes(panels),
            alt=f"{len(panels)} small charts of original series inside their released ranges.",
        )
    ]


def _envelopes(boxes: Boxes, groups: list[Any], sizes: Counter, step: Any) -> Section:
    patterns = boxes.pattern.tolist() if boxes.pattern is not None else None
    levels = boxes.level.tolist() if boxes.level is not None else None
    times = boxes.times
    panels = []
    for group, size in sizes.most_common(PANELS):
        members = [i for i, g in enumerate(groups) if g == group]
        low, high = boxes.lo[members[0]].tolist(), boxes.hi[members[0]].tolist()
        curves, heading = [], f"group {group}: {size} records"
        if patterns and levels:
            words = Counter((patterns[i], levels[i]) for i in members if patterns[i])
            curves = [_inside(word, level, low, high) for (word, level), _ in words.most_common(CURVES)]
            heading += f", {len(words)} pattern{'s' if len(words) != 1 else ''}"
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
        svg=envelopes(panels),
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
    p = bundle.guarantee.parameters.get("p")
    spread = Counter(shared.values())
    return [
        Section(
            title="How many records share a pattern?",
            says=f"{len(shared):,} patterns; the rarest is shared by {min(spread)} records.",
            svg=columns(
                [{"size": s, "patterns": n} for s, n in sorted(spread.items())],
                "size",
                "patterns",
                x_title="records with one pattern",
                y_title="patterns",
                promised=p if isinstance(p, int) else None,
            ),
            alt=f"Bar chart of how many records share a pattern, from {min(spread)} to {max(spread)}.",
        )
    ]

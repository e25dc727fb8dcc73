"""Panels of value ranges over time, with a time axis and curves that stay apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from sequester.languages import said
from sequester.pages.axes import tick_label, ticks
from sequester.pages.svg import COLOURS, DASHES, GRID, LINE, SOFT, WIDE, drawing, short, text

POINTS = 40
"""More times than this are drawn at so many representative points, or lines would merge into a blot."""
PER_LINE, GAP, HIGH, LEFT, HEAD, FOOT = 2, 14.0, 120.0, 34.0, 20.0, 34.0

Numbers = Sequence[float | None]


def envelopes(panels: Sequence[Mapping[str, Any]], times: Sequence[str] = (), y_title: str = "") -> str:
    """Small pictures of value ranges: each panel has `title`, `low`, `high` and `curves` (lists, None is a gap)."""
    numbers = [v for p in panels for name in ("low", "high") for v in p[name] if v is not None and v == v]
    if not numbers:
        return ""
    bottom, top = min(numbers), max(numbers)
    if bottom == top:
        bottom, top = bottom - 0.5, top + 0.5
    marks = ticks(bottom, top, 4)
    wide = (WIDE - GAP * (PER_LINE - 1)) / PER_LINE
    row = HEAD + HIGH + FOOT
    above = HEAD if y_title else 0.0
    body = [text(LEFT, 13, short(y_title, 60), size=11, colour=SOFT)] if y_title else []
    for i, panel in enumerate(panels):
        x0, y0 = (i % PER_LINE) * (wide + GAP) + LEFT, (i // PER_LINE) * row + HEAD + above
        inner = wide - LEFT - 6
        for mark in marks:
            y = y0 + HIGH - HIGH * (mark - bottom) / (top - bottom)
            body.append(f'<line x1="{x0:.1f}" y1="{y:.1f}" x2="{x0 + inner:.1f}" y2="{y:.1f}" stroke="{GRID}"/>')
            body.append(text(x0 - 4, y + 4, tick_label(mark), anchor="end", size=11, colour=SOFT))
        body.append(text(x0, y0 - 7, short(said(panel["title"]), 38), size=12))
        body.append(f'<path d="M{x0:.1f},{y0:.1f}v{HIGH}h{inner:.1f}" fill="none" stroke="{LINE}"/>')
        body += _panel(panel, x0, y0, inner, bottom, top)
        body += _axis(times, len(panel["low"]), x0, y0 + HIGH, inner)
    return drawing(WIDE, above + ((len(panels) + PER_LINE - 1) // PER_LINE) * row, body)


def _panel(panel: Mapping[str, Any], x0: float, y0: float, wide: float, bottom: float, top: float) -> list[str]:
    low, high = _thinned(panel["low"], min), _thinned(panel["high"], max)
    n = len(low)

    def place(j: int, v: float) -> str:
        return f"{x0 + wide * (j / max(1, n - 1)):.1f},{y0 + HIGH - HIGH * (v - bottom) / (top - bottom):.1f}"

    body = []
    for run in _runs(low, high):
        edge = [place(j, b) for j in run if (b := high[j]) is not None]
        edge += [place(j, a) for j in reversed(run) if (a := low[j]) is not None]
        body.append(
            f'<polygon points="{" ".join(edge)}" fill="{COLOURS[0]}" fill-opacity="0.18" stroke="{COLOURS[0]}" '
            'stroke-opacity="0.6"/>'
        )
    for c, curve in enumerate(panel["curves"]):
        thin = _thinned(curve, _mean)
        points = " ".join(place(j, v) for j, v in enumerate(thin) if v is not None)
        at = c % (len(COLOURS) - 1) + 1
        body.append(
            f'<polyline points="{points}" fill="none" stroke="{COLOURS[at]}" stroke-width="1.5" '
            f'stroke-dasharray="{DASHES[c % len(DASHES)]}"/>'
        )
    return body


def _axis(times: Sequence[str], n: int, x0: float, y: float, wide: float) -> list[str]:
    """The first, the middle and the last time, without the words that all of them begin with."""
    if not n:
        return []
    names = list(times) if len(times) == n else [str(j + 1) for j in range(n)]
    least, most = min(names), max(names)
    apart = next((i for i, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), 0)
    shared = len(least[:apart].rpartition(" ")[0])
    places = [(0, "start"), (n - 1, "end")] if n < 5 else [(0, "start"), (n // 2, "middle"), (n - 1, "end")]
    body = []
    for j, anchor in places[: max(1, n)]:
        x = x0 + wide * (j / max(1, n - 1))
        body.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{y + 4:.1f}" stroke="{SOFT}"/>')
        body.append(text(x, y + 17, short(names[j][shared:], 12), anchor=anchor, size=11, colour=SOFT))
    return body


def _thinned(values: Numbers, how: Any) -> list[float | None]:
    """At most `POINTS` values, each standing for a stretch of its neighbours."""
    clean = [None if v is None or v != v else float(v) for v in values]
    if len(clean) <= POINTS:
        return clean
    edges = [round(i * len(clean) / POINTS) for i in range(POINTS + 1)]
    out: list[float | None] = []
    for a, b in pairwise(edges):
        here = [v for v in clean[a:b] if v is not None]
        out.append(how(here) if here else None)
    return out


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _runs(low: Numbers, high: Numbers) -> list[list[int]]:
    """Stretches without a gap."""
    runs: list[list[int]] = []
    for j, (a, b) in enumerate(zip(low, high, strict=True)):
        if a is None or b is None:
            continue
        if runs and runs[-1][-1] == j - 1:
            runs[-1].append(j)
        else:
            runs.append([j])
    return runs

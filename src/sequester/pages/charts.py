"""Charts with axes as cleaned SVG: curves, bars and clouds of points. Nothing from the data can become markup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from sequester.languages import said
from sequester.pages.axes import Axis, along, frame, tick_label
from sequester.pages.svg import COLOURS, DASHES, GRID, INK, LINE, SIZE, SOFT, WIDE, broken, drawing, short, text

__all__ = ["COLOURS", "INK", "LINE", "SOFT", "bars", "cloud", "columns", "lines", "short"]

LEFT, TOP = 56.0, 28.0
HEIGHT = 210.0
DOTS = 12
"""Points marked on a curve: more would merge into one thick line."""
FOOT = 46.0
"""Below the plot: numbers and the title of the axis."""

Rows = Iterable[Mapping[str, Any]]


def lines(
    rows: Rows,
    x: str,
    y: str,
    *,
    x_title: str,
    y_title: str,
    series: str | None = None,
    low: str | None = None,
    high: str | None = None,
    log_x: bool = False,
    log_y: bool = False,
    percent: bool = False,
    rules: Sequence[tuple[float, str]] = (),
) -> str:
    """Curves, one per value of `series`, with a band from `low` to `high` where rows have them."""
    values = _numbers(rows, x=x, y=y, s=series, low=low, high=high, needed="xy")
    if not values:
        return ""
    banded = all("low" in v and "high" in v for v in values)
    heights = [v["y"] for v in values] + ([v["high"] for v in values] if banded else [])
    if percent and max(heights) > 0.5:
        heights.append(1.0)
    across = along([v["x"] for v in values] + [at for at, _ in rules], LEFT, WIDE - 20, about=7, log=log_x)
    up = along(heights, TOP + HEIGHT, TOP, about=6, zero=True, log=log_y, percent=percent)
    body = frame(across, up, x_title=x_title, y_title=y_title)
    names = _names(values)
    for i, name in enumerate(names):
        mine = sorted((v for v in values if v["s"] == name), key=lambda v: v["x"])
        colour, dash = COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)]
        if banded:
            edge = [_at(across, up, v["x"], v["high"]) for v in mine]
            edge += [_at(across, up, v["x"], v["low"]) for v in reversed(mine)]
            body.append(f'<polygon points="{" ".join(edge)}" fill="{colour}" fill-opacity="0.18"/>')
        points = [_at(across, up, v["x"], v["y"]) for v in mine]
        body.append(
            f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dash}"/>'
        )
        every = -(-len(points) // DOTS)
        body += [_dot(point, 2.8, colour) for point in points[::every]]
    for at, label in rules:
        body += _rule(across.at(at), up, SOFT)
        body.append(text(across.at(at) + 4, TOP + 12, said(label), colour=SOFT))
    legend, more = _legend(names, TOP + HEIGHT + FOOT, dashed=True)
    return drawing(WIDE, TOP + HEIGHT + FOOT + more, body + legend)


def bars(
    rows: Rows, label: str, value: str, *, value_title: str, series: str | None = None, percent: bool = False
) -> str:
    """Horizontal bars in the order of the rows; with `series`, side by side."""
    values = _numbers(rows, y=value, s=series, label=label, needed="y")
    if not values:
        return ""
    order = list(dict.fromkeys(v.get("label", "") for v in values))
    names = _names(values)
    labels = {name: broken(name, 28) for name in order}
    step = max(20.0 if len(names) == 1 else 12.0 * len(names) + 8, 15.0 * max(map(len, labels.values())) + 5)
    thick = (step - 4) / len(names)
    left = min(210.0, 16 + 7.2 * max(len(line) for lines in labels.values() for line in lines))
    bottom = 4 + step * len(order)
    across = along([v["y"] for v in values], left, WIDE - 24, about=6, zero=True, percent=percent)
    body = []
    for mark in across.marks:
        at = across.at(mark)
        body.append(f'<line x1="{at:.1f}" y1="4" x2="{at:.1f}" y2="{bottom:.1f}" stroke="{GRID}"/>')
        body.append(text(at, bottom + 17, tick_label(mark, percent=percent), anchor="middle"))
    for i, name in enumerate(order):
        for j, line in enumerate(labels[name]):
            at = 8 + step * (i + 0.5) + 14 * (j - (len(labels[name]) - 1) / 2)
            body.append(text(left - 8, at, line, anchor="end", size=12))
    for v in values:
        i, s = order.index(v.get("label", "")), names.index(v["s"])
        ends = sorted((across.at(0.0), across.at(v["y"])))
        body.append(
            f'<rect x="{ends[0]:.1f}" y="{6 + step * i + thick * s:.1f}" width="{ends[1] - ends[0]:.1f}" '
            f'height="{thick:.1f}" fill="{COLOURS[s % len(COLOURS)]}"/>'
        )
    body.append(text((left + WIDE - 24) / 2, bottom + 36, said(value_title), anchor="middle"))
    legend, more = _legend(names, bottom + FOOT)
    return drawing(WIDE, bottom + FOOT + more, body + legend)


def columns(rows: Rows, x: str, y: str, *, x_title: str, y_title: str, promised: int | None = None) -> str:
    """Upright bars over a number, with a dashed line at what was promised."""
    values = _numbers(rows, x=x, y=y, needed="xy")
    if not values:
        return ""
    places = [v["x"] for v in values]
    title = x_title if promised is None else f"{x_title} (dashed line: the promised {promised})"
    high = TOP + HEIGHT - 40
    ends = [0.0, *places] + ([] if promised is None else [float(promised)])
    gaps = [b - a for a, b in pairwise(sorted(set(places))) if b > a]
    across = along(ends, LEFT, WIDE - 20, about=8, padding=14)
    thick = max(1.0, min(26.0, 0.85 * (across.at(min(gaps)) - across.at(0.0)) if gaps else 26.0))
    up = along([v["y"] for v in values], high, TOP, about=5, zero=True)
    body = frame(across, up, x_title=title, y_title=y_title)
    for v in values:
        ends = sorted((up.at(0.0), up.at(v["y"])))
        body.append(
            f'<rect x="{across.at(v["x"]) - thick / 2:.1f}" y="{ends[0]:.1f}" width="{thick:.1f}" '
            f'height="{ends[1] - ends[0]:.1f}" fill="{COLOURS[0]}"/>'
        )
    if promised is not None:
        body += _rule(across.at(promised), up, COLOURS[1], width=2)
    return drawing(WIDE, high + FOOT, body)


def cloud(rows: Rows, x: str, y: str, *, x_title: str, y_title: str) -> str:
    """Points."""
    values = _numbers(rows, x=x, y=y, needed="xy")
    if not values:
        return ""
    high = TOP + HEIGHT + 20
    across = along([v["x"] for v in values], LEFT, WIDE - 20, about=6, zero=True)
    up = along([v["y"] for v in values], high, TOP, about=6, zero=True)
    body = frame(across, up, x_title=x_title, y_title=y_title)
    body += [_dot(_at(across, up, v["x"], v["y"]), 3.5, COLOURS[0], "0.6") for v in values]
    return drawing(WIDE, high + FOOT, body)


def _numbers(rows: Rows, *, needed: str, **fields: str | None) -> list[dict[str, Any]]:
    """Rows under the fixed names a chart uses; those without a number that is needed are left out."""
    out = []
    for row in rows:
        here: dict[str, Any] = {"s": ""}
        for name, key in fields.items():
            value = row.get(key) if key else None
            if value is None or value != value or value in (float("inf"), float("-inf")):
                continue
            here[name] = short(value, 48) if name in ("s", "label") else float(value)
        if all(name in here for name in needed):
            out.append(here)
    return out


def _names(values: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(v["s"] for v in values))


def _at(across: Axis, up: Axis, x: float, y: float) -> str:
    return f"{across.at(x):.1f},{up.at(y):.1f}"


def _dot(place: str, radius: float, colour: str, opacity: str = "1") -> str:
    x, y = place.split(",")
    return f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}" fill-opacity="{opacity}"/>'


def _rule(x: float, up: Axis, colour: str, *, width: float = 1) -> list[str]:
    return [
        f'<line x1="{x:.1f}" y1="{up.end:.1f}" x2="{x:.1f}" y2="{up.start:.1f}" stroke="{colour}" '
        f'stroke-width="{width}" stroke-dasharray="4 3"/>'
    ]


def _legend(names: list[str], top: float, *, dashed: bool = False) -> tuple[list[str], float]:
    """Names of several series, and how much room they take; those of lines show their dashes."""
    if len(names) < 2:
        return [], 0.0
    per_line = max(1, min(4, int((WIDE - 20) // (40 + 0.56 * SIZE * max(map(len, names))))))
    body = []
    for i, name in enumerate(names):
        x, y = 10 + (i % per_line) * (WIDE - 20) / per_line, top + 14 + 20 * (i // per_line)
        colour = COLOURS[i % len(COLOURS)]
        if dashed:
            dash = DASHES[i % len(DASHES)]
            body.append(
                f'<line x1="{x:.1f}" y1="{y - 4:.1f}" x2="{x + 24:.1f}" y2="{y - 4:.1f}" stroke="{colour}" '
                f'stroke-width="2" stroke-dasharray="{dash}"/>'
            )
        else:
            body.append(f'<rect x="{x + 6:.1f}" y="{y - 10:.1f}" width="12" height="12" fill="{colour}"/>')
        body.append(text(x + 30, y, said(name)))
    return body, 24.0 + 20 * ((len(names) - 1) // per_line)

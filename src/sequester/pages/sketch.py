"""Pictures drawn by hand: a heat map, a bar cut in shares, envelopes, and a directly-follows graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sequester.pages.ink import COLOURS, INK, LINE, SOFT, short
from sequester.pages.ink import drawing as _svg
from sequester.pages.ink import text as _text

SHADES = ("#f3f6fa", "#cfe0f1", "#9cc3e6", "#5b9bd1", "#2570b5", "#0b4a8c", "#082c54")
"""Light to dark, seven steps that also print in grey."""
STEPS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
"""From which share on each shade is used: most states of a day are rare, and rare ones should be seen."""


def heat(
    cells: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str], *, every: int, unit: str
) -> str:
    """A heat map of shares in 0..1: one line per row label, a label below every `every`-th column."""
    n = max((len(line) for line in cells), default=0)
    if not n:
        return ""
    left, wide, high = 130, 560 / n, 26
    body = []
    for i, (name, line) in enumerate(zip(rows, cells, strict=True)):
        body.append(_text(left - 8, 17 + i * high, name, anchor="end"))
        start = 0
        for j in range(1, n + 1):  # neighbours of one shade are one rectangle
            if j == n or _shade(line[j]) != _shade(line[start]):
                body.append(
                    f'<rect x="{left + start * wide:.2f}" y="{2 + i * high}" width="{(j - start) * wide + 0.4:.2f}" '
                    f'height="{high - 3}" fill="{_shade(line[start])}"/>'
                )
                start = j
    foot = len(rows) * high + 4
    body += [_text(left + j * wide, foot + 14, columns[j], size=11) for j in range(0, n, every)]
    for i, shade in enumerate(SHADES):
        body.append(f'<rect x="{left + i * 44}" y="{foot + 26}" width="44" height="10" fill="{shade}"/>')
        body.append(_text(left + i * 44, foot + 50, f"{STEPS[i]:.0%}", size=11, colour=SOFT))
    body.append(_text(left + len(SHADES) * 44 + 10, foot + 36, f"and more {unit}", size=11, colour=SOFT))
    return _svg(700, foot + 58, body)


def shares(parts: Sequence[tuple[str, float]], total: float, unit: str) -> str:
    """One bar cut into shares of `total`, what is left included."""
    if total <= 0:
        return ""
    left, body, at = 4.0, [], 4.0
    wide = 692.0
    rest = max(0.0, total - sum(p for _, p in parts))
    shown = [*parts, ("not spent", rest)] if rest > 1e-6 * total else list(parts)
    for i, (name, part) in enumerate(shown):
        width = wide * part / total
        fill = "#ffffff" if name == "not spent" else COLOURS[i % len(COLOURS)]
        body.append(
            f'<rect x="{at:.2f}" y="6" width="{max(0.0, width):.2f}" height="38" fill="{fill}" stroke="{LINE}"/>'
        )
        if width > 46:
            ink = INK if fill == "#ffffff" else "#ffffff"
            body.append(_text(at + width / 2, 30, f"{part / total:.0%}", anchor="middle", colour=ink))
        line, column = 70 + 20 * (i // 2), left + (i % 2) * 350
        body.append(f'<rect x="{column}" y="{line - 10}" width="12" height="12" fill="{fill}" stroke="{SOFT}"/>')
        told = f"{short(name, 34)}: {part:.4g} {unit}"
        body.append(_text(column + 18, line, told))
        at += width
    return _svg(700, 64 + 20 * ((len(shown) + 1) // 2), body)


def envelopes(panels: Sequence[Mapping]) -> str:
    """Small pictures of value ranges: each panel has `title`, `low`, `high` and `curves` (lists, None is a gap)."""
    if not panels:
        return ""
    per_line, wide, high, gap = 2, 330, 150, 20
    numbers = [v for p in panels for name in ("low", "high") for v in p[name] if v is not None]
    if not numbers:
        return ""
    bottom, top = min(numbers), max(numbers)
    span = (top - bottom) or 1.0
    body = []
    for i, panel in enumerate(panels):
        x0, y0 = (i % per_line) * (wide + gap) + 40, (i // per_line) * (high + 46) + 22
        n = len(panel["low"])

        def place(j: int, v: float, x0: int = x0, y0: int = y0, n: int = n) -> str:
            across = (wide - 46) * (j / max(1, n - 1))
            return f"{x0 + across:.1f},{y0 + high - high * (v - bottom) / span:.1f}"

        body.append(_text(x0, y0 - 8, short(panel["title"], 44)))
        body.append(f'<rect x="{x0}" y="{y0}" width="{wide - 46}" height="{high}" fill="none" stroke="{LINE}"/>')
        body.append(_text(x0 - 5, y0 + 10, f"{top:.3g}", anchor="end", size=11, colour=SOFT))
        body.append(_text(x0 - 5, y0 + high, f"{bottom:.3g}", anchor="end", size=11, colour=SOFT))
        known = [j for j in range(n) if panel["low"][j] is not None and panel["high"][j] is not None]
        edge = [place(j, panel["high"][j]) for j in known] + [place(j, panel["low"][j]) for j in reversed(known)]
        body.append(
            f'<polygon points="{" ".join(edge)}" fill="{COLOURS[0]}" fill-opacity="0.2" stroke="{COLOURS[0]}"/>'
        )
        for c, curve in enumerate(panel["curves"]):
            points = " ".join(place(j, v) for j, v in enumerate(curve) if v is not None)
            plain = len(panel["curves"]) > 3  # many curves are a crowd, not a choice
            dash = "none" if plain else ("none", "6 3", "2 2")[c % 3]
            colour = SOFT if plain else COLOURS[1 + c % 5]
            body.append(
                f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{1 if plain else 1.8}" '
                f'stroke-dasharray="{dash}"/>'
            )
    lines = (len(panels) + per_line - 1) // per_line
    return _svg(per_line * (wide + gap), lines * (high + 46), body)


def follows(graphs: Sequence[tuple[str, Mapping[tuple[str, str], float]]], *, unit: str = "%") -> str:
    """Directly-follows graphs drawn one below the other on the same places.

    `graphs` are (heading, {(from, to): percent of all steps}). States keep their place in every graph, so that a
    step that appears or goes is seen at once.
    """
    weight: dict[str, float] = {}
    for _, edges in graphs:
        for (a, b), w in edges.items():
            weight[a] = weight.get(a, 0.0) + w
            weight[b] = weight.get(b, 0.0) + w
    names = sorted(weight, key=lambda s: (-weight[s], s))
    if not names:
        return ""
    where = _places(names, graphs)
    high = max(y for _, y in where.values()) + 40
    high = max(high, max(_lowest(where[a], where[b]) for _, edges in graphs for a, b in edges) + LABEL[1] + 4)
    body = [
        f'<defs><marker id="tip" viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="10" markerHeight="10" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0L8,4L0,8Z" fill="{INK}"/></marker></defs>'
    ]
    for g, (heading, edges) in enumerate(graphs):
        top = g * (high + 10) + 34
        body.append(_text(4, top - 18, heading, weight="bold"))
        largest = max(edges.values(), default=1.0) or 1.0
        at = {name: (x, y + top) for name, (x, y) in where.items()}
        labels: list[str] = []
        taken = [(x, y, *BOX) for x, y in at.values()]
        for (a, b), w in sorted(edges.items(), key=lambda e: -e[1]):
            arrow, spots = _arrow(at[a], at[b], w, largest)
            body.append(arrow)
            spot = next((s for s in spots if not any(_touch(s, t) for t in taken)), None)
            if spot is not None and w >= 0.5:
                taken.append((*spot, *LABEL))
                labels.append(_label(spot, f"{w:.0f}{unit}"))
        for name in names:
            x, y = at[name]
            body.append(
                f'<rect x="{x - BOX[0]:.1f}" y="{y - BOX[1]:.1f}" width="{2 * BOX[0]}" height="{2 * BOX[1]}" rx="6" '
                f'fill="#ffffff" stroke="{INK}"/>'
            )
            body.append(_text(x, y + 4, short(name, 18), anchor="middle"))
        body += labels
    return _svg(700, len(graphs) * (high + 10) + 34, body)


BOX = (62, 15)
"""Half width and half height of a state's box."""
LABEL = (13, 7)
"""Half width and half height of a number beside an arrow."""
ROW = 96


def _places(names: Sequence[str], graphs: Sequence[tuple[str, Mapping]]) -> dict[str, tuple[float, float]]:
    """Rows from early to late, and inside a row each state near those it exchanges steps with."""
    index = {name: i for i, name in enumerate(names)}
    weight = np.zeros((len(names), len(names)))
    for _, edges in graphs:
        for (a, b), w in edges.items():
            if a != b:
                weight[index[a], index[b]] += w
    # Early and late: the heights for which a step goes down by one, as nearly as all steps allow at once.
    both = weight + weight.T
    laplacian = np.diag(both.sum(axis=1)) - both
    heights = np.linalg.lstsq(laplacian, weight.sum(axis=0) - weight.sum(axis=1), rcond=None)[0]
    rows: list[list[int]] = []
    for i in np.argsort(heights, kind="stable"):
        near = rows and heights[i] - heights[rows[-1][0]] < 0.45
        if near and len(rows[-1]) < 3:
            rows[-1].append(int(i))
        else:
            rows.append([int(i)])
    x = np.full(len(names), 350.0)
    for row in rows:
        for at, i in enumerate(row):
            x[i] = 700 * (at + 0.5) / len(row)
    for _ in range(4):
        for y, row in enumerate(rows):
            pull = {i: _mean(x, both[i]) for i in row}
            for at, i in enumerate(sorted(row, key=lambda i: (pull[i], i))):
                shift = 45 * (-1) ** y if len(row) == 1 else 0  # a column of single boxes would hide its long arrows
                x[i] = 700 * (at + 0.5) / len(row) + shift
    return {names[i]: (float(x[i]), 20.0 + y * ROW) for y, row in enumerate(rows) for i in row}


def _mean(x: np.ndarray, weight: np.ndarray) -> float:
    return float(x @ weight / weight.sum()) if weight.sum() else 350.0


def _arrow(a: tuple[float, float], b: tuple[float, float], w: float, largest: float) -> tuple[str, list]:
    """An arrow that bends to its own right, so that there and back lie apart; and where its label may stand."""
    if a == b:
        x, y = a[0] + BOX[0], a[1]
        path = f"M{x:.1f},{y - 8:.1f}C{x + 44:.1f},{y - 24:.1f} {x + 44:.1f},{y + 24:.1f} {x + 3:.1f},{y + 8:.1f}"
        spots = [(x + 36, y), (x + 44, y)]
    else:
        control = _control(a, b)
        start, end = _edge(a, control), _edge(b, control)
        path = f"M{start[0]:.1f},{start[1]:.1f}Q{control[0]:.1f},{control[1]:.1f} {end[0]:.1f},{end[1]:.1f}"
        spots = [_along(start, control, end, t) for t in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)]
    thick, pale = 0.8 + 3 * (w / largest), 0.35 + 0.65 * (w / largest)
    return (
        f'<path d="{path}" fill="none" stroke="{INK}" stroke-opacity="{pale:.2f}" stroke-width="{thick:.1f}" '
        'marker-end="url(#tip)"/>',
        spots if w / largest >= 0.12 else [],
    )


def _control(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """The point an arrow is pulled towards."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy)
    bend = 14 + 0.1 * length + (30 if abs(dy) < 1 else 0)
    return (a[0] + b[0]) / 2 - dy / length * bend, (a[1] + b[1]) / 2 + dx / length * bend


def _lowest(a: tuple[float, float], b: tuple[float, float]) -> float:
    """How far down the middle of an arrow hangs."""
    return a[1] if a == b else (a[1] + b[1]) / 4 + _control(a, b)[1] / 2


def _along(
    start: tuple[float, float], control: tuple[float, float], end: tuple[float, float], t: float
) -> tuple[float, float]:
    x, y = ((1 - t) ** 2 * start[i] + 2 * t * (1 - t) * control[i] + t * t * end[i] for i in (0, 1))
    return x, y


def _touch(spot: tuple[float, float], other: tuple[float, float, float, float]) -> bool:
    """Whether a label at `spot` would cover something (centre, half width, half height)."""
    x, y, wide, high = other
    return abs(spot[0] - x) < wide + LABEL[0] and abs(spot[1] - y) < high + LABEL[1]


def _label(spot: tuple[float, float], words: str) -> str:
    x, y = spot[0] - LABEL[0], spot[1] - LABEL[1]
    ground = f'<rect x="{x:.1f}" y="{y:.1f}" width="{2 * LABEL[0]}" height="{2 * LABEL[1]}" rx="3" fill="#ffffff"/>'
    return ground + _text(spot[0], spot[1] + 4, words, anchor="middle", size=11, colour=COLOURS[0])


def _edge(centre: tuple[float, float], towards: tuple[float, float]) -> tuple[float, float]:
    """Where the line from the centre of a box leaves the box."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    reach = min(BOX[0] / abs(dx) if dx else math.inf, BOX[1] / abs(dy) if dy else math.inf)
    return centre[0] + dx * min(reach, 1.0), centre[1] + dy * min(reach, 1.0)


def _shade(value: float) -> str:
    if value != value:
        return "#ffffff"
    return SHADES[max(0, sum(value >= step for step in STEPS) - 1)]

"""Directly-follows graphs: which step follows which, on the same places before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sequester.languages import said
from sequester.pages.svg import COLOURS, GROUND, INK, WIDE, broken
from sequester.pages.svg import drawing as _svg
from sequester.pages.svg import text as _text


def follows(graphs: Sequence[tuple[str, Mapping[tuple[str, str], float]]]) -> str:
    """Directly-follows graphs drawn one below the other on the same places.

    `graphs` are (heading, {(from, to): percent of all steps}). States keep their place in every graph, so that a
    step that appears or goes is seen at once.
    """
    graphs = _joined(graphs)
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
        top = g * (high + HEAD + 10) + HEAD  # nothing of a graph reaches below `high`
        body.append(_text(4, top - 18, said(heading), weight="bold"))
        largest = max(edges.values(), default=1.0) or 1.0
        at = {name: (x, y + top) for name, (x, y) in where.items()}
        labels: list[str] = []
        taken = [(*at[name], *BOX) for name in names if any(name in edge for edge in edges)]
        for (a, b), w in sorted(edges.items(), key=lambda e: -e[1]):
            arrow, spots = _arrow(at[a], at[b], w, largest)
            body.append(arrow)
            spot = next((s for s in spots if not any(_touch(s, t) for t in taken)), None)
            if spot is not None and w >= 0.5:
                taken.append((*spot, *LABEL))
                labels.append(_label(spot, f"{w:.0f}%"))
        for name in names:
            if not any(name in edge for edge in edges):
                continue  # a state without a step here would be a box that nothing leads to
            x, y = at[name]
            body.append(
                f'<rect x="{x - BOX[0]:.1f}" y="{y - BOX[1]:.1f}" width="{2 * BOX[0]}" height="{2 * BOX[1]}" rx="6" '
                f'fill="{GROUND}" stroke="{INK}"/>'
            )
            lines = broken(name, 17)
            for i, line in enumerate(lines):
                size = 12 if len(lines) == 1 else 11
                body.append(_text(x, y + 4 + 12 * (i - (len(lines) - 1) / 2), line, anchor="middle", size=size))
        body += labels
    return _svg(WIDE, len(graphs) * (high + HEAD + 10), body)


BOX = (57, 16)
"""Half width and half height of a state's box."""
LABEL = (14, 8)
"""Half width and half height of a number beside an arrow."""
HEAD = 34
"""Room above a graph for its heading."""
ROW = 96
ROOM = WIDE - 46
"""Where boxes stand; the rest is for steps that lead back to their own state."""


def _joined(graphs: Sequence[tuple[str, Mapping[tuple[str, str], float]]]) -> list[tuple[str, dict]]:
    """The graphs without states that no step joins to another, unless there are only such."""
    linked = {s for _, edges in graphs for (a, b) in edges if a != b for s in (a, b)}
    if not linked:
        return [(heading, dict(edges)) for heading, edges in graphs]
    return [(heading, {e: w for e, w in edges.items() if e[0] in linked}) for heading, edges in graphs]


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
    x = np.full(len(names), ROOM / 2)
    for row in rows:
        for at, i in enumerate(row):
            x[i] = ROOM * (at + 0.5) / len(row)
    for _ in range(4):
        for y, row in enumerate(rows):
            pull = {i: _mean(x, both[i]) for i in row}
            for at, i in enumerate(sorted(row, key=lambda i: (pull[i], i))):
                shift = 34 * (-1) ** y if len(row) == 1 else 0  # a column of single boxes would hide its long arrows
                x[i] = ROOM * (at + 0.5) / len(row) + shift
    return {names[i]: (float(x[i]), 20.0 + y * ROW) for y, row in enumerate(rows) for i in row}


def _mean(x: np.ndarray, weight: np.ndarray) -> float:
    return float(x @ weight / weight.sum()) if weight.sum() else ROOM / 2


def _arrow(a: tuple[float, float], b: tuple[float, float], w: float, largest: float) -> tuple[str, list]:
    """An arrow that bends to its own right, so that there and back lie apart; and where its label may stand."""
    if a == b:
        x, y = a[0] + BOX[0], a[1]
        path = f"M{x:.1f},{y - 8:.1f}C{x + 44:.1f},{y - 24:.1f} {x + 44:.1f},{y + 24:.1f} {x + 3:.1f},{y + 8:.1f}"
        spots = [(x + 36, y), (x + 44, y), (x + 20, y), (x + 30, y - 24), (x + 30, y + 24)]
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
    ground = f'<rect x="{x:.1f}" y="{y:.1f}" width="{2 * LABEL[0]}" height="{2 * LABEL[1]}" rx="3" fill="{GROUND}"/>'
    return ground + _text(spot[0], spot[1] + 4, words, anchor="middle", size=11, colour=COLOURS[0])


def _edge(centre: tuple[float, float], towards: tuple[float, float]) -> tuple[float, float]:
    """Where the line from the centre of a box leaves the box."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    reach = min(BOX[0] / abs(dx) if dx else math.inf, BOX[1] / abs(dy) if dy else math.inf)
    return centre[0] + dx * min(reach, 1.0), centre[1] + dy * min(reach, 1.0)

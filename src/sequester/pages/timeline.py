"""Who was recorded when: a line per person from the first record to the last, so that staggered recordings are seen."""

from __future__ import annotations

import numpy as np

from sequester.pages.svg import COLOURS, GRID, WIDE, drawing, text

MOST_LINES = 120
"""Of more people every so-manyth is drawn, in the order in which they begin."""
HIGH, LEFT, TOP = 150.0, 8.0, 8.0


def timeline(first: np.ndarray, last: np.ndarray) -> str:
    """The picture of every person's first and last second as SVG; empty where there is nothing to see."""
    if len(first) < 2 or last.max() <= first.min():
        return ""
    order = np.lexsort((last, first))
    drawn = order[np.unique(np.linspace(0, len(order) - 1, min(MOST_LINES, len(order))).round().astype(int))]
    low, high = float(first.min()), float(last.max())
    wide, step = WIDE - 2 * LEFT, (HIGH - 4) / len(drawn)
    body = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = LEFT + share * wide
        body.append(f'<line x1="{x:.1f}" y1="{TOP:.1f}" x2="{x:.1f}" y2="{TOP + HIGH:.1f}" stroke="{GRID}"/>')
    for i, person in enumerate(drawn):
        a, b = (LEFT + (float(t) - low) / (high - low) * wide for t in (first[person], last[person]))
        y = TOP + 2 + (i + 0.5) * step
        path, thick = f"M{a:.1f},{y:.1f}H{max(b, a + 2):.1f}", min(4.0, max(1.0, 0.7 * step))
        body.append(f'<path d="{path}" stroke="{COLOURS[0]}" stroke-width="{thick:.1f}"/>')
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        seconds = int(low + share * (high - low))
        words = str(np.datetime64(seconds, "s").astype("datetime64[D]"))
        body.append(text(LEFT + share * wide, TOP + HIGH + 18, words, anchor=anchor, size=12))
    return drawing(WIDE, TOP + HIGH + 26, body)

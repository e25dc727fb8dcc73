"""The privacy budget as one bar, its parts in words, small parts together."""

from __future__ import annotations

from collections.abc import Sequence

from sequester.pages.ink import COLOURS, GROUND, INK, LINE, SOFT, WIDE, broken, drawing, rect, text

SMALL = 0.04
"""Parts below this share of the budget are drawn as one."""
MOST = 5
"""More parts than colours could not be told apart."""
UNSPENT = "not spent"
OTHERS = COLOURS[5]


def shares(parts: Sequence[tuple[str, float]], total: float) -> str:
    """One bar cut into shares of `total`, what is left included; small parts are folded into one."""
    if total <= 0:
        return ""
    order = sorted(parts, key=lambda p: -p[1])
    large = [p for p in order[:MOST] if p[1] >= SMALL * total]
    small = order[len(large) :]
    if len(small) == 1 and len(large) < MOST:
        large, small = order, []
    rest = max(0.0, total - sum(part for _, part in parts))
    shown = [(name, part, COLOURS[i % 5]) for i, (name, part) in enumerate(large)]
    if small:
        shown.append((f"{len(small)} smaller parts, listed in the table", sum(part for _, part in small), OTHERS))
    if rest > 1e-6 * total:
        shown.append((UNSPENT, rest, GROUND))
    body, at, y = [], 4.0, 66.0
    for name, part, fill in shown:
        width = (WIDE - 8) * part / total
        body.append(rect(at, 6, width, 38, fill, f' stroke="{LINE}"'))
        if width > 36:
            ink = INK if fill == GROUND else GROUND
            body.append(text(at + width / 2, 30, f"{part / total:.0%}", anchor="middle", colour=ink))
        at += width
        body.append(rect(6, y - 11, 12, 12, fill, f' stroke="{SOFT}"'))
        for line in broken(f"{part / total:.0%} {name}", 66):
            body.append(text(26, y, line))
            y += 19
    return drawing(WIDE, y - 8, body)

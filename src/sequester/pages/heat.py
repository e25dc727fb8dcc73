"""Heat maps: shares by time of day, each block on its own even scale, with the difference below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sequester.languages import said
from sequester.pages.svg import INK, LESS, MORE, SAME, SHADES, SOFT, STEPS, WIDE, drawing, rect, short, text

LEFT, RIGHT, LINE_HIGH = 104.0, 8.0, 17.0
EMPTY = "none"
BOLD, SMALL = 9.0, 6.5
"""How wide a letter is at most on average, of a name and of the words beside it."""


@dataclass(frozen=True)
class Line:
    """One line of a block: a name and a share per column; with `difference` the shares may be negative."""

    name: str
    cells: Sequence[float]
    difference: bool = False


@dataclass(frozen=True)
class Block:
    """What belongs together on one scale, such as one state before and after."""

    name: str
    lines: Sequence[Line]


def heat(blocks: Sequence[Block], columns: Sequence[str], *, every: int) -> str:
    """Blocks of lines over the same columns; a label below every `every`-th column."""
    n = max((len(line.cells) for block in blocks for line in block.lines), default=0)
    if not n:
        return ""
    wide = (WIDE - LEFT - RIGHT) / n
    body: list[str] = []
    y = 14.0
    differs = False
    for block in blocks:
        top = largest([c for line in block.lines if not line.difference for c in line.cells])
        most = largest([abs(c) for line in block.lines if line.difference for c in line.cells])
        sentence = f"largest share: {percent(top)}"
        if any(line.difference for line in block.lines):
            sentence += f"; largest difference: {points(most)}"
            differs = True
        body.append(text(4, y, short(block.name, 38), weight="bold"))
        if BOLD * min(len(block.name), 38) + SMALL * len(said(sentence)) > WIDE - RIGHT - 4:
            y += LINE_HIGH  # they would run into each other
        body.append(text(WIDE - RIGHT, y, said(sentence), anchor="end", size=12, colour=SOFT))
        y += 6
        for line in block.lines:
            body.append(
                text(LEFT - 6, y + LINE_HIGH - 5, short(said(line.name), 16), anchor="end", size=12, colour=SOFT)
            )
            body += _cells(line, y, wide, top, max(most, top / 4))
            y += LINE_HIGH
        y += 20
    y -= 16
    body += [
        text(LEFT + j * wide, y + 10, columns[j], size=11, anchor="start" if j == 0 else "middle")
        for j in range(0, n, every)
    ]
    body.append(text(4, y + 10, said("time of day"), size=11, colour=SOFT))
    body += _legend(y + 22, differs)
    return drawing(WIDE, y + (66 if differs else 44), body)


def largest(values: Sequence[float]) -> float:
    """The largest number, 0 if there is none."""
    return max((v for v in values if v == v), default=0.0)


def percent(share: float) -> str:
    """A share in words short enough for a legend."""
    return f"{100 * share:.0f} %" if share >= 0.095 or not share else f"{100 * share:.1f} %"


def points(share: float) -> str:
    """A difference of shares in percentage points."""
    return f"{100 * share:.1f} points" if share < 0.095 else f"{100 * share:.0f} points"


def _cells(line: Line, y: float, wide: float, top: float, most: float) -> list[str]:
    shades = [_difference(c, most) if line.difference else _shade(c, top) for c in line.cells]
    body, start = [], 0
    for j in range(1, len(shades) + 1):  # neighbours of one shade are one rectangle
        if j == len(shades) or shades[j] != shades[start]:
            if shades[start] != EMPTY:
                body.append(rect(LEFT + start * wide, y, (j - start) * wide + 0.4, LINE_HIGH - 2, shades[start]))
            start = j
    return body


def _shade(share: float, top: float) -> str:
    if share != share:
        return EMPTY
    return SHADES[min(STEPS, round(STEPS * share / top))] if top > 0 else SHADES[0]


def _difference(share: float, most: float) -> str:
    if share != share:
        return EMPTY
    step = min(STEPS, round(STEPS * abs(share) / most)) if most > 0 else 0
    return SAME if step == 0 else (MORE if share > 0 else LESS)[step - 1]


def _legend(y: float, differs: bool) -> list[str]:
    wide = 150 / (STEPS + 1)
    body = [rect(LEFT + i * wide, y, wide + 0.4, 10, shade) for i, shade in enumerate(SHADES)]
    body.append(text(LEFT - 6, y + 9, "0 %", anchor="end", size=11, colour=SOFT))
    body.append(
        text(LEFT + 156, y + 9, said(f"the state's largest share, in {STEPS} even steps"), size=11, colour=SOFT)
    )
    if differs:
        both = (*reversed(LESS), SAME, *MORE)
        step = 150 / len(both)
        body += [rect(LEFT + i * step, y + 20, step + 0.4, 10, shade) for i, shade in enumerate(both)]
        body.append(text(LEFT - 6, y + 29, said("release: less"), anchor="end", size=11, colour=INK))
        body.append(text(LEFT + 156, y + 29, said("more than the original"), size=11, colour=INK))
    return body

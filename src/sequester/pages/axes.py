"""Axes of a chart: round numbers along an edge, a place for every value, and a frame with grid lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sequester.languages import said
from sequester.pages.svg import GRID, SOFT, text


def ticks(low: float, high: float, about: int, *, whole: bool = False) -> list[float]:
    """Round numbers (1, 2 or 5 times a power of ten apart) inside `low..high`, some `about` of them."""
    span = high - low
    if not span > 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(span / about))
    step = next(m * power for m in (1, 2, 5, 10) if span / (m * power) <= about)
    step = max(step, 1.0) if whole else step
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def decades(low: float, high: float) -> list[float]:
    """Powers of ten inside `low..high`; with few of them, their doubles and fivefolds too."""
    span = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [10.0**p for p in span if low <= 10.0**p <= high]
    more = [m * 10.0**p for p in span for m in (1, 2, 5) if low <= m * 10.0**p <= high]
    return found if len(found) > 3 else more


def tick_label(value: float, *, percent: bool = False) -> str:
    """A number on an axis."""
    if percent:
        return f"{100 * value:.3g} %"
    if abs(value) >= 1e6 or (value and abs(value) < 1e-3):
        return f"{value:.3g}".replace("e+0", "e").replace("e+", "e")
    return f"{value:,.0f}" if value == round(value) else f"{value:.4g}"


@dataclass(frozen=True)
class Axis:
    """Numbers `low..high` laid out from `start` to `end`; a vertical one runs upwards."""

    low: float
    high: float
    start: float
    end: float
    marks: Sequence[float]
    log: bool = False
    percent: bool = False

    def at(self, value: float) -> float:
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        here = math.log(value) if self.log else value
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)


def along(
    values: Sequence[float],
    start: float,
    end: float,
    *,
    about: int,
    zero: bool = False,
    log: bool = False,
    percent: bool = False,
    padding: float = 0.0,
) -> Axis:
    """An axis that holds all `values`; with `zero` it begins there, with `padding` its ends stay that far free."""
    low, high = min(values), max(values)
    if log and low > 0 and high > low:
        return Axis(low, high, start, end, decades(low, high), log=True, percent=percent)
    if zero:
        low, high = min(0.0, low), max(0.0, high)
    if low == high:
        low, high = (low - abs(low) / 2, high + abs(high) / 2) if low else (0.0, 1.0)
    whole = not percent and all(v == round(v) for v in values)
    margin = padding / max(1.0, abs(end - start) - 2 * padding) * (high - low)
    low, high = low - margin, high + margin
    marks = ticks(low, high, about, whole=whole)
    if zero and marks and marks[-1] < high and len(marks) > 1:  # end on a round number
        high = marks[-1] + (marks[1] - marks[0])
        marks = [*marks, high]
    return Axis(low, high, start, end, marks, percent=percent)


def frame(
    across: Axis,
    up: Axis,
    *,
    x_title: str,
    y_title: str,
    label: Callable[[float], str] | None = None,
    above: float = 10.0,
    number: Callable[[float], str] | None = None,
) -> list[str]:
    """Grid lines, numbers and titles of both axes; `label` words the numbers of the upright one, `number` the others.

    Its title stands `above` the frame, so far that marks at its upper end leave it free.
    """
    body = []
    for mark in across.marks:
        x = across.at(mark)
        body.append(f'<line x1="{x:.1f}" y1="{up.end:.1f}" x2="{x:.1f}" y2="{up.start:.1f}" stroke="{GRID}"/>')
        words = number(mark) if number else tick_label(mark, percent=across.percent)
        body.append(text(x, up.start + 17, words, anchor="middle", size=12))
    for mark in up.marks:
        y = up.at(mark)
        body.append(f'<line x1="{across.start:.1f}" y1="{y:.1f}" x2="{across.end:.1f}" y2="{y:.1f}" stroke="{GRID}"/>')
        words = label(mark) if label else tick_label(mark, percent=up.percent)
        body.append(text(across.start - 6, y + 4, words, anchor="end", size=12))
    body.append(
        f'<path d="M{across.start:.1f},{up.end:.1f}V{up.start:.1f}H{across.end:.1f}" fill="none" stroke="{SOFT}"/>'
    )
    body.append(text((across.start + across.end) / 2, up.start + 36, said(x_title), anchor="middle"))
    body.append(text(4, up.end - above, said(y_title)))
    return body

"""Lengths and spans as the judge of the ratio test counts them: bins, and groups of bins that enough sections tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

LONGEST = 5000
WIDEST = 3
"""How many times its beginning a group of several bins may reach."""


def bin_of(events: int) -> int:
    """Bins of one length up to eight, then each a fifth wider than the one before."""
    edge, bin_ = 1, 0
    while True:
        after = _after(edge)
        if after > min(events, LONGEST):
            return bin_
        edge, bin_ = after, bin_ + 1


def _after(edge: int) -> int:
    return edge + 1 if edge < 8 else max(edge + 1, round(edge * 1.21))


def _edge(bin_: int) -> int:
    edge = 1
    for _ in range(bin_):
        edge = _after(edge)
    return min(edge, LONGEST + 1)


def groups(sizes: list[int], holds: Callable[[int], bool]) -> list[str]:
    """Name of every section's group: bins are put together from the longest on until their count holds."""
    counts = Counter(bin_of(s) for s in sizes)
    made: list[list[int]] = []
    open_: list[int] = []
    for b in sorted(counts, reverse=True):
        open_.append(b)
        if holds(sum(counts[x] for x in open_)):
            made.append(open_)
            open_ = []
    if open_:
        made = [*made[:-1], [*(made[-1] if made else []), *open_]]
    above = LONGEST + 1
    names: dict[int, str] = {}
    for group in made:
        low = _edge(group[-1])
        high = _edge(group[0] + 1) if len(group) == 1 else max(min(above, WIDEST * low), low + 1)
        names |= dict.fromkeys(group, f"{low}..{high - 1}")
        above = low
    return [names[bin_of(s)] for s in sizes]


SPAN_ENDS = (1, 2, 3, 5, 8, 14, 22, 35, 60, 90, 140, 210, 300, 400, 550, 730, 950, 1200, 1600, 2200)
"""Days at which bins of spans end; the last one is open."""


CLOCK_ENDS = tuple(round(60 * 1.8**i) for i in range(27))
"""Seconds, the same in logs with a clock: a minute, then each 1.8 times as wide as the one before."""


def span_bin(seconds: int, unit: str) -> str:
    """Bin of the time from the first to the last event of an object."""
    return str(sum(seconds >= end for end in (CLOCK_ENDS if unit == "second" else [86400 * x for x in SPAN_ENDS])))


def length_class(events: int) -> str:
    """Class of a number of events, each twice as wide as the one before: 1, 2..2, 3..4, 5..8 and so on."""
    high = 1
    while high < events:
        high *= 2
    return f"{high // 2 + 1}..{high}" if high > 1 else "1"

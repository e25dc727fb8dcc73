"""A table of grams as a source: strings with exactly these counts, by walking every occurrence once.

An order-n table of series is a flow on the graph of (n-1)-grams: a gram leads from its first n-1 symbols to its last.
Strings that use every gram as often as it counts always exist: they begin where more leads out than in, end where more
leads in than out, and pass all closed walks in their reach, so that as few strings as possible come out.
Where series began and ended is not known, nor whose they were: only occurrences can be counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sequester.errors import InputError

Gram = tuple[str, ...]
COLUMNS = ("gram", "count")
OUTSIDE: Gram = ()
MOST = 5_000_000
"""Occurrences of a table that are still written out as strings."""


def is_gram_table(columns: list[str]) -> bool:
    """Whether a table has the two columns of a table of grams, and nothing else but their order."""
    return set(COLUMNS) <= set(columns) <= {*COLUMNS, "order"}


def strings_of_table(table: Any, who: str) -> tuple[list[list[str]], int]:
    """Strings whose grams of the longest order count as the table says, and that order."""
    grams: dict[Gram, int] = {}
    for i, (word, count) in enumerate(zip(table["gram"].to_pylist(), table["count"].to_pylist(), strict=True), start=1):
        gram, times = tuple(str(word or "").split()), _whole(count)
        if not gram or times is None:
            raise InputError(
                f"{who}: row {i} of the table of grams lacks a gram or a whole count of at least 1. Mend that row."
            )
        if gram in grams:
            raise InputError(f"{who}: the gram of row {i} stands in the table twice. Leave one of them out.")
        grams[gram] = times
    order = max(map(len, grams), default=0)
    top = {g: c for g, c in grams.items() if len(g) == order}
    if not top:
        raise InputError(f"{who}: the table of grams is empty.")
    if sum(top.values()) > MOST:
        raise InputError(
            f"{who}: the table counts {sum(top.values())} occurrences; at most {MOST} can be read. Pass the series."
        )
    return strings_of(top), order


def _whole(count: Any) -> int | None:
    try:
        value = float(count)
    except (TypeError, ValueError):
        return None
    return int(value) if value == value and value >= 1 and value == int(value) else None


def strings_of(grams: Mapping[Gram, int]) -> list[list[str]]:
    """Strings in which every gram, all of one length, occurs exactly as often as it counts."""
    if all(len(g) == 1 for g in grams):  # without a context nothing joins them
        return [[g[0]] for g, c in grams.items() for _ in range(c)]
    left: dict[Gram, list[list[Any]]] = {}  # context → the contexts its grams lead to, each with what is left of it
    surplus: dict[Gram, int] = {}
    for gram, count in sorted(grams.items()):
        left.setdefault(gram[:-1], []).append([gram[1:], count])
        surplus[gram[:-1]] = surplus.get(gram[:-1], 0) + count
        surplus[gram[1:]] = surplus.get(gram[1:], 0) - count
    for context, more in sorted(surplus.items()):  # strings come from outside and go there, so that all is one flow
        if more > 0:
            left.setdefault(OUTSIDE, []).append([context, more])
        elif more < 0:
            left.setdefault(context, []).append([OUTSIDE, -more])
    walks = [_walk(OUTSIDE, left)]
    walks += [_walk(context, left) for context in sorted(left) if left[context]]  # closed walks that no string passes
    strings: list[list[str]] = []
    for walk in walks:
        inside = False
        for context in walk:
            if context == OUTSIDE:
                inside = False
            elif inside:
                strings[-1].append(context[-1])
            else:
                strings.append(list(context))
                inside = True
    return strings


def _walk(start: Gram, left: dict[Gram, list[list[Any]]]) -> list[Gram]:
    """The closed walk from `start` over all that is left in its reach (Hierholzer)."""
    stack, walk = [start], []
    while stack:
        here = left.get(stack[-1])
        if not here:
            walk.append(stack.pop())
            continue
        onward = here[-1]
        onward[1] -= 1
        if not onward[1]:
            here.pop()
        stack.append(onward[0])
    return walk[::-1]

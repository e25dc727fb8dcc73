"""Counting: groups of equal answers, and the test of what was counted.

A group is one (cluster, value, row, item) of one family. Groups of several parts of a log add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sequester.methods.events.markov_ratio.sections import retained

MOST_PAIRS = 1 << 24
"""Codes of pairs up to which they are counted as they are; beyond it, only those that occur get one."""
BLOCK = 1 << 17
"""Groups that are tested at a time: whole models, so that a large log does not need room for all of them at once."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """The models of one support level and factor."""

    level: str
    factor: str | None

    @property
    def by_cluster(self) -> bool:
        """Whether it has a model per cluster."""
        return "cluster" in self.level


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """Kept entries of one statistic over all families, grouped by row; all arrays have one value per entry."""

    name: str
    family: np.ndarray
    cluster: np.ndarray
    """-1 where the family has none; so for `value`."""
    value: np.ndarray
    row: np.ndarray
    item: np.ndarray
    count: np.ndarray
    out_of: np.ndarray
    """Sum of the row before suppression."""
    support: np.ndarray
    """What is left of the whole model after suppression."""
    suppressed: tuple[int, int]
    """Entries that were dropped, and the records behind them."""


class Ask(NamedTuple):
    """What is counted: a (row, item) per record, in every model of every family."""

    chain: str
    """`states` inside sections, or `sections` inside objects."""
    name: str
    kinds: list[Family]
    row: np.ndarray
    item: np.ndarray
    shape: tuple[int, int]
    """How many rows and items there may be."""
    cluster: np.ndarray | None = None
    values: Mapping[str, np.ndarray] = {}
    """By factor, a value per record."""
    weight: np.ndarray | None = None
    """How many records a row stands for, where they were counted on the way; one each without it."""

    @property
    def key(self) -> str:
        """Chain and statistic."""
        return f"{self.chain} {self.name}"


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Groups of equal (cluster, value, pair) in rising order."""

    code: np.ndarray
    value_from: int
    """Lowest bit of the value in a code; the pair stands below it."""
    cluster_from: int
    size: np.ndarray


class Pairs:
    """(row, item) as one small code in lexicographic order."""

    def __init__(self, row: np.ndarray, item: np.ndarray) -> None:
        self.width = int(item.max(initial=0)) + 1
        largest = (int(row.max(initial=0)) + 1) * self.width
        code: Any = row.astype(np.int64 if largest >= 1 << 31 else np.int32)
        code *= code.dtype.type(self.width)
        code += item.astype(code.dtype)
        self.known: np.ndarray | None = None
        if largest > MOST_PAIRS:
            self.known, code = np.unique(code, return_inverse=True)
        self.code = code

    def parts(self, code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Row and item of codes."""
        whole = code if self.known is None else self.known[code].astype(np.int64)
        return whole // self.width, whole % self.width


def tally(ask: Ask, family: Family, pairs: Pairs) -> Tally:
    """Group equal (cluster, value, pair): the code of each group and its size."""
    pair = pairs.code
    cluster = ask.cluster if family.by_cluster else None
    value = ask.values[family.factor] if family.factor else None
    value_from = int(pair.max(initial=0)).bit_length()
    cluster_from = value_from + (int(value.max(initial=0)).bit_length() if value is not None else 0)
    bits = cluster_from + (int(cluster.max(initial=0) + 1).bit_length() if cluster is not None else 0)
    code: Any = pair.astype(np.uint32 if bits <= 32 else np.int64)
    for part, shift in ((value, value_from), (cluster, cluster_from)):
        if part is not None:
            own = part.astype(code.dtype)
            if part is cluster:
                own += code.dtype.type(1)
            own <<= code.dtype.type(shift)
            code |= own
            del own
    counts = ask.weight
    if counts is None:
        code.sort()
    else:
        order = np.argsort(code)  # equal codes may come in any order: whole numbers are added
        counts, code = counts[order], code[order]
        del order
    bounds = runs(code)
    first = bounds[:-1]
    size = np.diff(bounds) if counts is None or not len(code) else np.add.reduceat(counts, first)
    return Tally(code=code[first], value_from=value_from, cluster_from=cluster_from, size=size)


class Threshold(NamedTuple):
    """How strictly it is tested, and on how many threads."""

    epsilon: float
    mode: str
    threads: int = 1


Found = Callable[[int, Family], tuple[Iterable[Tally], Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]]]
"""The tallies of a family, one after the other, no model in two of them; and what takes row and item out of a code."""


def statistics(ask: Ask, test: Threshold) -> Statistics:
    """Count every (row, item) in every model of every family, and test what was counted."""
    pairs = Pairs(ask.row, ask.item)
    return tested(ask.name, ask.kinds, lambda _, family: ((tally(ask, family, pairs),), pairs.parts), test)


def tested(name: str, kinds: list[Family], found: Found, test: Threshold) -> Statistics:
    """What passes, family by family."""

    def one(number: int) -> tuple[list[np.ndarray], tuple[int, int]]:
        family, dropped = kinds[number], np.zeros(2, np.int64)
        tallies, parts = found(number, family)
        blocks = []
        for t in tallies:
            for at in _blocks(t.code, t.value_from):
                code, size = t.code[at].astype(np.int64), t.size[at]
                model = code >> t.value_from
                row, item = parts(code & ((1 << t.value_from) - 1))
                bounds = runs(model, row)
                keep = retained(size, bounds, test.epsilon, test.mode)
                support = _spread_sum(np.where(keep, size, 0), runs(model))[keep]
                dropped += (~keep).sum(), size[~keep].sum()
                value = model[keep] & ((1 << (t.cluster_from - t.value_from)) - 1)
                blocks.append(
                    [
                        np.full(len(value), number, np.int8),
                        ((code[keep] >> t.cluster_from) - 1).astype(np.int32),
                        value.astype(np.int16) if family.factor else np.full(len(value), -1, np.int16),
                        row[keep].astype(np.int32),
                        item[keep].astype(np.int32),
                        size[keep],
                        _spread_sum(size, bounds)[keep],
                        support,
                    ]
                )
        return _columns(blocks), (int(dropped[0]), int(dropped[1]))

    with ThreadPoolExecutor(test.threads) as pool:  # sorting releases the interpreter
        done = list(pool.map(one, range(len(kinds))))
    names = ("family", "cluster", "value", "row", "item", "count", "out_of", "support")
    arrays = dict(zip(names, _columns([columns for columns, _ in done])))
    dropped = sum(d[0] for _, d in done), sum(d[1] for _, d in done)
    return Statistics(name=name, suppressed=dropped, **arrays)


def _columns(blocks: list[list[np.ndarray]]) -> list[np.ndarray]:
    """Blocks one below the other; a column of them is let go as soon as it is one array, for large logs."""
    out = []
    while blocks[0]:
        out.append(np.concatenate([block.pop() for block in blocks]))
    return out[::-1]


def _blocks(code: np.ndarray, value_from: int) -> list[slice]:
    """Groups in pieces of about `BLOCK`, none of which ends inside a model; one piece at least."""
    ends = [0]
    while len(code) - ends[-1] > BLOCK:
        last_of_model = code[ends[-1] + BLOCK] | code.dtype.type((1 << value_from) - 1)
        end = int(np.searchsorted(code, last_of_model, side="right"))
        if end >= len(code):
            break
        ends.append(end)
    return [slice(a, b) for a, b in pairwise([*ends, len(code)])]


def runs(*keys: np.ndarray) -> np.ndarray:
    """Where runs of equal keys begin, and the end of the last."""
    n = len(keys[0])
    if n == 0:
        return np.zeros(1, np.int64)
    new = np.ones(n, bool)
    new[1:] = np.any([k[1:] != k[:-1] for k in keys], axis=0)
    return np.r_[np.flatnonzero(new), n]


def _spread_sum(x: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    return np.repeat(np.add.reduceat(x, bounds[:-1]), np.diff(bounds)) if len(x) else x

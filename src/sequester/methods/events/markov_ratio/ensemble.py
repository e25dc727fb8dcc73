"""Training the paper's two ensembles: of states inside a section (STE), and of clusters inside an object (CTE)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sequester.methods.events.markov_ratio.passing import retained
from sequester.methods.events.markov_ratio.sections import DAY, HOUR, Sections

VALUES = ("duration", "weekday", "hour", "month", "year", "previous gap")
"""Factors by their position among the values of a moment."""
MOST_PAIRS = 1 << 24
"""Codes of pairs up to which they are counted as they are; beyond it, only those that occur get one."""
_BLOCK = 1 << 17
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


def families(factors: tuple[str, ...], *, clusters: bool) -> list[Family]:
    """All support levels with the factors in use; without clusters, the two levels of the outer ensemble."""
    out = [Family(level="all", factor=None), *(Family(level="factor", factor=f) for f in factors)]
    if clusters:
        out.append(Family(level="cluster", factor=None))
        out += [Family(level="cluster&factor", factor=f) for f in factors]
    return out


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
    mean: np.ndarray
    spread: np.ndarray
    support: np.ndarray
    """What is left of the whole model after suppression."""
    suppressed: tuple[int, int]
    """Entries that were dropped, and the records behind them."""


@dataclass(frozen=True, kw_only=True)
class Ensemble:
    """The statistics of one chain: the paper's four, and ours of what ends a section."""

    families: list[Family]
    start: Statistics
    move: Statistics
    hour: Statistics | None = None
    """As published; the repaired synthesis uses neither this nor the next two, and does not count them."""
    near: Statistics | None = None
    end: Statistics | None = None

    def __iter__(self):
        return iter(x for x in (self.start, self.hour, self.move, self.near, self.end) if x is not None)


@dataclass(frozen=True, kw_only=True)
class _Tally:
    """Groups of equal (cluster, value, pair) in rising order."""

    code: np.ndarray
    value_from: int
    """Lowest bit of the value in a code; the pair stands below it."""
    cluster_from: int
    size: np.ndarray
    mean: np.ndarray
    spread: np.ndarray


def _tally(pair: np.ndarray, cluster: np.ndarray | None, value: np.ndarray | None, time: np.ndarray | None) -> _Tally:
    """Group equal (cluster, value, pair): the code of each group, its size, and mean and spread of `time`."""
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
    if time is None:
        code.sort()
        t = None
    else:
        order = np.argsort(code)  # equal codes may come in any order
        t = time[order].astype(np.float64)
        code = code[order]
        del order
    first = _runs(code)
    size = np.diff(first)
    code, first = code[first[:-1]], first[:-1]
    if t is None or not len(code):
        none = np.broadcast_to(0.0, len(code))
        return _Tally(code=code, value_from=value_from, cluster_from=cluster_from, size=size, mean=none, spread=none)
    mean = np.add.reduceat(t, first) / size
    t -= np.repeat(mean, size)
    t *= t
    spread = np.sqrt(np.add.reduceat(t, first) / size)
    return _Tally(code=code, value_from=value_from, cluster_from=cluster_from, size=size, mean=mean, spread=spread)


def statistics(
    name: str,
    kinds: list[Family],
    *,
    row: np.ndarray,
    item: np.ndarray,
    time: np.ndarray | None,
    cluster: np.ndarray | None,
    values: dict[str, np.ndarray],
    epsilon: float,
    mode: str,
    threads: int = 1,
) -> Statistics:
    """Count every (row, item) in every model of every family, and test what was counted.

    Without `time`, means and spreads are 0 and take no room.
    """
    pairs = _Pairs(row, item)

    def one(family: Family) -> tuple[list[np.ndarray], tuple[int, int]]:
        own_cluster = cluster if family.by_cluster else None
        own_value = values[family.factor] if family.factor else None
        t = _tally(pairs.code, own_cluster, own_value, time)
        number, blocks, dropped = kinds.index(family), [], np.zeros(2, np.int64)
        for at in _blocks(t.code, t.value_from):
            code, size = t.code[at].astype(np.int64), t.size[at]
            model = code >> t.value_from
            row_, item_ = pairs.parts(code & ((1 << t.value_from) - 1))
            bounds = _runs(model, row_)
            keep = retained(size, bounds, epsilon, mode)
            support = _spread_sum(np.where(keep, size, 0), _runs(model))[keep]
            dropped += (~keep).sum(), size[~keep].sum()
            value = model[keep] & ((1 << (t.cluster_from - t.value_from)) - 1)
            blocks.append(
                [
                    np.full(len(value), number, np.int8),
                    ((code[keep] >> t.cluster_from) - 1).astype(np.int32),
                    value.astype(np.int16) if family.factor else np.full(len(value), -1, np.int16),
                    row_[keep].astype(np.int32),
                    item_[keep].astype(np.int32),
                    size[keep],
                    _spread_sum(size, bounds)[keep],
                    t.mean[at][keep],
                    t.spread[at][keep],
                    support,
                ]
            )
        return [np.concatenate(x) for x in zip(*blocks, strict=True)], (int(dropped[0]), int(dropped[1]))

    with ThreadPoolExecutor(threads) as pool:  # sorting releases the interpreter
        done = list(pool.map(one, kinds))
    names = ("family", "cluster", "value", "row", "item", "count", "out_of", "mean", "spread", "support")
    arrays = {key: np.concatenate(p) for key, p in zip(names, zip(*(a for a, _ in done), strict=True), strict=True)}
    if time is None:
        arrays |= dict.fromkeys(("mean", "spread"), np.broadcast_to(0.0, len(arrays["count"])))
    dropped = sum(d[0] for _, d in done), sum(d[1] for _, d in done)
    return Statistics(name=name, suppressed=dropped, **arrays)


def _blocks(code: np.ndarray, value_from: int) -> list[slice]:
    """Groups in pieces of about `_BLOCK`, none of which ends inside a model; one piece at least."""
    ends = [0]
    while len(code) - ends[-1] > _BLOCK:
        last_of_model = code[ends[-1] + _BLOCK] | code.dtype.type((1 << value_from) - 1)
        end = int(np.searchsorted(code, last_of_model, side="right"))
        if end >= len(code):
            break
        ends.append(end)
    return [slice(a, b) for a, b in pairwise([*ends, len(code)])]


class _Pairs:
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
        whole = code if self.known is None else self.known[code].astype(np.int64)
        return whole // self.width, whole % self.width


def _runs(*keys: np.ndarray) -> np.ndarray:
    n = len(keys[0])
    if n == 0:
        return np.zeros(1, np.int64)
    new = np.ones(n, bool)
    new[1:] = np.any([k[1:] != k[:-1] for k in keys], axis=0)
    return np.r_[np.flatnonzero(new), n]


def _spread_sum(x: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    return np.repeat(np.add.reduceat(x, bounds[:-1]), np.diff(bounds)) if len(x) else x


def moment_values(times: np.ndarray, has_clock: bool, year0: int) -> dict[str, np.ndarray]:
    """Weekday (0 = Monday), hour, month and year (from `year0`) of every moment; zeros where there is no clock."""
    if not has_clock:
        zero = np.zeros(len(times), np.int16)
        return {"weekday": zero, "hour": zero, "month": zero, "year": zero}
    day = times // DAY
    month = day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    year = np.clip(month // 12 + 1970 - year0, 0, 1023)
    values = {"weekday": (day + 3) % 7, "hour": times % DAY // HOUR, "month": month % 12, "year": year}
    return {name: value.astype(np.int16) for name, value in values.items()}


def duration_bin(length: np.ndarray, has_clock: bool) -> np.ndarray:
    """0 below an hour (a step, without a clock), then 1 + floor(log2)."""
    units = np.asarray(length, np.int64) // (HOUR if has_clock else 1)
    return np.where(units >= 1, np.floor(np.log2(np.maximum(units, 1))).astype(np.int16) + 1, 0).astype(np.int16)


def state_starts(
    states: np.ndarray,
    s: Sections,
    cluster: np.ndarray,
    factors: tuple[str, ...],
    year0: int,
    *,
    more: Mapping[str, np.ndarray] | None = None,
    **test: Any,
) -> Statistics:
    """First states of sections; their time is the number of events. `more` has other factors, a value per section."""
    first = s.bounds[:-1]
    values = moment_values(s.times[first], s.has_clock, year0) | {"duration": duration_bin(s.durations, s.has_clock)}
    values |= more or {}
    return statistics(
        "start", families(factors, clusters=True), row=np.zeros(s.n, np.int64), item=states[first],
        time=np.diff(s.bounds), cluster=cluster, values=values, **test,
    )  # fmt: skip


def section_starts(s: Sections, cluster: np.ndarray, factors: tuple[str, ...], year0: int, **test: Any) -> Statistics:
    """Clusters of first sections."""
    first = s.of_object[:-1]
    return statistics(
        "start", families(factors, clusters=False), row=np.zeros(len(first), np.int64), item=cluster[first], time=None,
        cluster=None, values=moment_values(s.times[s.bounds[:-1]][first], s.has_clock, year0), **test,
    )  # fmt: skip


def train_states(
    states: np.ndarray,
    s: Sections,
    cluster: np.ndarray,
    factors: tuple[str, ...],
    year0: int,
    **test: Any,
) -> Ensemble:
    """The STE: one model per support level and factor value, over transitions inside sections."""
    kinds = families(factors, clusters=True)
    length = duration_bin(s.durations, s.has_clock)
    first = s.bounds[:-1]
    starts = moment_values(s.times[first], s.has_clock, year0) | {"duration": length}
    inner = np.ones(len(states), bool)
    inner[s.bounds[1:] - 1] = False
    p = np.flatnonzero(inner)
    section = np.repeat(np.arange(s.n), np.diff(s.bounds))[p]
    moves = moment_values(s.times[p], s.has_clock, year0) | {"duration": length[section]}
    return Ensemble(
        families=kinds,
        start=state_starts(states, s, cluster, factors, year0, **test),
        hour=statistics(
            "hour", kinds, row=np.zeros(s.n, np.int64), item=starts["hour"], time=s.durations, cluster=cluster,
            values=starts, **test,
        ),
        move=statistics(
            "move", kinds, row=states[p], item=states[p + 1], time=s.times[p + 1] - s.times[p],
            cluster=cluster[section], values=moves, **test,
        ),
        near=_neighbours(states, s.bounds, **test),
        end=statistics("end", kinds[:1], row=states, item=~inner, time=None, cluster=None, values={}, **test),
    )  # fmt: skip


def train_sections(s: Sections, cluster: np.ndarray, factors: tuple[str, ...], year0: int, **test: Any) -> Ensemble:
    """The CTE: the same over the clusters an object's sections belong to; its time is from start to start."""
    kinds = families(factors, clusters=False)
    begin = s.times[s.bounds[:-1]]
    first = s.of_object[:-1]
    inner = np.ones(s.n, bool)
    inner[s.of_object[1:] - 1] = False
    p = np.flatnonzero(inner)
    starts, moves = moment_values(begin[first], s.has_clock, year0), moment_values(begin[p], s.has_clock, year0)
    return Ensemble(
        families=kinds,
        start=section_starts(s, cluster, factors, year0, **test),
        hour=statistics(
            "hour", kinds, row=np.zeros(len(first), np.int64), item=starts["hour"], time=np.diff(s.of_object),
            cluster=None, values=starts, **test,
        ),
        move=statistics(
            "move", kinds, row=cluster[p], item=cluster[p + 1], time=begin[p + 1] - begin[p],
            cluster=None, values=moves, **test,
        ),
        near=_neighbours(cluster, s.of_object, **test),
    )  # fmt: skip


def _neighbours(labels: np.ndarray, bounds: np.ndarray, *, epsilon: float, mode: str, threads: int = 1) -> Statistics:
    """How many sequences contain both of two labels, tested like everything else."""
    from sequester.methods.events.markov_ratio.kernels.pairs import pair_counts

    row, item, count = pair_counts(labels, bounds)
    rows = _runs(row)
    keep = retained(count, rows, epsilon, mode)
    n = int(keep.sum())
    return Statistics(
        name="near",
        family=np.zeros(n, np.int8),
        cluster=np.full(n, -1, np.int32),
        value=np.full(n, -1, np.int16),
        row=row[keep].astype(np.int32),
        item=item[keep].astype(np.int32),
        count=count[keep],
        out_of=_spread_sum(count, rows)[keep],
        mean=np.zeros(n),
        spread=np.zeros(n),
        support=np.full(n, count[keep].sum()),
        suppressed=(int((~keep).sum()), int(count[~keep].sum())),
    )


def totals(ensembles: Iterable[Ensemble]) -> dict[str, int]:
    """Entries and records kept and suppressed, over the paper's four statistics."""
    every = [x for e in ensembles for x in e if x.name != "end"]
    return {
        "kept_statistics": sum(len(x.count) for x in every),
        "suppressed_statistics": sum(x.suppressed[0] for x in every),
        "kept_records": int(sum(x.count.sum() for x in every)),
        "suppressed_records": sum(x.suppressed[1] for x in every),
    }

"""Training the paper's two ensembles: of states inside a section (STE), and of clusters inside an object (CTE)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.methods.events.ratio_test import retained
from sequester.methods.events.sections import DAY, HOUR, Sections

VALUES = ("duration", "weekday", "hour", "month", "year")
"""Factors by their position among the values of a moment."""
STATE_FACTORS = VALUES[:3]
SECTION_FACTORS = (VALUES[1], *VALUES[3:])
LEVELS = ("all", "factor", "cluster", "cluster&factor")
_PAIR_BITS, _VALUE_BITS = 24, 10


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
    """Entries of one statistic over all families, grouped by row; all arrays have one value per entry."""

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
    kept: np.ndarray
    support: np.ndarray
    """What is left of the whole model after suppression."""

    @property
    def suppressed(self) -> int:
        """Records behind the entries that were dropped."""
        return int(self.count[~self.kept].sum())


@dataclass(frozen=True, kw_only=True)
class Ensemble:
    """Four statistics of one chain."""

    families: list[Family]
    start: Statistics
    hour: Statistics
    move: Statistics
    near: Statistics

    def __iter__(self):
        return iter((self.start, self.hour, self.move, self.near))


def _tally(pair: np.ndarray, cluster: np.ndarray | None, value: np.ndarray | None, time: np.ndarray) -> tuple:
    """Group equal (cluster, value, pair): the code of each group, its size, and mean and spread of `time`."""
    code = pair.astype(np.int64)
    if value is not None:
        code = code | (value.astype(np.int64) << _PAIR_BITS)
    if cluster is not None:
        code = code | ((cluster.astype(np.int64) + 1) << (_PAIR_BITS + _VALUE_BITS))
    order = np.argsort(code, kind="stable")
    code = code[order]
    first = np.flatnonzero(np.r_[True, code[1:] != code[:-1]]) if len(code) else np.zeros(0, np.int64)
    size = np.diff(np.r_[first, len(code)])
    if not len(code):
        return code, size, np.zeros(0), np.zeros(0)
    t = time[order].astype(np.float64)
    mean = np.add.reduceat(t, first) / size
    t -= np.repeat(mean, size)
    return code[first], size, mean, np.sqrt(np.add.reduceat(t * t, first) / size)


def statistics(
    name: str,
    kinds: list[Family],
    *,
    row: np.ndarray,
    item: np.ndarray,
    time: np.ndarray,
    cluster: np.ndarray | None,
    values: dict[str, np.ndarray],
    epsilon: float,
    mode: str,
) -> Statistics:
    """Count every (row, item) in every model of every family, and test what was counted."""
    pairs = _Pairs(row, item)
    parts = []
    for f, family in enumerate(kinds):
        own_cluster = cluster if family.by_cluster else None
        own_value = values[family.factor] if family.factor else None
        code, size, mean, spread = _tally(pairs.code, own_cluster, own_value, time)
        pair = code & ((1 << _PAIR_BITS) - 1)
        v = (code >> _PAIR_BITS) & ((1 << _VALUE_BITS) - 1)
        c = (code >> (_PAIR_BITS + _VALUE_BITS)) - 1
        none = np.full(len(code), -1)
        parts.append((np.full(len(code), f), c, v if family.factor else none, *pairs.parts(pair), size, mean, spread))
    family_, cluster_, value_, row_, item_, count, mean, spread = (np.concatenate(p) for p in zip(*parts))
    bounds = _runs(family_, cluster_, value_, row_)
    kept = retained(count, bounds, epsilon, mode)
    return Statistics(
        name=name,
        family=family_,
        cluster=cluster_,
        value=value_,
        row=row_,
        item=item_,
        count=count,
        out_of=_spread_sum(count, bounds),
        mean=mean,
        spread=spread,
        kept=kept,
        support=_spread_sum(np.where(kept, count, 0), _runs(family_, cluster_, value_)),
    )


class _Pairs:
    """(row, item) as one small code in lexicographic order."""

    def __init__(self, row: np.ndarray, item: np.ndarray) -> None:
        self.width = int(item.max(initial=0)) + 1
        code = row.astype(np.int64) * self.width + item
        self.known: np.ndarray | None = None
        if (int(row.max(initial=0)) + 1) * self.width > 1 << _PAIR_BITS:
            self.known, code = np.unique(code, return_inverse=True)
        self.code = code

    def parts(self, code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        whole = code if self.known is None else self.known[code]
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
        zero = np.zeros(len(times), np.int64)
        return {"weekday": zero, "hour": zero, "month": zero, "year": zero}
    day = times // DAY
    month = day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    year = np.clip(month // 12 + 1970 - year0, 0, 1023)
    return {"weekday": (day + 3) % 7, "hour": times % DAY // HOUR, "month": month % 12, "year": year}


def duration_bin(length: np.ndarray, has_clock: bool) -> np.ndarray:
    """0 below an hour (a step, without a clock), then 1 + floor(log2)."""
    units = np.asarray(length, np.int64) // (HOUR if has_clock else 1)
    return np.where(units >= 1, np.floor(np.log2(np.maximum(units, 1))).astype(np.int64) + 1, 0)


def train_states(
    states: np.ndarray,
    s: Sections,
    cluster: np.ndarray,
    factors: tuple[str, ...],
    year0: int,
    epsilon: float,
    mode: str,
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
    none = np.zeros(s.n, np.int64)
    test: dict[str, Any] = {"epsilon": epsilon, "mode": mode}
    at_start: dict[str, Any] = {"cluster": cluster, "values": starts, **test}
    a, b = _together(states, s.bounds)
    return Ensemble(
        families=kinds,
        start=statistics("start", kinds, row=none, item=states[first], time=none, **at_start),
        hour=statistics("hour", kinds, row=none, item=starts["hour"], time=s.durations, **at_start),
        move=statistics(
            "move", kinds, row=states[p], item=states[p + 1], time=s.times[p + 1] - s.times[p],
            cluster=cluster[section], values=moves, **test,
        ),
        near=statistics("near", kinds[:1], row=a, item=b, time=np.zeros(len(a)), cluster=None, values={}, **test),
    )  # fmt: skip


def train_sections(
    s: Sections, cluster: np.ndarray, factors: tuple[str, ...], year0: int, epsilon: float, mode: str
) -> Ensemble:
    """The CTE: the same over the clusters an object's sections belong to; its time is from start to start."""
    kinds = families(factors, clusters=False)
    begin = s.times[s.bounds[:-1]]
    first = s.of_object[:-1]
    inner = np.ones(s.n, bool)
    inner[s.of_object[1:] - 1] = False
    p = np.flatnonzero(inner)
    starts, moves = moment_values(begin[first], s.has_clock, year0), moment_values(begin[p], s.has_clock, year0)
    none = np.zeros(len(first), np.int64)
    test: dict[str, Any] = {"epsilon": epsilon, "mode": mode}
    at_start: dict[str, Any] = {"cluster": None, "values": starts, **test}
    a, b = _together(cluster, s.of_object)
    return Ensemble(
        families=kinds,
        start=statistics("start", kinds, row=none, item=cluster[first], time=none, **at_start),
        hour=statistics("hour", kinds, row=none, item=starts["hour"], time=np.diff(s.of_object), **at_start),
        move=statistics(
            "move", kinds, row=cluster[p], item=cluster[p + 1], time=begin[p + 1] - begin[p],
            cluster=None, values=moves, **test,
        ),
        near=statistics("near", kinds[:1], row=a, item=b, time=np.zeros(len(a)), cluster=None, values={}, **test),
    )  # fmt: skip


def _together(labels: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ordered pairs of different labels that occur in the same sequence, once per sequence."""
    from sequester.primitives.pairs import pairs_within

    return pairs_within(np.asarray(labels, np.int64), np.asarray(bounds, np.int64))


def totals(ensembles: Iterable[Ensemble]) -> dict[str, int]:
    """Entries and records kept and suppressed, over everything that was tested."""
    every = [x for e in ensembles for x in e]
    return {
        "kept_statistics": int(sum(x.kept.sum() for x in every)),
        "suppressed_statistics": int(sum((~x.kept).sum() for x in every)),
        "kept_records": int(sum(x.count[x.kept].sum() for x in every)),
        "suppressed_records": sum(x.suppressed for x in every),
    }

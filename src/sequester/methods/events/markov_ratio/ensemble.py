"""What the paper's two ensembles count: states inside a section (STE), and clusters inside an object (CTE)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sequester.methods.events.markov_ratio.kernels.law_index import pair_counts
from sequester.methods.events.markov_ratio.sections import DAY, HOUR, Sections
from sequester.methods.events.markov_ratio.tallies import Ask, Family, Statistics

VALUES = ("duration", "weekday", "hour", "month", "year", "previous gap")
"""Factors by their position among the values of a moment."""
MOST = {"duration": 64, "weekday": 7, "hour": 24, "month": 12, "year": 1024, "previous gap": 5}
"""How many values each of them has at most."""


def families(factors: tuple[str, ...], *, clusters: bool) -> list[Family]:
    """All support levels with the factors in use; without clusters, the two levels of the outer ensemble."""
    out = [Family(level="all", factor=None), *(Family(level="factor", factor=f) for f in factors)]
    if clusters:
        out.append(Family(level="cluster", factor=None))
        out += [Family(level="cluster&factor", factor=f) for f in factors]
    return out


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
    n_states: int,
    cluster: np.ndarray,
    factors: tuple[str, ...],
    year0: int,
    more: Mapping[str, np.ndarray] | None = None,
) -> Ask:
    """First states of sections; their time is the number of events. `more` has other factors, a value per section."""
    first = s.bounds[:-1]
    values = moment_values(s.times[first], s.has_clock, year0) | {"duration": duration_bin(s.durations, s.has_clock)}
    values |= more or {}
    return Ask(
        "states", "start", families(factors, clusters=True), row=np.zeros(s.n, np.int64), item=states[first],
        shape=(1, n_states), time=np.diff(s.bounds), cluster=cluster, values=values,
    )  # fmt: skip


def section_starts(s: Sections, cluster: np.ndarray, n_clusters: int, factors: tuple[str, ...], year0: int) -> Ask:
    """Clusters of first sections."""
    first = s.of_object[:-1]
    return Ask(
        "sections", "start", families(factors, clusters=False), row=np.zeros(len(first), np.int64),
        item=cluster[first], shape=(1, n_clusters),
        values=moment_values(s.times[s.bounds[:-1]][first], s.has_clock, year0),
    )  # fmt: skip


def published_asks(
    states: np.ndarray,
    s: Sections,
    n_states: int,
    cluster: np.ndarray,
    n_clusters: int,
    factors: tuple[str, ...],
    section_factors: tuple[str, ...],
    year0: int,
) -> Iterator[Ask]:
    """The STE, one model per support level and factor value, over transitions inside sections; then the CTE."""
    kinds = families(factors, clusters=True)
    length = duration_bin(s.durations, s.has_clock)
    first = s.bounds[:-1]
    starts = moment_values(s.times[first], s.has_clock, year0) | {"duration": length}
    inner = np.ones(len(states), bool)
    inner[s.bounds[1:] - 1] = False
    p = np.flatnonzero(inner)
    section = np.repeat(np.arange(s.n), np.diff(s.bounds))[p]
    moves = moment_values(s.times[p], s.has_clock, year0) | {"duration": length[section]}
    yield state_starts(states, s, n_states, cluster, factors, year0)
    yield Ask(
        "states", "hour", kinds, row=np.zeros(s.n, np.int64), item=starts["hour"], shape=(1, 24), time=s.durations,
        cluster=cluster, values=starts,
    )  # fmt: skip
    yield Ask(
        "states", "move", kinds, row=states[p], item=states[p + 1], shape=(n_states, n_states),
        time=s.times[p + 1] - s.times[p], cluster=cluster[section], values=moves,
    )  # fmt: skip
    yield _neighbours("states", states, s.bounds, n_states)
    yield Ask("states", "end", kinds[:1], row=states, item=(~inner).astype(np.int8), shape=(n_states, 2))
    yield from _section_asks(s, cluster, n_clusters, section_factors, year0)


def _section_asks(
    s: Sections, cluster: np.ndarray, n_clusters: int, factors: tuple[str, ...], year0: int
) -> Iterator[Ask]:
    """The CTE: the same over the clusters an object's sections belong to; its time is from start to start."""
    kinds = families(factors, clusters=False)
    begin = s.times[s.bounds[:-1]]
    first = s.of_object[:-1]
    inner = np.ones(s.n, bool)
    inner[s.of_object[1:] - 1] = False
    p = np.flatnonzero(inner)
    starts, moves = moment_values(begin[first], s.has_clock, year0), moment_values(begin[p], s.has_clock, year0)
    yield section_starts(s, cluster, n_clusters, factors, year0)
    yield Ask(
        "sections", "hour", kinds, row=np.zeros(len(first), np.int64), item=starts["hour"], shape=(1, 24),
        time=np.diff(s.of_object), values=starts,
    )  # fmt: skip
    yield Ask(
        "sections", "move", kinds, row=cluster[p], item=cluster[p + 1], shape=(n_clusters, n_clusters),
        time=begin[p + 1] - begin[p], values=moves,
    )  # fmt: skip
    yield _neighbours("sections", cluster, s.of_object, n_clusters)


def _neighbours(chain: str, labels: np.ndarray, bounds: np.ndarray, n_labels: int) -> Ask:
    """How many sequences contain both of two labels, tested like everything else."""
    row, item, count = pair_counts(labels, bounds)
    return Ask(
        chain, "near", families((), clusters=False), row=row, item=item, shape=(n_labels, n_labels), weight=count
    )


def published_ensembles(
    found: Mapping[str, Statistics], factors: tuple[str, ...], section_factors: tuple[str, ...]
) -> tuple[Ensemble, Ensemble]:
    """The two ensembles, of what was counted."""
    of_states = {n: found[f"states {n}"] for n in ("start", "hour", "move", "near", "end")}
    of_sections = {n: found[f"sections {n}"] for n in ("start", "hour", "move", "near")}
    return (
        Ensemble(families=families(factors, clusters=True), **of_states),
        Ensemble(families=families(section_factors, clusters=False), **of_sections),
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

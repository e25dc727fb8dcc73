"""What the paper's two ensembles count: states inside a section (STE), and clusters inside an object (CTE)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

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
    """The statistics of one chain; the end is among what may follow."""

    families: list[Family]
    start: Statistics
    move: Statistics

    def __iter__(self) -> Iterator[Statistics]:
        return iter((self.start, self.move))


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
    """First states of sections. `more` has other factors, a value per section."""
    first = s.bounds[:-1]
    values = moment_values(s.times[first], s.has_clock, year0) | {"duration": duration_bin(s.durations, s.has_clock)}
    values |= more or {}
    return Ask(
        "states", "start", families(factors, clusters=True), row=np.zeros(s.n, np.int64), item=states[first],
        shape=(1, n_states), cluster=cluster, values=values,
    )  # fmt: skip


def section_starts(s: Sections, cluster: np.ndarray, n_clusters: int, factors: tuple[str, ...], year0: int) -> Ask:
    """Clusters of first sections."""
    first = s.of_object[:-1]
    return Ask(
        "sections", "start", families(factors, clusters=False), row=np.zeros(len(first), np.int64),
        item=cluster[first], shape=(1, n_clusters),
        values=moment_values(s.times[s.bounds[:-1]][first], s.has_clock, year0),
    )  # fmt: skip


def totals(ensembles: Iterable[Ensemble]) -> dict[str, int]:
    """Entries and records kept and suppressed, over starts and moves."""
    every = [x for e in ensembles for x in e]
    return {
        "kept_statistics": sum(len(x.count) for x in every),
        "suppressed_statistics": sum(x.suppressed[0] for x in every),
        "kept_records": int(sum(x.count.sum() for x in every)),
        "suppressed_records": sum(x.suppressed[1] for x in every),
    }

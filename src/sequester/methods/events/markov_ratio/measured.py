"""What the repaired synthesis counts beside the paper's statistics, all of it tested like them.

The paper's generator ends a section by its duration and draws its gaps from a mean and a spread. Here the number of
events of a section is counted per cluster, END is one of the things that may follow a state, what follows a cluster
may be the end of the object, and gaps and pauses are counted in bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.methods.events.markov_ratio.ensemble import (
    Ensemble,
    Family,
    Statistics,
    duration_bin,
    families,
    moment_values,
    statistics,
)
from sequester.methods.events.markov_ratio.sections import Sections
from sequester.methods.events.shared.bins import DAY, HOUR, gap_bin, length_edges
from sequester.model import EventLog

PREVIOUS = "previous gap"
LONGEST = 5000
"""A longer section counts as one of this many events."""
FEW = [Family(level="all", factor=None), Family(level="cluster", factor=None)]


@dataclass(frozen=True, kw_only=True)
class Counted:
    """The statistics of the repaired synthesis, those of the paper among them."""

    inner: Ensemble
    """Starts and hours as in the paper; moves with END as the item after the last state."""
    outer: Ensemble
    """The same over clusters, END after the last cluster."""
    gap: Statistics
    """Bin of the gap after a pair of states (row a * S + b)."""
    gap_families: list[Family]
    length: Statistics
    duration: Statistics
    pause: Statistics
    """Bin of the pause between two sections, by the cluster of the first."""
    clock: Statistics
    """Hour of the day by state."""

    @property
    def extra(self) -> dict[str, Statistics]:
        """What the paper does not count, by name."""
        return {x.name: x for x in (self.gap, self.length, self.duration, self.pause, self.clock)}


def previous_gap(times: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Class of the gap before every event: none, an hour, a day, more; 4 for the first of a section."""
    gap = np.diff(times, prepend=times[:1])
    return np.where(first, 4, np.searchsorted([1, HOUR, DAY], gap, side="right")).astype(np.int16)


def count(
    log: EventLog,
    s: Sections,
    cluster: np.ndarray,
    factors: tuple[str, ...],
    section_factors: tuple[str, ...],
    year0: int,
    **test: Any,
) -> Counted:
    """Count and test everything."""
    from sequester.methods.events.markov_ratio.ensemble import train_sections, train_states

    states, n_states, times = log.states, len(log.state_names), log.times
    kinds = families(factors, clusters=True)
    n_events, none = len(states), np.zeros(s.n, np.int64)
    last = np.zeros(n_events, bool)
    last[s.bounds[1:] - 1] = True
    first = np.zeros(n_events, bool)
    first[s.bounds[:-1]] = True
    section = np.repeat(np.arange(s.n), np.diff(s.bounds))
    long = duration_bin(s.durations, s.has_clock)
    moments = moment_values(s.times, s.has_clock, year0) | {"duration": long[section]}
    following = np.where(last, n_states, np.r_[states[1:], 0])
    move = statistics(
        "move", kinds, row=states, item=following, time=np.zeros(n_events), cluster=cluster[section], values=moments,
        **test,
    )  # fmt: skip
    p = np.flatnonzero(~last) if s.has_clock else np.zeros(0, np.int64)
    gap_families = families((*factors, PREVIOUS), clusters=True)
    values = {name: value[p] for name, value in moments.items()} | {PREVIOUS: previous_gap(times, first)[p]}
    gap = statistics(
        "gap", gap_families, row=states[p].astype(np.int64) * n_states + states[p + 1], time=np.zeros(len(p)),
        item=gap_bin(times[p + 1] - times[p]), cluster=cluster[section[p]], values=values, **test,
    )  # fmt: skip
    of_section: dict[str, Any] = {"row": none, "time": none, "cluster": cluster, "values": {}, **test}
    length_bin = np.searchsorted(length_edges(LONGEST), np.diff(s.bounds), side="right") - 1
    length = statistics("length", FEW, item=np.minimum(length_bin, len(length_edges(LONGEST)) - 2), **of_section)
    duration = statistics("duration", FEW, item=long, **of_section)
    inside = np.ones(s.n, bool)
    inside[s.of_object[1:] - 1] = False
    q = np.flatnonzero(inside)
    rest = times[s.bounds[q + 1]] - times[s.bounds[q + 1] - 1]
    pause = statistics(
        "pause", FEW, row=none[q], item=gap_bin(rest), time=none[q], cluster=cluster[q], values={}, **test
    )
    hours = np.flatnonzero(np.full(n_events, log.time_unit == "second"))
    clock = statistics(
        "clock", FEW[:1], row=states[hours], item=moments["hour"][hours], time=np.zeros(len(hours)), cluster=None,
        values={}, **test,
    )  # fmt: skip
    inner = train_states(states, s, cluster, factors, year0, **test)
    outer = train_sections(s, cluster, section_factors, year0, **test)
    outer_kinds = families(section_factors, clusters=False)
    begin = s.times[s.bounds[:-1]]
    outer_move = statistics(
        "move", outer_kinds, row=cluster, item=np.where(inside, np.r_[cluster[1:], 0], int(cluster.max()) + 1),
        time=none, cluster=None, values=moment_values(begin, s.has_clock, year0), **test,
    )  # fmt: skip
    return Counted(
        inner=Ensemble(families=kinds, start=inner.start, hour=inner.hour, move=move, near=inner.near),
        outer=Ensemble(families=outer_kinds, start=outer.start, hour=outer.hour, move=outer_move, near=outer.near),
        gap=gap, gap_families=gap_families, length=length, duration=duration, pause=pause, clock=clock,
    )  # fmt: skip


def residual(length: Statistics, n_bins: int) -> np.ndarray:
    """Sections by length that no cluster tells: counted over all, less what the clusters kept.

    The long ones are rare in every cluster, so the test takes them there first; drawn from what is left in the
    clusters, they would be replaced by usual ones.
    """
    every = length.family == 0
    out = np.bincount(length.item[every], length.count[every], minlength=n_bins).astype(np.float64)
    return np.maximum(out - np.bincount(length.item[~every], length.count[~every], minlength=n_bins), 0.0)

"""From tested statistics to a synthetic log: lay the laws out and walk them."""

from __future__ import annotations

import numpy as np

from sequester.errors import InputError, counted
from sequester.methods.events.markov_ratio.drawn import Draw, Drawn, Walked
from sequester.methods.events.markov_ratio.ensemble import VALUES, Ensemble
from sequester.methods.events.markov_ratio.kernels import ensemble as walk
from sequester.methods.events.markov_ratio.kernels import law_index
from sequester.methods.events.markov_ratio.outline import Outline
from sequester.methods.events.markov_ratio.tallies import Family, Statistics, Sums
from sequester.methods.events.shared.rules import Rules

MOST_TIMES = 3
"""How many times the events read a section filled by time alone may write: beyond it the result is no log of these
people any more."""


def generate(
    log: Outline,
    inner: Ensemble,
    outer: Ensemble,
    year0: int,
    *,
    rules: Rules,
    poisson: bool,
    sized: bool,
    max_events: int,
    generator: np.random.Generator,
    draw: Draw,
) -> Drawn:
    """A synthetic log with as many objects as each date of the original had."""
    dates, means, spreads = starts(log.days, log.sections)
    if poisson:
        day, at, size = np.unique(dates, return_index=True, return_counts=True)
        again = generator.poisson(size)
        dates, means, spreads = (np.repeat(x, again) for x in (day, means[at], spreads[at]))
    bars, finals = rules.masks(log.state_names)
    plan = walk.Plan(
        hours=np.cumsum(log.hours),
        length_mean=log.durations.mean,
        length_spread=log.durations.spread,
        leaves=log.leaves,
        ends=_ends(inner.end, len(log.leaves)),
        openers=~log.preceded,
        bars=bars,
        finals=finals | ~log.followed,
        has_clock=log.has_clock,
        has_hours=log.unit == "second",
        unit=0 if sized and log.at_once else 1,
        sized=sized,
        max_events=max_events,
    )
    most = MOST_TIMES * log.n_events
    chains = _chain(outer, log.steps, by_hour=False), _chain(inner, log.gaps, by_hour=True)
    none = np.zeros((0, 0), np.int64)

    def some(at: slice, state: np.ndarray, written: int) -> Walked:
        objects = walk.Objects(dates[at], means[at], spreads[at])
        states, times, offsets = walk.synthesize(state, objects, year0, *chains, plan, most - written)
        return Walked(states, times, offsets, none)

    drawn = draw(len(dates), some, generator)
    if drawn.n_events > most and not sized:
        raise InputError(
            f"markov-ratio: filling time slots wrote more than {counted(MOST_TIMES, 'time')} the "
            f"{counted(log.n_events, 'event')} that "
            "were read, because gaps do not know how long their slot is. Use synthesis='measured'."
        )
    return drawn


def families(kinds: list[Family]) -> law_index.Families:
    """As the kernels take them."""
    return law_index.Families(
        by_cluster=np.array([f.by_cluster for f in kinds]),
        factor=np.array([VALUES.index(f.factor) if f.factor else -1 for f in kinds]),
    )


def starts(days: np.ndarray, sections: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Date of every new object, with mean and spread of the number of sections on that date."""
    _, back = np.unique(days, return_inverse=True)
    size = np.bincount(back)
    mean = np.bincount(back, sections) / size
    spread = np.sqrt(np.maximum(np.bincount(back, sections.astype(float) ** 2) / size - mean**2, 0))
    return days, mean[back], spread[back]


def _chain(ensemble: Ensemble, times: Sums, *, by_hour: bool) -> walk.Chain:
    assert ensemble.hour is not None and ensemble.near is not None
    return walk.Chain(
        families=families(ensemble.families),
        start=indexed(ensemble.start),
        hour=indexed(ensemble.hour, row=ensemble.hour.item if by_hour else None),
        move=indexed(ensemble.move),
        near=indexed(ensemble.near),
        time_mean=times.mean if times.n else 1.0,
        time_spread=times.spread,
    )


def _ends(x: Statistics | None, n_states: int) -> np.ndarray:
    """How often each state is the last of its section, as far as the test left it; half where it left nothing."""
    counts = np.zeros((n_states, 2))
    if x is not None:
        counts[x.row, x.item] = x.count
    known = counts.sum(1)
    return np.where(known > 0, counts[:, 1] / np.maximum(known, 1), 0.5)


def indexed(x: Statistics, row: np.ndarray | None = None, weights: str = "inverse") -> law_index.Laws:
    """Index what the test kept; with inverse weights, as published, rare trends speak loudest."""
    rows = x.row if row is None else row
    for what, have in (("cluster", x.cluster), ("value", x.value), ("row", rows)):
        if have.max(initial=0) >= law_index.LARGEST[what]:
            raise InputError(
                f"markov-ratio: more than {law_index.LARGEST[what]} different {what}s cannot be told apart."
            )
    support = np.asarray(x.support, np.float64)
    weight = {"inverse": 1.0 / support, "equal": np.ones(len(support)), "support": support}[weights]
    key = x.family.astype(np.int64)
    key = (key << law_index.CLUSTER_BITS) | (x.cluster + 1)
    key = (key << law_index.VALUE_BITS) | np.maximum(x.value, 0)
    key = (key << law_index.ROW_BITS) | rows
    return law_index.laws(key, x.item, x.count, x.mean, x.spread, weight, x.out_of)

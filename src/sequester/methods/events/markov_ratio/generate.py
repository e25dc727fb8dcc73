"""From tested statistics to a synthetic log: lay the laws out and walk them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sequester.errors import InputError, counted
from sequester.methods.events.markov_ratio.ensemble import VALUES, Ensemble, Family, Statistics
from sequester.methods.events.markov_ratio.kernels import ensemble as walk
from sequester.methods.events.markov_ratio.kernels import law_index
from sequester.methods.events.markov_ratio.sections import DAY, Sections
from sequester.methods.events.shared.rules import Rules
from sequester.model import EventLog
from sequester.primitives.xoshiro import state_from

PARTS = 8
Part = Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray, np.ndarray]]
MOST_TIMES = 3
"""How many times the events read a section filled by time alone may write: beyond it the result is no log of these
people any more."""


def generate(
    data: EventLog,
    s: Sections,
    inner: Ensemble,
    outer: Ensemble,
    year0: int,
    *,
    rules: Rules,
    poisson: bool,
    sized: bool,
    max_events: int,
    generator: np.random.Generator,
    threads: int = 1,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """States, times and offsets of a synthetic log with as many objects as each date of the original had."""
    begin = s.times[s.bounds[:-1]]
    dates, means, spreads = starts(begin[s.of_object[:-1]], np.diff(s.of_object), s.has_clock)
    if poisson:
        day, at, size = np.unique(dates, return_index=True, return_counts=True)
        again = generator.poisson(size)
        dates, means, spreads = (np.repeat(x, again) for x in (day, means[at], spreads[at]))
    bars, finals = rules.masks(data.state_names)
    inside = np.ones(len(data.states), bool)
    inside[s.bounds[1:] - 1] = False
    gaps = np.diff(s.times, append=0)[inside]
    moved = np.ones(s.n, bool)
    moved[s.of_object[1:] - 1] = False
    leaves = np.zeros(len(data.state_names), bool)
    leaves[data.states[inside]] = True
    followed, preceded = neighbourhood(data)
    hours = begin % DAY // 3600 if s.has_clock else np.zeros(s.n, np.int64)
    plan = walk.Plan(
        hours=np.cumsum(np.bincount(hours, minlength=24)),
        length_mean=float(s.durations.mean()),
        length_spread=float(s.durations.std()),
        leaves=leaves,
        ends=_ends(inner.end, len(leaves)),
        openers=~preceded,
        bars=bars,
        finals=finals | ~followed,
        has_clock=s.has_clock,
        has_hours=data.time_unit == "second",
        unit=0 if sized and (gaps == 0).any() else 1,
        sized=sized,
        max_events=max_events,
    )
    most = MOST_TIMES * len(data.states)
    chains = _chain(outer, np.diff(begin, append=0)[moved], by_hour=False), _chain(inner, gaps, by_hour=True)
    # Always as many parts, whatever the machine: a seed then repeats the run anywhere.
    edges = np.linspace(0, len(dates), PARTS + 1).astype(int)

    def part(i: int, own: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        at = slice(edges[i], edges[i + 1])
        objects = walk.Objects(dates[at], means[at], spreads[at])
        return walk.synthesize(state_from(own), objects, year0, *chains, plan, most)

    states, times, offsets = joined(part, generator, threads)
    if len(states) > most and not sized:
        raise InputError(
            f"markov-ratio: filling time slots wrote more than {counted(MOST_TIMES, 'time')} the "
            f"{counted(len(data.states), 'event')} that "
            "were read, because gaps do not know how long their slot is. Use synthesis='measured'."
        )
    return states, times, offsets


def joined(part: Part, generator: np.random.Generator, threads: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The parts of a log one after the other, each drawn with a generator of its own."""
    with ThreadPoolExecutor(threads) as pool:
        states, times, bounds = zip(*pool.map(part, range(PARTS), generator.spawn(PARTS)), strict=True)
    sizes = np.concatenate([np.diff(b) for b in bounds])
    return np.concatenate(states), np.concatenate(times), np.r_[0, np.cumsum(sizes)]


def neighbourhood(data: EventLog) -> tuple[np.ndarray, np.ndarray]:
    """States that something ever follows, and states that something ever precedes."""
    followed, preceded = np.zeros((2, len(data.state_names)), bool)
    goes_on = np.ones(len(data.states), bool)
    goes_on[data.offsets[1:] - 1] = False
    followed[data.states[goes_on]] = True
    preceded[data.states[1:][goes_on[:-1]]] = True
    return followed, preceded


def families(kinds: list[Family]) -> law_index.Families:
    """As the kernels take them."""
    return law_index.Families(
        by_cluster=np.array([f.by_cluster for f in kinds]),
        factor=np.array([VALUES.index(f.factor) if f.factor else -1 for f in kinds]),
    )


def starts(first: np.ndarray, sections: np.ndarray, has_clock: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Date of every new object, with mean and spread of the number of sections on that date."""
    day = first // DAY if has_clock else np.zeros(len(first), np.int64)
    dates, back = np.unique(day, return_inverse=True)
    size = np.bincount(back)
    mean = np.bincount(back, sections) / size
    spread = np.sqrt(np.maximum(np.bincount(back, sections.astype(float) ** 2) / size - mean**2, 0))
    return dates[back], mean[back], spread[back]


def _chain(ensemble: Ensemble, times: np.ndarray, *, by_hour: bool) -> walk.Chain:
    assert ensemble.hour is not None and ensemble.near is not None
    return walk.Chain(
        families=families(ensemble.families),
        start=indexed(ensemble.start),
        hour=indexed(ensemble.hour, row=ensemble.hour.item if by_hour else None),
        move=indexed(ensemble.move),
        near=indexed(ensemble.near),
        time_mean=float(times.mean()) if len(times) else 1.0,
        time_spread=float(times.std()) if len(times) else 0.0,
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

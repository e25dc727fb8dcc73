"""Made event logs, one per way in which durations can be odd: hours to years, heavy tails, bulk moments, few people."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

import sequester as sq

DAY, HOUR = 86400, 3600
DATES = "2019-01-01..2023-12-31"
FIRST, DAYS = np.datetime64("2019-01-01", "s").astype(np.int64), 1826
Spans = Callable[[np.random.Generator, int], np.ndarray]


class Made(NamedTuple):
    """What is put into a log."""

    people: int
    codes: int
    events: float
    """Mean number of events of a case."""
    spans: Spans
    """Seconds from first to last event of so many cases."""
    at_once: float = 0.3
    """Share of events at the moment of the one before."""
    unit: str = "second"
    seasonal: bool = False


def _stay(days: float, spread: float) -> Spans:
    return lambda g, n: DAY * g.lognormal(np.log(days), spread, n)


def _mixed(share: float, one: Spans, other: Spans) -> Spans:
    return lambda g, n: np.where(g.random(n) < share, one(g, n), other(g, n))


def _again(stay: Spans, share: float, after: Spans) -> Spans:
    return lambda g, n: stay(g, n) + np.where(g.random(n) < share, after(g, n), 0.0)


MADE = {
    "emergency, hours": Made(3000, 25, 9, lambda g, n: HOUR * g.gamma(3, 1.5, n)),
    "wards, lognormal": Made(1000, 40, 18, _stay(4, 1.0), seasonal=True),
    "readmissions": Made(1200, 60, 14, _again(_stay(4, 0.8), 0.2, _stay(180, 0.9))),
    "same day and years": Made(2000, 120, 25, _mixed(0.7, lambda g, n: HOUR * g.gamma(2, 2, n), _stay(500, 0.5))),
    "few years among hours": Made(2500, 20, 8, _mixed(0.97, lambda g, n: HOUR * g.gamma(2, 2, n), _stay(500, 0.5))),
    "bulk moments": Made(800, 300, 40, _stay(30, 1.0), at_once=0.85),
    "dates, seasonal": Made(600, 200, 30, _stay(90, 0.9), at_once=0.7, unit="day", seasonal=True),
    "dates, mostly one day": Made(1500, 12, 4, _mixed(0.6, lambda g, n: np.zeros(n), _stay(20, 1.1)), unit="day"),
    "registry, years": Made(300, 10, 6, lambda g, n: DAY * g.uniform(30, 1400, n), at_once=0.05),
    "many codes": Made(4000, 600, 20, _stay(2, 1.3)),
    "one length of stay": Made(1200, 12, 10, lambda g, n: np.full(n, 16.0 * DAY)),
    "power law 1.5": Made(5000, 30, 12, lambda g, n: DAY * g.pareto(1.5, n)),
    "power law 0.9": Made(1200, 12, 10, lambda g, n: HOUR * g.pareto(0.9, n)),
    "wide lognormal": Made(400, 15, 10, _stay(0.25, 2.5)),
}


@cache
def made_log(name: str) -> sq.EventLog:
    """One of `MADE`; longer cases have more events, and cases end within the range."""
    made, g = MADE[name], np.random.default_rng([len(name), MADE[name].people])
    n = made.people
    spans = np.minimum(made.spans(g, n), 0.9 * DAYS * DAY)
    rank = np.argsort(np.argsort(spans)) / n
    sizes = 1 + (spans > 0) + g.poisson(g.gamma(1.5, 1 / 1.5, n) * made.events * (0.4 + 1.2 * rank))
    begin = FIRST + g.random(n) * (DAYS * DAY - spans - 1)
    if made.seasonal:  # winters have three times as many starts as summers
        winter = np.abs(np.arange(-31, 32))[g.integers(0, 63, n)] * DAY
        begin = np.minimum(begin // (365 * DAY) * 365 * DAY + 365 * DAY / 4 + winter, begin + 60 * DAY)
        begin = np.clip(begin, FIRST, FIRST + DAYS * DAY - spans - 1)
    states, times = [], []
    usual = 1 / np.arange(1, made.codes + 1)
    for i in range(n):
        inside = g.random(sizes[i]) ** 1.5  # more happens early
        inside[g.random(sizes[i]) < made.at_once] = 0.0
        inside = np.sort(np.maximum.accumulate(inside) if made.at_once > 0.5 else inside)
        inside[0], inside[-1] = 0.0, 1.0 if sizes[i] > 1 else 0.0
        times.append(begin[i] + spans[i] * inside)
        first = g.choice(made.codes, p=usual / usual.sum())
        states.append((first + np.cumsum(g.choice(4, sizes[i], p=(0.3, 0.4, 0.2, 0.1)))) % made.codes)
    every = np.concatenate(times).astype(np.int64)
    return sq.EventLog(
        offsets=np.r_[0, np.cumsum(sizes)], states=np.concatenate(states).astype(np.int64),
        state_names=tuple(f"s{i}" for i in range(made.codes)), time_unit=made.unit,
        times=every // DAY * DAY if made.unit == "day" else every,
    )  # fmt: skip

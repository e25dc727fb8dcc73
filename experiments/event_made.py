"""Made event logs, one per way in which durations can be odd: hours to years, heavy tails, bulk moments, few people.

Beside them `NEWCOMERS`: six logs in the shape of a kind of care, written after everything was tuned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    "few readmissions": Made(500, 20, 8, _again(_stay(4, 0.8), 0.05, _stay(300, 0.6))),
}

Case = list[tuple[float, int]]
"""Seconds since the start of the range, and a state."""


def _codes(g: np.random.Generator, some: int, n: int) -> list[int]:
    usual = 1 / np.arange(1, some + 1)
    return g.choice(some, n, p=usual / usual.sum()).tolist()


def _yearly_visits(g: np.random.Generator) -> Iterator[Case]:
    """Outpatients: a visit a year, each with a bundle of codes within two hours."""
    for _ in range(900):
        n = min(int(g.geometric(0.25)), 9)
        begin = g.integers(0, max(2, (9 - n) * 365))
        case: Case = []
        for year in range(n):
            at = DAY * (begin + round(365 * year + g.normal(0, 20))) + HOUR * g.normal(10, 2)
            case += [(at, 0), *((at + g.integers(0, 7200), 1 + code) for code in _codes(g, 30, g.poisson(4)))]
        yield case


def _intensive_care(g: np.random.Generator) -> Iterator[Case]:
    """Something every quarter to fourth hour, from admission to discharge; at times the records break off."""
    for _ in range(450):
        at = begin = DAY * g.uniform(0, 3 * 365)
        end = begin + DAY * min(g.lognormal(np.log(2.2), 0.9), 60)
        case: Case = [(begin, 10)]
        while (at := at + 60 * g.exponential(g.choice([15, 60, 240], p=[0.2, 0.5, 0.3]))) < end and g.random() > 0.002:
            case.append((at, _codes(g, 10, 1)[0]))
        yield [*case, (max(min(at, end), begin + 60), 11)]


def _dialysis(g: np.random.Generator) -> Iterator[Case]:
    """Three times a week, at one time of the day, for up to two years."""
    for _ in range(350):
        years = min(g.exponential(2.5) + 0.05, 8)
        day, shift = int(365 * g.uniform(0, 8.5 - years)), g.choice([6, 12, 18])
        case: Case = [(DAY * day + HOUR * shift, 0)]
        for n in range(min(int(years * 156), 330)):
            at = DAY * day + HOUR * shift + g.normal(0, 900)
            if g.random() > 0.04:
                case += [(at, 0), (at + 4 * HOUR + g.normal(0, 600), 1)]
                case += [(at + HOUR, code) for code, often in ((2, 0.08), (3, 0.03)) if g.random() < often]
            day += 3 if n % 3 == 2 else 2
        yield [*case, (DAY * (day + g.exponential(3)), 4)] if g.random() < 0.3 else case


def _referrals(g: np.random.Generator) -> Iterator[Case]:
    """Dates alone: weeks to triage, months to the first visit, half of them operated months later."""
    for _ in range(1500):
        day = g.uniform(0, 5 * 365)
        case: Case = [(day, 0), (day := day + g.gamma(2, 4), 1)]
        if g.random() < 0.12:
            case.append((day + g.gamma(2, 2), 2))
        else:
            day += g.gamma(4, 25)
            case += [(day, 3), *((day, 4 + code) for code in _codes(g, 5, g.poisson(1.5)))]
            if g.random() < 0.5:
                case += [(day := day + g.gamma(3, 40), 9), (day := day + g.gamma(2, 1.5), 10)]
            if g.random() < 0.7:
                case.append((day := day + g.gamma(6, 8), 11))
            if g.random() < 0.15:
                case.append((day + g.gamma(2, 200), 0))
        yield [(DAY * day, state) for day, state in case]


def _bursts(g: np.random.Generator) -> Iterator[Case]:
    """Chronic illness: bursts of codes within days, and a heavy-tailed quiet between them."""
    for _ in range(1200):
        at, case = DAY * g.uniform(0, 4 * 365), []
        for _ in range(1 + g.negative_binomial(0.7, 0.25)):
            for code in _codes(g, 15, 1 + g.poisson(5)):
                case.append((at, code))
                at += DAY * g.exponential(0.6) * g.choice([0, 1, 4], p=[0.4, 0.4, 0.2])
            at += 30 * DAY * g.pareto(1.3)
            if at > 9 * 365 * DAY:
                break
        yield case


def _open_cases(g: np.random.Generator) -> Iterator[Case]:
    """Wards; every twentieth case is still open where the log ends after two years."""
    end = 2 * 365 * DAY
    for i in range(2000):
        begin, last = end * g.uniform(), DAY * g.lognormal(np.log(3), 1.1)
        if i % 20 == 0:
            begin, last = end - DAY * g.uniform(0.2, 40), np.inf
        stop = min(begin + last, end)
        at = begin + (stop - begin) * np.sort(g.beta(0.6, 1.2, 1 + g.poisson(3 + 2 * np.log1p((stop - begin) / DAY))))
        middle = [(x, 1 + code) for x, code in zip(at, _codes(g, 7, len(at)))]
        yield [(begin, 0), *middle, *([(stop, 8)] if stop < end else [])]


NEWCOMERS = {
    "outpatients, a visit a year": (_yearly_visits, "second"), "intensive care, minutes": (_intensive_care, "second"),
    "dialysis three times a week": (_dialysis, "second"), "referrals, months": (_referrals, "day"),
    "chronic, in bursts": (_bursts, "second"), "wards, cases still open": (_open_cases, "second"),
}  # fmt: skip
RANGE = "2015-01-01..2024-12-31"
"""The dates anyone would declare for `NEWCOMERS`; wider than what most of them hold."""


@cache
def newcomer(name: str) -> sq.EventLog:
    """One of `NEWCOMERS`."""
    care, unit = NEWCOMERS[name]
    cases = [sorted(case, key=lambda event: event[0]) for case in care(np.random.default_rng(len(name)))]
    begin = np.datetime64("2015-01-01", "s").astype(np.int64)
    times = begin + np.array([t for case in cases for t, _ in case]).astype(np.int64)
    states = np.array([state for case in cases for _, state in case], dtype=np.int64)
    return sq.EventLog(
        offsets=np.r_[0, np.cumsum([len(case) for case in cases])], states=states,
        state_names=tuple(f"s{i}" for i in range(int(states.max()) + 1)), time_unit=unit,
        times=times // DAY * DAY if unit == "day" else times,
    )  # fmt: skip


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

"""How long cases last in made logs of ten kinds of care, released as a newcomer would release them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import sequester as sq
from experiments.event_durations import figures
from experiments.event_made import DAY, HOUR

TITLE = "Event logs: ten kinds of care"
NOTE = """Made logs, each in the shape of a kind of care, written when nothing was tuned any more. `markov-dp` at
epsilon 4, delta 1e-6, three seeds, with what a newcomer declares: so many people (rounded down to fifty) and the years
2015 to 2024; no number of states. `each` are the durations of all seeds (W1 / mean; `event_durations`
says how figures are reckoned) and `middle` is their median; the others are means. The log of 500 people shows a limit:
some 25 of them have a second stay, too few to stand out of the noise where their spans scatter. The last three logs
were written later and tried once; the one of twenty years declares 2000 to 2020. Home dialysis, on three fixed days a
week, shows another limit: one chain knows no person's own weekdays and hour, and 280 people leave noise in hours."""
RUNS = 3


def run() -> Iterator[dict[str, Any]]:
    """A row per kind of care."""
    for name in CARE:
        log = made_care(name)
        people = log.n_records // 50 * 50
        method = sq.MarkovDP(
            epsilon=4.0, delta=1e-6, people_at_least=people, dates=DATES.get(name, "2015-01-01..2024-12-31")
        )
        found = [figures(log, sq.anonymize(log, method, seed=101 + i)) for i in range(RUNS)]
        each = [f.pop("duration") for f in found]
        spans = log.times[log.offsets[1:] - 1] - log.times[log.offsets[:-1]]
        row = {"log": name, "people": people, "days": round(float(spans.mean()) / DAY, 1)}
        row |= {"each": "/".join(f"{x:.2f}" for x in each), "middle": round(float(np.median(each)), 3)}
        means = {key: round(float(np.mean([f[key] for f in found])), 3) for key in found[0]}
        yield row | {key: means[key] for key in means if not (key == "hour" and log.time_unit == "day")}


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


def _few_readmissions(g: np.random.Generator) -> Iterator[Case]:
    """Stays of some days; of one in twenty people a second stay a year later."""
    for _ in range(500):
        at = DAY * g.uniform(0, 5 * 365)
        stays = (0.0, DAY * g.lognormal(np.log(300), 0.6)) if g.random() < 0.05 else (0.0,)
        yield [
            (at + after + day * DAY, code)
            for after in stays
            for day, code in zip(np.sort(g.lognormal(np.log(2), 0.8, 5)), _codes(g, 20, 5))
        ]


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


def _twenty_years(g: np.random.Generator) -> Iterator[Case]:
    """Chronic illness: a visit every one to six months for up to twenty years, and flares of hours."""
    for _ in range(800):
        begin = g.uniform(0, 20 * 365)
        end, day, case = min(begin + 365 * 7 * g.weibull(0.9), 20 * 365), begin, []
        every = g.choice([30, 90, 180], p=[0.2, 0.5, 0.3])
        while day <= end:
            at = DAY * int(day) + HOUR * np.clip(g.normal(11, 2.5), 7, 19)
            case += [(at, 0), *((at + g.integers(0, 5400), 1 + code) for code in _codes(g, 25, g.poisson(1.2)))]
            if g.random() < 0.06:
                for code in _codes(g, 10, 2 + g.poisson(3)):
                    at += HOUR * g.exponential(9)
                    case.append((at, 26 + code))
            day += every * g.lognormal(0, 0.3)
        yield case


def _emergency(g: np.random.Generator) -> Iterator[Case]:
    """Minutes to hours; every eighth person comes back within days."""
    for _ in range(2500):
        at, case = DAY * g.uniform(0, 2 * 365), []
        for _ in range(1 + (g.random() < 0.12)):
            case.append((at, 0))
            case.append((at := at + 60 * g.lognormal(np.log(12), 0.7), 1))
            case.append((at := at + 60 * g.lognormal(np.log(70), 0.9), 2))
            case += [(at := at + 60 * g.exponential(35), 3 + code) for code in _codes(g, 12, g.poisson(2.5))]
            at += HOUR * g.lognormal(np.log(4), 0.8) * (g.random() < 0.3)
            case.append((at, 15 + int(g.choice(3, p=[0.7, 0.25, 0.05]))))
            at += DAY * g.exponential(8)
        yield case


def _home_dialysis(g: np.random.Generator) -> Iterator[Case]:
    """On three fixed days a week, at an hour of one's own, for a month to five years."""
    for _ in range(280):
        weeks = int(np.clip(g.lognormal(np.log(45), 0.9), 1, 260))
        first = int(g.uniform(0, max(5.2 * 365 - 7 * weeks - 10, 1))) // 7 * 7 + int(g.integers(0, 2))
        hour, case = g.normal(18, 3), [(DAY * first + HOUR * 4.5, 0)]
        for week in range(weeks):
            for day in (0, 2, 4):
                at = DAY * (first + 7 * week + day) + HOUR * np.clip(hour + g.normal(0, 0.7), 5, 22)
                if g.random() > 0.05:
                    case += [(at, 1), *([(at + 4 * HOUR, 2 + int(g.integers(0, 3)))] if g.random() < 0.1 else [])]
            if week % 4 == 3:
                case.append((DAY * (first + 7 * week + 3) + HOUR * 10.5, 5))
        yield case


CARE = {
    "outpatients, a visit a year": (_yearly_visits, "second"), "intensive care, minutes": (_intensive_care, "second"),
    "dialysis three times a week": (_dialysis, "second"), "referrals, months": (_referrals, "day"),
    "chronic, in bursts": (_bursts, "second"), "wards, cases still open": (_open_cases, "second"),
    "wards, 5 % readmitted, 500 people": (_few_readmissions, "second"),
    "chronic, visits over twenty years": (_twenty_years, "second"),
    "emergency department, hours": (_emergency, "second"),
    "home dialysis, fixed weekdays": (_home_dialysis, "second"),
}  # fmt: skip
DATES = {"chronic, visits over twenty years": "2000-01-01..2020-12-31"}
"""Declared ranges of those that do not begin in 2015."""


@cache
def made_care(name: str) -> sq.EventLog:
    """The log of a kind of care."""
    care, unit = CARE[name]
    cases = [sorted(case, key=lambda event: event[0]) for case in care(np.random.default_rng(len(name)))]
    begin = np.datetime64(DATES.get(name, "2015-01-01")[:10], "s").astype(np.int64)
    times = begin + np.array([t for case in cases for t, _ in case]).astype(np.int64)
    states = np.array([state for case in cases for _, state in case], dtype=np.int64)
    return sq.EventLog(
        offsets=np.r_[0, np.cumsum([len(case) for case in cases])], states=states,
        state_names=tuple(f"s{i}" for i in range(int(states.max()) + 1)), time_unit=unit,
        times=times // DAY * DAY if unit == "day" else times,
    )  # fmt: skip

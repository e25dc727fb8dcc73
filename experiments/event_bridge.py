"""Gaps drawn so that they add up to the case's span (a bridge), and the share of zero gaps by transition: a trial."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import sequester as sq
from experiments.event_bridge_draw import bridged
from experiments.event_care import made_care
from experiments.event_durations import DATES, figures, log_named
from sequester.dp.randomness import Randomness
from sequester.layouts.log import table_of
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.drawing import Drawing, SpanFit, _span_fit, cuts, shuffled
from sequester.methods.events.markov_dp.generate import Wanted, wanted_objects
from sequester.methods.events.markov_dp.kernels.moves import clipped_totals
from sequester.methods.events.markov_dp.laws import _within, laws
from sequester.methods.events.markov_dp.measured import Measured, model_table
from sequester.methods.events.markov_dp.timed import Model, fitted
from sequester.methods.events.shared.notes import read_rules
from sequester.methods.events.shared.spans import DAY
from sequester.model.kind import take
from sequester.primitives.xoshiro import state_from
from sequester.utility.next_event import features
from sequester.utility.process_model import Log
from sequester.utility.trees import number_tree

TITLE = "Event logs: a bridge for the gaps inside cases"
NOTE = """A trial of something `markov-dp` does not do. It draws the gaps of a case one by one and then cuts or
stretches them to the span the case shall have (*today*). A *bridge* draws them so that they add up to that span: each
gap with its probability times the probability that the gaps after it make up the rest, found on a grid of up to 510
steps per case, by hour and weekday as today; what the grid leaves is fitted as today. Both draw from one of four laws
of gaps. *released*: the method's own. *+ zeros, paid*: with the share of zero gaps of every transition, counted (zero
or not, clipped as transitions are, numpy's noise) with 5 % of rho; everything else has 95 %. *+ zeros, exact*: the
same shares from the original without noise, and *all exact*: the original's gaps by transition and bin. These two are
no releases; they say what the best budget could give. Two rows of one law share states, spans and seeds. Seven tenths
of the people make the release (seeds 101 to 103, delta 1e-6; figures are means), and distances compare it with them:
`duration` to `class` as in `event_durations`; `zero_by` is the mean error of the share of zero gaps by transition,
weighted by how often the original has it; `middle` the mean distance of how much of its span a case of more than 16
events has behind it at half of its events. `remaining` is the mean error of the time to the end of a case, foretold
after every event of the other three tenths by two trees trained on the release, divided by that of trees trained on
its people; `inside` is the same in cases of more than 16 events, `in logs` the same of logarithms of days. *constant*
is what always saying the median gives: where it is near 1, the people themselves teach nothing and the column ranks
nothing. The number of states is not declared, so the plain tables are measured. Share and logs were settled before the
first figures. After one seed was seen on three logs, days of a coarse grid were split between its steps, and *all
exact* and today's way for every law were added; after one log and budget, `middle` and `in logs`, and the grid was
halved (from 512) and the trees too (from four) for speed."""
SHARE = 0.05
"""Part of rho that shares of zero gaps would cost."""
SEEDS = (101, 102, 103)
LOGS = ("BPIC 2011 by group", "BPIC 2011 by activity", "Sepsis", "chronic, in bursts", "wards, cases still open")
SHOWN = ("duration", "gap", "gap_ks", "zero", "hour", "weekday", "class")
ROWS, TREES, LONG = 10_000, 2, 16


class Drawn(NamedTuple):
    """A drawn log before its gaps are bridged, and what it was drawn from."""

    drawing: Drawing
    measured: Measured
    fit: SpanFit


def run() -> Iterator[dict[str, Any]]:
    """Two ways to draw gaps from four laws, for every log and budget."""
    for name in LOGS:
        made, others = _halves(name)
        for epsilon in (1.0, 4.0):
            found: dict[tuple[str, str], list[dict[str, float]]] = {}
            for seed in SEEDS:
                for known, way, row in _ways(made, others, _method(name, made, epsilon), seed):
                    found.setdefault((known, way), []).append(row)
            for (known, way), rows in found.items():
                means = {key: round(float(np.mean([row[key] for row in rows])), 3) for key in rows[0]}
                if made.time_unit == "day":
                    del means["hour"]
                yield {"log": name, "epsilon": epsilon, "law of gaps": known, "way": way} | means


def _halves(name: str) -> tuple[sq.EventLog, sq.EventLog]:
    log = log_named(name) if name in DATES else made_care(name)
    order = np.random.default_rng(7).permutation(log.n_records)
    cut = int(0.7 * log.n_records)
    return take(log, np.sort(order[:cut])), take(log, np.sort(order[cut:]))


def _method(name: str, log: sq.EventLog, epsilon: float) -> sq.MarkovDP:
    dates = DATES.get(name, "2015-01-01..2024-12-31")
    return sq.MarkovDP(epsilon=epsilon, delta=1e-6, people_at_least=log.n_records, dates=dates)


def _ways(
    made: sq.EventLog, others: sq.EventLog, method: sq.MarkovDP, seed: int
) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Figures of today's gaps and of the bridge, by what is known of gaps."""
    full, less = (_drawn(made, m, seed) for m in (method, _with_less(method, 1 - SHARE)))
    rho = SHARE * method.ledger().total
    best = {d.measured.names: _trees(*_prefixes(_folded(made, d.measured.names))) for d in (full, less)}
    for known, drawn in (
        ("released", full),
        ("+ zeros, paid", _with_law(less, _with_zeros(less, _zero_shares(made, less.measured, rho, seed)), seed)),
        ("+ zeros, exact", _with_law(full, _with_zeros(full, _zero_shares(made, full.measured, None, seed)), seed)),
        ("all exact", _with_law(full, _exact_law(made, full), seed)),
    ):
        for way, log in (("today", _today(drawn)), ("bridge", _bridge(drawn))):
            yield known, way, _scores(made, others, drawn, best[drawn.measured.names], log)


def _with_less(method: sq.MarkovDP, part: float) -> sq.MarkovDP:
    """The same method with so much of its rho."""
    low, high, wanted = 0.0, method.epsilon, part * method.ledger().total
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if replace(method, epsilon=middle).ledger().total < wanted else (low, middle)
    return replace(method, epsilon=high, force=True)


def _drawn(log: sq.EventLog, method: sq.MarkovDP, seed: int) -> Drawn:
    """As the method does it, up to the point at which gaps are fitted."""
    rng, plan, rules = Randomness(seed=seed), method.design(log.time_unit), read_rules(None, "markov-dp")
    measured = method.measure(log, rng.noise, method.ledger())
    assert not measured.tables, "the bridge knows the plain tables alone"
    learned = laws(measured, plan, rules)
    model = fitted(learned, measured, plan, rules, rng.secret)
    wanted = shuffled(wanted_objects(learned, rng.secret), rng.secret)
    return _ready(model, wanted, measured, plan, rng.secret)


def _ready(model: Model, wanted: Wanted, measured: Measured, plan: Design, generator: np.random.Generator) -> Drawn:
    model = replace(model, laid=None).finished(int(wanted.lengths.max(initial=1)))
    drawing = Drawing(model, wanted, plan, tuple(generator.integers(0, 2**32, size=8).tolist()))
    blocks = cuts(wanted.lengths)
    fit = _span_fit(drawing, measured, map(drawing.spans, blocks), blocks, generator)
    assert fit is not None
    return Drawn(drawing, measured, fit)


def _with_law(drawn: Drawn, law: np.ndarray, seed: int) -> Drawn:
    """The same model with another law of gaps by transition: (from, to, bin)."""
    source, n = drawn.drawing.source, len(law)
    rows = np.cumsum(law.reshape(n * n, -1), axis=1)
    model = replace(source, laws=replace(source.laws, gap_rows=rows, gap_row=np.arange(n * n).reshape(n, n)))
    d = drawn.drawing
    return _ready(model, d.wanted, drawn.measured, d.plan, np.random.default_rng(seed))


LogParts = tuple[np.ndarray, np.ndarray, np.ndarray]


def _joined(parts: list[LogParts]) -> LogParts:
    sizes = np.concatenate([np.diff(o) for _, _, o in parts])
    states, times = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    return states, times, np.r_[0, np.cumsum(sizes)]


def _today(drawn: Drawn) -> LogParts:
    parts = []
    for cut in cuts(drawn.drawing.wanted.lengths):
        block, generator = drawn.drawing.block(cut)
        parts.append((block[0], drawn.fit.apply(drawn.drawing, block, cut, generator), block[2]))
    return _joined(parts)


def _bridge(drawn: Drawn) -> LogParts:
    """The same states and spans with other gaps; weekdays are corrected twice, on the first cases."""
    source, weekdays = drawn.drawing.source, drawn.drawing.source.laws.weekdays
    law = _gap_law(source)
    grain = DAY if drawn.drawing.plan.unit == "day" else 1
    blocks, parts = cuts(drawn.drawing.wanted.lengths), []
    fit = drawn.fit._replace(weekdays=weekdays)
    for turn, cut in enumerate([*blocks[:1] * 2, *blocks]):
        trial = turn < 2
        (states, times, offsets), generator = drawn.drawing.block(cut)
        if trial:
            offsets = offsets[:301]
            states, times = states[: offsets[-1]], times[: offsets[-1]]
        targets = fit.targets[cut.begin : cut.begin + len(offsets) - 1]
        hours = source.hours if grain == 1 else np.ones_like(source.hours)
        times = bridged(
            state_from(generator), (states, times, offsets), targets, law, source.measured.grid.edges,
            hours, fit.weekdays, grain,
        )  # fmt: skip
        here = cut._replace(end=cut.begin + len(offsets) - 1)
        times = fit.apply(drawn.drawing, (states, times, offsets), here, generator)
        if trial:
            seen = np.bincount((times // DAY + 3) % 7, minlength=7) / len(times)
            fit = fit._replace(weekdays=fit.weekdays * np.clip((weekdays / 7 + 0.01) / (seen + 0.01), 0.2, 5.0))
        else:
            parts.append((states, times, offsets))
    return _joined(parts)


def _gap_law(source: Model) -> np.ndarray:
    """(from, to, bin): shares of the bins of gaps, the first of which holds zero gaps alone."""
    law = np.diff(source.laws.gap_rows, axis=1, prepend=0.0)[source.laws.gap_row]
    return law / np.maximum(law.sum(2, keepdims=True), 1e-300)


def _with_zeros(drawn: Drawn, shares: np.ndarray) -> np.ndarray:
    """The released law with these shares of zero gaps."""
    law = _gap_law(drawn.drawing.source)
    longer = law[:, :, 1:].sum(2)
    law[:, :, 1:] *= ((1 - shares) / np.maximum(longer, 1e-12))[:, :, None]
    law[:, :, 0] = np.where(longer > 1e-12, shares, 1.0)
    return law


def _exact_law(log: sq.EventLog, drawn: Drawn) -> np.ndarray:
    """The original's own law, where it has the transition."""
    m, law = drawn.measured, _gap_law(drawn.drawing.source)
    n, (states, times, offsets) = len(m.names), _folded(log, m.names)
    later = np.delete(np.arange(len(states)), offsets[:-1])
    bins = np.clip(np.searchsorted(m.grid.edges, times[later] - times[later - 1], "right") - 1, 0, m.grid.bins - 1)
    y = np.bincount((states[later - 1] * n + states[later]) * m.grid.bins + bins, minlength=law.size)
    y = y.reshape(law.shape)
    return np.where(y.sum(2, keepdims=True) > 0, y / np.maximum(y.sum(2, keepdims=True), 1), law)


def _zero_shares(log: sq.EventLog, m: Measured, rho: float | None, seed: int) -> np.ndarray:
    """(from, to): share of zero gaps, under noise of that rho or (a trial's best case) without."""
    n, (states, times, offsets) = len(m.names), _folded(log, m.names)
    zero = np.diff(times, prepend=times[:1]) == 0
    cells = (np.r_[0, states[:-1]] * n + states) * 2 + ~zero
    cells[offsets[:-1]] = -1
    if rho is None:
        y = np.bincount(cells[cells >= 0], minlength=2 * n * n).astype(float)
        sd = 1e-3
    else:
        y = clipped_totals(cells, offsets, np.ones(len(offsets) - 1), m.pairs_clip, 2 * n * n)
        sd = m.pairs_clip / np.sqrt(2 * rho)
        y = y + np.random.default_rng(seed).normal(0, sd, len(y))
    assert m.gaps_to is not None
    usual = np.maximum(m.gaps_to.values.reshape(n, -1), 0.0)
    first = usual[:, 0] / np.maximum(usual.sum(1), 1e-9)
    parent = np.tile(np.stack([first, 1 - first], axis=1), (n, 1))
    return np.clip(_within(y.reshape(-1, 2), parent, float(sd))[:, 0], 0.0, 1.0).reshape(n, n)


def _folded(log: sq.EventLog, names: tuple[str, ...]) -> LogParts:
    """A log in the names of a release; the last one stands for all others."""
    code = {name: i for i, name in enumerate(names)}
    known = np.array([code.get(name, len(names) - 1) for name in log.state_names])
    return known[log.states].astype(np.int64), log.times, log.offsets


def _scores(made: sq.EventLog, others: sq.EventLog, drawn: Drawn, best_trees: Any, log: LogParts) -> dict[str, float]:
    names, plan = drawn.measured.names, drawn.drawing.plan
    events = table_of(log[0], log[1], log[2], names, plan.unit, {}, first=1)
    model = model_table(drawn.measured, drawn.drawing.source.laws, plan)
    found = figures(made, SimpleNamespace(tables={"events": events, "model": model}))
    own, test = _folded(made, names), _folded(others, names)
    more = {"zero_by": _zero_by(own, log, len(names)), "middle": _middle(own, log)}
    return {key: found[key] for key in SHOWN} | more | _foretold(best_trees, own, log, test)


def _zero_by(own: LogParts, log: LogParts, n: int) -> float:
    tables = []
    for states, times, offsets in (own, log):
        later = np.delete(np.arange(len(states)), offsets[:-1])
        pair = states[later - 1].astype(np.int64) * n + states[later]
        zero = (times[later] == times[later - 1]).astype(float)
        tables.append((np.bincount(pair, minlength=n * n), np.bincount(pair, zero, minlength=n * n)))
    (many, none), (seen, theirs) = tables
    both = (many > 0) & (seen > 0)
    missed = np.abs(none[both] / many[both] - theirs[both] / seen[both])
    return float(missed @ many[both] / many[both].sum())


def _foretold(best_trees: Any, own: LogParts, log: LogParts, test: LogParts) -> dict[str, float]:
    """Errors of the remaining time on other people, over those of trees trained on the people themselves."""
    x, days = _prefixes(test)
    long = np.repeat(np.diff(test[2]) > LONG, np.diff(test[2]))
    every = np.ones(len(x), bool)
    guesses = (best_trees(x), _trees(*_prefixes(log))(x), np.median(_prefixes(own)[1]))
    out = {}
    for name, rows, scale in (
        ("remaining", every, np.asarray),
        ("inside", long, np.asarray),
        ("in logs", long, np.log1p),
    ):
        best, ours, fixed = (np.abs(scale(guess) - scale(days))[rows].mean() for guess in guesses)
        out |= {name: float(ours / best), f"{name}, constant": float(fixed / best)}
    return out


def _middle(own: LogParts, log: LogParts) -> float:
    """Mean distance of how much of its span a long case has behind it when it has half of its events."""
    passed = []
    for _, times, offsets in (own, log):
        begin, end = offsets[:-1], offsets[1:] - 1
        span = times[end] - times[begin]
        kept = (end - begin >= LONG) & (span > 0)
        half = times[(begin + end) // 2] - times[begin]
        passed.append(half[kept] / span[kept])
    at = (np.arange(1000) + 0.5) / 1000
    return float(np.abs(np.quantile(passed[0], at) - np.quantile(passed[1], at)).mean())


def _prefixes(log: LogParts) -> tuple[np.ndarray, np.ndarray]:
    """What is known after every event, and the days that are left of its case."""
    states, times, offsets = log
    whole = Log(states=states, times=times, offsets=offsets, n_states=int(states.max()) + 1)
    ends = np.repeat(times[offsets[1:] - 1], np.diff(offsets))
    return features(whole, clock=True)[0], (ends - times) / DAY


def _trees(x: np.ndarray, days: np.ndarray) -> Any:
    """The mean of some trees, each grown on other rows, of the logarithm of days."""
    g = np.random.default_rng(0)
    rows = [g.choice(len(x), min(len(x), ROWS), replace=False) for _ in range(TREES)]
    grown = [number_tree(x[r], np.log1p(days[r])) for r in rows]
    return lambda u: np.expm1(np.mean([tree.predict(u) for tree in grown], axis=0))

"""From released numbers to laws that can be drawn from. Nothing here sees the log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.kernels.moves import shrunk
from sequester.methods.events.markov_dp.leading import Leading, leading
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.shared.notes import Rules
from sequester.primitives.noisy_fit import simplex, smooth


@dataclass(frozen=True, kw_only=True)
class Laws:
    """A length, a chain and a clock."""

    n_objects: int
    variants: list[np.ndarray]
    variant_weights: np.ndarray
    """Expected objects per variant."""
    length_weights: np.ndarray
    length_edges: np.ndarray
    pairs: np.ndarray
    """(S+1) x (S+1) transitions as they were counted, clipped object by object, without their noise."""
    chain: np.ndarray
    """(S+1) x (S+1) probabilities, START last row, END last column."""
    contexts: np.ndarray
    """Cells `a * (S+1) + b` whose next state has a law of its own."""
    context_rows: np.ndarray
    gap_rows: np.ndarray
    """Cumulative shares over gap bins."""
    gap_row: np.ndarray
    """(from, to) → row."""
    days: np.ndarray
    """Weight of every day of the range as a start."""
    start_hours: np.ndarray
    hours: np.ndarray
    weekdays: np.ndarray
    leading: Leading | None


def normsub(x: np.ndarray, total: float) -> np.ndarray:
    """The nearest non-negative vector with that sum: subtract one constant, clip at zero."""
    if np.size(x) == 0 or total <= 0:
        return np.zeros(np.shape(x))
    return (total * simplex(np.ravel(x) / total)).reshape(np.shape(x))


def laws(m: Measured, plan: Design, rules: Rules) -> Laws:
    """Post-process everything that was measured."""
    n = max(1, round(m.people))
    bars, finals = rules.masks(m.names)
    pairs = _balanced(_pairs(m, bars, finals))
    chain = rows_of(pairs)
    kept = [i for i, v in enumerate(m.variants) if _allowed(v, bars, finals)]
    weights = np.maximum(m.variant_counts[kept], 0.0)
    gap_rows, gap_row = _gap_rows(m)
    days, start_hours, hours, weekdays = _clock(m, plan)
    return Laws(
        n_objects=n,
        variants=[m.variants[i] for i in kept],
        variant_weights=weights,
        length_weights=m.length_law(),
        length_edges=m.length_edges,
        pairs=pairs,
        chain=chain,
        contexts=m.contexts,
        context_rows=_context_rows(m, chain),
        gap_rows=gap_rows,
        gap_row=gap_row,
        days=days,
        start_hours=start_hours,
        hours=hours,
        weekdays=weekdays,
        leading=leading(m, plan),
    )


def _allowed(trace: np.ndarray, bars: np.ndarray, finals: np.ndarray) -> bool:
    if finals[trace[:-1]].any():
        return False
    if not len(bars):
        return True
    return not any(bars[a, trace[i + 1 :]].any() for i, a in enumerate(trace))


def _pairs(m: Measured, bars: np.ndarray, finals: np.ndarray) -> np.ndarray:
    """Transitions without their noise, each a multiple of what the totals of its row and column make one expect."""
    assert m.pairs is not None
    side, sd = len(m.names) + 1, m.pairs.sd
    legal = np.ones((side, side), bool)
    legal[-1, -1] = False
    legal[:-1, :-1] &= ~finals[:, None]
    if len(bars):
        legal[:-1, :-1] &= ~bars
    y = np.where(legal, m.pairs.values.reshape(side, side), 0.0)
    total = max(float(y.sum()), sd)
    go, come = normsub(y.sum(1), total), normsub(y.sum(0), total)
    go[:-1] = come[:-1] = (go[:-1] + come[:-1]) / 2  # what enters a state leaves it
    expected = np.outer(np.maximum(go, sd / 2), np.maximum(come, sd / 2)) / total
    out = np.zeros((side, side))
    out[legal] = shrunk(y[legal], expected[legal], sd, centre="median")
    return out


def _balanced(pairs: np.ndarray) -> np.ndarray:
    """The same with as much entering every state as leaving it."""
    counts = pairs.copy()
    for _ in range(30):
        come, go = counts[:, :-1].sum(0), counts[:-1].sum(1)
        both = (come > 0) & (go > 0)
        tilt = np.ones(len(counts) - 1)
        tilt[both] = np.clip((come[both] / go[both]) ** 0.25, 0.8, 1.25)
        counts[:-1] *= tilt[:, None]
        counts[:, :-1] /= tilt
    return counts


def rows_of(counts: np.ndarray) -> np.ndarray:
    """Probabilities of the next state; a state nothing was seen to leave ends the trace."""
    total = counts.sum(1, keepdims=True)
    chain = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    chain[np.flatnonzero(total[:-1, 0] <= 0), -1] = 1.0
    if total[-1, 0] <= 0:
        chain[-1, :-1] = 1.0 / (len(counts) - 1)
    return chain


def _context_rows(m: Measured, chain: np.ndarray) -> np.ndarray:
    """The next state after two, for frequent pairs, as multiples of what the chain expects."""
    side = len(m.names) + 1
    if m.triples is None or not len(m.contexts):
        return np.zeros((0, side))
    y, sd = m.triples.values.reshape(-1, side), m.triples.sd
    parent = chain[m.contexts % side]
    legal = parent > 0  # what the chain forbids stays forbidden
    expected = np.maximum(y.sum(1, keepdims=True), sd) * parent
    e = sd * parent
    e[legal] += shrunk(y[legal], expected[legal], sd, centre="mean")
    return e / e.sum(1, keepdims=True)


def _within(y: np.ndarray, parent: np.ndarray, sd: float) -> np.ndarray:
    """Rows of shares, cells being multiples of what the parent's shares make one expect."""
    x = shrunk(y, np.maximum(y.sum(1, keepdims=True), sd) * parent, sd, centre="mean")
    mass = x.sum(1, keepdims=True)
    return np.where(mass > 0, x / np.where(mass > 0, mass, 1.0), parent)


def _shares(y: np.ndarray, sd: float) -> np.ndarray:
    return simplex(y / max(float(y.sum()), sd))


def _day_shares(y: np.ndarray, sd: float) -> np.ndarray:
    """Shares of 24 hours, their rhythm smoothed as far as noise explains its waves."""
    return _shares(smooth(y[:, None], sd)[:, 0], sd)


def _gap_rows(m: Measured) -> tuple[np.ndarray, np.ndarray]:
    n_states = len(m.names)
    if m.gaps_to is None or m.gaps_pair is None:  # an order alone has no gaps
        return np.ones((n_states, 1)), np.zeros((n_states, n_states), np.int64)
    to = m.gaps_to.values.reshape(n_states, -1)
    everyone = _shares(to.sum(0), m.gaps_to.sd * np.sqrt(n_states))
    by_state = _within(to, np.broadcast_to(everyone, to.shape), m.gaps_to.sd)
    side = n_states + 1
    a, b = m.gap_pairs // side, m.gap_pairs % side
    between = m.gaps_pair.values.reshape(len(a), -1) if len(a) else np.zeros((0, to.shape[1]))
    by_pair = _within(between, by_state[b], m.gaps_pair.sd)
    row = np.tile(np.arange(n_states), (n_states, 1))
    row[a, b] = n_states + np.arange(len(a))
    return np.cumsum(np.r_[by_state, by_pair], axis=1), row


def _clock(m: Measured, plan: Design) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Weight of every start day, start hours, hours by state (x 24, so that 1 is no preference) and weekdays (x 7)."""
    n_states = len(m.names)
    if m.starts is None or m.clock is None:
        return np.ones(1), np.ones(24), np.ones((n_states, 24)), np.ones(7)
    h = 24 if m.state_hours is not None else 0
    s, c = m.starts, m.clock
    start_hours = _day_shares(s.values[:h], s.sd) if h else np.r_[1.0, np.zeros(23)]
    start_weekdays, seasons = _shares(s.values[h : h + 7], s.sd), _shares(s.values[h + 7 :], s.sd)
    by_weekday = start_weekdays[(plan.days + 3) % 7]
    in_season = np.bincount(plan.season_of_day, by_weekday, minlength=len(seasons))
    share = seasons / np.maximum(in_season, 1e-300)
    days = share[plan.season_of_day] * by_weekday
    if days.sum() <= 0:
        days = np.ones(len(plan.days))
    weekdays = 7 * _shares(c.values[h:], c.sd)
    if not h:
        return days, start_hours, np.ones((n_states, 24)), weekdays
    assert m.state_hours is not None
    hours = _day_shares(c.values[:h], c.sd)
    by_state = _within(
        m.state_hours.values.reshape(n_states, 24), np.broadcast_to(hours, (n_states, 24)), m.state_hours.sd
    )
    return days, start_hours, 24 * by_state, weekdays

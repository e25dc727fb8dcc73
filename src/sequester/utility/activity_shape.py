"""The shape of days in activity data, before and after: time per day, bouts, hours of the day, changes of state."""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.model import Activities
from sequester.release import Figure

THREADS = 2
BOUT_EDGES = np.array([1, 2, 3, 5, 9, 17, 33, 65, 129, 257])
"""Lengths at which a new bin of bouts begins."""


def _clock(data: Activities) -> Any:
    from sequester.primitives.clock_pools import Clock

    return Clock.of(data.states.shape[1], data.interval_seconds, data.start, len(data.state_names))


def intervals_per_day(data: Activities, states: np.ndarray) -> np.ndarray:
    """Rows x states x days: intervals per day."""
    from sequester.primitives.aggregate import window_counts

    clock = _clock(data)
    return window_counts(states, len(data.state_names), clock.hour_edges[clock.day_edges], threads=THREADS)


def bouts_compared(data: Activities, states: np.ndarray) -> tuple[list[dict[str, Any]], list[Figure]]:
    """Laws of bout lengths, per state and overall."""
    from sequester.primitives.bouts import bout_lengths

    n_states, longest = len(data.state_names), min(data.states.shape[1], 4096)
    h, g = (bout_lengths(s, n_states, longest, threads=THREADS) for s in (data.states, states))
    ks = float(np.abs((h.sum(0) / h.sum()).cumsum() - (g.sum(0) / g.sum()).cumsum()).max())
    starts = BOUT_EDGES[longest >= BOUT_EDGES]
    hb, gb = (np.add.reduceat(x, starts, axis=1) for x in (h, g))
    by_state = []
    for a in range(n_states):
        if hb[a].sum() or gb[a].sum():
            p, q = (x[a] / max(x[a].sum(), 1) for x in (hb, gb))
            by_state.append(0.5 * float(np.abs(p - q).sum()))
    lengths = np.arange(longest + 1)
    means = [float((x.sum(0) * lengths).sum() / x.sum()) for x in (h, g)]
    rows = [
        {
            "state": name,
            "from_length": int(b),
            "original": float(hb[a, i] / max(hb[a].sum(), 1)),
            "released": float(gb[a, i] / max(gb[a].sum(), 1)),
        }
        for a, name in enumerate(data.state_names)
        for i, b in enumerate(starts)
    ]
    figures = [
        Figure(name="bout length KS", value=ks, better="lower", says="Largest gap between the laws of bout lengths."),
        Figure(
            name="bout length total variation",
            value=float(np.mean(by_state)) if by_state else 0.0,
            better="lower",
            says="Total variation over ten length bins, mean over states.",
        ),
        Figure(name="mean bout, original", value=means[0], says="Intervals per bout."),
        Figure(name="mean bout, released", value=means[1], says="Intervals per bout."),
    ]
    return rows, figures


def _parts_of_week(data: Activities) -> np.ndarray:
    """Hour of the day of every interval, plus 24 on weekends."""
    t = data.start + np.arange(data.states.shape[1]) * np.timedelta64(data.interval_seconds, "s")
    hour = t.astype("datetime64[h]").astype(np.int64)
    weekend = (hour // 24 + 3) % 7 >= 5
    return hour % 24 + 24 * weekend


def profile_compared(data: Activities, states: np.ndarray) -> tuple[list[dict[str, Any]], float]:
    """Shares of the states by hour of the day, and how far they are apart."""
    from sequester.primitives.aggregate import window_counts

    clock, part = _clock(data), _parts_of_week(data)
    part = part[clock.hour_edges[:-1]]
    shares = []
    for matrix in (data.states, states):
        totals = np.zeros((len(data.state_names), 48))
        for at in range(0, len(matrix), 2048):
            block = window_counts(matrix[at : at + 2048], len(data.state_names), clock.hour_edges, threads=THREADS)
            np.add.at(totals.T, part, block.sum(axis=0).T)
        shares.append(totals / np.maximum(totals.sum(axis=0), 1))
    used = shares[0].sum(axis=0) > 0
    tv = 0.5 * np.abs(shares[0] - shares[1]).sum(axis=0)[used].mean()
    rows = [
        {"state": name, "hour": h % 24, "day": "weekend" if h >= 24 else "weekday",
         "original": float(shares[0][a, h]), "released": float(shares[1][a, h])}
        for a, name in enumerate(data.state_names) for h in np.flatnonzero(used).tolist()
    ]  # fmt: skip
    return rows, float(tv)


def flows_compared(data: Activities, states: np.ndarray) -> tuple[list[dict[str, Any]], list[Figure]]:
    """Changes from state to state."""
    from sequester.primitives.bouts import changes

    part = (_parts_of_week(data) % 24) // 3
    n_states = len(data.state_names)
    flows, matrices = [], []
    for matrix in (data.states, states):
        pairs = changes(matrix, n_states, part, 8, threads=THREADS).astype(np.float64)
        pairs /= max(pairs.sum(), 1)
        total = pairs.sum(axis=0)
        matrices.append(total / np.maximum(total.sum(axis=1, keepdims=True), 1e-300))
        off = pairs.copy()
        off[:, range(n_states), range(n_states)] = 0
        flows.append(off)
    l1 = float(np.abs(flows[0] - flows[1]).sum() / max(flows[0].sum(), 1e-300))
    apart = float(np.abs(matrices[0] - matrices[1]).sum(axis=1).mean())
    rows = [
        {"from": data.state_names[a], "to": data.state_names[b],
         "original": float(matrices[0][a, b]), "released": float(matrices[1][a, b])}
        for a in range(n_states) for b in range(n_states)
    ]  # fmt: skip
    return rows, [
        Figure(
            name="flow difference",
            value=l1,
            better="lower",
            says="Changes between states in eight parts of the day: sum of differences relative to all changes.",
        ),
        Figure(
            name="transition matrix difference",
            value=apart,
            better="lower",
            says="L1 distance between rows of the interval-to-interval transition matrix, mean over states.",
        ),
    ]

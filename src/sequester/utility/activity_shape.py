"""The shape of days in activity data, before and after: time per day, bouts, hours of the day, changes of state."""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.layouts.states import UNOBSERVED, has_weekdays
from sequester.methods.activity.shared.clustering import window_edges
from sequester.methods.activity.shared.kernels.multilevel import window_counts
from sequester.model import Activities
from sequester.release import Figure
from sequester.utility.bouts import changes

THREADS = 2
BOUT_EDGES = np.array([1, 2, 3, 5, 9, 17, 33, 65, 129, 257])
"""Lengths at which a new bin of bouts begins."""


def minutes_per_day(data: Activities, states: np.ndarray) -> np.ndarray:
    """Rows x states x days: minutes, on the calendar of the data."""
    counts = window_counts(states, len(data.state_names), window_edges(data, "day"), threads=THREADS)
    return counts * (data.interval_seconds / 60)


def observed_states(data: Activities) -> list[int]:
    """Codes of the states that tell what a person did."""
    return [a for a, name in enumerate(data.state_names) if name not in UNOBSERVED]


def observed_bouts(states: np.ndarray, n_states: int, observed: list[int], longest: int) -> np.ndarray:
    """States x lengths: bouts whose neighbours on both sides were observed, so that their length is known."""
    found = np.zeros(n_states, bool)
    found[observed] = True
    out = np.zeros((n_states, longest + 1), np.int64)
    n = states.shape[1]
    for at in range(0, len(states), 256):
        some = states[at : at + 256]
        change = np.ones(some.shape, bool)
        change[:, 1:] = some[:, 1:] != some[:, :-1]
        flat = np.flatnonzero(change)
        begin, row = flat % n, flat // n
        state = some.ravel()[flat].astype(np.int64)
        last = np.append(row[1:] != row[:-1], True)
        end = np.where(last, n, np.append(begin[1:], 0))
        before = np.append(False, found[state[:-1]]) & (begin > 0)
        after = np.append(found[state[1:]], False) & ~last
        known = found[state] & before & after
        length = np.minimum(end - begin, longest)[known]
        out += np.bincount(state[known] * (longest + 1) + length, minlength=out.size).reshape(out.shape)
    return out


def bouts_compared(data: Activities, states: np.ndarray) -> tuple[list[dict[str, Any]], list[Figure]]:
    """Laws of bout lengths, per state and overall, of bouts that were observed from beginning to end."""
    n_states, longest = len(data.state_names), min(data.states.shape[1], 4096)
    seen = observed_states(data)
    h, g = (observed_bouts(s, n_states, seen, longest) for s in (data.states, states))
    all_h, all_g = max(h.sum(), 1), max(g.sum(), 1)
    ks = float(np.abs((h.sum(0) / all_h).cumsum() - (g.sum(0) / all_g).cumsum()).max())
    starts = BOUT_EDGES[longest >= BOUT_EDGES]
    hb, gb = (np.add.reduceat(x, starts, axis=1) for x in (h, g))
    by_state = []
    for a in range(n_states):
        if hb[a].sum() or gb[a].sum():
            p, q = (x[a] / max(x[a].sum(), 1) for x in (hb, gb))
            by_state.append(0.5 * float(np.abs(p - q).sum()))
    lengths = np.arange(longest + 1)
    means = [float((x.sum(0) * lengths).sum() / max(x.sum(), 1)) for x in (h, g)]
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
    weekend = ((hour // 24 + 3) % 7 >= 5) & has_weekdays(data)
    return hour % 24 + 24 * weekend


def profile_compared(data: Activities, states: np.ndarray) -> tuple[list[dict[str, Any]], float, float]:
    """Shares of the states in observed time by hour of the day, how far they are apart, and the same of being
    observed."""
    hours, part = window_edges(data, "hour"), _parts_of_week(data)
    part = part[hours[:-1]]
    shares = []
    for matrix in (data.states, states):
        totals = np.zeros((len(data.state_names), 48))
        for at in range(0, len(matrix), 2048):
            block = window_counts(matrix[at : at + 2048], len(data.state_names), hours, threads=THREADS)
            np.add.at(totals.T, part, block.sum(axis=0).T)
        shares.append(_of_observed(totals, observed_states(data)))
    seen = observed_states(data)
    used = shares[0].sum(axis=0) > 0
    apart = np.abs(shares[0] - shares[1])
    both = used & (shares[0][seen].sum(axis=0) > 0) & (shares[1][seen].sum(axis=0) > 0)
    tv = 0.5 * float(apart[seen][:, both].sum(axis=0).mean()) if both.any() else 0.0
    unseen = [a for a in range(len(data.state_names)) if a not in seen]
    lost = float(apart[unseen][:, used].sum(axis=0).mean()) if unseen else 0.0
    rows = [
        {"state": name, "hour": h % 24, "day": "weekend" if h >= 24 else "weekday",
         "original": float(shares[0][a, h]), "released": float(shares[1][a, h])}
        for a, name in enumerate(data.state_names) for h in np.flatnonzero(used).tolist()
    ]  # fmt: skip
    return rows, tv, lost


def _of_observed(totals: np.ndarray, seen: list[int]) -> np.ndarray:
    """States x parts of the week: observed states as shares of observed time, the others of all time."""
    out = totals / np.maximum(totals.sum(axis=0), 1)
    out[seen] = totals[seen] / np.maximum(totals[seen].sum(axis=0), 1)
    return out


def flows_compared(data: Activities, states: np.ndarray) -> tuple[list[dict[str, Any]], list[Figure]]:
    """Changes from state to state, both observed."""
    part = (_parts_of_week(data) % 24) // 3
    n_states = len(data.state_names)
    unseen = [a for a in range(n_states) if a not in observed_states(data)]
    flows, matrices = [], []
    for matrix in (data.states, states):
        pairs = changes(matrix, n_states, part, 8, threads=THREADS).astype(np.float64)
        pairs[:, unseen] = 0  # a change to or from time that nobody observed is none
        pairs[:, :, unseen] = 0
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

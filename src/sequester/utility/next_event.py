"""How well models do that were trained on a release and are tested on people: what comes next, and when?"""

from __future__ import annotations

import numpy as np

from sequester.release import Figure
from sequester.utility.process_model import Log
from sequester.utility.trees import class_tree, number_tree


def next_event_figures(real: Log, syn: Log, rng: np.random.Generator) -> list[Figure]:
    """A next-event model trained on the release, beside one trained on half of the original."""
    test = real.padded(3)
    half = rng.random(len(real.lengths)) < 0.5
    owner = np.repeat(half, real.lengths + 1)
    return [
        Figure(
            name="next_event",
            value=accuracy(syn.padded(3), test, real.n_states),
            better="higher",
            says="How often a next-event model trained on the release is right on the original.",
        ),
        Figure(
            name="next_event_original",
            value=accuracy(test[owner], test[~owner], real.n_states),
            says="The same trained on half of the original and tested on the other half.",
        ),
    ]


def accuracy(train: np.ndarray, test: np.ndarray, n_states: int) -> float:
    """Most frequent next state after the last two, backing off to the last one, then to any."""
    side = n_states + 2
    right = np.zeros(len(test), bool)
    known = np.zeros(len(test), bool)
    for width in (2, 1, 0):
        keys = [_key(rows[:, 2 - width : 2], side) for rows in (train, test)]
        context, best = _best_next(keys[0], train[:, 2], side)
        if not len(context):
            continue
        at = np.minimum(np.searchsorted(context, keys[1]), len(context) - 1)
        hit = (context[at] == keys[1]) & ~known
        right[hit] = best[at[hit]] == test[hit, 2]
        known |= hit
    return float(right.mean()) if len(test) else 0.0


def _key(rows: np.ndarray, side: int) -> np.ndarray:
    out = np.zeros(len(rows), np.int64)
    for column in range(rows.shape[1]):
        out = out * side + rows[:, column]
    return out


def _best_next(context: np.ndarray, following: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
    cells, counts = np.unique(context * side + following, return_counts=True)
    order = np.lexsort((cells, -counts, cells // side))
    cells = cells[order]
    first = np.flatnonzero(np.r_[True, cells[1:] // side != cells[:-1] // side]) if len(cells) else np.zeros(0, int)
    return cells[first] // side, cells[first] % side


DAY = 86400
MOST_ROWS = 20_000
"""Events a model is trained and tested on; larger logs are sampled."""


def features(log: Log, clock: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per event: last three states, place, last gap, time since the start, hour, weekday; the next state (END after
    the last state), and the logarithm of the next gap in seconds (NaN at the end)."""
    n = len(log.states)
    owner = np.repeat(np.arange(len(log.lengths)), log.lengths)
    place = np.arange(n) - log.offsets[owner]

    def ago(k: int) -> np.ndarray:
        out = np.full(n, -1.0)
        at = np.flatnonzero(place >= k)
        out[at] = log.states[at - k]
        return out

    columns = [log.states.astype(float), ago(1), ago(2), np.minimum(place, 30).astype(float)]
    last = np.zeros(n, bool)
    last[log.offsets[1:] - 1] = True
    gap = np.full(n, np.nan)
    if clock:
        before = np.where(place > 0, np.diff(log.times, prepend=log.times[:1]), 0)
        columns += [
            np.log1p(before), np.log1p(log.times - log.times[log.offsets[owner]]), log.times % DAY // 3600 * 1.0,
            (log.times // DAY + 3) % 7 * 1.0,
        ]  # fmt: skip
        gap[~last] = np.log1p(np.diff(log.times)[~last[:-1]])
    following = np.where(last, log.n_states, np.r_[log.states[1:], 0])
    return np.column_stack(columns), following.astype(np.int64), gap


def time_aware_figures(real: Log, syn: Log, others: Log | None, unit: str, rng: np.random.Generator) -> list[Figure]:
    """A tree trained on the release, tested on other people if there are any; else it says on whom."""
    clock = unit != "order"
    half = rng.random(len(real.lengths)) < 0.5
    test = others if others is not None else real
    train = real if others is not None else _part(real, half)
    beside = others if others is not None else _part(real, ~half)
    if not len(syn.states) or not len(train.states) or not len(beside.states):
        return []
    on = "other people" if others is not None else "the people it was made from: nobody was held out"
    accuracy, error = _score(syn, test, clock, rng)
    best_accuracy, best_error = _score(train, beside, clock, rng)
    out = [
        Figure(name="tree", value=accuracy, better="higher",
               says=f"How often a decision tree trained on the release names the next event, tested on {on}."),
        Figure(name="tree_original", value=best_accuracy,
               says="The same trained on the original, tested on people it did not see."),
    ]  # fmt: skip
    if error is not None and best_error is not None:
        out += [
            Figure(name="next_gap", value=error, better="lower",
                   says=f"Mean error of the next gap in logarithms of seconds, model from the release, on {on}."),
            Figure(name="next_gap_original", value=best_error,
                   says="The same trained on the original, tested on people it did not see."),
        ]  # fmt: skip
    return out


def _part(log: Log, kept: np.ndarray) -> Log:
    inside = np.repeat(kept, log.lengths)
    sizes = log.lengths[kept]
    return Log(
        states=log.states[inside], times=log.times[inside], offsets=np.r_[0, np.cumsum(sizes)], n_states=log.n_states
    )


def _score(train: Log, test: Log, clock: bool, rng: np.random.Generator) -> tuple[float, float | None]:
    x, y, gap = features(train, clock)
    if len(x) > MOST_ROWS:
        rows = np.sort(rng.choice(len(x), MOST_ROWS, replace=False))
        x, y, gap = x[rows], y[rows], gap[rows]
    u, v, other = features(test, clock)
    if len(u) > 5 * MOST_ROWS:
        rows = np.sort(rng.choice(len(u), 5 * MOST_ROWS, replace=False))
        u, v, other = u[rows], v[rows], other[rows]
    accuracy = float((class_tree(x, y, train.n_states + 1).predict(u) == v).mean())
    known, asked = ~np.isnan(gap), ~np.isnan(other)
    if not clock or not known.any() or not asked.any():
        return accuracy, None
    return accuracy, float(np.abs(number_tree(x[known], gap[known]).predict(u[asked]) - other[asked]).mean())

"""How well a simple next-event model does that was trained on a release."""

from __future__ import annotations

import numpy as np

from sequester.release import Figure
from sequester.utility.event_alignment import Log


def next_event_figures(real: Log, syn: Log, rng: np.random.Generator) -> list[Figure]:
    """A next-event model trained on the release, beside one trained on half of the original."""
    test = real.padded(3)
    half = rng.random(len(real.lengths)) < 0.5
    owner = np.repeat(half, real.lengths + 1)
    return [
        Figure(
            name="next_event",
            value=_accuracy(syn.padded(3), test, real.n_states),
            better="higher",
            says="How often a next-event model trained on the release is right on the original.",
        ),
        Figure(
            name="next_event_original",
            value=_accuracy(test[owner], test[~owner], real.n_states),
            says="The same trained on half of the original and tested on the other half.",
        ),
    ]


def _accuracy(train: np.ndarray, test: np.ndarray, n_states: int) -> float:
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

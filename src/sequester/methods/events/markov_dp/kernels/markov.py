"""What each object of an event log contributes to a Markov chain.

States are `0..S-1`. `S` stands for START in a row and for END in a column, so a chain over S states is a matrix of
S+1 rows and S+1 columns whose cell (S, S) is never used.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.sorting import sort_first


@kernel("const(int32[::1]), const(int64[::1]), int64")
def transitions(states, offsets, n_states):
    """Cell `from * (S+1) + to` of every transition, START and END included: an object of L events owns L+1 of them.

    Returns the cells and the offsets that say whose they are.
    """
    side = n_states + 1
    n = len(offsets) - 1
    cells = np.empty(len(states) + n, np.int64)
    bounds = np.empty(n + 1, np.int64)
    at = 0
    for i in range(n):
        bounds[i] = at
        before = n_states
        for p in range(offsets[i], offsets[i + 1]):
            cells[at] = before * side + states[p]
            before = states[p]
            at += 1
        cells[at] = before * side + n_states
        at += 1
    bounds[n] = at
    return cells, bounds


@kernel("int64[::1], int64[::1]")
def tally_within(cells, bounds):
    """Distinct cells of every object in rising order with their counts; negative cells are left out."""
    n = len(bounds) - 1
    kept = np.empty(len(cells), np.int64)
    counts = np.empty(len(cells), np.int64)
    owners = np.empty(n + 1, np.int64)
    at = 0
    for i in range(n):
        owners[i] = at
        own = cells[bounds[i] : bounds[i + 1]].copy()
        sort_first(own, len(own))
        for c in own:
            if c < 0:
                continue
            if at > owners[i] and kept[at - 1] == c:
                counts[at - 1] += 1
            else:
                kept[at] = c
                counts[at] = 1
                at += 1
    owners[n] = at
    return kept[:at].copy(), counts[:at].copy(), owners

"""One vector per person from a block of activity data: profile, daily durations, scores, flows, bouts.

Every function takes a block of rows and returns people x cells in floating point. They say what a person looks like
and nothing of privacy: no bound on a vector's norm is relied on anywhere.

Counting kernels over a people x intervals matrix of states: cells, steps between states, bouts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sequester.methods.activity.activity_dp.kernels.calendar import N_PARTS, Calendar
from sequester.primitives.compiled import kernel
from sequester.primitives.normal import quantile

N_LENGTHS = 10
"""Length bins of bouts: 1, 2, 3-4, 5-8, ..., 129-256, longer."""
LENGTH_EDGES = np.array([1, 2, 3, 5, 9, 17, 33, 65, 129, 257], dtype=np.int64)
"""Shortest bout of every length bin."""
LENGTH_BIN = np.searchsorted(LENGTH_EDGES, np.arange(258), side="right").astype(np.int64) - 1
"""Length of a bout (capped at 257) → its bin."""


@kernel("const(uint8[:, ::1]), int64[::1], int64, int64")
def cell_counts(states: np.ndarray, cell_of: np.ndarray, n_cells: int, n_states: int) -> np.ndarray:
    """Intervals per person, cell and state; an interval whose cell is negative is left out."""
    n, length = states.shape
    out = np.zeros((n, n_cells, n_states), np.int32)
    for i in range(n):
        begin = 0
        for t in range(1, length + 1):
            # One addition per run of equal state and cell: runs are long, additions to memory are slow.
            if t == length or states[i, t] != states[i, t - 1] or cell_of[t] != cell_of[t - 1]:
                cell = cell_of[t - 1]
                if cell >= 0:
                    out[i, cell, states[i, t - 1]] += t - begin
                begin = t
    return out


@kernel("const(uint8[:, ::1]), int64[::1], int64, int64")
def step_counts(states: np.ndarray, part_of: np.ndarray, n_parts: int, n_states: int) -> np.ndarray:
    """Changes of state per person, part, state before and state after."""
    n, length = states.shape
    out = np.zeros((n, n_parts, n_states, n_states), np.int32)
    for i in range(n):
        for t in range(1, length):
            if states[i, t] != states[i, t - 1]:
                out[i, part_of[t], states[i, t - 1], states[i, t]] += 1
    return out


@kernel("const(uint8[:, ::1]), int64[::1], int64, int64")
def bout_counts(states: np.ndarray, length_bin: np.ndarray, n_lengths: int, n_states: int) -> np.ndarray:
    """Bouts (longest stretches of one state) per person, state and length bin."""
    n, length = states.shape
    longest = len(length_bin) - 1
    out = np.zeros((n, n_states, n_lengths), np.int32)
    for i in range(n):
        begin = 0
        for t in range(1, length + 1):
            if t == length or states[i, t] != states[i, t - 1]:
                out[i, states[i, t - 1], length_bin[min(t - begin, longest)]] += 1
                begin = t
    return out


DURATION_EDGES = (
    0, 0.5, 2.5, 5, 10, 15, 22.5, 30, 45, 60, 90, 120, 150, 180, 240, 300, 390, 480, 600, 720, 840, 960, 1080, 1200,
    1290, 1350, 1395, 1420, 1435, 1440,
)  # fmt: skip
"""Edges of the bins of daily minutes."""
UNOBSERVED = 0.9375
"""Share of missing from which a day is not observed (22.5 hours, an edge of the bins)."""
BLOCK_BYTES = 48e6


def blocks(n_people: int, n_cells: int) -> Iterator[slice]:
    """Slices of people small enough that a few arrays of people x cells stay within some tens of megabytes."""
    step = int(min(1024, max(1, BLOCK_BYTES // (24 * max(1, n_cells)))))
    for first in range(0, n_people, step):
        yield slice(first, min(n_people, first + step))


def duration_edges(day_length: int) -> np.ndarray:
    """First count of intervals in each bin of daily durations, and the end; bins finer than an interval merge."""
    scaled = np.ceil(np.array(DURATION_EDGES[:-1]) * day_length / DURATION_EDGES[-1])
    scaled[1] = 1.0  # none at all is always a bin of its own
    whole = np.unique(np.minimum(scaled, day_length))
    return np.append(whole, day_length + 1).astype(np.int64)


def profile(states: np.ndarray, cal: Calendar, n_states: int, centre: np.ndarray) -> np.ndarray:
    """Shares of the states in every bin minus `centre` (bins x states); 0 in a bin without intervals."""
    counts = cell_counts(states, cal.bin_of, cal.n_bins, n_states)
    sizes = cal.bin_sizes
    shares = counts / np.maximum(sizes, 1)[None, :, None] - centre[None]
    shares[:, sizes == 0] = 0.0
    return shares.reshape(len(states), -1)


def day_counts(states: np.ndarray, cal: Calendar, n_states: int) -> np.ndarray:
    """Intervals per person, whole day and state."""
    return cell_counts(states, cal.day_of, cal.n_days, n_states)


def daily_durations(
    states: np.ndarray, cal: Calendar, n_states: int, chosen: np.ndarray, missing: int | None
) -> np.ndarray:
    """Intervals per person, whole day and chosen state; -1 where a day was not observed.

    With a state `missing` among the chosen, the others count in proportion to the observed part of the day, as if it
    were a whole one: what people do and how long they were watched are different questions.
    """
    counts = day_counts(states, cal, n_states)
    out = counts[:, :, chosen]
    if missing is None or missing not in chosen:
        return out
    seen = cal.day_length - counts[:, :, missing]
    whole = np.rint(out * (cal.day_length / np.maximum(seen, 1))[:, :, None]).astype(np.int32)
    whole[cal.day_length - seen >= unobserved_from(cal.day_length)] = -1
    whole[:, :, chosen == missing] = counts[:, :, [missing]]
    return whole


def unobserved_from(day_length: int) -> int:
    """Intervals of missing in a day from which it tells nothing about the other states."""
    return int(np.ceil(UNOBSERVED * day_length))


def durations(states: np.ndarray, cal: Calendar, n_states: int, chosen: np.ndarray, missing: int | None) -> np.ndarray:
    """For every chosen state the share of days in each bin of daily durations."""
    counts = daily_durations(states, cal, n_states, chosen, missing)
    edges = duration_edges(cal.day_length)
    n_bins = len(edges) - 1
    cells = n_bins * len(chosen)
    which = np.searchsorted(edges, counts, side="right") - 1 + n_bins * np.arange(len(chosen))
    which = np.where(counts < 0, cells, which)  # a spare cell takes what is not counted
    flat = which.reshape(len(states), -1) + (cells + 1) * np.arange(len(states))[:, None]
    found = np.bincount(flat.ravel(), minlength=(cells + 1) * len(states)).reshape(len(states), cells + 1)
    return found[:, :cells] / cal.n_days


def score_table(histogram: np.ndarray, edges: np.ndarray, tail: float = 0.01) -> np.ndarray:
    """Normal score of every possible daily count, from a histogram over `edges` (chosen states x counts)."""
    n_counts = int(edges[-1])
    which = np.searchsorted(edges, np.arange(n_counts), side="right") - 1
    within = (np.arange(n_counts) - edges[which] + 0.5) / (edges[which + 1] - edges[which])
    below = np.concatenate([np.zeros((len(histogram), 1)), np.cumsum(histogram, axis=1)], axis=1)
    share = below[:, which] + within * histogram[:, which]
    return quantile(np.clip(share, tail, 1 - tail))


def scores(
    states: np.ndarray,
    cal: Calendar,
    n_states: int,
    chosen: np.ndarray,
    missing: int | None,
    table: np.ndarray,
    longest: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Between-person and within-person second moments of the daily scores, each day's score cut to norm `longest`."""
    counts = daily_durations(states, cal, n_states, chosen, missing)
    z = np.where(counts < 0, 0.0, table[np.arange(len(chosen)), counts])
    norm = np.sqrt((z**2).sum(axis=2, keepdims=True))
    z = z * np.minimum(1.0, longest / np.maximum(norm, 1e-9))
    mean = z.mean(axis=1)
    rest = z - mean[:, None]
    between = mean[:, :, None] * mean[:, None, :]
    within = np.einsum("nda,ndb->nab", rest, rest) / cal.n_days
    return between, within


def spread(states: np.ndarray, n_states: int, chosen: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Squared distance of a person's share of every chosen state from the usual one, in units of the usual one."""
    everything = np.zeros(states.shape[1], np.int64)
    share = cell_counts(states, everything, 1, n_states)[:, 0, chosen] / states.shape[1]
    usual = totals[chosen]
    return ((share - usual) / usual) ** 2


def pack(between: np.ndarray, within: np.ndarray) -> np.ndarray:
    """Two symmetric matrices per person as one vector of the same Euclidean norm: upper triangles, sqrt 2 beside."""
    rows, columns = np.triu_indices(between.shape[-1])
    weight = np.where(rows == columns, 1.0, np.sqrt(2.0))
    return np.concatenate([m[..., rows, columns] * weight for m in (between, within)], axis=-1)


def unpack(vector: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The two symmetric matrices of `pack`."""
    rows, columns = np.triu_indices(size)
    weight = np.where(rows == columns, 1.0, np.sqrt(2.0))
    out = []
    for half in np.split(np.asarray(vector, dtype=np.float64), 2):
        m = np.zeros((size, size))
        m[rows, columns] = m[columns, rows] = half / weight
        out.append(m)
    return out[0], out[1]


def bout_totals(states: np.ndarray, cal: Calendar, n_states: int, totals: np.ndarray) -> np.ndarray:
    """Bouts per interval by state, divided by the root of the state's share of time."""
    counts = bout_counts(states, LENGTH_BIN, N_LENGTHS, n_states).sum(axis=2)
    return counts / (cal.n_intervals * np.sqrt(totals))


def flows(states: np.ndarray, cal: Calendar, n_states: int, rates: np.ndarray) -> np.ndarray:
    """Changes of state per interval in every day part, divided by the root of both states' usual rates of bouts.

    So weighted, a frequent change and a rare one count about as much, and so does their noise.
    """
    counts = step_counts(states, cal.part_of, N_PARTS, n_states).astype(np.float64)
    counts /= np.maximum(cal.part_sizes, 1)[None, :, None, None] * np.sqrt(np.outer(rates, rates))
    return counts[:, :, ~np.eye(n_states, dtype=bool)].reshape(len(states), -1)


def bouts(states: np.ndarray, cal: Calendar, n_states: int, rates: np.ndarray) -> np.ndarray:
    """Bouts per interval by state and length, divided by the root of the state's usual rate of bouts."""
    counts = bout_counts(states, LENGTH_BIN, N_LENGTHS, n_states)
    return (counts / (cal.n_intervals * np.sqrt(rates))[None, :, None]).reshape(len(states), -1)

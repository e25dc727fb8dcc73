"""How much people differ from their cluster, days from their person, and hours from each other.

The same code looks at real and at simulated rows, so that calibration compares like with like. Shares are compared as
logarithms above a floor, centred over the states, in eight parts of the day.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sequester.methods.activity.shared.kernels.day_looks import Reference, add_cells, add_jumps, deviations, eigen
from sequester.methods.activity.shared.kernels.day_types import PARTS, WIDTH, Hours

BORROWED_MINUTES = 60.0
"""Minutes of the larger pool that are added to a smaller one before shares are taken."""


@dataclass(frozen=True, kw_only=True)
class Usual:
    """What is usual in every cluster: the references of a person and of a person's days."""

    everyone: np.ndarray
    """Parts x states."""
    cluster: np.ndarray
    """Clusters x parts x states."""
    kind: np.ndarray
    """Clusters x kinds of day x parts x states."""

    @classmethod
    def of(cls, spent: np.ndarray, borrowed: float) -> Usual:
        """From intervals spent by clusters, kinds of day, parts and states; `borrowed` intervals stabilise shares."""
        everyone = np.maximum(_shares(spent.sum(axis=(0, 1))), 1e-4)
        everyone /= everyone.sum(axis=-1, keepdims=True)
        whole = spent.sum(axis=1)
        cluster = (whole + borrowed * everyone) / (whole.sum(axis=-1, keepdims=True) + borrowed)
        kind = (spent + borrowed * cluster[:, None]) / (spent.sum(axis=-1, keepdims=True) + borrowed)
        return cls(everyone=everyone, cluster=cluster, kind=kind)

    def take(self, which: np.ndarray) -> Usual:
        """The same for some clusters."""
        return Usual(everyone=self.everyone, cluster=self.cluster[which], kind=self.kind[which])


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What rows show."""

    profile: np.ndarray
    """Kinds of day x 24 x states: shares."""
    between: np.ndarray
    """Covariance of people around their cluster, (parts x states) squared."""
    within: np.ndarray
    """Covariance of days around their person."""
    jumps: np.ndarray
    """States: mean squared change of the logarithm from hour to hour."""
    by_cluster: np.ndarray
    """Clusters x parts x states: shares, stabilised."""
    day_to_day: float
    """Standard deviation over a person's days of the share of a state in observed time, mean over people and states."""


def shown(
    counts: np.ndarray,
    *,
    hours: Hours,
    cluster: np.ndarray,
    usual: Usual,
    copies: int,
    borrowed: float,
    observed: np.ndarray,
) -> Shown:
    """What rows show, from intervals by row, hour and state; every cluster stands there `copies` times."""
    n, _, n_states = counts.shape
    n_days = int(hours.day[-1]) + 1
    spent = by_day_and_part(counts, hours)
    n_clusters = len(usual.cluster)
    kind = kind_of_days(hours)
    person, day = np.empty((n, PARTS, n_states)), np.empty_like(spent)
    deviations(spent, kind, cluster, Reference(usual.cluster, usual.kind, borrowed), person, day)
    kinds = len(np.unique(kind))
    x, e = person.reshape(n, -1), day.reshape(n * n_days, -1)
    size = PARTS * n_states
    free = n - n_clusters * copies
    between = x.T @ x / free if free > 0 else np.zeros((size, size))
    within = e.T @ e / (n * (n_days - kinds)) if n_days > kinds else np.zeros((size, size))
    sums = np.zeros((n_clusters, PARTS, n_states))
    np.add.at(sums, cluster, spent.sum(axis=1))
    lent = borrowed * copies
    return Shown(
        profile=_shares(by_clock(counts, hours)),
        between=between,
        within=within,
        jumps=_jumps(counts),
        by_cluster=(sums + lent * usual.everyone) / (sums.sum(axis=-1, keepdims=True) + lent),
        day_to_day=_day_to_day(spent.sum(axis=2)[..., observed]),
    )


def _day_to_day(spent: np.ndarray) -> float:
    """From rows x days x observed states; a day counts if 5/12 of the fullest day was observed (10 of 24 hours)."""
    seen = spent.sum(axis=-1)
    valid = seen >= max(1.0, seen.max(initial=0.0) * 5 / 12)
    share = np.where(valid[..., None], _shares(spent), np.nan)
    enough = valid.sum(axis=1) >= 2
    if not enough.any():
        return 0.0
    return float(np.nanstd(share[enough], axis=1, ddof=1).mean())


def kind_of_days(hours: Hours) -> np.ndarray:
    """Of every day: 0 on weekdays, 1 on weekends."""
    _, first = np.unique(hours.day, return_index=True)
    return np.ascontiguousarray(hours.kind[first])


def days_of(hours: Hours, kind: int) -> np.ndarray:
    """Numbers of the days of a kind."""
    return np.flatnonzero(kind_of_days(hours) == kind)


def by_day_and_part(counts: np.ndarray, hours: Hours) -> np.ndarray:
    """Rows x days x parts x states, from rows x hours x states."""
    out = np.zeros((len(counts), (int(hours.day[-1]) + 1) * PARTS, counts.shape[-1]))
    add_cells(counts, hours.day * PARTS + hours.clock // WIDTH, out)
    return out.reshape(len(counts), -1, PARTS, counts.shape[-1])


def by_clock(counts: np.ndarray, hours: Hours) -> np.ndarray:
    """Kinds of day x 24 x states, added up over rows."""
    out = np.zeros((48, counts.shape[-1]))
    np.add.at(out, hours.kind * 24 + hours.clock, counts.sum(axis=0, dtype=np.float64))
    return out.reshape(2, 24, -1)


def per_row_by_clock(counts: np.ndarray, hours: Hours) -> np.ndarray:
    """Rows x kinds of day x 24 x states."""
    cell = hours.kind * 24 + hours.clock
    out = np.zeros((48, len(counts), counts.shape[-1]), dtype=np.float32)
    for c in np.unique(cell):
        out[c] = counts[:, cell == c].sum(axis=1, dtype=np.float32)
    return np.ascontiguousarray(out.transpose(1, 0, 2)).reshape(len(counts), 2, 24, -1)


def _shares(counts: np.ndarray) -> np.ndarray:
    return counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)


def _jumps(counts: np.ndarray) -> np.ndarray:
    total = np.zeros(counts.shape[-1])
    pairs = add_jumps(counts, total)
    return total / max(pairs, 1)


def semidefinite(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest matrix without negative eigenvalues, and one whose product with its own transpose it is."""
    values, vectors = eigen(matrix)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return root @ root.T, root

"""How much two people were recorded at the same time: who shares no time with others cannot be hidden among them."""

from __future__ import annotations

from typing import Any

import numpy as np

PAIRS = 40
"""People compared with each other."""


def some_people(n: int) -> np.ndarray:
    """People from all of the source: those who stand together in a file were often recorded together."""
    return np.linspace(0, n - 1, min(n, PAIRS)).astype(np.int64)


def of_events(log: Any) -> list[str]:
    """Of a log with times: from everybody's first to last event."""
    if log.n_records < 2:
        return []
    some = some_people(log.n_records)
    share = shared_span(log.times[log.offsets[some]], log.times[log.offsets[some + 1] - 1])
    return [f"people overlap in time by {share:.0%} on average; little overlap makes hiding harder"]


def of_series(data: Any) -> list[str]:
    """Of series with missing values: the times at which both have one."""
    if data.n_records < 2 or not np.isnan(data.values).any():
        return []
    seen = ~np.isnan(data.values[some_people(data.n_records)])
    return [f"on average, two records share {shared_share(seen):.0%} of the times of the one that has fewer"]


def shared_share(observed: np.ndarray) -> float:
    """Mean over pairs: what both have, in what the one with less has; a pair of which one has nothing is left out."""
    both = np.stack([np.count_nonzero(observed & row, axis=1) for row in observed])  # BLAS would wake its threads
    own = np.diag(both)
    a, b = np.triu_indices(len(observed), 1)
    least = np.minimum(own[a], own[b])
    known = least > 0
    return float((both[a, b][known] / least[known]).mean()) if known.any() else 0.0


def shared_span(first: np.ndarray, last: np.ndarray) -> float:
    """Mean over pairs of people: how much of the shorter time, from first to last event, lies inside the other's."""
    a, b = np.triu_indices(len(first), 1)
    least = np.minimum((last - first)[a], (last - first)[b]).astype(np.float64)
    both = np.minimum(last[a], last[b]) - np.maximum(first[a], first[b])
    # Somebody with one event has no time of their own: it lies inside the other's, or not.
    inside = np.where(least > 0, np.clip(both, 0, None) / np.maximum(least, 1.0), both >= 0)
    return float(inside.mean())

"""Query workloads on series: the same questions to the original and to what was released.

Ranges follow the usual recipe: w predicates, each covering the fraction s**(1/w) of its domain, at a random place, so
that about the share s of uniform data answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.layouts.series_view import View, range_certainty, range_weights
from sequester.primitives.sax import z_normalize


@dataclass(frozen=True)
class Compared:
    """A released panel beside its original."""

    values: np.ndarray
    """All original records that took part."""
    view: View
    row: np.ndarray
    """Per released row its place in `values`."""


def unit_shapes(rows: np.ndarray) -> np.ndarray:
    """Centred rows of length 1 (zero rows stay zero), so that a dot product is a correlation."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    norm = np.sqrt((centred * centred).sum(axis=1, keepdims=True))
    flat = norm <= 1e-12 * np.maximum(1.0, np.abs(rows).max(axis=1, keepdims=True))
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, norm))


def similarity_queries(c: Compared, n_queries: int, nearness: float, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Pattern similarity: records within lambda * nearness of a random original, lambda uniform in 1..10."""
    truth, shown = unit_shapes(c.values), unit_shapes(c.view.shape)
    out = []
    for q in rng.integers(0, len(truth), n_queries):
        delta = min(2.0, rng.uniform(1, 10) * nearness)
        out.append(_retrieved(1 - truth @ truth[q] <= delta, 1 - shown @ truth[q] <= delta, c.row))
    return out


def pattern_range_queries(
    c: Compared, n_queries: int, rng: np.random.Generator, *, selectivity: float = 0.1, n_features: int = 2
) -> list[dict[str, Any]]:
    """Pattern ranges: random differences between two times of the normalised series, each in a random range."""
    truth, shown = z_normalize(c.values), z_normalize(c.view.shape)
    width = truth.shape[1]
    out = []
    for _ in range(n_queries if width > 1 else 0):
        a, e = np.ones(len(truth), dtype=bool), np.ones(len(shown), dtype=bool)
        for _ in range(n_features):
            i, j = rng.choice(width, 2, replace=False)
            true, said = truth[:, i] - truth[:, j], shown[:, i] - shown[:, j]
            low, high = _span(true, selectivity ** (1 / n_features), rng)
            a &= (true >= low) & (true <= high)
            e &= (said >= low) & (said <= high)
        out.append(_retrieved(a, e, c.row))
    return out


def range_queries(
    c: Compared, n_queries: int, rng: np.random.Generator, *, selectivity: float = 0.05, n_times: int = 2,
    among: Sequence[int] | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Range counts: truth, estimate and sure bounds; predicates are on the times `among` (all by default)."""
    out = []
    for _ in range(n_queries):
        wanted = _ranges(c.values, selectivity, n_times, rng, among)
        act = int(_inside(c.values, wanted).sum())
        inside, meets = range_certainty(c.view.hard_lo, c.view.hard_hi, wanted)
        estimate = float(np.nansum(range_weights(c.view.lo, c.view.hi, wanted)))
        out.append(_counted(act, estimate) | {"at_least": int(inside.sum()), "at_most": int(meets.sum())})
    return out


def complex_queries(
    c: Compared,
    n_queries: int,
    nearness: float,
    rng: np.random.Generator,
    *,
    selectivity: float = 0.25,
    n_times: int = 2,
) -> list[dict[str, Any]]:
    """One similarity predicate together with ranges."""
    truth, shown = unit_shapes(c.values), unit_shapes(c.view.shape)
    out = []
    for q in rng.integers(0, len(truth), n_queries):
        delta = min(2.0, rng.uniform(1, 10) * nearness)
        wanted = _ranges(c.values, selectivity, n_times, rng)
        act = int((_inside(c.values, wanted) & (1 - truth @ truth[q] <= delta)).sum())
        fits = 1 - shown @ truth[q] <= delta
        out.append(_counted(act, float(np.nansum(range_weights(c.view.lo, c.view.hi, wanted)[fits]))))
    return out


def mean_of(rows: list[dict[str, Any]], name: str) -> float | None:
    """Mean over the queries for which it is defined."""
    known = [r[name] for r in rows if r.get(name) is not None]
    return float(np.mean(known)) if known else None


def _retrieved(true: np.ndarray, said: np.ndarray, row: np.ndarray) -> dict[str, Any]:
    hits = int(true[row[said]].sum())
    n_true, n_said = int(true.sum()), int(said.sum())
    return {
        "true": n_true,
        "said": n_said,
        "precision": hits / n_said if n_said else None,
        "recall": hits / n_true if n_true else None,
    }


def _counted(act: int, estimate: float) -> dict[str, Any]:
    return {"true": act, "estimate": estimate, "relative_error": abs(act - estimate) / act if act else None}


def _span(values: np.ndarray, share: float, rng: np.random.Generator) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    length = share * (high - low)
    start = rng.uniform(low, high - length) if high - length > low else low
    return start, start + length


def _ranges(
    values: np.ndarray, selectivity: float, n_times: int, rng: np.random.Generator, among: Sequence[int] | None = None
) -> list[tuple[int, float, float]]:
    times = np.arange(values.shape[1]) if among is None else np.asarray(among, dtype=np.int64)
    n_times = min(n_times, len(times))
    chosen = times[rng.choice(len(times), n_times, replace=False)]
    return [(int(j), *_span(values[:, j], selectivity ** (1 / n_times), rng)) for j in chosen]


def _inside(values: np.ndarray, wanted: list[tuple[int, float, float]]) -> np.ndarray:
    out = np.ones(len(values), dtype=bool)
    for j, a, b in wanted:
        out &= (values[:, j] >= a) & (values[:, j] <= b)
    return out

"""How well does suppression find labelled tokens? Token precision and recall, from arrays of characters."""

from __future__ import annotations

import numpy as np


def token_shares(starts: np.ndarray, ends: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """Share of marked characters in each token; `marked` has one truth value per character."""
    before = np.concatenate([[0], np.cumsum(marked)])
    return (before[ends] - before[starts]) / (ends - starts)


def protected_tokens(starts: np.ndarray, ends: np.ndarray, suppressed: np.ndarray, percent: float) -> np.ndarray:
    """Tokens of which strictly more than `percent` of the characters are suppressed."""
    return token_shares(starts, ends, suppressed) > percent / 100


def precision_recall(found: np.ndarray, true: np.ndarray) -> tuple[float, float]:
    """Of the found ones, how many are true; of the true ones, how many were found (NaN where there are none)."""
    both = int(np.count_nonzero(found & true))
    n_found, n_true = int(np.count_nonzero(found)), int(np.count_nonzero(true))
    return both / n_found if n_found else float("nan"), both / n_true if n_true else float("nan")

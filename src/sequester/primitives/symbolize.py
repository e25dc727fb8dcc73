"""From a signal to symbols: window means, then one of three ways to cut their range.

`sax` standardises the signal and cuts at Gaussian break points (Lin et al. 2003); `equal-width` cuts the range of the
means into equal steps; `quantile` cuts so that symbols are about equally frequent. All three look at one signal only:
what one person's symbols are never depends on another person.
"""

from __future__ import annotations

import numpy as np

from sequester.errors import ParameterError
from sequester.primitives.normal import breakpoints

WAYS = ("sax", "equal-width", "quantile")
GAP = -1
"""Code of a window without a single value."""


def window_means(signal: np.ndarray, window: int) -> np.ndarray:
    """Means of consecutive windows (piecewise aggregate approximation); an unfinished last window is left out.

    Missing values are skipped; a window of nothing but missing values gives NaN.
    """
    if window < 1:
        raise ParameterError(f"symbolize: window must be at least 1 sample, got {window}.")
    x = np.asarray(signal, dtype=np.float64)
    x = x[: len(x) // window * window].reshape(-1, window)
    present = ~np.isnan(x)
    n = present.sum(axis=1)
    total = np.where(present, x, 0.0).sum(axis=1)
    return np.divide(total, n, out=np.full(len(x), np.nan), where=n > 0)


def standardise(signal: np.ndarray, *, ddof: int = 0) -> np.ndarray:
    """The signal with mean 0 and standard deviation 1; a constant signal becomes all 0."""
    x = np.asarray(signal, dtype=np.float64)
    present = x[~np.isnan(x)]
    if len(present) <= ddof:
        return np.where(np.isnan(x), np.nan, 0.0)
    spread = float(present.std(ddof=ddof))
    centred = x - present.mean()
    # rounding leaves a constant signal with a spread near 0, never one worth dividing by
    tiny = np.finfo(np.float64).eps * float(np.abs(present).max()) * 8
    return centred / spread if spread > tiny else np.where(np.isnan(x), np.nan, 0.0)


def symbolize(
    signal: np.ndarray, *, window: int = 1, n_symbols: int = 4, way: str = "sax", ddof: int = 0
) -> np.ndarray:
    """Codes 0..n_symbols-1 of a signal's windows (`int64`), rising with the value; `GAP` where all is missing.

    A value that falls on a break point belongs to the symbol above it.
    """
    if way not in WAYS:
        raise ParameterError(f"symbolize: the way must be one of {', '.join(WAYS)}, got {way!r}.")
    if n_symbols < 2:
        raise ParameterError(f"symbolize: an alphabet needs at least 2 symbols, got {n_symbols}.")
    if way == "sax":
        means = window_means(standardise(signal, ddof=ddof), window)
        breaks = breakpoints(n_symbols)
    else:
        means = window_means(signal, window)
        present = means[~np.isnan(means)]
        steps = np.arange(1, n_symbols) / n_symbols
        if not len(present):
            breaks = steps
        elif way == "quantile":
            breaks = np.quantile(present, steps)
        else:
            breaks = present.min() + steps * (present.max() - present.min())
    codes = np.searchsorted(breaks, means, side="right")
    return np.where(np.isnan(means), GAP, codes)

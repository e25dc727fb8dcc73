"""The data sets of the (k,P)-anonymity paper, made or read again: Walk, Motion, Uniform and String."""

from __future__ import annotations

from functools import cache

import numpy as np

from experiments.steps import DATA
from sequester.model import Series
from sequester.primitives import sax

COLUMNS = ("paper", "literal", "best", "naive")
"""Where methods become columns of a page, these come first."""


def named_best(rows: list[dict], best: str = "kapra") -> list[dict]:
    """Rows with the default method under the name its column has on every page."""
    return [r | {"method": "best" if r["method"] == best else r["method"]} for r in rows]


def walk(seed: int = 0) -> Series:
    """6,553 pieces of one random walk: ten values and the next one, over the whole walk's range."""
    steps = np.cumsum(np.random.default_rng(seed).standard_normal(65536))
    pieces = np.lib.stride_tricks.sliding_window_view(steps, 11)[::10]
    pieces = (pieces - pieces.min()) / (pieces.max() - pieces.min())
    return Series(values=pieces[:, :10], sensitive={"next": pieces[:, 10]})


def uniform(n: int, seed: int = 0) -> Series:
    """White noise: the worst case for shared patterns."""
    return Series(values=np.random.default_rng(seed).random((n, 10)))


@cache
def _frames() -> np.ndarray:
    import pandas as pd

    frames = pd.read_csv(DATA / "cmu_mocap" / "motion_frames.csv.gz").iloc[:20352].drop(columns=["clip", "frame"])
    x = frames.to_numpy(float)
    return (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0))


def motion(draw: int = 0, n: int = 20352) -> Series:
    """Motion capture frames, ten channels drawn once and one more as sensitive; beyond 20,352 rows, further draws."""
    x = _frames()
    parts = []
    for more in range(-(-n // len(x))):
        chosen = np.random.default_rng(draw + more).choice(x.shape[1], 10, replace=False)
        other = np.setdiff1d(np.arange(x.shape[1]), chosen)[:1]
        parts.append(x[:, [*chosen, *other]])
    rows = np.concatenate(parts)[:n]
    return Series(values=rows[:, :10], sensitive={"other": rows[:, 10]})


def string(draw: int = 0) -> Series:
    """Motion as letters: each row's SAX word of 20 letters, letters taken as ordered values."""
    words = sax.sax(sax.z_normalize(np.asarray(motion(draw).values)), 20)
    return Series(values=words.astype(float), letters=tuple(sax.ALPHABET[:20]))

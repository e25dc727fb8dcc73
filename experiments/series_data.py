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


@cache
def beats() -> Series:
    """2,027 heart beats of one recording (MIT-BIH 106) x 140 points, with their labels N or V."""
    import wfdb

    path = str(DATA / "mitbih" / "106")
    signal, marks = wfdb.rdrecord(path).p_signal[:, 0], wfdb.rdann(path, "atr")
    found = [
        (s, c) for s, c in zip(marks.sample, marks.symbol, strict=True) if c in "NV" and 50 <= s <= len(signal) - 90
    ]
    rows = np.array([signal[s - 50 : s + 90] for s, _ in found])
    return Series(values=rows, sensitive={"label": [c for _, c in found]})


def some(data: Series, n: int, seed: int = 0) -> tuple[Series, Series]:
    """`n` random records, and the others."""
    order = np.random.default_rng(seed).permutation(data.n_records)
    return data.take(np.sort(order[:n])), data.take(np.sort(order[n:]))


@cache
def days() -> Series:
    """Fitbit person-days: mean steps a minute in ten-minute bins, 144 points; a record is a day, not a person."""
    import pandas as pd

    table = pd.read_csv(DATA / "fitbit_minutes" / "minuteStepsWide_merged.csv.gz")
    when = pd.to_datetime(table.iloc[:, 1], format="%m/%d/%Y %H:%M")
    table["day"], table["hour"] = when.dt.date, when.dt.hour
    bins = table.iloc[:, 2:62].to_numpy(float).reshape(len(table), 6, 10).mean(axis=2)
    whole = [g for _, g in table.groupby([table.columns[0], "day"]) if len(g) == 24]
    rows = np.array([bins[g.sort_values("hour").index].ravel() for g in whole])
    return Series(values=rows[rows.sum(axis=1) > 0])


def string(draw: int = 0) -> Series:
    """Motion as letters: each row's SAX word of 20 letters, letters taken as ordered values."""
    words = sax.sax(sax.z_normalize(np.asarray(motion(draw).values)), 20)
    return Series(values=words.astype(float), letters=tuple(sax.ALPHABET[:20]))

"""Electrocardiograms that never were: beats built of five waves, with extra beats in some people."""

from __future__ import annotations

import numpy as np

from sequester.model import SymbolSeries
from sequester.primitives.symbolize import symbolize

RATE_HZ = 100
WAVES = (  # place in the beat (seconds from the R peak at a rate of 60), width (seconds), height (millivolt)
    (-0.20, 0.040, 0.15),
    (-0.04, 0.012, -0.12),
    (0.0, 0.016, 1.1),
    (0.04, 0.014, -0.25),
    (0.28, 0.060, 0.30),
)
EXTRA_BEAT = ((0.0, 0.055, 1.5), (0.16, 0.070, -0.65))
"""Waves of a ventricular extra beat: early, wide, high, with an inverted T wave."""


def ecg(*, n_people: int = 60, seed: int = 0) -> SymbolSeries:
    """Symbolized electrocardiograms: 40 seconds a person, a symbol per tenth of a second, four symbols."""
    signals = [signal for signal, _ in ecg_signals(n_people=n_people, seed=seed)]
    series = [symbolize(s, window=RATE_HZ // 10, n_symbols=4) for s in signals]
    return SymbolSeries(
        names_public=True,
        symbols=np.concatenate(series) if series else np.empty(0, dtype=np.uint16),
        offsets=np.concatenate(([0], np.cumsum([len(s) for s in series]))),
        alphabet=("1", "2", "3", "4"),
        persons=np.array([f"p{i + 1:03d}" for i in range(n_people)], dtype=object),
    )


def ecg_signals(
    *, n_people: int = 60, seconds: float = 40.0, seed: int = 0
) -> list[tuple[np.ndarray, list[tuple[float, float]]]]:
    """The signals themselves (millivolt, 100 Hz), each with the seconds in which an extra beat stands."""
    children = np.random.SeedSequence(seed).spawn(n_people)
    return [_one(np.random.default_rng(child), seconds) for child in children]


def _one(rng: np.random.Generator, seconds: float) -> tuple[np.ndarray, list[tuple[float, float]]]:
    time = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    beat = 60 / rng.normal(72, 8)
    heights = np.exp(rng.normal(0, 0.15, len(WAVES)))
    extra = rng.random() < 0.25
    signal = np.zeros(len(time))
    places: list[tuple[float, float]] = []
    at = rng.uniform(0, beat)
    while at < seconds + 1:
        early = extra and rng.random() < 0.04
        if early:
            at -= 0.35 * beat
            places.append((max(0.0, at - 0.15), min(seconds, at + 0.35)))
        for i, (offset, width, height) in enumerate(EXTRA_BEAT if early else WAVES):
            scale = 1.0 if early else heights[i]
            shift = at + offset * np.sqrt(beat)
            near = slice(*np.searchsorted(time, (shift - 5 * width, shift + 5 * width)))
            signal[near] += scale * height * np.exp(-0.5 * ((time[near] - shift) / width) ** 2)
        # breathing quickens the pulse; an extra beat is followed by a pause
        pause = 1.35 if early else 1.0
        at += beat * pause * (1 + 0.04 * np.sin(2 * np.pi * at / 4.5) + 0.015 * rng.standard_normal())
    wander = 0.08 * np.sin(2 * np.pi * time / rng.uniform(3.5, 6) + rng.uniform(0, 2 * np.pi))
    return signal + wander + rng.normal(0, 0.02, len(time)), [p for p in places if p[0] < p[1]]

"""A tree of grams grown over parts: one round of counting per level, in which every part walks down from the root."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from sequester.engines.local import Engine
from sequester.primitives.ngram_tree import Gram, Walkers


class GramRounds:
    """What follows grams, counted over all parts; a part is loaded for the time of its walk."""

    def __init__(self, walkers: Callable[[Path], Walkers], paths: Sequence[Path], engine: Engine) -> None:
        self._walkers, self._paths, self._engine = walkers, paths, engine
        self._levels: list[list[Gram]] = []

    def __call__(self, grams: list[Gram]) -> np.ndarray:
        """Counts of every symbol, and of the end, after each gram; they are added up."""
        self._levels.append(grams)
        return self._engine.fold(partial(_walked, self._walkers, self._levels), self._paths, np.add, "counting")


def _walked(walkers: Callable[[Path], Walkers], levels: list[list[Gram]], path: Path) -> np.ndarray:
    own = walkers(path)
    counts = own.after(levels[0])
    for grams in levels[1:]:
        counts = own.after(grams)
    return counts

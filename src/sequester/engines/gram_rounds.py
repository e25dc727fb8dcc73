"""A tree of grams grown over parts: one round of counting per level, in which every part walks down from the root."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sequester.engines.local import Engine
from sequester.model.kind import Data
from sequester.primitives.ngram_tree import Gram, Walkers


class GramRounds:
    """What follows grams, counted over all parts; a part that is not in memory is loaded for the time of its walk."""

    def __init__(self, walkers: Callable[[Any], Walkers], data: Data, engine: Engine) -> None:
        self._walkers, self._data, self._engine = walkers, data, engine
        self._levels: list[list[Gram]] = []
        self._here = [walkers(part.load()) for part in data.parts if part.in_memory]

    def __call__(self, grams: list[Gram]) -> np.ndarray:
        """Counts of every symbol, and of the end, after each gram; they are added up."""
        if self._here:
            return self._here[0].after(grams)
        self._levels.append(grams)
        return self._engine.fold(partial(_walked, self._walkers, self._levels), self._data, np.add, "counting")


def _walked(walkers: Callable[[Any], Walkers], levels: list[list[Gram]], part: Any) -> np.ndarray:
    own = walkers(part)
    counts = own.after(levels[0])
    for grams in levels[1:]:
        counts = own.after(grams)
    return counts

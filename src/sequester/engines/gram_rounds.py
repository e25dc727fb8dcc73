"""A tree of grams grown over parts: one round of counting per level, in which every part walks down from the root."""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.engines.local import Engine
from sequester.engines.questions import Asked
from sequester.model.kind import Data
from sequester.primitives.ngram_tree import Gram, Walkers


class GramRounds:
    """What follows grams, counted over all parts; a part that is not in memory is loaded for the time of its walk."""

    def __init__(self, question: str, data: Data, engine: Engine, here: list[Walkers], **numbers: Any) -> None:
        """`question` names the list of `engines.questions`; `here` walk over parts that are in memory."""
        self._question, self._numbers, self._data, self._engine = question, numbers, data, engine
        self._levels: list[list[Gram]] = []
        self._here = here

    def __call__(self, grams: list[Gram]) -> np.ndarray:
        """Counts of every symbol, and of the end, after each gram; they are added up."""
        if self._here:
            return self._here[0].after(grams)
        self._levels.append(grams)
        asked = Asked(self._question, {**self._numbers, "levels": self._levels})
        return self._engine.fold(asked, self._data, np.add, "counting")


def walked(own: Walkers, levels: list[list[Gram]]) -> np.ndarray:
    """Counts behind the grams of the last level, having gone down all levels before."""
    counts = own.after(levels[0])
    for grams in levels[1:]:
        counts = own.after(grams)
    return counts

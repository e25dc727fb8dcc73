"""The people who are measured, in memory or in parts: a piece of work on blocks of them, joined.

The work is per person, and what leaves it is joined exactly: integers are added, norms are put one after the other and
only counted. So it does not matter how people are split.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sequester.engines import Engine
from sequester.methods.activity.activity_dp.kernels import features
from sequester.model import Activities, Parts

Work = Callable[[np.ndarray], np.ndarray]
Join = Callable[[Any], Any]
"""`sum`, or `np.concatenate`: what it makes of joined parts is what it makes of their pieces."""


@dataclass(frozen=True)
class Whole:
    """A matrix of people x intervals."""

    states: np.ndarray
    threads: int = 1

    @property
    def n(self) -> int:
        """How many people."""
        return len(self.states)

    def over(self, n_cells: int, work: Work, join: Join) -> np.ndarray:
        """`work` on every block of people, joined in order; kernels and numpy leave the lock, so threads help."""
        blocks = list(features.blocks(len(self.states), n_cells))
        if self.threads <= 1 or len(blocks) == 1:
            return np.asarray(join([work(self.states[b]) for b in blocks]))
        with ThreadPoolExecutor(self.threads) as pool:
            return np.asarray(join(list(pool.map(lambda b: work(self.states[b]), blocks))))


@dataclass(frozen=True)
class Split:
    """Parts of people, each read when it is measured."""

    parts: Parts
    codebook: tuple[str, ...]
    engine: Engine

    @property
    def n(self) -> int:
        """How many people."""
        return self.parts.n_people

    def over(self, n_cells: int, work: Work, join: Join) -> np.ndarray:
        """`work` on every block of every part, joined."""
        task = partial(_in_part, self.parts, self.codebook, n_cells, work, join)
        return np.asarray(join(self.engine.map(task, self.parts.paths, "measuring")))


People = Whole | Split


def _in_part(parts: Parts, codebook: tuple[str, ...], n_cells: int, work: Work, join: Join, path: Path) -> np.ndarray:
    return Whole(coded(loaded(parts, path), codebook).states).over(n_cells, work, join)


def loaded(parts: Parts, path: Path) -> Activities:
    """One part of people."""
    data = parts.load(path)
    assert isinstance(data, Activities)
    return data


def coded(data: Activities, codebook: tuple[str, ...]) -> Activities:
    """The states in codes of the code book, if there is one."""
    return data.recoded(codebook) if codebook else data

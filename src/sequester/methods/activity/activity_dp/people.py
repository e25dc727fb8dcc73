"""The people who are measured: a piece of work on blocks of them, joined.

The work is per person, and what leaves it are sums of integers. So it does not matter how people are split.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from sequester.engines import Engine
from sequester.methods.activity.activity_dp.kernels import features
from sequester.model import Activities

Work = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class People:
    """Rows of states, each part of them loaded when it is measured."""

    data: Activities
    codebook: tuple[str, ...] = ()
    engine: Engine = field(default_factory=lambda: Engine(threads=1))

    @property
    def n(self) -> int:
        """How many people."""
        return self.data.n_people

    def over(self, n_cells: int, work: Work) -> np.ndarray:
        """`work` on every block of every part, added up."""
        task = partial(_in_part, self.codebook, n_cells, work, self.engine.threads_inside(self.data))
        return np.asarray(sum(self.engine.map(task, self.data, "measuring")))


def _in_part(codebook: tuple[str, ...], n_cells: int, work: Work, threads: int, part: Activities) -> np.ndarray:
    return over_blocks(coded(part, codebook).states, n_cells, work, threads)


def over_blocks(states: np.ndarray, n_cells: int, work: Work, threads: int) -> np.ndarray:
    """`work` on every block of rows, added up; kernels and numpy leave the lock, so threads help."""
    blocks = list(features.blocks(len(states), n_cells))
    if threads <= 1 or len(blocks) == 1:
        return np.asarray(sum(work(states[b]) for b in blocks))
    with ThreadPoolExecutor(threads) as pool:
        return np.asarray(sum(pool.map(lambda b: work(states[b]), blocks)))


def coded(data: Activities, codebook: tuple[str, ...]) -> Activities:
    """The states in codes of the code book, if there is one."""
    return data.recoded(codebook) if codebook else data

"""The people who are measured: a piece of work on blocks of them, joined.

The work is per person, and what leaves it are sums of integers. So it does not matter how people are split.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sequester.dp.gate import gate
from sequester.dp.sites import Sites
from sequester.engines import Engine
from sequester.engines.questions import Asked
from sequester.methods.activity.activity_dp.kernels import features
from sequester.model import Activities

FEATURES: dict[str, Callable[..., np.ndarray]] = {
    "profile": features.profile,
    "durations": features.durations,
    "scores": lambda block, **numbers: features.pack(*features.scores(block, **numbers)),
    "spread": features.spread,
    "bout totals": features.bout_totals,
    "flows": features.flows,
    "bouts": features.bouts,
}
"""Vectors that people may be asked for, by name."""


class Vector(NamedTuple):
    """A vector per person: its name, its size, and the released numbers it depends on."""

    name: str
    size: int
    numbers: Mapping[str, Any]


@dataclass(frozen=True)
class People:
    """Rows of states, each part of them loaded when it is measured."""

    data: Activities
    codebook: tuple[str, ...] = ()
    engine: Engine = field(default_factory=lambda: Engine(threads=1))

    sites: Sites | None = None
    """Where they are, if at several sites."""

    def count(self, rho: float) -> np.ndarray:
        """How many people there are, as one number; its noise will cost `rho`."""
        return np.array([self.data.n_people], np.int64)

    def asked(self, vector: Vector, rho: float, **how: Any) -> np.ndarray:
        """What all parts answer, added up: `answer_block` says how, and its noise will cost `rho`."""
        numbers = {"codebook": self.codebook, "vector": vector, "threads": self.engine.threads_inside(self.data), **how}
        return np.asarray(sum(self.engine.map(Asked("activity-dp sums", numbers), self.data, "measuring")))


def answer_sums(part: Activities, *, codebook: tuple[str, ...], vector: Vector, **how: Any) -> np.ndarray:
    """A part's answer."""
    return answer_block(coded(part, codebook).states, vector, **how)


def answer_block(
    states: np.ndarray, vector: Vector, *, clip: float | None = None, grid: np.ndarray | None = None, threads: int = 1
) -> np.ndarray:
    """With a clip the sum of the gated vectors. With a grid how many people have a norm up to every point, and last
    how many there are: no norm leaves a part. Kernels and numpy leave the lock, so threads help.
    """

    def work(block: np.ndarray) -> np.ndarray:
        found = FEATURES[vector.name](block, **vector.numbers)
        if grid is None:
            assert clip is not None
            total: np.ndarray = gate(found, clip).sum(axis=0)
            return total
        norms = np.nan_to_num(np.linalg.norm(found, axis=1), nan=0.0, posinf=grid[-1])
        return np.r_[np.searchsorted(np.sort(norms), grid, side="right"), len(norms)].astype(np.int64)

    blocks = list(features.blocks(len(states), vector.size))
    if threads <= 1 or len(blocks) == 1:
        return np.asarray(sum(work(states[b]) for b in blocks))
    with ThreadPoolExecutor(threads) as pool:
        return np.asarray(sum(pool.map(lambda b: work(states[b]), blocks)))


def coded(data: Activities, codebook: tuple[str, ...]) -> Activities:
    """The states in codes of the code book, if there is one."""
    return data.recoded(codebook) if codebook else data

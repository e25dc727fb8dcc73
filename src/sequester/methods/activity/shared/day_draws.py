"""Drawing some clusters at a time: tasks that a thread or a worker does.

All random numbers are handed out by the process that publishes, block after block, so that the rows are the same
whoever draws them. A block that goes to a worker lies in a file: nothing of it passes a scheduler.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from sequester.engines.files import keep_all, load_all
from sequester.methods.activity.shared.day_counts import Norms, Where, added, cluster_rates, empty_tally
from sequester.methods.activity.shared.day_effects import per_row_by_clock
from sequester.methods.activity.shared.kernels.day_types import Laws, Rows, Tally, simulate
from sequester.primitives.row_file import RowFile, RowsInMemory
from sequester.primitives.threads import spread


class Block(NamedTuple):
    """Some clusters, whole."""

    members: np.ndarray
    """Rows of the people behind them, one cluster after the other."""
    sizes: np.ndarray
    place: np.ndarray
    """Where the drawn rows go."""
    first: np.ndarray
    """Clusters x states: where rows begin."""
    cluster: np.ndarray
    person: np.ndarray
    day: np.ndarray
    tries: np.ndarray
    """Candidates x rows x 4 random words."""

    def parked(self, path: Path) -> Path:
        """The block as a file."""
        keep_all(path, self._asdict())
        return path


class Common(NamedTuple):
    """What all blocks are drawn with."""

    where: Where
    norms: Norms
    laws: Laws
    """Without rates and beginnings: those belong to the clusters of a block."""

    def laws_of(self, block: Block, rate: np.ndarray | None = None) -> Laws:
        """The laws of a block's clusters; their rates are counted, unless they are told."""
        if rate is None:
            rate = cluster_rates(self.where, self.norms, block.members, block.sizes)
        return self.laws._replace(rate=np.ascontiguousarray(rate), first=block.first)


def _opened(block: Block | Path) -> Block:
    if isinstance(block, Block):
        return block
    return Block(**load_all(block))


def candidates_of(common: Common, declared: Block | Path) -> tuple[np.ndarray, np.ndarray | None]:
    """A task: the days of every candidate, by clock; and the rates, if they need not travel."""
    block = _opened(declared)
    laws = common.laws_of(block)
    hours = common.where.hours
    rows = Rows(block.cluster, block.person, block.day, block.tries[0])
    days = [
        per_row_by_clock(simulated(common.where, laws, rows._replace(seeds=seeds))[0].hours, hours)
        for seeds in block.tries
    ]
    return np.stack(days), None if isinstance(declared, Path) else laws.rate


class Chosen(NamedTuple):
    """A block, and which seeds its rows are drawn with."""

    block: Block | Path
    seeds: np.ndarray
    rate: np.ndarray | None


def written(common: Common, out: RowFile | RowsInMemory, chosen: Chosen) -> int:
    """A task: draw the rows that were chosen, and put them in their places."""
    block = _opened(chosen.block)
    rows = Rows(block.cluster, block.person, block.day, chosen.seeds)
    drawn = simulated(common.where, common.laws_of(block, chosen.rate), rows, write=True)[1]
    out.put(block.place, drawn)
    return len(drawn)


def simulated(where: Where, laws: Laws, rows: Rows, *, write: bool = False) -> tuple[Tally, np.ndarray]:
    """What simulated rows show, and the rows themselves if they are to be written."""
    n, a, hours = len(rows.cluster), where.n_states, where.hours
    seen = np.zeros((n, len(hours.clock), a), np.uint16)
    out = np.empty((n, int(hours.edges[-1]) if write else 0), np.uint8)
    parts: list[Tally] = []

    def work(first: int, last: int) -> None:
        tally = empty_tally(seen, a)
        simulate(laws, hours, rows, first, last, tally, out)
        parts.append(tally)

    spread(work, n, where.threads)
    return added(parts), out

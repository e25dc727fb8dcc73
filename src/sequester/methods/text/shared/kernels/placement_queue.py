"""Which sorted suffixes come to their turn when: the queue of a placement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.row_file import Room


class Queue(NamedTuple):
    """`entering` begins with the open ranks, in order; behind them wait those to come, by stage."""

    entering: np.ndarray
    first: np.ndarray
    spare: np.ndarray


QUEUE = Record(Queue, "int32[::1], int64[::1], int32[::1]")


def queued(longest: np.ndarray, stage_of: np.ndarray, n_stages: int, room: Room) -> Queue:
    """Ranks sorted by stage, in rank order within one, and where each stage begins; the last stage never enters."""
    first = _stages(longest, stage_of, n_stages)
    entering = room.empty(int(first[n_stages]), np.int32)
    _in_stages(longest, stage_of, first.copy(), n_stages, entering)
    return Queue(entering, first, room.empty(len(entering), np.int32))


@kernel("int32[::1], int32[::1], int64")
def _stages(longest, stage_of, n_stages):
    first = np.zeros(n_stages + 2, dtype=np.int64)
    for r in range(len(longest)):
        first[stage_of[longest[r]] + 1] += 1
    for stage in range(1, n_stages + 2):
        first[stage] += first[stage - 1]
    return first


@kernel("int32[::1], int32[::1], int64[::1], int64, int32[::1]")
def _in_stages(longest, stage_of, at, n_stages, out):
    for r in range(len(longest)):
        stage = stage_of[longest[r]]
        if stage < n_stages:
            out[at[stage]] = r
            at[stage] += 1


@kernel("Queue, int64, int64", Queue=QUEUE)
def let_in(queue, stage, n_open):
    """Merge the ranks of a stage with the open ones, which stay in order; returns how many are open now.

    From the back, so that what stands before the first new rank is not touched. There is room: the open ranks come from
    earlier stages.
    """
    entering, spare = queue.entering, queue.spare
    begin = queue.first[stage]
    n_new = queue.first[stage + 1] - begin
    for j in range(n_new):
        spare[j] = entering[begin + j]
    at = n_open + n_new
    i = n_open - 1
    j = n_new - 1
    while j >= 0:
        at -= 1
        if i >= 0 and entering[i] > spare[j]:
            entering[at] = entering[i]
            i -= 1
        else:
            entering[at] = spare[j]
            j -= 1
    return n_open + n_new

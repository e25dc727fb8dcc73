"""The published log: fresh object numbers, times in the precision of the original, names of states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

DAY = 86400


def event_table(
    states: np.ndarray,
    times: np.ndarray,
    offsets: np.ndarray,
    names: tuple[str, ...],
    unit: str,
    shuffle: np.random.Generator,
) -> pa.Table:
    """`object`, `time`, `state`: objects in random order under new numbers, empty ones left out."""
    import pyarrow as pa

    sizes = np.diff(offsets)
    order = shuffle.permutation(np.flatnonzero(sizes > 0))
    sizes = sizes[order]
    ends = np.cumsum(sizes)
    source = np.repeat(offsets[:-1][order] - (ends - sizes), sizes) + np.arange(int(sizes.sum()))
    number = np.repeat(np.arange(1, len(order) + 1), sizes)
    t = times[source]
    if unit == "second":
        time = pa.array(t, pa.timestamp("s"))
    elif unit == "day":
        time = pa.array((t // DAY).astype(np.int32), pa.int32()).cast(pa.date32())
    else:
        time = pa.array(np.arange(len(t)) - np.repeat(ends - sizes, sizes) + 1, pa.int64())
    state = pa.DictionaryArray.from_arrays(
        pa.array(states[source].astype(np.int32)), pa.array(list(names), pa.string())
    )
    return pa.table({"object": pa.array(number, pa.int64()), "time": time, "state": state.cast(pa.string())})

"""The kept statistics as a table, one row each: chain, statistic, model, from, to, and the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sequester.methods.events.markov_ratio.ensemble import Ensemble, Family, Statistics
from sequester.methods.events.markov_ratio.measured import FEW, Counted
from sequester.methods.events.shared.attributes import Attribute

if TYPE_CHECKING:
    import pyarrow as pa

END = "(end)"


def model_table(
    inner: Ensemble,
    outer: Ensemble,
    names: tuple[str, ...],
    counted: Counted | None,
    n_clusters: int,
    declared: tuple[Attribute, ...] = (),
) -> pa.Table:
    """All that was kept: the statistics of both chains, and what the repaired synthesis counts beside them."""
    import pyarrow as pa

    states = np.array([*names, END], dtype=object)
    parts = []
    for x in inner:
        if x.name == "hour":
            to = x.item.astype(str)
        else:
            to = np.array(["goes on", "ends"])[x.item] if x.name == "end" else states[x.item]
        come = states[x.row] if x.name in ("move", "near", "end") else np.full(len(x.row), None)
        parts.append(_part("states", x, inner.families, come, to))
    for x in outer:
        # In the law of what follows a cluster, the number after the last one stands for the end.
        to = x.item.astype(str).astype(object)
        if x.name == "move" and counted is not None:
            to[x.item == n_clusters] = END
        come = x.row.astype(str) if x.name in ("move", "near") else np.full(len(x.row), None)
        parts.append(_part("sections", x, outer.families, come, to))
    for x in counted.extra.values() if counted is not None else ():
        come, to = np.full(len(x.row), None), x.item.astype(str)
        kinds = FEW
        if x.name == "gap" and counted is not None:
            kinds = counted.gap_families
            come = states[x.row // len(names)] + " > " + states[x.row % len(names)] if len(x.row) else come
        elif x.name == "lengths" and counted is not None:
            to = np.array(counted.ranges.names, dtype=object)[x.item]
        elif x.name == "length":
            kinds = FEW[1:]
        elif x.name == "clock":
            come = states[x.row]
        elif x.name == "attribute":
            come = np.array([declared[j].name for j in x.row.tolist()], dtype=object)
            to = np.array([declared[j].values[v] for j, v in zip(x.row.tolist(), x.item.tolist())], dtype=object)
        parts.append(_part("states", x, kinds, come, to))
    return pa.concat_tables(parts)


def _part(chain: str, x: Statistics, kinds: list[Family], come: np.ndarray, to: np.ndarray) -> pa.Table:
    import pyarrow as pa

    levels = np.array([f.level for f in kinds], dtype=object)
    factors = np.array([f.factor for f in kinds], dtype=object)
    return pa.table(
        {
            "chain": pa.array([chain] * len(x.family), pa.string()),
            "statistic": pa.array([x.name] * len(x.family), pa.string()),
            "level": pa.array(levels[x.family].tolist(), pa.string()),
            "factor": pa.array(factors[x.family].tolist(), pa.string()),
            "cluster": pa.array(x.cluster, pa.int64(), mask=x.cluster < 0),
            "value": pa.array(x.value, pa.int64(), mask=x.value < 0),
            "from": pa.array(come.tolist(), pa.string()),
            "to": pa.array(to.tolist(), pa.string()),
            "count": pa.array(x.count, pa.int64()),
            "out_of": pa.array(x.out_of, pa.int64()),
            "mean": pa.array(x.mean, pa.float64()),
            "spread": pa.array(x.spread, pa.float64()),
            "support": pa.array(x.support, pa.int64()),
        }
    )

"""The kept statistics as a table, one row each: chain, statistic, model, from, to, and the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sequester.methods.events.markov_ratio.ensemble import Ensemble, Family, Statistics
from sequester.methods.events.markov_ratio.measured import FEW, PREVIOUS

if TYPE_CHECKING:
    import pyarrow as pa

END = "(end)"


def model_table(
    inner: Ensemble, outer: Ensemble, names: tuple[str, ...], extra: Mapping[str, Statistics], n_clusters: int
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
        if x.name == "move" and extra:
            to[x.item == n_clusters] = END
        come = x.row.astype(str) if x.name in ("move", "near") else np.full(len(x.row), None)
        parts.append(_part("sections", x, outer.families, come, to))
    for x in extra.values():
        come = np.full(len(x.row), None)
        kinds = FEW
        if x.name == "gap":
            kinds = _with_previous(inner.families)
            come = states[x.row // len(names)] + " > " + states[x.row % len(names)] if len(x.row) else come
        elif x.name == "clock":
            come = states[x.row]
        parts.append(_part("states", x, kinds, come, x.item.astype(str)))
    return pa.concat_tables(parts)


def _with_previous(kinds: list[Family]) -> list[Family]:
    from sequester.methods.events.markov_ratio.ensemble import families

    return families((*(f.factor for f in kinds if f.level == "factor" and f.factor), PREVIOUS), clusters=True)


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

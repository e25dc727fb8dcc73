"""The tables of an activity release, built around the sampled matrix without copying it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

    from sequester.methods.activity.shared.clustering import Clusters
    from sequester.model import Activities

ELEMENTS_PER_CHUNK = 1 << 30
"""Arrow's list offsets are 32-bit; larger matrices become several chunks."""


def sequences_table(states: np.ndarray, cluster: np.ndarray | None = None) -> pa.Table:
    """`record`, `cluster` where there is one, and `states` as a list of bytes per row."""
    import pyarrow as pa

    n, m = states.shape
    step = max(1, ELEMENTS_PER_CHUNK // max(m, 1))
    chunks = [
        pa.ListArray.from_arrays(np.arange(len(part) + 1, dtype=np.int32) * m, pa.array(part.ravel()))
        for part in (states[i : i + step] for i in range(0, n, step))
    ]
    columns: dict[str, pa.Array | pa.ChunkedArray] = {"record": pa.array(np.arange(n, dtype=np.int32))}
    if cluster is not None:
        columns["cluster"] = pa.array(cluster.astype(np.int32))
    columns["states"] = pa.chunked_array(chunks, type=pa.list_(pa.uint8()))
    return pa.table(columns)


def public_facts(data: Activities) -> dict[str, pa.Table]:
    """Names of the states, and the calendar: known to everybody before the release."""
    import pyarrow as pa

    n_states = len(data.state_names)
    return {
        "states": pa.table({"code": np.arange(n_states, dtype=np.uint8), "name": list(data.state_names)}),
        "calendar": pa.table(
            {
                "start": pa.array([data.start.astype("datetime64[s]").item()], pa.timestamp("s")),
                "interval_seconds": pa.array([data.interval_seconds], pa.int32()),
                "intervals": pa.array([data.states.shape[1]], pa.int32()),
            }
        ),
    }


def private_map(data: Activities, clusters: Clusters, place: np.ndarray, number: np.ndarray) -> dict[str, pa.Table]:
    """Which person stands behind the i-th member's row of a cluster: the custodian's pairing, never published."""
    import pyarrow as pa

    cluster = np.repeat(np.arange(len(clusters.sizes)), clusters.sizes)
    return {
        "records": pa.table(
            {
                "record": place.astype(np.int32),
                "cluster": number[cluster].astype(np.int32),
                "person": [str(p) for p in data.persons[clusters.order]],
                "row": clusters.order.astype(np.int32),
            }
        )
    }


def centroid_table(data: Activities, clusters: Clusters, number: np.ndarray, threads: int) -> pa.Table:
    """Mean minutes per cluster, state and day."""
    import pyarrow as pa

    from sequester.methods.activity.shared.clustering import window_edges
    from sequester.primitives.aggregate import window_counts

    counts = window_counts(data.states, len(data.state_names), window_edges(data, "day"), threads=threads)
    sums = np.add.reduceat(counts[clusters.order], clusters.bounds[:-1], axis=0)
    means = sums / clusters.sizes[:, None, None] * (data.interval_seconds / 60)
    c, a, d = np.indices(means.shape).reshape(3, -1)
    return pa.table(
        {
            "cluster": number[c].astype(np.int32),
            "state": a.astype(np.uint8),
            "day": d.astype(np.int32),
            "minutes": means.ravel(),
        }
    )


def covariate_table(data: Activities, clusters: Clusters, number: np.ndarray, k: int) -> pa.Table:
    """Mean of every numeric covariate per cluster, only where at least `k` members have one."""
    import pyarrow as pa

    rows: dict[str, list] = {"cluster": [], "name": [], "mean": [], "people": []}
    for name, column in data.covariates.items():
        if column.dtype.kind not in "fiub":
            continue
        values = column.astype(np.float64)[clusters.order]
        known = np.isfinite(values)
        sums = np.add.reduceat(np.where(known, values, 0.0), clusters.bounds[:-1])
        people = np.add.reduceat(known.astype(np.int64), clusters.bounds[:-1])
        for c in np.flatnonzero(people >= k):
            rows["cluster"].append(int(number[c]))
            rows["name"].append(name)
            rows["mean"].append(float(sums[c] / people[c]))
            rows["people"].append(int(people[c]))
    schema = pa.schema([("cluster", pa.int32()), ("name", pa.string()), ("mean", pa.float64()), ("people", pa.int32())])
    return pa.table(rows, schema=schema)

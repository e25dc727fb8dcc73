"""The layout `states`: a sequence of states per person, what the codes mean, and the calendar they lie on.

| table | columns |
|---|---|
| `sequences` | `record`, `cluster` (drawn from clusters), `group` (the method ran in groups), `states` |
| `states` | `code`, `name` |
| `calendar` | `start`, `interval_seconds`, `intervals` |

Beside them a method may publish `centroids`, `covariates` or `measurements`. Where all rows of a cluster are the same,
`centroids` come first: they say how many minutes a day its members spent in each state, which one row cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sequester.errors import BundleError
from sequester.model import Activities
from sequester.primitives.row_file import rest
from sequester.release import Claim

ELEMENTS_PER_CHUNK = 1 << 30
"""Arrow's list offsets are 32-bit; larger matrices become several chunks."""
PIECE_BYTES = 1 << 24
"""Of a table that is written in pieces."""
UNOBSERVED = ("missing", "not worn")
"""Names of states that say nothing about what a person did."""


def has_weekdays(data: Activities) -> bool:
    """Whether the calendar's weekdays are true; everybody's first day may stand on a date of its own."""
    lines = [fact.value for fact in data.reading if fact.name == "calendar" and isinstance(fact.value, dict)]
    return all(value.get("weekdays", True) for value in lines)


def day_parts(times: np.ndarray, weekdays: bool) -> dict[str, np.ndarray]:
    """Which intervals belong to weekdays and which to weekends; all together where weekdays are not true or one is
    missing."""
    day = (times.astype("datetime64[D]").astype(np.int64) + 3) % 7  # 1970-01-01 was a Thursday
    parts = {"weekdays": day < 5, "weekends": day >= 5}
    if not weekdays or not all(mine.any() for mine in parts.values()):
        return {"all days": np.ones(len(times), dtype=bool)}
    return parts


@dataclass(frozen=True, kw_only=True)
class States:
    """The tables of an activity release as arrays."""

    states: np.ndarray
    """Released rows x intervals, codes into `names`."""
    names: tuple[str, ...]
    record: np.ndarray
    """Number of every row."""
    cluster: np.ndarray | None
    """Cluster of every row, where there are clusters."""
    group: np.ndarray | None
    """Group of every row (`object` array of text), where the method ran in groups."""
    start: np.datetime64
    interval_seconds: int

    @classmethod
    def read(cls, claim: Claim, rows: int | None = None) -> States:
        """The tables of a release or bundle, or of its first `rows` records."""
        try:
            table, names, calendar = (claim.tables[name] for name in ("sequences", "states", "calendar"))
            some = table if rows is None else table.slice(0, rows)
            found = calendar.to_pylist()[0]
            return cls(
                states=matrix(some["states"]),
                names=tuple(str(name) for name in names["name"].to_pylist()),
                record=some["record"].to_numpy(),
                cluster=some["cluster"].to_numpy() if "cluster" in some.column_names else None,
                group=np.array(some["group"].to_pylist(), dtype=object) if "group" in some.column_names else None,
                start=np.datetime64(found["start"], "s"),
                interval_seconds=int(found["interval_seconds"]),
            )
        except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
            raise BundleError(
                "open: the tables of this release are not those of the layout 'states'. Get an intact copy."
            ) from error

    @property
    def times(self) -> np.ndarray:
        """When every interval begins."""
        return self.start + np.arange(self.states.shape[1]) * np.timedelta64(self.interval_seconds, "s")

    @property
    def minutes_per_interval(self) -> float:
        return self.interval_seconds / 60

    def with_means(self, minutes: np.ndarray, claim: Claim) -> np.ndarray:
        """Rows x states x days of minutes, replaced by the means of a cluster where all its rows are the same."""
        table = claim.tables.get("centroids")
        if table is None or self.cluster is None or claim.guarantee.model != "k-anonymous-sequences":
            return minutes
        names, at = np.unique(self.cluster, return_inverse=True)
        means = np.full((len(names), *minutes.shape[1:]), np.nan)
        cluster = np.searchsorted(names, table["cluster"].to_numpy())
        means[cluster, table["state"].to_numpy(), table["day"].to_numpy()] = table["minutes"].to_numpy()
        return np.where(np.isnan(means[at]), minutes, means[at])

    def as_data(self) -> Activities:
        """The released rows as data of their own: for whoever wants to simulate or test with them."""
        return Activities(
            states=self.states, state_names=self.names, interval_seconds=self.interval_seconds, start=self.start
        )

    def members(self, claim: Claim, original: Activities) -> np.ndarray | None:
        """Row of the original whose place each released row took, where the custodian's map is at hand."""
        found = claim.private.get("records")
        if found is None:
            return None
        row_of = {person: i for i, person in enumerate(original.persons)}
        people = found["person"].to_pylist()
        at = {r: i for i, r in enumerate(self.record.tolist())}
        if len(people) != len(at) or not all(p in row_of for p in people):
            return None
        out = np.empty(len(self.record), dtype=np.int64)
        out[[at[r] for r in found["record"].to_pylist()]] = [row_of[p] for p in people]
        return out


def matrix(column: pa.ChunkedArray) -> np.ndarray:
    """A column of equally long lists as rows x elements; no copy where it is one chunk."""
    parts = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in column.chunks if len(chunk)]
    flat = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.zeros(0, np.uint8)
    return flat.reshape(len(column), -1)


def sequences_table(
    states: np.ndarray, cluster: np.ndarray | None = None, group: np.ndarray | None = None, *, first: int = 0
) -> pa.Table:
    """`record` from `first` on, `cluster` and `group` where there are such, and `states` as a list of bytes per row."""
    n, m = states.shape
    step = max(1, ELEMENTS_PER_CHUNK // max(m, 1))
    chunks = [
        pa.ListArray.from_arrays(np.arange(len(part) + 1, dtype=np.int32) * m, pa.array(part.ravel()))
        for part in (states[i : i + step] for i in range(0, n, step))
    ]
    columns: dict[str, pa.Array | pa.ChunkedArray] = {"record": pa.array(np.arange(first, first + n, dtype=np.int32))}
    if cluster is not None:
        columns["cluster"] = pa.array(cluster.astype(np.int32))
    if group is not None:
        columns["group"] = pa.array(group.tolist(), pa.string())
    columns["states"] = pa.chunked_array(chunks, type=pa.list_(pa.uint8()))
    return pa.table(columns)


def sequence_pieces(states: np.ndarray, cluster: np.ndarray | None = None) -> Iterator[pa.Table]:
    """The same table, some rows at a time; of a mapped file no more than these rows are held."""
    n, m = states.shape
    step = max(1, PIECE_BYTES // max(m, 1))
    for first in range(0, max(n, 1), step):
        here = slice(first, first + step)
        yield sequences_table(states[here].copy(), None if cluster is None else cluster[here], first=first)
        rest(states)


LONG = ("record", "cluster", "group", "time", "state")
"""Columns of the copy people open: one row per record and interval."""
SHORT_CELLS = 1 << 20
"""Up to so many intervals, which a spreadsheet holds, the copy is always there."""
LONG_CELLS = 20_000_000
"""More intervals than this are not spelled out: the copy then has one row per record, codes joined by a space."""


def is_short(tables: Mapping[str, pa.Table]) -> bool:
    """Whether sequences come with a copy of one row per interval without being asked for."""
    found = tables["calendar"].to_pylist() if {"sequences", "states", "calendar"} <= set(tables) else []
    return bool(found) and 0 < tables["sequences"].num_rows * int(found[0]["intervals"]) <= SHORT_CELLS


def long_table(tables: Mapping[str, pa.Table]) -> pa.Table | None:
    """The table `sequences` as one row per record and interval, states by name; None where that would be too long."""
    names = {"sequences", "states", "calendar"}
    if not names <= set(tables) or "states" not in tables["sequences"].column_names:
        return None
    table, found = tables["sequences"], tables["calendar"].to_pylist()
    if not found or table.num_rows * int(found[0]["intervals"]) > LONG_CELLS:
        return None
    table = pa.Table.from_batches(table.to_batches(), schema=table.schema)  # it may be on disk
    codes = matrix(table["states"])
    n, m = codes.shape
    called = tables["states"]["name"].combine_chunks()
    if n * m > LONG_CELLS or codes.max(initial=0) >= len(called):  # a code without a name is for the judge to say
        return None
    start = np.datetime64(found[0]["start"], "s")
    times = start + np.arange(m) * np.timedelta64(int(found[0]["interval_seconds"]), "s")
    row = pa.array(np.repeat(np.arange(n), m))
    columns = {c: table[c].take(row) for c in LONG if c in table.column_names}
    columns["time"] = pa.array(np.tile(times, n), pa.timestamp("s"))
    columns["state"] = called.take(pa.array(codes.ravel().astype(np.int32)))
    return pa.table(columns)


def public_facts(data: Activities, names: tuple[str, ...] | None = None) -> dict[str, pa.Table]:
    """Names of the states, and the calendar: known to everybody before the release."""
    names = data.state_names if names is None else names
    return {
        "states": pa.table({"code": np.arange(len(names), dtype=np.uint8), "name": list(names)}),
        "calendar": pa.table(
            {
                "start": pa.array([data.start.astype("datetime64[s]").item()], pa.timestamp("s")),
                "interval_seconds": pa.array([data.interval_seconds], pa.int32()),
                "intervals": pa.array([data.states.shape[1]], pa.int32()),
            }
        ),
    }

"""What published activity tables must look like, whatever the promise: read with plain numpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.model import Activities
from sequester.release import Check, Claim

TABLES: dict[str, set[str]] = {
    "sequences": {"record", "cluster", "group", "states"},
    "states": {"code", "name"},
    "calendar": {"start", "interval_seconds", "intervals"},
    "centroids": {"cluster", "state", "day", "minutes"},
    "covariates": {"cluster", "name", "mean", "people"},
    "measurements": {"family", "cell", "value", "noise_sd"},
}
"""Every table an activity release may hold, and every column it may have."""

REQUIRED: dict[str, set[str]] = {
    "sequences": {"record", "states"},
    "states": {"code", "name"},
    "calendar": {"start", "interval_seconds", "intervals"},
}


def shape(claim: Claim, *, clusters: bool = False) -> list[Check]:
    """Checks of tables, columns, record numbers and codes. Without `clusters`, a cluster column is a defect."""
    layout = _layout(claim, clusters)
    if not all(c.passed for c in layout):
        return layout
    return [*layout, _records(claim), _calendar(claim), *_codes(claim)]


def _layout(claim: Claim, clusters: bool) -> list[Check]:
    foreign = {"measurements"} if clusters else {"centroids", "covariates"}  # means of a kind this promise has not
    beside = {"transcript"} if claim.federation else set()
    strange = [t for t in claim.tables if (t not in TABLES or t in foreign) and t not in beside]
    absent = [t for t in REQUIRED if t not in claim.tables]
    checks = [
        Check(
            name="tables are the expected ones",
            passed=not strange and not absent,
            detail=f"{len(absent)} missing{_named(absent)}, {len(strange)} unexpected",
        )
    ]
    for name in REQUIRED:
        if name not in claim.tables:
            continue
        have = set(claim.tables[name].column_names)
        promised = {"cluster"} if clusters else set()
        promised |= {"group"} if clusters and claim.guarantee.parameters.get("by") else set()
        need = REQUIRED[name] | (promised if name == "sequences" else set())
        may = TABLES[name] - ({"cluster", "group"} - promised)
        checks.append(
            Check(
                name=f"columns of {name}",
                passed=need <= have <= may and len(have) == claim.tables[name].num_columns,
                detail=f"{len(need - have)} missing, {len(have - may)} that should not be there",
            )
        )
    for name in set(claim.tables) & (set(TABLES) - set(REQUIRED)):
        more = set(claim.tables[name].column_names) - TABLES[name]
        checks.append(Check(name=f"columns of {name}", passed=not more, detail=f"{len(more)} that should not be there"))
    return checks


def _records(claim: Claim) -> Check:
    column = column_of(claim.tables["sequences"], "record")
    n = len(column)
    fine = pa.types.is_integer(column.type) and column.null_count == 0 and n > 0
    if fine:
        numbers = np.sort(column.to_numpy())
        fine = bool((numbers == np.arange(numbers[0], numbers[0] + n)).all()) and int(numbers[0]) in (0, 1)
    return Check(
        name="records are numbered anew",
        passed=fine,
        detail=f"{counted(n, 'row')}, numbers without gaps or repeats: {fine}",
    )


def _calendar(claim: Claim) -> Check:
    """One row: when the first interval begins, how long it is, and how many there are. A text could hold anything."""
    table = claim.tables["calendar"]
    fine = table.num_rows == 1 and all(column.null_count == 0 for column in table.columns)
    fine = fine and pa.types.is_timestamp(table["start"].type)
    lengths = [table[name] for name in ("interval_seconds", "intervals")]
    fine = fine and all(pa.types.is_integer(column.type) and column[0].as_py() > 0 for column in lengths)
    return Check(
        name="one calendar",
        passed=fine,
        detail=f"{counted(table.num_rows, 'row')}, a beginning and lengths above 0: {'yes' if fine else 'no'}",
    )


def same_calendar(claim: Claim, source: Activities) -> bool:
    """Whether the release begins when the original does, in steps as long."""
    found = claim.tables["calendar"].to_pylist()[0]
    begins = np.datetime64(found["start"], "s") == source.start.astype("datetime64[s]")
    return bool(begins and found["interval_seconds"] == source.interval_seconds)


def _codes(claim: Claim) -> list[Check]:
    names, sequences, calendar = (claim.tables[t] for t in ("states", "sequences", "calendar"))
    codes = names["code"].to_pylist()
    legal = codes == list(range(len(codes))) and 1 <= len(codes) <= 256
    legal &= len(set(names["name"].to_pylist())) == len(codes) and names["name"].null_count == 0
    checks = [Check(name="state codes are named once", passed=legal, detail=f"{counted(len(codes), 'state')}")]
    intervals = calendar["intervals"].to_pylist()
    try:
        rows = length = 0
        largest = -1
        even = len(intervals) == 1
        for block in blocks(sequences):
            rows += len(block)
            length = block.shape[1]
            even &= length == intervals[0]
            largest = max(largest, int(block.max(initial=0)))
    except (ValueError, TypeError, AttributeError, NotImplementedError):  # a column of another type fails in many ways
        broken = "the column `states` is not a list of bytes of one length without nulls"
        return [*checks, Check(name="states are bytes", passed=False, detail=broken)]
    return [
        *checks,
        Check(
            name="every row covers the calendar",
            passed=bool(even) and rows == sequences.num_rows,
            detail=f"{counted(rows, 'row')} of {counted(length, 'interval')}",
        ),
        Check(
            name="every code is a named state",
            passed=largest < len(codes),
            detail=f"largest code {largest}, {counted(len(codes), 'state')}",
        ),
    ]


def blocks(sequences: pa.Table) -> Iterator[np.ndarray]:
    """The states as people x intervals, one block per Arrow chunk and without copying; raises ValueError if uneven.

    A table on disk is read in batches.
    """
    kind = sequences.schema.field("states").type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        raise ValueError("not a list column")
    if not pa.types.is_uint8(kind.value_type):
        raise ValueError("not bytes")
    for chunk in (batch.column(0) for batch in sequences.select(["states"]).to_batches()):
        if not len(chunk):
            continue
        flat = chunk.flatten()
        if chunk.null_count or flat.null_count or len(flat) % len(chunk):
            raise ValueError("nulls or uneven rows")
        if not pa.types.is_fixed_size_list(kind):
            lengths = np.diff(chunk.offsets.to_numpy())
            if lengths.min() != lengths.max():
                raise ValueError("uneven rows")
        yield flat.to_numpy().reshape(len(chunk), -1)


def column_of(table: pa.Table, name: str) -> pa.ChunkedArray:
    """One column in memory, of a table that may be on disk."""
    batches = table.select([name]).to_batches()
    return pa.chunked_array([batch.column(0) for batch in batches], type=table.schema.field(name).type)


def matrix(sequences: pa.Table) -> np.ndarray:
    """All states in row order; a copy only where the table came in several chunks."""
    parts = list(blocks(sequences))
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.zeros((0, 0), np.uint8)


def _named(names: Iterable[str]) -> str:
    """Names in brackets; nothing where there are none."""
    sentence = ", ".join(names)
    return f" ({sentence})" if sentence else ""

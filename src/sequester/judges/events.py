"""What a published event log must look like, whatever the promise: read with plain numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import counted, verb_for
from sequester.judges import markov_release
from sequester.release import Check, Claim

EVENTS = ("object", "time", "state")
DAY = 86400
AT_ONCE = 1 << 16
"""Rows that are looked at together: a log need not fit into memory."""


def shape(claim: Claim) -> list[Check]:
    """Checks of a differentially private log: its tables, its order, its caps, and the laws beside it."""
    beside = "codebook" if claim.method_id == "events-ngram-dp" else "model"
    carried = _carried(claim)
    more = [name for name in ("measurements",) if beside == "model" and name in claim.tables]
    more += ["transcript"] if claim.federation else []
    checks = log_checks(claim, tables=("events", beside, *more), columns=(*EVENTS, *carried))
    have = beside in claim.tables
    checks.append(Check(name=f"table {beside}", passed=have, detail="present" if have else "missing"))
    if all(c.passed for c in checks):
        checks += [*_dates(claim), *_laws(claim)] if beside == "model" else _public_states(claim)
    if all(c.passed for c in checks) and beside == "model":
        checks += markov_release.checks(claim)
    if all(c.passed for c in checks) and carried:
        checks += _attributes(claim)
    return checks


def _carried(claim: Claim) -> tuple[str, ...]:
    """Columns of attributes that the parameters declare."""
    return (*_names(claim, "attributes"), *_names(claim, "event_values"))


def _names(claim: Claim, parameter: str) -> tuple[str, ...]:
    return tuple(str(text).partition(":")[0] for text in claim.parameters.get(parameter) or ())


def _attributes(claim: Claim) -> list[Check]:
    """Attributes have declared values only, and one per object; events have declared values or none."""
    model = claim.tables["model"]
    rows = zip(*(model[c].to_pylist() for c in ("statistic", "from", "to")))
    allowed: dict[str, set[str]] = {}
    for statistic, name, value in rows:
        if statistic in ("attribute", "event value"):
            allowed.setdefault(name, set()).add(value)
    of_events = _names(claim, "event_values")
    found, changes = carried_values(claim, _carried(claim), of_events)
    strange = sum(
        len(values - allowed.get(name, set()) - ({None} if name in of_events else set()))
        for name, values in found.items()
    )
    return [declared_values(strange, changes)]


def carried_values(
    claim: Claim, names: Sequence[str], of_events: Sequence[str] = ()
) -> tuple[dict[str, set[Any]], int]:
    """Every value of the carried columns, and how often one that belongs to an object changes inside it."""
    found: dict[str, set[Any]] = {name: set() for name in names}
    changes, last, then = 0, -1, None
    for batch in claim.tables["events"].select(["object", *names]).to_batches(max_chunksize=AT_ONCE):
        if not len(batch):
            continue
        objects = batch["object"].to_numpy()
        same = objects == np.r_[last, objects[:-1]]  # whoever was going on in the batch before goes on
        columns = [batch[name].to_pylist() for name in names]
        for name, column, before in zip(names, columns, then or columns, strict=True):
            found[name].update(column)
            if name not in of_events:
                values = np.array([before[-1], *column], dtype=object)
                changes += int(np.sum((values[1:] != values[:-1]) & same))
        last, then = int(objects[-1]), columns
    return found, changes


def declared_values(strange: int, changes: int) -> Check:
    """The check that carried columns hold declared values, and one per object."""
    return Check(
        name="attributes have declared values",
        passed=strange == 0 and changes == 0,
        detail=f"{counted(strange, 'value')} not declared, {changes} changes inside an object",
    )


def _public_states(claim: Claim) -> list[Check]:
    """A log of order alone, whose states are all in the codebook beside it."""
    book, events = claim.tables["codebook"], claim.tables["events"]
    right = book.column_names == ["state"] and pa.types.is_string(book.schema.field(0).type)
    names = book["state"].to_pylist() if right else []
    right = right and None not in names and len(set(names)) == len(names) > 0
    strange = len(states_of(events) - set(names))
    placed = pa.types.is_integer(events.schema.field("time").type)
    return [
        Check(name="codebook names states once", passed=right, detail=f"{counted(len(names), 'name')}"),
        Check(
            name="states are those of the codebook",
            passed=strange == 0,
            detail=f"{counted(strange, 'state')} of the log that the codebook does not name",
        ),
        Check(name="the log has no clock", passed=placed, detail="times are places" if placed else "times are dates"),
    ]


def log_checks(claim: Claim, *, tables: Iterable[str], columns: tuple[str, ...] = EVENTS) -> list[Check]:
    """Layout of table `events`: columns and types, numbering, order inside objects, cap on events."""
    strange = [t for t in claim.tables if t not in tables]
    have = "events" in claim.tables
    first = Check(
        name="tables are the expected ones",
        passed=have and not strange,
        detail=f"events {'present' if have else 'missing'}, {len(strange)} unexpected",
    )
    if not have:
        return [first]
    table = claim.tables["events"]
    right = Check(
        name="columns of events",
        passed=tuple(table.column_names) == columns,
        detail=f"{counted(table.num_columns, 'column')}, {sum(c in columns for c in table.column_names)} of them "
        "expected",
    )
    if not right.passed:
        return [first, right]
    kinds = [table.schema.field(c).type for c in EVENTS]
    typed = (
        pa.types.is_integer(kinds[0])
        and (pa.types.is_timestamp(kinds[1]) or pa.types.is_date(kinds[1]) or pa.types.is_integer(kinds[1]))
        and (pa.types.is_string(kinds[2]) or pa.types.is_large_string(kinds[2]))
    )
    nulls = sum(batch[c].null_count for batch in table.to_batches(max_chunksize=AT_ONCE) for c in EVENTS)
    types = Check(
        name="values of events",
        passed=bool(typed and nulls == 0 and table.num_rows > 0),
        detail=f"{counted(table.num_rows, 'row')}, {nulls} empty cells, types {'as' if typed else 'not as'} expected",
    )
    if not types.passed:
        return [first, right, types]
    return [first, right, types, *_order(table, claim)]


def _order(table: pa.Table, claim: Claim) -> list[Check]:
    numbered, placed = True, True
    last, then, size, longest, back = 0, 0, 0, 0, 0
    for batch in table.select(["object", "time"]).to_batches(max_chunksize=AT_ONCE):
        if not len(batch):
            continue
        objects, times = batch["object"].to_numpy(), seconds(batch)
        step = np.diff(objects, prepend=last)
        numbered = numbered and bool(np.all((step == 0) | (step == 1)) and objects[0] >= 1)
        back += int(np.sum((np.diff(times, prepend=then) < 0) & (step == 0)))
        begins = np.flatnonzero(step != 0)
        sizes = np.diff(np.r_[0, begins, len(objects)])
        sizes[0] += size  # the object that was going on
        longest = max(longest, int(sizes.max()))
        # The place of every event in its object: how far behind its begin, which may lie in the batch before.
        begin = np.maximum.accumulate(np.where(step != 0, np.arange(len(objects)), -size))
        placed = placed and bool(np.array_equal(times, np.arange(len(objects)) - begin + 1))
        last, then, size = int(objects[-1]), int(times[-1]), int(sizes[-1])
    cap = claim.parameters.get("max_events")
    checks = [
        Check(
            name="objects carry new numbers",
            passed=numbered,
            detail=f"{counted(last, 'object')} numbered from 1 without a gap"
            if numbered
            else "numbers do not run from 1 upward",
        ),
        Check(
            name="times do not run backwards",
            passed=back == 0,
            detail=f"{counted(back, 'event')} earlier than the one before",
        ),
    ]
    if cap is not None:
        longest = longest if numbered else 0
        checks.append(
            Check(name="objects keep the cap", passed=longest <= int(cap), detail=f"longest {longest}, cap {cap}")
        )
    if pa.types.is_integer(table.schema.field("time").type):
        fine = numbered and placed
        checks.append(Check(name="times are places", passed=fine, detail="an order-only log counts 1, 2, 3, …"))
    return checks


def states_of(table: pa.Table) -> set[str]:
    """States that occur."""
    out: set[str] = set()
    for batch in table.select(["state"]).to_batches(max_chunksize=AT_ONCE):
        out.update(batch[0].unique().to_pylist())
    return out


def seconds(table: pa.Table | pa.RecordBatch) -> np.ndarray:
    """Times as whole seconds (places, where there is no clock)."""
    column = table["time"]
    whole = column if pa.types.is_integer(column.type) else column.cast(pa.timestamp("s"), safe=False).cast(pa.int64())
    out: np.ndarray = whole.to_numpy().astype(np.int64)
    return out


def _dates(claim: Claim) -> list[Check]:
    parameters = claim.parameters.get("dates")
    table = claim.tables["events"]
    if pa.types.is_integer(table.schema.field("time").type):
        return []
    if parameters is None:
        return [Check(name="dates keep the public range", passed=False, detail="the log has a clock and no range")]
    try:
        first, last = (int(np.datetime64(x.strip(), "D").astype(int)) for x in str(parameters).split(".."))
    except ValueError:
        return [Check(name="dates keep the public range", passed=False, detail="the range cannot be read")]
    outside = 0
    for batch in table.select(["time"]).to_batches(max_chunksize=AT_ONCE):
        day = seconds(batch) // DAY
        outside += int(np.sum((day < first) | (day > last)))
    return [
        Check(name="dates keep the public range", passed=outside == 0, detail=f"{counted(outside, 'event')} outside")
    ]


LENGTHS = ("length_from", "length_to")
EMPTY = dict.fromkeys(("people", "index", "order", "duration noise"), ("from", "to", *LENGTHS)) | {
    "length": ("from", "to"), "transition": LENGTHS, "state": ("from", *LENGTHS), "clip": ("to", *LENGTHS),
    "attribute": LENGTHS, "event value": LENGTHS, "code": LENGTHS,
}  # fmt: skip
"""Cells of the model that a statistic leaves empty: what stands there was measured by nobody."""


def _misplaced(claim: Claim, rows: list[dict[str, Any]]) -> int:
    """Rows with something in a cell that must be empty, with lengths that are none, or a clip of nothing."""
    paid = {e.mechanism for e in claim.ledger.entries} if claim.ledger is not None else set()
    wrong = 0
    for r in rows:
        kind = r["statistic"]
        full = any(r[name] is not None for name in EMPTY.get(kind, ()))
        lacks = kind == "length" and not all(isinstance(r[name], int) for name in LENGTHS)
        nothing = kind == "clip" and not {r["from"], f"{r['from']} clip"} & paid
        wrong += full or lacks or nothing
    return wrong


def _laws(claim: Claim) -> list[Check]:
    table = claim.tables["model"]
    if tuple(table.column_names) != markov_release.MODEL:
        return [
            Check(
                name="columns of model", passed=False, detail=f"{counted(table.num_columns, 'column')}, not as expected"
            )
        ]
    rows: list[dict[str, Any]] = table.to_pylist()
    known = {*EMPTY}
    strange = sum(r["statistic"] not in known for r in rows)
    bad = sum(not isinstance(r["value"], float) or not np.isfinite(r["value"]) for r in rows)
    misplaced = _misplaced(claim, rows)
    if strange or bad or misplaced:
        detail = (
            f"{strange} unknown statistics, {counted(bad, 'value')} that {verb_for(bad, 'is', 'are')} no number, "
            f"{counted(misplaced, 'row')} with a cell that does not belong to the statistic"
        )
        return [Check(name="model holds what it may", passed=False, detail=detail)]
    sums: dict[Any, float] = {}
    for r in rows:
        if r["statistic"] == "transition":
            sums[r["from"]] = sums.get(r["from"], 0.0) + r["value"]
    lengths = sum(r["value"] for r in rows if r["statistic"] == "length")
    lawful = all(abs(s - 1) < 1e-6 for s in sums.values()) and (abs(lengths - 1) < 1e-6 or lengths == 0)
    lawful &= all(r["value"] >= 0 for r in rows if r["statistic"] in ("length", "transition"))
    states = states_of(claim.tables["events"])
    steps = [r for r in rows if r["statistic"] == "transition"]
    lines = [r["to"] for r in rows if r["statistic"] == "state"]
    named = set(lines) if lines else {r["from"] for r in steps} | {r["to"] for r in steps}
    once = all(sum(r["statistic"] == k for r in rows) == 1 for k in ("people", "index", "order"))
    order_only = pa.types.is_integer(claim.tables["events"].schema.field("time").type)
    once &= sum(r["statistic"] == "duration noise" for r in rows) == (not order_only)
    strange = len({x for r in steps for x in (r["from"], r["to"])} - {*named, None}) + len(lines) - len(set(lines))
    codes = [r for r in rows if r["statistic"] == "code"]
    once &= len({r["from"] for r in codes}) == len(codes) and bool(codes) == (claim.parameters.get("codes") is not None)
    strange += sum(r["to"] not in named or r["from"] is None for r in codes)
    twice = len(steps) - len({(r["from"], r["to"]) for r in steps})
    return [
        Check(
            name="laws sum to one",
            passed=bool(lawful),
            detail=f"{counted(len(sums), 'row')} of transitions and one of numbers of events",
        ),
        Check(
            name="states are those of the model",
            passed=states <= named,
            detail=f"{counted(len(states - named), 'state')} of the log that the model does not name",
        ),
        Check(
            name="model names everything once",
            passed=once and strange == 0 and twice == 0,
            detail=f"{counted(strange, 'name')} not of the list of states, {twice} transitions listed twice",
        ),
    ]

"""A published event log as XES (IEEE 1849), the exchange format of process mining."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sequester.layouts.log import COLUMNS, is_log

__all__ = ["is_log", "is_xes_of", "write_xes"]

TOP = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1.0" xes.features="" xmlns="http://www.xes-standard.org/">
\t<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
\t<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
\t<extension name="Sequester" prefix="sequester" uri="urn:sequester:protected"/>
"""
LIFECYCLE_HEAD = (
    '\t<extension name="Lifecycle" prefix="lifecycle" uri="http://www.xes-standard.org/lifecycle.xesext"/>\n'
)
GLOBALS = """\t<global scope="trace"><string key="concept:name" value=""/></global>
\t<global scope="event"><string key="concept:name" value=""/></global>
"""
LIFECYCLE = ("schedule", "start", "suspend", "resume", "complete")
"""Transitions that may stand behind the last '+' of a state."""


def write_xes(table: pa.Table, path: Path, label: str) -> int:
    """Write `object`, `time`, `state` as traces and events; returns the number of events.

    Times are written without a zone, as they stand. Where only the order is known, events carry no time. Further
    columns become attributes: of the trace where they are the same in all events of every object, else of the event.
    If every state ends in a lifecycle transition (`Surgery+start`), it is written as one, and the classifier names
    both parts. The log has one attribute, `sequester:protected`, which says `label`.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(xes_lines(table, label))
    return int(table.num_rows)


def is_xes_of(table: pa.Table, path: Path, label: str) -> bool:
    """Whether a file is, byte by byte, what the writer makes of `table`: nothing can hide in it."""
    with path.open("rb") as file:
        lines = (line.encode() for line in xes_lines(table, label))
        return all(file.read(len(line)) == line for line in lines) and not file.read(1)


def xes_lines(table: pa.Table, label: str) -> Iterator[str]:
    clock = not pa.types.is_integer(table.schema.field("time").type)
    names = [c for c in table.column_names if c not in COLUMNS]
    of_case = [c for c in names if _constant(table, c)]
    of_event = [c for c in names if c not in of_case]
    paired = has_transitions(table)
    keys = "concept:name lifecycle:transition" if paired else "concept:name"
    kinds = {c: _kind(table.schema.field(c).type) for c in names}
    now: int | None = None
    yield TOP + (LIFECYCLE_HEAD if paired else "") + GLOBALS
    yield f'\t<classifier name="Event" keys="{keys}"/>\n\t<string key="sequester:protected" value={_quoted(label)}/>\n'
    for batch in table.to_batches(max_chunksize=50_000):
        times = batch["time"].cast(pa.timestamp("s"), safe=False).to_pylist() if clock else [None] * len(batch)
        case_values = [batch[c].to_pylist() for c in of_case]
        event_values = [batch[c].to_pylist() for c in of_event]
        rows = zip(batch["object"].to_pylist(), times, batch["state"].to_pylist(), strict=True)
        for i, (number, time, state) in enumerate(rows):
            if number != now:
                yield ("\t</trace>\n" if now is not None else "") + "\t<trace>\n"
                yield f'\t\t<string key="concept:name" value="{number}"/>\n'
                for name, column in zip(of_case, case_values, strict=True):
                    if column[i] is not None:
                        yield f"\t\t{_attribute(kinds[name], name, column[i])}\n"
                now = number
            name, transition = transition_of(state) if paired else (state, "")
            sentence = f'<string key="concept:name" value={_quoted(name)}/>'
            sentence += f'<string key="lifecycle:transition" value="{transition}"/>' if transition else ""
            sentence += f'<date key="time:timestamp" value="{time.isoformat()}"/>' if time is not None else ""
            for key, column in zip(of_event, event_values, strict=True):
                sentence += _attribute(kinds[key], key, column[i]) if column[i] is not None else ""
            yield f"\t\t<event>{sentence}</event>\n"
    yield ("\t</trace>\n" if now is not None else "") + "</log>\n"


def has_transitions(table: pa.Table) -> bool:
    """Whether every state ends in a lifecycle transition."""
    batches = table.select(["state"]).to_batches(max_chunksize=50_000)
    return all(transition_of(s)[1] for batch in batches for s in pc.unique(batch[0]).to_pylist())


def transition_of(state: str) -> tuple[str, str]:
    """A state without and with its lifecycle transition."""
    name, _, transition = state.rpartition("+")
    return (name, transition) if name and transition in LIFECYCLE else (state, "")


def _constant(table: pa.Table, name: str) -> bool:
    """Whether a column has one value per object."""
    before: tuple[Any, Any] | None = None
    for batch in table.select(["object", name]).to_batches(max_chunksize=50_000):
        if not len(batch):
            continue
        objects, values = batch.columns
        if before is not None and objects[0].as_py() == before[0] and values[0].as_py() != before[1]:
            return False
        coded = values.dictionary_encode(null_encoding="encode").indices
        same = pc.equal(objects[1:], objects[:-1])
        if pc.any(pc.and_(same, pc.not_equal(coded[1:], coded[:-1]))).as_py():
            return False
        before = objects[-1].as_py(), values[-1].as_py()
    return True


def _kind(kind: Any) -> str:
    if pa.types.is_boolean(kind):
        return "boolean"
    return "int" if pa.types.is_integer(kind) else "float" if pa.types.is_floating(kind) else "string"


def _attribute(kind: str, key: str, value: Any) -> str:
    text = str(value).lower() if kind == "boolean" else str(value)
    return f"<{kind} key={_quoted(key)} value={_quoted(text)}/>"


def _quoted(text: str) -> str:
    """A name as XML can hold it: it knows no control characters, not even escaped ones."""
    from xml.sax.saxutils import quoteattr  # imports urllib.request, which few releases need

    return quoteattr("".join(c if c >= " " or c in "\t\n\r" else "\ufffd" for c in text))

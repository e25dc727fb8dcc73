"""Reading a published XES file back: every event, and nothing that the writer would not have written."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pyarrow as pa

from sequester.bundle.xes import HEAD, spelled, stage_of, write_xes

Event = tuple[str, str | None, str]
"""Object, time and state, as they stand in the file."""


def same_events(table: pa.Table, path: Path) -> bool:
    """Whether the file holds the events of `table`, in their order, and no more."""
    if len(table.column_names) > 3 or _has_stages(table):  # attributes, lifecycles: as the writer writes them, exactly
        with tempfile.TemporaryDirectory() as folder:
            again = Path(folder) / "again.xes"
            write_xes(table, again)
            return again.read_bytes() == path.read_bytes()
    try:
        found = _Reader().read(path)
    except (expat.ExpatError, ValueError, OSError):
        return False
    return found == _events(table)


def _has_stages(table: pa.Table) -> bool:
    return all(stage_of(state)[1] for state in table["state"].unique().to_pylist())


def _events(table: pa.Table) -> list[Event]:
    clock = not pa.types.is_integer(table["time"].type)
    times = table["time"].cast(pa.timestamp("s"), safe=False).to_pylist() if clock else [None] * table.num_rows
    told = zip(table["object"].to_pylist(), times, table["state"].to_pylist(), strict=True)
    return [(str(number), None if time is None else time.isoformat(), spelled(state)) for number, time, state in told]


class _Reader:
    """Takes exactly the elements of the writer; comments, text, instructions and document types are refused."""

    def __init__(self) -> None:
        self.head: list[tuple[str, dict[str, str]]] = []
        self.events: list[Event] = []
        self.trace: str | None = None
        self.event: dict[str, str] | None = None
        self.inside: list[str] = []
        self.before = 0

    def read(self, path: Path) -> list[Event]:
        wanted = _Reader()
        wanted._parse((HEAD + "</log>\n").encode())
        self._parse(path.read_bytes())
        if self.head != wanted.head:
            raise ValueError("the head is another one")
        return self.events

    def _parse(self, raw: bytes) -> None:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = parser.ProcessingInstructionHandler = self._refused
        parser.StartDoctypeDeclHandler = parser.StartCdataSectionHandler = self._refused
        parser.Parse(raw, True)

    def _start(self, name: str, given: dict[str, str]) -> None:
        inside, self.inside = self.inside, [*self.inside, name]
        if inside == ["log"] and name == "trace" and not given:
            self.trace = None
        elif inside == ["log", "trace"] and name == "string" and self.trace is None:
            self.trace = _value(given, "concept:name")
        elif inside == ["log", "trace"] and name == "event" and not given and self.trace is not None:
            self.event = {}
        elif inside == ["log", "trace", "event"] and name in ("string", "date") and self.event is not None:
            if name in self.event:
                raise ValueError("an event says a thing twice")
            self.event[name] = _value(given, "concept:name" if name == "string" else "time:timestamp")
        elif inside[1:2] != ["trace"]:
            self.head.append(("/".join(self.inside), given))
        else:
            raise ValueError("an element the writer does not know")

    def _end(self, name: str) -> None:
        self.inside.pop()
        if name == "trace":
            if len(self.events) == self.before:
                raise ValueError("a trace without events")
            self.before = len(self.events)
        if name == "event" and self.event is not None and self.trace is not None:
            self.events.append((self.trace, self.event.get("date"), self.event["string"]))
            self.event = None

    def _text(self, text: str) -> None:
        if text.strip():
            raise ValueError("text between the elements")

    def _refused(self, *_: Any) -> None:
        raise ValueError("a comment, an instruction or a document type")


def _value(given: dict[str, str], key: str) -> str:
    if set(given) != {"key", "value"} or given["key"] != key:
        raise ValueError("an attribute the writer does not know")
    return given["value"]

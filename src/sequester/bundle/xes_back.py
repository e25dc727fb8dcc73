"""Reading a published XES file back: every event, and nothing that the writer would not have written."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

import pyarrow as pa

from sequester.bundle.xes import HEAD, has_stages, spelled, xes_lines

Event = tuple[str, str | None, str]
"""Object, time and state, as they stand in the file."""
AT_ONCE = 1 << 20
"""Bytes that are parsed at once."""


def same_events(table: pa.Table, path: Path) -> bool:
    """Whether the file holds the events of `table`, in their order, and no more."""
    if len(table.column_names) > 3 or has_stages(table):  # attributes, lifecycles: as the writer writes them, exactly
        with path.open("rb") as file:
            return all(file.read(len(line)) == line for line in map(str.encode, xes_lines(table))) and not file.read(1)
    try:
        found = _Reader().read(path)
        return all(one == other for one, other in zip_longest(found, _events(table)))
    except (expat.ExpatError, ValueError, OSError):
        return False


def _events(table: pa.Table) -> Iterator[Event]:
    clock = not pa.types.is_integer(table.schema.field("time").type)
    for batch in table.to_batches(max_chunksize=50_000):
        times = batch["time"].cast(pa.timestamp("s"), safe=False).to_pylist() if clock else [None] * len(batch)
        found = zip(batch["object"].to_pylist(), times, batch["state"].to_pylist(), strict=True)
        for number, time, state in found:
            yield str(number), None if time is None else time.isoformat(), spelled(state)


class _Reader:
    """Takes exactly the elements of the writer; comments, text, instructions and document types are refused."""

    def __init__(self) -> None:
        self.head: list[tuple[str, dict[str, str]]] = []
        self.events: list[Event] = []
        """Those that were read and not yet handed on."""
        self.trace: str | None = None
        self.event: dict[str, str] | None = None
        self.inside: list[str] = []
        self.empty = True
        """Whether the trace has no event so far."""

    def read(self, path: Path) -> Iterator[Event]:
        """Every event; raises at the end, at the latest, where the file has anything else."""
        wanted = _Reader()
        for _ in wanted._parse(io.BytesIO((HEAD + "</log>\n").encode())):
            pass
        with path.open("rb") as file:
            yield from self._parse(file)
        if self.head != wanted.head:
            raise ValueError("the head is another one")

    def _parse(self, file: IO[bytes]) -> Iterator[Event]:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = parser.ProcessingInstructionHandler = self._refused
        parser.StartDoctypeDeclHandler = parser.StartCdataSectionHandler = self._refused
        while raw := file.read(AT_ONCE):
            parser.Parse(raw, False)
            yield from self.events
            self.events.clear()
        parser.Parse(b"", True)
        yield from self.events

    def _start(self, name: str, given: dict[str, str]) -> None:
        inside, self.inside = self.inside, [*self.inside, name]
        if inside == ["log"] and name == "trace" and not given:
            self.trace, self.empty = None, True
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
        if name == "trace" and self.empty:
            raise ValueError("a trace without events")
        if name == "event" and self.event is not None and self.trace is not None:
            if "string" not in self.event:
                raise ValueError("an event without a state")
            self.events.append((self.trace, self.event.get("date"), self.event["string"]))
            self.event, self.empty = None, False

    def _text(self, text: str) -> None:
        if text.strip():
            raise ValueError("text between the elements")

    def _refused(self, *_: Any) -> None:
        raise ValueError("a comment, an instruction or a document type")


def _value(given: dict[str, str], key: str) -> str:
    if set(given) != {"key", "value"} or given["key"] != key:
        raise ValueError("an attribute the writer does not know")
    return given["value"]

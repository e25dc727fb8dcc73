"""XES, the exchange format of process mining (IEEE 1849): one pass over the file, one trace in memory at a time."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, iterparse

import pyarrow as pa

from sequester.errors import InputError
from sequester.read.table import refuse_bomb

ENDINGS = (".xes", ".xes.gz")
CASE, STATE, TIME = "case", "concept:name", "time:timestamp"


def is_xes(source: Any) -> bool:
    """Whether a path names an XES file."""
    return isinstance(source, (str, Path)) and str(source).lower().endswith(ENDINGS)


def load_xes(source: str | Path, who: str) -> pa.Table:
    """All events of a log as text columns; cases without a name are numbered.

    Columns: `case`, every event attribute under its key, every trace attribute under `case:` and its key, and for every
    classifier of several keys that the log declares a column `classifier:NAME` with their values joined by '+'. An
    event that completes one which was started carries the time of that start as `start`.
    """
    path = Path(source)
    if not path.is_file():
        raise InputError(f"{who}: '{path.name}' does not exist. Check the path.")
    if path.suffix.lower() == ".gz":
        refuse_bomb(path, who)
    columns: dict[str, list[str | None]] = {CASE: []}
    classifiers: dict[str, list[str]] = {}
    n_rows = n_traces = 0
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            for _, element in iterparse(file, events=("end",)):
                if _local(element.tag) == "classifier":
                    keys = _keys(element.get("keys") or "")
                    if len(keys) > 1 and element.get("name"):
                        classifiers[f"classifier:{element.get('name')}"] = keys
                if _local(element.tag) != "trace":
                    continue
                n_traces += 1
                of_case = _attributes(element)
                case = of_case.pop("concept:name", "") or f"trace {n_traces}"
                started: dict[str | None, list[str]] = {}
                for event in element:
                    if _local(event.tag) != "event":
                        continue
                    found = _attributes(event)
                    _pair(found, started)
                    found |= {f"case:{key}": value for key, value in of_case.items()}
                    for name, keys in classifiers.items():
                        found[name] = "+".join(found.get(key, "") for key in keys)
                    for name in found.keys() - columns.keys():
                        columns[name] = [None] * n_rows
                    found[CASE] = case
                    for name, values in columns.items():
                        values.append(found.get(name))
                    n_rows += 1
                element.clear()
    except (ParseError, OSError, EOFError, zlib.error, ValueError) as error:
        line = getattr(error, "position", (None,))[0]
        where = f" at line {line}" if line else ""
        raise InputError(f"{who}: '{path.name}' is not well-formed XES{where}. Check the file.") from error
    if n_rows == 0:
        raise InputError(f"{who}: '{path.name}' has no events. Check that it is an XES log.")
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def _keys(text: str) -> list[str]:
    """Keys of a classifier: words, or quoted where a key has a blank in it."""
    return [a or b for a, b in re.findall(r"'([^']+)'|(\S+)", text)]


def _pair(declared: dict[str, str], started: dict[str | None, list[str]]) -> None:
    """Give an event that completes one its start: the earliest start of that name that is still open."""
    stage, name, time = (declared.get("lifecycle:transition") or "").lower(), declared.get(STATE), declared.get(TIME)
    if stage == "start" and time is not None:
        started.setdefault(name, []).append(time)
    elif stage == "complete" and started.get(name):
        declared["start"] = started[name].pop(0)


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _attributes(element: Element) -> dict[str, str]:
    """Attributes of a trace or event by key; nested ones and lists are left out."""
    out = {}
    for child in element:
        key, value = child.get("key"), child.get("value")
        if key is not None and value is not None and _local(child.tag) != "event":
            out[key] = value
    return out

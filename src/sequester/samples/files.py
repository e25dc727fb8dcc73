"""Sample data as the files a custodian would hold, so that every command of the docs has something to read."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sequester.errors import InputError
from sequester.kinds import kind_named
from sequester.model import MISSING, Activities, Corpus, Data, EventLog, Series, SymbolSeries


def write_source(data: Data, path: Path) -> Path:
    """Write `data` as a file (or, for text, a folder with one subfolder per person); never over an existing one."""
    kind = kind_named(data.kind)
    ending = path.suffix.lower() or "a folder"
    if ending not in kind.sample_endings:
        known, other = " or ".join(kind.sample_endings), "neither" if len(kind.sample_endings) > 1 else "not"
        raise InputError(f"sample: {data.kind} data is written as {known}, '{path.name}' is {other}. Change the name.")
    if path.exists():
        raise InputError(f"sample: '{path.name}' exists. Choose another name or remove it first.")
    path.parent.mkdir(parents=True, exist_ok=True)
    kind.load("write_sample")(data, path)
    return path


def _table(path: Path, header: Iterable[str], rows: Iterator[Iterable[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _plain(value: Any) -> Any:
    if value is None or value != value:
        return ""
    return int(value) if isinstance(value, float) and value == int(value) else value


def write_texts(data: Corpus, path: Path) -> None:
    """A folder with one subfolder per person, or JSON lines."""

    texts = [data.utf8[a:b].tobytes().decode("utf-8") for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)]
    named = list(zip(data.documents, data.persons, texts, strict=True))
    if path.suffix:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for document, person, text in named:
                row = {"document": document, "person": person, "text": text}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return
    for document, person, text in named:
        folder = path / person
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{document}.txt").write_bytes(text.encode("utf-8"))


def write_series(data: Series, path: Path) -> None:
    """One row per person."""

    def rows() -> Iterator[list[Any]]:
        for i, person in enumerate(data.persons):
            values = [data.letters[int(v)] if data.letters and v == v else _plain(float(v)) for v in data.values[i]]
            yield [person, *values, *(_plain(column[i]) for column in data.sensitive.values())]

    _table(path, ["person", *data.times, *data.sensitive], rows())


def write_spans(data: Activities, path: Path) -> None:
    """One row per stretch of one state; what nobody observed has an empty state."""

    def rows() -> Iterator[list[Any]]:
        for i, person in enumerate(data.persons):
            line = data.states[i]
            starts = np.flatnonzero(np.r_[True, line[1:] != line[:-1]])
            beside = [_plain(column[i]) for column in data.covariates.values()]
            for a, b in zip(starts, np.r_[starts[1:], len(line)], strict=True):
                state = data.state_names[line[a]]
                yield [person, _clock(data, int(a)), _clock(data, int(b)), "" if state == MISSING else state, *beside]

    _table(path, ["person", "start", "end", "state", *data.covariates], rows())


def _clock(data: Activities, interval: int) -> str:
    return str(data.start + np.timedelta64(interval * data.interval_seconds, "s"))


def write_events(data: EventLog, path: Path) -> None:
    """One row per event."""

    def rows() -> Iterator[list[Any]]:
        for i, person in enumerate(data.persons):
            for at in range(int(data.offsets[i]), int(data.offsets[i + 1])):
                beside = [_plain(column[at]) for column in data.attributes.values()]
                yield [person, _when(data, at), data.state_names[data.states[at]], *beside]

    _table(path, ["person", "time", "state", *data.attributes], rows())


def _when(data: EventLog, at: int) -> Any:
    if data.time_unit == "order":
        return int(data.times[at])
    precise = np.datetime64(int(data.times[at]), "s")
    return str(precise.astype("datetime64[D]") if data.time_unit == "day" else precise)


def write_symbols(data: SymbolSeries, path: Path) -> None:
    """One row per symbol."""

    def rows() -> Iterator[list[Any]]:
        for i, person in enumerate(data.persons):
            for code in data.symbols[data.offsets[i] : data.offsets[i + 1]]:
                yield [person, data.alphabet[code]]

    _table(path, ["person", "symbol"], rows())

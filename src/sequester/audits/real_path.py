"""One run as custodians run it: two files read by the reader, the whole method, noise from the vetted library.

The many runs of an audit start at models made by hand and draw cheap noise. What they cannot show is shown here once:
that a person's cells, however odd, leave the rows of all others as they were, that a missing cell goes the same way for
everybody, that all noise comes from the secure source, and that the finished release could come from either file.
"""

from __future__ import annotations

import csv
import math
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sequester.audits.transcript import log_ratio
from sequester.dp.noise import RecordingNoise, ReplayNoise, SecureNoise
from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.errors import ReplayError, SequesterError, SequesterWarning
from sequester.kinds import kind_named
from sequester.method import Method
from sequester.model import Activities, Data, EventLog, SymbolSeries
from sequester.release import Check
from sequester.samples.files import write_source

ODD = ("", "1st", "2024030", "off", "1.0", "nan", "é\u200b")
"""Cells of the odd person: times and states that no declared format or list can read."""


def activity(data: Activities) -> dict[str, Any]:
    """How the file of neighbours is read, everything declared."""
    last = data.start + np.timedelta64(data.states.shape[1] * data.interval_seconds - 1, "s")
    days = "..".join(str(t.astype("datetime64[D]")) for t in (data.start, last))
    return {
        "start": "start", "end": "end", "state": "state", "states": data.state_names, "dates": days,
        "interval": data.interval_seconds, "time_format": "iso",
    }  # fmt: skip


def events(data: EventLog) -> dict[str, Any]:
    """The same for events: the method brings the code book, and what the columns beside it may hold."""
    beside = {"attributes": tuple(data.attributes)} if data.attributes else {}
    return {"time": "time", "state": "state", "time_format": "iso", "time_unit": "second", **beside}


def symbols(data: SymbolSeries) -> dict[str, Any]:
    """The same for symbols."""
    return {"value": ("symbol",), "symbolize": "none", "symbols": data.alphabet}


def real_path(method: Method, without: Data, with_: Data) -> list[Check]:
    """The checks of one run on files of two neighbours, of which the second has one more, odd person."""
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore", SequesterWarning)
        folder = Path(place)
        method = _with_codebook(method, with_, folder / "codebook.csv")
        try:
            here, there = (_read(data, folder / f"{name}.csv") for name, data in (("a", without), ("b", with_)))
            checks = [_reading(here, there)]
            method.require_declared(there)
            return [*checks, _one_release(method, here, there)]
        except SequesterError as error:
            return [Check(name="real path", passed=False, detail=f"the run was refused ({type(error).__name__})")]


def _with_codebook(method: Method, data: Any, path: Path) -> Method:
    """Names of states in a file of the custodian's, where the method takes one."""
    if data.kind != "events" or not hasattr(method, "codebook"):
        return method
    path.write_text("\n".join(data.state_names) + "\n", "utf-8")
    return replace(method, codebook=str(path))  # type: ignore[call-arg]


def _read(data: Data, path: Path) -> Data:
    """A file of neighbours as the reader reads it: somebody has an empty cell, the last person odd ones as well."""
    write_source(data, path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    first = next(i for i, row in enumerate(rows) if i and row[0] == str(data.persons[0]))
    gap = rows[first].copy()
    gap[1:] = [""] * (len(gap) - 1)
    rows.append(gap)
    if path.stem == "b":
        person = str(data.persons[-1])
        for i, cell in enumerate(ODD):
            odd = next(row for row in rows if row[0] == person).copy()
            odd[1 + i % (len(odd) - 1)] = cell
            rows.append(odd)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    kind = kind_named(data.kind)
    out: Data = kind.load("reader")(path, person="person", **kind.load("declared")(data))
    return out


def _reading(here: Data, there: Data) -> Check:
    """The same rows for everybody else, and the same facts about the reading, none of them found."""
    others = np.flatnonzero(np.isin(there.persons.astype(str), here.persons.astype(str)))
    same = _content(there.take(others)) == _content(here)
    facts = here.reading == there.reading
    found = [f.name for f in there.reading if f.how == "found" and f.name != "states"]
    names = all(getattr(here, n, None) == getattr(there, n, None) for n in ("alphabet",))
    detail = (
        f"read from files with missing and unreadable cells: rows of {here.n_people} others "
        f"{'are the same' if same else 'CHANGED'}, {len(found)} facts depend on the data"
    )
    return Check(name="reading", passed=bool(same and facts and names and not found), detail=detail)


def _content(data: Any) -> tuple[Any, ...]:
    """What was read, in words: the numbers of states may differ where names were found."""
    names = np.array(data.alphabet if data.kind == "symbols" else data.state_names, dtype=object)
    states = names[np.asarray(data.symbols if data.kind == "symbols" else data.states)]
    more = (getattr(data, name, None) for name in ("offsets", "times", "start"))
    return (data.persons.tolist(), states.tolist(), *(np.asarray(m).tolist() for m in more if m is not None))


def _one_release(method: Method, here: Data, there: Data) -> Check:
    """A whole release with secure noise; its transcript replayed on the other file must be possible there too."""
    drawn = RecordingNoise(SecureNoise())
    method.apply(there, rng=Randomness(noise=drawn), engine=Engine(threads=1))
    replayed = RecordingNoise(ReplayNoise(drawn.transcript))
    steps = len(drawn.transcript)
    try:
        method.apply(here, rng=Randomness(noise=replayed), engine=Engine(threads=1))
        same = len(replayed.transcript) == steps
        ratio = sum(log_ratio(a, b) for a, b in zip(drawn.transcript, replayed.transcript, strict=False))
    except ReplayError:
        same, ratio = False, math.inf
    possible = same and math.isfinite(ratio) and steps > 0
    detail = (
        f"{steps} draws of the vetted library; what they gave "
        f"{'could come from either file' if possible else 'could come from one of the two files only'}"
    )
    return Check(name="one whole release with real noise", passed=bool(possible and drawn.secure), detail=detail)

"""The kinds of data a custodian may hold. This is the only list of them: everything about a kind hangs on its value.

What a release looks like is not said here but by its layout (`sequester.layouts`): a method of any kind of data may
publish any layout. Places are named as `package.module:name` and loaded when they are used.

A new kind of data: its model, reader, assessor, sample and attacker's view in files of their own, and one value here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sequester.errors import ParameterError, nearest
from sequester.lazy import load


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of data: what it is in words, how to recognise it, and where its parts are."""

    name: str
    """As it stands on the command line and in manifests."""
    called: str
    """In a sentence: `a release of free text`."""
    holds: str
    """What a custodian has, in words."""
    model: str
    """The class that holds it."""
    reader: str
    """`read_…(source, *, …) -> Data`; its keywords are the roles of columns."""
    assessor: str
    """`assess(data, *, …) -> Evidence`: how identifying is it?"""
    sample: str
    """`sample(*, n_people, seed) -> Data`."""
    write_sample: str
    """`write(data, path)`: the sample as a file its reader takes."""
    sample_endings: tuple[str, ...] = (".csv",)
    """What `write_sample` can write; `a folder` for a name without an ending."""
    points: str
    """`points(data) -> iterator of sets`: what an onlooker may know of each record, for the attack on an outlier."""
    recognise: str = ""
    """`recognise(view) -> candidates`: whether a sample of a source looks like it."""
    in_parts: bool = False
    """Whether its reader can read a source in pieces, as parts of whole people."""
    needs: str = ""
    """What a source must have to be read as it, in words."""
    records: str = "records"
    """What its records are called."""
    summary: str = ""
    """`summary(data) -> list[str]`: what was read, in figures for the custodian."""
    endings: tuple[str, ...] = ()
    """File endings that hold nothing else."""
    neighbours: str = ""
    """`neighbours(people, method) -> Data`: worst-case neighbours for the audit of noise, the odd person last."""
    declared: str = ""
    """`declared(data) -> roles`: how a file of the audit's neighbours is read, everything declared."""
    audit_people: int = 0
    """People beside the odd one in an audit: few, because a crowd only hides more."""

    def load(self, part: str) -> Any:
        """The object behind one of the parts, such as `reader`."""
        return load(getattr(self, part))


TEXT = Kind(
    name="text",
    recognise="sequester.read.recognise_text:recognise",
    called="free text",
    holds="words: notes, letters, reports",
    needs="a folder of .txt files, or a table with a column of text",
    records="documents",
    summary="sequester.read.summary:text",
    model="sequester.model.corpus:Corpus",
    reader="sequester.read.text:read_corpus",
    assessor="sequester.risk.text:assess_text",
    sample="sequester.samples.notes:notes",
    write_sample="sequester.samples.files:write_texts",
    sample_endings=("a folder", ".jsonl"),
    points="sequester.attacks.text:points",
    endings=(".txt", ".docx", ".pdf", ".rtf"),
)
SERIES = Kind(
    name="series",
    recognise="sequester.read.recognise_series:recognise",
    called="time series",
    holds="the same measurements at the same times for everyone",
    needs="a row per person and a column of numbers per time, the same times for everyone",
    records="records",
    summary="sequester.read.summary:series",
    model="sequester.model.series:Series",
    reader="sequester.read.series:read_series",
    assessor="sequester.risk.series:assess_series",
    sample="sequester.samples.vitals:vitals",
    write_sample="sequester.samples.files:write_series",
    points="sequester.attacks.series:points",
)
ACTIVITY = Kind(
    name="activity",
    recognise="sequester.read.recognise_activity:recognise",
    called="activity over time",
    holds="a state per person and interval, such as every minute",
    needs="times (or starts and ends) and a state or a count per person, at a regular step",
    records="rows",
    summary="sequester.read.summary:activity",
    model="sequester.model.activities:Activities",
    reader="sequester.read.activity:read_activities",
    in_parts=True,
    assessor="sequester.risk.activity:assess_activity",
    sample="sequester.samples.minutes:minutes",
    write_sample="sequester.samples.files:write_spans",
    points="sequester.attacks.activity:points",
    neighbours="sequester.audits.neighbours:activity",
    declared="sequester.audits.real_path:activity",
    audit_people=6,
)
EVENTS = Kind(
    name="events",
    recognise="sequester.read.recognise_events:recognise",
    called="an event log",
    holds="rows of who, when, what: transfers, procedures",
    needs="a column that says who, one that says when, and one that says what happened",
    records="events",
    summary="sequester.read.summary:events",
    model="sequester.model.events:EventLog",
    reader="sequester.read.events:read_events",
    in_parts=True,
    assessor="sequester.risk.events:assess_events",
    sample="sequester.samples.wards:wards",
    write_sample="sequester.samples.files:write_events",
    points="sequester.attacks.events:points",
    endings=(".xes",),
    neighbours="sequester.audits.neighbours:events",
    declared="sequester.audits.real_path:events",
    audit_people=60,
)
SYMBOLS = Kind(
    name="symbols",
    recognise="sequester.read.recognise_symbols:recognise",
    called="an n-gram table",
    holds="long signals, released as tables of short patterns",
    needs="long signals: recordings (WFDB, EDF), columns of numbers, or one symbol per row",
    records="series",
    summary="sequester.read.summary:symbols",
    model="sequester.model.symbols:SymbolSeries",
    reader="sequester.read.symbols:read_symbols",
    in_parts=True,
    assessor="sequester.risk.symbols:assess_symbols",
    sample="sequester.samples.ecg:ecg",
    write_sample="sequester.samples.files:write_symbols",
    points="sequester.attacks.symbols:points",
    endings=(".hea", ".edf"),
    neighbours="sequester.audits.neighbours:symbols",
    declared="sequester.audits.real_path:symbols",
    audit_people=40,
)

KINDS = {kind.name: kind for kind in (TEXT, SERIES, ACTIVITY, EVENTS, SYMBOLS)}
"""Name → kind."""


def kind_named(name: str) -> Kind:
    """The kind of that name, or an error with the nearest one."""
    if name not in KINDS:
        close = nearest(name, KINDS)
        hint = f" Did you mean '{close}'?" if close else ""
        raise ParameterError(f"no kind of data '{name}'; there are {', '.join(KINDS)}.{hint}")
    return KINDS[name]


def kind_by_ending(path: Path) -> Kind | None:
    """The kind that a file's name gives away; a table could hold several."""
    ending = next((s for s in reversed(path.suffixes) if s.lower() != ".gz"), "").lower()
    return next((kind for kind in KINDS.values() if ending in kind.endings), None)

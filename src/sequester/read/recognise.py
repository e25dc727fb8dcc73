"""What is this source? One recogniser per kind looks at a sample of it; the surest answer is proposed, or none is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sequester.errors import InputError, counted
from sequester.kinds import KINDS
from sequester.read.column_facts import holds_lists
from sequester.read.gather import FILE
from sequester.read.headers import safe_names
from sequester.read.people import Who, days_of_one, side_tables, who_is_it
from sequester.read.recognise_series import families
from sequester.read.recognise_symbols import recordings
from sequester.read.recognise_text import documents
from sequester.read.sample import Sample, sample_of
from sequester.read.sample_tables import first_bytes, read_table
from sequester.read.signals import is_recording
from sequester.read.standards import standard_of
from sequester.read.view import Candidate, View, said_once, without_day
from sequester.read.word_files import WORD_FILES
from sequester.read.xes import is_xes

LEAST_SCORE = 0.3
FEW_FILES, LEAST_WORDS = 3, 0.3
"""Files of a folder that show whether they are words, and the share of words with a letter in them."""
ABOUT = re.compile(r"(read.?me|licen[cs]e|changelog|notice|about)\b", re.I)
"""Names of texts that lie beside data."""
LINE_END = "is a line end missing behind the names?"
KEPT_WITH = {"activity": "covariates", "events": "attributes", "series": "sensitive"}
"""Kind of data → the option that keeps what is said once about everybody."""
TABLES = (
    "use a tool for tables, such as ARX or sdcMicro, which coarsen and suppress cells until every row is like k others"
)


def recognised(
    source: Any,
    *,
    kind: str | None = None,
    files: str | None = None,
    table: str | None = None,
    encoding: str | None = None,
) -> tuple[Candidate | None, Sample, str]:
    """The likeliest kind of a source with its roles, the sample, and why it is none if it is."""
    path = Path(source) if isinstance(source, (str, Path)) else None
    if path is not None and path.exists():
        whole = Sample(path, path, [path], [path])
        if kind in (None, "symbols") and is_recording(path):
            return recordings(whole, path), whole, ""
        standard = standard_of(path)
        if kind in (None, "events") and standard:
            return _standard(standard), _all_of(path), ""
    if is_xes(source):
        return _xes(kind), Sample(path, path, [path], [path]), ""  # type: ignore[list-item]
    sample = sample_of(source, files=files, table=table, encoding=encoding)
    if sample.prose and sample.path is not None and all(ABOUT.match(p.name) for p in sample.main):
        return None, sample, "It holds no data, only a text about it."
    if sample.prose and sample.path is not None and all(_no_words(p) for p in sample.main[:FEW_FILES]):
        return None, sample, "It is neither words nor a table: cells are set apart by , ; | a tab or blanks."
    if sample.prose:
        if kind in (None, "text"):
            return documents(sample), sample, ""
        return None, sample, f"It holds words, no table: it is not {kind} data."
    if sample.table is None or not sample.table.n:
        cut = sample.table is not None and sample.table.cut
        return None, sample, "Its lines are longer than what is looked at." if cut else "It has no rows."
    if files is None and kind is None and (found := _many_tables(sample)):
        return None, sample, found
    names_ = [c.name for c in sample.table.columns]
    headed = sample.table.written is None or sample.table.written.header
    safe = set(safe_names(names_) if headed else names_)
    # A name that could be a cell is nobody's to see: such a column is left out of everything that is said.
    sample.table.columns = [c for c in sample.table.columns if c.name in safe]
    view = View(sample, sample.table, who_is_it(sample))
    view.unsafe = len(names_) - len(safe & set(names_))
    answers = _answers(view, [kind] if kind else KINDS)
    best = max((c for c in answers if c.score >= LEAST_SCORE or kind), key=lambda c: c.score, default=None)
    if best is None:
        return None, sample, none_of_these(view)
    return _completed(best, view), sample, ""


def _answers(view: View, kinds: Iterable[str]) -> list[Candidate]:
    """What the recognisers of some kinds make of a sample."""
    return [c for name in kinds if KINDS[name].recognise for c in KINDS[name].load("recognise")(view)]


def _no_words(path: Path) -> bool:
    """Whether what blanks set apart is mostly numbers, or a line is hardly ever of two words in whatever script."""
    if path.suffix.lower() in WORD_FILES:
        return False
    raw = first_bytes(path, 1 << 14)
    words, beyond = raw.split(), sum(byte > 0x7F for byte in raw)
    lettered = sum(any(not 0x21 <= byte < 0x41 for byte in w) for w in words)
    return lettered < LEAST_WORDS * len(words) or len(words) + beyond < 2 * (raw.count(b"\n") + 1)


def _all_of(path: Path) -> Sample:
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return Sample(path, path, files, files)


def _standard(name: str) -> Candidate:
    said = {
        "omop": "Tables of the OMOP common data model.",
        "meds": "Columns of MEDS: subject_id, time, code.",
        "fhir": "A FHIR bulk export: a resource per line.",
    }[name]
    roles = {"layout": name, "time-unit": "second", "time-format": "iso"}
    return Candidate("events", 0.95, said, roles, choose=["a person is the standard's person, subject or patient"])


def _xes(kind: str | None) -> Candidate | None:
    if kind not in (None, "events"):
        return None
    roles = {"person": "case", "time": "time:timestamp", "state": "concept:name", "time-format": "iso",
             "time-unit": "second"}  # fmt: skip
    asked = "is 'case' a person, or only a visit, a case or a row? ‹person=› names people"
    return Candidate("events", 0.95, "A log of the XES standard.", roles, choose=[asked])


def _many_tables(sample: Sample) -> str:
    """Of a folder with tables of different columns: that one has to be chosen, and which hold sequences."""
    if sample.path is None or not sample.path.is_dir() or len(sample.others) < max(2, len(sample.main)):
        return ""
    tables = [*sample.main, *(p for g in sample.others for p in g)]
    holds: list[str] = []
    widths: set[int] = set()
    alone = 0
    for path in sorted(tables)[:12]:
        try:
            found = read_table(path, None, None, 1 << 19)
        except InputError:
            continue
        if found is None or not found.n:
            continue
        view = View(Sample(path, path, [path], [path], table=found), found, Who())
        view.who = who_is_it(view.sample)
        best = max(_answers(view, KINDS), key=lambda c: c.score, default=None)
        widths.add(found.n_columns or len(found.columns))
        alone += best is not None and bool(best.in_the_way)
        if best is not None and best.score > 0.45 and not best.in_the_way:
            holds.append(f"{path.name} ({best.kind})")
    if not holds and len(widths) == 1 and alone > 1:
        return (
            f"{counted(len(tables), 'table')} with as many columns each, but under different names, so they are not "
            "read as one: give the columns the same names in every file."
        )
    said = f"{counted(len(tables), 'table')} of different columns, so one has to be chosen."
    return f"{said} Sequences are in: {', '.join(holds)}." if holds else f"{said} None of them holds sequences."


def none_of_these(view: View) -> str:
    """Why a table is none of the five kinds, and what to do with it."""
    columns = view.table.columns
    n = view.table.n_columns or len(columns)
    numeric = sum(c.is_number for c in columns)
    if view.unsafe:
        return f"It fits none of the five kinds: {counted(view.unsafe, 'name')} of columns could be cells: {LINE_END}"
    if view.table.n == 1 and not view.table.cut:
        return "It has only one row, and a sequence needs several."
    listed = [f"'{c.name}'" for c in columns if holds_lists(c)]
    if listed and view.once_each():
        return (
            f"It fits none of the five kinds: a cell of {', '.join(listed)} is a list. Put what it holds below each "
            "other, a row each, with the person and the time beside it."
        )
    if view.once_each():
        return (
            f"A table of patients, not sequential data: one row each and {counted(n, 'column')} of different "
            f"quantities, none of them at several times; {TABLES}."
        )
    if not view.who.role or (view.who.column is None and view.sample.n_files == 1):
        what = "nobody's rows: no column tells people apart"
        if families([c for c in columns if c.is_number]):
            what = f"rows of '{columns[0].name}'" if columns[0].name in safe_names([c.name for c in columns]) else what
        return f"It fits none of the five kinds: {what}, and a sequence needs a person. {_counts(columns, numeric)}"
    if view.at is None:
        return (
            f"It fits none of the five kinds: no column says when, and no columns are one quantity at several times. "
            f"If a row is a person, {TABLES}."
        )
    return f"It fits none of the five kinds: nothing says what happened or was measured. {_counts(columns, numeric)}"


def _counts(columns: list[Any], numeric: int) -> str:
    when = sum(bool(c.form) for c in columns)
    return f"It has {counted(when, 'column')} of times, {len(columns) - when - numeric} of words, {numeric} of numbers."


def _completed(found: Candidate, view: View) -> Candidate:
    """What all kinds have in common: how the file is written, whom else it could be about, what lies beside it."""
    sample, table, who = view.sample, view.table, view.who
    roles, choose, lines = dict(found.roles), list(found.choose), list(found.lines)
    folder = sample.path is not None and sample.path.is_dir()
    if folder and sample.n_files > 1 and "person" not in roles and found.kind != "text":
        roles = {"person": FILE, **roles}
    by_file = days_of_one(sample) if roles.get("person") == FILE else ""
    in_the_way = found.in_the_way or by_file or without_day(view)
    if folder and sample.pattern:
        if sample.pattern == "?":
            in_the_way = (
                in_the_way or "other files lie beside the data, and no pattern of names tells them apart: move them"
            )
        else:
            roles["files"] = sample.pattern
        beside, rest = side_tables(sample, who)
        for path, names in beside:
            offered = f" ‹covariates='{','.join(names[:4])}'›" if found.kind == "activity" and names else ""
            lines.append(f"'{path.name}' has a row per person")
            choose.append(
                f"keep what '{path.name}' says about people beside the data? ‹people='{path.as_posix()}'›{offered}"
            )
        if rest:
            lines.append(f"left out, because their columns are others: {', '.join(p.name for p in rest[:3])}"
                         + (f" and {len(rest) - 3} more" if len(rest) > 3 else ""))  # fmt: skip
    if beside_it := [name for name in said_once(view) if name not in roles.values() and "," not in name]:
        left = f"left out, because they never change over time: {', '.join(beside_it[:6])}"
        kept = f"‹{KEPT_WITH[found.kind]}='{','.join(beside_it[:6])}'›" if found.kind in KEPT_WITH else ""
        choose += [f"{left}. Keep them with {kept}?"] if kept else []
        lines += [] if kept else [left]
    if view.unsafe:
        choose.append(f"{counted(view.unsafe, 'name')} of columns could be cells: {LINE_END}")
    written = table.written
    if written is not None:
        if written.encoding != "utf-8":
            roles["encoding"] = written.encoding
        if written.skip_lines:
            roles["skip-lines"] = str(written.skip_lines)
            lines.append(f"{counted(written.skip_lines, 'line stands', 'lines stand')} before the names of the columns")
        if written.units:
            roles["units-row"] = ""
            lines.append("the line below the names holds units")
        if written.decimal_comma:
            roles["decimal"] = ","
        if not written.header and "no-header" not in roles and found.kind != "text":
            roles["no-header"] = ""
        if written.odd_rows:
            lines.append(f"{counted(written.odd_rows, 'row')} of another width, left out by the reader")
    alternatives = {"person": who.others, **found.alternatives}
    if not roles.get("person") and found.kind not in ("text",) and "layout" not in roles:
        if not any("whose" in q for q in choose):
            choose.insert(0, "whose row is it? ‹person=COLUMN›; one person alone cannot be hidden")
        in_the_way = in_the_way or "nobody said whose rows these are, and one person alone cannot be hidden"
    return replace(found, roles=roles, choose=choose, lines=lines, in_the_way=in_the_way,
                   alternatives=alternatives)  # fmt: skip

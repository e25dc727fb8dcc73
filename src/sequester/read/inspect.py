"""What is this source? Its kind, the roles its columns could play, and what to type next. Nothing is published.

`Inspection` is the one answer: the command line prints it, a plan and the workbench's form fill their fields from it,
and readers refuse by the same rules.
"""

from __future__ import annotations

import inspect
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sequester.errors import InputError, Option, as_flag, counted, in_words
from sequester.kinds import KINDS
from sequester.model import MISSING
from sequester.read.delimited import csv_query, first_line
from sequester.read.engine import connect, quoted
from sequester.read.gather import FILE, FOLDER
from sequester.read.recognise import recognised
from sequester.read.refuse_bundles import refuse_ours
from sequester.read.sample import BYTES, FILES, Sample, copied
from sequester.read.summary import summarize
from sequester.read.table import DELIMITED, TableForm, ending

WHO = "inspect"
FEW = 6
"""Other columns that are named; the file may have hundreds."""
LEAST_PEOPLE = 8
"""Fewer people are too few to hide among, whatever the method."""
MOST_COUNTED = 1 << 29
"""Bytes of a source in which people are counted; of a larger one the sample's number is a lower bound."""
ONE_STATE, MOST_MISSING = 0.95, 0.5
"""A release of one state, or mostly of nothing, is no release."""
PACKED = (".gz", ".zip")
SEVERAL = ("bins", "names", "states", "quasi", "covariates", "sensitive")
WHOLE = ("days", "interval", "window", "alphabet", "skip_lines")


Objection = Callable[[Any, Mapping[str, str], int | None], str]


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """How a source was understood; `print` shows it."""

    source: str
    kind: str | None
    why: str
    roles: dict[str, str] = field(default_factory=dict)
    """Option → value, as the command line takes them."""
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Role → other columns that could play it."""
    lines: tuple[str, ...] = ()
    """Figures: people, records, period, step, missing, overlap, odd cells. Private."""
    choose: tuple[str, ...] = ()
    """What only the custodian can decide; options stand between guillemets, `asked` spells them."""
    command: str = ""
    """What to type next; it was tried on a sample."""
    remark: str = ""
    """What that command does not promise, and what would."""
    people: int | None = None
    """How many people, if known."""
    in_the_way: str = ""
    """Why there is no command."""
    n_states: int | None = None
    """Different states of events in what was tried."""
    place: str = ""
    """What the command reads: the source as typed, or the one table in it."""

    @property
    def options(self) -> dict[str, Any]:
        """The roles as keywords of the reader."""
        known = inspect.signature(KINDS[self.kind].load("reader")).parameters if self.kind else {}
        out: dict[str, Any] = {}
        for name, value in self.roles.items():
            key = {"from": "from_", "no-header": "header"}.get(name, name.replace("-", "_"))
            if known and key not in known:
                continue  # of the method, not of the reader
            several = key in SEVERAL or (key == "value" and self.kind == "symbols")
            out[key] = (
                False if key == "header" else True if key == "units_row" else tuple(value.split(",")) if several
                else int(value) if key in WHOLE else float(value) if key == "rate" else value
            )  # fmt: skip
        return out

    def asked(self, spell: Callable[[Option], str] = as_flag) -> list[str]:
        """What only the custodian can decide, its options spelled for whoever reads it."""
        return [in_words(line, spell) for line in self.choose]

    def __str__(self) -> str:
        head = f"{self.source}: {self.kind} data. {self.why}" if self.kind else f"{self.source}: {self.why}"
        body = [f"  {line}" for line in self.lines]
        others = [f"  --{r} could also be: {_few(names)}" for r, names in self.alternatives.items() if names]
        if not self.kind:
            body += [f"  {kind.name}: needs {kind.needs}" for kind in KINDS.values() if kind.needs]
        asked = [f"  {line}" for line in self.asked()]
        after = ["Decide:", *asked] if asked else []
        following = ["Next:", f"  {self.command}"] if self.command else []
        if self.in_the_way:
            following = [f"No command yet: {in_words(self.in_the_way, as_flag).rstrip('.')}."]
        return "\n".join([head, *body, *others, *after, *following, *([self.remark] if self.remark else [])])


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def inspect_source(
    source: Any, *, kind: str | None = None, files: str | None = None, table: str | None = None,
    encoding: str | None = None, objection: Objection | None = None,
) -> Inspection:  # fmt: skip
    """Look at a sample of a source: what kind of data it is and why, which columns play which role, how it reads.

    Parameters
    ----------
    source
        A path, a folder, or a table in memory.
    kind
        The kind of data, if you know it.
    files
        Of a folder, only the files that fit this pattern.
    table
        Which table of a database file, or sheet of a workbook.
    encoding
        Of text files; found by itself where it is not given.
    objection
        What a method that would be proposed says about the data, the roles and the number of people; nothing where
        it would take them.
    """
    if kind is not None and kind not in KINDS:
        raise InputError(f"{WHO}: no kind of data '{kind}'; there are {', '.join(KINDS)}.")
    refuse_ours(source, WHO)
    best, sample, why = recognised(source, kind=kind, files=files, table=table, encoding=encoding)
    name = Path(source).name if isinstance(source, (str, Path)) else type(source).__name__
    if sample.path is not None and sample.path != Path(source):
        source = sample.path
    if best is None:
        asked = (
            ("which table? ‹files='NAME.csv'›; and whose row is it? ‹person=›",) if "has to be chosen" in why else ()
        )
        return Inspection(source=name, kind=None, why=why, choose=asked)
    roles = dict(best.roles)
    given = {"files": files, "table": table, "encoding": encoding if encoding != "utf-8" else None}
    roles |= {n: v for n, v in given.items() if v is not None}
    if best.kind == "text":
        roles.pop("files", None)
    alternatives = {role: tuple(names) for role, names in best.alternatives.items()}
    people = _people(sample, roles, files)
    found = Inspection(
        source=name, place=str(source), kind=best.kind, why=best.why, roles=roles, alternatives=alternatives,
        lines=tuple(best.lines), choose=tuple(best.choose), people=people, in_the_way=best.in_the_way,
    )  # fmt: skip
    return _tried(found, sample, source, objection)


def _people(sample: Sample, roles: dict[str, str], files: str | None) -> int | None:
    """How many people there are, over all rows where that is feasible."""
    person = roles.get("person")
    if person == FILE:
        return sample.n_files
    if person == FOLDER and sample.path is not None:
        return len(sample.folders) or 1
    if sample.table is None or person is None or person == "each":
        return None
    column = sample.table.column(person)
    if column is None:
        return None
    if not sample.table.cut and len(sample.main) <= FILES:
        return column.distinct
    written = sample.table.written
    counted_on = column.distinct if not sample.table.cut else None
    if written is None or written.encoding != "utf-8" or written.delimiter == "blanks":
        return counted_on
    packed = any(ending(p) not in DELIMITED or p.suffix in PACKED for p in sample.main)
    if packed or sum(p.stat().st_size for p in sample.main) > MOST_COUNTED:
        return counted_on
    form = TableForm(written.skip_lines, bool(written.units))
    first = first_line(sample.main[0], WHO, written.skip_lines)
    _, query = csv_query(sample.main[0], WHO, first, written.header, sample.main[0], sample.main, form=form)
    connection = connect()
    try:
        row = connection.sql(f"select approx_count_distinct({quoted(person)}) from ({query})").fetchone()
        return max(int(row[0]), column.distinct)
    except Exception:  # the reader says what is wrong with the file
        return column.distinct
    finally:
        connection.close()


def _tried(found: Inspection, sample: Sample, source: Any, objection: Objection | None) -> Inspection:
    """The inspection after its reading was tried on the sample: figures, or what is in the way."""
    lines, in_the_way, data = list(found.lines), found.in_the_way, None
    few = sample.table if sample.table is not None and sample.table.cut else None
    packed = few is not None and any(p.suffix in PACKED for p in sample.main)
    small = sample.path is None or (
        sum(p.stat().st_size for p in sample.main) <= BYTES // 2 and len(sample.main) <= 40 * FILES and not packed
    )
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            options = found.options
            standard = "layout" in options
            if few is not None and few.written is None and sample.main == [sample.path] and not small:
                place = few.in_memory()  # a workbook, a database or Parquet, which cannot be cut
                options = {n: v for n, v in options.items() if n != "table"}
            else:
                place = source if small else copied(sample, Path(folder), every_file=standard)
            data = KINDS[str(found.kind)].load("reader")(place, **options)
            rows = summarize(data, options).rows["lines"]
            read = [row["line"].rstrip(".") for row in rows if row["about"] != "undeclared"]
            if not small:
                read = [f"in a sample of it: {line[:1].lower()}{line[1:]}" for line in read[:1]] + read[1:]
            lines = [*read, *(line for line in lines if line.lower() not in {r.lower() for r in read})]
        except InputError as error:
            in_the_way = in_the_way or error.sentence()
    people, n_states = found.people, None
    if data is not None:
        n_states = len(data.state_names) if found.kind == "events" else None
        people = data.n_people if small or people is None else people
        if not getattr(data, "people_known", True):
            people = None
        in_the_way = in_the_way or doubt(data)
        if objection is not None and not in_the_way:
            in_the_way = objection(data, found.roles, people)
    choose = found.choose
    if people is not None and people < LEAST_PEOPLE and found.kind != "text":
        too_few = (
            "one person alone cannot be hidden"
            if people == 1
            else f"only {counted(people, 'person', 'people')} are too few to hide among"
        )
        in_the_way = in_the_way if in_the_way and people > 1 else too_few
        choose = (*choose, too_few)
    return Inspection(**{**vars(found), "lines": tuple(lines), "in_the_way": in_the_way, "people": people,
                         "choose": choose, "n_states": n_states})  # fmt: skip


def doubt(data: Any) -> str:
    """Why a release of this data would tell nothing or something else; nothing where there is no such reason."""
    if data.kind == "activity":
        lacking = [c for c, name in enumerate(data.state_names) if name == MISSING]
        counts = np.bincount(data.states.ravel(), minlength=len(data.state_names)).astype(float)
        missing = counts[lacking].sum() / max(1.0, counts.sum())
        counts[lacking] = 0
        if missing > MOST_MISSING:
            return (
                f"{missing:.0%} of the time would be missing: choose other days with ‹align=› and ‹days=›, or ‹dates=›"
            )
        if counts.max(initial=0) > ONE_STATE * counts.sum() > 0:
            return f"{counts.max() / counts.sum():.0%} of the time would be one state: choose other ‹bins=› or ‹state=›"
    elif data.kind == "events":
        counts = np.bincount(data.states, minlength=len(data.state_names))
        n = int(counts.sum())
        if len(data.state_names) < 2 or counts.max(initial=0) > ONE_STATE * n:
            return "nearly all events would be one state: choose another column with ‹state=›"
        if n > 50 and len(data.state_names) > 0.5 * n:
            return "most states would be there once, as identifiers are: choose another column with ‹state=›"
        if n < 1.05 * data.n_people:
            return (
                f"{counted(data.n_people, 'person has', 'people have')} hardly more than one event each: no sequences"
            )
    elif data.kind == "symbols":
        counts = np.bincount(data.symbols, minlength=len(data.alphabet)) if len(data.symbols) else np.zeros(1)
        if counts.max(initial=0) > ONE_STATE * max(1, counts.sum()):
            return "nearly all symbols would be one: choose another ‹value=›"
    elif data.kind == "series":
        whole = ~np.isnan(data.values).any(axis=1)
        if whole.sum() < LEAST_PEOPLE and len(whole) >= LEAST_PEOPLE:
            return f"only {int(whole.sum())} of {len(whole)} records have every value: choose fewer times with ‹quasi=›"
    return ""

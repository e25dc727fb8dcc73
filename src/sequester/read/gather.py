"""A source as people have it: one table, a folder of tables, several files, and whose recording each of them is."""

from __future__ import annotations

import fnmatch
import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sequester.errors import InputError, counted, left_out
from sequester.read.cells import is_text, texts
from sequester.read.delimited import BLANKS, FILENAME, delimiter_of, first_line, load_csv_files
from sequester.read.headers import begun
from sequester.read.refuse_bundles import is_ours
from sequester.read.table import (
    DELIMITED,
    ENDINGS,
    HEADER,
    JSON,
    PLAIN,
    Loaded,
    TableForm,
    ending,
    load,
    not_gzip,
    pick,
)
from sequester.read.unused_options import refuse_idle_on_files

FILE, FOLDER = "file", "folder"
"""What `person` may say where a file, or a folder of files, is one person."""
MOST_FILES = 100_000
SUMMARIES = (
    "total", "grand total", "subtotal", "sum", "summe", "gesamt", "gesamtsumme", "mean", "average", "mittelwert",
    "durchschnitt", "median", "std", "std dev", "standard deviation", "totale", "somme", "moyenne", "promedio",
)  # fmt: skip
"""How rows below a table are called that are nobody's."""


def gather(
    source: Any,
    who: str,
    *,
    table: str | None = None,
    encoding: str = "utf-8",
    header: bool = True,
    files: str | None = None,
    people: str | None = None,
    person: str | None = None,
    form: TableForm = PLAIN,
) -> Loaded:
    """The rows of a source as one table; of a folder or a list of files with the columns `file` and `folder`.

    Parameters
    ----------
    source
        A path, a folder, a list of paths, or a table in memory.
    who
        For messages.
    table, encoding, header
        As `load` takes them.
    files
        A folder: only files whose path inside it fits this pattern, such as `*.csv`.
    people
        A table of two columns: recording (as `person` tells it) and person.
    person
        The role, so that `file` and `folder` work for a single file too.
    form
        Lines before the header, a row of units, decimal commas, a clock beside a date.
    """
    if isinstance(source, (list, tuple)) and source and all(isinstance(s, (str, Path)) for s in source):
        paths = [Path(s) for s in source]
        root = Path(os.path.commonpath([p.parent.absolute() for p in paths]))
        paths = [p.absolute() for p in paths]
        refuse_idle_on_files(paths, who, table=table, encoding=encoding, header=header, form=form)
        loaded = _joined(paths, root, who, table, encoding, header, form)
    elif isinstance(source, (str, Path)) and Path(source).is_dir():
        root = Path(source)
        paths = members(root, who, files)
        refuse_idle_on_files(paths, who, table=table, encoding=encoding, header=header, form=form)
        loaded = _joined(paths, root, who, table, encoding, header, form)
    else:
        if files is not None:
            raise InputError(f"{who}: files= chooses files of a folder, and the source is none. Leave it out.")
        paths = [Path(source)] if isinstance(source, (str, Path)) else []
        refuse_idle_on_files(paths, who, table=table, encoding=encoding, header=header, form=form)
        loaded = load(source, who, table=table, encoding=encoding, header=header, form=form)
        if paths:
            loaded = loaded._replace(table=with_times(loaded.table, paths[0], who, form, encoding))
        if person in (FILE, FOLDER) and person not in loaded.table.column_names and isinstance(source, (str, Path)):
            loaded = beside(loaded, Path(source).absolute(), Path(source).absolute().parent)
    rows = Summaries(person)
    table_ = rows.without(with_clock(loaded.table, form, who))
    loaded = loaded._replace(table=table_, notes=(*loaded.notes, *rows.notes))
    return loaded if people is None else with_people(loaded, people, person, who, encoding)


def with_clock(table: Any, form: TableForm, who: str) -> Any:
    """The table, its column of dates with the time of day behind each."""
    if form.clock is None:
        return table
    date, clock = (pick(table, name, who, role) for name, role in zip(form.clock, ("time", "clock")))
    both = pc.binary_join_element_wise(texts(table[date]), texts(table[clock]), " ")
    return table.set_column(table.column_names.index(date), date, both)


def walked(root: Path, who: str) -> Iterator[Path]:
    """The files of a folder and its subfolders in order: nothing hidden, nothing linked, nothing sequester wrote."""
    n_files = 0
    for place, folders, names in os.walk(root, followlinks=False):
        here = Path(place)
        folders[:] = sorted(f for f in folders if not f.startswith(".") and not is_ours(here / f))
        for name in sorted(names):
            path = here / name
            if name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            n_files += 1
            if n_files > MOST_FILES:
                raise InputError(
                    f"{who}: '{root.name}' holds more than {counted(MOST_FILES, 'file')}. Join them first."
                )
            yield path


def fits(path: Path, root: Path, files: str) -> bool:
    """Whether a file of a folder fits a pattern, by its path inside or by its name."""
    return fnmatch.fnmatchcase(path.relative_to(root).as_posix(), files) or fnmatch.fnmatchcase(path.name, files)


def members(root: Path, who: str, files: str | None = None) -> list[Path]:
    """The tables of a folder, sorted by name."""
    tables = (p for p in walked(root, who) if ending(p) in ENDINGS)
    found = [p for p in tables if files is None or fits(p, root, files)]
    if not found:
        said = f" that fit '{files}'" if files else ""
        raise InputError(
            f"{who}: the folder '{root.name}' holds no tables{said}. Tables end in "
            f"{', '.join((*DELIMITED[:5], *JSON[:1]))} and so on."
        )
    return found


def _joined(
    paths: list[Path], root: Path, who: str, table: str | None, encoding: str, header: bool, form: TableForm
) -> Loaded:
    notes: list[str] = []
    parts: dict[int, Any] = {}
    for group in _alike(paths, who, encoding, form):
        if len(group) > 1:
            for at, loaded in _together([paths[i] for i in group], root, who, header, form):
                parts[group[at]] = with_times(loaded.table, paths[group[at]], who, form)
                notes += loaded.notes
        else:
            loaded = beside(
                load(paths[group[0]], who, table=table, encoding=encoding, header=header, form=form),
                paths[group[0]],
                root,
            )
            parts[group[0]] = with_times(loaded.table, paths[group[0]], who, form, encoding)
            notes += loaded.notes
    try:
        joined = pa.concat_tables([parts[i] for i in sorted(parts)], promote_options="permissive")
    except pa.ArrowException as error:
        raise InputError(
            f"{who}: the files of '{root.name}' have columns of one name and other types. Convert them."
        ) from error
    alike = len({tuple(part.column_names) for part in parts.values()}) < 2
    return Loaded(joined, (f"{counted(len(paths), 'file was', 'files were')} joined", *notes), alike)


def _alike(paths: list[Path], who: str, encoding: str, form: TableForm) -> list[list[int]]:
    """Files that can be scanned together: plain UTF-8 tables with the same first line."""
    groups: dict[Any, list[int]] = {}
    for i, path in enumerate(paths):
        key: Any = i
        if (
            path.stat().st_size
            and path.suffix.lower() in DELIMITED
            and encoding.lower().replace("_", "-") in ("utf-8", "utf8")
        ):
            first = first_line(path, who, form.skip_lines)
            if delimiter_of(first, path.suffix.lower()) != BLANKS:
                key = (path.suffix.lower(), first)
        groups.setdefault(key, []).append(i)
    return list(groups.values())


def _together(paths: list[Path], root: Path, who: str, header: bool, form: TableForm) -> Iterable[tuple[int, Loaded]]:
    """Files with one header, scanned in one go and told apart again, each in its own order."""
    loaded = load_csv_files(paths, who, header=header, form=form)
    names = loaded.table[FILENAME].combine_chunks().dictionary_encode()
    number = {str(p): i for i, p in enumerate(paths)}
    of = np.array([number[n] for n in names.dictionary.to_pylist()], dtype=np.int64)[names.indices.to_numpy()]
    order = np.argsort(of, kind="stable")
    cuts = np.searchsorted(of[order], np.arange(len(paths) + 1))
    plain = loaded.table.drop_columns([FILENAME])
    for i, path in enumerate(paths):
        rows = plain.take(pa.array(order[cuts[i] : cuts[i + 1]]))
        yield i, beside(Loaded(rows, loaded.notes if i == 0 else ()), path, root)


def _before(path: Path, who: str, form: TableForm, encoding: str) -> list[str]:
    """The lines before the table of a file."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            return [file.readline(1 << 16).decode(encoding, "replace") for _ in range(form.skip_lines)]
    except (OSError, EOFError, zlib.error) as error:
        raise not_gzip(who, path.name) from error


def with_times(table: Any, path: Path, who: str, form: TableForm, encoding: str = "utf-8", done: int = 0) -> Any:
    """The table with a column of times that begin where the file's own first lines say, `done` rows after the first."""
    if form.begins is None or HEADER in table.column_names:
        return table
    found = begun(_before(path, who, form, encoding))
    if found is None:
        raise InputError(
            f"{who}: ‹time='header'› asks for a start and an epoch, and the {form.skip_lines} lines before the table "
            f"of '{path.name}' do not tell both."
        )
    return table.append_column(HEADER, pa.array(found.times(form.begins, len(table), done, who), pa.string()))


class Summaries:
    """Rows called Total or Mean where a person should stand: they are left out and counted."""

    def __init__(self, person: str | None) -> None:
        self._person, self.n = person or "person", 0

    def without(self, table: Any) -> Any:
        """The rows of people."""
        if self._person not in table.column_names or not is_text(table.schema.field(self._person).type):
            return table
        called = pc.utf8_lower(pc.utf8_trim(table[self._person], " :"))
        found = pc.fill_null(pc.is_in(called, pa.array(SUMMARIES)), False)
        if not pc.any(found).as_py():
            return table
        self.n += int(pc.sum(found).as_py())
        return table.filter(pc.invert(found))

    @property
    def notes(self) -> tuple[str, ...]:
        """How many were left out."""
        said = "that sums up others" if self.n == 1 else "that sum up others"
        return (left_out(self.n, "row", f"{said} (called Total, Mean and so on)"),) if self.n else ()


def beside(loaded: Loaded, path: Path, root: Path) -> Loaded:
    """The table with the columns `file` and `folder`, where it has none of these names."""
    inside = path.relative_to(root)
    name = inside.as_posix()
    for last in (".gz", ".zip", ending(path)):
        name = name[: -len(last)] if last and name.lower().endswith(last) else name
    out = loaded.table
    fields = {FILE: name, FOLDER: inside.parts[0] if len(inside.parts) > 1 else None}
    for column, value in fields.items():
        if column not in out.column_names:
            array = pa.nulls(len(out), pa.string()) if value is None else pa.DictionaryArray.from_arrays(
                pa.array([0] * len(out), pa.int32()), pa.array([value])).cast(pa.string())  # fmt: skip
            out = out.append_column(column, array)
    return Loaded(out, loaded.notes)


class Recordings:
    """A map from recordings to people, and what else it knows about them."""

    def __init__(self, people: str, column: str | None, who: str, encoding: str) -> None:
        if column is None:
            raise InputError(
                f"{who}: ‹people=› maps recordings to people; name the recording's column too. Pass ‹person=NAME›."
            )
        self._book = load(people, f"{who}, people", encoding=encoding).table
        if self._book.num_columns < 2:
            raise InputError(f"{who}: the map '{Path(people).name}' needs two columns: recording and person.")
        names = self._book.column_names
        recording = next((n for n in names if n.lower() in ("recording", column.lower(), FILE)), names[0])
        said = [n for n in names if n.lower() in ("person", "patient", "subject", "participant") and n != recording]
        # Of a table with more columns, a row is a person, and the columns are what is known about them.
        owner = said[0] if said else names[1] if len(names) == 2 else recording
        keys, values = (texts(self._book[n]).to_pylist() for n in (recording, owner))
        self._pairs = {k: v for k, v in zip(keys, values) if k is not None and v is not None}
        if len(self._pairs) < len({k for k in keys if k}) or _contradicts(keys, values):
            raise InputError(f"{who}: the map '{Path(people).name}' gives a recording no person, or two. Correct it.")
        self._rows = {k: i for i, k in enumerate(keys)}
        self._beside = [n for n in names if n not in (recording, owner)]
        self._column, self._who, self._lacking = column, who, 0

    def applied(self, table: Any) -> Any:
        """The rows of recordings it names, the person in the place of the recording."""
        column = pick(table, self._column, self._who, "person")
        coded = texts(table[column]).dictionary_encode()
        found = coded.dictionary.to_pylist()
        whose = pa.array([self._pairs.get(k) for k in found], pa.string()).take(coded.indices)
        out = table.set_column(table.column_names.index(column), column, whose)
        at = pa.array([self._rows.get(k) for k in found], pa.int64()).take(coded.indices)
        for name in self._beside:
            if name not in out.column_names:
                out = out.append_column(name, texts(self._book[name]).take(at))
        self._lacking += whose.null_count
        return out.filter(pc.is_valid(whose)) if whose.null_count else out

    @property
    def notes(self) -> tuple[str, ...]:
        """How many rows it does not name."""
        which = "of recordings that the map does not name"
        return (left_out(self._lacking, "row", which),) if self._lacking else ()


def with_people(loaded: Loaded, people: str, person: str | None, who: str, encoding: str) -> Loaded:
    """Recordings become people: the map's person takes the place of the recording in the person column."""
    known = Recordings(people, person, who, encoding)
    table = known.applied(loaded.table)
    return loaded._replace(table=table, notes=(*loaded.notes, *known.notes))


def _contradicts(keys: list[Any], values: list[Any]) -> bool:
    seen: dict[Any, Any] = {}
    return any(seen.setdefault(k, v) != v for k, v in zip(keys, values) if k is not None)

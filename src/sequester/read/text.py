"""Documents from a text file, a folder of them, or a table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from sequester.errors import InputError, counted, left_out, verb_for
from sequester.model import Corpus
from sequester.read.gather import walked
from sequester.read.table import first_bad_byte, load, not_utf8, pick, unpacked_gzip
from sequester.read.unused_options import check_told, of_text, refuse_idle, refuse_idle_on_files
from sequester.read.word_files import WORD_FILES, text_of

WHO = "read_corpus"
TEXT_FILES = (".txt", ".text", ".md")
SHAPES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet"}


def read_corpus(
    source: Any,
    *,
    text: str = "text",
    document: str | None = None,
    person: str | None = None,
    encoding: str = "utf-8",
    table: str | None = None,
) -> Corpus:
    """Read documents; a missing text is an empty document.

    Parameters
    ----------
    source : path or table
        A text file (one document), a folder of text files (searched with its subfolders), JSON lines, CSV, Parquet,
        a database file, or a table in memory. Files may also be docx, PDF or RTF (extra `documents`).
    text : str
        Column with the text.
    document : str, optional
        Column that names documents; by default `document` if there is one, else rows are numbered.
    person : str, optional
        Column that tells whose document it is; by default `person` if there is one, else nobody knows and only
        documents can be counted. `each`: every document is of another person. For a source that is a folder:
        `folder`, when each subfolder holds one person's documents.
    encoding : str
        Encoding of text, JSON lines and CSV files.
    table : str, optional
        Which table of a database file.
    """
    fields = dict(locals())
    check_told(read_corpus, WHO, fields)
    if not isinstance(source, (str, Path)):
        refuse_idle_on_files([], WHO, table=table, encoding=encoding)
        return _from_table(load(source, WHO).table, "jsonl", text, document, person)
    path = Path(source)
    if not path.exists():
        raise InputError(f"{WHO}: '{path.name}' does not exist. Check the path.")
    if path.is_dir():
        refuse_idle(read_corpus, WHO, fields, of_text(fields, folder=True))
        return _from_folder(path, person, encoding)
    ending = Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    columns_named = text != "text" or document is not None  # a table may well be called .txt
    if ending in WORD_FILES or (ending in TEXT_FILES and not columns_named):
        refuse_idle(read_corpus, WHO, fields, of_text(fields, folder=False))
        known = person == "each"
        text_ = _text_of(path, encoding)
        return Corpus.from_texts([text_], documents=[path.stem], people_known=known, shape="file")
    if ending in (".jsonl", ".ndjson"):
        refuse_idle_on_files([path], WHO, table=table)
        rows, left = _json_lines(path, encoding)
        made = _from_table(rows, "jsonl", text, document, person)
        said = left_out(left, "line", "without a JSON object")
        return replace(made, notes=(*made.notes, said)) if left else made
    refuse_idle_on_files([path], WHO, table=table, encoding=encoding)
    loaded = load(path, WHO, table=table, encoding=encoding)
    made = _from_table(loaded.table, SHAPES.get(ending, "jsonl"), text, document, person)
    return replace(made, notes=(*made.notes, *loaded.notes)) if loaded.notes else made


def _from_folder(path: Path, person: str | None, encoding: str) -> Corpus:
    files = sorted(p for p in walked(path, WHO) if p.suffix.lower() in (".txt", *WORD_FILES))
    if not files:
        raise InputError(
            f"{WHO}: the folder '{path.name}' holds no .txt files. Pass a folder of text files or a table."
        )
    if person not in (None, "folder", "each"):
        raise InputError(
            f"{WHO}: a folder has no column '{person}'. Pass ‹person='folder'› when each subfolder is one person, "
            "‹person='each'› when each file is, or leave it out."
        )
    names = [p.relative_to(path).with_suffix("").as_posix() for p in files]
    owners = None
    if person == "folder":
        loose = [i for i, name in enumerate(names) if "/" not in name]
        if loose:
            raise InputError(
                f"{WHO}: {len(loose)} of {counted(len(files), 'file')} {verb_for(len(loose), 'lies', 'lie')} in no "
                f"subfolder (first: file {loose[0] + 1} by name). "
                "Move them into the folder of their person."
            )
        owners = [name.split("/")[0] for name in names]
    twice = len(names) - len(set(names))
    if twice:
        raise InputError(
            f"{WHO}: {counted(twice, 'file differs', 'files differ')} only in their ending. Give every document "
            "a name of its own."
        )
    texts = [_text_of(p, encoding) for p in files]
    known = owners is not None or person == "each"
    return Corpus.from_texts(texts, documents=names, persons=owners, people_known=known, shape="folder")


def _from_table(rows: pa.Table, shape: str, text: str, document: str | None, person: str | None) -> Corpus:
    if text == "text" and text not in rows.column_names and len(rows.column_names) == 1:
        text = rows.column_names[0]
    words = rows.column(pick(rows, text, WHO, "text")).to_pylist()
    odd = [i for i, w in enumerate(words) if w is not None and not isinstance(w, (str, int, float))]
    if odd:
        raise InputError(
            f"{WHO}: column '{text}' holds no text in {counted(len(odd), 'row')} (first: row {odd[0] + 1})."
        )
    texts = ["" if w is None or w != w else str(w) for w in words]
    each = person == "each" and person not in rows.column_names
    persons = None if each else _identifiers(rows, person, "person")
    used = {text, document or "document", "person" if each else person or "person"}
    try:
        return Corpus.from_texts(
            texts,
            documents=_identifiers(rows, document, "document"),
            persons=persons,
            people_known=persons is not None or each,
            shape=shape,
            text_column=text,
            columns={name: rows.column(name).to_pylist() for name in rows.column_names if name not in used},
        )
    except UnicodeEncodeError as error:
        raise InputError(f"{WHO}: column '{text}' holds half a surrogate pair, which is not a character.") from error


def _identifiers(rows: pa.Table, name: str | None, role: str) -> list[Any] | None:
    if name is None and role not in rows.column_names:
        return None
    values = rows.column(pick(rows, name or role, WHO, role)).to_pylist()
    lacking = [i for i, v in enumerate(values) if v is None or v == ""]
    if lacking and role == "document":
        raise InputError(
            f"{WHO}: {counted(len(lacking), 'row lacks', 'rows lack')} a document (first at row {lacking[0] + 1}). "
            "Fill the column or leave ‹document=› out."
        )
    return values


def _json_lines(path: Path, encoding: str) -> tuple[pa.Table, int]:
    """JSON lines read as written, no guessing of dates or numbers inside text; and how many lines are no objects."""
    rows, left = [], 0
    for line in _decoded(path, encoding).removeprefix("\ufeff").split("\n"):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            rows.append(row)
        else:
            left += 1
    if not rows:
        found = f"holds {counted(left, 'line')}, none of them a JSON object" if left else "is empty"
        raise InputError(f"{WHO}: '{path.name}' {found}. At least one line with an object is needed.")
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
            columns[name] = pa.array([None if v is None else _plain(v) for v in values])
    return pa.table(columns), left


def _plain(value: Any) -> str:
    """As text; half a surrogate pair, which is no character, becomes a question mark."""
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return written.encode("utf-8", "replace").decode("utf-8")


def _text_of(path: Path, encoding: str) -> str:
    return text_of(path, WHO) if path.suffix.lower() in WORD_FILES else _decoded(path, encoding)


def _decoded(path: Path, encoding: str) -> str:
    raw = unpacked_gzip(path, WHO) if path.suffix.lower() == ".gz" else path.read_bytes()
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        offset = first_bad_byte(path)
        if offset is not None and encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
            raise not_utf8(WHO, path, offset) from error
        raise InputError(f"{WHO}: '{path.name}' is not {encoding} at byte {error.start}. Check ‹encoding=›.") from error

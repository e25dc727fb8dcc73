"""What the text methods share: owners, and a release made of documents with some characters suppressed."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.errors import InputError, counted
from sequester.layouts.documents import numbers, span_table, write_documents
from sequester.method import Method
from sequester.methods.text.shared.kernels.masking import mask_documents
from sequester.methods.text.shared.markers import Typed, kept_of_original, table_of
from sequester.model import Corpus
from sequester.release import Note, Release

SHAPES = {"file": "txt", "folder": "folder", "jsonl": "jsonl", "csv": "csv", "parquet": "parquet"}
"""How a corpus came → how its documents leave."""


def check_mask(method: Method, name: str) -> None:
    """A mask is one visible character that joins onto nothing."""
    mask = getattr(method, name)
    fits = isinstance(mask, str) and len(mask) == 1 and mask.isprintable() and not mask.isspace()
    if not fits or unicodedata.category(mask)[0] == "M":
        raise method.refuse(f"{name} must be one visible character, got {name}={mask!r}.")


def owners_of(data: Corpus, unit: str, k: int) -> np.ndarray | None:
    """Who owns each document, numbered from 0, or None when occurrences are counted; too few owners are refused."""
    if unit == "occurrence":
        return None
    if unit == "document":
        if data.n_records < k:
            whole = " A text file is one document: pass a folder or a table." if data.shape == "file" else ""
            raise InputError(
                f"anonymize: k={k} needs {counted(k, 'document')}, the data has {data.n_records}. Lower k or add "
                f"data.{whole}"
            )
        return np.arange(data.n_records)
    if not data.people_known:
        raise InputError(
            "anonymize: ‹unit='person'› needs to know whose document each is, and the source does not say. Pass "
            "‹person=› (a column, or 'folder' when each subfolder is one person), or ‹unit='document'›."
        )
    if data.n_people < k:
        raise InputError(
            f"anonymize: k={k} needs {counted(k, 'person', 'people')}, the data has {data.n_people}. Lower k or "
            "add data."
        )
    number: dict[str, int] = {}
    return np.array([number.setdefault(p, len(number)) for p in data.persons])


def check_utf8(data: Corpus) -> None:
    """Refuse bytes that are not UTF-8 (a corpus made by a reader never has any)."""
    try:
        _strings(data.utf8, data.offsets).validate(full=True)
    except pa.ArrowInvalid as error:
        raise InputError("anonymize: the corpus holds bytes that are not UTF-8. Read it with its encoding.") from error


def masked_release(
    method: Method,
    data: Corpus,
    keep: np.ndarray,
    *,
    rng: Randomness,
    owners: np.ndarray | None,
    mark: str,
    per_character: bool = True,
    private: dict[str, pa.Table] | None = None,
    typed: Typed | None = None,
    columns: tuple[str, ...] = (),
) -> Release:
    """Suppress what is not kept, number the documents anew in random order, and keep the map for the custodian."""
    n = data.n_records
    order = rng.secret.permutation(n)
    written = data if typed is None else typed.data
    done = mask_documents(written.utf8, written.offsets, keep, order, mark, per_character=per_character)
    new_owners = None
    if method.guarantee.unit == "person" and owners is not None and not method.guarantee.needs_original:
        # only published counts of people can be re-counted from the release; otherwise the grouping stays private
        fresh = rng.secret.permutation(int(owners.max()) + 1) + 1
        new_owners = fresh[owners[order]].astype(np.int64)
    found = data.columns_named(columns)
    tables = write_documents(
        texts=_strings(done.utf8, done.offsets),
        spans=done.spans,
        owners=new_owners,
        kept={name: [values[d] for d in order] for name, values in found.items()},
    )
    number = numbers(n)
    kept_back = {
        "documents": pa.table(
            {
                "document": pa.array(number, pa.string()),
                "original": pa.array([str(data.documents[d]) for d in order], pa.string()),
                "person": pa.array([str(data.persons[d]) for d in order], pa.string()),
            }
        ),
        **(private or {}),
    }
    if not per_character:
        hidden = done.hidden
        if typed is not None:
            kept_back["markers"] = table_of(data, typed)
            true = kept_of_original(data, typed, keep)
            hidden = mask_documents(data.utf8, data.offsets, true, order, mark, per_character=False).hidden
        kept_back["spans"] = span_table(number, hidden)
    return Release(
        tables=tables,
        guarantee=method.guarantee,
        method=method,
        private=kept_back,
        formats={"documents": _shape(data.shape, columns)},
        notes=_left_out(data, columns),
    )


def _left_out(data: Corpus, columns: tuple[str, ...]) -> tuple[Note, ...]:
    """Which columns of the source are not in the release."""
    lost = [name for name in data.columns if name not in columns]
    if not lost:
        return ()
    names = ", ".join(f"'{name}'" for name in lost)
    return (
        Note(
            "columns",
            f"Columns left out of the release: {names}. Name those that are public with `--keep` (in Python, `keep`).",
        ),
    )


def _shape(shape: str, columns: tuple[str, ...]) -> str:
    """How the documents leave; text files cannot carry columns."""
    return "jsonl" if columns and shape in ("file", "folder") else SHAPES[shape]


def _strings(utf8: np.ndarray, offsets: np.ndarray) -> Any:
    """An Arrow array of strings over the bytes, without copying them."""
    wide = len(utf8) > np.iinfo(np.int32).max
    places = offsets.astype(np.int64 if wide else np.int32)
    kind = pa.LargeStringArray if wide else pa.StringArray
    return kind.from_buffers(len(offsets) - 1, pa.py_buffer(places), pa.py_buffer(np.ascontiguousarray(utf8)))

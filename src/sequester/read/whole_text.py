"""Text of tables with types: a cell whose bytes are not UTF-8 is missing; it must not keep others from being read."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pyarrow as pa

from sequester.errors import counted


def note_of(n_bad: int) -> tuple[str, ...]:
    """What to tell the custodian."""
    if not n_bad:
        return ()
    sentence = "bytes that are no text in UTF-8 and"
    return (counted(n_bad, f"cell holds {sentence} counts as missing", f"cells hold {sentence} count as missing"),)


def whole(table: Any) -> tuple[Any, int]:
    """The table with nothing but text in its columns of text, and how many cells were not.

    Raises
    ------
    pyarrow.ArrowInvalid
        If the columns themselves are damaged.
    """
    bad = 0
    for i, name in enumerate(table.column_names):
        column = table.column(i)
        try:
            column.validate(full=True)
            continue
        except pa.ArrowInvalid:
            column.validate()  # damaged in another way than by its letters
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        mended = [_mended(chunk) for chunk in chunks]
        bad += sum(n for _, n in mended)
        arrays = [array for array, _ in mended]
        fixed = pa.chunked_array(arrays, column.type) if isinstance(column, pa.ChunkedArray) else arrays[0]
        fixed.validate(full=True)
        table = table.set_column(i, name, fixed)
    return table, bad


def _mended(array: Any) -> tuple[Any, int]:
    kind = array.type
    if pa.types.is_dictionary(kind):
        words, _ = _mended(array.dictionary)
        out = pa.DictionaryArray.from_arrays(array.indices, words)
        plain = out.cast(kind.value_type)
        return plain.dictionary_encode().cast(kind), plain.null_count - array.null_count
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        words, n = _mended(array.flatten())
        ends = accumulate(array.value_lengths().fill_null(0).to_pylist())
        wide = pa.int64() if pa.types.is_large_list(kind) else pa.int32()
        made = type(array).from_arrays(pa.array([0, *ends], wide), words, mask=array.is_null())
        return made.cast(kind), n
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return array, 0
    raw = array.cast(pa.binary() if pa.types.is_string(kind) else pa.large_binary()).to_pylist()
    texts = [None if cell is None else _text(cell) for cell in raw]
    made = pa.array(texts, kind)
    return made, made.null_count - array.null_count


def _text(cell: bytes) -> str | None:
    try:
        return cell.decode("utf-8")
    except UnicodeDecodeError:
        return None

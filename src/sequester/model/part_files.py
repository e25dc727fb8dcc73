"""One part of a data set as a Parquet file: a row is a record, its sequence a list; what all parts share is left out.

A part is a data set of its own, read back as one of the five models. Names of states (or symbols) stand in the file's
own metadata, so that a part can be written before the names of the others are known; `read_part` brings them to the
codes that all parts share.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sequester.errors import InputError
from sequester.model.activities import Activities
from sequester.model.corpus import Corpus
from sequester.model.events import EventLog
from sequester.model.kind import Data
from sequester.model.series import Series
from sequester.model.symbols import SymbolSeries

PERSON, PLACE = "person", "place"
"""Columns of every part: whose record it is, and the row of the source where it first appears."""
BESIDE = "beside: "
"""What stands before the name of a column that travels with the data."""
NAMES = b"sequester names"
"""Metadata: what the codes of this file mean, as JSON."""
ROWS_AT_ONCE = 1 << 16
"""Records per row group at most: what a reader holds at least."""


def write_part(data: Data, path: Path, place: np.ndarray) -> Path:
    """Write one part, all of it or nothing: a task that runs twice leaves one file.

    Parameters
    ----------
    data
        One of the five models, whole people.
    path
        The file.
    place
        Per record, the row of the source where it first appears: the order of records over all parts.
    """
    shape = _shape(data.kind)
    columns = {
        PERSON: pa.array(data.persons.tolist(), pa.string()),
        PLACE: pa.array(np.asarray(place, np.int64)),
        **shape.write(data),
    }
    names = json.dumps(getattr(data, shape.names) if shape.names else [])
    table = pa.table(columns).replace_schema_metadata({NAMES: names.encode()})
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        flat = [f.name for f in table.schema if not pa.types.is_fixed_size_binary(f.type)]
        coded = flat if len(flat) < len(table.schema) else True  # rows of bytes are all different
        pq.write_table(table, unfinished, compression="lz4", row_group_size=ROWS_AT_ONCE, use_dictionary=coded)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def read_part(path: Path, kind: str, facts: Mapping[str, Any]) -> Data:
    """A part as its model; `facts` are the fields that all parts share."""
    return read_placed(path, kind, facts)[0]


def read_placed(path: Path, kind: str, facts: Mapping[str, Any]) -> tuple[Data, np.ndarray]:
    """A part, and the place of every record in the source."""
    shape = _shape(kind)
    with _opened(path) as file:
        table = file.read()
    fields = dict(facts)
    own = tuple(json.loads((table.schema.metadata or {}).get(NAMES, b"[]")))
    shared = tuple(fields.get(shape.names, own)) if shape.names else ()
    code = {name: i for i, name in enumerate(shared)}
    if any(name not in code for name in own) and shape.names:
        raise InputError(f"parts: '{path.name}' has names that the other parts do not know. Write the parts again.")
    mapped = None if own == shared else np.array([code[n] for n in own] or [0])
    flat = table.combine_chunks()
    persons = np.array(flat[PERSON].to_pylist(), dtype=object)
    if shape.names:
        fields[shape.names] = shared
    place = flat[PLACE].to_numpy()
    return shape.model(persons=persons, **shape.read(flat, mapped), **fields), place


def n_rows(path: Path) -> int:
    """Records of a part, from the file's own footer."""
    with _opened(path) as file:
        return int(file.metadata.num_rows)


def columns_beside(path: Path) -> tuple[str, ...]:
    """Names of the columns that travel with the data."""
    with _opened(path) as file:
        names = file.schema_arrow.names
    return tuple(n.removeprefix(BESIDE) for n in names if n.startswith(BESIDE))


def persons_of(path: Path) -> np.ndarray:
    """Whose records they are; nothing else is read."""
    with _opened(path) as file:
        return np.array(file.read([PERSON])[PERSON].to_pylist(), dtype=object)


def places_of(path: Path) -> np.ndarray:
    """Where in the source every record first appears; nothing else is read."""
    with _opened(path) as file:
        return np.asarray(file.read([PLACE])[PLACE].to_numpy())


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    """The file of a part; one that is gone or damaged is one sentence."""
    try:
        with path.open("rb") as file:
            yield pq.ParquetFile(file)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"parts: '{path.name}' cannot be read. Write the parts again.") from error


class Shape(NamedTuple):
    """How a model lies in a file: what its codes are named by, its columns, and the way back."""

    model: type[Any]
    names: str
    """The field that says what codes mean, or nothing."""
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Any, np.ndarray | None], dict[str, Any]]


def _shape(kind: str) -> Shape:
    if kind not in SHAPES:
        raise InputError(f"parts: {kind} data cannot be split into parts. Available: {', '.join(SHAPES)}.")
    return SHAPES[kind]


def _lists(offsets: np.ndarray, values: Any) -> Any:
    inside = values if isinstance(values, (pa.Array, pa.ChunkedArray)) else _array(values)
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), inside)


def _array(values: np.ndarray) -> Any:
    return pa.array(values.tolist(), pa.string()) if values.dtype == object else pa.array(values)


def _whole(column: Any) -> Any:
    """A column as one array, however it lies in its file."""
    whole = column.combine_chunks()
    if not isinstance(whole, pa.ChunkedArray):
        return whole
    return pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], whole.type)


def _flat(column: Any) -> tuple[np.ndarray, Any]:
    """Offsets and values of a column of lists."""
    whole = _whole(column)
    values = whole.flatten()
    offsets = whole.offsets.to_numpy() if len(whole) else np.zeros(1, np.int64)
    return offsets - offsets[0], values


def _numbers(values: Any) -> np.ndarray:
    out = np.asarray(values.to_numpy(zero_copy_only=False))
    out.flags.writeable = False  # ours alone: the models need not copy it
    return out


def _back(column: Any) -> np.ndarray:
    """A column beside the data: numbers, or an object array of text and None."""
    if pa.types.is_string(column.type):
        out = np.empty(len(column), dtype=object)
        out[:] = column.to_pylist()
        return out
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _coded(values: Any, mapped: np.ndarray | None, dtype: Any) -> np.ndarray:
    codes = _numbers(values)
    if mapped is None:
        return codes
    out = mapped.astype(dtype)[codes]
    out.flags.writeable = False
    return out


def _named(table: Any) -> dict[str, Any]:
    return {n.removeprefix(BESIDE): table[n] for n in table.column_names if n.startswith(BESIDE)}


def _event_columns(log: EventLog) -> dict[str, Any]:
    beside = {BESIDE + n: _lists(log.offsets, _array(c)) for n, c in log.attributes.items()}
    return {"states": _lists(log.offsets, log.states), "times": _lists(log.offsets, log.times), **beside}


def _event_fields(table: Any, mapped: np.ndarray | None) -> dict[str, Any]:
    offsets, states = _flat(table["states"])
    return {
        "offsets": offsets,
        "states": _coded(states, mapped, np.int32),
        "times": _numbers(_flat(table["times"])[1]),
        "attributes": {n: _back(_flat(c)[1]) for n, c in _named(table).items()},
    }


def _symbol_columns(data: SymbolSeries) -> dict[str, Any]:
    return {"symbols": _lists(data.offsets, data.symbols)}


def _symbol_fields(table: Any, mapped: np.ndarray | None) -> dict[str, Any]:
    offsets, symbols = _flat(table["symbols"])
    return {"offsets": offsets, "symbols": _coded(symbols, mapped, np.uint16)}


def _rows(matrix: np.ndarray) -> Any:
    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(matrix).ravel()), matrix.shape[1])


def _matrix(column: Any) -> np.ndarray:
    whole = _whole(column)
    out = np.asarray(whole.flatten().to_numpy(zero_copy_only=False)).reshape(len(whole), column.type.list_size)
    out.flags.writeable = False
    return out


def _packed(matrix: np.ndarray) -> Any:
    """Rows of bytes as one value each: read back without a level per cell."""
    n, width = matrix.shape
    flat = pa.py_buffer(np.ascontiguousarray(matrix))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), n, [None, flat])


def _unpacked(column: Any) -> np.ndarray:
    whole = _whole(column)
    width, at = column.type.byte_width, whole.offset
    inside = whole.buffers()[1]
    flat = np.frombuffer(inside, np.uint8) if inside is not None else np.zeros(0, np.uint8)
    return flat[at * width : (at + len(whole)) * width].reshape(len(whole), width)


def _activity_columns(data: Activities) -> dict[str, Any]:
    return {"states": _packed(data.states), **{BESIDE + n: _array(c) for n, c in data.covariates.items()}}


def _activity_fields(table: Any, mapped: np.ndarray | None) -> dict[str, Any]:
    states = _unpacked(table["states"])
    states = states if mapped is None else mapped.astype(np.uint8)[states]
    return {"states": states, "covariates": {n: _back(c.combine_chunks()) for n, c in _named(table).items()}}


def _series_columns(data: Series) -> dict[str, Any]:
    return {"values": _rows(data.values), **{BESIDE + n: _array(c) for n, c in data.sensitive.items()}}


def _series_fields(table: Any, _mapped: np.ndarray | None) -> dict[str, Any]:
    beside = {n: _back(c.combine_chunks()) for n, c in _named(table).items()}
    return {"values": _matrix(table["values"]), "sensitive": beside}


def _text_columns(data: Corpus) -> dict[str, Any]:
    written = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), data.n_records, [None, pa.py_buffer(data.offsets), pa.py_buffer(data.utf8)]
    )
    return {
        "text": written,
        "document": pa.array(data.documents.tolist(), pa.string()),
        **{BESIDE + n: pa.array(c.tolist(), pa.string()) for n, c in data.columns.items()},
    }


def _text_fields(table: Any, _mapped: np.ndarray | None) -> dict[str, Any]:
    whole = _whole(table["text"])
    _, at, inside = whole.buffers()
    offsets = np.frombuffer(at, np.int64)[whole.offset : whole.offset + len(whole) + 1] if at else np.zeros(1, np.int64)
    utf8 = np.frombuffer(inside, np.uint8)[offsets[0] : offsets[-1]] if inside else np.zeros(0, np.uint8)
    return {
        "utf8": utf8,
        "offsets": offsets - offsets[0],
        "documents": table["document"].to_pylist(),
        "columns": {n: _back(c.combine_chunks()) for n, c in _named(table).items()},
    }


SHAPES = {
    "events": Shape(EventLog, "state_names", _event_columns, _event_fields),
    "symbols": Shape(SymbolSeries, "alphabet", _symbol_columns, _symbol_fields),
    "activity": Shape(Activities, "state_names", _activity_columns, _activity_fields),
    "series": Shape(Series, "", _series_columns, _series_fields),
    "text": Shape(Corpus, "", _text_columns, _text_fields),
}

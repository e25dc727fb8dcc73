"""Tables in memory, and Parquet, which comes to memory as it is: both have types, and keep them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sequester.errors import InputError
from sequester.lazy import wake_pandas
from sequester.read.cells import cell_text
from sequester.read.engine import connect
from sequester.read.table import Loaded
from sequester.read.whole_text import note_of, whole
from sequester.stored_tables import read_whole


def load(source: Any, who: str) -> Loaded:
    """A pandas, polars or Arrow table, or a duckdb relation, as Arrow."""
    if isinstance(source, pa.Table):
        try:
            return _loaded(_unique(source, who, "the table"))
        except pa.ArrowException as error:
            raise InputError(f"{who}: the table is damaged: its columns do not hold together. Make it anew.") from error
    kind = f"{type(source).__module__.partition('.')[0]}.{type(source).__name__}"
    try:
        if kind == "pandas.DataFrame":
            return _loaded(_unique(_from_pandas(source), who, "the data frame"))
        for way in ("to_arrow", "to_arrow_table", "arrow"):  # polars, duckdb
            if kind in ("polars.DataFrame", "duckdb.DuckDBPyRelation", "_duckdb.DuckDBPyRelation") and hasattr(
                source, way
            ):
                taken = getattr(source, way)()
                return _loaded(_unique(taken if isinstance(taken, pa.Table) else taken.read_all(), who, "the table"))
        if kind == "polars.LazyFrame":
            return Loaded(source.collect().to_arrow())
        connection = connect(sealed=True)
        try:
            connection.register("handed_in", source)
            return Loaded(connection.sql("select * from handed_in").to_arrow_table())
        finally:
            connection.close()
    except InputError:
        raise
    except Exception as error:  # whatever a foreign table raises may carry its values
        raise InputError(
            f"{who}: cannot read a table from a {type(source).__name__}; "
            "pass a path, or a pandas, polars or Arrow table."
        ) from error


def _from_pandas(frame: Any) -> Any:
    """Column by column: one that holds several types is read cell by cell, as a file would be."""
    wake_pandas()
    columns, names = [], []
    for at, name in enumerate(frame.columns):
        values = frame.iloc[:, at]
        names.append(str(name))
        if values.dtype == object:
            cells = values.tolist()
            # A list in one cell of a column of words is an odd cell, not another kind of column.
            if 2 * sum(_is_list(c) for c in cells) > sum(not _nothing(c) for c in cells):
                columns.append(pa.array([None if _nothing(c) else [cell_text(x) for x in _listed(c)] for c in cells]))
            else:
                columns.append(pa.array([cell_text(c) for c in cells], pa.string()))
        else:
            columns.append(pa.Array.from_pandas(values))
    return pa.table(columns, names=names)


def _nothing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell)


def _is_list(cell: Any) -> bool:
    return isinstance(cell, (list, tuple)) or type(cell).__name__ == "ndarray"


def _listed(cell: Any) -> list[Any]:
    return list(cell) if _is_list(cell) else [cell]


def load_parquet(path: Path, who: str) -> Loaded:
    """Straight to Arrow: millions of list elements and thousands of columns need no query engine."""
    try:
        # A file, not a dataset: folders named key=value add no columns.
        with path.open("rb") as file:
            return _loaded(_unique(read_whole(pq.ParquetFile(file)), who, f"'{path.name}'"))
    except (pa.ArrowException, OSError, ValueError, UnicodeError, OverflowError, KeyError) as error:
        if isinstance(error, MemoryError):
            raise
        raise InputError(f"{who}: '{path.name}' cannot be read as Parquet. Check the file.") from error


def _loaded(table: Any) -> Loaded:
    plain, bad = whole(table)
    return Loaded(plain, note_of(bad))


def _unique(table: Any, who: str, name: str) -> Any:
    twice = len(table.column_names) - len(set(table.column_names))
    if twice:
        raise InputError(f"{who}: {name} has {twice} column names more than once. Rename the columns.")
    return table

"""Workbooks and files of statistics packages, through packages that are imported only here (`sequester[tables]`)."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from sequester.errors import InputError, left_out
from sequester.read import memory
from sequester.read.cells import cell_text
from sequester.read.table import Loaded

STATISTICS = {
    ".sav": "read_sav", ".zsav": "read_sav", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat", ".xpt": "read_xport",
}  # fmt: skip


def load(path: Path, who: str, table: str | None, *, rows: int = 0) -> Loaded:
    """A sheet of an Excel workbook, or an SPSS, Stata, SAS or R file, as text columns; or its first rows."""
    ending = path.suffix.lower()
    if ending in (".xlsx", ".xlsm"):
        return _workbook(path, who, table, rows)
    if ending in STATISTICS:
        return _statistics(path, who, STATISTICS[ending], rows)
    return _r(path, who, table)


def _package(name: str, what: str, who: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"{who}: {what} need the package '{name}', which is not installed. Install sequester[tables], or save the "
            "table as CSV."
        ) from None


def _workbook(path: Path, who: str, table: str | None, most: int) -> Loaded:
    openpyxl = _package("openpyxl", "Excel workbooks", who)
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        names = list(book.sheetnames)
        if table is not None and table not in names:
            raise InputError(
                f"{who}: '{path.name}' has no sheet '{table}'; it has {', '.join(names)}. Pass ‹table=NAME›."
            )
        if table is None and len(names) != 1:
            raise InputError(f"{who}: '{path.name}': which sheet? It has {', '.join(names)}. Pass ‹table=NAME›.")
        sheet = book[table or names[0]].iter_rows(values_only=True)
        rows = [list(row) for row in islice(sheet, most or None)]
        book.close()
    except InputError:
        raise
    except Exception as error:  # a damaged workbook raises whatever its parser meets
        raise InputError(f"{who}: '{path.name}' cannot be read as an Excel workbook. Save it as CSV.") from error
    rows = [row for row in rows if any(c is not None for c in row)]
    if not rows:
        raise InputError(f"{who}: '{path.name}' is empty. A header and at least one row are needed.")
    filled = [sum(c is not None for c in row) for row in rows]
    above = next((i for i, n in enumerate(filled) if n > 1), 0)  # a title in one cell stands above the names
    rows = rows[above:]
    width = max(len(row) for row in rows)
    header = [cell_text(c) or str(i + 1) for i, c in enumerate(rows[0] + [None] * (width - len(rows[0])))]
    if len(set(header)) < len(header):
        raise InputError(f"{who}: '{path.name}' has a column name more than once. Rename the columns.")
    columns = [[cell_text(row[i]) if i < len(row) else None for row in rows[1:]] for i in range(width)]
    notes = (left_out(above, "row", "of one cell above the names of the columns"),) if above else ()
    return Loaded(pa.table({n: pa.array(c, pa.string()) for n, c in zip(header, columns)}), notes)


def _statistics(path: Path, who: str, function: str, most: int) -> Loaded:
    pyreadstat = _package("pyreadstat", "SPSS, Stata and SAS files", who)
    try:
        frame, _ = getattr(pyreadstat, function)(str(path), row_limit=most)
    except Exception as error:  # the package wraps a C library and raises its own kinds
        raise InputError(f"{who}: '{path.name}' cannot be read. Save the table as CSV.") from error
    return memory.load(frame, who)


def _r(path: Path, who: str, table: str | None) -> Loaded:
    pyreadr = _package("pyreadr", "R files", who)
    try:
        found = dict(pyreadr.read_r(str(path)))
    except Exception as error:
        raise InputError(f"{who}: '{path.name}' cannot be read as an R file. Save the table as CSV.") from error
    names = [n for n in found if n is not None]
    if table in found:
        return memory.load(found[table], who)
    if len(found) != 1:
        raise InputError(f"{who}: '{path.name}': which table? It has {', '.join(names) or 'none'}. Pass ‹table=NAME›.")
    return memory.load(next(iter(found.values())), who)

"""Text files without a header: lines of symbols, or lines of numbers."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sequester.errors import InputError, counted
from sequester.read.table import first_bad_byte, not_utf8, reads_as_number

WHO = "read_symbols"


def is_plain_text(path: Path, as_text: bool, encoding: str) -> bool:
    """A `.txt` file without a header: lines of symbols, or lines of numbers."""
    if not path.name.lower().endswith((".txt", ".txt.gz")):
        return False
    first = next(iter(lines_of(path, encoding)), "")
    if "," in first:
        return False
    return as_text or all(reads_as_number(x) for x in first.split())


def lines_of(path: Path, encoding: str) -> Iterable[str]:
    """The lines that hold anything."""
    try:
        with gzip.open(path, "rt", encoding=encoding) if path.suffix == ".gz" else path.open(encoding=encoding) as file:
            yield from (line for line in file if line.strip())
    except UnicodeDecodeError as error:
        if codecs.lookup(encoding).name != "utf-8":
            raise InputError(f"{WHO}: '{path.name}' cannot be read in {encoding}. Check both.") from error
        raise not_utf8(WHO, path.name, first_bad_byte(path) or 0) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{WHO}: '{path.name}' is not a complete gzip file.") from error


def number_columns(path: Path, value: tuple[str, ...], encoding: str, notes: list[str]) -> list[tuple[str, np.ndarray]]:
    """Columns of numbers without names; the first line tells how many, and a cell that is no number is a gap."""
    lines = list(lines_of(path, encoding))
    width = len(lines[0].split()) if lines else 0
    wanted, number = value or (("1",) if width == 1 else ()), f"Pass ‹value=› a number in 1..{width}."
    if not wanted:
        raise InputError(f"{WHO}: '{path.name}' has {counted(width, 'column')} without names. {number}")
    bad = [v for v in wanted if not (v.isdecimal() and v.isascii() and 1 <= int(v) <= width)]
    if bad:
        raise InputError(f"{WHO}: '{path.name}' has no column '{bad[0]}'. {number}")
    try:
        table = np.loadtxt(lines, ndmin=2)
        if table.shape[1] != width or not np.isfinite(table).all():
            raise ValueError
    except ValueError:
        rows = [line.split() for line in lines]
        table = np.array([[_number(row[i]) if i < len(row) else np.nan for i in range(width)] for row in rows])
        gaps = int(np.isnan(table).sum())
        if 2 * gaps > table.size:
            raise InputError(
                f"{WHO}: '{path.name}' is not a table of numbers with the same columns in every line. "
                "If it holds symbols, pass ‹symbolize=none›."
            ) from None
        notes.append(f"{counted(gaps, 'cell is', 'cells are')} not numbers and count as gaps")
    return [(v, table[:, int(v) - 1]) for v in wanted]


def _number(cell: str) -> float:
    try:
        found = float(cell)
    except ValueError:
        return np.nan
    return found if np.isfinite(found) else np.nan

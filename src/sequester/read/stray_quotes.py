"""Rows that a quotation mark without its partner has swallowed: they stand inside one cell, and nobody reads them.

A cell may well go over several lines. It is told about when a line of it would be a row: it has as many cells, and each
looks like a cell of its column (a number where numbers stand, a name where names stand).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import pyarrow.compute as pc

from sequester.errors import counted, verb_for

LINE_END = re.compile(r"[\r\n]")
LOOKED_AT = 2000
"""Rows whose cells are taken for usual."""
MOST_LINES = 1_000_000


class Swallowed:
    """Counts over the pieces of a table, of cells and of the lines in them that would be rows."""

    def __init__(self, names: list[str], delimiter: str) -> None:
        self.names, self.delimiter = names, delimiter
        self.cells, self.lines = 0, 0
        self._first: Any = None

    def look(self, piece: Any) -> None:
        """Look at rows that were read; most tables have no cell of several lines, which a search per column tells."""
        if len(self.names) < 2 or not piece.num_rows:
            return
        if self._first is None:  # a copy, so that the piece itself can go
            self._first = piece.select(self.names).take(list(range(min(LOOKED_AT, piece.num_rows))))
        for name in self.names:
            column = piece[name]
            for line_end in ("\n", "\r"):
                found = pc.match_substring(column, line_end)
                if pc.any(found).as_py():
                    self.add(column.filter(found).to_pylist())
                    break

    @cached_property
    def _usual(self) -> list[set[str]]:
        """Per column, what cells of one line look like."""
        if self._first is None:
            return [set() for _ in self.names]
        columns = (self._first[name].to_pylist() for name in self.names)
        return [{_shape(c) for c in cells if not LINE_END.search(c or "")} for cells in columns]

    def add(self, texts: Iterable[str]) -> None:
        """Cells, or rows that did not fit, which go over several lines."""
        width = len(self.names)
        for text in texts:
            # Its first line belongs to the row that it stands in.
            inside = [line.split(self.delimiter) for line in text.splitlines()[1 : MOST_LINES + 1]]
            rows = [cells for cells in inside if len(cells) == width]
            if any(all(_shape(c) in usual for c, usual in zip(row, self._usual)) for row in rows):
                self.cells += 1
                self.lines += len(rows)

    @property
    def note(self) -> str:
        """What to tell the custodian; nothing if there is nothing."""
        if not self.cells:
            return ""
        return (
            f"{counted(self.lines, 'line looks', 'lines look')} like {verb_for(self.lines, 'a row', 'rows')} but "
            f"{verb_for(self.lines, 'was', 'were')} read as part of {counted(self.cells, 'cell')}: a quotation mark "
            f"has no partner. Correct the file, or {verb_for(self.lines, 'that row is', 'those rows are')} lost"
        )


def _shape(cell: str | None) -> str:
    """What a cell looks like: runs of digits and of letters, and what stands between."""
    plain = (cell or "").strip().strip('"').strip()
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", plain))

"""The data dictionary: every table and column of a bundle in words."""

from __future__ import annotations

from typing import Any

from sequester.layouts.dictionary import meaning, says
from sequester.pages.page import Section, Table
from sequester.pages.words import count
from sequester.query.bundle import Bundle

TITLE = "What does each column mean?"
KINDS = (
    ("int", "whole number"), ("uint", "whole number"), ("double", "number"), ("float", "number"), ("string", "text"),
    ("timestamp", "date and time"), ("date", "date"), ("list", "list"), ("bool", "yes or no"),
)  # fmt: skip
MANY = 40


def dictionary_section(bundle: Bundle) -> Section:
    """One folded table of columns per released table; the first one is what most readers want."""
    more = []
    for name, table in bundle.tables.items():
        rows: list[tuple[Any, ...]] = [
            (c, _kind(str(table.schema.field(c).type)), meaning(bundle.manifest, bundle.layout, name, c))
            for c in table.column_names[:MANY]
        ]
        if len(table.column_names) > MANY:
            rows.append((f"and {len(table.column_names) - MANY:,} further columns of the same sort", "", ""))
        sentence = f"Table {name}: {count(table.num_rows, 'row')}, {count(len(table.column_names), 'column')}"
        more.append(
            Table(
                summary=sentence,
                columns=("Column", "Type", "Meaning"),
                rows=tuple(rows),
                says=says(bundle.layout, name),
            )
        )
    return Section(title=TITLE, says="Open a table to read what its columns hold.", more=tuple(more))


def _kind(text: str) -> str:
    return next((words for start, words in KINDS if text.startswith(start)), text)

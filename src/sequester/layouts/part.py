"""As much of large tables as fits into memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from sequester.errors import counted
from sequester.layouts.log import first_objects
from sequester.stored_tables import StoredTable


def first_parts(tables: Mapping[str, Any], objects: int, n_bytes: int) -> tuple[dict[str, pa.Table], str]:
    """Of every table on disk the first objects of a log, or the first rows within so many bytes; and that it is so.

    Objects of a log, and rows of people, are in random order.
    """
    some, what = {}, ""
    for name, table in tables.items():
        if not isinstance(table, StoredTable):
            continue
        if "object" in table.column_names:
            some[name], what = first_objects(table, objects), counted(objects, "object")
        else:
            some[name] = table.slice(0, max(1, min(objects, n_bytes // max(1, table.row_bytes))))
            what = what or counted(some[name].num_rows, "row")
    return some, f"figures of use are of the first {what} of the release, which are in random order"

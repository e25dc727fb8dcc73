"""What columns of a layout's tables must hold, looked at when a bundle is read: it may come from anybody.

What a method adds beside the tables of its layout is not listed and not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from sequester.errors import BundleError
from sequester.stored_tables import pieces_of

MANY = 2**53
"""Whole numbers beyond this are not exact as floating point numbers."""


class Rule(NamedTuple):
    """What one column holds."""

    sort: str
    """`whole`, `number`, `text`, `moment` or `codes`."""
    least: int = 0
    most: int = MANY
    gaps: bool = False
    """Whether cells may be empty."""


WHOLE, TEXT, NUMBER = Rule("whole"), Rule("text"), Rule("number", gaps=True)
TEXT_OR_NONE = Rule("text", gaps=True)
MEASURED = {"family": TEXT, "cell": Rule("whole", gaps=True), "value": NUMBER, "noise_sd": NUMBER}
SERIES = {
    "records": {
        "record": WHOLE, "group": WHOLE, "pattern": TEXT_OR_NONE, "level": Rule("whole", 0, 1000),
        ".+_(lo|hi)": NUMBER,
    },
    "columns": {"name": TEXT, "role": TEXT},
    "times": {"time": TEXT, "letter": Rule("whole", 0, 100_000, gaps=True)},
    "alphabet": {"value": NUMBER, "letter": TEXT},
    "withheld": {"column": TEXT, "records": WHOLE},
    "sequences": {"record": WHOLE, "sequence": TEXT},
}  # fmt: skip
SHAPES: Mapping[str, Mapping[str, Mapping[str, Rule]]] = {
    "boxes": SERIES, "drawn": SERIES, "letters": SERIES,
    "states": {
        "sequences": {"record": WHOLE, "cluster": WHOLE, "group": TEXT, "states": Rule("codes")},
        "states": {"code": Rule("whole", 0, 255), "name": TEXT},
        "calendar": {
            "start": Rule("moment"), "interval_seconds": Rule("whole", 1, 366 * 86_400),
            "intervals": Rule("whole", 1, 10**8),
        },
        "measurements": MEASURED,
    },
    "log": {
        "events": {"object": WHOLE, "time": Rule("moment", -MANY), "state": TEXT},
        "model": {"statistic": TEXT, "from": TEXT_OR_NONE, "to": TEXT_OR_NONE, "value": NUMBER},
        "codebook": {"state": TEXT},
        "measurements": MEASURED,
    },
    "grams": {"ngrams": {"order": Rule("whole", 0, 1000), "gram": TEXT, "count": Rule("number", -MANY)}},
    "documents": {
        "documents": {"document": TEXT, "text": TEXT_OR_NONE},
        "spans": {"document": TEXT, "start": WHOLE, "end": WHOLE},
        "owners": {"document": TEXT, "owner": WHOLE},
    },
}  # fmt: skip
"""Layout → table → column, or a pattern for its name → what it holds."""


def require_shape(layout: str, name: str, table: Any, bundle: str) -> None:
    """Refuse a table whose columns hold what nothing here could work with."""
    for pattern, rule in SHAPES.get(layout, {}).get(name, {}).items():
        for column in (c for c in table.column_names if c == pattern or re.fullmatch(pattern, c)):
            if not _fits(table.schema.field(column).type, rule.sort):
                _refuse(column, name, bundle, f"holds {table.schema.field(column).type}, which does not belong there")
            for piece in pieces_of(table.select([column])):
                _require_cells(piece[column], column, rule, name, bundle)


def _require_cells(cells: Any, column: str, rule: Rule, name: str, bundle: str) -> None:
    if cells.null_count and not rule.gaps:
        _refuse(column, name, bundle, f"has {cells.null_count} empty cells")
    if pa.types.is_integer(cells.type) and rule.sort != "codes" and len(cells) > cells.null_count:
        ends = pc.min_max(cells).as_py()
        if ends["min"] < rule.least or ends["max"] > rule.most:
            _refuse(column, name, bundle, f"holds numbers outside {rule.least} to {rule.most}")


def _fits(found: pa.DataType, sort: str) -> bool:
    if pa.types.is_dictionary(found):
        found = found.value_type
    if sort == "whole":
        return bool(pa.types.is_integer(found))
    if sort == "number":
        return bool(pa.types.is_integer(found) or pa.types.is_floating(found))
    if sort == "text":
        return bool(pa.types.is_string(found) or pa.types.is_large_string(found))
    if sort == "moment":
        return bool(pa.types.is_timestamp(found) or pa.types.is_date(found) or pa.types.is_integer(found))
    listed = pa.types.is_list(found) or pa.types.is_large_list(found) or pa.types.is_fixed_size_list(found)
    return bool(listed and pa.types.is_unsigned_integer(found.value_type))


def _refuse(column: str, table: str, bundle: str, what: str) -> None:
    raise BundleError(f"open: column '{column}' of table '{table}' of '{bundle}' {what}. Get an intact copy.")

"""Before and after, side by side: series inside their envelopes. Private by nature; a sample where there is much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sequester.layouts.boxes import Boxes
from sequester.model import Series
from sequester.release import Claim, Evidence

Rows = dict[str, list[dict[str, Any]]]

GROUPS, MEMBERS = 6, 40


def portrait(original: Series, claim: Claim) -> list[Evidence]:
    """The original series of the largest groups, to be drawn inside their envelopes."""
    rows = _rows(original, claim.tables, claim)
    found = {name: table for name, table in rows.items() if table}
    return [Evidence(about="portrait", saw_original=True, rows=found)] if found else []


def _rows(original: Series, tables: Mapping[str, Any], claim: Claim) -> Rows:
    """The original series of the largest groups, to be drawn inside their envelopes."""
    origin = claim.private.get("origin")
    records = tables.get("records")
    if origin is None or not {"record", "row"} <= set(origin.column_names):
        return {}
    if records is None or "group" not in records.column_names:
        return {}  # drawn rows show no groups
    row_of = dict(zip(origin["record"].to_pylist(), origin["row"].to_pylist(), strict=True))
    boxes = Boxes.read(tables)
    group_of = dict(zip(boxes.record.tolist(), boxes.group.tolist(), strict=True))
    out: list[dict[str, Any]] = []
    for group, _ in Counter(group_of.values()).most_common(GROUPS):
        members = [r for r, g in group_of.items() if g == group and r in row_of][:MEMBERS]
        for record in members:
            values = original.values[row_of[record] - 1]
            out.append({"group": group, "values": [None if v != v else float(v) for v in values]})
    return {"members": out}

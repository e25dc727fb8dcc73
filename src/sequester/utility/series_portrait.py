"""Before and after, side by side: series inside their envelopes. Private by nature; a sample where there is much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from sequester.layouts.boxes import Boxes
from sequester.layouts.series_view import look_at
from sequester.model import Series
from sequester.release import Claim, Evidence

Rows = dict[str, list[dict[str, Any]]]

GROUPS, MEMBERS = 6, 40


def portrait(original: Series, claim: Claim) -> list[Evidence]:
    """The original series of the largest groups, to be drawn inside their envelopes."""
    rows = {"changed": _changed(original, claim), **_rows(original, claim.tables, claim)}
    found = {name: table for name, table in rows.items() if table}
    return [Evidence(about="portrait", saw_original=True, rows=found)] if found else []


def _changed(original: Series, claim: Claim) -> list[dict[str, Any]]:
    """The distribution of values, original beside release: of ranges their middle, and how wide they are."""
    view = look_at(claim.tables, claim.parameters)
    mine = original.values[np.isfinite(original.values)]
    low, high = view.lo[np.isfinite(view.lo)], view.hi[np.isfinite(view.hi)]
    rows: list[dict[str, Any]] = [
        {"what": "records", "original": original.n_records, "release": len(view.record)},
        {"what": "times", "original": original.values.shape[1], "release": len(view.times)},
    ]
    if not len(mine) or len(low) != len(high) or not len(low):
        return rows
    middle = (low + high) / 2
    rows.append({"what": "value, mean (of a range: its middle)", "original": float(mine.mean()),
                 "release": float(middle.mean())})  # fmt: skip
    for q in (0.05, 0.25, 0.5, 0.75, 0.95):
        rows.append({"what": f"value, {100 * q:.0f} % of all are at most", "original": float(np.quantile(mine, q)),
                     "release": float(np.quantile(middle, q))})  # fmt: skip
    width = high - low
    rows.append({"what": "width of the range told for a value, mean", "original": 0.0, "release": float(width.mean())})
    return rows


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

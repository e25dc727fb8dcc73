"""How identifying is the original? Private evidence, before anything is published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sequester.errors import InputError
from sequester.lazy import load

if TYPE_CHECKING:
    from sequester.model import Data
    from sequester.release import Evidence

ASSESSORS: dict[str, str] = {
    "text": "sequester.risk.text:assess_text",
    "series": "sequester.risk.series:assess_series",
    "activity": "sequester.risk.activity:assess_activity",
    "events": "sequester.risk.events:assess_events",
    "symbols": "sequester.risk.symbols:assess_symbols",
}
"""Kind of data → `assess(data, **options) -> Evidence`."""


def assess(data: Data, **options: Any) -> Evidence:
    """Tell how identifying the original is."""
    if data.kind not in ASSESSORS:
        raise InputError(f"assess: nothing to say about {data.kind} data yet.")
    return load(ASSESSORS[data.kind])(data, **options)

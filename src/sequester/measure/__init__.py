"""How useful is what is left? Figures that compare a release with its original: private evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sequester.errors import InputError
from sequester.lazy import load

if TYPE_CHECKING:
    from sequester.model import Data
    from sequester.release import Claim, Evidence

MEASURES: dict[str, str] = {
    "text": "sequester.measure.text:measure_text",
    "series": "sequester.measure.series:measure_series",
    "activity": "sequester.measure.activity:measure_activity",
    "events": "sequester.measure.events:measure_events",
    "symbols": "sequester.measure.symbols:measure_symbols",
}
"""Kind of data → `measure(original, claim, **options) -> Evidence`."""


def measure(original: Data, claim: Claim, **options: Any) -> Evidence:
    """Compare a release with its original."""
    if original.kind not in MEASURES:
        raise InputError(f"measure: no measures for {original.kind} data.")
    return load(MEASURES[original.kind])(original, claim, **options)

"""How useful is what is left? Figures that compare a release with its original: private evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sequester.errors import InputError
from sequester.lazy import load

if TYPE_CHECKING:
    from sequester.model import Data
    from sequester.release import Claim, Evidence

MEASURES: dict[str, str] = {
    "text": "sequester.utility.text:measure_text",
    "series": "sequester.utility.series:measure_series",
    "activity": "sequester.utility.activity:measure_activity",
    "events": "sequester.utility.events:measure_events",
    "symbols": "sequester.utility.symbols:measure_symbols",
}
"""Kind of data → `measure(original, claim, **options) -> Evidence`."""


def measure(original: Data, claim: Claim, **options: Any) -> Evidence:
    """Compare a release with its original."""
    if original.kind not in MEASURES:
        raise InputError(f"measure: no measures for {original.kind} data.")
    return load(MEASURES[original.kind])(original, claim, **options)

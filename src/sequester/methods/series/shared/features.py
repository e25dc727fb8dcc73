"""What makes two series alike in shape: their normalised values, or numbers of your own.

A package of yours may register a function under the entry point group `sequester.features`: it takes records x times
and gives records x numbers. Subgroups are then formed of records whose numbers are correlated; what is published stays
the word of the subgroup's mean shape.
"""

from __future__ import annotations

from importlib.metadata import entry_points

import numpy as np

from sequester.errors import InputError, ParameterError, nearest
from sequester.primitives.sax import z_normalize

GROUP = "sequester.features"


def known_features() -> dict[str, object]:
    """Name → entry point."""
    return {point.name: point for point in entry_points(group=GROUP)}


def require_features(name: str) -> None:
    """Refuse a name nobody registered."""
    known = known_features()
    if name not in known:
        close = nearest(name, list(known))
        there = f"Did you mean '{close}'?" if close else f"Available: {', '.join(sorted(known)) or 'none'}."
        raise ParameterError(f"Kapra: no package registers features named '{name}' (entry point {GROUP}). {there}")


def shapes_by(name: str, values: np.ndarray) -> np.ndarray:
    """The numbers of that function, normalised row by row."""
    require_features(name)
    function = known_features()[name].load()  # type: ignore[attr-defined]
    found = np.asarray(function(np.array(values)), dtype=np.float64)
    if found.ndim != 2 or len(found) != len(values) or found.shape[1] < 2 or not np.isfinite(found).all():
        raise InputError(
            f"Kapra: the features '{name}' must give two or more finite numbers for each of {len(values)} records, "
            f"got an array of shape {found.shape}."
        )
    return z_normalize(found)

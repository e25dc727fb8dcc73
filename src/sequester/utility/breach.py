"""Breach probability: how often does someone who knows a person's series guess the sensitive value? (Definition 4)

The attacker narrows the release down to a possible set (rows whose envelope holds the known values, rows whose pattern
is the one the known series has, or both) and guesses one row of it at random. Assumptions: the whole series is known
exactly, and nothing else; the guess is blind, that is, sensitive values say nothing about which row of the possible set
is meant. Where they do (a sensitive value that follows from the series), the true risk is higher.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from sequester.layouts.boxes import Boxes
from sequester.layouts.series_view import View
from sequester.primitives import sax
from sequester.release import Claim


def breach(
    values: np.ndarray, rows: np.ndarray, view: View, claim: Claim, targets: np.ndarray
) -> dict[str, np.ndarray]:
    """Chance of a right guess per target (a place among the released rows) for value, pattern and unified attacks.

    `rows` gives, per released row, its place in `values`.
    """
    boxes = Boxes.read(claim)
    columns = [[None if v is None or v != v else v for v in c.tolist()] for c in boxes.sensitive.values()]
    sensitive = list(zip(*columns, strict=True)) if columns else []
    group = boxes.group
    first, which = np.unique(group, return_index=True, return_inverse=True)[1:]
    which = which.ravel()
    known = values[rows[targets]]
    by_shape = claim.guarantee.parameters.get("pattern_of") == "subgroup"
    possible = _nearest_shape(view, known) if by_shape else _same_word(boxes, claim, known)
    out: dict[str, list[float]] = {"value": [], "pattern": [], "unified": []}
    for i, target in enumerate(targets):
        holds = ((view.hard_lo[first] <= known[i]) & (view.hard_hi[first] >= known[i])).all(axis=1)
        in_envelope = np.flatnonzero(holds[which])
        alike = possible(i, None)
        unified = possible(i, in_envelope) if by_shape else alike[holds[which[alike]]]
        for name, found in (("value", in_envelope), ("pattern", alike), ("unified", unified)):
            right = sum(sensitive[r] == sensitive[target] for r in found) if sensitive else int(target in found)
            out[name].append(right / len(found) if len(found) else 0.0)
    return {name: np.array(chances) for name, chances in out.items()}


def _same_word(boxes: Boxes, claim: Claim, known: np.ndarray) -> Any:
    """Rows whose pattern equals the known series' word at the row's own level."""
    assert boxes.pattern is not None and boxes.level is not None
    z = sax.z_normalize(known, ddof=int(claim.parameters.get("std") == "sample"))
    columns = [j for j, t in enumerate(boxes.all_times) if t in boxes.letters_at]
    index: dict[tuple[int, str], list[int]] = defaultdict(list)
    for row, (word, level) in enumerate(zip(boxes.pattern.tolist(), boxes.level.tolist(), strict=True)):
        index[level, word].append(row)
    words = {level: sax.spell(sax.sax(z[:, columns], level)) for level in {level for level, _ in index}}

    def rows(i: int, _among: np.ndarray | None) -> np.ndarray:
        found = [index.get((level, words[level][i]), []) for level in words]
        return np.array([r for part in found for r in part], dtype=np.int64)

    return rows


def _nearest_shape(view: View, known: np.ndarray) -> Any:
    """Rows whose shape is the nearest to the known series: for patterns that are nobody's own word."""

    def rows(i: int, among: np.ndarray | None) -> np.ndarray:
        at = np.arange(len(view.shape)) if among is None else among
        distance = sax.pattern_loss(np.broadcast_to(known[i], (len(at), known.shape[1])), view.shape[at])
        return at[distance <= distance.min() + 1e-12] if len(at) else at

    return rows

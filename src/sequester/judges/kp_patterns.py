"""The judge of patterns: each is the word it is said to be, of the record or of its subgroup's mean shape."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

from sequester.errors import counted
from sequester.release import Check, Claim

SLACK = 1e-9


def true_words(
    rows: Any, values: np.ndarray, times: tuple[str, ...], claim: Claim, declared: Mapping[str, Any], origin: Any
) -> Check:
    """Compare every released pattern with the original values, in the order of the released rows."""
    z = _normal(values, 1 if claim.parameters.get("std") == "sample" else 0)
    if declared["pattern_of"] == "subgroup":
        if "subgroup" not in origin.column_names:
            return Check(name="true patterns", passed=False, detail="the custodian's map lacks the subgroups")
        of = dict(zip(origin.column("record").to_pylist(), origin.column("subgroup").to_pylist(), strict=True))
        which = np.unique([of[int(r)] for r in rows.record], return_inverse=True)[1]
        mean = np.zeros((which.max() + 1, z.shape[1]))
        np.add.at(mean, which, z)
        z = _normal(mean / np.bincount(which)[:, None], 0)[which]
    columns = list(range(z.shape[1]))
    names = claim.parameters.get("publish_patterns") or []
    if names:  # letters stand in the order of the original's times
        columns = [j for j, t in enumerate(times) if t in names]
    false = np.zeros(len(rows), dtype=bool)
    length = np.array([len(w) for w in rows.pattern])
    for level, letters in sorted(set(zip(rows.level.tolist(), length.tolist(), strict=True))):
        at = np.flatnonzero((rows.level == level) & (length == letters))
        if letters != len(columns):
            false[at] = True
            continue
        seen = z[at][:, columns]
        word = np.array([[ord(c) - ord("a") for c in w] for w in rows.pattern[at]])
        cuts = np.array([-np.inf, *[NormalDist().inv_cdf(j / level) for j in range(1, level)], np.inf])
        if word.max() >= level or word.min() < 0:
            false[at] = True
            continue
        false[at] = ((seen < cuts[word] - SLACK) | (seen > cuts[word + 1] + SLACK)).any(axis=1)
    if declared["pattern_of"] == "neighbour":
        if "borrowed" not in origin.column_names:
            return Check(
                name="true patterns", passed=False, detail="the custodian's map does not say what was borrowed"
            )
        lent = dict(zip(origin.column("record").to_pylist(), origin.column("borrowed").to_pylist(), strict=True))
        logged = np.array([bool(lent[int(r)]) for r in rows.record])
        detail = (
            f"{counted(int((false & ~logged).sum()), 'pattern is', 'patterns are')} false and not logged; "
            f"{int(logged.sum())} are borrowed"
        )
        return Check(name="true patterns", passed=not (false & ~logged).any(), detail=detail)
    whose = "their record's own" if declared["pattern_of"] == "record" else "their subgroup's mean shape"
    return Check(
        name="true patterns",
        passed=not false.any(),
        detail=f"{counted(int(false.sum()), 'pattern is', 'patterns are')} not {whose} word",
    )


def around_the_mean(rows: Any) -> Check:
    """From the release alone: a whole pattern shows a shape with mean 0, so no word is all above or all below 0."""
    odd = 0
    for word, level in zip(rows.pattern.tolist(), rows.level.tolist(), strict=True):
        letters = [ord(c) - ord("a") for c in word]
        middle = level // 2  # the letter of the value 0
        odd += level > 1 and not (min(letters) <= middle <= max(letters))
    return Check(
        name="patterns lie around their mean",
        passed=odd == 0,
        detail=f"{counted(odd, 'pattern lies', 'patterns lie')} all above or all below 0, as no shape does",
    )


def _normal(x: np.ndarray, ddof: int) -> np.ndarray:
    out = np.zeros_like(x)
    if x.shape[1] <= ddof:
        return out
    mean, deviation = x.mean(axis=1), x.std(axis=1, ddof=ddof)
    moves = deviation > 1e-12 * np.maximum(1.0, np.abs(mean))
    out[moves] = (x[moves] - mean[moves, None]) / deviation[moves, None]
    return out

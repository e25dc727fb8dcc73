"""What a promise allows for certain: a formula of its numbers, the same whatever the data.

Differential privacy bounds how well anybody can tell who took part, whatever they know. A promise of k bounds how well
somebody can *name a row*; about who took part it says nothing. A procedure as it was published bounds neither.

References
----------
Dong, Roth, Su 2022 (trade-off curves); Bun, Steinke 2016 (zero-concentrated differential privacy).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from sequester.dp.ledger import Ledger
from sequester.release import Guarantee

FALSE_ALARMS = 0.1
"""Of 100 strangers, how many the attacker may take for members where hits are counted."""
STEPS = 4000
"""Steps of the sum below the curve; it is taken from above, so it is never too small."""


def most_hits(false_alarms: np.ndarray, epsilon: float, delta: float) -> np.ndarray:
    """Largest share of members recognised that (epsilon, delta) allows at each rate of false alarms."""
    up = math.exp(min(epsilon, 700.0))
    bound = np.minimum(up * false_alarms + delta, 1 - (1 - delta - false_alarms) / up)
    return np.clip(bound, 0.0, 1.0)


def most_hits_by_rho(false_alarms: np.ndarray, rho: float, reserved: float = 0.0) -> np.ndarray:
    """The same by what a ledger in rho spent: the least over all deltas, each at its own epsilon.

    Every Rényi order gives an epsilon that holds, so a grid of orders is never too strict. `reserved` is the part of
    delta for mechanisms that can fail by themselves.
    """
    log_delta = np.linspace(math.log(1e-12), -1e-4, 400)
    order = 1 + np.exp(np.linspace(-12.0, 12.0, 600))[:, None]
    epsilon = (rho * order + np.log1p(-1 / order) - (np.log(order) + log_delta) / (order - 1)).min(axis=0)
    lines = [most_hits(false_alarms, max(0.0, e), d) for e, d in zip(epsilon, np.exp(log_delta), strict=True)]
    return np.minimum(np.min(lines, axis=0) + reserved, 1.0)


def hits_allowed(guarantee: Guarantee, ledger: Ledger | None, false_alarms: np.ndarray) -> np.ndarray | None:
    """The trade-off curve of a promise: the most members recognised at each rate of false alarms; None if unbounded.

    A promise for something smaller than a person (an event, a symbol) does not bound who took part.
    """
    if guarantee.status != "proved" or "epsilon" not in guarantee.parameters or guarantee.unit != "person":
        return None
    delta = float(guarantee.parameters.get("delta") or 0.0)
    curve = most_hits(false_alarms, float(guarantee.parameters["epsilon"]), delta)
    if ledger is not None and ledger.measure == "rho":
        curve = np.minimum(curve, most_hits_by_rho(false_alarms, ledger.total, ledger.delta_reserved))
    return curve


@dataclass(frozen=True, kw_only=True)
class Certain:
    """What the promise allows; None where it says nothing."""

    pairs: float | None = None
    """Shown one person who was in the data and one who was not: how often the right one can be picked."""
    hits: float | None = None
    """Share of members that can be recognised while a tenth of strangers raises a false alarm."""
    sure: float | None = None
    """How sure somebody can become that a person took part who began with one in ten."""
    one_in: int | None = None
    """Candidates that are left to somebody who looks for a row by what the release shows."""
    one_in_pattern: int | None = None
    """The same for somebody who knows the shape of a series too."""
    says: str = ""

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def certain(guarantee: Guarantee, ledger: Ledger | None = None) -> Certain:
    """What a promise allows, by its numbers alone: no data is looked at, so it may be shown to anybody.

    Parameters
    ----------
    guarantee
        The promise.
    ledger
        The budget of a differentially private method (`method.budget()`); what it spends is tighter than epsilon.
    """
    if guarantee.status == "proved":
        return _private(guarantee, ledger)
    if guarantee.status == "as-published":
        hint = _HINTS.get(guarantee.model, "")
        return Certain(says=f"No line can be drawn: what the paper claims does not bound an attacker.{hint}")
    k, p = guarantee.parameters.get("k"), guarantee.parameters.get("p")
    words = _COUNTED.get(guarantee.model, "What is published is shared by at least {k} {unit}: one in {k}.")
    unit = {"person": "people"}.get(guarantee.unit, f"{guarantee.unit}s")
    said = [words.format(k=k, unit=unit)] if k else []
    if p and p > 1:
        said.append(f"Someone who knows the shape too is left with {p}: one in {p}.")
    said.append("Who took part is not bounded.")
    return Certain(
        one_in=k if guarantee.model not in _WORDS else None, one_in_pattern=p if p and p > 1 else None,
        says=" ".join(said),
    )  # fmt: skip


_WORDS = ("public-words", "word-frequency")
"""Promises about single words: a sentence may fit one person alone, so nothing bounds who is found."""
_COUNTED = {
    "substring-k-anonymity": "One visible run fits at least {k} {unit}: one in {k}. That covers one run, not two: two "
    "runs together may fit one person alone.",
    "kp-anonymity": "Someone who knows all values of a person is left with at least {k} rows: one in {k}.",
    "ngram-k-people": "Every published pattern is shared by at least {k} people: one in {k}.",
    "ngram-k-anonymity": "Every published pattern occurs at least {k} times, perhaps all of them in one person.",
    "k-anonymous-sequences": "Every row stands there at least {k} times: one in {k}.",
    "public-words": "Every word that is not on the public list is used by at least {k} people. A sentence may fit one "
    "person alone.",
    "word-frequency": "Every visible word is used by at least {k} people. A sentence may fit one person alone.",
}
_HINTS = {
    "cluster-mixture": " Where rows are drawn, k is no dial of risk: larger groups do not hide people better. Equal "
    "rows (exact) or activity-dp are such dials."
}


def _private(guarantee: Guarantee, ledger: Ledger | None) -> Certain:
    if guarantee.unit != "person":
        return Certain(says=f"The promise protects each {guarantee.unit}. Who took part is not bounded.")
    spent = (ledger.measure, ledger.total, ledger.delta_reserved) if ledger else ("epsilon", 0.0, 0.0)
    epsilon, delta = float(guarantee.parameters["epsilon"]), float(guarantee.parameters.get("delta") or 0.0)
    pairs, hits = _areas(epsilon, delta, *spent)
    sure = 1 / (1 + 9 * math.exp(-min(epsilon, 700.0)))
    return Certain(
        pairs=pairs,
        hits=hits,
        sure=sure,
        says=f"Whatever somebody knows, they are right in at most {upward(pairs)} of 100 pairs. With 10 false alarms "
        f"in 100, at most {upward(hits)} of 100 members can be recognised.",
    )


@lru_cache(maxsize=256)
def _areas(epsilon: float, delta: float, measure: str, total: float, reserved: float) -> tuple[float, float]:
    at = np.linspace(0.0, 1.0, STEPS + 1)
    curve = most_hits(at, epsilon, delta)
    if measure == "rho":
        curve = np.minimum(curve, most_hits_by_rho(at, total, reserved))
    return float(min(1.0, curve[1:].mean())), float(np.interp(FALSE_ALARMS, at, curve))


def upward(share: float) -> int:
    """Of 100, rounded up: a bound that is shown is never too small."""
    return min(100, math.ceil(100 * share - 1e-9))

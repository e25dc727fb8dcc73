"""Judge of differential privacy: add the ledger up again, and look at what noise cannot explain.

A release cannot show that noise was added; the proof is the ledger. So the judge derives every entry's cost from
its sensitivity and noise scale, adds the costs, converts the sum with its own arithmetic, and compares it with the
promise. Every mechanism of the method must be there, with the sensitivity that follows from public numbers
(`dp_mechanisms`). Then it checks the shape of every published table: a table no rule knows is a failed check, because a
column nobody accounted for may carry anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from sequester.dp.ledger import Ledger, Spend
from sequester.errors import counted
from sequester.judges.dp_mechanisms import RULES, mechanism_checks
from sequester.lazy import load
from sequester.model import Data, EventLog
from sequester.release import Check, Claim, from_release

SHAPES: dict[str, str] = {
    "sequences": "sequester.judges.activity_tables:shape",
    "ngrams": "sequester.judges.ngram_tree:shape",
    "events": "sequester.judges.events:shape",
}
"""Name of a family's main table → `shape(claim) -> list[Check]`, which answers for all tables of the release."""

BESIDE: dict[str, str] = {"activity-dp": "sequester.judges.activity_dp:beside"}
"""Method → `beside(claim, source) -> list[Check]`: what its release must not have in common with the original."""

TOLERANCE = 1e-7
"""Relative rounding the judge forgives; a ledger off by a thousandth is caught."""


def judge(claim: Claim, source: Data | None) -> list[Check]:
    """Check an (epsilon, delta) promise from its ledger and the shape of its tables."""
    checks = from_release([*_ledger_checks(claim), *_shape_checks(claim), *_not_whole(claim)])
    if source is not None and claim.method_id in BESIDE and all(c.passed for c in checks):
        checks += load(BESIDE[claim.method_id])(claim, source)
    if isinstance(source, EventLog) and "events" in claim.tables and all(c.passed for c in checks):
        checks += load("sequester.judges.copied_traces:copies")(claim, source)
    return checks


def _ledger_checks(claim: Claim) -> list[Check]:
    ledger = claim.ledger
    if ledger is None:
        return [Check(name="ledger", passed=False, detail="the release has no ledger, so nothing can be added up")]
    try:
        promised = claim.guarantee.parameters
        epsilon, delta = float(promised["epsilon"]), float(promised["delta"])
    except (KeyError, TypeError, ValueError):
        return [Check(name="ledger", passed=False, detail="the promise states no epsilon and delta")]
    try:
        return [
            _well_formed(ledger),
            _same_promise(ledger, claim, epsilon, delta),
            *_costs(ledger),
            _sum(ledger),
            _conversion(ledger, epsilon, delta),
            _failures(ledger, delta),
            *mechanism_checks(claim),
        ]
    except (TypeError, ValueError, AttributeError, OverflowError, ZeroDivisionError):
        return [Check(name="ledger", passed=False, detail="the ledger holds an entry that is not a number")]


def _well_formed(ledger: Ledger) -> Check:
    kinds = {"rho": RHO_COST, "epsilon": EPSILON_COST}.get(ledger.measure, {})
    entries = ledger.entries
    names = {e.mechanism for e in entries}
    fine = bool(entries) and bool(kinds) and len(names) == len(entries)
    fine &= all(e.kind in kinds and math.isfinite(e.amount) and e.amount >= 0 and e.delta >= 0 for e in entries)
    return Check(
        name="ledger is complete",
        passed=fine,
        detail=f"{counted(len(entries), 'entry', 'entries')} under {counted(len(names), 'name')}, measured in "
        f"{ledger.measure}",
    )


def _same_promise(ledger: Ledger, claim: Claim, epsilon: float, delta: float) -> Check:
    same = ledger.unit == claim.guarantee.unit and ledger.epsilon == epsilon and ledger.delta == delta
    return Check(
        name="ledger and promise agree",
        passed=same,
        detail=f"unit {ledger.unit}, epsilon {ledger.epsilon:g}, delta {ledger.delta:g} in the ledger",
    )


def _gaussian_rho(e: Spend) -> float:
    return (e.sensitivity / e.scale) ** 2 / 2


def _laplace_epsilon(e: Spend) -> float:
    return e.sensitivity / e.scale


def _noisy_max_epsilon(e: Spend) -> float:
    return 2 * e.sensitivity / e.scale


RHO_COST: dict[str, Callable[[Spend], float]] = {
    "gaussian": _gaussian_rho,
    "threshold": _gaussian_rho,  # a noisy histogram of which only large cells are shown; its delta is counted apart
    "laplace": lambda e: _laplace_epsilon(e) ** 2 / 2,  # epsilon-DP implies (epsilon**2 / 2)-zCDP
    "noisy-max": lambda e: _noisy_max_epsilon(e) ** 2 / 8,  # the exponential mechanism's bounded range
}
EPSILON_COST: dict[str, Callable[[Spend], float]] = {
    "laplace": _laplace_epsilon,
    "threshold": _laplace_epsilon,
    "noisy-max": _noisy_max_epsilon,
}


def _true_cost(ledger: Ledger, entry: Spend) -> float:
    """What an entry costs by its own sensitivity and scale; infinite where that cannot be told."""
    rule = {"rho": RHO_COST, "epsilon": EPSILON_COST}.get(ledger.measure, {}).get(entry.kind)
    if rule is None or not (entry.scale > 0 and entry.sensitivity > 0):
        return math.inf
    if not (math.isfinite(entry.scale) and math.isfinite(entry.sensitivity)):
        return math.inf
    return rule(entry)


def _costs(ledger: Ledger) -> list[Check]:
    checks = []
    for e in ledger.entries:
        cost = _true_cost(ledger, e)
        checks.append(
            Check(
                name=f"noise pays for {e.mechanism}",
                passed=cost <= e.amount * (1 + TOLERANCE),
                detail=f"{e.kind}: sensitivity and scale cost {cost:.6g}, the ledger says {e.amount:.6g}",
            )
        )
    return checks


def _sum(ledger: Ledger) -> Check:
    spent = math.fsum(e.amount for e in ledger.entries)
    return Check(
        name="the entries add up",
        passed=spent <= ledger.total * (1 + TOLERANCE),
        detail=f"{spent:.6g} spent of {ledger.total:.6g} {ledger.measure}",
    )


def _conversion(ledger: Ledger, epsilon: float, delta: float) -> Check:
    # The larger of what was written and what the noise costs: neither may exceed the promise.
    spent = math.fsum(max(e.amount, _true_cost(ledger, e)) for e in ledger.entries)
    if ledger.measure == "rho":
        implied = epsilon_of_rho(spent, delta - ledger.delta_reserved)
    else:
        implied = spent
    return Check(
        name="the sum keeps the promise",
        passed=implied <= epsilon * (1 + TOLERANCE),
        detail=f"{spent:.6g} {ledger.measure} gives epsilon {implied:.6g}, promised {epsilon:g} at delta {delta:g}",
    )


def _failures(ledger: Ledger, delta: float) -> Check:
    spent = math.fsum(e.delta for e in ledger.entries)
    kept = ledger.delta_reserved
    fine = 0 <= kept <= delta and spent <= kept * (1 + TOLERANCE) and (ledger.measure == "epsilon" or kept < delta)
    return Check(
        name="failure probabilities add up",
        passed=fine,
        detail=f"{spent:.3g} spent by thresholds of {kept:.3g} reserved, {delta:.3g} promised in all",
    )


def epsilon_of_rho(rho: float, delta: float) -> float:
    """Smallest epsilon for rho-zCDP at `delta`, searched over Rényi orders; any order gives a valid bound."""
    if not (math.isfinite(rho) and 0 < delta < 1):
        return math.inf
    if rho <= 0:
        return 0.0

    def bound(order: float) -> float:
        return rho * order + (math.log1p(-1 / order) * (order - 1) - math.log(order) - math.log(delta)) / (order - 1)

    # Refine a grid of log(order - 1) around its best point: each round narrows it fiftyfold.
    centre, width = 5.0, 25.0
    best = math.inf
    for _ in range(8):
        steps = [centre + width * (i / 100 - 1) for i in range(201)]
        best, centre = min((bound(1 + math.exp(s)), s) for s in steps)
        width /= 50
    return max(0.0, best)


MEASURED_AT_LEAST = 20


def _not_whole(claim: Claim) -> list[Check]:
    """Noise is drawn on a fine grid: measurements that are all but all whole numbers were rounded, or have none."""
    table = claim.tables.get("measurements")
    if table is None or "value" not in table.column_names or not pa.types.is_floating(table.schema.field("value").type):
        return []
    values = [v for v in table.slice(0)["value"].to_pylist() if v is not None]
    whole = sum(float(v).is_integer() for v in values)
    return [
        Check(
            name="measurements carry noise below whole numbers",
            passed=len(values) < MEASURED_AT_LEAST or whole <= len(values) / 2,
            detail=f"{whole} of {counted(len(values), 'measurement')} are whole numbers",
        )
    ]


def _shape_checks(claim: Claim) -> list[Check]:
    if claim.method_id in RULES:
        return list(RULES[claim.method_id].shape(claim))
    known = [name for name in claim.tables if name in SHAPES]
    if not known:
        return [
            Check(
                name="tables are known",
                passed=False,
                detail=f"no rule tells how the tables {', '.join(claim.tables)} must look",
            )
        ]
    return [check for name in known for check in _shape(SHAPES[name], claim)]


def _shape(where: str, claim: Claim) -> list[Check]:
    rule: Any = load(where)
    return list(rule(claim))

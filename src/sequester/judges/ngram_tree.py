"""What the tables of a differentially private n-gram tree must look like: budgets along paths, counts that nest."""

from __future__ import annotations

import math

import pyarrow as pa

from sequester.judges.ngram_rows import Rows, read_rows
from sequester.judges.ngram_shares import shares_shape
from sequester.release import Check, Claim

ROUNDING = 1e-9


def shape(claim: Claim) -> list[Check]:
    """Checks of the tables `ngrams` and `budget` (and `synthetic`, if it is there)."""
    if "measurements" in claim.tables:
        return shares_shape(claim)
    rows, checks = read_rows(claim, others=("budget", "synthetic"))
    if not all(c.passed for c in checks):
        # an empty tree is a possible outcome of the noise: no rows, but the right columns
        if len(checks) < 3 or claim.tables["ngrams"].num_rows:
            return checks
        checks = checks[:2]
    budget = claim.tables.get("budget")
    if budget is None or budget.column_names != ["context", "epsilon"] or not _plain(budget):
        return [*checks, Check(name="columns of budget", passed=False, detail="context and epsilon were expected")]
    spent = dict(zip(budget["context"].to_pylist(), budget["epsilon"].to_pylist()))
    checks += [_positive(rows), _paths(claim, spent, budget.num_rows), _costliest(claim, spent), _nested(rows, spent)]
    if "synthetic" in claim.tables:
        checks.append(_synthetic(claim.tables["synthetic"], rows))
    return checks


def _plain(budget: pa.Table) -> bool:
    kinds = [f.type for f in budget.schema]
    return pa.types.is_string(kinds[0]) and pa.types.is_float64(kinds[1]) and not any(c.null_count for c in budget)


def _positive(rows: Rows) -> Check:
    odd = sum(c < 1 for grams in rows.values() for c in grams.values())
    return Check(name="counts are positive", passed=odd == 0, detail=f"{odd} counts below 1")


def _path(context: str, spent: dict[str, float]) -> float:
    """Budget spent from the root to a context; infinite if a step is missing."""
    symbols = context.split(" ") if context else []
    steps = [" ".join(symbols[:i]) for i in range(len(symbols) + 1)]
    return math.fsum(spent.get(step, math.inf) for step in steps)


def _paths(claim: Claim, spent: dict[str, float], n_rows: int) -> Check:
    epsilon = float(claim.guarantee.parameters.get("epsilon", 0.0))
    over = sum(not _path(c, spent) <= epsilon * (1 + ROUNDING) for c in spent)
    odd = sum(not (0 < e < math.inf) for e in spent.values())
    return Check(
        name="no path spends more than the budget",
        passed=over == 0 and odd == 0 and len(spent) == n_rows and "" in spent,
        detail=f"{len(spent)} contexts, {over} paths above epsilon {epsilon:g}, {odd} shares that are no budget",
    )


def _costliest(claim: Claim, spent: dict[str, float]) -> Check:
    most = max((_path(c, spent) for c in spent), default=math.inf)
    written = math.fsum(e.amount for e in claim.ledger.entries) if claim.ledger else 0.0
    return Check(
        name="the ledger holds the costliest path",
        passed=most <= written * (1 + ROUNDING),
        detail=f"the costliest path spends {most:.6g}, the ledger {written:.6g}",
    )


def _nested(rows: Rows, spent: dict[str, float]) -> Check:
    """Continuations were counted only where budget was spent, and add up to no more than their gram."""
    unpaid = above = 0
    sums: dict[str, int] = {}
    for order, grams in rows.items():
        for gram, count in grams.items():
            head = gram.rsplit(" ", 1)[0] if order > 1 else ""
            unpaid += head not in spent
            if order > 1:
                sums[head] = sums.get(head, 0) + count
    for head, total in sums.items():
        above += total > rows.get(len(head.split(" ")), {}).get(head, 0)
    return Check(
        name="continuations add up to their gram",
        passed=unpaid == 0 and above == 0,
        detail=f"{unpaid} counts nobody paid for, {above} grams below the sum of their continuations",
    )


def _synthetic(table: pa.Table, rows: Rows) -> Check:
    right = table.column_names == ["record", "symbols"]
    strange = -1
    if right:
        known = {gram.rsplit(" ", 1)[-1] for grams in rows.values() for gram in grams}
        strange = sum(x not in known for s in table["symbols"].to_pylist() for x in (s or "").split())
    return Check(
        name="synthetic series use published symbols",
        passed=right and strange == 0,
        detail=f"{table.num_rows} series, {strange} symbols that no published gram has" if right else "wrong columns",
    )

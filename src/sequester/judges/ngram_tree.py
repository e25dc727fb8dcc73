"""What the tables of a differentially private n-gram tree must look like: budgets along paths, counts that nest."""

from __future__ import annotations

import math

import pyarrow as pa

from sequester.errors import counted, verb_for
from sequester.judges.dp_mechanisms import order_of_path
from sequester.judges.ngram_rows import Rows, read_rows
from sequester.judges.ngram_shares import shares_shape
from sequester.judges.ngram_threshold import outnumbered, threshold_checks
from sequester.release import Check, Claim

ROUNDING = 1e-9


def shape(claim: Claim) -> list[Check]:
    """Checks of the tables `ngrams` and `budget` or `orders` (and `synthetic`, if it is there)."""
    if "measurements" in claim.tables:
        return shares_shape(claim)
    thresholded = claim.parameters.get("delta") is not None
    rows, checks = read_rows(claim, others=("orders" if thresholded else "budget", "synthetic"))
    if not all(c.passed for c in checks):
        # an empty tree is a possible outcome of the noise: no rows, but the right columns
        if len(checks) < 3 or claim.tables["ngrams"].num_rows:
            return checks
        checks = checks[:2]
    if thresholded and "orders" in claim.tables:
        return [*checks, *threshold_checks(claim, rows), *_series_asked(claim, rows)]
    budget = claim.tables.get("budget")
    if budget is None or budget.column_names != ["context", "epsilon"] or not _plain(budget):
        return [*checks, Check(name="columns of budget", passed=False, detail="context and epsilon were expected")]
    spent = dict(zip(budget["context"].to_pylist(), budget["epsilon"].to_pylist()))
    checks += [_positive(rows), _paths(claim, spent, budget.num_rows), _costliest(claim, spent), _nested(rows, spent)]
    checks += _series_asked(claim, rows)
    return checks


def _plain(budget: pa.Table) -> bool:
    kinds = [f.type for f in budget.schema]
    return pa.types.is_string(kinds[0]) and pa.types.is_float64(kinds[1]) and not any(c.null_count for c in budget)


def _positive(rows: Rows) -> Check:
    odd = sum(c < 1 for grams in rows.values() for c in grams.values())
    return Check(name="counts are positive", passed=odd == 0, detail=f"{counted(odd, 'count')} below 1")


def _steps(context: str, spent: dict[str, float]) -> list[float]:
    """Budget spent at every step from the root to a context; infinite where a step is missing."""
    symbols = context.split(" ") if context else []
    return [spent.get(" ".join(symbols[:i]), math.inf) for i in range(len(symbols) + 1)]


def _path(context: str, spent: dict[str, float]) -> float:
    return math.fsum(_steps(context, spent))


def _paths(claim: Claim, spent: dict[str, float], n_rows: int) -> Check:
    epsilon = float(claim.guarantee.parameters.get("epsilon", 0.0))
    over = sum(not _path(c, spent) <= epsilon * (1 + ROUNDING) for c in spent)
    odd = sum(not (0 < e < math.inf) for e in spent.values())
    return Check(
        name="no path spends more than the budget",
        passed=over == 0 and odd == 0 and len(spent) == n_rows and "" in spent,
        detail=f"{counted(len(spent), 'context')}, {counted(over, 'path')} above epsilon {epsilon:g}, "
        f"{counted(odd, 'share')} that {verb_for(odd, 'is', 'are')} no budget",
    )


def _costliest(claim: Claim, spent: dict[str, float]) -> Check:
    """Step by step: the ledger's orders are the shares along a path of the budget that none outspends."""
    most = max((_path(c, spent) for c in spent), default=math.inf)
    entries = claim.ledger.entries if claim.ledger else []
    orders = {order_of_path(i) for i in range(1, len(entries) + 1)}
    steps = [e.amount for e in entries if e.mechanism in orders]
    written = math.fsum(steps)
    shown = any(_same_steps(_steps(c, spent), steps) for c in spent)
    return Check(
        name="the ledger holds the costliest path",
        passed=most <= written * (1 + ROUNDING) and shown,
        detail=f"the costliest path spends {most:.6g}, the ledger's {counted(len(steps), 'order')} {written:.6g}, "
        f"{'as' if shown else 'but not as'} a path of the budget does step by step",
    )


def _same_steps(path: list[float], declared: list[float]) -> bool:
    return len(path) == len(declared) and all(
        math.isclose(a, b, rel_tol=1e-9) for a, b in zip(path, declared, strict=True)
    )


def _nested(rows: Rows, spent: dict[str, float]) -> Check:
    """Continuations were counted only where budget was spent, and add up to no more than their gram."""
    heads = (gram.rpartition(" ")[0] for grams in rows.values() for gram in grams)
    unpaid, above = sum(head not in spent for head in heads), outnumbered(rows)
    return Check(
        name="continuations add up to their gram",
        passed=unpaid == 0 and above == 0,
        detail=f"{counted(unpaid, 'count')} nobody paid for, {counted(above, 'gram')} below the sum of their "
        "continuations",
    )


def _series_asked(claim: Claim, rows: Rows) -> list[Check]:
    """As many synthetic series as were asked for, none longer than the cap, nothing in them but published symbols."""
    asked, longest = claim.parameters.get("sequences") or 0, claim.parameters.get("l_max")
    table = claim.tables.get("synthetic")
    name = "synthetic series are as asked for"
    if table is None:
        return [Check(name=name, passed=False, detail=f"{asked} were asked for, there are none")] if asked else []
    if table.column_names != ["record", "symbols"] or any(c.null_count for c in table):
        return [Check(name=name, passed=False, detail="record and symbols were expected, nothing missing")]
    series = [str(s).split() for s in table["symbols"].to_pylist()]
    numbered = table["record"].to_pylist() == list(range(1, len(series) + 1))
    known = {gram.rsplit(" ", 1)[-1] for grams in rows.values() for gram in grams} - {"&"}
    strange = sum(x not in known for s in series for x in s)
    long = sum(not isinstance(longest, int) or len(s) > longest for s in series)
    return [
        Check(
            name=name,
            passed=numbered and strange == 0 and long == 0 and len(series) == asked,
            detail=f"{len(series)} series, {asked} asked for, {long} longer than {counted(longest, 'symbol')}, "
            f"{counted(strange, 'symbol')} "
            f"that no published gram has{'' if numbered else ', records not numbered from 1'}",
        )
    ]

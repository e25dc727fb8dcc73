"""Judge of k-anonymous n-gram tables, and of the naive anomaly copy: counts looked at one by one."""

from __future__ import annotations

from collections import Counter

from sequester.errors import counted
from sequester.judges.ngram_rows import (
    Rows,
    as_symbols,
    count_anew,
    nested_check,
    opened,
    orders_check,
    smallest_check,
)
from sequester.model import Data, SymbolSeries
from sequester.release import Check, Claim, from_release


def judge(claim: Claim, source: Data | None) -> list[Check]:
    """Counts of at least k at every order; beside the original: nothing lowered, nothing new, nothing left out."""
    k, n, rows, checks = opened(claim)
    if not rows:
        return checks
    checks += [orders_check(rows, n), smallest_check(rows, k), nested_check(rows)]
    if claim.guarantee.parameters.get("exact"):
        checks.append(_strings(rows, n))
    checks = from_release(checks)
    if source is not None:
        original = as_symbols(source)
        checks += [original] if isinstance(original, Check) else _beside(claim, rows, original, n)
    return checks


def _strings(rows: Rows, n: int) -> Check:
    """All orders are those of one set of strings: where more enters or leaves a gram than it counts, none is.

    What a gram counts beyond its continuations are strings that end in it, and likewise at the front. At every order
    as many strings begin as end, and a longer order sees no more of them than a shorter one.
    """
    broken, seen = 0, 0
    for order in range(n - 1, 0, -1):
        into: Counter[str] = Counter()
        out: Counter[str] = Counter()
        for gram, count in rows.get(order + 1, {}).items():
            out[gram.rsplit(" ", 1)[0]] += count
            into[gram.split(" ", 1)[1]] += count
        here = rows.get(order, {})
        broken += sum(count < max(into[gram], out[gram]) for gram, count in here.items())
        starts, ends = sum(here.values()) - sum(into.values()), sum(here.values()) - sum(out.values())
        broken += (starts != ends) + (ends < seen)
        seen = ends
    return Check(
        name="all orders belong to the same strings",
        passed=broken == 0,
        detail=f"{broken} places where orders contradict each other",
    )


def _beside(claim: Claim, rows: Rows, source: SymbolSeries, n: int) -> list[Check]:
    missing = invented = lowered = grown = 0
    for order in range(1, n + 1):
        before, after = count_anew(source, order), rows.get(order, {})
        missing += len(before.keys() - after.keys())
        invented += len(after.keys() - before.keys())
        lowered += sum(after[g] < before[g] for g in after.keys() & before.keys())
        if order == n:
            grown = sum(after.values()) - sum(before.values())
    checks = [
        Check(
            name="same grams as the original",
            passed=not missing and not invented,
            detail=f"{missing} left out, {invented} invented",
        ),
        Check(name="no count below the original", passed=not lowered, detail=f"{counted(lowered, 'count')} lowered"),
    ]
    account = claim.private.get("account")
    if account is not None and "added" in account.column_names and account.num_rows == 1:
        logged = account["added"][0].as_py()
        checks.append(
            Check(
                name="growth is accounted for",
                passed=logged == grown,
                detail=f"order {n} grew by {grown}, the account says {logged}",
            )
        )
    return checks


def judge_copy(claim: Claim, source: Data | None) -> list[Check]:
    """A true gram table of some series; with the private note of what was copied, that the window's grams reach k."""
    k, n, rows, checks = opened(claim)
    if not rows:
        return checks
    checks = from_release([*checks, orders_check(rows, n), smallest_check(rows, 1), nested_check(rows)])
    copied = claim.private.get("copied")
    if copied is None or copied.num_rows != 1 or not {"window", "copies"} <= set(copied.column_names):
        return [*checks, *_beside_copy(rows, source, n)]
    window, copies = copied["window"][0].as_py().split(" "), copied["copies"][0].as_py()
    inner = [" ".join(window[i : i + m]) for m in range(1, n + 1) for i in range(len(window) - m + 1)]
    below = sum(rows[len(g.split(" "))].get(g, 0) < k for g in inner)
    checks.append(
        Check(
            name="the copied window's grams reach k",
            passed=below == 0,
            detail=f"{below} of {len(inner)} below {k} after {counted(copies, 'copy', 'copies')}",
        )
    )
    return [*checks, *_beside_copy(rows, source, n)]


def _beside_copy(rows: Rows, source: Data | None, n: int) -> list[Check]:
    if source is None:
        return []
    original = as_symbols(source)
    return [original] if isinstance(original, Check) else [_only_added(rows, original, n)]


def _only_added(rows: Rows, source: SymbolSeries, n: int) -> Check:
    lowered = sum(rows[m].get(g, 0) < c for m in range(1, n + 1) for g, c in count_anew(source, m).items())
    return Check(name="no count below the original", passed=not lowered, detail=f"{counted(lowered, 'count')} lowered")

"""Judge of n-grams shared by k people.

From the table alone: every count reaches k and the lower orders are exactly what order n implies, so that no
difference between orders can tell more than order n does. Beside the original: order n holds the grams of at least k
people, all of them, with their (capped) counts.
"""

from __future__ import annotations

from collections import Counter

from sequester.judges.ngram_rows import (
    Rows,
    as_symbols,
    nested_check,
    number,
    opened,
    orders_check,
    people_anew,
    smallest_check,
)
from sequester.model import Data, SymbolSeries
from sequester.release import Check, Claim


def judge(claim: Claim, source: Data | None) -> list[Check]:
    """Recompute the lower orders; beside the original recount the people."""
    k, n, rows, checks = opened(claim)
    if not rows:
        return checks
    checks += [orders_check(rows, n), smallest_check(rows, k), _derived(rows, n), nested_check(rows)]
    if source is None:
        detail = f"{len(rows.get(n, {}))} {n}-grams whose people only the original can tell"
        return [*checks, Check(name="people behind every gram", passed=False, undecided=True, detail=detail)]
    original = as_symbols(source)
    return [*checks, *([original] if isinstance(original, Check) else _beside(claim, rows, original, k, n))]


def _derived(rows: Rows, n: int) -> Check:
    wrong = 0
    above = rows.get(n, {})
    for order in range(n - 1, 0, -1):
        ahead: Counter[str] = Counter()
        behind: Counter[str] = Counter()
        for gram, count in above.items():
            ahead[gram.rsplit(" ", 1)[0]] += count
            behind[gram.split(" ", 1)[1]] += count
        expected = {g: max(ahead[g], behind[g]) for g in ahead.keys() | behind.keys()}
        published = rows.get(order, {})
        wrong += sum(expected.get(g) != published.get(g) for g in expected.keys() | published.keys())
        above = expected
    return Check(
        name="lower orders follow from the highest",
        passed=wrong == 0,
        detail=f"{wrong} counts of orders 1..{n - 1} differ from what order {n} implies",
    )


def _beside(claim: Claim, rows: Rows, source: SymbolSeries, k: int, n: int) -> list[Check]:
    if not source.people_known:
        detail = "the promise counts people, and the original does not say whose each series is: pass --person"
        return [Check(name="people of the original", passed=False, detail=detail)]
    cap = number(claim, "cap")
    people = people_anew(source, n, cap)
    shared = {g: count for g, (owners, count) in people.items() if owners >= k}
    published = rows.get(n, {})
    too_few = len(published.keys() - shared.keys())
    left_out = len(shared.keys() - published.keys())
    wrong = sum(published[g] != shared[g] for g in shared.keys() & published.keys())
    return [
        Check(
            name="every gram is shared by k people",
            passed=too_few == 0,
            detail=f"{too_few} of {len(published)} published {n}-grams occur in the series of fewer than {k} people",
        ),
        Check(
            name="every shared gram is published",
            passed=left_out == 0,
            detail=f"{left_out} {n}-grams of at least {k} people left out",
        ),
        Check(
            name="counts are the original's",
            passed=wrong == 0,
            detail=f"{wrong} counts differ from the original's{f', at most {cap} per person' if cap else ''}",
        ),
    ]

"""Judge of n-grams shared by k people.

From the table alone: every count reaches k and the lower orders are exactly what order n implies, so that no
difference between orders can tell more than order n does. Beside the original: order n holds the grams of at least k
people, all of them, with their (capped) counts.
"""

from __future__ import annotations

from sequester.errors import counted, verb_for
from sequester.judges.ngram_rows import (
    Rows,
    as_symbols,
    flows,
    nested_check,
    number,
    opened,
    orders_check,
    people_anew,
    smallest_check,
)
from sequester.model import Data, SymbolSeries
from sequester.release import Check, Claim, from_release


def judge(claim: Claim, source: Data | None) -> list[Check]:
    """Recompute the lower orders; beside the original recount the people."""
    k, n, rows, checks = opened(claim, others=("balance",))
    if not rows:
        return checks
    checks += [orders_check(rows, n), smallest_check(rows, k), _derived(rows, n), nested_check(rows)]
    checks = from_release([*checks, _in_balance(rows, n), _stated(claim, rows, n)])
    if source is None:
        detail = f"{len(rows.get(n, {}))} {n}-grams whose people only the original can tell"
        return [*checks, Check(name="people behind every gram", passed=False, undecided=True, detail=detail)]
    original = as_symbols(source)
    return [*checks, *([original] if isinstance(original, Check) else _beside(claim, rows, original, k, n))]


def _derived(rows: Rows, n: int) -> Check:
    wrong = 0
    above = rows.get(n, {})
    for order in range(n - 1, 0, -1):
        ahead, behind = flows(above)
        expected = {g: max(ahead[g], behind[g]) for g in ahead.keys() | behind.keys()}
        published = rows.get(order, {})
        wrong += sum(expected.get(g) != published.get(g) for g in expected.keys() | published.keys())
        above = expected
    return Check(
        name="lower orders follow from the highest",
        passed=wrong == 0,
        detail=f"{counted(wrong, 'count')} of orders 1..{n - 1} differ from what order {n} implies",
    )


def _in_balance(rows: Rows, n: int) -> Check:
    out, into = flows(rows.get(n, {}))
    odd = sum(into[h] != out[h] for h in into.keys() | out.keys())
    return Check(
        name="as much enters every context as leaves it",
        passed=odd == 0,
        detail=f"{odd} of {counted(len(into.keys() | out.keys()), 'context')} {verb_for(odd, 'is', 'are')} out of "
        "balance",
    )


def _stated(claim: Claim, rows: Rows, n: int) -> Check:
    """The public table that says how much was moved."""
    table = claim.tables.get("balance")
    fine = table is not None and table.column_names == ["moved", "occurrences"] and table.num_rows == 1
    if fine and table is not None:
        moved, occurrences = table["moved"][0].as_py(), table["occurrences"][0].as_py()
        fine = isinstance(moved, int) and moved >= 0 and occurrences == sum(rows.get(n, {}).values())
    detail = (
        "moved and occurrences, which are those of the table" if fine else "the table 'balance' is not as it must be"
    )
    return Check(name="the balance is stated", passed=fine, detail=detail)


def _closed(grams: set[str]) -> set[str]:
    """The grams on a closed walk: those whose beginning can be reached again from their end."""
    after: dict[str, list[str]] = {}
    for gram in grams:
        after.setdefault(gram.rsplit(" ", 1)[0], []).append(gram.split(" ", 1)[1])

    def order(edges: dict[str, list[str]], roots: list[str]) -> list[list[str]]:
        """Depth first, without recursion: per root that was not seen before, what it reaches, children first."""
        seen: set[str] = set()
        out = []
        for root in roots:
            if root in seen:
                continue
            seen.add(root)
            stack, done = [(root, iter(edges.get(root, ())))], []
            while stack:
                node, left = stack[-1]
                child = next((c for c in left if c not in seen), None)
                if child is None:
                    stack.pop()
                    done.append(node)
                else:
                    seen.add(child)
                    stack.append((child, iter(edges.get(child, ()))))
            out.append(done)
        return out

    # Kosaraju: walk the reversed graph in the reverse order of finishing.
    back: dict[str, list[str]] = {}
    for node, children in after.items():
        for child in children:
            back.setdefault(child, []).append(node)
    finished = [node for part in order(after, sorted(after)) for node in part]
    part_of = {node: i for i, part in enumerate(order(back, finished[::-1])) for node in part}
    return {g for g in grams if part_of[g.rsplit(" ", 1)[0]] == part_of[g.split(" ", 1)[1]]}


def _beside(claim: Claim, rows: Rows, source: SymbolSeries, k: int, n: int) -> list[Check]:
    if not source.people_known:
        detail = (
            "the promise counts people, and the original does not say whose each series is: name its column of people"
        )
        return [Check(name="people of the original", passed=False, detail=detail)]
    cap, boundary = number(claim, "cap"), claim.guarantee.parameters.get("boundary")
    people = people_anew(source, n, cap, None if boundary is None else str(boundary))
    shared = {g: count for g, (owners, count) in people.items() if owners >= k}
    published = rows.get(n, {})
    closed = _closed(set(shared)) if n > 1 else set(shared)
    left_out, extra = len(closed - published.keys()), len(published.keys() - closed)
    table = claim.tables.get("balance")
    known = table is not None and "moved" in table.column_names and table.num_rows == 1
    stated = table["moved"][0].as_py() if table is not None and known else None
    moved = sum(abs(published[g] - shared[g]) for g in shared.keys() & published.keys())
    return [
        _all_shared(published, shared, k, n),
        Check(
            name="every shared gram on a closed walk is published",
            passed=left_out == 0 and extra == 0,
            detail=f"{left_out} left out, {extra} that lie on no closed walk",
        ),
        Check(
            name="what was moved is what is stated",
            passed=moved == stated,
            detail=f"{moved} occurrences were added or taken away, the release states {stated}",
        ),
    ]


def _all_shared(published: dict[str, int], shared: dict[str, int], k: int, n: int) -> Check:
    too_few = len(published.keys() - shared.keys())
    return Check(
        name="every gram is shared by k people",
        passed=too_few == 0,
        detail=f"{too_few} of {len(published)} published {n}-grams occur in the series of fewer than "
        f"{counted(k, 'person', 'people')}",
    )

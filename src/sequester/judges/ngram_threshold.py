"""What counts above a threshold must look like: candidates, noise and thresholds follow from what is published."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import pyarrow as pa

from sequester.errors import counted
from sequester.judges.ngram_rows import Rows, flows
from sequester.release import Check, Claim

COLUMNS = ["order", "candidates", "noise", "threshold", "invented"]
UNITS = 1 << 20
EXPECTED = 0.5
"""Grams that nobody has, expected in the whole table at most."""
END = "&"
CLOSE = 1e-9


def threshold_checks(claim: Claim, rows: Rows) -> list[Check]:
    """Checks of the table `orders` and of the grams it explains."""
    table = claim.tables["orders"]
    kinds = [field.type for field in table.schema]
    whole = [pa.types.is_integer(kind) for kind in kinds]
    if table.column_names != COLUMNS or any(c.null_count for c in table) or whole != [True, True, False, False, False]:
        detail = f"{', '.join(COLUMNS)} were expected, numbers, nothing missing"
        return [Check(name="columns of orders", passed=False, detail=detail)]
    longest = int(claim.parameters["n_max"])
    orders: list[dict[str, Any]] = table.to_pylist()
    if [row["order"] for row in orders] != list(range(1, longest + 1)) or max(rows, default=0) > longest:
        detail = f"orders 1 to {longest} were expected"
        return [Check(name="columns of orders", passed=False, detail=detail)]
    return [
        _every_gram_a_candidate(rows, orders),
        _thresholds(claim, orders, longest),
        _above(rows, orders),
        _nested(rows),
    ]


def _every_gram_a_candidate(rows: Rows, orders: list[dict[str, Any]]) -> Check:
    """Only what both ends were published of was counted, and so many candidates there were."""
    strange = miscounted = 0
    for row in orders:
        here = rows.get(row["order"], {})
        if row["order"] == 1:
            miscounted += row["candidates"] < len(here)
            strange += END in here
            continue
        possible = _candidates(rows, row["order"] - 1)
        strange += sum(gram not in possible for gram in here)
        miscounted += row["candidates"] != len(possible)
    return Check(
        name="grams are candidates",
        passed=not strange and not miscounted,
        detail=f"{counted(strange, 'gram')} whose ends are not published, {counted(miscounted, 'order')} with another "
        "number of candidates",
    )


def _candidates(rows: Rows, below: int) -> set[str]:
    shorter = [gram.split(" ") for gram in rows.get(below, {})]
    if below == 1:
        last = [gram[0] for gram in shorter] + [END]
        return {f"{gram[0]} {x}" for gram in shorter for x in last} if shorter else set()
    known = set(map(tuple, shorter))
    firsts = {gram[:-1] for gram in known}
    ends = {gram[-1] for gram in known}
    return {
        " ".join((*gram, x)) for gram in known if gram[-1] != END and gram[1:] in firsts
        for x in ends if (*gram[1:], x) in known
    }  # fmt: skip


def _thresholds(claim: Claim, orders: list[dict[str, Any]], longest: int) -> Check:
    """Noise is the ledger's, and thresholds let as few grams of nobody through as was said."""
    scale = {e.mechanism: e.scale / UNITS for e in claim.ledger.entries} if claim.ledger else {}
    wrong = 0
    for row in orders:
        candidates, noise = row["candidates"], row["noise"]
        rate = min(0.5, EXPECTED / (longest * max(1, candidates)))
        least = max(0.5, noise * NormalDist().inv_cdf(1 - rate))
        same = math.isclose(noise, scale.get(f"counts of order {row['order']}", 0.0), rel_tol=CLOSE)
        same &= math.isclose(row["threshold"], least, rel_tol=CLOSE)
        same &= math.isclose(row["invented"], EXPECTED / longest if candidates else 0.0, rel_tol=CLOSE)
        wrong += not same
    return Check(
        name="thresholds follow from the noise",
        passed=not wrong,
        detail=f"{counted(wrong, 'order')} with another noise, threshold or expected number of invented grams; "
        f"{EXPECTED:g} are expected in the whole table, at most",
    )


def _above(rows: Rows, orders: list[dict[str, Any]]) -> Check:
    low = sum(count + 0.5 < row["threshold"] for row in orders for count in rows.get(row["order"], {}).values())
    low += sum(count < 1 for grams in rows.values() for count in grams.values())
    return Check(name="counts exceed their threshold", passed=not low, detail=f"{counted(low, 'count')} below it")


def outnumbered(rows: Rows) -> int:
    """Grams whose continuations together count more than they do."""
    above = 0
    for order in range(2, max(rows, default=1) + 1):
        shorter = rows.get(order - 1, {})
        above += sum(total > shorter.get(gram, 0) for gram, total in flows(rows.get(order, {}))[0].items())
    return above


def _nested(rows: Rows) -> Check:
    above = outnumbered(rows)
    return Check(
        name="continuations add up to their gram",
        passed=not above,
        detail=f"{counted(above, 'gram')} below the sum of their continuations",
    )

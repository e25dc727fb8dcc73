"""What a noisy table of shares of time must look like: all cells measured, and tables that agree with each other."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.judges.ngram_rows import Rows, flows, read_rows
from sequester.release import Check, Claim

MILLION = 1_000_000


def shares_shape(claim: Claim) -> list[Check]:
    """The tables `ngrams` and `measurements` of a release by shares of time."""
    rows, checks = read_rows(claim, others=("measurements", *(["transcript"] if claim.federation else [])))
    if not all(c.passed for c in checks):
        return checks
    checks += [_cells(claim, rows), _margins(rows, claim), _in_balance(rows), _whole(rows)]
    return [*checks, _follows(claim, rows)] if all(c.passed for c in checks) else checks


def _cells(claim: Claim, rows: Rows) -> Check:
    """Every gram of the measured order has a cell, and the order follows from what is public."""
    table = claim.tables["measurements"]
    fine = table.column_names == ["gram", "value"] and not any(c.null_count for c in table)
    if not (fine and pa.types.is_string(table["gram"].type) and pa.types.is_integer(table["value"].type)):
        detail = "gram and value were expected, texts and whole numbers, nothing missing"
        return Check(name="measured cells", passed=False, detail=detail)
    grams = [tuple(g.split(" ")) for g in table["gram"].to_pylist()]
    orders = {len(g) for g in grams}
    symbols = {s for g in grams for s in g}
    order = max(orders, default=0)
    all_there = len(orders) == 1 and len(set(grams)) == len(grams) == len(symbols) ** order
    strange = sum(s not in symbols for g in rows.get(1, {}) for s in g.split(" "))
    parameters = claim.parameters
    people, epsilon, longest = parameters.get("people_at_least"), parameters.get("epsilon"), parameters.get("n_max")
    wanted = 0
    while (
        isinstance(people, int)
        and isinstance(epsilon, (int, float))
        and isinstance(longest, int)
        and wanted < longest
        and len(symbols) ** (wanted + 1) <= people * epsilon / 2
    ):
        wanted += 1
    return Check(
        name="measured cells",
        passed=all_there and strange == 0 and order == max(1, wanted),
        detail=f"{counted(len(grams), 'cell')} of order {order} over {counted(len(symbols), 'symbol')}, order "
        f"{max(1, wanted)} was to be "
        f"measured, {counted(strange, 'symbol')} without a cell",
    )


def _follows(claim: Claim, rows: Rows) -> Check:
    """The table is what the measurements give: the nearest law in which as much enters a context as leaves it."""
    name = "the table follows from the measurements"
    table = claim.tables["measurements"]
    grams = table["gram"].to_pylist()
    order = len(grams[0].split(" "))
    cells = np.array(table["value"].to_pylist(), dtype=float)
    symbols = sorted({s for g in grams for s in g.split(" ")}, key=[g.split(" ")[-1] for g in grams].index)
    at = {g: i for i, g in enumerate(map(" ".join, itertools.product(symbols, repeat=order)))}
    measured = np.zeros(len(at))
    measured[[at[g] for g in grams]] = cells
    entries = claim.ledger.entries if claim.ledger else []
    about = claim.federation
    wide = math.sqrt(about["sites"]) if about and not about["trusted_combiner"] else 1.0  # each site adds all of it
    noise = wide * (entries[0].scale if entries else 0.0) * math.sqrt(2 * len(cells)) / MILLION
    people, total = float(claim.parameters["people_at_least"]), float(cells.sum()) / MILLION
    law = _nearest_law(measured / (MILLION * max(1e-6, people if total < people + 2 * noise else total)))
    law = _balanced_law(law, order, len(symbols))
    top = rows.get(max(rows), {})
    shown = np.zeros(len(at))
    for gram, count in top.items():  # longer grams than measured follow by a chain: their beginnings are compared
        shown[at[" ".join(gram.split(" ")[:order])]] += count
    if max(rows) < order:
        law = law.reshape(len(symbols) ** max(rows), -1).sum(axis=1)
        shown = np.array([top.get(" ".join(g), 0) for g in itertools.product(symbols, repeat=max(rows))], dtype=float)
    apart = float(np.abs(shown / MILLION - law).sum())
    loose = 4 * len(top) / MILLION + 1e-3  # rounding to millionths and its repair
    return Check(
        name=name, passed=apart <= loose, detail=f"{apart:.3g} of the whole lies elsewhere, at most {loose:.3g} may"
    )


def _nearest_law(v: np.ndarray) -> np.ndarray:
    """No share below 0, all together 1: lower all shares by the same amount, found by halving."""
    low, high = float(v.min()) - 1.0, float(v.max())
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(v - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(v - high, 0.0)


def _balanced_law(v: np.ndarray, order: int, p: int) -> np.ndarray:
    """By turns the nearest balanced table and the nearest law, as the method's page says."""
    if order == 1:
        return v
    n = p ** (order - 1)
    grams = np.arange(n * p)
    flow = np.zeros((n, n * p))  # contexts × grams: what a gram brings into a context, less what it takes out
    flow[grams % n, grams] += 1.0
    flow[grams // p, grams] -= 1.0
    back = np.linalg.pinv(flow)
    for _ in range(200):
        surplus = flow @ v
        if np.abs(surplus).max() < 1e-12:
            break
        v = _nearest_law(v - back @ surplus)
    return v


def _margins(rows: Rows, claim: Claim) -> Check:
    longest = claim.parameters.get("n_max")
    wrong = 0 if set(rows) == set(range(1, int(longest or 0) + 1)) else 1
    for order in range(1, max(rows)):
        sums, here = flows(rows.get(order + 1, {}))[0], rows.get(order, {})
        wrong += sum(sums[g] != here.get(g, 0) for g in sums.keys() | here.keys())
    return Check(
        name="shorter grams are sums of longer ones",
        passed=wrong == 0,
        detail=f"{counted(wrong, 'count')} of orders 1..{max(rows) - 1} are not",
    )


def _in_balance(rows: Rows) -> Check:
    out, into = flows(rows[max(rows)])
    odd = sum(into[h] != out[h] for h in into.keys() | out.keys())
    return Check(
        name="as much enters a context as leaves it",
        passed=odd == 0,
        detail=f"{counted(odd, 'context is', 'contexts are')} not so",
    )


def _whole(rows: Rows) -> Check:
    total, odd = sum(rows[1].values()), sum(c < 1 for grams in rows.values() for c in grams.values())
    near = abs(total - MILLION) <= sum(len(g) for g in rows.values())
    return Check(
        name="shares add up to one",
        passed=near and odd == 0,
        detail=f"{total} of {MILLION} millionths, {counted(odd, 'count')} below 1",
    )

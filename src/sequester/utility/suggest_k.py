"""Which k? The curve of loss against k for an n-gram table, and a suggestion with its reasons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sequester.errors import InputError, counted
from sequester.layouts.grams import END, Grams
from sequester.methods.ngrams.shared.kernels.ngram_flow import balanced, lift_by_flow, with_boundary
from sequester.methods.ngrams.shared.kernels.ngram_lift import lift
from sequester.model import SymbolSeries
from sequester.primitives.ngrams import count_owned, count_tables, derive_lower, unpack
from sequester.release import Claim, Evidence, Figure
from sequester.utility.symbols import Counts, compare, predict, true_tables

STEPS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
TOLERANCE = 0.10
"""Share of the probability that may move before a table stops describing its source."""


def suggest_k(
    data: SymbolSeries,
    n: int = 3,
    ks: Sequence[int] = STEPS,
    *,
    unit: str | None = None,
    mode: str = "flow",
    tolerance: float = TOLERANCE,
) -> Evidence:
    """Loss at every k, and the largest k whose n-grams keep all but `tolerance` of their probability in place.

    A larger k protects more, so among the tables that still describe the source the one with the largest k is
    suggested. The curve is computed on the original: it belongs in the custodian's report.

    Without a `unit`, people are counted where the source tells them, as `ngram-k` does. `mode` is how it lifts.
    """
    unit = unit or ("person" if data.people_known else "occurrence")
    wanted = sorted({int(k) for k in ks})
    if not wanted or wanted[0] < 2:
        raise InputError(
            f"suggest-k: every k must be a whole number of at least 2, got {counted(len(wanted), 'value')} to try."
        )
    if unit not in ("occurrence", "person"):
        raise InputError(f"suggest-k: unit must be occurrence or person, got {unit!r}.")
    if unit == "person" and not data.people_known:
        raise InputError(
            "suggest-k: ‹unit=person› needs to know whose series each is, and the source does not say. Pass "
            "‹person=› (a column, or 'each'), or ‹unit=occurrence›."
        )
    if data.n_records == 0 or int(np.diff(data.offsets).max()) < n:
        raise InputError(f"suggest-k: no series has the {counted(n, 'symbol')} of one {n}-gram. Lower n or add data.")
    rows = _person_rows(data, n, wanted, mode) if unit == "person" else _occurrence_rows(data, n, wanted, mode)
    good = [r for r in rows if r["total_variation"] <= tolerance]
    chosen = good[-1] if good else rows[0]
    figures = [
        Figure(name="suggested k", value=chosen["k"], says=_reason(rows, chosen, n, tolerance, unit, bool(good))),
        Figure(
            name="probability moved at it",
            value=chosen["total_variation"],
            better="lower",
            says=f"Total variation of order {n}.",
        ),
        Figure(
            name="next symbol right at it",
            value=chosen["accuracy"],
            better="higher",
            says=f"The original table predicts {100 * chosen['accuracy_before']:.1f} %.",
        ),
        Figure(name="knee of the curve", value=_knee(rows), says="Where loss begins to grow more slowly than log k."),
    ]
    return Evidence(
        about="suggest-k",
        saw_original=True,
        summary=_reason(rows, chosen, n, tolerance, unit, bool(good)),
        figures=tuple(figures),
        rows={"loss against k": rows},
    )


def _occurrence_rows(data: SymbolSeries, n: int, ks: list[int], mode: str) -> list[dict[str, Any]]:
    before = count_tables(data.symbols, data.offsets, n, len(data.alphabet))
    truth = true_tables(data, n)
    keys = {m: list(truth[m]) for m in truth}  # lifting keeps the grams and their order
    rows = []
    for k in ks:
        done = lift_by_flow(before, k) if mode == "flow" else lift(before, k)
        after: dict[int, Mapping[tuple[int, ...], float]] = {
            t.order: dict(zip(keys[t.order], t.counts.tolist())) for t in done.tables
        }
        rows.append({"k": k, "rare": done.n_rare, **_losses(truth, after, n, len(data.alphabet))})
    return rows


def _person_rows(data: SymbolSeries, n: int, ks: list[int], mode: str) -> list[dict[str, Any]]:
    owners = np.unique(data.persons.astype(str), return_inverse=True)[1]
    boundary = len(data.alphabet)
    series = with_boundary(data.symbols, data.offsets, n, boundary)
    found = count_owned(*series, owners, n, boundary + 1)
    truth = true_tables(data, n)
    rows = []
    for k in ks:
        kept = found.owners >= k
        top = found.grams._replace(codes=found.grams.codes[kept], counts=found.grams.counts[kept])
        if mode == "flow":
            top = balanced(top, k, boundary).grams
        after: dict[int, Counts] = {}
        for t in derive_lower(top):
            grams = unpack(t.codes, t.order, t.bits)
            plain = (grams != boundary).all(axis=1)
            after[t.order] = dict(zip(map(tuple, grams[plain].tolist()), t.counts[plain].tolist()))
        rows.append({"k": k, "rare": len(kept) - len(top.codes), **_losses(truth, after, n, len(data.alphabet))})
    return rows


def _losses(truth: dict[int, Counts], after: dict[int, Counts], n: int, n_symbols: int) -> dict[str, float]:
    loss = compare(truth[n], after[n], n_symbols, n)
    old, new = predict(truth, truth, n), predict(after, truth, n)
    return {
        "apil_percent": 100 * loss["apil"],
        "aeil_percent": 100 * loss["aeil"],
        "total_variation": loss["total_variation"],
        "accuracy_before": old["accuracy"],
        "accuracy": new["accuracy"],
        "perplexity_before": old["perplexity"],
        "perplexity": new["perplexity"],
    }


def _reason(rows: list[dict[str, Any]], chosen: dict[str, Any], n: int, tolerance: float, unit: str, met: bool) -> str:
    moved = f"{100 * chosen['total_variation']:.1f} %"
    doing = "suppresses" if unit == "person" else "lifts"
    what = f"k={chosen['k']} {doing} {chosen['rare']} of the {n}-grams and moves {moved} of their probability"
    if not met:
        return (
            f"No k tried keeps the loss within {100 * tolerance:.0f} %: {what}. "
            "Take more data, fewer symbols or a lower n, or accept the loss."
        )
    larger = [r for r in rows if r["k"] > chosen["k"]]
    if not larger:
        return f"{what}, within the {100 * tolerance:.0f} % allowed; larger k was not tried."
    after = larger[0]
    return (
        f"{what}, within the {100 * tolerance:.0f} % allowed; "
        f"k={after['k']} would move {100 * after['total_variation']:.1f} %."
    )


def _knee(rows: list[dict[str, Any]]) -> int | None:
    """The k farthest above the chord of the curve over log k; None if the loss never bends."""
    if len(rows) < 3 or rows[-1]["total_variation"] <= rows[0]["total_variation"]:
        return None
    x = np.array([math.log(r["k"]) for r in rows])
    y = np.array([r["total_variation"] for r in rows])
    above = (y - y[0]) / (y[-1] - y[0]) - (x - x[0]) / (x[-1] - x[0])
    return rows[int(above.argmax())]["k"] if above.max() > 1e-9 else None


SYMBOLS = 1_000_000
"""Longer series are not counted again for every k."""


def _changed(original: SymbolSeries, claim: Claim) -> list[dict[str, Any]]:
    """Patterns per order and the most frequent ones, original beside release."""
    if not Grams.there(claim) or len(original.symbols) > SYMBOLS:
        return []
    released = Grams.read(claim)
    if not released.longest:
        return []
    true = true_tables(original, released.longest)
    plain = np.array([END not in word.split(" ") for word in released.words])
    rows: list[dict[str, Any]] = []
    for order in sorted(int(o) for o in set(released.orders.tolist())):
        here, mine = true.get(order, {}), (released.orders == order) & plain
        rows.append({"what": f"different patterns of {order}", "original": len(here), "release": int(mine.sum())})
        rows.append({"what": f"occurrences of patterns of {order}", "original": int(sum(here.values())),
                     "release": int(released.counts[mine].sum())})  # fmt: skip
    top, counted = true.get(released.longest, {}), released.counted
    for gram in sorted(top, key=lambda g: (-top[g], g))[:5]:
        name = " ".join(original.alphabet[code] for code in gram)
        rows.append({"what": f"count of {name}", "original": int(top[gram]), "release": counted.get(name)})
    return rows


def portrait(original: SymbolSeries, claim: Claim) -> list[Evidence]:
    """What changed in the table, and what another k would cost."""
    parameters = claim.parameters
    changed = _changed(original, claim)
    out = [Evidence(about="portrait", saw_original=True, rows={"changed": changed})] if changed else []
    if "k" not in parameters or "n" not in parameters or len(original.symbols) > SYMBOLS:
        return out
    unit = "person" if claim.guarantee.unit == "person" else "occurrence"
    mode = str(parameters.get("mode", "repaired"))
    return [
        *out,
        suggest_k(original, int(parameters["n"]), sorted({*STEPS, int(parameters["k"])}), unit=unit, mode=mode),
    ]

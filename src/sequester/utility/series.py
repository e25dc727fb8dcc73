"""What is left of released series: value loss, pattern loss, breach probability and the accuracy of queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.errors import InputError, counted
from sequester.layouts.series_view import View, look_at
from sequester.methods.series.shared.panel import fill_along_time
from sequester.model import Series
from sequester.primitives.sax import pattern_loss
from sequester.release import Claim, Evidence, Figure
from sequester.utility import series_queries as ask
from sequester.utility.breach import breach


def measure_series(
    original: Series,
    claim: Claim,
    *,
    n_queries: int = 200,
    n_targets: int = 200,
    nearness: float = 0.03,
    seed: int = 0,
) -> Evidence:
    """Compare a release of series with its original.

    Parameters
    ----------
    n_queries
        Random queries of each kind.
    n_targets
        Random people whose breach probability is taken.
    nearness
        Similarity queries ask for patterns within 1 to 10 times this distance. The paper takes the release's own mean
        pattern loss, which makes the questions easier the more was lost; a fixed distance compares releases.
    seed
        Of the random queries; the same seed asks the same questions of every release.
    """
    view = look_at(claim.tables, claim.parameters)
    values = (
        fill_along_time(original.values, int(claim.parameters.get("gap", 2)))
        if claim.parameters.get("missing") == "fill"
        else original.values
    )
    part = np.flatnonzero(~np.isnan(values).any(axis=1))
    if len(view.times) != values.shape[1] and "sequences" not in claim.tables:
        raise InputError(
            f"measure: the release has {counted(len(view.times), 'time')}, the original {values.shape[1]}. "
            "Is it the right original?"
        )
    figures = [
        Figure(name="records released", value=len(view.record)),
        Figure(
            name="records suppressed",
            value=len(original.values) - len(view.record),
            better="lower",
            says="left out because values were missing or fewer than p share a pattern with it",
        ),
    ]
    if view.exact:
        figures += _value_loss(view, claim)
    matched = _matched(original, claim, part)
    if matched is None:
        summary = "Without the custodian's map only losses of value can be told."
        return Evidence(about="measure", saw_original=True, figures=tuple(figures), summary=summary)
    if view.shape.shape[1] < values.shape[1]:  # every released sequence ends early: the rest has no shape
        view = _widened(view, values.shape[1])
    together = ask.Compared(np.ascontiguousarray(values[part]), view, matched)
    losses = pattern_loss(together.values[matched], view.shape)
    figures += [
        Figure(name="pattern loss", value=float(losses.sum()), better="lower", says="1 - correlation, summed"),
        Figure(
            name="pattern loss per record",
            value=float(losses.mean()),
            better="lower",
            says="1 - correlation of a record with its released pattern: 0 same shape, 1 unrelated",
        ),
    ]
    rows: dict[str, list[dict[str, Any]]] = {}
    comparable = view.exact or "alphabet" not in claim.tables or bool(original.letters)
    if n_queries > 0:
        found, rows = _queries(together, n_queries, nearness, seed, comparable)
        figures += found
    if n_targets > 0 and "records" in claim.tables and "pattern" in claim.tables["records"].column_names:
        figures += _breaches(together, claim, n_targets, seed)
    fields = {f.name: f.value for f in figures}
    loss = fields.get("value loss per record")
    start = f"Mean value loss {loss:.4g}, m" if isinstance(loss, float) else "M"
    summary = f"{start}ean pattern loss {float(losses.mean()):.4g} per record."
    return Evidence(about="measure", saw_original=True, figures=tuple(figures), rows=rows, summary=summary)


def _value_loss(view: View, claim: Claim) -> list[Figure]:
    said = "root mean squared width of its envelope"
    if "times" in claim.tables:
        said += ", unpublished ranges as estimated from letters"
    loss = np.sqrt(((view.hi - view.lo) ** 2).mean(axis=1))
    return [
        Figure(name="value loss", value=float(loss.sum()), better="lower", says=f"summed over records: {said}"),
        Figure(name="value loss per record", value=float(loss.mean()), better="lower", says=said),
    ]


def _matched(original: Series, claim: Claim, part: np.ndarray) -> np.ndarray | None:
    """Per released row its place among the original rows that took part, from the custodian's map."""
    origin = claim.private.get("origin")
    if origin is None:
        return None
    table = claim.tables["records" if "records" in claim.tables else "sequences"]
    row_of = dict(zip(origin.column("record").to_pylist(), origin.column("row").to_pylist(), strict=True))
    place = np.full(len(original.values) + 1, -1, dtype=np.int64)
    place[part + 1] = np.arange(len(part))
    rows = np.array([row_of.get(r, 0) for r in table.column("record").to_pylist()], dtype=np.int64)
    if len(rows) and (rows.min() < 1 or rows.max() > len(original.values) or place[rows].min() < 0):
        raise InputError("measure: the custodian's map does not fit this original. Is it the right one?")
    return place[rows]


def _widened(view: View, width: int) -> View:
    missing = width - view.shape.shape[1]
    empty = np.full((len(view.record), missing), np.nan)
    names = view.times + tuple(f"p{j + 1}" for j in range(len(view.times), width))
    lo, hi = np.hstack([view.lo, empty]), np.hstack([view.hi, empty])
    return View(view.record, names, lo, hi, lo, hi, np.hstack([view.shape, np.zeros_like(empty)]), view.exact)


def _queries(
    c: ask.Compared, n: int, nearness: float, seed: int, ranges_too: bool
) -> tuple[list[Figure], dict[str, list[dict[str, Any]]]]:
    similar = ask.similarity_queries(c, n, nearness, np.random.default_rng([seed, 1]))
    shapes = ask.pattern_range_queries(c, n, np.random.default_rng([seed, 2]))
    figures = []
    for name, rows in (("similar patterns", similar), ("pattern ranges", shapes)):
        empty = sum(r["said"] == 0 for r in rows) / max(1, len(rows))
        figures += [
            Figure(name=f"{name}: precision", value=ask.mean_of(rows, "precision"), better="higher",
                   says="share of the rows found that are right, over queries that found any"),
            Figure(name=f"{name}: recall", value=ask.mean_of(rows, "recall"), better="higher",
                   says="share of the right rows found"),
            Figure(name=f"{name}: empty answers", value=empty, better="lower", says="queries that found nothing"),
        ]  # fmt: skip
    kept = {"similar patterns": similar, "pattern ranges": shapes}
    if ranges_too:
        counts = ask.range_queries(c, n, np.random.default_rng([seed, 3]))
        both = ask.complex_queries(c, n, nearness, np.random.default_rng([seed, 4]))
        for name, rows in (("range counts", counts), ("range and pattern counts", both)):
            figures.append(
                Figure(name=f"{name}: relative error", value=ask.mean_of(rows, "relative_error"), better="lower",
                       says="|true - estimate| / true, over queries with a true count above 0")
            )  # fmt: skip
        if c.view.exact:
            sure = [r["at_least"] <= r["true"] <= r["at_most"] for r in counts]
            says = "share of range counts whose sure bounds hold the truth (suppressed records are not in the release)"
            figures.append(
                Figure(name="range counts: bounds hold", value=float(np.mean(sure)), better="higher", says=says)
            )
        kept |= {"range counts": counts, "range and pattern counts": both}
    return figures, kept


def _breaches(c: ask.Compared, claim: Claim, n_targets: int, seed: int) -> list[Figure]:
    rng = np.random.default_rng([seed, 5])
    n = len(c.row)
    targets = np.sort(rng.choice(n, min(n, n_targets), replace=False))
    chances = breach(c.values, c.row, c.view, claim, targets)
    says = "chance that a blind guess among the rows that fit what is known names the right sensitive value"
    out = []
    for name, chance in chances.items():
        out.append(
            Figure(name=f"breach, {name} known", value=float(chance.mean()), better="lower", says=f"{says}; mean")
        )
        out.append(Figure(name=f"worst breach, {name} known", value=float(chance.max()), better="lower", says=says))
    return out

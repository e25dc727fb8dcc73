"""N-gram tables: the frequent grams, how counts fall, and what k costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sequester.layouts.grams import Grams
from sequester.pages.charts import bars, lines
from sequester.pages.page import Section
from sequester.pages.pictures import reading_of, rows_named
from sequester.query.bundle import Bundle

TOP = 15
POINTS = 60


def public(bundle: Bundle) -> list[Section]:
    """The released table in two pictures."""
    if not Grams.there(bundle) or not bundle.tables["ngrams"].num_rows:
        return []
    released = Grams.read(bundle)
    orders, counts, longest = released.orders, released.counts, released.longest
    mine = np.flatnonzero(orders == longest)
    first = mine[np.argsort(-counts[mine], kind="stable")[:TOP]]
    top = [{"gram": released.words[int(i)], "count": counts[i].item()} for i in first]
    falling = []
    for order in np.unique(orders):
        fall = np.sort(counts[(orders == order) & (counts > 0)])[::-1]  # a log axis has no place for 0
        if not len(fall):
            continue
        for at in sorted({round((len(fall) - 1) * (i / POINTS) ** 2) for i in range(POINTS + 1)}):
            falling.append({"rank": at + 1, "count": fall[at].item(), "order": f"order {order}"})
    least = counts.min().item()
    return [
        Section(
            title=f"Which {longest} symbols in a row are most frequent?",
            says=f"The {len(top)} most frequent of {len(mine):,} released grams.",
            svg=bars(top, "gram", "count", value_title="count"),
            alt=f"Bar chart; the most frequent gram is {top[0]['gram']} with {top[0]['count']:,}.",
        ),
        Section(
            title="How rare is the rarest gram in the table?",
            says=f"Counts in falling order. The smallest released count is {least:,}.",
            svg=lines(
                falling, "rank", "count", x_title="rank (log scale)", y_title="count (log scale)",
                series="order", log_x=True, log_y=True,
            ),
            alt=f"Falling curves of counts per order, down to {least:,}.",
        ),
    ]  # fmt: skip


def board(bundle: Bundle) -> dict[str, str]:
    """Answers for a board, from the release alone."""
    read = reading_of(bundle)
    rate = read.get("samples per second")
    proved = bundle.guarantee.status == "proved"
    return {
        "people": "The table tells no number of people.",
        "period": f"Not part of the table; the source has {rate} samples per second." if rate else
        "Not part of the table.",
        "changed": "Dropped: the order of patterns in a trace, and who has them. "
        + (f"Invented: noise in every count, and {_invented(bundle)}." if proved else
           "Dropped too: patterns of fewer people than promised; their count was moved to other patterns."),
        "valid": "How often patterns of symbols occur, and which symbol follows which. Not: anything about one trace.",
    }  # fmt: skip


def _invented(bundle: Bundle) -> str:
    """How many patterns nobody has, as far as the release may tell."""
    if "orders" not in bundle.tables:
        return "patterns that nobody has; only the custodian's notes count them"
    expected = sum(bundle.tables["orders"]["invented"].to_pylist())
    return f"patterns that nobody has, {expected:.2g} expected in the whole table at most"


def custodian(bundle: Bundle, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """The loss curve over k and the loss per order."""
    out = []
    curve = rows_named(evidence, "loss against k", has=("k", "total_variation"))
    if curve:
        chosen = bundle.parameters.get("k")
        out.append(
            Section(
                title="What does a larger k cost?",
                says="Total-variation distance between the original table and the released one (0 equal, 1 disjoint).",
                svg=lines(
                    curve, "k", "total_variation", x_title="k", y_title="share of all probability that moved",
                    rules=[(chosen, f"chosen: {chosen}")] if isinstance(chosen, int) else (),
                ),
                alt=f"Loss curves over k from {curve[0]['k']} to {curve[-1]['k']}.",
            )
        )  # fmt: skip
    papers = [c for c in ("apil_percent", "aeil_percent") if curve and c in curve[0]]
    if papers:
        long = [{"k": r["k"], "loss": r[c], "which": NAMES[c]} for r in curve for c in papers]
        out.append(
            Section(
                title="What does a larger k cost, as the paper counts it?",
                says="Means over all grams there could be, most of which never occur: compare within one order only.",
                svg=lines(long, "k", "loss", x_title="k", y_title="percent", series="which"),
                after="Loss of the table against k, computed on the original. APIL is the mean change of a pattern's "
                "probability; AEIL is the mean change of its entropy term; 0 means that nothing changed.",
                alt=f"The paper's two losses over k from {curve[0]['k']} to {curve[-1]['k']}.",
            )
        )
    orders = rows_named(evidence, "loss by order", has=("order", "total_variation"))
    if orders:
        out.append(
            Section(
                title="At which order does the table lose most?",
                says="Total-variation distance between the original table and the released one (0 equal, 1 disjoint).",
                svg=bars(
                    [{"order": f"order {r['order']}", "distance": r["total_variation"]} for r in orders],
                    "order",
                    "distance",
                    value_title="total-variation distance",
                ),
                alt=f"Bar chart of the distance for {len(orders)} orders.",
            )
        )
    return out


NAMES = {
    "apil_percent": "mean change of a gram's probability, % (APIL)",
    "aeil_percent": "mean change of a gram's entropy term, % (AEIL)",
}

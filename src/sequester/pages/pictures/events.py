"""Event logs: which step follows which, how long histories are, and at what time things happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sequester.layouts.log import OTHER, Log, objects_in
from sequester.pages.charts import columns, lines
from sequester.pages.graph import follows
from sequester.pages.in_figures import other_share
from sequester.pages.page import Section
from sequester.pages.pictures import has_columns, rows_named
from sequester.pages.words import count
from sequester.query.bundle import Bundle

RELEASED = "Which step follows which in the release?"
ROUGH, NOT_VALID = 0.2, 0.5
"""Likely errors of durations, over their mean, from which they are called rough and not valid."""
FEW = 100
"""Histories below which `markov-ratio` makes most durations up, because little passes its test."""
STATES = 9
EDGES = 18
EVENTS = 500_000
"""A larger log is drawn from its first objects, which are in random order."""


def public(bundle: Bundle) -> list[Section]:
    """The released log."""
    if not has_columns(bundle, "events", "object", "time", "state"):
        return []
    log = Log.read(bundle, events=EVENTS)
    states = [s for trace in log.traces for s in trace]
    pairs = Counter(step for trace in log.traces for step in pairwise(trace))
    lengths = Counter(log.lengths.tolist())
    out = []
    drawn = _largest({edge: n / max(1, sum(pairs.values())) * 100 for edge, n in pairs.items()})
    if drawn:
        out.append(
            Section(
                title=RELEASED,
                says=f"{_other(log)} ".lstrip()
                + f"The most frequent states and steps of {sum(lengths.values()):,} released histories; a number is "
                "the percentage of all steps.",
                svg=follows([("Released log", drawn)]),
                alt=_alt(drawn),
            )
        )
    out.append(
        Section(
            title="How many events have the released histories, and how long do they last?",
            says=f"{count(len(states), 'event')} of {count(sum(lengths.values()), 'object')}. "
            + _durations(bundle, log),
            svg=columns(_binned(lengths), "events", "objects", x_title="events in a history", y_title="histories"),
            alt=f"Bar chart of numbers of events in a history, from {min(lengths)} to {max(lengths)}.",
        )
    )
    return out


def _other(log: Log) -> str:
    """How much of the log has no name of its own: what a reader must know first."""
    share = other_share(log)
    return f"{share:.0%} of the events are {OTHER}: states too rare to be named." if share >= 0.005 else ""


def _durations(bundle: Bundle, log: Log) -> str:
    """Mean and median time from first to last event, and how far noise alone puts them off, from the release alone."""
    if log.unit == "order" or not len(log.times):
        return ""
    days = (log.times[log.offsets[1:] - 1] - log.times[log.offsets[:-1]]) / 86400
    said = f"From first to last event: mean {days.mean():,.4g} days, median {np.median(days):,.4g}"
    model = bundle.tables.get("model")
    found = dict(zip(model["statistic"].to_pylist(), model["value"].to_pylist())) if model is not None else {}
    noise = found.get("duration noise")
    if noise is None and bundle.guarantee.status != "proved" and log.n_objects < FEW:
        return "Durations are not valid: so few histories tell little of how long they last."
    if noise is None:
        return f"{said}."
    if noise > NOT_VALID:
        return "Durations are not valid: noise and what it hides may make them wrong by more than half of their mean."
    rough = "; take them as rough" if noise > ROUGH else ""
    return f"{said}; likely off by about {noise:.0%} of the mean{rough}."


DRAWN = "Dates are fictitious: each was drawn. Hours and weekdays follow the original as a whole."
RECORDED = "The days on which histories begin are those of the original; every later date is fictitious."


def board(bundle: Bundle) -> dict[str, str]:
    """Answers for a board, from the release alone."""
    if not has_columns(bundle, "events", "object", "time", "state"):
        return {}
    table = bundle.tables["events"]
    objects = objects_in(table)
    proved = bundle.guarantee.status == "proved"
    dates = bundle.parameters.get("dates")
    span = str(dates).replace("..", " to ") if dates else _span(table)
    drawn = RECORDED if bundle.parameters.get("starts") == "recorded" else DRAWN
    period = f"{span}{', as declared' if dates else ''}. {drawn}" if span else "Only the order of events is published."
    return {
        "people": f"{count(objects, 'released history', 'released histories')}"
        + (", a noisy number." if proved and "model" in bundle.tables else "."),
        "period": period,
        "changed": "Invented: every history was drawn from statistics of all people; one can equal a person's by "
        "chance. "
        + (
            "Dropped: states that few people have (they are called OTHER), and links to other data. "
            if proved
            else "Dropped: states and steps that few records have, and links to other data. "
        )
        + _other(Log.read(bundle, events=EVENTS)),
        "valid": "Frequencies of states and steps, numbers of events and times of day, as totals over many people. "
        "Not: rare courses, one person's history, or survival from exact dates.",
    }


def _span(table: Any) -> str:
    if pa.types.is_integer(table.schema.field("time").type):
        return ""
    ends = [pc.min_max(batch[0]).as_py() for batch in table.select(["time"]).to_batches() if len(batch)]
    first, last = min(end["min"] for end in ends), max(end["max"] for end in ends)
    return f"{str(first)[:10]} to {str(last)[:10]}, from the released times"


def custodian(bundle: Bundle, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Directly-follows graphs before and after."""
    rows = rows_named(evidence, "directly_follows", has=("from", "to", "before", "after"))
    out = []
    if rows:
        both = {(str(r["from"]), str(r["to"])): max(r["before"], r["after"]) for r in rows}
        kept = set(_largest(both))
        graphs = []
        for when, heading in (("before", "Original"), ("after", "Release")):
            total = sum(r[when] for r in rows) or 1
            edges = {(str(r["from"]), str(r["to"])): 100 * r[when] / total for r in rows}
            graphs.append((heading, {e: w for e, w in edges.items() if e in kept and w > 0}))
        out.append(
            Section(
                title="Does the release keep the order of things?",
                says="The same steps in the original and in the release; a number is the percentage of all steps.",
                svg=follows(graphs),
                alt=f"Two graphs. Original: {_alt(graphs[0][1])} Release: {_alt(graphs[1][1])}",
                replaces=RELEASED,
            )
        )
    hours = rows_named(evidence, "hours", has=("hour", "before", "after"))
    if hours:
        long = [{"hour": r["hour"], "share": r[w], "when": w} for w in WHEN for r in hours]
        out.append(
            Section(
                title="Does the release keep the time of day?",
                says="Share of events by hour, before and after.",
                svg=lines(long, "hour", "share", x_title="hour of the day", y_title="share of events", series="when",
                          percent=True),
                alt="Two curves of the share of events by hour, before and after.",
            )
        )  # fmt: skip
    return out


WHEN = ("before", "after")


def _largest(edges: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    weight: Counter[str] = Counter()
    for (a, b), w in edges.items():
        weight[a] += w  # type: ignore[assignment]
        weight[b] += w  # type: ignore[assignment]
    states = {s for s, _ in sorted(weight.items(), key=lambda item: (-item[1], item[0]))[:STATES]}
    inside = [(e, w) for e, w in edges.items() if e[0] in states and e[1] in states]
    return dict(sorted(inside, key=lambda item: (-item[1], item[0]))[:EDGES])


def _binned(lengths: Counter[int]) -> list[dict[str, float]]:
    longest = max(lengths)
    width = max(1, -(-longest // 30))
    bins: Counter[int] = Counter()
    for length, n in lengths.items():
        bins[(length - 1) // width] += n
    return [{"events": b * width + (width + 1) / 2, "objects": n} for b, n in sorted(bins.items())]


def _alt(edges: Mapping[tuple[str, str], float]) -> str:
    steps = sorted(edges.items(), key=lambda item: -item[1])[:5]
    names = ", ".join(f"“{a} → {b}” {w:.0f} %" for (a, b), w in steps)
    return f"Graph of steps; the most frequent are {names}."

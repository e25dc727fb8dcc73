"""The steps of `markov-dp` that look at times: gaps, clock, and the tables of the time model."""

from __future__ import annotations

import math

import numpy as np

from sequester.dp.gate import LARGEST_CLIP
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.markov_dp.noisy_queries import NoisyQueries
from sequester.methods.events.markov_dp.people import People
from sequester.methods.events.markov_dp.pieces import MOMENTS_CLIP, Frame, Question, start_clip, weekdays_from
from sequester.methods.events.markov_dp.tables import TABLES, shape_of
from sequester.methods.events.shared.spans import CLASSES


def measure_gaps(
    out: Measured,
    desk: NoisyQueries,
    people: People,
    frame: Frame,
    norms: np.ndarray,
    share: dict[str, float],
    largest: float,
) -> None:
    """Gap bins by the state a gap leads to, and by both its ends where the pair is frequent."""
    bins, rho = out.grid.bins, share["gaps"]
    clip = out.clips["gaps"] = desk.median("gaps clip", norms, largest, share["median"])
    asked = people.ask(
        frame,
        to=Question("gaps to", frame.n_states * bins, clip),
        # A finer split of the same transitions cannot have a larger norm, so the same clip serves.
        between=Question("gaps between", len(out.gap_pairs) * bins, clip, told=out.gap_pairs),
    )
    out.gaps_to = desk.sums("gaps to", asked["to"], clip, rho / 2)
    out.gaps_pair = desk.sums("gaps between", asked["between"], clip, rho / 2)


def measure_spans(out: Measured, desk: NoisyQueries, known: dict[str, np.ndarray], share: dict[str, float]) -> None:
    """How long cases last: over all, and on average by class of length."""
    out.spans = desk.sums("spans", known["spans"], 1.0, share["spans"])
    out.span_moments = desk.sums("span moments", known["span moments"], MOMENTS_CLIP, share["span moments"])


def ask_clock(out: Measured, plan: Design, largest: float) -> dict[str, Question]:
    """What can be asked before anything about times is released: norms, and when objects start."""
    if plan.unit == "order":
        return {}
    n_states, at = len(out.names), weekdays_from(plan.unit)
    asked = {
        "gaps clip": Question("gaps to", n_states * out.grid.bins, largest=largest),
        "spans": Question("spans", len(plan.span_edges) - 1, 1.0),
        "span moments": Question("span moments", 2 * CLASSES, MOMENTS_CLIP),
        "starts": Question("starts", at + 7 + int(plan.season_of_day[-1]) + 1, start_clip(plan.unit)),
        "clock clip": Question("clock", at + 7, largest=min(1.5 * largest, LARGEST_CLIP)),
    }
    if plan.unit == "second":
        asked["state hours clip"] = Question("state hours", n_states * 24, largest=largest)
    return asked


def measure_clock(
    out: Measured,
    desk: NoisyQueries,
    people: People,
    frame: Frame,
    known: dict[str, np.ndarray],
    share: dict[str, float],
    largest: float,
    also: dict[str, Question],
) -> dict[str, np.ndarray]:
    """When objects start, and at which hours and weekdays events happen; returns what was `also` asked on the way."""
    small, unit = share["small median"], frame.plan.unit
    with_hours = unit == "second"
    rho = share["clock"] / (3 if with_hours else 2)
    out.starts = desk.sums("starts", known["starts"], start_clip(unit), rho)
    clip = desk.median("clock clip", known["clock clip"], min(1.5 * largest, LARGEST_CLIP), small)
    out.clips["clock"] = clip
    asked = people.ask(frame, **{"the clock": Question("clock", weekdays_from(unit) + 7, clip)}, **also)
    out.clock = desk.sums("clock", asked.pop("the clock"), clip, rho)
    if with_hours:
        clip = out.clips["state hours"] = desk.median("state hours clip", known["state hours clip"], largest, small)
        hours = people.ask(frame, hours=Question("state hours", frame.n_states * 24, clip))
        out.state_hours = desk.sums("state hours", hours["hours"], clip, rho)
    return asked


def ask_tables(out: Measured) -> dict[str, Question]:
    """The tables of the time model, and transitions by length class: their clips follow from released ones."""
    asked = {}
    for name in out.tables:
        size = math.prod(shape_of(name, len(out.names), out.grid))
        found = out.length_classes() if name == "length" else None
        asked[name] = Question(name, size, _clip_of(out, name), told=found)
    return asked


def _clip_of(out: Measured, name: str) -> float:
    table = TABLES[name]
    return min(table.times * (out.clips[table.clip_of] if table.clip_of else 1.0), LARGEST_CLIP)


def measure_tables(out: Measured, desk: NoisyQueries, known: dict[str, np.ndarray], share: dict[str, float]) -> None:
    """Noise for all of them."""
    for name in out.tables:
        out.clips[name] = _clip_of(out, name)
        rho = share["length"] if name == "length" else share["timed"]
        out.timed[name] = desk.sums(name, known[name], out.clips[name], rho)

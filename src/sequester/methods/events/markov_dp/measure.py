"""The measuring stage of `markov-dp`: everything that looks at the log, one noisy step after the other.

Each step sees integers that passed the gate, adds noise at a scale derived from its share of the budget, and writes
itself into the ledger. Later steps use earlier ones only through what was released. The stage can be run alone,
which is what the transcript audit does.

The people are asked in rounds: everything that can be asked before the next number is released goes into one round,
because a log in parts is passed over once per round. Noise is drawn here, in an order that rounds do not change.

The steps of `markov-dp` that look at times: gaps, clock, and the tables of the time model.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.dp.gate import GRID, LARGEST_CLIP
from sequester.dp.ledger import Ledger, gaussian_scale
from sequester.dp.noise import Noise
from sequester.methods.events.markov_dp import design as d
from sequester.methods.events.markov_dp.attributes import ask_attributes, measure_attributes
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.event_values import ask_values, measure_values
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.markov_dp.noisy_queries import NoisyQueries
from sequester.methods.events.markov_dp.people import People
from sequester.methods.events.markov_dp.pieces import MOMENTS_CLIP, Answer, Frame, Question, start_clip, weekdays_from
from sequester.methods.events.markov_dp.state_names import released_names, with_other
from sequester.methods.events.markov_dp.tables import TABLES, grid_of, shape_of
from sequester.methods.events.shared.spans import CLASSES
from sequester.model import EventLog


def measure_gaps(
    out: Measured,
    desk: NoisyQueries,
    people: People,
    frame: Frame,
    norms: Answer,
    share: dict[str, float],
) -> None:
    """Gap bins by the state a gap leads to, and by both its ends where the pair is frequent."""
    bins, rho = out.grid.bins, share["gaps"]
    clip = out.clips["gaps"] = desk.median("gaps clip", norms)
    asked = people.ask(
        frame,
        to=Question("gaps to", frame.n_states * bins, clip, rho=rho / 2),
        # A finer split of the same transitions cannot have a larger norm, so the same clip serves.
        between=Question("gaps between", len(out.gap_pairs) * bins, clip, told=out.gap_pairs, rho=rho / 2),
    )
    out.gaps_to = desk.sums("gaps to", asked["to"])
    out.gaps_pair = desk.sums("gaps between", asked["between"])


def ask_clock(out: Measured, plan: Design, largest: float, share: dict[str, float]) -> dict[str, Question]:
    """What can be asked before anything about times is released: norms, and when objects start."""
    if plan.unit == "order":
        return {}
    n_states, at, small = len(out.names), weekdays_from(plan.unit), share["small median"]
    n_starts, widest = at + 7 + int(plan.season_of_day[-1]) + 1, min(1.5 * largest, LARGEST_CLIP)
    asked = {
        "gaps clip": Question("gaps to", n_states * out.grid.bins, largest=largest, rho=share["median"]),
        "spans": Question("spans", len(plan.span_edges) - 1, 1.0, rho=share["spans"]),
        "span moments": Question("span moments", 2 * CLASSES, MOMENTS_CLIP, rho=share["span moments"]),
        "starts": Question("starts", n_starts, start_clip(plan.unit), rho=_clock_rho(plan, share)),
        "clock clip": Question("clock", at + 7, largest=widest, rho=small),
    }
    if plan.unit == "second":
        asked["state hours clip"] = Question("state hours", n_states * 24, largest=largest, rho=small)
    return asked


def _clock_rho(plan: Design, share: dict[str, float]) -> float:
    """Each of starts, clock and, with seconds, hours by state."""
    return share["clock"] / (3 if plan.unit == "second" else 2)


def measure_clock(
    out: Measured,
    desk: NoisyQueries,
    people: People,
    frame: Frame,
    known: dict[str, Answer],
    share: dict[str, float],
    also: dict[str, Question],
) -> dict[str, Answer]:
    """When objects start, and at which hours and weekdays events happen; returns what was `also` asked on the way."""
    unit, rho = frame.plan.unit, _clock_rho(frame.plan, share)
    out.starts = desk.sums("starts", known["starts"])
    clip = out.clips["clock"] = desk.median("clock clip", known["clock clip"])
    asked = people.ask(frame, **{"the clock": Question("clock", weekdays_from(unit) + 7, clip, rho=rho)}, **also)
    out.clock = desk.sums("clock", asked.pop("the clock"))
    if unit == "second":
        clip = out.clips["state hours"] = desk.median("state hours clip", known["state hours clip"])
        hours = people.ask(frame, hours=Question("state hours", frame.n_states * 24, clip, rho=rho))
        out.state_hours = desk.sums("state hours", hours["hours"])
    return asked


def ask_tables(out: Measured, share: dict[str, float]) -> dict[str, Question]:
    """The tables of the time model, and transitions by length class: their clips follow from released ones."""
    asked = {}
    for name in out.tables:
        size = math.prod(shape_of(name, len(out.names), out.grid))
        found = out.length_classes() if name == "length" else None
        rho = share["length"] if name == "length" else share["timed"]
        asked[name] = Question(name, size, _clip_of(out, name), told=found, rho=rho)
    return asked


def _clip_of(out: Measured, name: str) -> float:
    table = TABLES[name]
    return min(table.times * (out.clips[table.clip_of] if table.clip_of else 1.0), LARGEST_CLIP)


def measure_tables(out: Measured, desk: NoisyQueries, known: dict[str, Answer]) -> None:
    """Noise for all of them."""
    for name in out.tables:
        out.clips[name] = _clip_of(out, name)
        out.timed[name] = desk.sums(name, known[name])


def measure(log: EventLog | People, plan: Design, noise: Noise, ledger: Ledger) -> Measured:
    """Run all steps on a log, or on a log in parts."""
    people = People(log, plan) if isinstance(log, EventLog) else log
    desk = NoisyQueries(noise, ledger, plan)
    names = with_other(plan.codebook if plan.codebook is not None else released_names(people, plan, desk))
    people.fold_into(names)
    n_states = len(names)
    out = Measured(names=names, rich=plan.rich, tables=plan.tables, grid=grid_of(plan.unit))
    frame = Frame(n_states, out.grid, plan)
    share = plan.shares()
    first = {"people": Question("people", 1, rho=share["people"])}
    if out.rich:
        out.people = desk.count("people", people.ask(frame, **first)["people"])
        _measure_variants(out, desk, people, plan, share["variants"])
        first = {}
    sd = gaussian_scale(1.0, share["lengths"]) * plan.noise_factor
    out.length_edges = d.widened(plan.length_edges, plan.people_at_least, sd)
    n_lengths, largest, side = len(out.length_edges) - 1, plan.max_events + 1.0, n_states + 1
    # The medians are taken over everybody: where variants describe nearly all people, the few who are left could not
    # outvote the noise, and a clip far too large would make the pairs noise.
    known = people.ask(
        frame,
        **first,
        lengths=Question("lengths", n_lengths, 1.0, told=out.length_edges, rho=share["lengths"]),
        **{"pairs clip": Question("pairs", side * side, largest=largest, told=True, rho=share["median"])},
        **ask_clock(out, plan, largest, share),
        **ask_attributes(plan, n_states, share["attributes"]),
        **ask_values(plan, n_states, share["values"]),
    )
    if first:
        out.people = desk.count("people", known["people"])
    out.lengths = desk.sums("lengths", known["lengths"])
    if plan.unit != "order":  # how long cases last: over all, and on average by class of length
        out.spans = desk.sums("spans", known["spans"])
        out.span_moments = desk.sums("span moments", known["span moments"])
    clip = out.clips["pairs"] = desk.median("pairs clip", known["pairs clip"])
    asked = people.ask(frame, pairs=Question("pairs", side * side, clip, told=False, rho=share["pairs"]))
    out.pairs = desk.sums("pairs", asked["pairs"])
    strong = np.flatnonzero((out.pairs.values > 2 * out.pairs.sd).reshape(side, side)[:, :-1].ravel())
    strong = strong // n_states * side + strong % n_states
    if out.rich:
        _measure_triples(out, desk, people, frame, _strongest(strong, out.pairs.values, d.MOST_TRIPLES // side), share)
    if plan.unit != "order":
        out.gap_pairs = strong[strong // side < n_states]  # a gap has an event at both ends
        measure_gaps(out, desk, people, frame, known["gaps clip"], share)
        known |= measure_clock(out, desk, people, frame, known, share, ask_tables(out, share))
    elif out.tables:
        known |= people.ask(frame, **ask_tables(out, share))
    if out.tables:
        measure_tables(out, desk, known)
    if plan.attributes:
        measure_attributes(out, desk, people, frame, known, share["attributes"])
    if plan.event_values:
        measure_values(out, desk, people, frame, known, share["values"])
    return out


def _measure_variants(out: Measured, desk: NoisyQueries, people: People, plan: Design, rho: float) -> None:
    """Release frequent whole traces; whom one of them describes is not counted again where that matters.

    Variants of fewer than `least` objects are never considered, and the threshold is raised accordingly: a variant at
    that very count appears with probability delta/4 at most, so adding an object cannot reveal it otherwise.
    """
    sigma = gaussian_scale(1.0, rho)
    least = max(1, round(sigma / 2))
    ids, counts = people.variants(least)
    tau = least + sigma * d.tail(plan.delta / 4)
    shown, noisy = desk.shown("variants", ids.tolist(), counts * GRID, sigma, tau, rho, plan.delta / 4)
    traces = people.spelled(np.array(shown, np.int64))
    known = [i for i, trace in enumerate(traces) if len(trace)]  # an audit may ask for what nobody here has
    out.variants, out.variant_counts = [traces[i] for i in known], noisy[known]
    people.described({trace.tobytes() for trace in out.variants})


def _measure_triples(
    out: Measured, desk: NoisyQueries, people: People, frame: Frame, contexts: np.ndarray, share: dict[str, float]
) -> None:
    """What follows the most frequent pairs."""
    out.contexts = contexts
    size, largest = len(contexts) * (frame.n_states + 1), frame.plan.max_events + 1.0
    norms = Question("triples", size, largest=largest, told=(contexts, True), rho=share["median"])
    clip = out.clips["triples"] = desk.median("triples clip", people.ask(frame, clip=norms)["clip"])
    counts = Question("triples", size, clip, told=(contexts, False), rho=share["triples"])
    out.triples = desk.sums("triples", people.ask(frame, triples=counts)["triples"])


def _strongest(cells: np.ndarray, released: np.ndarray, most: int) -> np.ndarray:
    """At most so many of the cells, those of the largest released values, in rising order."""
    return np.sort(cells[np.argsort(-released[cells], kind="stable")[:most]])

"""The measuring stage of `markov-dp`: everything that looks at the log, one noisy step after the other.

Each step sees integers that passed the gate, adds noise at a scale derived from its share of the budget, and writes
itself into the ledger. Later steps use earlier ones only through what was released. The stage can be run alone,
which is what the transcript audit does.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from sequester.dp.gate import GRID
from sequester.dp.ledger import Ledger
from sequester.dp.noise import Noise
from sequester.dp.zcdp import gaussian_scale
from sequester.methods.events.markov_dp import design as d
from sequester.methods.events.markov_dp.attributes import measure_attributes
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.desk import Desk, norms_of
from sequester.methods.events.markov_dp.event_values import event_codes, measure_values
from sequester.methods.events.markov_dp.measure_times import measure_clock, measure_gaps, measure_tables
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.markov_dp.state_names import folded
from sequester.methods.events.markov_dp.tables import grid_of
from sequester.methods.events.shared.attributes import case_values
from sequester.model import EventLog


def measure(log: EventLog, plan: Design, noise: Noise, ledger: Ledger) -> Measured:
    """Run all steps on a log."""
    from sequester.methods.events.markov_dp.kernels.markov import transitions

    desk = Desk(noise, ledger)
    names, states, offsets, times = folded(log, plan, desk)
    n_states = len(names)
    out = Measured(names=names, rich=plan.is_rich(n_states), tables=plan.timed(n_states))
    out.grid = grid_of(plan.unit, bool(out.tables))
    n_timed = len(out.tables)
    share = plan.shares(out.rich, timed=n_timed)
    out.people = desk.count("people", log.n_records, share["people"])
    rest = np.ones(log.n_records, bool)
    if out.rich:
        rest = _measure_variants(out, desk, states, offsets, plan, share["variants"])
    _measure_lengths(out, desk, np.diff(offsets)[rest], plan, share["lengths"])
    if plan.has_length_classes(n_states, out.mean_length()):
        out.tables = (*out.tables, "length")
        share = plan.shares(out.rich, timed=n_timed, by_length=True)
    median_rho = share["median"]

    cells, owners = transitions(states, offsets, n_states)
    kept_cells = np.where(np.repeat(rest, np.diff(owners)), cells, -1)
    largest = plan.max_events + 1.0
    side = n_states + 1
    # The medians are taken over everybody: where variants describe nearly all people, the few who are left could not
    # outvote the noise, and a clip far too large would make the pairs noise.
    clip = out.clips["pairs"] = desk.median("pairs clip", norms_of(cells, owners, side * side), largest, median_rho)
    out.pairs = desk.sums("pairs", kept_cells, owners, clip, side * side, share["pairs"])
    strong = np.flatnonzero((out.pairs.values > 2 * out.pairs.sd).reshape(side, side)[:, :-1].ravel())
    strong = strong // n_states * side + strong % n_states
    if out.rich:
        out.contexts = _strongest(strong, out.pairs.values, d.MOST_TRIPLES // side)
        size = len(out.contexts) * side
        triples = _triples(cells, owners, out.contexts, side)
        clip = desk.median("triples clip", norms_of(triples, owners, max(size, 1)), largest, median_rho)
        out.clips["triples"] = clip
        triples = _triples(kept_cells, owners, out.contexts, side)
        out.triples = desk.sums("triples", triples, owners, clip, size, share["triples"])
    if plan.unit != "order":
        out.gap_pairs = strong[strong // side < n_states]  # a gap has an event at both ends
        measure_gaps(out, desk, states, offsets, times, share["gaps"], median_rho, largest)
        measure_clock(out, desk, states, offsets, times, plan, share, largest)
    if out.tables:
        measure_tables(out, desk, states, offsets, times, rest, share)
    if plan.attributes:
        values = case_values(log, plan.attributes, "markov-dp", beside=plan.event_values)
        measure_attributes(out, desk, values, states, offsets, plan, share["attributes"])
    if plan.event_values:
        codes = event_codes(log, plan.event_values, plan.max_events)
        measure_values(out, desk, codes, states, offsets, plan, share["values"])
    return out


def _measure_variants(
    out: Measured, desk: Desk, states: np.ndarray, offsets: np.ndarray, plan: Design, rho: float
) -> np.ndarray:
    """Release frequent whole traces; returns who is not described by one.

    Variants of fewer than `least` objects are never considered, and the threshold is raised accordingly: a variant at
    that very count appears with probability delta/4 at most, so adding an object cannot reveal it otherwise.
    """
    sigma = gaussian_scale(1.0, rho)
    traces = [states[a:b].tobytes() for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist())]
    count = Counter(traces)
    least = max(1, round(sigma / 2))
    keys = sorted(key for key, c in count.items() if c >= least)
    weights = np.array([count[key] for key in keys], np.int64) * GRID
    tau = least + sigma * d.tail(plan.delta / 4)
    shown, noisy = desk.shown("variants", keys, weights, sigma, tau, rho, plan.delta / 4)
    out.variants = [np.frombuffer(key, np.int32) for key in shown]
    out.variant_counts = noisy
    described = set(shown)
    return np.array([trace not in described for trace in traces], bool)


def _measure_lengths(out: Measured, desk: Desk, lengths: np.ndarray, plan: Design, rho: float) -> None:
    out.length_edges = d.widened(plan.length_edges, max(out.people, 1.0), gaussian_scale(1.0, rho))
    bins = np.searchsorted(out.length_edges, lengths, side="right") - 1
    out.lengths = desk.sums("lengths", bins, np.arange(len(bins) + 1), 1.0, len(out.length_edges) - 1, rho)


def _strongest(cells: np.ndarray, released: np.ndarray, most: int) -> np.ndarray:
    """At most so many of the cells, those of the largest released values, in rising order."""
    return np.sort(cells[np.argsort(-released[cells], kind="stable")[:most]])


def _triples(cells: np.ndarray, owners: np.ndarray, contexts: np.ndarray, side: int) -> np.ndarray:
    """Per transition, the cell (context it and its predecessor form, next state), -1 where the context has no row."""
    out = np.full(len(cells), -1, np.int64)
    place = np.searchsorted(contexts, cells[:-1])
    known = place < len(contexts)
    known[known] = contexts[place[known]] == cells[:-1][known]
    known[owners[1:-1] - 1] = False  # the next transition belongs to another object
    at = np.flatnonzero(known)
    out[at] = place[at] * side + cells[at + 1] % side
    out[at[cells[at + 1] < 0]] = -1
    return out

"""Which states a release has, and a log with its states folded into them."""

from __future__ import annotations

import hashlib

import numpy as np

from sequester.dp.gate import gate_cells
from sequester.dp.zcdp import gaussian_scale
from sequester.methods.events.markov_dp import design as d
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.desk import Desk
from sequester.methods.events.markov_dp.kernels.markov import tally_within
from sequester.methods.events.markov_dp.pieces import Piece
from sequester.methods.events.markov_dp.value_cells import event_codes
from sequester.methods.events.shared.attributes import case_values
from sequester.methods.events.shared.codebook import OTHER
from sequester.model import EventLog


def cut(log: EventLog, plan: Design) -> tuple[np.ndarray, np.ndarray]:
    """Offsets of objects cut to their first events, and where those events are."""
    sizes = np.minimum(np.diff(log.offsets), plan.max_events)
    offsets = np.r_[0, np.cumsum(sizes)]
    return offsets, np.repeat(log.offsets[:-1] - offsets[:-1], sizes) + np.arange(offsets[-1])


def folded_piece(log: EventLog, names: tuple[str, ...], plan: Design) -> Piece:
    """States as codes into the public or released names, the last of which stands for all others."""
    offsets, source = cut(log, plan)
    code = {name: i for i, name in enumerate(names)}
    of = np.array([code.get(name, len(names) - 1) for name in log.state_names] or [0])
    return Piece(
        states=of[log.states[source]].astype(np.int32),
        offsets=offsets,
        times=log.times[source],
        values=case_values(log, plan.attributes, "markov-dp", beside=plan.event_values) if plan.attributes else None,
        codes=event_codes(log, plan.event_values, plan.max_events) if plan.event_values else None,
    )


def ranks_of(names: tuple[str, ...]) -> np.ndarray:
    """Place of every name in an order by digest, which does not depend on who has it."""
    return np.argsort(np.argsort([_digest(name) for name in names], kind="stable"))


def name_weights(log: EventLog, plan: Design) -> np.ndarray:
    """By rank, the gated weight of every name: each object spreads a weight of norm 1 over at most fifty states.

    An object with more states is represented by those it has most often, equal ones by the digest of their names: a
    function of the object alone.
    """
    offsets, source = cut(log, plan)
    rank = ranks_of(log.state_names)
    ranks, counts, owners = tally_within(rank[log.states[source]].astype(np.int64), offsets)
    sizes = np.diff(owners)
    chosen = np.ones(len(ranks), bool)
    crowded = np.flatnonzero(np.repeat(sizes > d.STATES_PER_OBJECT, sizes))
    owner = np.repeat(np.arange(len(sizes)), sizes)[crowded]
    order = np.lexsort((ranks[crowded], -counts[crowded], owner))
    place = np.arange(len(order)) - np.searchsorted(owner, owner)  # lexsort keeps owners in order
    chosen[crowded[order[place >= d.STATES_PER_OBJECT]]] = False
    ranks, sizes = ranks[chosen], np.minimum(sizes, d.STATES_PER_OBJECT)
    weights = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes)
    total = np.zeros(len(rank), np.int64)
    np.add.at(total, ranks, gate_cells(weights, np.r_[0, np.cumsum(sizes)], 1.0))
    return total


def released_names(held: tuple[str, ...], weights: np.ndarray, plan: Design, desk: Desk) -> tuple[str, ...]:
    """Names many objects use, by their noisy weights."""
    rank = ranks_of(held)
    rho = plan.universe_rho
    sigma = gaussian_scale(1.0, rho)
    used = np.flatnonzero(weights > 0)
    by_rank = np.empty(len(rank), np.int64)
    by_rank[rank] = np.arange(len(rank))
    keys = [held[by_rank[r]] for r in used]
    tau = d.universe_threshold(sigma, plan.delta / 4)
    names, _ = desk.shown("states", keys, weights[used], sigma, tau, rho, plan.delta / 4)
    # The rest is post-processing: no more states than the budget can carry, in an order that tells no counts.
    return tuple(sorted(names[: plan.most_states() - 1]))


def with_other(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, the one that stands for all others last."""
    return (*(x for x in names if x != OTHER), OTHER)


def _digest(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=7).digest())

"""Which states a release has, and a log with its states folded into them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sequester.dp.gate import gate_cells
from sequester.dp.ledger import gaussian_scale
from sequester.methods.events.markov_dp import design as d
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.kernels.moves import tally_within
from sequester.methods.events.markov_dp.noisy_queries import NoisyQueries
from sequester.methods.events.markov_dp.pieces import Piece
from sequester.methods.events.markov_dp.value_cells import event_codes
from sequester.methods.events.shared.attributes import case_values
from sequester.methods.events.shared.codebook import OTHER, Codes, published_name
from sequester.model import EventLog

if TYPE_CHECKING:
    from sequester.methods.events.markov_dp.people import People


def cut(log: EventLog, plan: Design) -> tuple[np.ndarray, np.ndarray]:
    """Offsets of objects cut to their first events, and where those events are."""
    sizes = np.minimum(np.diff(log.offsets), plan.max_events)
    offsets = np.r_[0, np.cumsum(sizes)]
    return offsets, np.repeat(log.offsets[:-1] - offsets[:-1], sizes) + np.arange(offsets[-1])


def folded_piece(log: EventLog, names: tuple[str, ...], plan: Design, key: bytes = b"") -> Piece:
    """States as codes into the public or released names, the last of which stands for all others."""
    offsets, source = cut(log, plan)
    code = {name: i for i, name in enumerate(names)}
    of = np.array([code[published_name(name, plan.codes, code)] for name in log.state_names] or [0])
    piece = Piece(
        states=of[log.states[source]].astype(np.int32),
        offsets=offsets,
        times=log.times[source],
        values=case_values(log, plan.attributes, "markov-dp", beside=plan.event_values) if plan.attributes else None,
        codes=event_codes(log, plan.event_values, plan.max_events) if plan.event_values else None,
    )
    return replace(piece, ids=piece.hashed(key)) if plan.rich else piece


def keys_at(
    held: tuple[str, ...], codes: Codes | None, level: int, kept: Collection[str]
) -> tuple[tuple[str, ...], np.ndarray]:
    """Names that states may still be given at a level of the hierarchy, and which of them every held state has there.

    States whose name is kept already have none (-1). The names come in an order by digest, which does not depend on who
    has them.
    """

    def at(name: str, rung: int) -> str | None:
        return name if codes is None else codes.at(name, rung)

    named = [any(at(name, rung) in kept for rung in range(level + 1)) for name in held]
    own = [None if done else at(name, level) for name, done in zip(held, named)]
    every = set(own) if codes is None or not codes.public else set(codes.names_at(level)) - set(kept)
    keys = tuple(sorted((name for name in every if name is not None and name != OTHER), key=lambda n: (_digest(n), n)))
    place = {name: i for i, name in enumerate(keys)}
    return keys, np.array([-1 if name is None else place.get(name, -1) for name in own] or [-1], np.int64)


def name_weights(log: EventLog, plan: Design, key_of: np.ndarray, n_keys: int) -> np.ndarray:
    """The gated weight of every key: each object spreads a weight of norm 1 over at most fifty of them.

    An object with more is represented by those it has most often, equal ones by the digest of their names: a function
    of the object alone.
    """
    offsets, source = cut(log, plan)
    ranks, counts, owners = tally_within(key_of[log.states[source]], offsets)
    sizes = np.diff(owners)
    chosen = np.ones(len(ranks), bool)
    crowded = np.flatnonzero(np.repeat(sizes > d.STATES_PER_OBJECT, sizes))
    owner = np.repeat(np.arange(len(sizes)), sizes)[crowded]
    order = np.lexsort((ranks[crowded], -counts[crowded], owner))
    place = np.arange(len(order)) - np.searchsorted(owner, owner)  # lexsort keeps owners in order
    chosen[crowded[order[place >= d.STATES_PER_OBJECT]]] = False
    ranks, sizes = ranks[chosen], np.minimum(sizes, d.STATES_PER_OBJECT)
    weights = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes)
    total = np.zeros(n_keys, np.int64)
    np.add.at(total, ranks, gate_cells(weights, np.r_[0, np.cumsum(sizes)], 1.0))
    return total


def released_names(people: People, plan: Design, desk: NoisyQueries) -> tuple[str, ...]:
    """Names many objects use, by their noisy weights; with a hierarchy level by level, from the narrowest.

    At each level only states count that have no name yet. Names of a public list are all looked at, so a threshold
    keeps out what is noise alone; other names need one that hides what a single object has.
    """
    kept: list[str] = []
    public, delta = plan.codes is not None and plan.codes.public, plan.delta / 4 / plan.levels
    rho = plan.universe_rho / plan.levels
    sigma = gaussian_scale(1.0, rho)
    for level in range(plan.levels):
        keys, key_of = keys_at(people.state_names, plan.codes, level, kept)
        weights = people.name_weights(key_of, len(keys))
        used = np.arange(len(keys)) if public else np.flatnonzero(weights > 0)
        tau = sigma * d.tail(0.5 / max(len(keys), 1)) if public else d.universe_threshold(sigma, delta)
        name = "states" if level == 0 else f"states, level {level + 1}"
        names, _ = desk.shown(name, [keys[i] for i in used], weights[used], sigma, tau, rho, 0.0 if public else delta)
        # The rest is post-processing: no more states than the budget can carry, some of them for broader codes.
        left = plan.most_states() - 1 - len(kept)
        kept += names[: left if level == plan.levels - 1 else left - left // 2]
    return tuple(sorted(kept))  # an order that tells no counts


def with_other(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, the one that stands for all others last."""
    return (*(x for x in names if x != OTHER), OTHER)


def _digest(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=7).digest())

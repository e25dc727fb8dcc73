"""Making synthetic logs show the released numbers, whatever clipping and conditioning do to them.

A chain read off clipped counts and then walked for given lengths does not give back those counts: long traces weigh
less among what was counted, and the wish for a length prefers some states. The same holds for hours, because a moment
must also fit its gap. So a few logs are drawn and counted as the original was, each object clipped alike, and every
law is multiplied by what is missing. Nothing here sees the original.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sequester.methods.events.markov_dp.design import DAY, HOUR, Design
from sequester.methods.events.markov_dp.generate import generate
from sequester.methods.events.markov_dp.kernels.gated import clipped_totals
from sequester.methods.events.markov_dp.kernels.markov import transitions
from sequester.methods.events.markov_dp.laws import Laws, rows_of
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.shared.rules import Rules

ROUNDS = 4
PACE = 0.5
"""Power of the missing factor that is applied in a round."""
OBJECTS, EVENTS = 4000, 200_000
"""Size of a drawn log: so many objects, fewer if they are long."""


def calibrated(laws: Laws, m: Measured, plan: Design, rules: Rules, generator: np.random.Generator) -> Laws:
    """Laws under which drawn logs agree with what was measured."""
    assert m.pairs is not None
    if laws.length_weights.sum() <= 0:
        return laws  # released variants describe everyone
    n = objects_for(laws)
    now, counts = laws, laws.pairs
    for _ in range(ROUNDS):
        drawn = replace(now, n_objects=n, variants=[], variant_weights=np.zeros(0))
        states, times, offsets = generate(drawn, plan, m.names, rules, generator)
        seen = chain_counts(states, offsets, len(m.names), m.pairs_clip) * (laws.length_weights.sum() / n)
        counts = counts * missing(laws.pairs, seen, m.pairs.sd)
        chain = rows_of(counts)
        now = replace(now, chain=chain, context_rows=_tilted(laws, chain))
        if plan.unit != "order":
            now = replace(now, weekdays=tilted_weekdays(laws, now.weekdays, times))
        if plan.unit == "second":
            now = replace(now, hours=_hours(laws, now, states, times))
    return now


def objects_for(laws: Laws) -> int:
    weights, middle = laws.length_weights, (laws.length_edges[:-1] + laws.length_edges[1:] - 1) / 2
    if weights.sum() > 0:
        mean = float(weights @ middle / weights.sum())
    else:
        mean = float(np.mean([len(v) for v in laws.variants] or [1]))
    return int(np.clip(EVENTS / max(mean, 1.0), 200, OBJECTS))


def _tilted(laws: Laws, chain: np.ndarray) -> np.ndarray:
    """What follows two states, changed by as much as what follows the second alone."""
    change = np.divide(chain, laws.chain, out=np.ones_like(chain), where=laws.chain > 0)
    rows = laws.context_rows * change[laws.contexts % len(chain)]
    return rows / rows.sum(axis=1, keepdims=True)


def missing(aim: np.ndarray, seen: np.ndarray, unsure: float) -> np.ndarray:
    """Factors that lead from what is seen to what is aimed at, near 1 where both are within the noise."""
    return ((aim + unsure) / (seen + unsure)) ** PACE


def chain_counts(
    states: np.ndarray, offsets: np.ndarray, n_states: int, clip: float, kept: np.ndarray | None = None
) -> np.ndarray:
    """Transitions of all objects (of those that are `kept`), each object's counts shrunk to the norm `clip`."""
    cells, owners = transitions(states, offsets, n_states)
    if kept is not None:
        cells[~np.repeat(kept, np.diff(owners))] = -1
    side = n_states + 1
    return clipped_totals(cells, owners, np.ones(len(owners) - 1), clip, side * side).reshape(side, side)


def tilted_weekdays(laws: Laws, now: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Weekdays, corrected by those that were drawn."""
    drawn = np.bincount((times // DAY + 3) % 7, minlength=7)
    weekdays = now * missing(laws.weekdays / laws.weekdays.sum(), drawn / drawn.sum(), 0.01)
    return weekdays * 7 / weekdays.sum()


def _hours(laws: Laws, now: Laws, states: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Hours of every state, corrected by those that were drawn."""
    n_states = len(laws.hours)
    of_state = np.bincount(states * 24 + times % DAY // HOUR, minlength=n_states * 24).reshape(n_states, 24)
    aim = laws.hours / 24
    shown = (of_state + 24 * aim) / (of_state.sum(axis=1, keepdims=True) + 24)  # states rarely drawn say little
    hours = now.hours * missing(aim, shown, 0.005)
    return hours * 24 / hours.sum(axis=1, keepdims=True)

"""How identifying are minutes of activity? Points are what someone did in a known interval."""

from __future__ import annotations

import numpy as np

from sequester.errors import InputError
from sequester.model import Activities
from sequester.release import Evidence, Figure
from sequester.risk import rarity, unicity
from sequester.risk.finding import by_person, explained, finding
from sequester.risk.known_points import agree_on_columns, sets_of


@explained
def assess_activity(
    data: Activities,
    *,
    knowledge: int = 4,
    rare: int = 5,
    population: int | None = None,
    threshold: float = 0.09,
    sample: int = 1000,
    seed: int = 0,
) -> Evidence:
    """Unicity of (interval, state) points, the risks of the three attackers, and states few people have.

    Parameters
    ----------
    knowledge
        Known intervals for the headline and the three attackers; the curve always runs from 1 to 10.
    """
    unicity.require_knowledge(knowledge, sample)
    if data.n_records == 0:
        raise InputError("assess: the data is empty. Check the source and the column roles.")
    rng = np.random.default_rng(seed)
    order, owner, n_people = by_person(data.persons)
    states = data.states if np.array_equal(order, np.arange(len(order))) else data.states[order]
    targets = unicity.sampled_people(n_people, sample, rng)
    known = np.full((len(targets), unicity.DEPTH), -1, dtype=np.int64)
    for a, row in enumerate(targets):
        # Nobody observes the absence of a measurement: intervals without one are not among the known points.
        seen = np.flatnonzero(states[row] != data.missing) if data.missing is not None else np.arange(states.shape[1])
        drawn = unicity.draw_points(len(seen), rng)
        known[a] = np.where(drawn >= 0, seen[drawn] if len(seen) else -1, -1)
    matches = agree_on_columns(states, owner, targets, known)
    alone = unique_cells(states, len(data.state_names), data.missing)
    moves = transitions(states, len(data.state_names))
    starts, codes, n_codes = sets_of(*moves, n_people)
    more = [
        rarity.whole_record_figure(rarity.classes_of_rows(states), owner, "all intervals"),
        Figure(name="people_with_own_interval", value=float(alone.mean()), better="lower",
               says="Share of people who are, in at least one interval, the only one in their state."),
        *rarity.rare_figures(starts, codes, n_codes, rare=rare, noun="transitions"),
    ]  # fmt: skip
    if data.missing is not None:
        more += rarity.length_figures((states != data.missing).sum(axis=1), "observed intervals")
    minutes = data.interval_seconds / 60
    noun = "minutes of activity" if minutes == 1 else f"{minutes:g}-minute intervals of activity"
    who_fits = unicity.Knowledge(matches=matches, n_people=n_people, noun=noun, short=int((known[:, -1] < 0).sum()))
    return finding(who_fits, points=knowledge, population=population, threshold=threshold, more=more)


def unique_cells(states: np.ndarray, n_states: int, missing: int | None) -> np.ndarray:
    """For every person whether some interval finds them alone in their state."""
    n, m = states.shape
    alone = np.zeros(n, dtype=bool)
    block = max(1, 4_000_000 // max(1, n))
    for at in range(0, m, block):
        part = states[:, at : at + block]
        for code in range(n_states):
            if code == missing:
                continue
            here = part == code
            single = np.flatnonzero(here.sum(axis=0) == 1)
            alone[here[:, single].any(axis=1)] = True
    return alone


def transitions(states: np.ndarray, n_states: int) -> tuple[np.ndarray, np.ndarray]:
    """Distinct (person, from * n + to) pairs of neighbouring intervals that differ."""
    n = len(states)
    seen = np.zeros((n, n_states * n_states), dtype=bool)
    rows_at_once = max(1, 20_000_000 // max(1, states.shape[1]))
    for at in range(0, n, rows_at_once):
        part = states[at : at + rows_at_once]
        moved, where = np.nonzero(part[:, 1:] != part[:, :-1])
        seen[at + moved, part[moved, where].astype(np.int64) * n_states + part[moved, where + 1]] = True
    people, moves = np.nonzero(seen)
    return people, moves

"""Calibration of the population model: simulated people must show the numbers that were released.

Each round simulates people, takes from them the *same clipped statistics* that were taken from the real ones, and
moves the model by what differs. Because both sides are clipped alike, the bias of clipping cancels. Only released
numbers and simulated people enter: this is post-processing and costs no privacy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sequester.layouts.states import sequences_table
from sequester.methods.activity.activity_dp.kernels.features import LENGTH_EDGES, N_LENGTHS, daily_durations, unpack
from sequester.methods.activity.activity_dp.measure import LEAST_SHARE, Released, fit_profile
from sequester.methods.activity.activity_dp.model import LEVELS, Model, duration_law, fit_flows, flow_matrix
from sequester.primitives.noisy_fit import semidefinite
from sequester.primitives.normal import even_points, quantile

STEPS = (0.8, 0.7, 0.6, 0.5, 0.4)
FLOW_STEP = 1.4
"""Flows answer almost in proportion, so they may take longer steps than the rest."""
COMPARED = ("profile", "scores", "spread", "flows", "bouts")
"""Families whose clipped means are taken from simulated people too; durations are compared as they are."""
SCORES = quantile(LEVELS)
MOST_BETWEEN = 0.95
"""Largest part of a score's variance that may lie between people."""
LARGEST_MOVE = 3.0
"""Largest factor by which a round may change a rate."""


def calibrate(
    model: Model,
    released: Released,
    *,
    generator: np.random.Generator,
    rounds: int = 5,
    n_people: int = 1024,
    threads: int = 1,
) -> Model:
    """Move `model` (in place) until simulated people show the released numbers; the same random numbers all rounds."""
    cal, n_states = model.cal, model.n_states
    drawn = draws(n_people, len(cal.day_starts) - 1, len(model.chosen), generator)
    wanted = Wanted(model, released)
    for r in range(rounds):
        step = STEPS[min(r, len(STEPS) - 1)]
        people = simulated(model, drawn, threads)
        shown = {name: f.mean(people, threads) for name, f in released.families.items() if name in COMPARED}
        _move_profile(model, released, wanted, shown["profile"], step)
        _move_flows(model, released, wanted, shown["flows"], min(1.0, FLOW_STEP * step))
        _move_bouts(model, released, shown["bouts"], step)
        lasted = daily_durations(people, cal, n_states, model.chosen, model.missing)
        _move_durations(model, wanted, lasted, step)
        _move_scores(model, wanted, shown["scores"], step)
        _move_spread(model, released, shown["spread"], step)
        if cal.n_bins == 48:
            _move_weekend(model, released, wanted, shown["profile"], step)
    return model


@dataclass(frozen=True, kw_only=True)
class Draws:
    """Random numbers of a simulated population; with the same ones, only the model makes a difference."""

    person: np.ndarray
    """People x chosen states, standard normal."""
    pace: np.ndarray
    day: np.ndarray
    """People x days x chosen states, standard normal."""
    seeds: np.ndarray


def draws(n_people: int, n_days: int, n_chosen: int, generator: np.random.Generator) -> Draws:
    """Fresh random numbers; those of people are spread evenly, because people differ most."""
    even = even_points(n_people, n_chosen + 1, generator)
    return Draws(
        person=even[:, 1:],
        pace=even[:, 0],
        day=generator.standard_normal((n_people, n_days, n_chosen)),
        seeds=generator.integers(0, 2**63, n_people, dtype=np.uint64),
    )


def simulated(model: Model, drawn: Draws, threads: int = 1) -> np.ndarray:
    """The people of a model, people x intervals."""
    return model.people(model.targets(drawn.person, drawn.day), drawn.pace, drawn.seeds, threads)


PEOPLE_AT_ONCE = 1 << 11
"""Of a block that is simulated by itself."""


def simulated_blocks(model: Model, drawn: Draws, threads: int) -> Iterator[pa.Table]:
    """The same people as a table, some at a time: everybody has random numbers of their own."""
    for first in range(0, max(1, len(drawn.seeds)), PEOPLE_AT_ONCE):
        at = slice(first, first + PEOPLE_AT_ONCE)
        some = Draws(person=drawn.person[at], pace=drawn.pace[at], day=drawn.day[at], seeds=drawn.seeds[at])
        yield sequences_table(simulated(model, some, threads), first=first)


class Wanted:
    """What the simulated people should show."""

    def __init__(self, model: Model, released: Released) -> None:
        self.profile = released.profile
        self.flow = fit_flows(released, released.value["flows"], model.cal)
        self.quantiles = duration_law(released, model.cal)
        self.between, self.within = unpack(released.value["scores"], len(released.chosen))


def _ratio(wanted: np.ndarray, shown: np.ndarray, floor: float, step: float) -> np.ndarray:
    ratio = (np.maximum(wanted, 0.0) + floor) / (np.maximum(shown, 0.0) + floor)
    return np.clip(ratio, 1 / LARGEST_MOVE, LARGEST_MOVE) ** step


def _move_profile(model: Model, released: Released, wanted: Wanted, shown: np.ndarray, step: float) -> None:
    now = fit_profile(released.centre + shown.reshape(model.profile.shape), 0.0)
    moved = np.maximum(model.profile * _ratio(wanted.profile, now, LEAST_SHARE, step), LEAST_SHARE / 10)
    model.profile = moved / moved.sum(axis=1, keepdims=True)


def _move_flows(model: Model, released: Released, wanted: Wanted, shown: np.ndarray, step: float) -> None:
    now = flow_matrix(released, shown)
    now = (now + now.transpose(0, 2, 1)) / 2
    model.flow = model.flow * _ratio(wanted.flow, now, 1e-7, step)


def _move_bouts(model: Model, released: Released, shown: np.ndarray, step: float) -> None:
    sd = released.sd["bouts"]
    found = released.value["bouts"].reshape(-1, N_LENGTHS)
    now = shown.reshape(-1, N_LENGTHS)
    weight = now**2 / (now**2 + 2 * sd**2)
    wanted = np.maximum(weight * found + (1 - weight) * now, 0.0)
    move = _ratio(_hazard(wanted), _hazard(now), 1e-5, step)
    # How often a state is left is for the flows to say: here only when. Each bin weighs what ends in it.
    ends = np.maximum(now, 1e-12)
    move *= (ends.sum(axis=1) / (ends * move).sum(axis=1))[:, None]
    model.age_factor = np.clip(model.age_factor * move, 0.02, 50.0)


def _hazard(bouts: np.ndarray) -> np.ndarray:
    """Rate of ending per interval in every length bin, from counts of bouts by length; the last bin repeats."""
    reached = np.cumsum(bouts[:, ::-1], axis=1)[:, ::-1]
    ended = np.clip(bouts / np.maximum(reached, 1e-300), 0.0, 0.999)
    width = np.diff(np.append(LENGTH_EDGES, 2 * LENGTH_EDGES[-1]))
    rate = -np.log1p(-ended) / width
    rate[:, -1] = rate[:, -2]
    return rate


def _move_durations(model: Model, wanted: Wanted, counts: np.ndarray, step: float) -> None:
    for k in range(len(model.chosen)):
        observed = counts[:, :, k][counts[:, :, k] >= 0]
        if not len(observed):
            continue
        now = np.quantile(observed / model.cal.day_length, LEVELS)
        moved = model.quantiles[k] + step * (wanted.quantiles[k] - now)
        model.quantiles[k] = np.maximum.accumulate(np.clip(moved, 0.0, 1.0))


def _move_scores(model: Model, wanted: Wanted, shown: np.ndarray, step: float) -> None:
    between, within = unpack(shown, len(model.chosen))
    moved = model.between + step * (wanted.between - between)
    np.fill_diagonal(moved, np.diag(model.between))  # how much people differ is for the spread to say
    model.between = semidefinite(moved, 1e-6)
    model.within = semidefinite(model.within + step * (wanted.within - within), 1e-6)


def _move_spread(model: Model, released: Released, shown: np.ndarray, step: float) -> None:
    """Let people differ more or less, state by state, until they lie as far from the usual as released.

    Scores alone would make them too alike: rare states are rare for most people and frequent for a few, and a normal
    law of scores with the right moments keeps too few of those.
    """
    found, sd = released.value["spread"], released.sd["spread"]
    weight = shown**2 / (shown**2 + sd**2)
    # The squared factor: total variance stays 1, so spread answers to its between part by less than in proportion.
    factor = _ratio(weight * found + (1 - weight) * shown, shown, 1e-3, step)
    between = model.between * np.outer(factor, factor)
    most = np.diag(model.within) * MOST_BETWEEN / (1 - MOST_BETWEEN)
    shrink = np.sqrt(np.minimum(1.0, most / np.maximum(np.diag(between), 1e-12)))
    model.between = semidefinite(between * np.outer(shrink, shrink), 1e-6)


def _move_weekend(model: Model, released: Released, wanted: Wanted, shown: np.ndarray, step: float) -> None:
    """Shift weekend and weekday scores apart until the states' totals on the two kinds of day differ as released."""
    now = released.centre + shown.reshape(model.profile.shape)
    lacking = _weekend_excess(wanted.profile) - _weekend_excess(now)
    share = float(model.cal.bin_weights[24:].sum())
    for k, a in enumerate(model.chosen):
        slope = float(np.mean(SCORES * model.quantiles[k]))  # Stein: mean slope of the law in its score
        apart = step * lacking[a] / max(slope, 1e-4)
        move = np.clip(apart, -0.5, 0.5) * np.array([-share, 1 - share])
        model.offset[:, k] = np.clip(model.offset[:, k] + move, -2.0, 2.0)


def _weekend_excess(profile: np.ndarray) -> np.ndarray:
    return profile[24:].mean(axis=0) - profile[:24].mean(axis=0)

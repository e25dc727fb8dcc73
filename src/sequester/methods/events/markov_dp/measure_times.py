"""The steps of `markov-dp` that look at times: gaps, clock, and the tables of the time model."""

from __future__ import annotations

import math

import numpy as np

from sequester.dp.gate import LARGEST_CLIP
from sequester.methods.events.markov_dp import design as d
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.desk import Desk, norms_of
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.markov_dp.tables import TABLES, Moves, shape_of


def measure_gaps(
    out: Measured,
    desk: Desk,
    states: np.ndarray,
    offsets: np.ndarray,
    times: np.ndarray,
    rho: float,
    median_rho: float,
    largest: float,
) -> None:
    """Gap bins by the state a gap leads to, and by both its ends where the pair is frequent."""
    n_states, bins = len(out.names), out.grid.bins
    gap = np.diff(times, prepend=times[:1])
    bin_ = np.clip(np.searchsorted(out.grid.edges, gap, side="right") - 1, 0, bins - 1)
    first = np.zeros(len(states), bool)
    first[offsets[:-1]] = True
    to = np.where(first, -1, states * np.int64(bins) + bin_)
    clip = out.clips["gaps"] = desk.median("gaps clip", norms_of(to, offsets, n_states * bins), largest, median_rho)
    out.gaps_to = desk.sums("gaps to", to, offsets, clip, n_states * bins, rho / 2)
    pair = np.r_[-1, states[:-1].astype(np.int64) * (n_states + 1) + states[1:]]
    place = np.asarray(np.searchsorted(out.gap_pairs, pair))
    known = ~first & (place < len(out.gap_pairs))
    known[known] = out.gap_pairs[place[known]] == pair[known]
    # A finer split of the same transitions cannot have a larger norm, so the same clip serves.
    between = np.where(known, place * bins + bin_, -1)
    out.gaps_pair = desk.sums("gaps between", between, offsets, clip, len(out.gap_pairs) * bins, rho / 2)


def measure_clock(
    out: Measured,
    desk: Desk,
    states: np.ndarray,
    offsets: np.ndarray,
    times: np.ndarray,
    plan: Design,
    share: dict[str, float],
    largest: float,
) -> None:
    """When objects start, and at which hours and weekdays events happen."""
    small = share["small median"]
    with_hours = plan.unit == "second"
    rho = share["clock"] / (3 if with_hours else 2)
    weekday_at = 24 if with_hours else 0
    day = np.clip(times // d.DAY, plan.days[0], plan.days[-1])
    hour, weekday = times % d.DAY // d.HOUR, (times // d.DAY + 3) % 7 + weekday_at
    begin = offsets[:-1]
    season = plan.season_of_day[day[begin] - plan.days[0]] + weekday_at + 7
    columns = [hour[begin], weekday[begin], season] if with_hours else [weekday[begin], season]
    cells = np.stack(columns, axis=1).ravel()
    width = len(columns)
    each = np.arange(len(begin) + 1) * width
    size = weekday_at + 7 + int(plan.season_of_day[-1]) + 1
    out.starts = desk.sums("starts", cells, each, math.sqrt(width), size, rho)
    double = np.stack([hour, weekday], axis=1).ravel() if with_hours else weekday
    owners = offsets * (2 if with_hours else 1)
    norms = norms_of(double, owners, weekday_at + 7)
    clip = out.clips["clock"] = desk.median("clock clip", norms, min(1.5 * largest, LARGEST_CLIP), small)
    out.clock = desk.sums("clock", double, owners, clip, weekday_at + 7, rho)
    if with_hours:
        cells, size = states * np.int64(24) + hour, len(out.names) * 24
        clip = out.clips["state hours"] = desk.median(
            "state hours clip", norms_of(cells, offsets, size), largest, small
        )
        out.state_hours = desk.sums("state hours", cells, offsets, clip, size, rho)


def measure_tables(
    out: Measured,
    desk: Desk,
    states: np.ndarray,
    offsets: np.ndarray,
    times: np.ndarray,
    rest: np.ndarray,
    share: dict[str, float],
) -> None:
    """The tables of the time model, and transitions by length class."""
    n_states = len(out.names)
    moved = Moves(states, times, offsets, n_states, out.grid)
    for name in out.tables:
        table = TABLES[name]
        classes, divisors = None, None
        if name == "length":
            cuts, means = out.length_classes()
            classes = np.searchsorted(cuts, np.diff(offsets), side="right")
            divisors = means[classes]
        clip = table.times * (out.clips[table.clip_of] if table.clip_of else 1.0)
        out.clips[name] = min(clip, LARGEST_CLIP)
        cells = moved.cells(name, None if table.everybody else rest, classes)
        size = math.prod(shape_of(name, n_states, out.grid))
        rho = share["length"] if name == "length" else share["timed"]
        out.timed[name] = desk.sums(name, cells, offsets, out.clips[name], size, rho, divisors)

"""Groups by value and subgroups by shape, found together: the default of `kapra`, and its envelopes without patterns.

Two ways in, the cheaper kept. *Value-first*: groups of k close series, narrowed by single records, cut into subgroups
of P like shapes. *Pattern-first*: subgroups of P series alike in value and shape, joined to groups; it alone is tried
where P = k. Both end in the same local search on the two losses together.

Ends of ranges: rounded outward to multiples of a public step, so that none is anybody's value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sequester.methods.series.shared import diversity
from sequester.methods.series.shared.kernels import groups as kp_groups
from sequester.methods.series.shared.kernels import mdav_values
from sequester.methods.series.shared.kernels import refine as kp_refine
from sequester.methods.series.shared.kernels.greedy_partition import Diversity, blocks
from sequester.methods.series.shared.kernels.joint import improve, total_cost
from sequester.methods.series.shared.subgroups import SHAPE_PER_WEIGHT, Subgroups
from sequester.primitives import sax

BLOCK = 8_000
"""Records that are microaggregated together, at most."""
WORK = 4e8
"""Pairs looked at before records are cut into blocks."""


def rounds(n: int) -> tuple[int, int, int, int]:
    """Rounds of the search: on values alone, on both losses, on both where P = k, and on groups of subgroups.

    They fall as records grow, so that the time rises with them and nowhere falls.
    """
    return (
        max(4, min(12, 60_000 // n)),
        max(2, min(12, 40_000 // n)),
        max(3, min(12, 40_000 // n)),
        min(kp_refine.SWEEPS, 30_000 // n),
    )


@dataclass(frozen=True)
class Grouping:
    """Who shares a range, who shares a pattern, and what it costs."""

    group: np.ndarray
    subgroup: np.ndarray
    cost: float
    failing: int = 0
    """Records in subgroups that fail the rule of diversity."""


def grouping(
    unit: np.ndarray, shapes: np.ndarray, k: int, p: int, weight: float, rule: Diversity | None = None
) -> Grouping:
    """The best of all ways; weight 0 with p = k gives plain groups.

    `unit` are values in units of their range, `shapes` z-normalised rows.
    """
    if p >= k and weight > 0 and rule is None:
        return pattern_first(unit, shapes, k, k, weight)  # groups and subgroups are one: a second start adds little
    tried = [value_first(unit, shapes, k, p, weight, rule)]
    if rule is not None:
        tied = diversity.bundles(unit, rule)
        if tied is not None:
            tried.append(bundled(unit, shapes, tied, k, p, weight, rule))
    elif weight > 0:
        tried.append(pattern_first(unit, shapes, k, p, weight))
    return min(tried, key=lambda way: (way.failing, way.cost))


def value_first(
    unit: np.ndarray, shapes: np.ndarray, k: int, p: int, weight: float, rule: Diversity | None = None
) -> Grouping:
    """Groups of close series first; then subgroups of like shapes inside them; then both together."""
    group = _microaggregate(unit, k)
    group, _ = improve(unit, shapes, group, group, k, k, weight=0.0, rule=rule, sweeps=rounds(len(unit))[0])
    if p >= k and weight == 0:
        return _found(unit, shapes, group, group, weight, rule)
    if p >= k:
        return _searched(unit, shapes, group, group, k, k, weight, rule)
    order = np.argsort(group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(group))])
    subgroup = np.empty(len(unit), dtype=np.int64)
    subgroup[order] = mdav_values.mdav_classes(shapes, order, starts, p)
    if rule is not None:
        subgroup = diversity.merged(shapes, group, subgroup, rule)
    return _searched(unit, shapes, group, subgroup, k, p, weight, rule)


def pattern_first(unit: np.ndarray, shapes: np.ndarray, k: int, p: int, weight: float) -> Grouping:
    """Subgroups alike in value and shape first; then groups made of them; then both together."""
    subgroup = _microaggregate(np.hstack([unit, SHAPE_PER_WEIGHT * weight * shapes]), p)
    lo, hi, size = kp_groups.boxes(unit, subgroup, int(subgroup.max()) + 1)
    group = kp_groups.form_groups(lo, hi, size, k, order=kp_groups.by_value_loss(lo, hi, size))
    if again := rounds(len(unit))[3]:
        group = kp_refine.refine_groups(lo, hi, size, group, k, sweeps=again)
    return _searched(unit, shapes, group[subgroup], subgroup, k, p, weight, None)


def bundled(
    unit: np.ndarray, shapes: np.ndarray, bundle: np.ndarray, k: int, p: int, weight: float, rule: Diversity
) -> Grouping:
    """Groups and subgroups of whole bundles, each of which keeps the rule, so that they do; then both together."""
    n_bundles = int(bundle.max()) + 1
    lo, hi, size = kp_groups.boxes(unit, bundle, n_bundles)
    group = kp_groups.form_groups(lo, hi, size, k, order=kp_groups.by_distance(lo, hi, size))
    lo, hi, _ = kp_groups.boxes(shapes, bundle, n_bundles)
    subgroup = np.empty(n_bundles, dtype=np.int64)
    n_subgroups = 0
    order = np.argsort(group, kind="stable")
    for mine in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        if size[mine].sum() < 2 * p or p >= k:
            part = np.zeros(len(mine), dtype=np.int64)
        else:
            outwards = kp_groups.by_distance(lo[mine], hi[mine], size[mine])
            part = kp_groups.form_groups(lo[mine], hi[mine], size[mine], p, order=outwards)
        subgroup[mine] = n_subgroups + part
        n_subgroups += int(part.max()) + 1
    return _searched(unit, shapes, group[bundle], subgroup[bundle], k, min(p, k), weight, rule)


def mean_words(z: np.ndarray, subgroup: np.ndarray, max_level: int) -> Subgroups:
    """Every subgroup shows the word of its mean shape."""
    n = int(subgroup.max()) + 1
    mean = np.zeros((n, z.shape[1]))
    np.add.at(mean, subgroup, z)
    mean /= np.bincount(subgroup)[:, None]
    letters = sax.sax(sax.z_normalize(mean), max_level)
    return Subgroups(subgroup, np.full(n, max_level), list(letters))


def _microaggregate(features: np.ndarray, m: int) -> np.ndarray:
    n = len(features)
    parts = blocks(features, max(4 * m, min(BLOCK, int(WORK / n))))
    order = np.concatenate(parts)
    out = np.empty(n, dtype=np.int64)
    out[order] = mdav_values.mdav_classes(features, order, np.cumsum([0] + [len(part) for part in parts]), m)
    return out


def _searched(unit, shapes, group, subgroup, k, p, weight, rule):
    sweeps = rounds(len(unit))[2 if p >= k else 1]
    group, subgroup = improve(unit, shapes, group, subgroup, k, p, weight=weight, rule=rule, sweeps=sweeps)
    if rule is not None:
        subgroup = diversity.merged(shapes, group, subgroup, rule)
    return _found(unit, shapes, group, subgroup, weight, rule)


def _found(unit, shapes, group, subgroup, weight, rule):
    failing = 0 if rule is None else int(diversity.failing(subgroup, rule).any(axis=0).sum())
    return Grouping(group, subgroup, total_cost(unit, shapes, group, subgroup, weight), failing)


SHARE_OF_WIDTH = 0.5
MOST_STEPS = 1e8
"""No end lies more steps from 0: with a smaller step every number would pass for a multiple."""


def least_step(lo: np.ndarray, hi: np.ndarray) -> float:
    """The smallest step that these ranges may be rounded to."""
    largest = max(float(np.abs(lo).max(initial=0.0)), float(np.abs(hi).max(initial=0.0)))
    return snapped_up(1.01 * largest / MOST_STEPS)  # rounding outward adds a step


def multiples(lo: np.ndarray, hi: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Ranges widened to multiples of `step`; 0 leaves them as they are.

    A value that is a multiple up to rounding stays one. A range of no width between two multiples opens to both.
    """
    if step == 0:
        return lo, hi
    return _down(lo, step), -_down(-hi, step)


def _down(x: np.ndarray, step: float) -> np.ndarray:
    ratio = x / step
    whole = np.round(ratio)
    at = np.where(np.abs(ratio - whole) <= 1e-9 * np.maximum(1.0, np.abs(whole)), whole, np.floor(ratio))
    return spelled(at, step)


def spelled(at: np.ndarray, step: float) -> np.ndarray:
    """`at` times the step, as the number a person would write: 3 * 0.1 is 0.3."""
    digits = decimals(step)
    with np.errstate(over="ignore"):
        return np.round(at * step, digits) + 0.0 if digits is not None else at * step + 0.0


def decimals(step: float) -> int | None:
    """Digits after the point of a multiple of the step; None where there are too many to matter."""
    for digits in range(16):
        if abs(round(step, digits) - step) <= 1e-12 * step:
            return digits
    return None


def step_for(lo: np.ndarray, hi: np.ndarray, values: np.ndarray) -> float:
    """The default step; `lo` and `hi` are the ranges of all released records (records x times)."""
    width = float(np.median(hi - lo))
    widest = float((hi - lo).max(initial=0.0))
    if width <= 0:
        width = widest
    if width <= 0:  # everybody is alike at every time: a step of the values' own size
        width = float(np.abs(values).max(initial=0.0)) or 1.0
    return max(snapped_down(SHARE_OF_WIDTH * width), snapped_up(2 * recorded_step(values)))


def snapped_down(x: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above x."""
    return _snapped(x, up=False)


def snapped_up(x: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below x; 0 stays 0."""
    return _snapped(x, up=True) if x > 0 else 0.0


def _snapped(x: float, up: bool) -> float:
    power = math.floor(math.log10(x))
    options = [float(f"{digit}e{exponent}") for exponent in (power - 1, power, power + 1) for digit in (1, 2, 5)]
    if up:
        return min(o for o in options if o >= x * (1 - 1e-12))
    return max(o for o in options if o <= x * (1 + 1e-12))


def recorded_step(values: np.ndarray) -> float:
    """1, .1, .01 … : the coarsest power of ten that all values are multiples of; 0 if they have many digits."""
    largest = float(np.abs(values).max(initial=0.0))
    for digits in range(7):
        if np.array_equal(np.round(values, digits), values):
            return 10.0**-digits if largest < 1e15 else 0.0
    return 0.0

"""Groups by value and subgroups by shape, found together: the default of `kapra`, and its envelopes without patterns.

Two ways in, the cheaper kept. *Value-first*: groups of k close series, narrowed by single records, cut into subgroups
of P like shapes. *Pattern-first*: subgroups of P series alike in value and shape, joined to groups. Both end in the
same local search on the two losses together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sequester.methods.series.shared import diversity
from sequester.methods.series.shared.kernels import groups as kp_groups
from sequester.methods.series.shared.kernels import mdav_values
from sequester.methods.series.shared.kernels.diversity_rule import Diversity
from sequester.methods.series.shared.kernels.joint import improve, total_cost
from sequester.methods.series.shared.kernels.near_groups import blocks
from sequester.methods.series.shared.kernels.words import WORK
from sequester.methods.series.shared.subgroups import SHAPE_PER_WEIGHT, Subgroups, refined_groups, unit_range
from sequester.primitives import sax

SHAPES_IN_VALUES = (0.0, 0.02)
"""How strongly shape counts when value-first groups are begun, at weight 1; each is tried."""
TRY_ALL_BELOW = 20_000
"""With more records only the first of them is tried, and pattern-first groups are not refined before the search."""
SWEEPS, LARGE_SWEEPS = (12, 12, 12), (4, 2, 3)
"""Rounds of the search on values alone, on both losses, and on both where P = k and there is one start only."""


@dataclass(frozen=True)
class Grouping:
    """Who shares a range, who shares a pattern, and what it costs."""

    group: np.ndarray
    subgroup: np.ndarray
    cost: float
    failing: int = 0
    """Records in subgroups that fail the rule of diversity."""


def prototype_groups(
    values: np.ndarray, shapes: np.ndarray, k: int, p: int, weight: float, rule: Diversity | None = None
) -> Grouping:
    """The best of all ways; weight 0 with p = k gives plain groups. `shapes` are z-normalised rows."""
    return grouping(unit_range(values), shapes, k, p, weight, rule)


def grouping(
    unit: np.ndarray, shapes: np.ndarray, k: int, p: int, weight: float, rule: Diversity | None = None
) -> Grouping:
    """The same for values in units of their range."""
    plain = weight == 0  # a second start helps the search even then
    some = len(unit) <= TRY_ALL_BELOW
    if p >= k and not (some or plain) and rule is None:
        return pattern_first(unit, shapes, k, k, weight)  # groups and subgroups are one: a second start adds little
    betas = SHAPES_IN_VALUES if some else SHAPES_IN_VALUES[:1]
    tried = [value_first(unit, shapes, k, p, weight, beta * (weight or 1.0), rule) for beta in betas]
    if rule is not None:
        tied = diversity.bundles(unit, rule)
        if tied is not None:
            tried.append(bundled(unit, shapes, tied, k, p, weight, rule))
    elif not plain:
        tried.append(pattern_first(unit, shapes, k, p, weight))
    return min(tried, key=lambda way: (way.failing, way.cost))


def value_first(
    unit: np.ndarray, shapes: np.ndarray, k: int, p: int, weight: float, beta: float, rule: Diversity | None = None
) -> Grouping:
    """Groups of close series first; then subgroups of like shapes inside them; then both together."""
    features = np.hstack([unit, beta * shapes]) if beta else unit
    group = _microaggregate(features, k)
    group, _ = improve(unit, shapes, group, group, k, k, weight=0.0, rule=rule, sweeps=_sweeps(unit)[0])
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
    if len(unit) <= TRY_ALL_BELOW:
        group = refined_groups(unit, subgroup, k)
    else:
        lo, hi, size = kp_groups.boxes(unit, subgroup, int(subgroup.max()) + 1)
        group = kp_groups.form_groups(lo, hi, size, k, order=kp_groups.by_value_loss(lo, hi, size))
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
    loss = sax.pattern_loss(z, sax.reconstruct(letters, max_level)[subgroup]).sum()
    return Subgroups(subgroup, np.full(n, max_level), np.full(n, z.shape[1]), list(letters), float(loss))


def _microaggregate(features: np.ndarray, m: int) -> np.ndarray:
    n = len(features)
    if n <= TRY_ALL_BELOW:
        return mdav_values.mdav_blocked(features, np.arange(n), np.array([0, n]), m, work=WORK)
    parts = blocks(features, max(4 * m, int(WORK / n)))
    order = np.concatenate(parts)
    out = np.empty(n, dtype=np.int64)
    out[order] = mdav_values.mdav_classes(features, order, np.cumsum([0] + [len(part) for part in parts]), m)
    return out


def _sweeps(unit: np.ndarray) -> tuple[int, int, int]:
    return SWEEPS if len(unit) <= TRY_ALL_BELOW else LARGE_SWEEPS


def _searched(unit, shapes, group, subgroup, k, p, weight, rule):
    sweeps = _sweeps(unit)[2 if p >= k else 1]
    group, subgroup = improve(unit, shapes, group, subgroup, k, p, weight=weight, rule=rule, sweeps=sweeps)
    if rule is not None:
        subgroup = diversity.merged(shapes, group, subgroup, rule)
    return _found(unit, shapes, group, subgroup, weight, rule)


def _found(unit, shapes, group, subgroup, weight, rule):
    failing = 0 if rule is None else int(diversity.failing(subgroup, rule).any(axis=0).sum())
    return Grouping(group, subgroup, total_cost(unit, shapes, group, subgroup, weight), failing)

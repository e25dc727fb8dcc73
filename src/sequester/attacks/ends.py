"""Was this series in the data? The ends of an envelope are true values of somebody."""

from __future__ import annotations

import numpy as np

from sequester.attacks.membership import membership
from sequester.attacks.outcome import Outcome, Scene
from sequester.attacks.series import Shown, read_shown
from sequester.model import Series


def attack_membership(scene: Scene) -> list[Outcome]:
    """Count how often a person's exact value is the end of a released range at that time."""
    inside, control = scene.inside, scene.control
    if not isinstance(inside, Series) or not isinstance(control, Series) or scene.control_claim is None:
        return []
    shown = read_shown(scene.control_claim, inside)
    if shown is None:
        return []
    rng = scene.rng("series ends")
    members = inside.values[scene.targets(inside.n_records, rng)]
    strangers = control.values[scene.targets(control.n_records, rng)]
    return membership(
        "membership by ends of ranges",
        ends_met(shown, members),
        ends_met(shown, strangers),
        scene.claim,
        oddness=(distance_from_centre(members, inside.values), distance_from_centre(strangers, inside.values)),
        says="A person's exact values are ends of released ranges more often than a stranger's.",
    )


def distance_from_centre(values: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Largest distance of each series from the middle of `of` at any time, in quartile ranges."""
    low, middle, high = (_quantiles(of, q) for q in (0.25, 0.5, 0.75))
    spread = np.where(high > low, high - low, 1.0)
    return np.nan_to_num(np.abs(values - middle) / spread).max(axis=1, initial=0.0)


def _quantiles(values: np.ndarray, q: float) -> np.ndarray:
    return np.array([np.quantile(v, q) if len(v := c[~np.isnan(c)]) else 0.0 for c in values.T])


def ends_met(shown: Shown, values: np.ndarray) -> np.ndarray:
    """For every series the number of published times at which its value is an end of some range."""
    out = np.zeros(len(values))
    for at, column in enumerate(shown.columns):
        ends = np.unique(np.concatenate([shown.lo[:, at], shown.hi[:, at]]))
        out += np.isin(values[:, column], ends)
    return out

"""Was this series in the data? The ends of an envelope are true values of somebody."""

from __future__ import annotations

import numpy as np

from sequester.model import Series
from sequester.verify.attacks.membership import membership
from sequester.verify.attacks.outcome import Outcome, Scene
from sequester.verify.attacks.series import Shown, read_shown


def attack_membership(scene: Scene) -> list[Outcome]:
    """Count how often a person's exact value is the end of a released range at that time."""
    source, control = scene.source, scene.control
    assert isinstance(source, Series)
    shown = read_shown(scene.claim, source)
    if shown is None or not isinstance(control, Series) or scene.control_claim is None:
        return []
    there = shown if scene.control_claim is scene.claim else read_shown(scene.control_claim, control)
    if there is None:
        return []
    rng = scene.rng("series ends")
    members, strangers = scene.targets(source.n_records, rng), scene.targets(control.n_records, rng)
    centre = np.nanmean(source.values, axis=0) if source.n_records else 0.0
    spread = np.nanstd(source.values, axis=0)
    far = np.abs((source.values[members] - centre) / np.where(spread > 0, spread, 1.0))
    return membership(
        "membership by ends of ranges",
        ends_met(shown, source.values[members]),
        ends_met(there, control.values[strangers]),
        scene.claim,
        oddness=np.nan_to_num(far).max(axis=1) if far.size else np.zeros(len(members)),
        says="A person's exact values are ends of released ranges more often than a stranger's.",
    )


def ends_met(shown: Shown, values: np.ndarray) -> np.ndarray:
    """For every series the number of published times at which its value is an end of some range."""
    out = np.zeros(len(values))
    for at, column in enumerate(shown.columns):
        ends = np.unique(np.concatenate([shown.lo[:, at], shown.hi[:, at]]))
        out += np.isin(values[:, column], ends)
    return out

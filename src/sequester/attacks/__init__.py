"""What an adversary with some knowledge achieves on a release. Pure functions; none shares code with a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sequester.attacks.outcome import Outcome, Scene, as_evidence
from sequester.engines import step
from sequester.layouts import LAYOUTS
from sequester.lazy import load
from sequester.release import Evidence


def dial(scene: Scene, points: Sequence[int]) -> list[dict[str, Any]]:
    """Success of the linkage attacks at several amounts of knowledge, as rows for a curve."""
    rows = []
    for known in points:
        turned = replace(scene, knowledge=known)
        for where in LAYOUTS[scene.claim.layout].attacks:
            attack = load(where)
            if getattr(attack, "by_knowledge", False):
                for outcome in attack(turned):
                    if outcome.knowledge == known and outcome.trials:  # the others do not depend on it
                        found = outcome.row()
                        kept = ("success", "low", "high", "control", "baseline", "bound", "covered", "targets")
                        rows.append(
                            {"attack": outcome.curve or outcome.name, "knowledge": known} | {c: found[c] for c in kept}
                        )
    return rows


def perform(scene: Scene, notes: tuple[str, ...] = ()) -> Evidence:
    """Run every attack that applies."""
    layout = LAYOUTS[scene.claim.layout]
    outcomes: list[Outcome] = []
    with step("Attacking the release", len(layout.attacks) + 1) as tick:
        for where in layout.attacks:
            outcomes += load(where)(scene)
            tick(1)
        smoke = load(layout.closest)(scene) if layout.closest else []
    promise = scene.claim.guarantee
    epsilon = promise.parameters.get("epsilon") if promise.status == "proved" else None
    return as_evidence(outcomes, notes, smoke, epsilon)

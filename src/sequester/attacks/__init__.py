"""What an adversary with some knowledge achieves on a release. Pure functions; none shares code with a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sequester.attacks.outcome import Outcome, Scene, as_evidence
from sequester.lazy import load
from sequester.release import Evidence

_ROOM = "sequester.attacks"
ATTACKS: dict[str, tuple[str, ...]] = {
    "text": (f"{_ROOM}.text:attack_names", f"{_ROOM}.text:attack_linkage", f"{_ROOM}.text:attack_membership"),
    "series": (f"{_ROOM}.series:attack_linkage", f"{_ROOM}.sequences:attack_linkage",
               f"{_ROOM}.series:attack_inference", f"{_ROOM}.series:attack_ranks",
               f"{_ROOM}.ends:attack_membership"),
    "activity": (f"{_ROOM}.activity:attack_linkage", f"{_ROOM}.activity:attack_moments",
                 f"{_ROOM}.activity:attack_resemblance"),
    "events": (f"{_ROOM}.events:attack_copies", f"{_ROOM}.events:attack_linkage",
               f"{_ROOM}.events:attack_membership", f"{_ROOM}.events:attack_inference"),
    "symbols": (f"{_ROOM}.symbols:attack_rare", f"{_ROOM}.symbols:attack_membership"),
}  # fmt: skip
"""Kind of data → its attacks, `attack(scene) -> list[Outcome]`."""
SMOKE: dict[str, str] = {
    "activity": f"{_ROOM}.activity:closest_records",
    "events": f"{_ROOM}.events:closest_records",
}
"""Kind of data → its distance-to-closest-record test: a smoke test, never a result."""


LINKAGE = tuple(where for attacks in ATTACKS.values() for where in attacks if where.endswith("attack_linkage"))
"""Attacks whose success grows with what is known of a target."""


def dial(scene: Scene, points: Sequence[int]) -> list[dict[str, Any]]:
    """Success of the linkage attacks at several amounts of knowledge, as rows for a curve."""
    rows = []
    for known in points:
        turned = replace(scene, knowledge=known)
        for where in ATTACKS[scene.source.kind]:
            if where in LINKAGE:
                for outcome in load(where)(turned):
                    if f"{known} " in outcome.name and outcome.trials:  # the others do not depend on it
                        told = outcome.row()
                        kept = ("success", "low", "high", "control", "baseline", "bound", "covered", "targets")
                        name = outcome.name.replace(f"{known} ", "known ", 1)
                        rows.append({"attack": name, "knowledge": known} | {c: told[c] for c in kept})
    return rows


def perform(scene: Scene, notes: tuple[str, ...] = ()) -> Evidence:
    """Run every attack that applies."""
    kind = scene.source.kind
    outcomes: list[Outcome] = [o for where in ATTACKS[kind] for o in load(where)(scene)]
    smoke = load(SMOKE[kind])(scene) if kind in SMOKE else []
    return as_evidence(outcomes, notes, smoke)

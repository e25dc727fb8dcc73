"""Attacks on n-gram tables: rare grams listed, rare grams known by their count, subtraction, membership."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

import numpy as np

from sequester.attacks.membership import membership
from sequester.attacks.outcome import INFERENCE, SINGLING_OUT, Outcome, Scene
from sequester.layouts.grams import END, Gram, Grams
from sequester.model import SymbolSeries
from sequester.release import Claim


def released_grams(claim: Claim) -> dict[int, dict[Gram, int]] | None:
    """Order → gram → count, or None if no table of grams is released."""
    return Grams.read(claim).by_order if Grams.there(claim) else None


def grams_by_person(data: SymbolSeries, order: int, *, boundary: bool = False) -> list[Counter[Gram]]:
    """Grams of every person, people in sorted order; with order - 1 boundary symbols on either side of a series."""
    people, owner = np.unique(data.persons.astype(str), return_inverse=True)
    out: list[Counter[Gram]] = [Counter() for _ in people]
    names = data.alphabet
    for i in range(data.n_records):
        series = [names[s] for s in data.symbols[data.offsets[i] : data.offsets[i + 1]]]
        if boundary and series:
            series = [END] * (order - 1) + series + [END] * (order - 1)
        out[owner[i]].update(tuple(series[j : j + order]) for j in range(len(series) - order + 1))
    return out


def attack_rare(scene: Scene) -> list[Outcome]:
    """Rare grams: are they listed, does a count betray them, does a difference of orders?"""
    source = scene.source
    assert isinstance(source, SymbolSeries)
    stated = released_grams(scene.claim)
    k = scene.claim.guarantee.parameters.get("k")
    if not stated or not k:
        return []
    order = max(stated)
    boundary = scene.claim.guarantee.parameters.get("boundary") is not None
    per_person = grams_by_person(source, order, boundary=boundary)
    count: Counter[Gram] = sum(per_person, Counter())
    holders: Counter[Gram] = Counter(g for c in per_person for g in c)
    by_person = scene.claim.guarantee.unit == "person"
    rare = [g for g in count if (holders[g] if by_person else count[g]) < k]
    if not rare:
        return []
    top = stated[order]
    lost = trials = None
    if isinstance(scene.control, SymbolSeries) and scene.control_claim is not None:
        there = (
            top if scene.control_claim is scene.claim else (released_grams(scene.control_claim) or {}).get(order, {})
        )
        strange = Counter(g for c in grams_by_person(scene.control, order, boundary=boundary) for g in c)
        kept = holders if scene.control_claim is scene.claim else holders - strange
        alone = [g for g in strange if not kept[g]]
        lost, trials = float(sum(g in there for g in alone)), len(alone)
    ends = range(order if boundary else 1)  # so many places of a gram may lie before a series begins, or behind its end
    possible = sum((outside + 1) * len(source.alphabet) ** (order - outside) for outside in ends)
    outcomes = [
        Outcome(
            name=f"rare {order}-grams listed", test=SINGLING_OUT, successes=float(sum(g in top for g in rare)),
            trials=len(rare), control_successes=lost, control_trials=trials or 0, baseline=len(top) / possible,
            bound=0.0, covered=by_person,
            says=f"A gram that fewer than {k} {'people have' if by_person else 'places show'} stands in the table.",
        )
    ]  # fmt: skip
    flagged = {g for g, c in top.items() if c == k}
    listed = [g for g in rare if g in top]
    if listed:
        common = [g for g in top if g in count and g not in set(rare)]
        outcomes.append(
            Outcome(
                name="rare grams told by a count of k", test=INFERENCE,
                successes=float(sum(g in flagged for g in listed)), trials=len(listed),
                control_successes=float(sum(g in flagged for g in common)), control_trials=len(common),
                baseline=len(flagged) / max(1, len(top)), bound=None,
                says=f"A rare gram shows itself by a count of exactly {k}; the control are grams that were not rare.",
            )
        )  # fmt: skip
    hidden = {g: c for g, c in count.items() if g not in top}
    if hidden and order > 1:
        continued = Counter(g[:-1] for g in hidden)
        complete = contexts_of(stated, order) - set(continued)
        for name, found, covered, says in (
            ("suppressed grams found by subtraction", excess_of_lower(stated, order), by_person,
             "What a lower order counts beyond all published grams around it is a suppressed gram's exact count."),
            ("suppressed grams found by flow", imbalance(stated, order), by_person,
             "More published grams lead into a context than out of it, and the difference is the exact count of its "
             "only suppressed continuation."),
        ):  # fmt: skip
            right = sum(found.get(g[:-1]) == c and continued[g[:-1]] == 1 for g, c in hidden.items())
            wrong = sum(h in complete for h in found)
            outcomes.append(
                Outcome(
                    name=name, test=INFERENCE, successes=float(right), trials=len(hidden),
                    control_successes=float(wrong), control_trials=len(complete),
                    baseline=0.0, bound=0.0, covered=covered, says=says,
                    more={"contexts_claimed": len(found)},
                )
            )  # fmt: skip
    return outcomes


def contexts_of(declared: dict[int, dict[Gram, int]], order: int) -> set[Gram]:
    """Grams one shorter than the top order, as the table shows them anywhere."""
    return set(declared.get(order - 1, {})) | {g[:-1] for g in declared[order]} | {g[1:] for g in declared[order]}


def _around(declared: dict[int, dict[Gram, int]], order: int) -> tuple[dict[Gram, int], dict[Gram, int]]:
    """What the published top grams count into and out of every context."""
    into: dict[Gram, int] = {}
    out: dict[Gram, int] = {}
    for g, c in declared[order].items():
        out[g[:-1]] = out.get(g[:-1], 0) + c
        into[g[1:]] = into.get(g[1:], 0) + c
    return into, out


def excess_of_lower(declared: dict[int, dict[Gram, int]], order: int) -> dict[Gram, int]:
    """Context → what its own count exceeds all that the published top grams say about it."""
    into, out = _around(declared, order)
    beyond = {h: c - max(into.get(h, 0), out.get(h, 0)) for h, c in declared.get(order - 1, {}).items()}
    return {h: d for h, d in beyond.items() if d > 0}


def imbalance(declared: dict[int, dict[Gram, int]], order: int) -> dict[Gram, int]:
    """Context → by how much more published grams lead into it than out of it."""
    into, out = _around(declared, order)
    return {h: c - out.get(h, 0) for h, c in into.items() if c > out.get(h, 0)}


def attack_membership(scene: Scene) -> list[Outcome]:
    """Membership by the grams of a person that the table lists, the rare ones weighing most."""
    people, control = scene.inside, scene.control
    if not isinstance(people, SymbolSeries) or not isinstance(control, SymbolSeries) or scene.control_claim is None:
        return []
    found = released_grams(scene.control_claim)
    if not found:
        return []
    order = max(found)
    top = found[order]
    rng = scene.rng("symbols membership")
    boundary = scene.claim.guarantee.parameters.get("boundary") is not None
    members, strangers = (grams_by_person(data, order, boundary=boundary) for data in (people, control))
    holders = Counter(g for c in members for g in c)
    inside = [members[i] for i in scene.targets(len(members), rng)]
    outside = [strangers[i] for i in scene.targets(len(strangers), rng)]

    def score(mine: Counter[Gram], own: int) -> float:
        weight = {g: 1 / (1 + holders[g] - own) for g in mine}  # how few others have it
        total = sum(weight.values())
        return sum(w for g, w in weight.items() if g in top) / total if total else 0.0

    def rarity(mine: Counter[Gram], own: int) -> float:
        return float(sum(holders[g] == own for g in mine))

    return membership(
        "membership by rare grams",
        np.array([score(c, 1) for c in inside]),
        np.array([score(c, 0) for c in outside]),
        scene.claim,
        oddness=(np.array([rarity(c, 1) for c in inside]), np.array([rarity(c, 0) for c in outside])),
        says="More of a member's grams, weighted by how few others have them, stand in the table than of a stranger's.",
    )


ORDERS = (2, 3, 4, 5)
"""Orders of grams an onlooker knows."""


def points(data: SymbolSeries) -> Iterator[set[Hashable]]:
    """Every series' grams."""
    for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        part = data.symbols[a:b]
        yield {tuple(data.alphabet[s] for s in part[j : j + n]) for n in ORDERS for j in range(len(part) - n + 1)}


def shown(claim: Claim, _original: SymbolSeries) -> set[Hashable]:
    return {g for table in (released_grams(claim) or {}).values() for g in table}

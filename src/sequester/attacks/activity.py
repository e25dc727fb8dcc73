"""Attacks on released minutes of activity: linkage by known intervals, unique moments, membership, inference."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from sequester.attacks.membership import calibrated, membership
from sequester.attacks.outcome import INFERENCE, LINKABILITY, SINGLING_OUT, Outcome, Scene, by_knowledge
from sequester.errors import BundleError, counted
from sequester.layouts.states import States
from sequester.model import Activities
from sequester.release import Claim, Figure

INTERVALS = 1440
"""Intervals looked at where whole records are compared; more would only cost time."""
ROWS = 4000
"""Released rows compared with a person at most."""
VOTERS = 5
"""Nearest rows that vote on an unknown interval."""


def released_states(claim: Claim) -> np.ndarray | None:
    """Released rows x intervals, or None if the release shows none."""
    try:
        rows = States.read(claim).states
    except BundleError:
        return None
    return rows if len(rows) else None


@by_knowledge
def attack_linkage(scene: Scene) -> list[Outcome]:
    """Find the cluster of a target from a few known intervals, then guess inside it."""
    source = scene.source
    assert isinstance(source, Activities)
    found = scene.claim.private.get("records")
    if found is None or released_states(scene.claim) is None:
        return []
    here = States.read(scene.claim)
    rows, cluster = here.states, here.cluster
    if cluster is None:
        return []
    rng = scene.rng("activity linkage")
    size = dict(zip(*(a.tolist() for a in np.unique(cluster, return_counts=True)), strict=True))
    mine = dict(zip(found.column("row").to_pylist(), found.column("cluster").to_pylist(), strict=True))
    targets = scene.targets(source.n_records, rng)
    won = sum(_found(source, r, rows, cluster, mine.get(int(r)), size, scene.knowledge, rng) for r in targets)
    lost, trials = None, 0
    if isinstance(scene.control, Activities) and scene.control_claim is not None:
        other = here if scene.control_claim is scene.claim else States.read(scene.control_claim)
        there, theirs = other.states, other.cluster
        if theirs is not None:
            sizes = dict(zip(*(a.tolist() for a in np.unique(theirs, return_counts=True)), strict=True))
            strangers = scene.targets(scene.control.n_records, rng)
            lost = sum(
                _found(scene.control, r, there, theirs, int(rng.choice(theirs)), sizes, scene.knowledge, rng)
                for r in strangers
            )
            trials = len(strangers)
    k = scene.claim.guarantee.parameters.get("k")
    return [
        Outcome(
            name=f"linkage by {counted(scene.knowledge, 'interval')}", knowledge=scene.knowledge,
            curve="linkage by known intervals", test=LINKABILITY, successes=won, trials=len(targets),
            control_successes=lost, control_trials=trials, baseline=1 / max(1, len(rows)), bound=1 / k if k else None,
            says="The row nearest to the known intervals is of the target's cluster, and the guess in it is right.",
        )
    ]  # fmt: skip


def _found(
    data: Activities, row: int, rows: np.ndarray, cluster: np.ndarray, goal: int | None, size: dict[int, int],
    points: int, rng: np.random.Generator,
) -> float:  # fmt: skip
    at = known_intervals(data, row, points, rng)
    if goal is None or not len(at):
        return 0.0
    agree = (rows[:, at] == data.states[row, at]).sum(axis=1)
    best = cluster[agree == agree.max()]
    return float((best == goal).mean()) / size[goal]


def known_intervals(data: Activities, row: int, points: int, rng: np.random.Generator) -> np.ndarray:
    """Intervals of a person that someone saw; nobody sees the absence of a measurement."""
    missing = data.missing
    seen = np.arange(data.states.shape[1]) if missing is None else np.flatnonzero(data.states[row] != missing)
    return rng.permutation(seen)[:points]


def attack_moments(scene: Scene) -> list[Outcome]:
    """What only one person did at a moment: does the release show it?

    The control moments are those of people who never were in the data and that nobody in it shares; a release that
    shows the former and not the latter says that somebody was there.
    """
    twin = isinstance(scene.control, Activities) and scene.control_claim is not None and scene.inside is not None
    claim, people = (scene.control_claim, scene.inside) if twin else (scene.claim, scene.source)
    assert claim is not None and isinstance(people, Activities)
    rows = released_states(claim)
    if rows is None or rows.shape[1] != people.states.shape[1]:
        return []
    rng = scene.rng("activity moments")
    n_states = len(people.state_names)
    held, shown = cells(people.states, n_states), cells(rows, n_states) > 0
    own, _ = moments(people, held == 1)
    outcomes = _moment_membership(scene)
    if not len(own):
        return outcomes
    picked = own[scene.targets(len(own), rng)]
    lost, trials = None, 0
    if isinstance(scene.control, Activities):
        strange, _ = moments(scene.control, held == 0)
        strange = strange[scene.targets(len(strange), rng)]
        lost, trials = float(shown[strange[:, 0], strange[:, 1]].sum()), len(strange)
    return [
        Outcome(
            name="own moments shown", test=SINGLING_OUT, successes=float(shown[picked[:, 0], picked[:, 1]].sum()),
            trials=len(picked), control_successes=lost, control_trials=trials, baseline=chance_shown(held, shown),
            says="A state that one person alone had at an interval appears there in the release.",
        ),
        *outcomes,
    ]  # fmt: skip


def _same_release(scene: Scene) -> tuple[Activities, Activities, np.ndarray] | None:
    """Members, strangers, and the rows of the release that was made from the members alone."""
    people, control = scene.inside, scene.control
    if not isinstance(people, Activities) or not isinstance(control, Activities) or scene.control_claim is None:
        return None
    rows = released_states(scene.control_claim)
    return None if rows is None or rows.shape[1] != people.states.shape[1] else (people, control, rows)


def _moment_membership(scene: Scene) -> list[Outcome]:
    """Members and strangers by how many of their own moments the same release shows, beside what chance shows."""
    sides = _same_release(scene)
    if sides is None:
        return []
    people, control, rows = sides
    n_states = len(people.state_names)
    held, shown = cells(people.states, n_states), cells(rows, n_states) > 0
    chance = chance_shown(held, shown)
    scores = []
    for data, others in ((people, 1), (control, 0)):
        own, owner = moments(data, held == others)
        n_own = np.bincount(owner, minlength=data.n_records).astype(float)
        seen = np.bincount(owner, weights=shown[own[:, 0], own[:, 1]], minlength=data.n_records)
        # Someone with many moments of their own has many shown by chance: count standard deviations above it.
        scores.append(((seen - n_own * chance) / np.sqrt(n_own * chance * (1 - chance) + 0.25), n_own))
    (members, n_members), (strangers, n_strangers) = scores
    return membership(
        "membership by own moments", members, strangers, scene.claim, oddness=(n_members, n_strangers),
        says="The release shows more of what only this person did than chance would, beside a stranger.",
    )  # fmt: skip


def chance_shown(held: np.ndarray, shown: np.ndarray) -> float:
    """How often the release shows a state at an interval where nobody had it."""
    nobody = held == 0
    return float(shown[nobody].mean()) if nobody.any() else 0.0


def cells(states: np.ndarray, n_states: int) -> np.ndarray:
    """Intervals x states: how many rows."""
    out = np.empty((states.shape[1], n_states), dtype=np.int64)
    for code in range(n_states):
        out[:, code] = (states == code).sum(axis=0)
    return out


def moments(data: Activities, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(interval, state) of the people in `data` among the `wanted` cells, and whose each is."""
    if data.missing is not None:
        wanted = wanted.copy()
        wanted[:, data.missing] = False  # the absence of a measurement is nobody's moment
    at, code = np.nonzero(wanted)
    found, owner = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for start in range(0, len(at), 4096):
        hits = data.states[:, at[start : start + 4096]] == code[start : start + 4096]
        person, j = np.nonzero(hits)
        found.append(np.column_stack([at[start + j], code[start + j]]))
        owner.append(person)
    return np.concatenate(found), np.concatenate(owner)


def attack_resemblance(scene: Scene) -> list[Outcome]:
    """Membership by nearest row, and inference of an unknown interval from the nearest rows."""
    sides = _same_release(scene)
    if sides is None:
        return []
    people, control, rows = sides
    rng = scene.rng("activity resemblance")
    at = np.sort(rng.permutation(rows.shape[1])[:INTERVALS])
    members, strangers = scene.targets(people.n_records, rng), scene.targets(control.n_records, rng)
    compared = _some(rows, rng)[:, at]
    inside = agreement(people.states[members][:, at], compared)
    outside = agreement(control.states[strangers][:, at], compared)
    won, blind = _guessed(people, members, rows, scene.knowledge, rng)
    lost, _ = _guessed(control, strangers, rows, scene.knowledge, rng)
    return [
        *membership(
            "membership by nearest row", calibrated(inside), calibrated(outside), scene.claim,
            oddness=(-inside.mean(axis=1), -outside.mean(axis=1)),
            says="A member's nearest released row is nearer than a stranger's, beside what is usual for that person.",
        ),
        Outcome(
            name=f"inference of an interval from {scene.knowledge} others", test=INFERENCE, successes=won,
            trials=len(members), control_successes=lost, control_trials=len(strangers),
            baseline=blind / max(1, len(members)),
            says=f"The {counted(VOTERS, 'row')} nearest to the known intervals vote for the target's state at another.",
        ),
    ]  # fmt: skip


def _some(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rows if len(rows) <= ROWS else rows[rng.choice(len(rows), ROWS, replace=False)]


def agreement(people: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """People x rows: share of intervals in the same state."""
    out = np.empty((len(people), len(rows)), dtype=np.float32)
    for i, person in enumerate(people):
        out[i] = (rows == person).mean(axis=1)
    return out


def _guessed(
    data: Activities, people: np.ndarray, rows: np.ndarray, points: int, rng: np.random.Generator
) -> tuple[float, float]:
    won = blind = 0.0
    for r in people:
        at = known_intervals(data, int(r), points + 1, rng)
        if len(at) < 2:
            continue
        goal, at = at[0], at[1:]
        agree = (rows[:, at] == data.states[r, at]).sum(axis=1)
        order = rng.permutation(len(rows))
        nearest = order[np.argsort(-agree[order], kind="stable")[:VOTERS]]
        won += np.bincount(rows[nearest, goal]).argmax() == data.states[r, goal]
        blind += np.bincount(rows[:, goal]).argmax() == data.states[r, goal]
    return won, blind


def closest_records(scene: Scene) -> list[Figure]:
    """Smoke test: how near is the nearest original to a released row, beside the nearest stranger?"""
    source, control = scene.source, scene.control
    assert isinstance(source, Activities)
    rows = released_states(scene.claim)
    if rows is None or rows.shape[1] != source.states.shape[1] or not isinstance(control, Activities):
        return []
    rng = scene.rng("activity closest")
    at = np.sort(rng.permutation(rows.shape[1])[:INTERVALS])
    picked = rows[scene.targets(len(rows), rng)][:, at]
    n = min(control.n_records, source.n_records)
    originals = source.states[rng.choice(source.n_records, n, replace=False)][:, at]
    strangers = control.states[rng.choice(control.n_records, n, replace=False)][:, at]
    near, far = agreement(picked, originals).max(axis=1), agreement(picked, strangers).max(axis=1)
    return [
        Figure(name="closest_record_is_an_original", value=float(((near > far) + (near == far) / 2).mean()),
               says="Smoke test only: share of released rows nearer to an original than to any of as many strangers; "
               "0.5 is what ignorance gives. Passing it proves nothing.")
    ]  # fmt: skip


MOST = 2000
"""Own moments kept per person: enough to recognise somebody."""


def points(data: Activities) -> Iterator[set[Hashable]]:
    """Moments that one row alone has: minute by minute most are shared, so the others are not listed."""
    found, whose = moments(data, cells(data.states, len(data.state_names)) == 1)
    out: list[set[Hashable]] = [set() for _ in range(data.n_records)]
    for (at, code), row in zip(found.tolist(), whose.tolist(), strict=True):
        if len(out[row]) < MOST:
            out[row].add((at, code))
    yield from out


def shown(claim: Claim, original: Activities) -> set[Hashable]:
    rows = released_states(claim)
    if rows is None or rows.shape[1] != original.states.shape[1]:
        return set()
    seen = cells(rows, len(original.state_names)) > 0
    return {(int(at), int(code)) for at, code in np.argwhere(seen)}

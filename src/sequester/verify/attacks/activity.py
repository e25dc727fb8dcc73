"""Attacks on released minutes of activity: linkage by known intervals, unique moments, membership, inference."""

from __future__ import annotations

import numpy as np

from sequester.model import Activities
from sequester.release import Claim, Figure
from sequester.verify.attacks.membership import calibrated, membership
from sequester.verify.attacks.outcome import INFERENCE, LINKABILITY, SINGLING_OUT, Outcome, Scene

INTERVALS = 1440
"""Intervals looked at where whole records are compared; more would only cost time."""
ROWS = 4000
"""Released rows compared with a person at most."""
VOTERS = 5
"""Nearest rows that vote on an unknown interval."""


def released_states(claim: Claim) -> np.ndarray | None:
    """Rows x intervals of the table `sequences`, or None if there is no such table."""
    if "sequences" not in claim.tables or "states" not in claim.tables["sequences"].column_names:
        return None
    column = claim.tables["sequences"].column("states").combine_chunks()
    flat = column.flatten().to_numpy(zero_copy_only=False)
    n = len(column)
    if n == 0 or len(flat) % n:
        return None
    return flat.reshape(n, -1)


def attack_linkage(scene: Scene) -> list[Outcome]:
    """Find the cluster of a target from a few known intervals, then guess inside it."""
    source = scene.source
    assert isinstance(source, Activities)
    rows = released_states(scene.claim)
    table = scene.claim.tables.get("sequences")
    told = scene.claim.private.get("records")
    if rows is None or table is None or told is None or "cluster" not in table.column_names:
        return []
    rng = scene.rng("activity linkage")
    cluster = table.column("cluster").to_numpy()
    size = dict(zip(*(a.tolist() for a in np.unique(cluster, return_counts=True)), strict=True))
    mine = dict(zip(told.column("row").to_pylist(), told.column("cluster").to_pylist(), strict=True))
    targets = scene.targets(source.n_records, rng)
    won = sum(_found(source, r, rows, cluster, mine.get(int(r)), size, scene.knowledge, rng) for r in targets)
    lost, trials = None, 0
    if isinstance(scene.control, Activities) and scene.control_claim is not None:
        there = rows if scene.control_claim is scene.claim else released_states(scene.control_claim)
        if there is not None:
            theirs = scene.control_claim.tables["sequences"].column("cluster").to_numpy()
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
            name=f"linkage by {scene.knowledge} intervals", test=LINKABILITY, successes=won, trials=len(targets),
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
    source = scene.source
    assert isinstance(source, Activities)
    rows = released_states(scene.claim)
    if rows is None or rows.shape[1] != source.states.shape[1]:
        return []
    rng = scene.rng("activity moments")
    held, shown = cells(source.states, len(source.state_names)), cells(rows, len(source.state_names)) > 0
    own, owner = own_moments(source, held)
    if not len(own):
        return []
    picked = scene.targets(len(own), rng)
    won = float(shown[own[picked, 0], own[picked, 1]].sum())
    nobody = np.argwhere(held == 0)
    blind = float(shown[nobody[:, 0], nobody[:, 1]].mean()) if len(nobody) else 0.0
    lost, trials = None, 0
    scores_in = _footprint(own, owner, shown, source.n_records)
    outcomes = []
    if isinstance(scene.control, Activities) and scene.control_claim is not None:
        there = rows if scene.control_claim is scene.claim else released_states(scene.control_claim)
        if there is not None and there.shape[1] == source.states.shape[1]:
            # Held out of the twin: moments only they have, beside everybody who stayed in.
            shown_there = cells(there, len(source.state_names)) > 0
            strange, whose = own_moments(scene.control, held if scene.control_claim is scene.claim else None, source)
            trials = min(len(strange), scene.sample)
            pick = scene.targets(len(strange), rng)
            lost = float(shown_there[strange[pick, 0], strange[pick, 1]].sum()) if len(strange) else 0.0
            scores_out = _footprint(strange, whose, shown_there, scene.control.n_records)
            outcomes = membership(
                "membership by own moments", scores_in, scores_out, scene.claim,
                oddness=np.bincount(owner, minlength=source.n_records).astype(float),
                says="The release shows more of what only this person did than of what only a stranger did.",
            )  # fmt: skip
    outcomes.append(
        Outcome(
            name="own moments shown", test=SINGLING_OUT, successes=won, trials=len(picked), control_successes=lost,
            control_trials=trials, baseline=blind,
            says="A state that one person alone had at an interval appears there in the release.",
        )
    )  # fmt: skip
    return outcomes


def cells(states: np.ndarray, n_states: int) -> np.ndarray:
    """Intervals x states: how many rows."""
    out = np.empty((states.shape[1], n_states), dtype=np.int64)
    for code in range(n_states):
        out[:, code] = (states == code).sum(axis=0)
    return out


def own_moments(
    data: Activities, held: np.ndarray | None, everybody: Activities | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(interval, state) of one person alone, and whose it is; `held` counts the people of the data.

    For strangers `held` counts the others: theirs alone is what no other has. With a twin, the strangers are part of
    the source, so what they alone have is what the source has once.
    """
    if held is None:
        assert everybody is not None
        held = cells(everybody.states, len(data.state_names))
        want = 1
    else:
        want = 1 if everybody is None else 0
    mask = held == want
    if data.missing is not None:
        mask[:, data.missing] = False
    at, code = np.nonzero(mask)
    found, owner = [], []
    for start in range(0, len(at), 4096):
        hits = data.states[:, at[start : start + 4096]] == code[start : start + 4096]
        person, j = np.nonzero(hits)
        found.append(np.column_stack([at[start + j], code[start + j]]))
        owner.append(person)
    if not found:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate(found), np.concatenate(owner)


def _footprint(own: np.ndarray, owner: np.ndarray, shown: np.ndarray, n: int) -> np.ndarray:
    """How many of each person's own moments the release shows."""
    if not len(own):
        return np.zeros(n)
    return np.bincount(owner, weights=shown[own[:, 0], own[:, 1]], minlength=n)


def attack_resemblance(scene: Scene) -> list[Outcome]:
    """Membership by nearest row, and inference of an unknown interval from the nearest rows."""
    source, control = scene.source, scene.control
    assert isinstance(source, Activities)
    rows = released_states(scene.claim)
    if rows is None or rows.shape[1] != source.states.shape[1] or not isinstance(control, Activities):
        return []
    there = rows if scene.control_claim is scene.claim or scene.control_claim is None else released_states(
        scene.control_claim
    )  # fmt: skip
    if there is None:
        return []
    rng = scene.rng("activity resemblance")
    at = np.sort(rng.permutation(rows.shape[1])[:INTERVALS])
    members = scene.targets(source.n_records, rng)
    strangers = scene.targets(control.n_records, rng)
    inside = agreement(source.states[members][:, at], _some(rows, rng)[:, at])
    outside = agreement(control.states[strangers][:, at], _some(there, rng)[:, at])
    outcomes = membership(
        "membership by nearest row", calibrated(inside), calibrated(outside), scene.claim, oddness=-inside.mean(axis=1),
        says="A member's nearest released row is nearer than a stranger's, beside what is usual for that person.",
    )  # fmt: skip
    won, blind = _guessed(source, members, rows, scene.knowledge, rng)
    lost, _ = _guessed(control, strangers, there, scene.knowledge, rng)
    outcomes.append(
        Outcome(
            name=f"inference of an interval from {scene.knowledge} others", test=INFERENCE, successes=won,
            trials=len(members), control_successes=lost, control_trials=len(strangers),
            baseline=blind / max(1, len(members)),
            says=f"The {VOTERS} rows nearest to the known intervals vote for the target's state at another.",
        )
    )  # fmt: skip
    return outcomes


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

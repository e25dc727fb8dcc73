"""Was this person in the data? Scores of members against scores of strangers, at a low rate of false alarms.

The average attack says little: a release can hide most people and give away the few who stand out. So the true
positive rate is told at a fixed low false positive rate, and once more for the members who stand out most.

Attack on released sequences of letters: find a target's own by the letters its series would give.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.attacks.bounds import hits_allowed
from sequester.attacks.outcome import LINKABILITY, SINGLING_OUT, Outcome, Scene, by_knowledge
from sequester.attacks.series import word
from sequester.layouts.grams import Letters
from sequester.model import Series
from sequester.primitives.intervals import wilson
from sequester.release import Claim

FALSE_ALARMS = (0.1, 0.01)
"""False positive rates at which the attack is judged; each needs enough strangers to be set."""
OUTLIERS = 0.1
"""Share of the people counted as standing out."""
MOST_OUTLIERS = 0.5
"""Beyond this share nobody stands out."""
FEWEST = 10
"""Outliers looked at, at least."""


def threshold_at(strangers: np.ndarray, false_alarms: float) -> float:
    """The score that at most `false_alarms` of the strangers exceed."""
    ordered = np.sort(strangers)[::-1]
    return float(ordered[min(len(ordered) - 1, math.floor(false_alarms * len(ordered) + 1e-9))])


def membership(
    name: str, members: np.ndarray, strangers: np.ndarray, claim: Claim, *,
    oddness: tuple[np.ndarray, np.ndarray] | None = None, says: str = "",
) -> list[Outcome]:  # fmt: skip
    """Outcomes of a membership attack whose scores are higher for people who seem to be inside.

    `oddness` tells how much every member and every stranger stands out; outliers are compared with outliers.
    """
    outcomes = []
    groups = [(name, members, strangers)]
    share = max(OUTLIERS, FEWEST / max(1, min(len(members), len(strangers))))
    if oddness is not None and share <= MOST_OUTLIERS:
        odd = _first(members, oddness[0], share), _first(strangers, oddness[1], share)
        groups.append((f"{name}, outliers first", *odd))
    for rate in FALSE_ALARMS:
        for label, inside, outside in groups:
            if len(outside) * rate < 1 - 1e-9:
                continue
            limit = threshold_at(outside, rate)
            alarms = int((outside > limit).sum())
            bound = bound_on_hits(claim, alarms, len(outside))
            outcomes.append(
                Outcome(
                    name=f"{label} at {rate:.0%} false alarms",
                    test=SINGLING_OUT,
                    successes=float((inside > limit).sum()),
                    trials=len(inside),
                    control_successes=float(alarms),
                    control_trials=len(outside),
                    baseline=rate,
                    bound=bound,
                    says=says or "A person who was in the data is told apart from strangers.",
                    more={"area_under_curve": area(inside, outside)},
                )
            )
    return outcomes


def bound_on_hits(claim: Claim, alarms: int, n: int) -> float | None:
    """Largest true positive rate that the promise allows at this many false alarms among `n` strangers; None if any.

    What the ledger spent is tighter than epsilon: at epsilon 4 and a tenth of false alarms .40 instead of .98.
    """
    curve = hits_allowed(claim.guarantee, claim.ledger, np.array([wilson(alarms, n)[1]]))
    return None if curve is None else float(curve[0])


def _first(scores: np.ndarray, oddness: np.ndarray, share: float) -> np.ndarray:
    """Scores of the people who stand out most: the same share of members as of strangers, or ranks would differ."""
    return scores[np.argsort(-oddness, kind="stable")[: round(share * len(scores))]]


def area(members: np.ndarray, strangers: np.ndarray) -> float | None:
    """Chance that a member scores higher than a stranger, ties counted half: 0.5 is no knowledge."""
    if not len(members) or not len(strangers):
        return None
    ordered = np.sort(strangers)
    below = np.searchsorted(ordered, members, side="left")
    upto = np.searchsorted(ordered, members, side="right")
    return float(((below + upto) / 2).mean() / len(ordered))


def calibrated(affinity: np.ndarray) -> np.ndarray:
    """Nearest resemblance of every person to a released row, less what resemblance is usual for that person.

    `affinity` is people x released rows. Someone ordinary resembles many rows without having been in the data.
    """
    if affinity.size == 0:
        return np.zeros(len(affinity))
    nearest = affinity.max(axis=1)
    spread = affinity.std(axis=1)
    return (nearest - affinity.mean(axis=1)) / np.where(spread > 0, spread, 1.0)


def released_sequences(claim: Claim) -> Letters | None:
    """The released sequences, or None if there are none."""
    return Letters.read(claim) if {"sequences", "alphabet"} <= set(claim.tables) else None


@by_knowledge
def attack_linkage(scene: Scene) -> list[Outcome]:
    """Pick among the released sequences that have most in common with the target's word."""
    source = scene.source
    assert isinstance(source, Series)
    found, origin = released_sequences(scene.claim), scene.claim.private.get("origin")
    if found is None or origin is None:
        return []
    sequences, letters = found.sequences, list(found.letters)
    rng = scene.rng("series sequences")
    number = {r: i for i, r in enumerate(found.record.tolist())}
    pairs = zip(origin.column("row").to_pylist(), origin.column("record").to_pylist(), strict=True)
    place = {row - 1: number[record] for row, record in pairs if record in number}
    rows = np.array(sorted(place))
    targets = rows[scene.targets(len(rows), rng)]
    won = sum(_found(_word(source, int(r), letters), sequences, place[int(r)]) for r in targets)
    lost, trials = None, 0
    if isinstance(scene.control, Series) and scene.control_claim is not None:
        there = released_sequences(scene.control_claim)
        if there is not None and there.sequences:
            strangers = scene.targets(scene.control.n_records, rng)
            goals = rng.integers(len(there.sequences), size=len(strangers))
            lost = sum(
                _found(_word(scene.control, int(r), list(there.letters)), there.sequences, int(goal))
                for r, goal in zip(strangers, goals, strict=True)
            )
            trials = len(strangers)
    k = scene.claim.guarantee.parameters.get("k")
    return [
        Outcome(
            name="linkage by word", test=LINKABILITY, successes=won, trials=len(targets),
            control_successes=lost, control_trials=trials, baseline=1 / max(1, len(sequences)),
            bound=1 / k if k else None,
            says="The sequence picked among those nearest to the target's word is the target's own.",
        )
    ]  # fmt: skip


def _word(data: Series, row: int, letters: list[str]) -> tuple[str, ...]:
    values = data.values[row]
    if data.letters:
        return tuple(data.letters[int(v)] for v in values if v == v)
    if np.isnan(values).any():
        return ()
    return tuple(letters[ord(c) - ord("a")] for c in word(values, len(letters), len(values)))


def _found(mine: tuple[str, ...], sequences: list[tuple[str, ...]], goal: int) -> float:
    common = {s: common_letters(mine, s) for s in set(sequences)}
    best = max(common.values())
    if common[sequences[goal]] < best:
        return 0.0
    return 1 / sum(common[s] == best for s in sequences)


def common_letters(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b):
            above = row[j + 1]
            row[j + 1] = before + 1 if x == y else max(above, row[j])
            before = above
    return row[-1]

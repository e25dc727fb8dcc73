"""Was this person in the data? Scores of members against scores of strangers, at a low rate of false alarms.

The average attack says little: a release can hide most people and give away the few who stand out. So the true
positive rate is told at a fixed low false positive rate, and once more for the members who stand out most.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.guarantees.intervals import wilson
from sequester.release import Claim
from sequester.verify.attacks.outcome import SINGLING_OUT, Outcome

FALSE_ALARMS = (0.1, 0.01)
"""False positive rates at which the attack is judged; each needs enough strangers to be set."""
OUTLIERS = 0.1
"""Share of the members counted as standing out."""


def promised(claim: Claim) -> tuple[float, float] | None:
    """Epsilon and delta of a differentially private promise that holds, or None."""
    told = claim.guarantee
    if told.status != "proved" or "epsilon" not in told.parameters:
        return None
    return float(told.parameters["epsilon"]), float(told.parameters.get("delta") or 0.0)


def threshold_at(strangers: np.ndarray, false_alarms: float) -> float:
    """The score that at most `false_alarms` of the strangers exceed."""
    ordered = np.sort(strangers)[::-1]
    return float(ordered[min(len(ordered) - 1, math.floor(false_alarms * len(ordered) + 1e-9))])


def membership(
    name: str, members: np.ndarray, strangers: np.ndarray, claim: Claim, *, oddness: np.ndarray | None = None,
    says: str = "",
) -> list[Outcome]:  # fmt: skip
    """Outcomes of a membership attack whose scores are higher for people who seem to be inside."""
    outcomes = []
    promise = promised(claim)
    groups = [(name, np.arange(len(members)))]
    if oddness is not None and len(members) >= 10:
        n_odd = max(5, round(OUTLIERS * len(members)))
        groups.append((f"{name}, outliers first", np.argsort(-oddness, kind="stable")[:n_odd]))
    for rate in FALSE_ALARMS:
        if len(strangers) * rate < 1 - 1e-9:
            continue
        limit = threshold_at(strangers, rate)
        alarms = int((strangers > limit).sum())
        for label, who in groups:
            bound = None
            if promise is not None:
                epsilon, delta = promise
                bound = min(1.0, math.exp(min(50.0, epsilon)) * wilson(alarms, len(strangers))[1] + delta)
            outcomes.append(
                Outcome(
                    name=f"{label} at {rate:.0%} false alarms",
                    test=SINGLING_OUT,
                    successes=float((members[who] > limit).sum()),
                    trials=len(who),
                    control_successes=float(alarms),
                    control_trials=len(strangers),
                    baseline=rate,
                    bound=bound,
                    says=says or "A person who was in the data is told apart from strangers.",
                    more={"area_under_curve": area(members[who], strangers)},
                )
            )
    return outcomes


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

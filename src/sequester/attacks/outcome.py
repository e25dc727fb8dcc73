"""What an attack achieved: its rate beside the rate on strangers, the rate of a blind guess, and the promised bound.

Three rates make one finding (as in Giomi et al. 2023). The **main** rate is what the attacker achieves against people
who are in the data. The **control** rate is what the same attack achieves against people who never were: whatever
success it has there is knowledge about the population, not about anyone's record. The **baseline** is a guess made
without looking at the release. Only main above control is a leak.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sequester.errors import counted
from sequester.model import Data
from sequester.primitives.intervals import percent, wilson
from sequester.primitives.labels import Labels
from sequester.release import Check, Claim, Evidence, Figure

SINGLING_OUT, LINKABILITY, INFERENCE = "singling out", "linkability", "inference"


Attack = Callable[["Scene"], list["Outcome"]]


def by_knowledge(attack: Attack) -> Attack:
    """Marks an attack whose success grows with what is known of a target: `dial` tries it at every amount of it."""
    attack.by_knowledge = True  # type: ignore[attr-defined]
    return attack


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Everything an attack may look at."""

    claim: Claim
    source: Data
    control: Data | None
    """People who never were in the data."""
    control_claim: Claim | None
    """The release those people were held out of: the same one, or a twin made without them."""
    inside: Data | None
    """The people that release was made from. Members and strangers must be compared on one and the same release:
    two runs of a method differ by chance, and the difference would pass for knowledge."""
    knowledge: int
    """How many points of a target are known."""
    sample: int
    """At most so many targets, and so many controls."""
    seed: int
    labels: Labels | None = None
    """Text only: original document → spans of private text."""

    def rng(self, name: str) -> np.random.Generator:
        """Random numbers of one attack: adding an attack does not change another's draw."""
        return np.random.default_rng([self.seed, *name.encode()])

    def targets(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Records to attack: all, or a random sample."""
        return np.arange(n) if n <= self.sample else np.sort(rng.choice(n, self.sample, replace=False))


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One attack's result."""

    name: str
    test: str
    """Which of the regulators' three tests it belongs to."""
    successes: float
    trials: int
    control_successes: float | None = None
    control_trials: int = 0
    baseline: float | None = None
    bound: float | None = None
    """What the promise allows; None where it says nothing."""
    covered: bool = True
    """Whether the promise covers this attack; if not, the bound is only a yardstick."""
    says: str = ""
    """What counts as a success, in a sentence."""
    knowledge: int | None = None
    """How many points of the target it knew, where its success depends on that."""
    curve: str = ""
    """Its name in a curve over what is known."""
    lead: str = ""
    """A sentence that must come first in the summary, whatever attack is strongest."""
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Share of targets for whom it succeeded."""
        return self.successes / self.trials if self.trials else 0.0

    @property
    def control(self) -> float | None:
        """Share of strangers for whom it succeeded."""
        if self.control_successes is None or not self.control_trials:
            return None
        return self.control_successes / self.control_trials

    @property
    def excess(self) -> float | None:
        """Success beyond what works on strangers too, as a share of what was left to gain."""
        if self.control is None:
            return None
        return max(0.0, (self.rate - self.control) / (1 - self.control)) if self.control < 1 else 0.0

    @property
    def beats_bound(self) -> bool:
        """Whether even the lower end of the interval lies above the bound."""
        return self.bound is not None and wilson(self.successes, self.trials)[0] > self.bound + 1e-12

    def row(self) -> dict[str, Any]:
        low, high = wilson(self.successes, self.trials)
        out = {
            "attack": self.name,
            "test": self.test,
            "success": self.rate,
            "low": low,
            "high": high,
            "control": self.control,
            "baseline": self.baseline,
            "excess": self.excess,
            "bound": self.bound,
            "covered": self.covered if self.bound is not None else None,
            "targets": self.trials,
            "controls": self.control_trials,
        }
        return out | self.more | {"says": self.says}


def as_evidence(
    outcomes: Sequence[Outcome], notes: Sequence[str] = (), smoke: Sequence[Figure] = (), epsilon: float | None = None
) -> Evidence:
    """All outcomes of one release: a sentence, a check for every bound the promise states, figures and a table.

    `epsilon` is that of a proved release: what a success beside it means is said with it.
    """
    outcomes = [o for o in outcomes if o.trials]
    checks, figures = [], []
    for o in outcomes:
        low, high = wilson(o.successes, o.trials)
        if o.bound is not None and o.covered:
            detail = f"{percent(o.rate)} ({percent(low)} to {percent(high)}) against a bound of {percent(o.bound)}"
            checks.append(Check(name=f"{o.name} stays within its bound", passed=not o.beats_bound, detail=detail))
        name = o.name.replace(" ", "_").replace(",", "")
        beside = {
            "low": (low, "Lower end of the 95 % interval."),
            "high": (high, "Upper end of the 95 % interval."),
            "control": (o.control, "The same attack on people who never were in the data."),
            "baseline": (o.baseline, "A guess without the release."),
            "bound": (o.bound, "What the promise allows." if o.covered else "A yardstick; the promise excludes this."),
        }
        figures.append(Figure(name=name, value=o.rate, better="lower", says=o.says))
        figures += [
            Figure(name=f"{name}_{k}", value=v, better="neither", says=s, beside=name)
            for k, (v, s) in beside.items()
            if v is not None
        ]
    return Evidence(
        about="attack",
        saw_original=True,
        summary=" ".join([*(o.lead for o in outcomes if o.lead), _sentence(outcomes, epsilon), *notes]),
        checks=tuple(checks),
        figures=(*figures, *smoke),
        rows={"attacks": [o.row() | ({} if epsilon is None else {"epsilon": epsilon}) for o in outcomes]},
    )


FAR = 0.1
"""A success so far above strangers and blind guesses is shown as a finding even where no bound is stated."""


def _far_above(o: Outcome) -> bool:
    return wilson(o.successes, o.trials)[0] - max(o.control or 0.0, o.baseline or 0.0) > FAR


def _sentence(outcomes: Sequence[Outcome], epsilon: float | None) -> str:
    if not outcomes:
        return "No attack applies to this release."
    # by what is certain: the lower end of the interval, less what works on strangers or blindly
    worst = max(outcomes, key=lambda o: wilson(o.successes, o.trials)[0] - max(o.control or 0.0, o.baseline or 0.0))
    beside = [f"control {percent(worst.control)}"] if worst.control is not None else []
    beside += [f"blind guess {percent(worst.baseline)}"] if worst.baseline is not None else []
    if worst.bound is not None:
        beside.append(f"{'bound' if worst.covered else 'not covered by the promise; yardstick'} {percent(worst.bound)}")
    broken = sum(o.beats_bound and o.covered for o in outcomes)
    if broken:
        fate = f"{broken} of them beat the promised bound"
    elif (worst.bound is None or not worst.covered) and _far_above(worst):
        fate = (
            "the promise does not cover it and states no bound, so this success is what the release gives away"
            if epsilon is None
            else f"the promise bounds what one person's own data adds (epsilon = {epsilon:g}), not what this attack "
            "learns from everybody's"
        )
    else:
        fate = "none beats a bound the promise states"
    return (
        f"The strongest of {len(outcomes)} attacks is {worst.name}: it succeeds for {percent(worst.rate)} of "
        f"{counted(worst.trials, 'target')} ({', '.join(beside)}); {fate}."
    )

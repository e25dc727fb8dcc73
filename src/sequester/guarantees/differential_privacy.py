"""Differential privacy, kept by a ledger: the promise of every method whose noise was calibrated and added up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sequester.dp.ledger import epsilon_of
from sequester.errors import ParameterError
from sequester.guarantees.wording import SEVERAL_NOISY
from sequester.release import Guarantee

MODEL = "differential-privacy"


def differential_privacy(epsilon: float, delta: float, unit: str, not_covered: tuple[str, ...]) -> Guarantee:
    """(epsilon, delta)-differential privacy when one `unit` is added or removed with everything it has in the data.

    The status is `proved`: the proof is the ledger (each mechanism's sensitivity and noise scale, and their sum),
    which the judge adds up again. It is not something a reader can see in the published rows.
    """
    if not epsilon > 0 or not 0 <= delta < 1:
        raise ParameterError(
            f"differential privacy: epsilon must be positive and delta in [0, 1), got {epsilon!r}, {delta!r}."
        )
    level = f"({epsilon:g}, {delta:g})-differential privacy" if delta else f"{epsilon:g}-differential privacy"
    failure = f", plus at most {delta:g}" if delta else ""
    return Guarantee(
        model=MODEL,
        level=level,
        parameters={"epsilon": epsilon, "delta": delta},
        unit=unit,
        status="proved",
        statement=(
            f"Adding or removing one {unit}, with all data of that {unit}, changes the probability of any published "
            f"outcome by at most a factor of exp({epsilon:g}){failure}."
        ),
        not_covered=(*not_covered, SEVERAL_NOISY),
    )


EXPERIMENTAL = (
    "Several sites: this way of joining them is experimental; nobody outside has reviewed it yet.",
    "A site that lies about its numbers: it can spoil the release. It cannot read the data of another site.",
)


def times_in(people: str) -> int:
    """At how many sites one person may be, as stated: `disjoint`, or `at most M`."""
    return 1 if people == "disjoint" else int(people.removeprefix("at most "))


def group_epsilon(ledger: Mapping[str, Any], times: int) -> float:
    """Epsilon of somebody who is `times` in the data of a ledger: rho grows with the square, pure epsilon as it is."""
    if times == 1 or ledger["measure"] == "epsilon":
        return float(ledger["epsilon"]) * times
    return epsilon_of(float(ledger["total"]) * times**2, float(ledger["delta"]) - float(ledger["delta_reserved"]))


def promise_over_sites(promise: Guarantee, ledger: Mapping[str, Any], federation: Mapping[str, Any]) -> Guarantee:
    """The same promise where the data stayed at several sites: who is trusted with what, and who a person is."""
    times = times_in(federation["people"])
    everywhere = group_epsilon(ledger, times)
    n, collude, people = federation["sites"], federation["collude"], federation["people"]
    delta = promise.parameters["delta"]
    at = f" at delta = {delta:g}" if delta else ""
    if federation["trusted_combiner"]:
        who = (
            f"The data stayed at {n} sites. The coordinator saw the exact sums over all of them, drew the noise, and "
            "is trusted with both; a site's own sums were seen by nobody."
        )
    else:
        others = f"up to {collude} of the other sites" if collude != 1 else "one of the other sites"
        who = (
            f"The data stayed at {n} sites. Each added noise before its sums left, hidden by numbers that only the "
            f"sites know, so that the coordinator, even together with {others}, learned no more than this."
        )
    if people == "disjoint":
        whom = "The sites state that nobody is at two of them."
    else:
        whom = f"This is for a person at one site; for a person at up to {times} sites epsilon is {everywhere:.3g}{at}."
    left = () if people != "disjoint" else ("A person at two of the sites, should there be one after all.",)
    return replace(
        promise,
        statement=f"{promise.statement} {who} {whom}",
        not_covered=(*EXPERIMENTAL, *left, *promise.not_covered),
    )

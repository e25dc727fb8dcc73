"""Recompute the promise with simple code of its own: the judge is not the accused.

A judge is `judge(claim, source) -> list[Check]`, registered under the name of the promise (`Guarantee.model`), so
every method that makes the same promise faces the same judge. `claim` is a release in memory or an opened bundle;
`source` is the original, or None when only the release is at hand.
"""

from __future__ import annotations

from sequester.lazy import load
from sequester.model import Data
from sequester.release import Check, Claim, Evidence

JUDGES: dict[str, str] = {
    "differential-privacy": "sequester.verify.dp:judge",
}
"""Name of a promise → its judge."""


def verify(claim: Claim, source: Data | None = None) -> Evidence:
    """Recompute the promise of a release, from its tables alone or beside the original."""
    model = claim.guarantee.model
    if model in JUDGES:
        checks = load(JUDGES[model])(claim, source)
    else:
        checks = [Check(name="judge", passed=False, detail=f"no judge is registered for the promise '{model}'")]
    evidence = Evidence(about="verify", saw_original=source is not None, checks=tuple(checks))
    said = "confirmed" if evidence.holds else "NOT confirmed"
    basis = "release and original" if source is not None else "release alone"
    return Evidence(
        about="verify",
        saw_original=evidence.saw_original,
        checks=evidence.checks,
        summary=f"{claim.guarantee.level} ({claim.guarantee.unit}) {said} from the {basis}.",
    )

"""Recompute the promise with simple code of its own: the judge is not the accused.

A judge is `judge(claim, source) -> list[Check]`, registered under the name of the promise (`Guarantee.model`), so
every method that makes the same promise faces the same judge. `claim` is a release in memory or an opened bundle;
`source` is the original, or None when only the release is at hand. Installed packages bring the judges of new promises
through the entry point group `sequester.judges` (name of the promise = judge).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sequester.lazy import Registry, load
from sequester.release import Check, Evidence

if TYPE_CHECKING:
    from sequester.model import Data
    from sequester.release import Claim, Guarantee

_OWN: dict[str, str] = {
    "cluster-mixture": "sequester.judges.clusters:judge_mixture",
    "copied-anomaly": "sequester.judges.ngrams:judge_copy",
    "differential-privacy": "sequester.judges.dp:judge",
    "k-anonymous-sequences": "sequester.judges.clusters:judge_exact",
    "k-boxes": "sequester.judges.k_boxes:judge",
    "k-support": "sequester.judges.k_support:judge",
    "kp-anonymity": "sequester.judges.kp:judge",
    "ngram-k-anonymity": "sequester.judges.ngrams:judge",
    "ngram-k-people": "sequester.judges.ngram_people:judge",
    "noisy-clusters": "sequester.judges.clusters:judge_noisy",
    "ratio-test": "sequester.judges.ratio_test:judge",
    "substring-k-anonymity": "sequester.judges.substrings:judge",
    "word-frequency": "sequester.judges.words:judge",
}
JUDGES = Registry("sequester.judges", _OWN)
"""Name of a promise → its judge: ours, and those of installed packages."""


def verify(claim: Claim, source: Data | None = None) -> Evidence:
    """Recompute the promise of a release, from its tables alone or beside the original."""
    model = claim.guarantee.model
    if model in JUDGES:
        checks = load(JUDGES[model])(claim, source)
    else:
        checks = [Check(name="judge", passed=False, detail=f"no judge is registered for the promise '{model}'")]
    return verdict(claim.guarantee, tuple(checks), saw_original=source is not None)


def verdict(guarantee: Guarantee, checks: tuple[Check, ...], *, saw_original: bool) -> Evidence:
    """The checks with their result in a sentence."""
    basis = "release and original" if saw_original else "release alone"
    found = Evidence(about="verify", saw_original=saw_original, checks=checks)
    said = {
        "confirmed": f"confirmed from the {basis}",
        "broken": f"NOT confirmed from the {basis}",
        "undecided": "undecided without the original",
    }[found.result]
    return replace(found, summary=f"{guarantee.level} ({guarantee.unit}) {said}.")

"""Recompute the promise with simple code of its own: the judge is not the accused.

A judge is `judge(claim, source) -> list[Check]`, registered under the name of the promise (`Guarantee.model`), so
every method that makes the same promise faces the same judge. `claim` is a release in memory or an opened bundle;
`source` is the original, or None when only the release is at hand. Installed packages bring the judges of new promises
through the entry point group `sequester.judges` (name of the promise = judge).
"""

from __future__ import annotations

from dataclasses import replace

from sequester.lazy import Registry, load
from sequester.model import Data
from sequester.release import Check, Claim, Evidence, Guarantee, verdict_on

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
    "public-words": "sequester.judges.public_words:judge",
    "ratio-test": "sequester.judges.ratio_test:judge",
    "substring-k-anonymity": "sequester.judges.substrings:judge",
    "word-frequency": "sequester.judges.words:judge",
}
JUDGES = Registry("sequester.judges", _OWN)
"""Name of a promise → its judge: ours, and those of installed packages."""


BLIND = frozenset({"differential-privacy"})
"""Promises that rest on nothing in the original: beside it, only copies are looked for, and only where a judge can."""


OF_PARTS = frozenset({"copied-anomaly", "ngram-k-anonymity", "ngram-k-people"})
"""Promises whose judge reads an original part by part, so that it need not fit into memory."""


def judge(claim: Claim, source: Data | None = None) -> tuple[list[Check], bool]:
    """The checks of a promise, and whether the original was looked at."""
    model = claim.guarantee.model
    if model not in JUDGES:
        return [Check(name="judge", passed=False, detail=f"no judge is registered for the promise '{model}'")], False
    checks = list(load(JUDGES[model])(claim, source))
    looked = model not in BLIND or any(not c.of_release for c in checks)
    return checks, source is not None and looked


def verify(claim: Claim, source: Data | None = None) -> Evidence:
    """Recompute the promise of a release, from its tables alone or beside the original."""
    checks, saw_original = judge(claim, source)
    return verdict(claim.guarantee, tuple(checks), saw_original=saw_original)


def verdict(
    guarantee: Guarantee, checks: tuple[Check, ...], *, saw_original: bool, unchecked: tuple[str, ...] = ()
) -> Evidence:
    """The checks, with the verdict that follows from them."""
    found = Evidence(about="verify", saw_original=saw_original, checks=checks)
    open_ = "; ".join(f"{c.name}: {c.detail}" for c in checks if c.undecided)
    said = verdict_on(guarantee, found.result, saw_original=saw_original, unchecked=unchecked, undecided=open_)
    return replace(found, verdict=said, summary=said.words)

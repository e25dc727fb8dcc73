"""k-support: every subsequence of a released sequence occurs in at least k released sequences (Pensa et al. 2008)."""

from __future__ import annotations

from sequester.guarantees.wording import OWN_ROW, SEVERAL
from sequester.release import Guarantee

MODEL = "k-support"


def k_support(*, k: int, unit: str) -> Guarantee:
    """The promise of `bfp2ka`."""
    noun = {"person": "people", "record": "records"}[unit]
    left_out = [
        "Truth: a rare sequence is replaced by another one, which may be quite unlike it.",
        "Rare patterns: they are absent, so the release says nothing about them.",
        "Differential privacy: counts are exact.",
        "Sensitive columns: they are not released.",
        SEVERAL,
    ]
    if unit == "record":
        left_out.append("People with several sequences: they count once per sequence.")
    else:
        left_out.append(OWN_ROW)
    return Guarantee(
        model=MODEL,
        level=f"support {k}",
        parameters={"k": k},
        unit=unit,
        status="verifiable",
        statement=f"Whatever part of a released sequence is known, at least {k} released sequences contain it "
        f"({noun} with one sequence each).",
        not_covered=tuple(left_out),
    )

"""k-anonymity of whole sequences: every published row equals at least k - 1 others."""

from __future__ import annotations

from sequester.guarantees.wording import OWN_ROW, SEVERAL
from sequester.release import Guarantee

MODEL = "k-anonymous-sequences"


def k_anonymous_sequences(k: int) -> Guarantee:
    """Rows inside a cluster of at least `k` people are identical."""
    return Guarantee(
        model=MODEL,
        level=f"{k}-anonymity",
        parameters={"k": k},
        unit="person",
        status="verifiable",
        statement=f"Every published row equals at least {k - 1} others, one for each person of its cluster. A mean "
        f"of a cluster is shown where at least {k} members share it and none stands out; the custodian alone can "
        "recount that.",
        not_covered=(
            "What the members of a cluster have in common: whoever knows that someone is in a cluster knows its row.",
            "Differential privacy: clusters and rows are computed from the data without noise.",
            OWN_ROW,
            SEVERAL,
        ),
    )

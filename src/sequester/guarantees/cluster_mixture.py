"""What MCKA and its baseline really promise: rows drawn from mixtures of at least k people. Not k-anonymity."""

from __future__ import annotations

from sequester.guarantees.wording import SEVERAL
from sequester.release import Guarantee

MODEL = "cluster-mixture"


def cluster_mixture(k: int, sampler: str) -> Guarantee:
    """Every row depends on the data only through pools of at least `k` people and the sizes of clusters."""
    drawn = {
        "independent": f"Every interval of a row is drawn from the shares of a cluster of {k} to {2 * k - 1} people.",
        "day-types": (
            f"Every row is drawn from rates pooled over at least {k} people of a cluster of {k} to {2 * k - 1}, or "
            "over all people, moved by random effects of persons and days whose spread is measured over all people."
        ),
    }[sampler]
    alone = {
        "independent": (
            f"A state only one member had at an interval: it can still appear in a row (probability about "
            f"{1 - (1 - 1 / k) ** k:.2f}), and only because somebody had it."
        ),
        "day-types": (
            f"A change of state that only one member of a pool of {k} people made: it adds to the pool's rate and can "
            f"be drawn. Which pools hold {k} people is decided from the data. Copied stretches are measured, not "
            "excluded by proof."
        ),
    }[sampler]
    spread = ("How much people and days differ in the whole data: it is kept on purpose.",)
    return Guarantee(
        model=MODEL,
        level=f"mixtures of at least {k} people",
        parameters={"k": k, "sampler": sampler},
        unit="person",
        status="as-published",
        statement=drawn,
        not_covered=(
            "k-anonymity: the rows of a cluster all differ, so there are no groups of equal rows.",
            "What all members of a cluster share at an interval: it is shown with certainty.",
            alone,
            "How clusters were formed: one person can change all of them. No differential privacy.",
            *(spread if sampler == "day-types" else ()),
            SEVERAL,
        ),
    )

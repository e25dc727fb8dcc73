"""What MCDP and its baseline really promise: noise on the profile of clusters that were chosen without noise."""

from __future__ import annotations

from sequester.release import Guarantee

MODEL = "noisy-clusters"


def noisy_clusters(k: int, epsilon: float, literal: bool) -> Guarantee:
    """Cluster profiles carry Laplace noise; the clusters themselves carry none, so this is not epsilon-DP."""
    budget = (
        "Every state's profile is noised as if it were the only one: over four states the joint cost may reach "
        f"{8**0.5 * epsilon:.3g} even for fixed clusters."
        if literal
        else f"If the clusters had been fixed beforehand, the noise would be worth epsilon={epsilon:g}."
    )
    return Guarantee(
        model=MODEL,
        level=f"noise at epsilon={epsilon:g} on clusters of at least {k} people, no differential privacy",
        parameters={"k": k, "epsilon": epsilon},
        unit="person",
        status="as-published",
        statement=(
            f"Rows are drawn from the noisy profile of a cluster of {k} to {2 * k - 1} people; the Laplace noise is "
            f"calibrated to one member of a cluster that is taken as given."
        ),
        not_covered=(
            "Differential privacy: clusters are chosen from the data without noise, and one person can change all.",
            "The sizes of the clusters, which are exact.",
            budget,
            "The method activity-dp gives (epsilon, delta)-differential privacy for a person's whole record instead.",
        ),
    )

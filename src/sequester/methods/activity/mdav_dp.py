"""MDAV-DP: the paper's baseline, plain MDAV and the noise of MCDP. Not differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sequester.guarantees.noisy_clusters import noisy_clusters
from sequester.method import Method
from sequester.methods.activity.clustering import check_level, check_weights, mdav_clusters
from sequester.methods.activity.mcdp import require_terms
from sequester.methods.activity.perturbation import draw_noisy
from sequester.methods.activity.sampling import clustered_tables
from sequester.model import Activities
from sequester.papers import ACTIVITY
from sequester.release import Guarantee, Release

if TYPE_CHECKING:
    from sequester.engines import Engine
    from sequester.guarantees.randomness import Randomness


@dataclass(frozen=True, kw_only=True)
class MDAVDP(Method):
    """Cluster people with plain MDAV, add Laplace noise to each cluster's profile, and publish rows drawn from it."""

    k: int
    """People per cluster, at least 2; clusters hold k to 2k-1."""
    epsilon: float
    """Noise level for one member of a fixed cluster. It is not a differential privacy of the release."""
    terms: int = 14
    """Frequencies kept per state."""
    mechanism: Literal["fpa", "lpa"] = "fpa"
    """Noise on Fourier coordinates (fpa, the paper), or on every interval (lpa)."""
    level: str = "day"
    """Windows the distance is taken on: period, week, day, hour, minutes such as 15min, or interval (every one)."""
    weights: tuple[str, ...] = ()
    """Weights of states in the distance, such as walking=50; 1 for the others."""
    variant: Literal["2k", "3k"] = "2k"
    """MDAV as in the paper (2k), or as in the older literature (3k)."""
    literal: bool = False
    """As printed: every state noised at epsilon by itself."""

    id = "mdav-dp"
    accepts = Activities
    paper = ACTIVITY + "; MDAV: Domingo-Ferrer, Torra 2005"
    example = {"k": 10, "epsilon": 1.0}  # noqa: RUF012
    baseline = True

    def __post_init__(self) -> None:
        self.require("k", 2)
        self.require("epsilon", 1e-6, 1e6)
        self.require("terms", 1)
        self.require_choice("mechanism", ("fpa", "lpa"))
        self.require_choice("variant", ("2k", "3k"))
        check_level(self, self.level)
        check_weights(self, self.weights)

    @property
    def guarantee(self) -> Guarantee:
        """Noise on given clusters; the clusters themselves are exact."""
        return noisy_clusters(self.k, self.epsilon, self.literal)

    def apply(self, data: Activities, *, rng: Randomness, engine: Engine) -> Release:
        """Cluster, add noise to the profiles, draw, number anew."""
        self.require_people(data, self.k)
        require_terms(data, self.terms, self.mechanism)
        clusters = mdav_clusters(
            data,
            k=self.k,
            level=self.level,
            weights=check_weights(self, self.weights),
            variant=self.variant,
            threads=engine.threads,
        )
        place = rng.secret.permutation(data.n_records)
        rows = draw_noisy(
            data,
            clusters,
            place,
            epsilon=self.epsilon,
            terms=self.terms,
            mechanism=self.mechanism,
            literal=self.literal,
            rng=rng,
            threads=engine.threads,
        )
        public, private = clustered_tables(data, clusters, rows, place, k=self.k, rng=rng, engine=engine)
        return Release(tables=public, guarantee=self.guarantee, method=self, private=private, teaching_only=rng.seeded)

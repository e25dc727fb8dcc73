"""MCDP: rows drawn from noisy profiles of clusters (Parameshwarappa, Chen, Koru 2020). Not differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sequester.errors import InputError
from sequester.guarantees.noisy_clusters import noisy_clusters
from sequester.method import Method
from sequester.methods.activity.clustering import check_levels, check_sizes, check_weights, multilevel_clusters
from sequester.methods.activity.perturbation import draw_noisy
from sequester.methods.activity.sampling import clustered_tables
from sequester.model import Activities
from sequester.papers import ACTIVITY
from sequester.release import Guarantee, Release

if TYPE_CHECKING:
    from sequester.engines import Engine
    from sequester.guarantees.randomness import Randomness


@dataclass(frozen=True, kw_only=True)
class MCDP(Method):
    """Cluster people level by level, add Laplace noise to each cluster's profile, and publish rows drawn from it."""

    k: int
    """People per cluster, at least 2 (the paper recommends 50); clusters hold k to 2k-1."""
    epsilon: float
    """Noise level for one member of a fixed cluster. It is not a differential privacy of the release."""
    terms: int = 14
    """Frequencies kept per state."""
    mechanism: Literal["fpa", "lpa"] = "fpa"
    """Noise on Fourier coordinates (fpa, the paper), or on every interval (lpa)."""
    levels: tuple[str, ...] = ("period", "day")
    """Windows of each clustering level, coarse to fine: period, week, day, hour or minutes such as 15min."""
    fan_out: int | None = None
    """Parts per level: a part holds k * fan-out people (default 200; 50 with `literal`)."""
    sizes: tuple[str, ...] = ()
    """People per part at every level instead of `fan_out`, the last equal to k."""
    weights: tuple[str, ...] = ()
    """Weights of states in the distance, such as walking=50; 1 for the others."""
    variant: Literal["2k", "3k"] = "2k"
    """MDAV as in the paper (2k), or as in the older literature (3k)."""
    passes: int | None = None
    """Passes that improve the clusters by moves and swaps within k..2k-1 (default 3; 0 with `literal`)."""
    literal: bool = False
    """As printed: fan-out 50, no improvement passes, every state noised at epsilon by itself."""

    id = "mcdp"
    accepts = Activities
    paper = ACTIVITY + "; FPA: Rastogi, Nath 2010"
    example = {"k": 10, "epsilon": 1.0}  # noqa: RUF012

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "fan_out", (50 if self.literal else 200) if self.fan_out is None else self.fan_out)
        fill(self, "passes", (0 if self.literal else 3) if self.passes is None else self.passes)
        self.require("k", 2)
        self.require("epsilon", 1e-6, 1e6)
        self.require("terms", 1)
        self.require("fan_out", 1)
        self.require("passes", 0)
        self.require_choice("mechanism", ("fpa", "lpa"))
        self.require_choice("variant", ("2k", "3k"))
        check_levels(self, self.levels)
        check_weights(self, self.weights)
        check_sizes(self, self.sizes, self.levels, self.k)

    @property
    def guarantee(self) -> Guarantee:
        """Noise on given clusters; the clusters themselves are exact."""
        return noisy_clusters(self.k, self.epsilon, self.literal)

    def apply(self, data: Activities, *, rng: Randomness, engine: Engine) -> Release:
        """Cluster, add noise to the profiles, draw, number anew."""
        self.require_people(data, self.k)
        require_terms(data, self.terms, self.mechanism)
        clusters = multilevel_clusters(
            data,
            k=self.k,
            levels=self.levels,
            fan_out=int(self.fan_out or 1),
            sizes=tuple(int(s) for s in self.sizes) or None,
            weights=check_weights(self, self.weights),
            variant=self.variant,
            passes=int(self.passes or 0),
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


def require_terms(data: Activities, terms: int, mechanism: str) -> None:
    """As many frequencies as the sequence can have."""
    most = (data.states.shape[1] + 1) // 2
    if mechanism == "fpa" and terms > most:
        raise InputError(
            f"anonymize: {terms} frequencies were asked for, "
            f"sequences of {data.states.shape[1]} intervals have {most}. Lower terms."
        )

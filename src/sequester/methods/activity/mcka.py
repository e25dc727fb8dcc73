"""MCKA: rows drawn from clusters of at least k people (Parameshwarappa, Chen, Koru 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sequester.guarantees.cluster_mixture import cluster_mixture
from sequester.guarantees.k_anonymous_sequences import k_anonymous_sequences
from sequester.method import Method
from sequester.methods.activity.clustering import check_levels, check_sizes, check_weights, multilevel_clusters
from sequester.methods.activity.sampling import clustered_tables, draw_mixture, repeat_first, repeat_most_frequent
from sequester.model import Activities
from sequester.papers import ACTIVITY
from sequester.release import Guarantee, Release

if TYPE_CHECKING:
    from sequester.engines import Engine
    from sequester.guarantees.randomness import Randomness


@dataclass(frozen=True, kw_only=True)
class MCKA(Method):
    """Cluster people level by level into groups of k, and publish rows drawn from each group."""

    k: int
    """People per cluster, at least 2; clusters hold k to 2k-1."""
    exact: bool = False
    """Publish one identical row per member of a cluster: true k-anonymity, at the price of all variation inside it."""
    representative: Literal["drawn", "most-frequent"] = "drawn"
    """The row an `exact` cluster shares: one drawn by the sampler (keeps durations), or each interval's mode."""
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
    sampler: Literal["semi-markov", "independent"] | None = None
    """Keep bouts and transitions (semi-markov, default), or draw every interval alone (independent, the paper)."""
    candidates: int = 8
    """Days drawn per day by the semi-markov sampler; the one nearest the cluster's mean totals is kept."""
    centroids: bool = False
    """Also publish the mean minutes per cluster, state and day."""
    covariate_means: bool = False
    """Also publish cluster means of numeric covariates known for at least k members."""
    literal: bool = False
    """Everything as printed in the paper: fan-out 50, no improvement passes, independent intervals."""

    id = "mcka"
    accepts = Activities
    paper = ACTIVITY
    example = {"k": 5}  # noqa: RUF012

    def __post_init__(self) -> None:
        fill = object.__setattr__
        fill(self, "fan_out", (50 if self.literal else 200) if self.fan_out is None else self.fan_out)
        fill(self, "passes", (0 if self.literal else 3) if self.passes is None else self.passes)
        fill(
            self,
            "sampler",
            ("independent" if self.literal else "semi-markov") if self.sampler is None else self.sampler,
        )
        self.require("k", 2)
        self.require("fan_out", 1)
        self.require("passes", 0)
        self.require("candidates", 1, 1000)
        self.require_choice("variant", ("2k", "3k"))
        self.require_choice("sampler", ("semi-markov", "independent"))
        self.require_choice("representative", ("drawn", "most-frequent"))
        check_levels(self, self.levels)
        check_weights(self, self.weights)
        check_sizes(self, self.sizes, self.levels, self.k)

    @property
    def guarantee(self) -> Guarantee:
        """k-anonymity with `exact`; otherwise mixtures of at least k people."""
        if self.exact:
            return k_anonymous_sequences(self.k, self.representative)
        return cluster_mixture(self.k, str(self.sampler))

    def apply(self, data: Activities, *, rng: Randomness, engine: Engine) -> Release:
        """Cluster, draw, number anew."""
        self.require_people(data, self.k)
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
        if self.exact and self.representative == "most-frequent":
            rows = repeat_most_frequent(data, clusters, place, threads=engine.threads)
        else:
            rows = draw_mixture(
                data,
                clusters,
                place,
                k=self.k,
                sampler=str(self.sampler),
                candidates=self.candidates,
                rng=rng,
                threads=engine.threads,
            )
        if self.exact:
            repeat_first(clusters, place, rows)
        public, private = clustered_tables(
            data,
            clusters,
            rows,
            place,
            k=self.k,
            rng=rng,
            engine=engine,
            centroids=self.centroids,
            covariates=self.covariate_means,
        )
        return Release(tables=public, guarantee=self.guarantee, method=self, private=private)

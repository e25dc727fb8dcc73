"""MCKA: rows drawn from clusters of at least k people (Parameshwarappa, Chen, Koru 2020)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.guarantees.cluster_mixture import cluster_mixture
from sequester.guarantees.k_anonymous_sequences import k_anonymous_sequences
from sequester.methods.activity.shared.clustered import Multilevel
from sequester.methods.activity.shared.clustering import Clusters, Everybody, everybody
from sequester.methods.activity.shared.grouped import in_groups
from sequester.methods.activity.shared.sampling import (
    clustered_tables,
    draw_mixture,
    repeat_first,
    repeat_most_frequent,
)
from sequester.model import Activities, Data
from sequester.options import option
from sequester.papers import ACTIVITY
from sequester.release import Guarantee, Release


@dataclass(frozen=True, kw_only=True)
class MCKA(Multilevel):
    """Cluster people level by level into groups of k, and publish rows drawn from each group."""

    exact: bool = option(False, level="everyday")
    """Publish one identical row per member of a cluster: true k-anonymity, at the price of all variation inside it."""
    representative: Literal["drawn", "most-frequent"] = option("drawn", level="paper")
    """The row an `exact` cluster shares: one drawn by the sampler (keeps durations), or each interval's mode."""
    sampler: Literal["day-types", "semi-markov", "independent"] | None = option(None, level="paper")
    """Keep bouts, transitions and how people and days differ (day-types, default), bouts and transitions alone
    (semi-markov), or draw every interval alone (independent, the paper)."""
    candidates: int = option(8, low=1, high=1000, level="paper")
    """Rows drawn per row by day-types, of which the one is kept that brings the shape of the day nearest to that of
    all people; days drawn per day by semi-markov, of which the nearest to the cluster's mean totals is kept."""
    centroids: bool = option(False, level="paper")
    """Also publish the mean minutes per cluster, state and day, where at least k members share them."""
    covariate_means: bool = option(False, level="paper")
    """Also publish cluster means of numeric covariates known for at least k members; not of two-valued ones."""
    literal: bool = option(False, level="paper")
    """Everything as printed in the paper: fan-out 50, no improvement passes, independent intervals."""

    id = "mcka"
    accepts = Activities
    paper = ACTIVITY
    layout = "states"
    example = {"k": 5}  # noqa: RUF012

    def __post_init__(self) -> None:
        usual = "independent" if self.literal else "day-types"
        object.__setattr__(self, "sampler", usual if self.sampler is None else self.sampler)
        super().__post_init__()

    def idle(self, data: Data | None = None) -> Mapping[str, str]:
        """What belongs to a way of drawing that is not in use."""
        out = dict(super().idle(data))
        if not self.exact:
            out["representative"] = "‹exact=True›"
        elif self.representative == "most-frequent":
            out |= dict.fromkeys(("sampler", "candidates"), "‹representative='drawn'›")
        if self.sampler == "independent":
            out.setdefault("candidates", "‹sampler='day-types'› or ‹sampler='semi-markov'›")
        return out

    def given(self, name: str) -> bool:
        """The usual sampler is filled in."""
        usual = "independent" if self.literal else "day-types"
        return self.sampler != usual if name == "sampler" else super().given(name)

    @property
    def needs_everybody(self) -> bool:  # type: ignore[override]
        """Only day-types draws into a file, and only where people are not in groups."""
        most_frequent = self.exact and self.representative == "most-frequent"
        return bool(self.by) or most_frequent or self.sampler != "day-types"

    @property
    def guarantee(self) -> Guarantee:
        """k-anonymity with `exact`; otherwise mixtures of at least k people."""
        if self.exact:
            return self.promised(k_anonymous_sequences(self.k, self.representative))
        return self.promised(cluster_mixture(self.k, str(self.sampler)))

    def apply(self, data: Activities, *, rng: Randomness, engine: Engine) -> Release:
        """Cluster, draw, number anew; people in parts are brought together in a file."""
        self.require_people(data, self.k)
        if self.by:
            return in_groups(self, data, rng, engine)
        with everybody(data, engine) as people:
            return self._drawn(people, self.clusters(people), rng)

    def apply_in_groups(self, data: Activities, groups: np.ndarray, *, rng: Randomness, engine: Engine) -> Release:
        """Clusters as they were, rows drawn anew."""
        return self._drawn(Everybody.of(data, engine), self.kept_clusters(data, groups, engine), rng)

    def _drawn(self, people: Everybody, clusters: Clusters, rng: Randomness) -> Release:
        place = rng.secret.permutation(people.data.n_records)
        if self.exact and self.representative == "most-frequent":
            rows = repeat_most_frequent(people, clusters, place)
        else:
            rows = draw_mixture(
                people, clusters, place, k=self.k, sampler=str(self.sampler), candidates=self.candidates, rng=rng
            )
        if self.exact:
            repeat_first(clusters, place, rows)
        public, private = clustered_tables(
            people, clusters, rows, place, k=self.k, rng=rng, centroids=self.centroids, covariates=self.covariate_means
        )
        return Release(tables=public, guarantee=self.guarantee, method=self, private=private)

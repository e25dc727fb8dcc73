"""What MCKA and its baseline share: rows drawn from clusters, or one row for every member of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.guarantees.cluster_mixture import cluster_mixture
from sequester.guarantees.k_anonymous_sequences import k_anonymous_sequences
from sequester.methods.activity.shared.clustered import Clustered
from sequester.methods.activity.shared.clustering import Clusters, Everybody, everybody
from sequester.methods.activity.shared.grouped import in_groups
from sequester.methods.activity.shared.sampling import clustered_tables, draw_mixture, repeat_first
from sequester.model import Activities
from sequester.options import option
from sequester.release import Guarantee, Release


@dataclass(frozen=True, kw_only=True)
class DrawnRows(Clustered):
    """Clusters of people, and rows drawn from each."""

    exact: bool = option(False, level="everyday")
    """Publish one identical row per member of a cluster, and beside it the cluster's mean minutes per state and day,
    where at least k members share them: true k-anonymity, at the price of all variation inside a cluster."""
    sampler: Literal["day-types", "independent"] | None = option(None, level="paper")
    """Keep bouts, transitions and how people and days differ (day-types, default), or draw every interval alone
    (independent, the paper)."""

    layout = "states"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sampler", self._usual_sampler if self.sampler is None else self.sampler)
        super().__post_init__()

    @property
    def _usual_sampler(self) -> str:
        return "independent" if getattr(self, "literal", False) else "day-types"

    def given(self, name: str) -> bool:
        """The usual sampler is filled in."""
        return self.sampler != self._usual_sampler if name == "sampler" else super().given(name)

    @property
    def guarantee(self) -> Guarantee:
        """k-anonymity with `exact`; otherwise mixtures of at least k people."""
        if self.exact:
            return self.promised(k_anonymous_sequences(self.k))
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
        rows = draw_mixture(people, clusters, place, k=self.k, sampler=str(self.sampler), rng=rng)
        if self.exact:
            repeat_first(clusters, place, rows)
        public, private = clustered_tables(
            people, clusters, rows, place,
            k=self.k, rng=rng, centroids=self._with_centroids, covariates=getattr(self, "covariate_means", False),
        )  # fmt: skip
        return Release(tables=public, guarantee=self.guarantee, method=self, private=private)

    @property
    def _with_centroids(self) -> bool:
        return self.exact or getattr(self, "centroids", False)

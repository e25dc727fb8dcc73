"""MDAV-KA: the paper's baseline, plain MDAV on one level of windows and the same sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.guarantees.cluster_mixture import cluster_mixture
from sequester.guarantees.k_anonymous_sequences import k_anonymous_sequences
from sequester.methods.activity.shared.clustered import PlainMDAV
from sequester.methods.activity.shared.clustering import Clusters, Everybody
from sequester.methods.activity.shared.grouped import in_groups
from sequester.methods.activity.shared.sampling import clustered_tables, draw_mixture, repeat_most_frequent
from sequester.model import Activities, Data
from sequester.options import option
from sequester.papers import ACTIVITY
from sequester.release import Guarantee, Release


@dataclass(frozen=True, kw_only=True)
class MDAVKA(PlainMDAV):
    """Cluster people with plain MDAV into groups of k, and publish rows drawn from each group."""

    sampler: Literal["day-types", "semi-markov", "independent"] = option("day-types", level="paper")
    """Keep bouts, transitions and how people and days differ (day-types), bouts and transitions alone (semi-markov),
    or draw every interval alone (independent, the paper)."""
    candidates: int = option(8, low=1, high=1000, level="paper")
    """Rows drawn per row by day-types, of which the one is kept that brings the shape of the day nearest to that of
    all people; days drawn per day by semi-markov, of which the nearest to the cluster's mean totals is kept."""
    exact: bool = option(False, level="everyday")
    """Publish one identical row per member of a cluster: true k-anonymity."""

    id = "mdav-ka"
    accepts = Activities
    paper = ACTIVITY + "; MDAV: Domingo-Ferrer, Torra 2005"
    layout = "states"
    example = {"k": 5}  # noqa: RUF012
    baseline = True

    def idle(self, data: Data | None = None) -> Mapping[str, str]:
        """What belongs to drawing, where nothing or every interval alone is drawn."""
        out = dict.fromkeys(("sampler", "candidates"), "rows that are drawn, so not with ‹exact=True›")
        if not self.exact:
            several = "‹sampler='day-types'› or ‹sampler='semi-markov'›"
            out = {"candidates": several} if self.sampler == "independent" else {}
        return {**super().idle(data), **out}

    @property
    def guarantee(self) -> Guarantee:
        """k-anonymity with `exact`; otherwise mixtures of at least k people."""
        if self.exact:
            return self.promised(k_anonymous_sequences(self.k, "most-frequent"))
        return self.promised(cluster_mixture(self.k, self.sampler))

    def apply(self, data: Activities, *, rng: Randomness, engine: Engine) -> Release:
        """Cluster, draw, number anew."""
        if self.by:
            return in_groups(self, data, rng, engine)
        self.require_people(data, self.k)
        people = Everybody.of(data, engine)
        return self._drawn(people, self.clusters(people), rng)

    def apply_in_groups(self, data: Activities, groups: np.ndarray, *, rng: Randomness, engine: Engine) -> Release:
        """Clusters as they were, rows drawn anew."""
        return self._drawn(Everybody.of(data, engine), self.kept_clusters(data, groups, engine), rng)

    def _drawn(self, people: Everybody, clusters: Clusters, rng: Randomness) -> Release:
        place = rng.secret.permutation(people.data.n_records)
        if self.exact:
            rows = repeat_most_frequent(people, clusters, place)
        else:
            rows = draw_mixture(
                people, clusters, place, k=self.k, sampler=self.sampler, candidates=self.candidates, rng=rng
            )
        public, private = clustered_tables(people, clusters, rows, place, k=self.k, rng=rng)
        return Release(tables=public, guarantee=self.guarantee, method=self, private=private)

"""What the methods that cluster people share: their parameters, and the way from them to clusters, noise and tables.

Noise on cluster profiles is FPA in orthonormal Fourier coordinates, or LPA on every interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from sequester.dp.gate import GRID
from sequester.dp.noise import Noise
from sequester.dp.randomness import Randomness
from sequester.engines import Engine, step
from sequester.errors import InputError, counted
from sequester.guarantees.grouped import grouped
from sequester.guarantees.noisy_clusters import noisy_clusters
from sequester.method import Method
from sequester.methods.activity.shared.clustering import (
    Clusters,
    Everybody,
    check_level,
    check_levels,
    check_weights,
    everybody,
    mdav_clusters,
    multilevel_clusters,
)
from sequester.methods.activity.shared.grouped import in_groups
from sequester.methods.activity.shared.kernels.day_looks import from_low_frequencies, low_frequencies, shares_from_noisy
from sequester.methods.activity.shared.kernels.mixture import LANES, cluster_shares, sample_shares
from sequester.methods.activity.shared.sampling import clustered_tables, random_words
from sequester.model import Activities
from sequester.options import option
from sequester.release import Guarantee, Release

CELLS_AT_ONCE = 1 << 24
"""Clusters x states x intervals held in memory at a time."""
PASSES = 3
"""How often clusters are improved."""


def fpa_scale(n_states: int, n_intervals: int, size: int, terms: int, epsilon: float) -> float:
    """Laplace scale for a joint release of all states in orthonormal coordinates."""
    return math.sqrt(n_states * (2 * terms - 1)) * math.sqrt(2 * n_intervals) / (size * epsilon)


def printed_fpa_scale(n_intervals: int, size: int, terms: int, epsilon: float) -> float:
    """The paper's scale sqrt(l) sqrt(m) / (s epsilon), for one state at a time."""
    return math.sqrt(terms) * math.sqrt(n_intervals) / (size * epsilon)


def lpa_scale(n_intervals: int, size: int, epsilon: float) -> float:
    """Laplace scale for a joint release of every interval and state."""
    return 2 * n_intervals / (size * epsilon)


def noisy_profile(
    shares: np.ndarray, size: int, *, epsilon: float, terms: int, mechanism: str, literal: bool, noise: Noise
) -> np.ndarray:
    """Shares of one or more clusters of equal size (clusters x states x intervals) after noise, as shares again."""
    _, n_states, m = shares.shape
    if mechanism == "lpa":
        drawn = _laplace(noise, "lpa", shares, lpa_scale(m, size, epsilon))
        return shares_from_noisy(drawn)
    coordinates = low_frequencies(shares, terms)
    if literal:
        # The printed scale belongs to plain real and imaginary parts: sqrt(2) times it in these coordinates.
        scale = np.full(2 * terms - 1, math.sqrt(2.0) * printed_fpa_scale(m, size, terms, epsilon))
        scale[0] = printed_fpa_scale(m, size, terms, epsilon)
        first = _laplace(noise, "fpa constant", coordinates[..., :1], scale[0])
        drawn = np.concatenate(
            [first, _laplace(noise, "fpa waves", coordinates[..., 1:], scale[1])] if terms > 1 else [first], axis=-1
        )
    else:
        drawn = _laplace(noise, "fpa", coordinates, fpa_scale(n_states, m, size, terms, epsilon))
    return shares_from_noisy(from_low_frequencies(drawn, m))


def _laplace(noise: Noise, name: str, values: np.ndarray, scale: float) -> np.ndarray:
    return noise.laplace(name, np.rint(values * GRID).astype(np.int64), scale * GRID) / GRID


def draw_noisy(
    people: Everybody,
    clusters: Clusters,
    place: np.ndarray,
    *,
    epsilon: float,
    terms: int,
    mechanism: str,
    literal: bool,
    rng: Randomness,
) -> np.ndarray:
    """As many rows per cluster as it has members, drawn from its noisy profile; people in a file into a file."""
    n_states, m, threads = people.n_states, people.data.states.shape[1], people.threads
    out = people.room()
    step = max(1, CELLS_AT_ONCE // (n_states * m))
    by_size = np.argsort(clusters.sizes, kind="stable")
    for size in np.unique(clusters.sizes):
        same = by_size[clusters.sizes[by_size] == size]
        for at in range(0, len(same), step):
            some = same[at : at + step]
            members = (clusters.bounds[some][:, None] + np.arange(size)).ravel()
            bounds = np.arange(len(some) + 1) * size
            states, rows = people.rows.rows(clusters.order[members])
            shares = cluster_shares(states, n_states, rows, bounds, threads=threads)
            shares = noisy_profile(
                shares, int(size), epsilon=epsilon, terms=terms, mechanism=mechanism, literal=literal, noise=rng.noise
            )
            seeds = random_words(rng, len(some), 4, LANES)
            block = np.empty((len(members), m), np.uint8)
            sample_shares(shares, bounds, np.arange(len(members)), seeds, block, threads=threads)
            out.put(place[members], block)
    return out.mapped()


@dataclass(frozen=True, kw_only=True)
class Clustered(Method):
    """Clusters of at least k people."""

    k: int = option(low=2)
    """People per cluster, at least 2; clusters hold k to 2k-1."""
    weights: tuple[str, ...] = option((), level="paper")
    """Weights of states in the distance, such as walking=50; 1 for the others."""
    by: tuple[str, ...] = option((), level="everyday")
    """Columns per person whose groups are anonymized each by itself, and published with every row; a group needs 2k
    people."""
    merge_small: bool = option(False)
    """Merge groups of fewer than 2k people into one named `other`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.by)) != len(self.by):
            raise self.refuse(f"by must name each column once, got {', '.join(self.by)!r}.")
        if self.merge_small and not self.by:
            raise self.refuse("merge_small merges groups, and there are none. Pass ‹by=› as well.")
        check_weights(self, self.weights)

    def roles(self, roles: Mapping[str, Any]) -> dict[str, Any]:
        """The columns of the groups are read beside the data; other covariates would end up in no table."""
        beside = tuple(roles.get("covariates") or ())
        idle = [name for name in beside if name not in self.by]
        if idle and not getattr(self, "covariate_means", False):
            more = ", or ‹covariate_means=True› to publish their means" if hasattr(self, "covariate_means") else ""
            raise self.refuse(
                f"covariates names {counted(len(idle), 'column')} that would end up in no table ({', '.join(idle)}). "
                "Leave them "
                f"out, or pass ‹by=› to publish groups{more}."
            )
        together = tuple(dict.fromkeys((*beside, *self.by)))
        return {**roles, "covariates": together} if together else dict(roles)

    def promised(self, promise: Guarantee) -> Guarantee:
        """A promise as it stands with the groups asked for."""
        return grouped(promise, self.by, self.merge_small) if self.by else promise

    def require_groups_kept(self, data: Any) -> None:
        """Clusters are kept as they were, so there are no groups to form them in."""
        super().require_groups_kept(data)
        if self.by:
            raise self.refuse("by cannot be combined with the groups of an earlier release.")

    def kept_clusters(self, data: Activities, groups: np.ndarray, engine: Engine) -> Clusters:
        """Clusters of an earlier release as they were; newcomers (-1) are clustered among themselves."""
        largest = int(np.bincount(groups[groups >= 0]).max(initial=0))
        if largest > 2 * self.k - 1:
            raise InputError(
                f"grouping: a group of the earlier release holds {counted(largest, 'person', 'people')}, and "
                f"clusters of k={self.k} hold at "
                f"most {2 * self.k - 1}. Pass the k of the earlier release."
            )
        labels = groups.copy()
        new = np.flatnonzero(labels == -1)
        if len(new):
            found = self.clusters(Everybody.of(data.take(new), engine))
            labels[new[found.order]] = labels.max() + 1 + np.repeat(np.arange(len(found.sizes)), found.sizes)
        return Clusters.of(np.unique(labels, return_inverse=True)[1])

    def clusters(self, people: Everybody) -> Clusters:
        """People in clusters."""
        raise AttributeError(f"{type(self).__name__} forms no clusters")


@dataclass(frozen=True, kw_only=True)
class Multilevel(Clustered):
    """Clusters found level by level and improved afterwards."""

    levels: tuple[str, ...] = option(("period", "day"), level="paper")
    """Windows of each clustering level, coarse to fine: period, week, day, hour or minutes such as 15min."""
    fan_out: int | None = option(None, low=1, level="paper")
    """Parts per level: a part holds k * fan-out people (default 200; 50 with `literal`)."""
    literal: bool = option(False, level="paper")
    """Everything as printed in the paper; otherwise clusters are improved by moves and swaps within k..2k-1."""

    def __post_init__(self) -> None:
        usual = 50 if self.literal else 200
        object.__setattr__(self, "fan_out", usual if self.fan_out is None else self.fan_out)
        super().__post_init__()
        check_levels(self, self.levels)

    def given(self, name: str) -> bool:
        """The usual fan-out is filled in."""
        return self.fan_out != (50 if self.literal else 200) if name == "fan_out" else super().given(name)

    def clusters(self, people: Everybody) -> Clusters:
        """Multi-level clustering of the paper, then refinement on the finest level."""
        with step("Forming groups of similar people"):
            return multilevel_clusters(
                people,
                k=self.k,
                levels=self.levels,
                fan_out=int(self.fan_out or 1),
                weights=check_weights(self, self.weights),
                passes=0 if self.literal else PASSES,
            )


@dataclass(frozen=True, kw_only=True)
class PlainMDAV(Clustered):
    """Clusters of plain MDAV on one level of windows."""

    level: str = "day"
    """Windows the distance is taken on: period, week, day, hour, or minutes such as 15min."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_level(self, self.level)

    def clusters(self, people: Everybody) -> Clusters:
        """MDAV over all people at once."""
        with step("Forming groups of similar people"):
            return mdav_clusters(
                people,
                k=self.k,
                level=self.level,
                weights=check_weights(self, self.weights),
            )


@dataclass(frozen=True, kw_only=True)
class NoisyProfiles(Clustered):
    """Rows drawn from the noisy profile of each cluster. Not differential privacy: the clusters are exact."""

    epsilon: float = option(low=1e-6, high=1e6)
    """Noise level for one member of a fixed cluster. It is not a differential privacy of the release."""
    terms: int = option(14, low=1, needs={"mechanism": ("fpa",)}, level="paper")
    """Frequencies kept per state."""
    mechanism: Literal["fpa", "lpa"] = option("fpa", level="paper")
    """Noise on Fourier coordinates (fpa, the paper), or on every interval (lpa)."""
    literal: bool = option(False, level="paper")
    """As printed: every state noised at epsilon by itself."""

    @property
    def guarantee(self) -> Guarantee:
        """Noise on given clusters; the clusters themselves are exact."""
        return self.promised(noisy_clusters(self.k, self.epsilon, self.literal))

    def apply(self, data: Activities, *, rng: Randomness, engine: Engine) -> Release:
        """Cluster, add noise to the profiles, draw, number anew; people in parts are brought together in a file."""
        self.require_people(data, self.k)
        if self.by:
            return replace(in_groups(self, data, rng, engine), teaching_only=rng.seeded)
        with everybody(data, engine) as people:
            return self._drawn(people, rng)

    def _drawn(self, people: Everybody, rng: Randomness) -> Release:
        self._require_terms(people.data)
        clusters = self.clusters(people)
        place = rng.secret.permutation(people.data.n_records)
        rows = draw_noisy(
            people,
            clusters,
            place,
            epsilon=self.epsilon,
            terms=self.terms,
            mechanism=self.mechanism,
            literal=self.literal,
            rng=rng,
        )
        public, private = clustered_tables(people, clusters, rows, place, k=self.k, rng=rng)
        return Release(tables=public, guarantee=self.guarantee, method=self, private=private, teaching_only=rng.seeded)

    def _require_terms(self, data: Activities) -> None:
        """As many frequencies as the sequence can have."""
        most = (data.states.shape[1] + 1) // 2
        if self.mechanism == "fpa" and self.terms > most:
            raise InputError(
                f"anonymize: {self.terms} frequencies were asked for, "
                f"sequences of {data.states.shape[1]} intervals have {most}. Lower terms."
            )

"""From clusters to published rows: the samplers, and the tables around them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.engines.stages import stage
from sequester.errors import InputError, counted
from sequester.layouts.states import has_weekdays, public_facts, sequence_pieces, sequences_table
from sequester.methods.activity.shared import grouped
from sequester.methods.activity.shared.clustering import Clusters, Everybody
from sequester.methods.activity.shared.day_types import MOST_STATES, DayTypes
from sequester.methods.activity.shared.kernels.bout_ages import Clock
from sequester.methods.activity.shared.kernels.mixture import LANES, most_frequent, sample_mixture
from sequester.methods.activity.shared.kernels.semimarkov import sample_semimarkov
from sequester.primitives.row_file import rest
from sequester.stored_tables import gathered


def random_words(rng: Randomness, *shape: int) -> np.ndarray:
    """Random 64-bit numbers from the secret stream."""
    return rng.secret.integers(0, 2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)


def draw_mixture(
    people: Everybody,
    clusters: Clusters,
    place: np.ndarray,
    *,
    k: int,
    sampler: str,
    candidates: int,
    rng: Randomness,
) -> np.ndarray:
    """As many rows per cluster as it has members, drawn from the cluster's pools; people in a file into a file."""
    n_clusters, data, threads = len(clusters.sizes), people.data, people.threads
    if sampler == "day-types":
        return _draw_day_types(people, clusters, place, k=k, candidates=candidates, rng=rng)
    if sampler == "semi-markov":
        n_states = len(data.state_names)
        try:
            return sample_semimarkov(
                data.states,
                n_states,
                clusters.order,
                clusters.bounds,
                place,
                Clock.of(data.states.shape[1], data.interval_seconds, data.start, n_states, has_weekdays(data)),
                least=k,
                candidates=candidates,
                seeds=random_words(rng, n_clusters, 4),
                threads=threads,
            )
        except ValueError as error:
            raise _nothing_shared(n_states, k) from error
    seeds = random_words(rng, n_clusters, 4, LANES)
    return sample_mixture(data.states, clusters.order, clusters.bounds, place, seeds, threads=threads)


def _draw_day_types(
    people: Everybody,
    clusters: Clusters,
    place: np.ndarray,
    *,
    k: int,
    candidates: int,
    rng: Randomness,
) -> np.ndarray:
    n_states = people.n_states
    if n_states > MOST_STATES:
        raise InputError(
            f"anonymize: the sampler day-types draws at most {counted(MOST_STATES, 'state')}, the data has "
            f"{n_states}. Merge states, or set sampler='semi-markov' in a plan or in Python."
        )
    try:
        with stage("Learning the habits of every group"):
            sampler = DayTypes(people, clusters, k=k, generator=rng.secret)
    except ValueError as error:
        raise _nothing_shared(n_states, k) from error
    with stage("Drawing the released weeks"):
        sampler.calibrate()
        return sampler.draw(place, candidates)


def _nothing_shared(n_states: int, k: int) -> InputError:
    return InputError(
        f"anonymize: none of the {counted(n_states, 'state')} was visited by k={counted(k, 'person', 'people')}, so "
        "nothing can be drawn. "
        "Lower k or merge states."
    )


def repeat_most_frequent(people: Everybody, clusters: Clusters, place: np.ndarray) -> np.ndarray:
    """The cluster's most frequent state at every interval, once per member."""
    states, threads = people.data.states, people.threads
    modes = most_frequent(states, people.n_states, clusters.order, clusters.bounds, threads=threads)
    out = np.empty_like(states)
    for c, row in enumerate(modes):
        out[place[clusters.bounds[c] : clusters.bounds[c + 1]]] = row
    return out


RESTED = 64
"""Clusters after which pages of a mapped file are let go of."""


def repeat_first(clusters: Clusters, place: np.ndarray, rows: np.ndarray) -> None:
    """Give every row of a cluster the content of its first one."""
    for number, (first, last) in enumerate(pairwise(clusters.bounds)):
        rows[place[first + 1 : last]] = rows[place[first]]
        if number % RESTED == 0:
            rest(rows)


def clustered_tables(
    people: Everybody,
    clusters: Clusters,
    rows: np.ndarray,
    place: np.ndarray,
    *,
    k: int,
    rng: Randomness,
    centroids: bool = False,
    covariates: bool = False,
) -> tuple[dict[str, pa.Table], dict[str, pa.Table]]:
    """Public and private tables of a clustered release; clusters get new random numbers too.

    The released rows go to a file where they would take much of the memory.
    """
    data, engine = people.data, people.engine
    number = rng.secret.permutation(len(clusters.sizes))
    cluster = np.empty(len(place), dtype=np.int64)
    cluster[place] = np.repeat(number, clusters.sizes)
    if engine.memory is not None and rows.nbytes > engine.memory // 4:
        shown = gathered(sequence_pieces(rows, cluster), folder=engine.scratch, in_files=True)
    else:
        shown = sequences_table(rows, cluster)
    public = {"sequences": shown, **public_facts(data)}
    if centroids:
        public["centroids"] = grouped.centroid_table(people, clusters, number, k)
    if covariates:
        public["covariates"] = grouped.covariate_table(data, clusters, number, k)
    return public, grouped.private_map(data, clusters, place, number)

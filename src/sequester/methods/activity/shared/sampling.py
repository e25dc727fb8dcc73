"""From clusters to published rows: the samplers, and the tables around them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.engines.steps import step
from sequester.errors import InputError, counted
from sequester.layouts.states import public_facts, sequence_pieces, sequences_table
from sequester.methods.activity.shared import grouped
from sequester.methods.activity.shared.clustering import Clusters, Everybody
from sequester.methods.activity.shared.day_types import MOST_STATES, DayTypes
from sequester.methods.activity.shared.kernels.mixture import LANES, sample_mixture
from sequester.primitives.row_file import rest
from sequester.stored_tables import gathered

CANDIDATES = 8
"""Rows drawn per row by day-types; the one is kept that brings the shape of the day nearest to that of all people."""


def random_words(rng: Randomness, *shape: int) -> np.ndarray:
    """Random 64-bit numbers from the secret stream."""
    return rng.secret.integers(0, 2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)


def draw_mixture(
    people: Everybody, clusters: Clusters, place: np.ndarray, *, k: int, sampler: str, rng: Randomness
) -> np.ndarray:
    """As many rows per cluster as it has members, drawn from the cluster's pools; people in a file into a file."""
    if sampler == "day-types":
        return _draw_day_types(people, clusters, place, k=k, rng=rng)
    seeds = random_words(rng, len(clusters.sizes), 4, LANES)
    states = people.data.states
    return sample_mixture(states, clusters.order, clusters.bounds, place, seeds, threads=people.threads)


def _draw_day_types(people: Everybody, clusters: Clusters, place: np.ndarray, *, k: int, rng: Randomness) -> np.ndarray:
    n_states = people.n_states
    if n_states > MOST_STATES:
        raise InputError(
            f"anonymize: the sampler day-types draws at most {counted(MOST_STATES, 'state')}, the data has "
            f"{n_states}. Merge states, or set sampler='independent' in a plan or in Python."
        )
    try:
        with step("Learning the habits of every group"):
            sampler = DayTypes(people, clusters, k=k, generator=rng.secret)
    except ValueError as error:
        raise InputError(
            f"anonymize: none of the {counted(n_states, 'state')} was visited by k={counted(k, 'person', 'people')}, "
            "so nothing can be drawn. Lower k or merge states."
        ) from error
    with step("Drawing the released weeks"):
        sampler.calibrate()
        return sampler.draw(place, CANDIDATES)


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
    public = {"centroids": grouped.centroid_table(people, clusters, number, k)} if centroids else {}
    public |= {"sequences": shown, **public_facts(data)}
    if covariates:
        public["covariates"] = grouped.covariate_table(data, clusters, number, k)
    return public, grouped.private_map(data, clusters, place, number)

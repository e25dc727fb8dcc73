import itertools

import numpy as np
import pytest

from sequester.methods.events.shared import minhash
from tests.naive import minhash as naive

SEEDS = np.random.default_rng(5).integers(0, 2**63, 20).astype(np.uint64)


def flat(sequences):
    offsets = np.cumsum([0] + [len(s) for s in sequences]).astype(np.int64)
    return np.array([x for s in sequences for x in s], np.int32), offsets


def random_sequences(rng, n, states=5, longest=9):
    return [rng.integers(0, states, rng.integers(1, longest)).tolist() for _ in range(n)]


@pytest.mark.parametrize("width", [1, 2, 3])
def test_signatures_equal_the_plain_loop(width):
    sequences = [[0], [0, 0, 0], [1, 2], [3, 1, 4, 1, 5], *random_sequences(np.random.default_rng(width), 40)]
    got = minhash.signatures(*flat(sequences), SEEDS, width)
    assert got.tolist() == [naive.signature(s, SEEDS.tolist(), width) for s in sequences]


def test_a_signature_estimates_the_jaccard_similarity():
    seeds = np.random.default_rng(1).integers(0, 2**63, 4000).astype(np.uint64)
    a, b = [0, 1, 2, 3, 4], [3, 4, 5, 6]
    one, two = minhash.signatures(*flat([a, b]), seeds, 1)
    assert abs((one == two).mean() - naive.jaccard(a, b, 1)) < 4 * 0.5 / np.sqrt(4000)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_sequences_are_gathered_by_their_shingles(width):
    sequences = [[0, 0], [0], [1, 2, 1], [2, 1, 2, 1], *random_sequences(np.random.default_rng(width), 60, states=3)]
    member, size, of = minhash.distinct_sets(*flat(sequences), width)
    groups = naive.distinct_sets(sequences, width)
    assert [g[0] for g in groups] == member.tolist() and [len(g) for g in groups] == size.tolist()
    assert [np.flatnonzero(of == i).tolist() for i in range(len(groups))] == groups
    states, bounds = minhash.sub_sequences(*flat(sequences), member)
    assert [states[a:b].tolist() for a, b in itertools.pairwise(bounds)] == [sequences[g[0]] for g in groups]


@pytest.mark.parametrize("n,k", [(1, 1), (6, 1), (30, 4), (30, 7), (80, 13), (80, 200)])
@pytest.mark.parametrize("columns", [1, 2, 7, 30])
@pytest.mark.parametrize("exact", [1000, 0])
def test_centre_clusters_equal_the_plain_loop(n, k, columns, exact):
    rng = np.random.default_rng(n + k)
    signs = rng.integers(0, 3, (n, columns)).astype(np.uint32)
    weights = np.sort(rng.integers(1, 9, n))[::-1]
    width = min(minhash.BAND, columns)
    bands = None if exact else (width, min(minhash.BANDS, columns // width), minhash.DEPTH)
    got = minhash.centre_clusters(signs, weights, k, exact=exact).tolist()
    assert got == naive.centre_clusters(signs, weights, k, bands)
    assert len(set(got)) <= k and all(got[c] == c for c in got)


def test_no_signature_no_cluster_and_equal_ones_share_theirs():
    assert minhash.centre_clusters(np.zeros((0, 4), np.uint32), np.zeros(0, int), 5).tolist() == []
    for exact in (0, 10):
        assert minhash.centre_clusters(np.zeros((5, 4), np.uint32), np.ones(5, int), 5, exact).tolist() == [0] * 5


def test_a_common_pattern_becomes_a_centre_before_a_rare_one():
    signs = np.array([[1, 1, 1, 1], [1, 1, 2, 2], [1, 1, 1, 3], [7, 7, 7, 7]], np.uint32)
    assert minhash.centre_clusters(signs, np.array([9, 8, 2, 1]), 2).tolist() == [0, 1, 0, 0]
    assert minhash.centre_clusters(signs, np.array([9, 8, 2, 1]), 3).tolist() == [0, 1, 0, 3]


@pytest.mark.parametrize("exact", [0, 10_000])
def test_more_hashes_bring_sequences_nearer_to_their_centre(exact):
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 200, (40, 10))
    sequences = [
        np.where(rng.random(10) < 0.75, kinds[rng.integers(40)], rng.integers(0, 200, 10)).tolist() for _ in range(600)
    ]
    states, offsets = flat(sequences)
    member, size, of = minhash.distinct_sets(states, offsets)
    near = []
    for hashes in (6, 48, 384):
        seeds = np.random.default_rng(1).integers(0, 2**63, hashes).astype(np.uint64)
        signs = minhash.signatures(*minhash.sub_sequences(states, offsets, member), seeds)
        centre = member[minhash.centre_clusters(signs, size, 60, exact)[of]]
        near.append(np.mean([naive.jaccard(s, sequences[c], 1) for s, c in zip(sequences, centre, strict=True)]))
    assert near[0] + 0.02 < near[1] < near[2] + 0.01


@pytest.mark.parametrize("n,m", [(0, 3), (4, 0), (7, 9), (40, 25)])
def test_nearest_similarity_equals_the_plain_loop(n, m):
    rng = np.random.default_rng(n)
    of, among = rng.integers(0, 3, (n, 5)).astype(np.uint32), rng.integers(0, 3, (m, 5)).astype(np.uint32)
    assert minhash.nearest_similarity(of, among).tolist() == naive.nearest_similarity(of.tolist(), among.tolist())

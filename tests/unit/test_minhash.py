import numpy as np
import pytest

from sequester.primitives import minhash
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


@pytest.mark.parametrize("n,k", [(0, 3), (1, 1), (6, 1), (30, 4), (30, 7), (80, 13), (80, 200)])
def test_trie_clusters_equal_the_plain_loop(n, k):
    rng = np.random.default_rng(n + k)
    signs = rng.integers(0, 3, (n, 6)).astype(np.uint32)
    label = minhash.trie_clusters(signs, k)
    groups = [np.flatnonzero(label == c).tolist() for c in range(label.max() + 1 if n else 0)]
    assert groups == naive.trie_clusters(signs, k)
    assert len(groups) <= k


def test_equal_signatures_share_a_cluster_however_many_are_asked_for():
    assert minhash.trie_clusters(np.zeros((5, 4), np.uint32), 5).tolist() == [0] * 5


def test_leaders_gather_what_is_like_them():
    signs = np.array([[1, 1, 1, 1], [9, 9, 9, 9], [1, 1, 1, 2], [9, 9, 8, 8], [5, 5, 5, 5]], np.uint32)
    assert minhash.leader_clusters(signs, 3).tolist() == [0, 1, 0, 1, 2]
    assert minhash.leader_clusters(signs, 2).tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize("n,m", [(0, 3), (4, 0), (7, 9), (40, 25)])
def test_nearest_similarity_equals_the_plain_loop(n, m):
    rng = np.random.default_rng(n)
    of, among = rng.integers(0, 3, (n, 5)).astype(np.uint32), rng.integers(0, 3, (m, 5)).astype(np.uint32)
    assert minhash.nearest_similarity(of, among).tolist() == naive.nearest_similarity(of.tolist(), among.tolist())

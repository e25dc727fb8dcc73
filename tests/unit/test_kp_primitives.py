"""Fast kernels equal their plain twins."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.methods.series.bfp2ka.kernels.prefix_prune import prune_and_reinsert
from sequester.methods.series.shared.kernels import greedy_partition, mdav_values
from sequester.methods.series.shared.kernels import groups as kp_groups
from sequester.methods.series.shared.kernels import refine as kp_refine
from sequester.methods.series.shared.kernels import tree as kp_tree
from sequester.primitives import neighbours, normal, sax
from tests.naive import kp_groups as slow_groups
from tests.naive import kp_tree as slow_tree
from tests.naive import mdav_values as slow_mdav
from tests.naive import prefix_prune as slow_prefix
from tests.naive import sax as slow_sax

FEW = settings(max_examples=25, deadline=None)


def panels(low=6, high=40):
    """Panels with ties and constants: values on a coarse grid."""
    return st.tuples(st.integers(low, high), st.integers(1, 6), st.integers(0, 10**6)).map(
        lambda t: np.random.default_rng(t[2]).integers(0, 5, (t[0], t[1])).astype(float)
    )


@pytest.mark.parametrize("ddof", [0, 1])
def test_z_normalize_equals_its_twin_on_random_constant_and_tiny_rows(ddof):
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(1e3, 5, (20, 7)), np.full((2, 7), 3.25), rng.normal(0, 1e-9, (3, 7)) + 0.5])
    slow = [slow_sax.z_normalize(r, ddof) for r in rows.tolist()]
    np.testing.assert_allclose(sax.z_normalize(rows, ddof), slow, rtol=1e-6, atol=1e-6)
    assert (sax.z_normalize(rows, ddof)[20:22] == 0).all(), "a constant row has no shape"
    assert (np.abs(sax.z_normalize(rows, ddof)[22:]) > 0.1).any(axis=1).all(), "a row that moves little has one"


def test_words_of_all_levels_equal_a_search_among_break_points():
    rng = np.random.default_rng(1)
    edges = np.concatenate([normal.breakpoints(v) for v in range(2, 21)])
    near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)])
    z = np.concatenate([near, rng.normal(0, 1.5, 1000 - len(near) % 10), [0.0, 9.0, -9.0]])
    z = z[: len(z) // 10 * 10].reshape(-1, 10)
    fast = sax.all_words(z, 20)
    for v in range(1, 21):
        np.testing.assert_array_equal(fast[v - 1], sax.sax(z, v))
    slow = slow_sax.words(z[:30].tolist(), 20)
    np.testing.assert_array_equal(fast[:, :30], slow)


@pytest.mark.parametrize("width", [1, 10, 14, 15, 33, 100])
def test_keys_are_equal_and_ordered_exactly_as_words(width):
    rng = np.random.default_rng(width)
    z = np.repeat(rng.normal(0, 1, (40, width)), 2, axis=0)
    z[1::2, -1] += rng.choice([0.0, 2.0], 40)
    keys = sax.word_keys(z, 20)
    assert (keys[:2] == 0).all()
    for v in (2, 3, 19, 20):
        words = [tuple(w) for w in sax.sax(z, v).tolist()]
        by_word = sorted(range(len(z)), key=lambda i: words[i])
        for i, j in pairwise(by_word):
            assert (keys[v][i] < keys[v][j]) == (words[i] < words[j])
            assert (keys[v][i] == keys[v][j]) == (words[i] == words[j])


def test_levels_are_not_nested():
    z = sax.z_normalize(np.random.default_rng(3).normal(size=(4000, 3)))
    keys = sax.word_keys(z, 5)
    same_at_3 = keys[3][:-1] == keys[3][1:]
    assert (same_at_3 & (keys[2][:-1] != keys[2][1:])).any()


@FEW
@given(panels(2, 12))
def test_pattern_loss_is_one_minus_pearson_and_equals_pairwise_cosine(x):
    z = sax.z_normalize(x)
    for v in range(1, 7):
        shape = sax.reconstruct(sax.sax(z, v), v)
        slow = [slow_sax.pattern_loss(a, b) for a, b in zip(x.tolist(), shape.tolist(), strict=True)]
        np.testing.assert_allclose(sax.pattern_loss(x, shape), slow, atol=1e-9)


def test_spelling_and_segments():
    letters = np.array([[0, 1, 2], [2, 1, 0]], dtype=np.uint8)
    assert sax.spell(letters).tolist() == ["abc", "cba"]
    np.testing.assert_array_equal(sax.unspell(np.array(["abc", "cba"], dtype=object)), letters)
    assert sax.segment_bounds(10, 3).tolist() == [0, 3, 6, 10]
    np.testing.assert_allclose(sax.segment_means(np.arange(10.0)[None], 3), [[1, 4, 7.5]])
    assert sax.reconstruct(np.zeros((1, 4), np.uint8), 1).tolist() == [[0, 0, 0, 0]]


@FEW
@given(panels(1, 60), st.integers(2, 5), st.booleans())
def test_splitting_and_recycling_equal_their_twins(x, p, printed):
    keys = sax.word_keys(sax.z_normalize(x), 6)
    leaf, level, good = kp_tree.split_by_word(keys, p, printed=printed)
    mine = sorted((np.flatnonzero(leaf == i).tolist(), int(level[i]), bool(good[i])) for i in range(len(level)))
    slow = slow_tree.split(keys.tolist(), list(range(len(x))), 1, p, printed)
    assert mine == sorted((sorted(m), v, g) for m, v, g in slow)
    bad = np.flatnonzero(~good[leaf])
    groups, at, rest = kp_tree.recycle(keys, bad, level[leaf[bad]], p)
    done, left = slow_tree.recycle(keys.tolist(), slow, p)
    assert sorted((g.tolist(), v) for g, v in zip(groups, at, strict=True)) == sorted(done)
    assert rest.tolist() == left and len(left) < p


def test_splitting_a_part_equals_splitting_it_alone():
    x = np.random.default_rng(5).integers(0, 4, (30, 4)).astype(float)
    keys = sax.word_keys(sax.z_normalize(x), 8)
    ids = np.array([3, 5, 8, 9, 11, 12, 20, 21, 22, 29])
    leaf, level, good = kp_tree.split_by_word(keys, 2, ids)
    alone_leaf, alone_level, alone_good = kp_tree.split_by_word(np.ascontiguousarray(keys[:, ids]), 2)
    np.testing.assert_array_equal(leaf, alone_leaf)
    np.testing.assert_array_equal(level, alone_level)
    np.testing.assert_array_equal(good, alone_good)


@FEW
@given(panels(2, 30), st.integers(2, 4))
def test_greedy_partition_equals_its_twin(x, m):
    x = x + np.random.default_rng(len(x)).random(x.shape) / 16
    part = greedy_partition.greedy_partition(x, m)
    mine = sorted(np.flatnonzero(part == g).tolist() for g in range(part.max() + 1))
    assert mine == sorted(slow_groups.greedy_partition(x.tolist(), list(range(len(x))), m))
    assert min(map(len, mine)) >= min(m, len(x))


@FEW
@given(panels(10, 40), st.integers(3, 8), st.booleans())
def test_formation_by_tree_equals_scan_and_twin(x, k, tied):
    x = x if tied else x + np.random.default_rng(len(x)).random(x.shape)
    sub = np.arange(len(x)) // 2
    sub[-1] = sub[-2]
    lo, hi, size = kp_groups.boxes(x, sub, sub.max() + 1)
    order = kp_groups.by_value_loss(lo, hi, size)
    scan = kp_groups.form_groups(lo, hi, size, k, order=order, scan=True)
    tree = kp_groups.form_groups(lo, hi, size, k, order=order, scan=False)
    np.testing.assert_array_equal(scan, tree)
    if not tied:
        mine = sorted(np.flatnonzero(scan[sub] == g).tolist() for g in range(scan.max() + 1))
        slow = slow_groups.form(x.tolist(), [np.flatnonzero(sub == s).tolist() for s in range(sub.max() + 1)], k)
        assert mine == slow


def test_formation_by_tree_equals_scan_on_many_subgroups_with_ties():
    rng = np.random.default_rng(8)
    for x in (rng.random((9000, 5)), rng.integers(0, 4, (9000, 5)).astype(float), np.zeros((9000, 5))):
        sub = np.repeat(np.arange(3000), 3)
        lo, hi, size = kp_groups.boxes(x, sub, 3000)
        for order in (kp_groups.by_value_loss(lo, hi, size), kp_groups.by_distance(lo, hi, size)):
            scan = kp_groups.form_groups(lo, hi, size, 10, order=order, scan=True)
            np.testing.assert_array_equal(scan, kp_groups.form_groups(lo, hi, size, 10, order=order, scan=False))
            assert np.bincount(scan, weights=size).min() >= 10


def test_fewer_than_k_form_no_group():
    lo = hi = np.zeros((2, 1))
    group = kp_groups.form_groups(lo, hi, np.array([2, 2]), 5, order=np.arange(2))
    assert group.tolist() == [-1, -1]


@FEW
@given(panels(2, 40), st.integers(2, 4))
def test_mdav_equals_its_twin(x, m):
    x = x + np.random.default_rng(len(x)).random(x.shape) / 8
    label = mdav_values.mdav_classes(x, np.arange(len(x)), np.array([0, len(x)]), m)
    mine = sorted(np.flatnonzero(label == g).tolist() for g in range(label.max() + 1))
    assert mine == sorted(slow_mdav.mdav(x.tolist(), m))


@FEW
@given(panels(20, 60), st.integers(4, 9))
def test_refinement_never_loses_and_keeps_sizes(x, k):
    x = x + np.random.default_rng(len(x)).random(x.shape)
    sub = np.arange(len(x)) // 2
    lo, hi, size = kp_groups.boxes(x, sub, sub.max() + 1)
    group = kp_groups.form_groups(lo, hi, size, k, order=kp_groups.by_value_loss(lo, hi, size))
    refined = kp_refine.refine_groups(lo, hi, size, group.copy(), k)
    total = [sum(slow_groups.loss(x.tolist(), np.flatnonzero(g[sub] == i).tolist()) for i in set(g)) for g in
             (group, refined)]  # fmt: skip
    assert total[1] <= total[0] * (1 + 1e-9)
    assert np.bincount(refined, weights=size).min() >= k


def test_nearest_points_are_exact():
    x = np.random.default_rng(4).random((300, 3))
    gap = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    np.fill_diagonal(gap, np.inf)
    found = np.take_along_axis(gap, neighbours.nearest_points(x, 7), axis=1)
    np.testing.assert_allclose(found, np.sort(gap, axis=1)[:, :7])


@FEW
@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=25), st.integers(2, 4))
def test_prefix_pruning_equals_its_twin_and_keeps_support(words, k):
    from collections import Counter

    width = max(map(len, words))
    symbols = np.array([[ord(c) - 97 for c in w] + [0] * (width - len(w)) for w in words])
    node, tree, lengths = prune_and_reinsert(symbols, np.array([len(w) for w in words]), k)
    out = ["".join(chr(97 + c) for c in tree[i][: lengths[i]]) for i in node if i >= 0]
    assert dict(Counter(out)) == slow_prefix.prune(Counter(words), k)
    for w in set(out):
        for part in {w[i:j] for i in range(len(w)) for j in range(i + 1, len(w) + 1)} | {w[::2]}:
            assert sum(slow_prefix.part_of(part, other) for other in out) >= k

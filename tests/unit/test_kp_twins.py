"""Kernels of (k,P)-anonymity that search for better subgroups and groups, against plain loops over lists."""

from itertools import pairwise

import numpy as np
import pytest

from sequester.methods.series.shared.kernels import exchange, groups, refine, words
from sequester.primitives import sax
from sequester.primitives.neighbours import nearest_points
from tests.naive import kp_exchange, kp_refine, kp_words

SEEDS = range(6)


def panel(seed, n=40, width=5, levels=4):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (n, width)) + rng.random((n, width))
    z = sax.z_normalize(values)
    return values, sax.word_keys(z, levels)[1:], sax.pattern_losses(z, levels)


@pytest.mark.parametrize("seed", SEEDS)
def test_widths_of_candidates(seed):
    values, _, _ = panel(seed)
    members, edges = np.random.default_rng(seed).permutation(40), np.array([0, 3, 10, 40])
    plain = [kp_words.width(values[members[a:b]].tolist()) for a, b in pairwise(edges)]
    assert words._widths(values, members, edges).tolist() == plain


@pytest.mark.parametrize("seed", SEEDS)
def test_accepting_candidates(seed):
    rng = np.random.default_rng(seed)
    lists = [rng.choice(30, 3, replace=False).tolist() for _ in range(15)]
    members, starts = np.concatenate(lists), np.arange(0, 46, 3)
    order, fast, slow = rng.permutation(15), np.full(30, -1), [-1] * 30
    taken = words._accept(members, starts, order, fast, 4)
    assert taken.tolist() == kp_words.accept(lists, order.tolist(), slow, 4) and fast.tolist() == slow


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weight", [0.0, 0.5, 3.0])
def test_joining_subgroups_of_the_own_word(seed, weight):
    values, keys, losses = panel(seed, 200, 3)
    subgroup, forms = np.full(200, -1), []
    for form in (2, 1):
        for word in np.unique(keys[form]):
            free = np.flatnonzero((keys[form] == word) & (subgroup < 0))
            if len(free) >= 4:
                subgroup[free[:3]] = len(forms)
                forms.append(form)
    free = np.flatnonzero(subgroup < 0)
    assert forms and len(free)
    slow = kp_words.join_own_word(
        values.tolist(), keys.tolist(), losses.tolist(), subgroup.tolist(), forms, free.tolist(), weight
    )
    words._join_own_word(values, keys, losses, subgroup, np.array(forms), free, weight)
    assert subgroup.tolist() == slow


@pytest.mark.parametrize("seed", SEEDS)
def test_best_forms(seed):
    values, keys, losses = panel(seed)
    of = words.cover_by_words(values / 4, keys, losses, 3, 0.5)
    plain = [kp_words.best_form(keys.tolist(), losses.tolist(), np.flatnonzero(of == s)) for s in range(of.max() + 1)]
    assert words.best_forms(keys, losses, of).tolist() == plain


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("count", [5, 12])
def test_the_best_split(seed, count):
    values, _, _ = panel(seed)
    lo, hi, size = groups.boxes(values, np.arange(40) // 2, 20)
    members, mask = np.random.default_rng(seed).permutation(20)[:count], np.zeros(count, np.uint8)
    found = refine._best_split(lo, hi, size, members, count, 6, mask)
    best, side = kp_refine.best_split(lo.tolist(), hi.tolist(), size.tolist(), members.tolist(), 6)
    assert (found, [m for m, x in zip(members.tolist(), mask) if x] or None) == (best, side)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [4, 7])
def test_refining_groups(seed, k):
    values, _, _ = panel(seed)
    lo, hi, size = groups.boxes(values, np.arange(40) // 2, 20)
    group = np.arange(20) * (40 // (2 * k)) // 20  # neighbours by number, not by value: much to improve
    near = nearest_points((lo + hi) / 2, 8)
    slow = kp_refine.refine(*(a.tolist() for a in (lo, hi, size, group)), k, near.tolist(), 4)
    assert refine._refine(lo, hi, size, group.copy(), k, near, 4).tolist() == slow
    assert slow != group.tolist()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_exchanging_records(seed, weight):
    values, keys, losses = panel(seed)
    of = words.cover_by_words(values / 4, keys, losses, 3, 0.3)
    form = words.best_forms(keys, losses, of)
    lo, hi, size = groups.boxes(values, of, len(form))
    group = groups.form_groups(lo, hi, size, 6, order=groups.by_value_loss(lo, hi, size))
    word = keys[form, [np.flatnonzero(of == s)[0] for s in range(len(form))]]
    near = exchange._candidates((lo + hi) / 2, form, word)
    args = values, keys, losses, of, form, word, group, near
    slow = kp_exchange.exchange(*(a.tolist() for a in args), 3, 6, weight, exchange.SWEEPS)
    subgroups, goal = exchange.Subgroups(form, word, group, near), exchange.Goal(3, 6, weight)
    assert exchange._exchange(values, keys, losses, of.copy(), subgroups, goal).tolist() == slow


@pytest.mark.parametrize("seed", SEEDS)
def test_nearest_subgroups_of_the_same_word(seed):
    rng = np.random.default_rng(seed)
    centre, of = rng.random((30, 4)), rng.integers(0, 3, 30)
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(4))
    near = np.full((30, 2 * exchange.NEAR), -1)
    classes = [order[a:b].tolist() for a, b in pairwise(starts)]
    slow = kp_exchange.nearest_of_class(centre.tolist(), classes, near.tolist(), exchange.NEAR)
    exchange._nearest_of_class(centre, order, starts, near)
    assert near.tolist() == slow

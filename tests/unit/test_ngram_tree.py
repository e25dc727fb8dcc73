"""The n-gram tree: thresholds, budgets along paths, counting, generation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.primitives.ngram_tree import (
    Tree,
    Walkers,
    apportion,
    expected_levels,
    generate,
    grow_counted,
    project,
    threshold,
)
from tests.naive import ngram_tree as naive


def grow(sequences, complete, *, n_symbols, **how):
    return grow_counted(Walkers(sequences, complete, n_symbols).after, n_symbols=n_symbols, **how)


def test_thresholds_meet_their_reference_figures():
    assert threshold(20, 10, 0.2) == pytest.approx(170.5, abs=0.05)
    assert threshold(20, 100, 0.2) == pytest.approx(392.2, abs=0.05)


def test_pure_noise_passes_the_threshold_about_once_per_symbol():
    scale, n_symbols = 50.0, 10
    drawn = np.random.default_rng(1).laplace(0, scale, 200_000)
    assert np.mean(drawn > threshold(10, n_symbols, 10 / scale)) == pytest.approx(1 / (n_symbols + 1), rel=0.05)


@pytest.mark.parametrize(
    ("left", "count", "enough", "most_likely", "levels"),
    [(4, 800, 100, 0.5, 3), (2, 800, 100, 0.5, 2), (4, 120, 100, 0.5, 1), (4, 800, 100, 1.0, 4), (4, 50, 100, 0.5, 1)],
)
def test_expected_levels(left, count, enough, most_likely, levels):
    assert expected_levels(left, count, enough, most_likely) == levels


class Recorder:
    """Exact counts; remembers every call."""

    def __init__(self, sequences, complete, n_symbols):
        self.calls = []

    def __call__(self, name, counts, scale):
        self.calls.append((name, counts.copy(), scale))
        return counts


some = st.lists(st.lists(st.integers(0, 2), max_size=12), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(some, st.data(), st.integers(1, 4), st.sampled_from([1.0, 50.0, 5000.0]), st.booleans())
def test_every_count_equals_plain_counting_and_no_path_exceeds_the_budget(sequences, data, n_max, budget, shrink):
    complete = data.draw(st.lists(st.booleans(), min_size=len(sequences), max_size=len(sequences)))
    seen = Recorder(sequences, complete, 3)
    tree = grow(
        [np.array(s, dtype=np.int64) for s in sequences],
        complete,
        n_symbols=3,
        budget=budget,
        n_max=n_max,
        positions=12,
        noise=seen,
        shrink=shrink,
    )
    assert len(seen.calls) == len(tree.shares)
    for (name, counts, scale), (gram, share) in zip(seen.calls, tree.shares.items()):
        want = naive.continuations(sequences, complete, gram, 3)
        assert counts.tolist() == (want if gram else want[:3])
        assert name == f"order {len(gram) + 1}"
        assert scale == pytest.approx(12 / share)
        path = math.fsum(tree.shares[gram[:i]] for i in range(len(gram) + 1))
        assert path <= budget * (1 + 1e-12)
    for context in tree.shares:
        if context:
            assert tree.continuations(context).sum() in (0, tree.counts[context])
    assert max((len(g) for g in tree.counts), default=0) <= n_max


def test_one_sequence_more_changes_the_weighted_counts_by_at_most_the_budget():
    """The sensitivity argument on all neighbours of a tiny data set: same decisions, summed cost at most the budget."""
    rng = np.random.default_rng(3)
    sequences = [rng.integers(0, 2, rng.integers(1, 7)) for _ in range(30)]
    budget, positions = 40.0, 6

    def decisions(kept):
        calls = {}

        def noise(name, counts, scale):
            out = scripted[len(calls)] if len(calls) < len(scripted) else counts
            calls[len(calls)] = (counts, scale, out)
            return out

        tree = grow(
            kept,
            [len(s) < positions for s in kept],
            n_symbols=2,
            budget=budget,
            n_max=3,
            positions=positions,
            noise=noise,
        )
        return tree, calls

    scripted: list = []
    tree, full = decisions(sequences)
    scripted = [full[i][2] for i in range(len(full))]  # the same published outcome
    assert len(full) > 3
    for left_out in range(len(sequences)):
        other, calls = decisions(sequences[:left_out] + sequences[left_out + 1 :])
        assert other.shares == tree.shares, "decisions follow from the published outcome alone"
        loss = sum(np.abs(full[i][0] - calls[i][0]).sum() / full[i][1] for i in full)
        assert loss <= budget * (1 + 1e-12)


def test_negative_noise_and_silence():
    nothing = grow([], [], n_symbols=2, budget=1.0, n_max=3, positions=5, noise=lambda _n, c, _s: c - 7)
    assert nothing.counts == {} and list(nothing.shares) == [()]
    assert generate(nothing, 2, longest=5, order=3, rng=np.random.default_rng(0)) == [[], []]


def test_apportion_keeps_the_total_and_gives_ties_to_the_first():
    assert apportion(5, np.array([1.0, 1.0, 1.0])).tolist() == [2, 2, 1]
    assert apportion(0, np.array([1.0])).tolist() == [0]
    assert apportion(9, np.array([0.0, 0.0])).tolist() == [0, 0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=6), st.integers(0, 60))
def test_projection_is_the_nearest_point_that_adds_up(values, total):
    x = np.array(values, dtype=float)
    near = project(total, x)
    assert near.min() >= 0
    assert near.sum() == pytest.approx(total)
    rng = np.random.default_rng(0)
    for _ in range(20):  # no other point of the simplex is nearer
        other = total * rng.dirichlet(np.ones(len(x)))
        assert np.sum((near - x) ** 2) <= np.sum((other - x) ** 2) + 1e-6


def test_exact_counts_stay_exact_in_a_rich_tree():
    """With hardly any noise a generous budget gives the true counts back."""
    rng = np.random.default_rng(2)
    sequences = [rng.integers(0, 2, 9) for _ in range(200)]
    for shrink in (True, False):
        tree = grow(
            sequences,
            [False] * 200,
            n_symbols=2,
            budget=1e7,
            n_max=2,
            positions=9,
            noise=lambda _n, c, _s: c,
            shrink=shrink,
        )
        assert [tree.counts[(x,)] for x in (0, 1)] == np.bincount(np.concatenate(sequences)).tolist()
        pairs = naive.continuations(sequences, [False] * 200, (0,), 2)
        scaled = apportion(tree.counts[(0,)], np.array(pairs))
        assert [tree.counts.get((0, x), 0) for x in (0, 1)] == pytest.approx(scaled[:2].tolist(), rel=0.1)


def test_generation_follows_the_tree():
    tree = Tree(2, counts={(0,): 10, (0, 1): 10, (0, 1, 2): 10}, shares={(): 1.0, (0,): 1.0, (0, 1): 1.0})
    drawn = generate(tree, 4, longest=9, order=3, rng=np.random.default_rng(0))
    assert drawn == [[0, 1]] * 4

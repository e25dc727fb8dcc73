"""Simulated cohorts like a published bundle."""

import numpy as np
import pytest

import sequester as sq
from sequester.samples.like import chains, like, profile_hours, walk
from sequester.samples.minutes import minutes
from tests.naive.like import walk_one


@pytest.fixture(scope="module")
def profile():
    return minutes(n_people=30, days=2, seed=3)


def test_a_walk_is_that_of_plain_loops(profile):
    hours = profile_hours(profile)
    matrices, pooled, first = chains(profile.states[:6], hours, 4)
    rng = np.random.default_rng(0)
    seeds = rng.integers(0, 2**63, (5, 4), dtype=np.uint64)
    follows = np.array([0, 5, 2, 2, 1])
    out = np.empty((5, 4000), np.uint8)  # longer than the profile: its hours come again
    walk(matrices, pooled, first, hours, follows, 0.2, seeds, out)
    for i in range(5):
        np.testing.assert_array_equal(out[i], walk_one(matrices, pooled, first, hours, follows[i], 0.2, seeds[i], 4000))


def divergence(one, other, n_states, parts):
    """Kullback-Leibler divergence of the states of `one` from `other`, mean over `parts` of the time (in nats)."""
    n_parts = int(parts.max()) + 1
    shares = []
    for states in (one, other):
        counts = np.stack([np.bincount(parts, (states == a).sum(axis=0), n_parts) for a in range(n_states)], axis=1)
        some = counts + 0.5  # so that a state nobody was in is rare, not impossible
        shares.append(some / some.sum(axis=1, keepdims=True))
    return float((shares[0] * np.log(shares[0] / shares[1])).sum(axis=1).mean())


def test_the_simulated_cohort_has_the_profiles_hours(profile):
    made = like(profile, n_people=200, seed=1)
    assert made.n_people == 200 and made.states.shape[1] == profile.states.shape[1]
    hours = profile_hours(profile) % 24
    near, far = (divergence(profile.states, s, 4, hours) for s in (made.states, made.states[:, ::-1]))
    assert near < 0.03 < far  # the paper reports 0.03
    assert like(profile, n_people=20, seed=1).fingerprint() != like(profile, n_people=20, seed=2).fingerprint()
    assert like(profile, n_people=20, seed=1).fingerprint() == like(profile, n_people=20, seed=1).fingerprint()


def test_divergence_by_hand():
    one, other = np.array([[0, 0], [0, 1]], np.uint8), np.array([[0, 1], [1, 1]], np.uint8)
    p, q = np.array([3.5, 1.5]) / 5, np.array([1.5, 3.5]) / 5
    assert divergence(one, other, 2, np.zeros(2, np.int64)) == pytest.approx(float((p * np.log(p / q)).sum()))
    assert divergence(one, one, 2, np.zeros(2, np.int64)) == 0.0


def test_a_sample_like_a_bundle_is_written_and_read_again(profile, tmp_path):
    sq.publish(sq.anonymize(profile, sq.MCKA(k=5), seed=1), tmp_path / "a.bundle")
    path = sq.write_sample("activity", tmp_path / "like.csv", like=tmp_path / "a.bundle", n_people=12)
    again = sq.read_activities(path, person="person", start="start", end="end", state="state")
    assert again.n_people == 12
    assert sq.sample("activity", like=tmp_path / "a.bundle", n_people=7, days=1).states.shape == (7, 1440)
    with pytest.raises(sq.InputError) as caught:
        sq.sample("text", like=tmp_path / "a.bundle")
    assert str(caught.value) == (
        "sample: like= simulates activity from a bundle of activity; asked for text, 'a.bundle' holds activity data."
    )
    with pytest.raises(sq.ParameterError, match="at least 1 person and 1 day are needed"):
        like(profile, n_people=0)

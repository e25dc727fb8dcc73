"""Worked examples and sensitivities of the paper's methods, by hand and by exhaustive neighbours."""

import math

import numpy as np
import pytest

import sequester as sq
from sequester.dp.noise import RecordingNoise, TeachingNoise
from sequester.methods.activity.shared.clustered import fpa_scale, lpa_scale, noisy_profile, printed_fpa_scale
from sequester.methods.activity.shared.kernels.day_looks import from_low_frequencies, low_frequencies
from sequester.methods.activity.shared.kernels.mdav import mdav
from sequester.methods.activity.shared.kernels.mixture import LANES, sample_mixture
from tests.naive.clusters import as_sets

VALUES = [0, 1, 2, 10, 11, 12, 20, 21, 22, 23]


def one_dimensional(values):
    return np.array(values, dtype=float)[:, None, None]


def test_ten_people_three_clusters():
    found = as_sets(mdav(one_dimensional(VALUES), 3))
    assert found == {frozenset({0, 1, 2}), frozenset({7, 8, 9}), frozenset({3, 4, 5, 6})}


def test_one_person_changes_every_cluster():
    found = as_sets(mdav(one_dimensional([40, *VALUES[1:]]), 3))
    assert found == {frozenset({0, 8, 9}), frozenset({1, 2, 3}), frozenset({4, 5, 6, 7})}


@pytest.mark.parametrize(("k", "share"), [(5, 0.672), (50, 0.636)])
def test_a_value_of_one_member_shows_up_however_large_k_is(k, share):
    states = np.zeros((k, 20_000), np.uint8)
    states[0] = 1  # one member alone is in this state, all the time
    seeds = np.random.default_rng(k).integers(0, 2**64, (1, 4, LANES), dtype=np.uint64)
    drawn = sample_mixture(states, np.arange(k), np.array([0, k]), np.arange(k), seeds)
    assert drawn.any(axis=0).mean() == pytest.approx(share, abs=0.015)
    assert f"{share:.2f}" in sq.MCKA(k=k, literal=True).guarantee.not_covered[2]


def test_scales_at_the_papers_setting():
    assert printed_fpa_scale(20160, 50, 14, 1.0) == pytest.approx(10.63, abs=0.005)
    # in orthonormal coordinates: sqrt(A (2l-1)) sqrt(2m) / s
    assert fpa_scale(4, 20160, 50, 14, 1.0) == pytest.approx(math.sqrt(4 * 27) * math.sqrt(2 * 20160) / 50)
    assert lpa_scale(20160, 50, 1.0) == pytest.approx(2 * 20160 / 50)


def test_printed_noise_swamps_a_share():
    """Per-minute error of one state's profile under the printed scale with the unitary transform: 0.745."""
    rng = np.random.default_rng(0)
    scale = printed_fpa_scale(20160, 50, 14, 1.0)
    per_coordinate = np.full(27, math.sqrt(2) * scale)
    per_coordinate[0] = scale
    error = from_low_frequencies(rng.laplace(0, 1, (400, 27)) * per_coordinate, 20160)
    assert np.sqrt((error**2).mean()) == pytest.approx(0.745, rel=0.05)


def l1(m, terms, change):
    """Largest |F_0| + sum |Re| + |Im| over the real and imaginary parts of the unitary transform."""
    f = np.fft.rfft(change, norm="ortho")[:terms]
    return np.abs(f.real).sum() + np.abs(f.imag[1:]).sum()


def test_printed_scale_is_sufficient_and_tight_under_the_unitary_transform():
    m, terms = 64, 5
    rng = np.random.default_rng(0)
    ratio = max(l1(m, terms, q) / np.linalg.norm(q) for q in rng.normal(size=(2000, m)))
    assert ratio <= math.sqrt(terms) + 1e-9
    # the extreme direction: equal weight on F_0 and, halved by symmetry, on every real and imaginary part
    f = np.zeros(m // 2 + 1, complex)
    f[0], f[1:terms] = 1.0, 0.5 + 0.5j
    worst = np.fft.irfft(f, n=m, norm="ortho")
    assert l1(m, terms, worst) / np.linalg.norm(worst) == pytest.approx(math.sqrt(terms))


def test_joint_scale_holds_for_every_neighbour_of_a_tiny_cluster():
    """Replace one member by every possible person: the L1 change of the released coordinates is within the bound."""
    m, n_states, size, terms = 4, 2, 3, 2
    people = np.array(np.meshgrid(*[range(n_states)] * m)).reshape(m, -1).T

    def coordinates(members):
        shares = np.stack([(members == a).mean(axis=0) for a in range(n_states)])
        return low_frequencies(shares, terms).ravel()

    fixed = people[[3, 9]]
    worst = max(
        np.abs(coordinates(np.vstack([fixed, p])) - coordinates(np.vstack([fixed, q]))).sum()
        for p in people
        for q in people
    )
    assert worst <= fpa_scale(n_states, m, size, terms, 1.0) + 1e-12
    changed = max(np.abs((p[None] == np.arange(2)[:, None]) * 1.0 - (q[None] == np.arange(2)[:, None])).sum() / size
                  for p in people for q in people)  # fmt: skip
    assert changed <= lpa_scale(m, size, 1.0) + 1e-12


def test_noise_free_round_trip_is_the_projection():
    shares = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 60)).transpose(0, 2, 1)
    smooth = from_low_frequencies(low_frequencies(shares, 4), 60)
    out = noisy_profile(
        shares, 10, epsilon=1e12, terms=4, mechanism="fpa", literal=False, noise=TeachingNoise(np.random.default_rng(1))
    )
    assert np.allclose(out, np.clip(smooth, 0, 1) / np.clip(smooth, 0, 1).sum(axis=1, keepdims=True), atol=1e-5)
    assert np.allclose(out.sum(axis=1), 1.0)


def audited_epsilon(scale_of, transform, runs=4000, claimed=1.0):
    """Lower bound on epsilon from the transcript: two neighbouring clusters, one noisy release each, many runs.

    Laplace noise makes the exact log-likelihood ratio of two neighbours a sum over coordinates; thresholding it is the
    best attack. The bound is the log ratio of the two sides' frequencies of passing, each at 97.5 % confidence.
    """
    m, size, terms = 336, 50, 14
    here = np.zeros(m)
    there = np.full(m, 1.0 / size)  # one of the members switches a state on for the whole period
    a, b = transform(here, terms), transform(there, terms)
    scale = scale_of(m, size, terms, claimed)
    rng = np.random.default_rng(0)

    def ratio(y):
        return (np.abs(y - b) - np.abs(y - a)).sum(axis=1) / scale

    at_a = ratio(a + rng.laplace(0, scale, (runs, len(a))))
    at_b = ratio(b + rng.laplace(0, scale, (runs, len(b))))
    best = 0.0
    for cut in np.quantile(at_a, np.linspace(0.5, 0.99, 25)):
        p, q = (at_a >= cut).mean(), (at_b >= cut).mean()
        slack = math.sqrt(math.log(2 / 0.025) / (2 * runs))
        if p - slack > 0:
            best = max(best, math.log((p - slack) / (q + slack)))
    return best


def parts(series, terms, norm):
    f = np.fft.rfft(series, norm=norm)[:terms]
    return np.concatenate([f.real, f.imag[1:]])


def test_audit_passes_the_unitary_transform_and_fails_the_unnormalised_shortcut():
    honest = audited_epsilon(printed_fpa_scale, lambda q, terms: parts(q, terms, "ortho"))
    shortcut = audited_epsilon(printed_fpa_scale, lambda q, terms: parts(q, terms, "backward"))
    assert honest < 1.0
    assert shortcut > 2.0


def test_only_the_joint_scale_reaches_the_noise():
    """The transcript of a release shows integers and the declared scale, cluster size by cluster size."""
    noise = RecordingNoise(TeachingNoise(np.random.default_rng(0)))
    shares = np.full((2, 4, 100), 0.25)
    noisy_profile(shares, 10, epsilon=2.0, terms=6, mechanism="fpa", literal=False, noise=noise)
    (call,) = noise.transcript
    assert call["given"].dtype == np.int64 and call["given"].shape == (2, 4, 11)
    assert call["scale"] == pytest.approx(fpa_scale(4, 100, 10, 6, 2.0) * 2**20)

"""Budget, gate and noise: the parts every differentially private method stands on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sequester.dp.gate import GRID, bound, gate
from sequester.dp.ledger import Ledger, epsilon_of, gaussian_scale, rho_of
from sequester.dp.noise import RecordingNoise, SecureNoise, TeachingNoise, counted_utilities
from sequester.dp.randomness import Randomness
from sequester.errors import BudgetError, ParameterError
from sequester.release import Guarantee


@pytest.mark.parametrize(("epsilon", "rho"), [(0.5, 0.00664), (1, 0.02436), (2, 0.08815), (4, 0.31106), (8, 1.05236)])
def test_tight_conversion_at_delta_1e_6(epsilon, rho):
    assert rho_of(epsilon, 1e-6) == pytest.approx(rho, abs=5e-6)
    assert epsilon_of(rho_of(epsilon, 1e-6), 1e-6) <= epsilon


def test_tight_conversion_beats_the_simple_one():
    for rho in (0.01, 0.1, 1.0):
        assert epsilon_of(rho, 1e-6) < rho + 2 * np.sqrt(rho * np.log(1e6))


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 6), st.integers(1, 8)),
        elements=st.floats(allow_nan=True, allow_infinity=True, width=64),
    ),
    st.floats(0.01, 1000),
)
def test_nothing_passes_the_gate_above_its_bound(features, clip):
    with np.errstate(over="ignore", invalid="ignore"):
        out = gate(features, clip)
    assert out.dtype == np.int64
    for row in out:
        assert sum(int(v) ** 2 for v in row) <= bound(clip) ** 2


def test_the_gate_leaves_small_rows_alone_and_refuses_odd_clips():
    rows = np.array([[0.5, -0.25], [0.0, 0.0]])
    assert np.array_equal(gate(rows, 1.0), (rows * GRID).astype(np.int64))
    for clip in (0.0, -1.0, 1e9, float("nan")):
        with pytest.raises(ParameterError):
            gate(rows, clip)


def test_the_ledger_refuses_what_is_not_there():
    ledger = Ledger.pure(epsilon=1.0)
    ledger.spend("transitions", 0.5)
    ledger.spend("lengths", 0.25)
    with pytest.raises(BudgetError) as caught:
        ledger.spend("times", 0.8)
    assert str(caught.value) == (
        "budget: requested epsilon=0.8, delta=0 for 'times', remaining epsilon=0.25, delta=0 "
        "(spent: transitions 0.5, lengths 0.25)."
    )
    assert ledger.remaining == pytest.approx(0.25)
    with pytest.raises(BudgetError):
        ledger.spend("nonsense", float("nan"))
    with pytest.raises(BudgetError):
        ledger.spend("threshold", 0.1, delta=1e-9)


def test_the_ledger_survives_the_manifest():
    ledger = Ledger.zcdp(epsilon=1.0, delta=1e-6, delta_reserved=5e-7)
    ledger.spend("a", ledger.total / 2, sensitivity=2.0, scale=gaussian_scale(2.0, ledger.total / 2))
    ledger.spend("b", ledger.total / 2, delta=5e-7, kind="threshold")
    again = Ledger.from_json(ledger.to_json())
    assert again == ledger and again.spent == pytest.approx(ledger.total)


def test_secure_and_teaching_noise_follow_the_same_law():
    zeros = np.zeros(4000, np.int64)
    for noise in (SecureNoise(), TeachingNoise(np.random.default_rng(1))):
        assert noise.gaussian("g", zeros, 50.0).std() == pytest.approx(50, rel=0.1)
        assert np.abs(noise.laplace("l", zeros, 50.0)).mean() == pytest.approx(50, rel=0.1)
        picks = [noise.noisy_max("m", np.array([0, 0, 30]), 2.0) for _ in range(20)]
        assert picks == [2] * 20


def test_a_recording_passes_everything_on():
    noise = RecordingNoise(TeachingNoise(np.random.default_rng(1)))
    out = noise.gaussian("starts", np.array([1, 2]), 3.0)
    (entry,) = noise.transcript
    assert entry["name"] == "starts" and entry["scale"] == 3.0
    assert np.array_equal(entry["given"], [1, 2]) and np.array_equal(entry["out"], out)


def median_utilities(norms, grid):
    return counted_utilities(np.searchsorted(np.sort(norms), grid, side="right"), len(norms))


def test_one_person_changes_the_median_utilities_by_one():
    grid = np.linspace(0, 2, 30)
    norms = np.random.default_rng(0).uniform(0, 2, 41)
    for other in (0.0, 1.0, 2.5):
        change = median_utilities(np.r_[norms, other], grid) - median_utilities(norms, grid)
        assert np.abs(change).max() == 1


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 9.0]), max_size=12), st.sampled_from([0.0, 1.0, 1.2, 9.0]))
def test_no_person_changes_a_utility_by_more_than_one_where_norms_are_equal(norms, other):
    grid = np.geomspace(0.4, 8, 12)
    change = median_utilities([*norms, other], grid) - median_utilities(norms, grid)
    assert np.abs(change).max() <= 1


def test_the_median_of_equal_norms_is_found():
    """Everybody has the same norm: it is the first grid point not below it, and by as many people as there are."""
    grid = np.geomspace(1, 1000, 60)
    found = median_utilities(np.full(400, 1.7), grid)
    right = int(np.searchsorted(grid, 1.7))
    assert found[right] == 0 and np.delete(found, right).max() == -400


def test_two_streams_a_seed_repeats_and_the_system_does_not():
    a, b, c = Randomness(seed=5), Randomness(seed=5), Randomness()
    assert a.secret.integers(1 << 60) == b.secret.integers(1 << 60)
    assert a.public.integers(1 << 60) != a.secret.integers(1 << 60)
    assert not a.noise.secure and c.noise.secure and not c.seeded
    assert "5" not in repr(a)


def test_a_guarantee_must_say_what_it_leaves_out():
    told = {"model": "m", "level": "l", "parameters": {}, "unit": "person", "status": "proved", "statement": "s."}
    with pytest.raises(ParameterError, match="not_covered must not be empty"):
        Guarantee(**told, not_covered=())
    with pytest.raises(ParameterError, match="unit one of"):
        Guarantee(**{**told, "unit": "household"}, not_covered=("x.",))
    promise = Guarantee(**{**told, "status": "verifiable"}, not_covered=("x.",))
    assert promise.confirmed().status == "verified" and str(promise) == "l · unit: person · status: verifiable"

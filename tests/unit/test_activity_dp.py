"""activity-dp as a method: what it says before spending, what it publishes, and odd data."""

from types import SimpleNamespace

import numpy as np
import pytest

import sequester as sq
from sequester.methods.activity.activity_dp import ActivityDP
from sequester.methods.activity.activity_dp.calibrate import MOST_BETWEEN, _move_spread
from sequester.model import Activities
from sequester.samples.minutes import minutes

QUICK = {"epsilon": 4.0, "delta": 1e-6, "force": True, "calibration_people": 32, "rounds": 2}


def rows_of(release):
    sequences = release.tables["sequences"]
    return sequences["states"].combine_chunks().flatten().to_numpy().reshape(sequences.num_rows, -1)


def test_number_of_people_is_asked_for_before_anything():
    with pytest.raises(sq.ParameterError) as caught:
        ActivityDP(epsilon=1.0, delta=1e-6)
    assert str(caught.value) == (
        "ActivityDP: people_at_least is needed to tell what accuracy to expect before any budget is spent. Pass a "
        "number of people known from the study's protocol, or force=True."
    )


def test_too_small_an_index_is_refused_before_spending():
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(minutes(n_people=5, days=1), ActivityDP(epsilon=0.5, delta=1e-6, people_at_least=500))
    assert str(caught.value) == (
        "activity-dp: with 500 people and 4 states the index people * sqrt(rho) is 41, below 120: spread between "
        "people and correlations will be wrong. No budget was spent. Raise epsilon, gather 1473 people, or pass "
        "force=True."
    )


@pytest.mark.parametrize(
    ("people", "n_states", "says"),
    [
        (1000, 4, "the index people * sqrt(rho) is 156, between 120 and 600: usable for totals, daily profiles and "
                  "flows, not for differences between people."),
        (10000, 4, "the index people * sqrt(rho) is 1561, above 600: usable for all measured statistics."),
        (1000, 13, "the index people * sqrt(rho) is 78, below 120: spread between people and correlations will be "
                   "wrong."),
    ],
)  # fmt: skip
def test_outlook_from_public_numbers(people, n_states, says):
    method = ActivityDP(epsilon=1.0, delta=1e-6, people_at_least=people)
    assert method.outlook(n_states) == f"with {people} people and {n_states} states {says}"
    assert any("index" in line for line in method.guarantee.not_covered)


def test_outlook_without_a_number_says_so():
    method = ActivityDP(**QUICK)
    assert method.outlook(4) == "no number of people was given, so nothing can be expected of any figure."


@pytest.mark.parametrize("names", [("rest",), ("rest", "rest")])
def test_codebook_names_each_state_once(names):
    with pytest.raises(sq.ParameterError, match="codebook must name at least 2 states, each once"):
        ActivityDP(**QUICK, codebook=names)


def test_small_run_repeats_with_a_seed_and_keeps_the_promise():
    data = minutes(n_people=80, days=7, seed=3)
    method = ActivityDP(**{**QUICK, "people_at_least": 80})
    release, again = (sq.anonymize(data, method, seed=11) for _ in range(2))
    assert all(again.tables[t].equals(release.tables[t]) for t in release.tables)
    assert release.teaching_only and sq.verify(release, data).holds
    assert set(release.tables) == {"sequences", "states", "calendar", "measurements"}
    assert release.tables["sequences"].column_names == ["record", "states"]
    counted = release.tables["measurements"].to_pylist()[0]
    assert counted["family"] == "people" and release.tables["sequences"].num_rows == round(counted["value"])
    assert release.notes[0].says.startswith("With 80 people and 4 states the index")
    other = sq.anonymize(data, method, seed=12)
    assert not other.tables["measurements"].equals(release.tables["measurements"])


def test_a_large_budget_reproduces_the_population():
    data = minutes(n_people=300, days=7, seed=4)
    method = ActivityDP(epsilon=100.0, delta=1e-6, people_at_least=300, calibration_people=256)
    made = rows_of(sq.anonymize(data, method, seed=1))
    assert abs(len(made) - 300) <= 6
    real, synthetic = (np.array([(x == a).mean() for a in range(4)]) for x in (data.states, made))
    assert synthetic == pytest.approx(real, abs=0.02)
    changes = [(x[:, 1:] != x[:, :-1]).mean() for x in (data.states, made)]
    assert changes[1] == pytest.approx(changes[0], rel=0.1)


def test_calibration_lets_people_differ_as_much_as_released():
    """Told more spread than is shown, people may differ more, up to a limit; where noise is larger, nothing moves."""
    model = SimpleNamespace(between=np.diag([0.5, 0.5, 0.5]), within=np.diag([0.5, 0.5, 0.5]))
    released = SimpleNamespace(value={"spread": np.array([2.0, 1.0, 9.0])}, sd={"spread": 0.01})
    _move_spread(model, released, np.ones(3), 1.0)
    found = np.diag(model.between)
    assert found[0] == pytest.approx(2.0, rel=0.01) and found[1] == pytest.approx(0.5, rel=0.01)
    for _ in range(5):
        _move_spread(model, released, np.ones(3), 1.0)
    assert np.diag(model.between).max() <= 0.5 * MOST_BETWEEN / (1 - MOST_BETWEEN) + 1e-9
    still = SimpleNamespace(between=np.diag([0.5]), within=np.diag([0.5]))
    noisy = SimpleNamespace(value={"spread": np.array([90.0])}, sd={"spread": 1e3})
    _move_spread(still, noisy, np.ones(1), 1.0)
    assert still.between[0, 0] == pytest.approx(0.5, rel=0.01)


def test_an_overstated_number_of_people_is_noted_for_the_custodian():
    method = ActivityDP(epsilon=8.0, delta=1e-6, people_at_least=5000, calibration_people=16, rounds=0)
    release = sq.anonymize(minutes(n_people=40, days=1), method, seed=1)
    assert release.notes[1].says == (
        "The noisy count contradicts people_at_least: the accuracy is lower than the outlook says."
    )


def test_codebook_decides_names_and_folds_the_rest():
    data = minutes(n_people=30, days=2, seed=5)
    book = ("stationary", "walking", "cycling", "missing")
    release = sq.anonymize(data, ActivityDP(**QUICK, codebook=book), seed=1)
    assert release.tables["states"]["name"].to_pylist() == list(book)
    assert sq.verify(release).holds


def odd(kind):
    rng = np.random.default_rng(6)
    make = {
        "two states": lambda: (rng.integers(2, size=(20, 3 * 96)), 2, 900),
        "many states": lambda: (np.repeat(rng.integers(25, size=(20, 96)), 15, axis=1), 25, 60),
        "hours": lambda: (rng.integers(3, size=(15, 24 * 9 + 5)), 3, 3600),
        "less than a day": lambda: (rng.integers(3, size=(15, 100)), 3, 60),
        "one value a day": lambda: (rng.integers(3, size=(15, 30)), 3, 86400),
        "seven seconds": lambda: (np.repeat(rng.integers(3, size=(4, 300)), 100, axis=1), 3, 7),
        "two intervals": lambda: (rng.integers(3, size=(15, 2)), 3, 60),
        "one person": lambda: (rng.integers(4, size=(1, 1440)), 4, 60),
        "everybody the same": lambda: (np.ones((20, 2880)), 4, 60),
        "nobody observed": lambda: (np.full((20, 1440), 3), 4, 60),
    }
    states, n_states, seconds = make[kind]()
    names = tuple(f"s{i}" for i in range(n_states - 1)) + ("missing",)
    start = np.datetime64("2024-02-29T21:40:00")
    return Activities(
        states=states.astype(np.uint8), state_names=names, interval_seconds=seconds, start=start, names_public=True
    )


@pytest.mark.parametrize(
    "kind",
    ["two states", "many states", "hours", "less than a day", "one value a day", "seven seconds", "two intervals",
     "one person", "everybody the same", "nobody observed"],
)  # fmt: skip
def test_odd_data_keeps_the_promise(kind):
    data = odd(kind)
    release = sq.anonymize(data, ActivityDP(**{**QUICK, "rounds": 1}), seed=2)
    assert sq.verify(release, data).holds
    assert rows_of(release).shape[1] == data.states.shape[1]


@pytest.mark.parametrize(("shape", "names"), [((5, 1), ("a", "b")), ((5, 50), ("a",))])
def test_a_single_state_or_interval_is_refused(shape, names):
    data = Activities(states=np.zeros(shape, np.uint8), state_names=names, names_public=True)
    with pytest.raises(sq.InputError, match="at least 2 states and 2 intervals are needed, the data has"):
        sq.anonymize(data, ActivityDP(**QUICK))


def test_a_constant_population_stays_constant_when_the_budget_is_large():
    data = odd("everybody the same")
    made = rows_of(sq.anonymize(data, ActivityDP(**{**QUICK, "epsilon": 100.0}), seed=2))
    assert (made == 1).mean() > 0.9

"""Measures of activity data on cases whose answer is known."""

import math
from dataclasses import replace

import numpy as np
import pytest

import sequester as sq
from sequester.model import Activities
from sequester.samples.minutes import minutes
from sequester.utility.two_samples import cohens_d, pearson, relative_difference, welch


@pytest.fixture(scope="module")
def people():
    return minutes(n_people=60, days=3, seed=2)


def republished(release, rows):
    """The same release with other rows, in the order of its record numbers."""
    import pyarrow as pa

    column = pa.array(list(rows), pa.list_(pa.uint8()))
    table = release.tables["sequences"]
    table = table.set_column(table.column_names.index("states"), "states", column)
    return replace(release, tables={**release.tables, "sequences": table})


def test_a_perfect_copy_differs_in_nothing_and_is_reported_as_copied(people):
    release = sq.anonymize(people, sq.MCKA(k=5), seed=1)
    told = release.private["records"]
    rows = np.empty_like(people.states)
    rows[told["record"].to_numpy()] = people.states[told["row"].to_numpy()]
    seen = sq.measure(people, republished(release, rows))
    for name in (
        "daily relative difference: walking", "daily minutes Wasserstein", "bout length KS",
        "bout length total variation", "time-of-day profile distance", "flow difference",
        "transition matrix difference",
    ):  # fmt: skip
        assert seen[name] == pytest.approx(0.0, abs=1e-12), name
    assert seen["between-person variance kept"] == pytest.approx(1.0)
    assert seen["longest copied stretch, own cluster"] > 5 * seen["longest copied stretch, by chance"]
    before, after = (seen[f"correlation of activity with wellbeing, {w}"] for w in ("before", "after"))
    assert before == pytest.approx(after)


def test_semi_markov_keeps_bouts_and_changes_that_independent_minutes_destroy(people):
    best, paper = (
        sq.measure(people, sq.anonymize(people, m, seed=1)) for m in (sq.MCKA(k=5), sq.MCKA(k=5, literal=True))
    )
    assert best["bout length KS"] < 0.05 < 0.2 < paper["bout length KS"]
    assert best["flow difference"] < 0.3 < 1.0 < paper["flow difference"]
    assert best["longest copied stretch, own cluster"] <= 2 * best["longest copied stretch, by chance"] + 4


def test_daily_wasserstein_by_hand():
    rest = np.zeros((4, 1440), np.uint8)
    shifted = rest.copy()
    shifted[:, :30] = 1
    data = Activities(states=rest, state_names=("rest", "walk"))
    release = sq.anonymize(data, sq.MCKA(k=2, exact=True), seed=1)
    seen = sq.measure(data, republished(release, shifted))
    assert seen["daily minutes Wasserstein"] == pytest.approx(30.0)
    assert seen["daily relative difference: rest"] == pytest.approx(30 / 1440)
    assert seen["daily relative difference: walk"] == pytest.approx(1.0)
    assert seen["time-of-day profile distance"] == pytest.approx(0.5 / 24)


def test_without_the_custodians_map_rows_are_paired_by_rank(people):
    release = replace(sq.anonymize(people, sq.MCKA(k=5), seed=1), private={})
    seen = sq.measure(people, release)
    assert all("paired by rank" in f.says for f in seen.figures if f.name.startswith("daily relative difference"))
    assert not any("copied" in f.name or "correlation" in f.name for f in seen.figures)


def test_two_methods_are_compared_by_welch_and_cohen(people):
    a, b = (sq.anonymize(people, m, seed=1) for m in (sq.MCKA(k=5), sq.MCKA(k=5, literal=True)))
    rows = sq.measure(people, a, versus=b).rows["versus"]
    walking = next(r for r in rows if r["state"] == "walking")
    assert walking["t"] > 4 and walking["p"] < 1e-4 and walking["cohens_d"] > 0.5


def test_statistics_against_hand_values():
    assert relative_difference(np.array([0, 10, 5]), np.array([0, 5, 10])).tolist() == [0.0, 0.5, 0.5]
    x, y = np.array([1.0, 2, 3, 4]), np.array([2.0, 4, 6, 8])
    assert pearson(x, y) == pytest.approx(1.0) and math.isnan(pearson(x, np.ones(4)))
    told = welch(x, y)
    assert told["t"] == pytest.approx(-2.5 / math.sqrt(5 / 12 + 20 / 12))
    assert told["degrees"] == pytest.approx((25 / 12) ** 2 / ((5 / 12) ** 2 / 3 + (20 / 12) ** 2 / 3))
    assert cohens_d(x, y) == pytest.approx(-2.5 / math.sqrt((5 / 3 + 20 / 3) / 2))
    assert welch(np.ones(3), np.ones(3))["p"] == 1.0


def test_a_release_of_other_states_is_refused(people):
    release = sq.anonymize(people, sq.MCKA(k=5), seed=1)
    other = replace(people, state_names=("a", "b", "c", "d"))
    with pytest.raises(sq.InputError) as caught:
        sq.measure(other, release)
    assert str(caught.value) == (
        "measure: the release has other states than the original. Read both with the same states."
    )


def test_sample_is_repeatable_and_lifelike():
    a, b = minutes(seed=4), minutes(seed=4)
    assert a.fingerprint() == b.fingerprint() != minutes(seed=5).fingerprint()
    share = [(a.states == s).mean() for s in range(4)]
    assert 0.5 < share[0] < 0.9 and 0.03 < share[1] < 0.2 and 0.001 < share[2] < 0.05 and 0.05 < share[3] < 0.3
    night, noon = a.states[:, 180:240], a.states[:, 720:780]
    assert (night == 1).mean() < (noon == 1).mean() / 2


def test_a_release_in_other_codes_is_compared_by_name(people):
    release = sq.anonymize(people, sq.MCKA(k=5), seed=1)
    turned = people.recoded(people.state_names[::-1])
    assert turned.state_names == people.state_names[::-1] and not np.array_equal(turned.states, people.states)
    assert sq.measure(turned, release).figures == sq.measure(people, release).figures

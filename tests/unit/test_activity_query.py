"""Answers from an activity bundle, against the released rows themselves."""

import numpy as np
import pytest

import sequester as sq
from sequester.samples.minutes import minutes


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    data = minutes(n_people=20, days=6, seed=1)
    release = sq.anonymize(data, sq.MCKA(k=5), seed=1)
    target = tmp_path_factory.mktemp("activity") / "x.bundle"
    return sq.publish(release, target), release


def rows_of(release):
    return np.array(release.tables["sequences"]["states"].to_pylist(), dtype=np.uint8)


def test_daily_minutes_add_up(opened):
    bundle, release = opened
    rows = rows_of(release)
    assert (bundle.states == rows).all()
    table = bundle.daily_minutes("walking")
    assert table.num_rows == 20 * 6
    assert table["minutes"].to_numpy().sum() == (rows == 1).sum()
    assert table["minutes"].to_pylist()[:6] == (rows[0].reshape(6, 1440) == 1).sum(axis=1).tolist()


def test_profile_and_transitions(opened):
    bundle, release = opened
    rows = rows_of(release)
    noon = bundle.profile("walking").to_pylist()[12]
    weekday = np.concatenate([rows[:, d * 1440 + 720 : d * 1440 + 780] for d in range(5)], axis=1)
    assert noon["weekday"] == pytest.approx((weekday == 1).mean())
    table = bundle.transitions().to_pylist()
    stay = next(r["share"] for r in table if r["from"] == r["to"] == "walking")
    walking = rows[:, :-1] == 1
    assert stay == pytest.approx((rows[:, 1:][walking] == 1).mean())
    assert sum(r["share"] for r in table if r["from"] == "missing") == pytest.approx(1.0)


def test_a_misspelt_state(opened):
    with pytest.raises(sq.InputError) as caught:
        opened[0].profile("walkin")
    assert str(caught.value) == (
        "query: no state 'walkin'; there are stationary, walking, running, missing. Did you mean 'walking'?"
    )


def test_sql_over_lists(opened):
    found = opened[0].sql("select count(*) as n from sequences where len(states) = 8640").to_pylist()
    assert found == [{"n": 20}]

"""Where days are aligned to each person's own first one, weekdays mean nothing: no sampler and no query uses them."""

from dataclasses import replace

import numpy as np
import pytest

import sequester as sq
from sequester.model.kind import Fact
from sequester.samples.minutes import minutes


def started_on(day, weekdays):
    """The same week of the same people, whatever the date it is put on."""
    data = minutes(n_people=30, days=7, seed=4)
    told = Fact("calendar", {"align": "monday" if weekdays else "start", "days": 7, "weekdays": weekdays}, "declared")
    return replace(data, start=np.datetime64(f"{day}T00:00:00"), reading=(told,))


def test_without_weekdays_the_sampler_draws_the_same_on_any_date():
    drawn = {
        (day, true): sq.anonymize(started_on(day, true), sq.MCKA(k=5), seed=1).tables["sequences"]
        for day in ("2000-01-03", "2000-01-08")
        for true in (True, False)
    }
    assert drawn["2000-01-03", False].equals(drawn["2000-01-08", False])
    assert not drawn["2000-01-03", True].equals(drawn["2000-01-08", True]), "true weekends are told apart"


def test_a_profile_without_weekdays_has_one_column(tmp_path):
    for true, columns in ((True, ["hour", "weekday", "weekend"]), (False, ["hour", "all_days"])):
        data = started_on("2000-01-03", true)
        release = sq.anonymize(data, sq.MCKA(k=5), seed=1)
        bundle = sq.publish(release, tmp_path / f"{true}.bundle", source=data, evidence=[])
        profile = sq.open_bundle(tmp_path / f"{true}.bundle").profile(data.state_names[0])
        assert bundle is not None and profile.column_names == columns
    states = np.stack(release.tables["sequences"]["states"].to_numpy(zero_copy_only=False)).reshape(30, 7, 24, 60)
    np.testing.assert_allclose(profile["all_days"].to_numpy(), (states == 0).mean(axis=(0, 1, 3)))


def test_a_plan_refuses_covariates_that_end_up_nowhere(tmp_path):
    (tmp_path / "minutes.csv").write_text("person,start,end,state,sex\na,2024-01-01 00:00,2024-01-01 01:00,still,f\n")
    (tmp_path / "plan.toml").write_text(
        '[[release]]\nsource = "minutes.csv"\nmethod = "mcka"\nout = "a.bundle"\nparameters = { k = 5 }\n'
        'roles = { person = "person", start = "start", end = "end", state = "state", covariates = ["sex"] }\n'
    )
    with pytest.raises(sq.InputError) as caught:
        sq.read_plan(tmp_path / "plan.toml")
    assert "covariates names 1 column that would end up in no table (sex)" in str(caught.value)
    assert not (tmp_path / "a.bundle").exists()

"""Groups: the method in each, small ones refused or merged, the group per row published, judged and asked for."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.samples.minutes import minutes


@pytest.fixture(scope="module")
def study():
    """Two arms that differ, and a small third one."""
    calm, busy = minutes(n_people=44, days=7, seed=1), minutes(n_people=44, days=7, seed=2)
    states = np.concatenate([calm.states, busy.states])
    more = states[44:]
    more[(more == 0) & (np.random.default_rng(0).random(more.shape) < 0.03)] = 1
    arm = np.array(["control"] * 44 + ["treated"] * 40 + ["pilot"] * 4, dtype=object)
    return replace(
        calm, states=states, persons=np.array([f"p{i}" for i in range(88)], dtype=object), covariates={"arm": arm}
    )


def two_arms(study):
    return study.take(np.arange(84))


def failed(claim, source=None):
    return {c.name for c in sq.verify(claim, source).checks if not c.passed}


def with_group(release, change):
    table = release.tables["sequences"]
    group = table["group"].to_pylist()
    change(group, table["cluster"].to_pylist())
    table = table.set_column(table.column_names.index("group"), "group", pa.array(group, pa.string()))
    return replace(release, tables={**release.tables, "sequences": table})


def test_groups_are_published_per_row_and_confirmed(study):
    data = two_arms(study)
    method = sq.MCKA(k=5, by=("arm",), centroids=True)
    release = sq.anonymize(data, method, seed=1)
    assert not failed(release) and not failed(release, data)
    group = np.array(release.tables["sequences"]["group"].to_pylist())
    assert (group == "control").sum() == 44 and (group == "treated").sum() == 40
    assert release.guarantee.level == "mixtures of at least 5 people, in groups"
    assert "whoever knows which cluster a person is in knows their 'arm'" in " ".join(release.guarantee.not_covered)


def test_a_forged_group_is_caught(study):
    data = two_arms(study)
    release = sq.anonymize(data, sq.MCKA(k=5, by=("arm",)), seed=1)

    def one_row(group, cluster):
        group[0] = "treated" if group[0] == "control" else "control"

    assert failed(with_group(release, one_row)) == {"no cluster mixes groups"}

    def swap_all(group, cluster):
        group[:] = ["treated" if g == "control" else "control" for g in group]

    assert failed(with_group(release, swap_all), data) == {"every row carries its members' group"}

    def tiny_group(group, cluster):
        for i, c in enumerate(cluster):
            group[i] = "new" if c == cluster[0] else group[i]

    assert failed(with_group(release, tiny_group)) == {"no group is small"}
    table = release.tables["sequences"].drop(["group"])
    assert "columns of sequences" in failed(replace(release, tables={**release.tables, "sequences": table}))


def test_a_group_without_the_promise_of_groups_is_refused(study):
    release = sq.anonymize(two_arms(study), sq.MCKA(k=5), seed=1)
    table = release.tables["sequences"].append_column("group", pa.array(["a"] * 84))
    assert failed(replace(release, tables={**release.tables, "sequences": table})) == {"columns of sequences"}


def test_small_groups_are_refused_or_merged_by_name(study):
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(study, sq.MCKA(k=5, by=("arm",)), seed=1)
    assert str(caught.value) == (
        "anonymize: 1 of 3 groups holds fewer than 2k=10 people. Lower k, group by fewer columns, or pass "
        "merge_small=True."
    )
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(study, sq.MCKA(k=5, by=("arm",), merge_small=True), seed=1)
    assert str(caught.value) == (
        "anonymize: the 1 small groups together hold 4 people, fewer than 2k=10. Lower k or group by fewer columns."
    )
    arm = study.covariates["arm"].copy()
    arm[76:84] = "second pilot"
    data = replace(study, covariates={"arm": arm})
    release = sq.anonymize(data, sq.MCKA(k=5, by=("arm",), merge_small=True), seed=1)
    assert set(release.tables["sequences"]["group"].to_pylist()) == {"control", "treated", "other"}
    assert not failed(release, data)
    assert sq.measure(data, release).rows["groups"]


def test_a_column_that_was_not_read_is_named(study):
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(study, sq.MCKA(k=5, by=("amr",)), seed=1)
    assert str(caught.value) == (
        "anonymize: the groups need the column 'amr' beside the data, and it was not read. Pass covariates='amr'. "
        "Did you mean 'arm'?"
    )


def test_differences_between_groups_keep_their_size_and_width(study):
    data = two_arms(study)
    rows = sq.measure(data, sq.anonymize(data, sq.MCKA(k=5, by=("arm",)), seed=1)).rows["groups"]
    walking = next(r for r in rows if r["measure"] == "minutes of walking")
    assert walking["group"] == "treated" and walking["minus"] == "control"
    assert walking["original"] > 20 and abs(walking["released"] / walking["original"] - 1) < 0.35
    assert 0.7 < walking["width_ratio"] < 1.5
    assert walking["original_low"] < walking["original"] < walking["original_high"]


@pytest.mark.parametrize("method", [sq.MDAVKA, sq.MCDP, sq.MDAVDP])
def test_every_clustering_method_runs_in_groups(study, method):
    data = two_arms(study)
    more = {} if method is sq.MDAVKA else {"epsilon": 1.0}
    release = sq.anonymize(data, method(k=5, by=("arm",), **more), seed=1)
    assert not failed(release, data)


def test_exact_rows_in_groups_are_k_anonymous(study):
    data = two_arms(study)
    release = sq.anonymize(data, sq.MCKA(k=5, by=("arm",), exact=True), seed=1)
    assert not failed(release, data) and release.guarantee.level == "5-anonymity, in groups"


def test_covariates_that_would_end_up_nowhere_are_refused():
    assert sq.MCKA(k=5, by=("arm",)).roles({"person": "id"}) == {"person": "id", "covariates": ("arm",)}
    assert sq.MCKA(k=5).roles({"person": "id"}) == {"person": "id"}
    assert sq.MCKA(k=5, covariate_means=True).roles({"covariates": ("grade",)}) == {"covariates": ("grade",)}
    with pytest.raises(sq.ParameterError) as caught:
        sq.MCKA(k=5).roles({"covariates": ("grade",)})
    assert str(caught.value) == (
        "MCKA: covariates names 1 column that would end up in no table (grade). Leave them out, or pass by= to "
        "publish groups, or covariate_means=True to publish their means."
    )


def test_bad_groups_are_refused():
    with pytest.raises(sq.ParameterError, match="by must name each column once, got 'arm, arm'"):
        sq.MCKA(k=5, by=("arm", "arm"))
    with pytest.raises(sq.ParameterError, match="merge_small merges groups, and there are none"):
        sq.MCKA(k=5, merge_small=True)


def test_a_bundle_answers_by_group(study, tmp_path):
    data = two_arms(study)
    release = sq.anonymize(data, sq.MCKA(k=5, by=("arm",)), seed=1)
    bundle = sq.publish(release, tmp_path / "arms.bundle", source=data)
    told = bundle.by_group().to_pylist()
    walking = {r["group"]: r for r in told if r["measure"] == "minutes of walking"}
    assert walking["control"]["difference"] is None and walking["control"]["rows"] == 44
    assert walking["treated"]["low"] < walking["treated"]["difference"] < walking["treated"]["high"]
    assert {r["measure"] for r in bundle.rhythm().to_pylist()} >= {"IS", "IV", "RA", "L5", "M10", "longest rest"}
    alone = sq.publish(sq.anonymize(data, sq.MCKA(k=5), seed=1), tmp_path / "all.bundle")
    with pytest.raises(sq.InputError) as caught:
        alone.by_group()
    assert str(caught.value) == (
        "query: 'all.bundle' was not published in groups. Publish it with by=, or ask without."
    )

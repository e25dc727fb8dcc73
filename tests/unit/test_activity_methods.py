"""The clustered methods and their judge: promises kept, planted defects caught, messages word for word."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.methods.activity.shared.clustering import Everybody
from sequester.model import Activities
from sequester.samples.minutes import minutes


@pytest.fixture(scope="module")
def people():
    return minutes(n_people=47, days=2, seed=5)


def tampered(release, **tables):
    return replace(release, tables={**release.tables, **tables})


def failed(release, source=None):
    return {c.name for c in sq.verify(release, source).checks if not c.passed}


def with_rows(release, change):
    table = release.tables["sequences"]
    rows = np.stack([np.array(r, dtype=np.uint8) for r in table["states"].to_pylist()])
    change(rows)
    column = pa.array(list(rows), pa.list_(pa.uint8()))
    return tampered(release, sequences=table.set_column(2, "states", column))


METHODS = [
    sq.MCKA(k=5),
    sq.MCKA(k=4, literal=True, centroids=True, covariate_means=True),
    sq.MCKA(k=3, exact=True),
    sq.MCKA(k=3, levels=("period", "day", "hour"), fan_out=2, weights=("walking=50",)),
    sq.MDAVKA(k=5),
    sq.MDAVKA(k=5, level="15min", sampler="independent"),
    sq.MDAVKA(k=4, exact=True, level="hour"),
    sq.MCDP(k=6, epsilon=1.0),
    sq.MCDP(k=6, epsilon=1.0, literal=True),
    sq.MDAVDP(k=6, epsilon=2.0, mechanism="lpa"),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.id}-{METHODS.index(m)}")
def test_promise_is_confirmed_with_and_without_the_original(people, method):
    release = sq.anonymize(people, method, seed=3)
    sq.verify(release).raise_if_broken()
    sq.verify(release, people).raise_if_broken()
    sizes = np.unique(release.tables["sequences"]["cluster"].to_numpy(), return_counts=True)[1]
    assert sizes.min() >= method.k and sizes.max() <= 2 * method.k - 1
    assert "records" in release.private and "records" not in release.tables


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7, 9, 11])
@pytest.mark.parametrize("exact", [False, True])
def test_sizes_hold_for_every_number_of_people(n, exact):
    data = minutes(n_people=n, days=1, seed=n)
    for k in range(2, n + 1):
        sq.verify(sq.anonymize(data, sq.MCKA(k=k, exact=exact), seed=1), data).raise_if_broken()


def test_fewer_people_than_k_are_refused(people):
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(people, sq.MCKA(k=48), seed=1)
    assert str(caught.value) == "anonymize: k=48 needs 48 people, the data has 47. Lower k or add data."


def test_states_that_nobody_shares_are_refused_in_a_sentence():
    loners = Activities(states=np.arange(4, dtype=np.uint8)[:, None].repeat(50, axis=1), state_names=tuple("abcd"))
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(loners, sq.MCKA(k=2), seed=1)
    assert str(caught.value) == (
        "anonymize: none of the 4 states was visited by k=2 people, so nothing can be drawn. Lower k or merge states."
    )
    sq.verify(sq.anonymize(loners, sq.MCKA(k=2, literal=True), seed=1)).raise_if_broken()


def test_all_alike_and_single_state():
    same = Activities(states=np.zeros((6, 100), np.uint8), state_names=("rest", "walk"))
    for method in (sq.MCKA(k=3), sq.MCKA(k=3, exact=True), sq.MCKA(k=3, literal=True)):
        release = sq.anonymize(same, method, seed=1)
        sq.verify(release, same).raise_if_broken()
        assert set(map(tuple, release.tables["sequences"]["states"].to_pylist())) == {(0,) * 100}


# Planted defects ------------------------------------------------------------------------------------------------


def test_a_cluster_of_one_too_few_is_caught(people):
    release = sq.anonymize(people, sq.MCKA(k=5), seed=3)
    table = release.tables["sequences"]
    cluster = table["cluster"].to_numpy().copy()
    smallest = np.unique(cluster, return_counts=True)
    victim = smallest[0][smallest[1] == 5][0]
    cluster[np.flatnonzero(cluster == victim)[0]] = smallest[0][smallest[0] != victim][0]
    changed = tampered(release, sequences=table.set_column(1, "cluster", pa.array(cluster)))
    assert "cluster sizes" in failed(changed)


def test_one_changed_interval_breaks_k_anonymity(people):
    release = sq.anonymize(people, sq.MCKA(k=5, exact=True), seed=3)

    def change(rows):
        rows[0, 10] = (rows[0, 10] + 1) % 4

    assert "rows of a cluster are identical" in failed(with_rows(release, change))


def test_states_no_member_had_and_odd_frequencies_are_caught(people):
    release = sq.anonymize(people, sq.MCKA(k=5, literal=True), seed=3)

    def change(rows):
        rows[:, :600] = 2

    assert failed(with_rows(release, change), people) == {
        "every shown state was a member's at that interval",
        "state frequencies follow the clusters' shares",
    }


def test_a_copied_original_is_caught(people):
    """Publishing the members' own rows under k-anonymity fails without the original."""
    release = sq.anonymize(people, sq.MCKA(k=5, exact=True), seed=3)
    told = release.private["records"]

    def change(rows):
        rows[told["record"].to_numpy()] = people.states[told["row"].to_numpy()]

    assert "rows of a cluster are identical" in failed(with_rows(release, change))


@pytest.mark.parametrize(
    "method",
    [sq.MCKA(k=5), sq.MCKA(k=5, literal=True), sq.MDAVKA(k=5), sq.MCDP(k=6, epsilon=1.0), sq.MDAVDP(k=6, epsilon=2.0)],
    ids=["mcka", "mcka-literal", "mdav-ka", "mcdp", "mdav-dp"],
)
@pytest.mark.parametrize("n_copies", [47, 1])
def test_rows_that_are_a_members_own_are_caught(people, method, n_copies):
    release = sq.anonymize(people, method, seed=3)
    told = release.private["records"]

    def change(rows):
        rows[told["record"].to_numpy()[:n_copies]] = people.states[told["row"].to_numpy()[:n_copies]]

    changed = with_rows(release, change)
    assert not failed(changed)
    assert "no row is a member's own" in failed(changed, people)


@pytest.mark.parametrize("literal", [False, True])
def test_equal_rows_that_are_one_members_are_caught(people, literal):
    release = sq.anonymize(people, sq.MCKA(k=5, exact=True, literal=literal), seed=3)
    told = release.private["records"]

    def change(rows):
        cluster = told["cluster"].to_numpy()
        for c in np.unique(cluster):
            rows[told["record"].to_numpy()[cluster == c]] = people.states[told["row"].to_numpy()[cluster == c][0]]

    assert failed(with_rows(release, change), people) == {"no row is a member's own"}


def test_plain_days_may_repeat_by_chance():
    """Constant people, one interval, twins, and a day everybody spends alike: equal rows are no copies."""
    names = ("rest", "walk")
    constant = np.repeat(np.arange(12) % 2, 1440).reshape(12, 1440)
    one = np.arange(12)[:, None] % 2
    together = np.tile(np.arange(1440) // 10 % 2, (12, 1))
    for states in (constant, one, together):
        data = Activities(states=states.astype(np.uint8), state_names=names)
        for method in (
            sq.MCKA(k=4),
            sq.MCKA(k=4, literal=True),
            sq.MCKA(k=4, exact=True),
            sq.MCDP(k=4, epsilon=1e6, mechanism="lpa"),
        ):
            sq.verify(sq.anonymize(data, method, seed=1), data).raise_if_broken()


def test_a_person_in_two_clusters_is_caught(people):
    release = sq.anonymize(people, sq.MCKA(k=5), seed=3)
    told = release.private["records"]
    twice = told["person"].to_pylist()
    twice[0] = twice[1]
    changed = replace(release, private={"records": told.set_column(2, "person", pa.array(twice))})
    assert failed(changed, people) == {"clusters partition the people"}


def test_a_wrong_centroid_and_a_small_mean_are_caught(people):
    release = sq.anonymize(people, sq.MCKA(k=4, centroids=True, covariate_means=True), seed=3)
    table = release.tables["centroids"]
    minutes_ = table["minutes"].to_pylist()
    shown = next(i for i, m in enumerate(minutes_) if m is not None)
    minutes_[shown] += 1
    changed = tampered(release, centroids=table.set_column(3, "minutes", pa.array(minutes_, pa.float64())))
    assert failed(changed, people) == {"centroids are means that k members share"}
    means = release.tables["covariates"]
    few = means["people"].to_numpy().copy()
    few[0] = 3
    changed = tampered(release, covariates=means.set_column(3, "people", pa.array(few)))
    assert failed(changed) == {"covariates are means of at least 4 people"}


def test_wrong_or_malformed_covariate_means_are_caught(people):
    release = sq.anonymize(people, sq.MCKA(k=4, covariate_means=True), seed=3)
    means = release.tables["covariates"]
    assert means.num_rows and not failed(release, people)
    shifted = means.set_column(2, "mean", pa.array(means["mean"].to_numpy() + 1e-3))
    assert not failed(tampered(release, covariates=shifted))
    for changed in (shifted, means.slice(1)):
        assert failed(tampered(release, covariates=changed), people) == {"covariates are the clusters' means"}
    crowd = means.set_column(3, "people", pa.array([99] * means.num_rows, pa.int32()))
    assert failed(tampered(release, covariates=crowd)) == {"covariates are means of at least 4 people"}
    nothing = pa.array([None] * means.num_rows, pa.float64())
    for broken in (
        means.drop(["people"]),
        means.set_column(2, "mean", nothing),
        means.set_column(2, "mean", pa.array(["high"] * means.num_rows)),
        pa.concat_tables([means, means]),
    ):
        assert "covariates are means" in failed(tampered(release, covariates=broken))
        assert "covariates are means" in failed(tampered(release, covariates=broken), people)


def test_a_rare_state_is_never_shown_and_showing_it_is_caught(people):
    states = people.states.copy()
    states[states == 2] = 0
    states[0, 100:140] = 2
    data = replace(people, states=states)
    release = sq.anonymize(data, sq.MCKA(k=5), seed=3)
    assert not failed(release, data)

    def change(rows):
        rows[0, 0] = 2

    both = {"no state of fewer than k people is shown", "no change of fewer than k people is shown"}
    assert failed(with_rows(release, change), data) == both


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda t: {"sequences": t["sequences"].drop(["cluster"])}, "columns of sequences"),
        (
            lambda t: {"sequences": t["sequences"].append_column("person", t["sequences"]["record"])},
            "columns of sequences",
        ),
        (lambda t: {"states": t["states"].slice(0, 1)}, "every code is a named state"),
        (lambda t: {"notes": t["states"]}, "tables are the expected ones"),
        (
            lambda t: {"sequences": t["sequences"].set_column(1, "cluster", pa.array(["a"] * t["sequences"].num_rows))},
            "cluster sizes",
        ),
        (
            lambda t: {
                "sequences": t["sequences"].set_column(
                    1, "cluster", pa.array([None, *t["sequences"]["cluster"].to_pylist()[1:]], pa.int32())
                )
            },
            "cluster sizes",
        ),
        (
            lambda t: {"sequences": t["sequences"].set_column(0, "record", pa.array([1] * t["sequences"].num_rows))},
            "records are numbered anew",
        ),
    ],
)
def test_malformed_tables_fail_without_a_traceback(people, change, name):
    release = sq.anonymize(people, sq.MCKA(k=5), seed=3)
    assert name in failed(tampered(release, **change(release.tables)))


# Parameters -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sq.MCKA(k=1), "MCKA: k must be a whole number of at least 2, got k=1."),
        (
            lambda: sq.MCKA(k=5, levels=("month",)),
            "MCKA: levels must be period, week, day, hour or a number of minutes such as 15min, got 'month'.",
        ),
        (
            lambda: sq.MDAVKA(k=5, level="month"),
            "MDAVKA: level must be period, week, day, hour or a number of minutes such as 15min, got 'month'.",
        ),
        (
            lambda: sq.MCKA(k=5, weights=("walking",)),
            "MCKA: weights must look like 'walking=50', the number in 0..1000000.",
        ),
        (
            lambda: sq.MCKA(k=5, sampler="best"),
            "MCKA: sampler must be one of day-types, independent, got sampler='best'.",
        ),
        (lambda: sq.MCDP(k=5, epsilon=0.0), "MCDP: epsilon must be a number in 1e-06..1000000.0, got epsilon=0.0."),
    ],
)
def test_bad_parameters_are_refused_in_full_sentences(make, message):
    with pytest.raises(sq.ParameterError) as caught:
        make()
    assert str(caught.value) == message


def test_data_that_does_not_fit_the_parameters(people):
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(people, sq.MCKA(k=5, weights=("flying=2",)), seed=1)
    assert str(caught.value) == (
        "anonymize: 1 weights name a state the data does not have; it has 4 states: "
        "stationary, walking, running, missing."
    )
    short = Activities(states=np.zeros((9, 12), np.uint8), state_names=("rest", "walk"))
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(short, sq.MCDP(k=4, epsilon=1.0), seed=1)
    assert str(caught.value) == (
        "anonymize: 14 frequencies were asked for, sequences of 12 intervals have 6. Lower terms."
    )


def test_literal_is_written_out_in_the_parameters():
    told = sq.MCKA(k=5, literal=True).parameters
    assert (told["fan_out"], told["sampler"]) == (50, "independent")
    assert sq.MCKA(k=5, literal=True, fan_out=10).fan_out == 10


def test_noisy_clusters_are_taught_only_when_seeded(people):
    assert sq.anonymize(people, sq.MCDP(k=6, epsilon=1.0), seed=1).teaching_only
    unseeded = sq.anonymize(people, sq.MCDP(k=6, epsilon=1.0))
    assert not unseeded.teaching_only and unseeded.ledger is None
    assert unseeded.guarantee.status == "as-published"


def test_two_unseeded_runs_differ(people):
    a, b = (sq.anonymize(people, sq.MCKA(k=5)).tables["sequences"] for _ in range(2))
    assert not a.equals(b)


def test_improved_clusters_are_tighter():
    people = minutes(n_people=400, days=3, seed=2)

    def loss(**options):
        found = sq.MCKA(k=5, **options).clusters(Everybody.of(people, sq.Engine()))
        counts = np.stack([(people.states == s).reshape(400, 3, -1).sum(axis=2) for s in range(4)], axis=1)
        x = counts.reshape(400, -1).astype(float)
        members = [x[found.order[a:b]] for a, b in pairwise(found.bounds)]
        return sum(((m - m.mean(axis=0)) ** 2).sum() for m in members)

    assert loss() < loss(literal=True, fan_out=200)


@pytest.mark.parametrize("method", ["mcka", "mcdp", "mdav-ka", "mdav-dp"])
def test_inherited_parameters_keep_their_help(method):
    from sequester.cli.options import method_options

    told = {o.name: o.help for o in method_options(sq.method_class(method))}
    assert told["k"] == "People per cluster, at least 2; clusters hold k to 2k-1."
    assert all(told.values())


def test_help_begins_with_what_must_be_given_and_what_is_a_methods_own():
    from sequester.cli.options import method_options

    assert [o.name for o in method_options(sq.MCKA)][:2] == ["k", "exact"]
    assert [o.name for o in method_options(sq.Kapra)][:4] == ["k", "p", "pattern", "l"]
    assert [o.name for o in method_options(sq.MCDP)][:2] == ["k", "epsilon"]

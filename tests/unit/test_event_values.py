"""Values of events and pairs of attributes through markov-dp: bounded, judged, and drawn with what they depend on."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.dp.noise import RecordingNoise, ReplayNoise
from sequester.dp.randomness import Randomness
from sequester.methods.events.markov_dp import MarkovDP
from sequester.methods.events.markov_dp.measure import measure
from sequester.methods.events.markov_dp.value_cells import Cells, places, value_before
from sequester.model import EventLog

VALUES = ("crp:10,50,100", "grade:low,high")


def laboratory(n=900, seed=1, most=6):
    """Blood is taken several times; a person's values stay where they are, and only blood has them."""
    rng = np.random.default_rng(seed)
    names = ("in", "blood", "out")
    traces, crp, grade, sex, ward, times = [], [], [], [], [], []
    for i in range(n):
        sick, k = rng.random() < 0.3, int(rng.integers(1, most))
        traces.append([0, *[1] * k, 2])
        crp += [np.nan, *(rng.uniform(100, 300, k) if sick else rng.uniform(0, 10, k)), np.nan]
        grade += ["", *(["high" if sick else "low"] * k), ""]
        woman = rng.random() < 0.5
        sex += ["f" if woman else "m"] * (k + 2)
        ward += [("A" if woman else "B") if rng.random() < 0.95 else "C"] * (k + 2)
        times += (1_710_000_000 + 86400 * (i % 300) + 3600 * np.arange(k + 2)).tolist()
    return EventLog(
        names_public=True, offsets=np.r_[0, np.cumsum([len(t) for t in traces])], states=np.concatenate(traces),
        state_names=names, times=np.array(times),
        attributes={"crp": np.array(crp), "grade": np.array(grade, object), "sex": np.array(sex, object),
                    "ward": np.array(ward, object)},
    )  # fmt: skip


def only(log, *names):
    return replace(log, attributes={name: log.attributes[name] for name in names})


def method(**more):
    told = {"epsilon": 8.0, "delta": 1e-6, "people_at_least": 800, "dates": "2024-01-01..2025-12-31"}
    return MarkovDP(**(told | more))


@pytest.fixture(scope="module")
def log():
    return laboratory()


@pytest.fixture(scope="module")
def release(log):
    return sq.anonymize(only(log, "crp", "grade"), method(event_values=VALUES), seed=3)


def table(release):
    return release.tables["events"].to_pandas()


def test_values_belong_to_their_state_and_keep_their_shares(log, release):
    assert sq.verify(release, only(log, "crp", "grade")).holds
    events = table(release)
    assert list(events.columns) == ["object", "time", "state", "crp", "grade"]
    blood = events[events.state == "blood"]
    assert blood.crp.notna().mean() > 0.9 and events[events.state != "blood"].crp.notna().mean() < 0.05
    real = log.attributes["crp"][log.states == 1]
    assert abs((blood.crp == "100 or more").mean() - (real >= 100).mean()) < 0.08
    assert set(blood.crp.dropna()) <= {"below 10", "10 to 50", "50 to 100", "100 or more"}


def test_with_people_enough_a_value_follows_the_one_before(log):
    many = method(event_values=("grade:low,high",), people_at_least=20_000, epsilon=50.0)
    made = sq.anonymize(only(log, "grade"), many, seed=1)
    families = set(made.tables["measurements"]["family"].to_pylist())
    assert "values before" in families and "values again" not in families
    blood = table(made)
    blood = blood[blood.state == "blood"]
    changes = blood.groupby("object").grade.nunique()
    assert (changes == 1).mean() > 0.85  # by chance three in four objects with several values would change
    assert sq.verify(made, only(log, "grade")).holds


def test_declarations_decide_whether_the_value_before_is_counted(log):
    """Not noise: the same command measures the same tables whoever survives, and without a single value too."""
    none = replace(log, attributes={"grade": np.full(log.n_events, None, dtype=object)})
    for people, epsilon, wanted in ((20_000, 20.0, "values before"), (400, 2.0, "values again")):
        chosen = method(event_values=("grade:low,high",), people_at_least=people, epsilon=epsilon)
        for some in (only(log, "grade"), none):
            made = sq.anonymize(some, chosen, seed=1)
            families = set(made.tables["measurements"]["family"].to_pylist())
            assert families & {"values before", "values again"} == {wanted}
            assert sq.verify(made).holds


@pytest.mark.parametrize(
    "columns,more",
    [
        (("crp", "grade"), {"event_values": VALUES}),
        (("crp", "grade"), {"event_values": VALUES, "epsilon": 50.0, "people_at_least": 20_000}),
        (("sex", "ward"), {"attributes": ("sex:f,m", "ward:A,B,C")}),
        (("sex", "ward", "crp"), {"attributes": ("sex:f,m", "ward:A,B,C"), "event_values": ("crp:10,50,100",)}),
        (("sex", "crp"), {"attributes": ("sex:f,m",), "event_values": ("crp:10",), "epsilon": 1.0}),
    ],
)
def test_one_object_stays_within_the_bounds_of_every_table(log, columns, more):
    """The odd person has far more values than anybody, all alike."""
    log = only(log, *columns)
    odd = {n: np.r_[c, np.full(400, 200.0 if n == "crp" else {"sex": "f", "ward": "A", "grade": "high"}[n], c.dtype)]
           for n, c in log.attributes.items()}  # fmt: skip
    more_people = replace(
        log, offsets=np.r_[log.offsets, log.offsets[-1] + 400], states=np.r_[log.states, np.ones(400, np.int64)],
        times=np.r_[log.times, 1_710_000_000 + np.arange(400)], attributes=odd, persons=None,
    )  # fmt: skip
    chosen = method(**more)
    drawn, ledger = RecordingNoise(Randomness(seed=5).noise), chosen.ledger()
    measure(replace(log, persons=None), chosen.design("second"), drawn, ledger)
    replayed = RecordingNoise(ReplayNoise(drawn.transcript))
    measure(more_people, chosen.design("second"), replayed, chosen.ledger())
    seen = set()
    for a, b, entry in zip(drawn.transcript, replayed.transcript, ledger.entries, strict=True):
        if entry.kind == "gaussian":
            moved = math.sqrt(sum((int(x) - int(y)) ** 2 for x, y in zip(a["given"], b["given"])))
            assert moved <= entry.sensitivity, entry.mechanism
            seen.add(entry.mechanism)
    assert ("values" in seen) == ("event_values" in more)
    assert ("attribute pairs" in seen) == (len(more.get("attributes", ())) > 1)
    assert ledger.spent == pytest.approx(ledger.total, rel=1e-12)


def test_pairs_of_attributes_are_kept_where_no_other_link_is_measured(log):
    log = only(log, "sex", "ward")
    for epsilon, linked in ((1.5, False), (3.0, True)):
        asked = method(attributes=("sex:f,m", "ward:A,B,C"), epsilon=epsilon)
        assert asked.design("second").links == linked
        made = sq.anonymize(log, asked, seed=2)
        assert sq.verify(made, log).holds
        cases = table(made).groupby("object").first()
        assert ((cases.sex == "f") == (cases.ward == "A")).mean() > 0.8


def forged(release, table, change):
    rows = release.tables[table].to_pylist()
    rows = change(rows) or rows
    return replace(release, tables={**release.tables, table: pa.Table.from_pylist(rows, release.tables[table].schema)})


def failed(release, log=None):
    return [c.name for c in sq.verify(release, log).checks if not c.passed]


def test_forgeries_are_caught(release):
    def strange(rows):
        next(r for r in rows if r["crp"])["crp"] = "37.2"

    def fewer(rows):
        return [r for r in rows if r["family"] != "values before"]

    def quiet(rows):
        for r in rows:
            r["value"] += 0.25 if r["family"] == "values" else 0.0

    def clip(rows):
        next(r for r in rows if r["statistic"] == "clip" and r["from"] == "values")["value"] = 1.5

    assert "attributes have declared values" in failed(forged(release, "events", strange))
    assert failed(forged(release, "measurements", fewer))
    assert failed(forged(release, "model", clip))
    assert not failed(release)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_the_value_before_equals_a_plain_loop(data):
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=6))
    n = sum(sizes)
    bins = [2, 3]
    states = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    codes = np.array([[data.draw(st.integers(0, b)) for b in bins] for _ in range(n)])
    offsets = np.r_[0, np.cumsum(sizes)]
    want = np.empty_like(codes)
    for a, b in pairwise(offsets):
        last = {}
        for e in range(a, b):
            for j, size in enumerate(bins):
                want[e, j] = last.get((states[e], j), size)
                if codes[e, j] < size:
                    last[states[e], j] = codes[e, j]
    known = codes < np.array(bins)
    assert np.array_equal(value_before(states, codes, offsets, bins)[known], want[known])


def test_cells_have_places_of_their_own():
    cells = Cells(bins=[2, 3], n_states=2)
    all_ = [(s, j, b) for j in range(2) for s in range(2) for b in range(cells.bins[j])]
    states = np.array([s for s, _, _ in all_])
    codes = np.array([[b if j == k else cells.bins[k] for k in range(2)] for _, j, b in all_])
    assert np.sort(cells.of(states, codes).max(1)).tolist() == list(range(10))
    first, size = places(np.array([[True, False], [True, True]]), cells)
    assert first.tolist() == [[0, -1], [6, 12]] and size == 24


def test_a_column_cannot_be_both():
    with pytest.raises(sq.ParameterError) as caught:
        method(attributes=("crp:1",), event_values=("crp:1",))
    assert str(caught.value) == "MarkovDP: a column is an attribute or a value of events, not both: crp."
    with pytest.raises(sq.ParameterError) as caught:
        method(event_values=("crp",))
    assert str(caught.value) == "MarkovDP: event_values needs COLUMN:VALUES, such as sex:f,m; got 'crp'."


def test_the_audit_tells_thin_noise_of_attributes_and_values():
    """Its neighbours have the declared columns, and the odd person has a value in every event."""
    told = {"attributes": ("sex:f,m",), "event_values": ("crp:10,50",), "people_at_least": 400}
    honest = sq.audit(method(**told, epsilon=2.0), runs=60)
    thin = sq.audit(method(**told, epsilon=2.0), runs=120, noise_factor=0.02)
    assert all(c.passed for c in honest.checks) and not all(c.passed for c in thin.checks)


def test_measure_tells_what_became_of_attributes(log):
    """A link that is destroyed in the release shows; equal logs show nothing."""
    original = only(log, "sex", "ward", "crp")
    made = sq.anonymize(
        original, method(attributes=("sex:f,m", "ward:A,B,C"), event_values=("crp:10,50,100",), epsilon=16.0), seed=2
    )
    names = ("attributes", "attribute_lengths", "attribute_states", "attribute_pairs", "event_values")
    found = {f.name: f.value for f in sq.measure(original, made).figures}
    assert all(found[name] < 0.15 for name in names)
    events = made.tables["events"]
    ward = np.array(events["ward"].to_pylist(), dtype=object)
    shuffled = events.set_column(events.column_names.index("ward"), "ward", pa.array(ward[::-1].tolist()))
    crp = pa.array(["below 10" if x else None for x in events["crp"].to_pylist()])
    shuffled = shuffled.set_column(events.column_names.index("crp"), "crp", crp)
    worse = replace(made, tables={**made.tables, "events": shuffled})
    told = {f.name: f.value for f in sq.measure(original, worse).figures}
    assert told["attribute_pairs"] > 0.3 > 0.1 > told["attributes"] and told["event_values"] > 0.2
    assert "attributes" not in {f.name for f in sq.measure(only(original), made).figures}


@pytest.mark.filterwarnings("ignore")  # pm4py recommends other packages
def test_process_models_of_both_logs_are_compared_where_pm4py_is_installed(log):
    pytest.importorskip("pm4py")
    made = sq.anonymize(only(log, "sex"), method(attributes=("sex:f,m",)), seed=2)
    told = {f.name: f.value for f in sq.measure(only(log, "sex"), made, fitness=True).figures}
    assert told["fitness_original"] > 0.95 and told["fitness"] > 0.9 and told["fitness_back"] > 0.9


def test_without_pm4py_it_says_what_to_install(log, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pm4py", None)
    made = sq.anonymize(only(log, "sex"), method(attributes=("sex:f,m",)), seed=2)
    with pytest.raises(sq.InputError) as caught:
        sq.measure(only(log, "sex"), made, fitness=True)
    assert str(caught.value) == (
        "measure: fitness needs pm4py, which is not installed. Install sequester[pm4py], or leave fitness out."
    )

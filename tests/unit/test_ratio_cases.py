"""markov-ratio: lengths that enough sections tell, and attributes of cases as influencing factors."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.judges import ratio_lengths
from sequester.judges.ratio_test import passes
from sequester.methods.events.markov_ratio.kernels import law_index, object_laws
from sequester.methods.events.markov_ratio.measured import LONGEST, length_ranges
from sequester.methods.events.shared.spans import length_edges
from sequester.model import EventLog

EDGES = length_edges(LONGEST)
DECLARED = ("sex:f,m", "age:0,40,80")


def clinic(n=400, seed=0):
    """Women go to ward F and stay long, men go to ward M; age is unknown for a tenth."""
    rng = np.random.default_rng(seed)
    names = ("in", "F", "M", "out")
    traces, sex, age, times = [], [], [], []
    for i in range(n):
        woman = rng.random() < 0.5
        inside = int(rng.integers(5, 9) if woman else rng.integers(1, 4))
        traces.append([0, *[1 if woman else 2] * inside, 3])
        size = inside + 2
        sex += ["f" if woman else "m"] * size
        age += ([""] if i % 10 == 0 else [str(int(rng.integers(0, 100)))]) * size
        times += (1_700_000_000 + 86400 * i + 3600 * np.arange(size)).tolist()
    return EventLog(
        offsets=np.r_[0, np.cumsum([len(t) for t in traces])], states=np.concatenate(traces), state_names=names,
        times=np.array(times), attributes={"sex": np.array(sex, object), "age": np.array(age, object)},
    )  # fmt: skip


@pytest.fixture(scope="module")
def log():
    return clinic()


@pytest.fixture(scope="module")
def release(log):
    return sq.anonymize(log, sq.MarkovRatio(epsilon=0.35, attributes=DECLARED, publish_model=True), seed=1)


def failed(release, log=None):
    return [c.name for c in sq.verify(release, log).checks if not c.passed]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 6000), min_size=1, max_size=120), st.sampled_from([0.05, 0.35, 2.0]))
def test_every_section_belongs_to_a_group_of_lengths_that_passes(sizes, epsilon):
    bins = np.minimum(np.searchsorted(EDGES, sizes, side="right") - 1, len(EDGES) - 2)
    ranges = length_ranges(np.bincount(bins, minlength=len(EDGES) - 1), epsilon, "simultaneous")
    of = ranges.of_bin[bins]
    assert of.min() >= 0
    for g, c in zip(*np.unique(of, return_counts=True), strict=True):
        assert len(sizes) == 1 or passes(int(c), len(sizes), epsilon)
        assert ranges.low[g] <= EDGES[bins[of == g]].min()
        assert len(set(bins[of == g].tolist())) == 1 or ranges.high[g] <= max(3 * ranges.low[g], ranges.low[g] + 1)
    names = ratio_lengths.groups(sizes, lambda c: passes(c, len(sizes), epsilon))
    assert [ranges.names[g] for g in of] == names


def test_few_long_objects_are_not_lost():
    """Three people of a hundred have fifty events: no bin of theirs passes alone."""
    sizes = np.r_[np.full(297, 5), np.array([52, 64, 81])]
    log = EventLog(
        offsets=np.r_[0, np.cumsum(sizes)], states=np.arange(sizes.sum()) % 3, state_names=("a", "b", "c"),
        times=np.arange(sizes.sum()) * 60 + 1_700_000_000,
    )  # fmt: skip
    assert all(np.sum(np.searchsorted(EDGES, sizes, side="right") == b) < 4 for b in np.searchsorted(EDGES, [52, 81]))
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.5), seed=1)
    found = np.unique(release.tables["events"]["object"].to_numpy(), return_counts=True)[1]
    assert np.sum(found > 40) == 3


def test_the_weight_of_a_season_equals_its_definition():
    """The kernel's twin: share of the cluster among starts of the season over its share among all."""
    rng = np.random.default_rng(1)
    whole, month = rng.integers(1, 9, 6), rng.integers(0, 9, 6)
    items = np.r_[np.arange(6), np.flatnonzero(month)]
    count = np.r_[whole, month[month > 0]]
    key = np.r_[np.full(6, law_index.key_of(0, -1, -1, 0)), np.full((month > 0).sum(), law_index.key_of(1, -1, 4, 0))]
    ones = np.ones(len(items))
    law = law_index.laws(key, items, count, ones)
    families = law_index.Families(by_cluster=np.zeros(2, bool), factor=np.array([-1, 3]))
    values = np.full(object_laws.FACTORS, -1, np.int64)
    for cluster in range(6):
        values[3] = -1
        assert object_laws._in_season(law, families, cluster, values) == pytest.approx(1.0)
        values[3] = 4
        usual = whole[cluster] / whole.sum()
        want = (usual + month[cluster] / month.sum()) / 2 / usual
        assert object_laws._in_season(law, families, cluster, values) == pytest.approx(want)


def test_attributes_are_carried_with_what_depends_on_them(release, log):
    events = release.tables["events"].to_pylist()
    assert list(events[0]) == ["object", "time", "state", "sex", "age"]
    wards = {(e["state"], e["sex"]) for e in events if e["state"] in "FM"}
    right = [e["sex"] == {"F": "f", "M": "m"}[e["state"]] for e in events if e["state"] in "FM"]
    assert wards and np.mean(right) > 0.9
    one = {e["object"]: e["sex"] for e in events}
    assert abs(np.mean([s == "f" for s in one.values()]) - 0.5) < 0.08
    missing = {e["object"]: e["age"] == "missing" for e in events}
    assert abs(np.mean(list(missing.values())) - 0.1) < 0.06
    assert sq.verify(release, log).holds


def test_planted_defects_of_attributes_are_caught(release, log):
    events = release.tables["events"]
    place = events.column_names.index("sex")

    def with_sex(values):
        return replace(release, tables={**release.tables, "events": events.set_column(place, "sex", pa.array(values))})

    named = "attributes have declared values"
    sex = events["sex"].to_pylist()
    assert named in failed(with_sex(["x", *sex[1:]])) and named in failed(with_sex([None, *sex[1:]]))
    flipped = "m" if sex[0] == "f" else "f"
    assert named in failed(with_sex([flipped, *sex[1:]]))
    cases = release.private["cases"]
    codes = cases["sex"].to_pylist()
    codes[0] = 1 - codes[0]
    broken = cases.set_column(1, "sex", pa.array(codes))
    lied = replace(release, private={**release.private, "cases": broken})
    assert "attributes are those of the original" in failed(lied, log)
    none = replace(release, private={k: v for k, v in release.private.items() if k != "cases"})
    assert "map of attributes" in failed(none, log)
    model = release.tables["model"].to_pylist()
    row = next(r for r in model if r["statistic"] == "attribute")
    row["to"] = "z"
    table = pa.Table.from_pylist(model, schema=release.tables["model"].schema)
    assert "counts equal a recount" in failed(replace(release, tables={**release.tables, "model": table}), log)


def test_words_of_a_file_are_carried_and_judged(log, tmp_path):
    (tmp_path / "sexes.txt").write_text("f\n", "utf-8")
    method = sq.MarkovRatio(epsilon=0.35, attributes=(f"sex:@{tmp_path}/sexes.txt", "age:0,40,80"))
    made = sq.anonymize(log, method, seed=1)
    assert made.method.parameters["attributes"] == ["sex:@sexes.txt", "age:0,40,80"]
    assert set(made.tables["events"]["sex"].to_pylist()) == {"f", "other"}
    assert sq.verify(made, log).holds


@pytest.mark.parametrize("unit", ["day", "order"])
def test_attributes_of_logs_without_hours_and_with_sections(log, unit):
    times = log.times // 86400 * 86400 if unit == "day" else np.arange(len(log.times))
    other = replace(log, times=times, time_unit=unit)
    for more in ({}, {"split_gap": 48.0} if unit == "day" else {"shingle": 2}):
        made = sq.anonymize(other, sq.MarkovRatio(epsilon=0.35, attributes=DECLARED, **more), seed=2)
        assert sq.verify(made, other).holds


def test_what_cannot_be_carried_is_refused(log):
    with pytest.raises(sq.ParameterError) as caught:
        sq.MarkovRatio(epsilon=0.35, attributes=tuple(f"c{i}:a" for i in range(17)))
    assert str(caught.value) == "MarkovRatio: at most 16 attributes can be factors, got 17."
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(log, sq.MarkovRatio(epsilon=0.35, attributes=("sex:f,m",)), seed=1)
    assert str(caught.value) == (
        "markov-ratio: 1 attribute was read and not declared, 0 declared and not read (age). The reader's "
        "attributes=NAMES and the method's attributes=NAME:VALUES must name the same columns."
    )

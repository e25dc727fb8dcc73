"""Case attributes through markov-dp: declared, counted once per object, judged, and never dropped in silence."""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.dp.noise import RecordingNoise, ReplayNoise
from sequester.dp.randomness import Randomness
from sequester.methods.events.markov_dp import MarkovDP, leading
from sequester.methods.events.markov_dp.measure import measure
from sequester.methods.events.shared.attributes import read_attribute

DECLARED = ("age:18,40,65", "sex:f,m")


def with_attributes(n=600, seed=1):
    """People who are old when their stay is long."""
    log = sq.sample("events", n_people=n, seed=seed)
    sizes = np.diff(log.offsets)
    rng = np.random.default_rng(seed)
    age = np.where(sizes > 9, rng.integers(66, 90, n), rng.integers(19, 39, n)).astype(float)
    sex = np.where(rng.random(n) < 0.7, "f", "m").astype(object)
    age_of, sex_of = np.repeat(age, sizes), np.repeat(sex, sizes)
    age_of[log.offsets[:-1]] = np.nan  # the first event does not know it: the next one does
    return replace(log, attributes={"age": age_of, "sex": sex_of})


def method(**more):
    told = {"epsilon": 8.0, "delta": 1e-6, "people_at_least": 500, "dates": "2024-01-01..2025-12-31"}
    return MarkovDP(**(told | {"attributes": DECLARED} | more))


def test_links_are_told_beside_chance(log, release):
    """Age goes with the length of a stay and so with what happens in it; sex was dealt out at random."""
    rows = {r["link"]: r for r in sq.measure(log, release).rows["links of attributes"]}
    assert list(rows) == ["age and events", "sex and events", "age and sex"]
    assert rows["age and events"]["original"] > 2 * rows["age and events"]["by chance"]
    assert rows["sex and events"]["what is left"] == "no link" or rows["sex and events"]["original"] < 0.05
    scrambled = release.tables["events"]
    random = np.random.default_rng(0).permutation(scrambled["age"].to_pylist())
    at = scrambled.column_names.index("age")
    objects = scrambled["object"].to_numpy()
    first = np.maximum.accumulate(np.where(np.r_[True, objects[1:] != objects[:-1]], np.arange(len(objects)), 0))
    torn = scrambled.set_column(at, "age", pa.array(random[first].tolist(), pa.string()))
    rows = {r["link"]: r for r in sq.measure(log, replace(release, tables={**release.tables, "events": torn})).rows[
        "links of attributes"]}  # fmt: skip
    assert rows["age and events"]["what is left"] == "lost"


@pytest.fixture(scope="module")
def log():
    return with_attributes()


@pytest.fixture(scope="module")
def release(log):
    return sq.anonymize(log, method(), seed=3)


def test_values_are_read_as_declared():
    age = read_attribute("age:0,18,40", "markov-dp")
    assert age.values == ("below 0", "0 to 18", "18 to 40", "40 or more", "missing")
    assert age.coded(np.array([-1, 0, 17.9, 18, 99, np.nan])).tolist() == [0, 1, 1, 2, 3, 4]
    assert age.coded(np.array(["12", "?", None, ""], dtype=object)).tolist() == [1, 4, 4, 4]
    sex = read_attribute("sex:f,m", "markov-dp")
    assert sex.coded(np.array(["m", "x", None], dtype=object)).tolist() == [1, 2, 3]


def test_attributes_keep_their_shares_and_their_link_with_length(log, release):
    assert sq.verify(release, log).holds
    events = release.tables["events"].to_pandas()
    cases = events.groupby("object").agg(n=("state", "size"), age=("age", "first"), sex=("sex", "first"))
    wanted = (log.attributes["sex"][log.offsets[:-1]] == "f").mean()
    assert abs((cases.sex == "f").mean() - wanted) < 0.1
    old, young = cases[cases.n > 12], cases[cases.n < 8]
    assert (old.age == "65 or more").mean() > 0.6 and (young.age == "18 to 40").mean() > 0.6


@pytest.mark.parametrize("more", [{}, {"epsilon": 1.0, "people_at_least": 1000}])
def test_one_object_stays_within_the_bounds_of_every_table(log, more):
    chosen = method(**more)
    less = log.take(np.arange(log.n_records - 1))
    drawn, ledger = RecordingNoise(Randomness(seed=5).noise), chosen.ledger()
    measure(less, chosen.design("second"), drawn, ledger)
    replayed = RecordingNoise(ReplayNoise(drawn.transcript))
    measure(log, chosen.design("second"), replayed, chosen.ledger())
    seen = set()
    for a, b, entry in zip(drawn.transcript, replayed.transcript, ledger.entries, strict=True):
        if entry.kind == "gaussian":
            moved = math.sqrt(sum((int(x) - int(y)) ** 2 for x, y in zip(a["given"], b["given"])))
            assert moved <= entry.sensitivity, entry.mechanism
            seen.add(entry.mechanism)
    assert "attributes" in seen and ("attribute states" in seen) == (not more)
    assert ledger.spent == pytest.approx(ledger.total, rel=1e-12)


def with_ward(n=900):
    """Cases of ward `x` have other states than those of `y`; half of the states say nothing."""
    rng = np.random.default_rng(2)
    ward = rng.integers(0, 2, n)
    sizes = rng.integers(4, 12, n)
    owner = np.repeat(np.arange(n), sizes)
    own = 4 + 2 * ward[owner] + rng.integers(0, 2, len(owner))
    states = np.where(rng.random(len(owner)) < 0.5, rng.integers(0, 4, len(owner)), own)
    place = np.arange(len(owner)) - np.repeat(np.r_[0, np.cumsum(sizes)[:-1]], sizes)
    times = 19_800 * 86400 + rng.integers(0, 300, n)[owner] * 86400 + 7200 * place
    return sq.EventLog(
        offsets=np.r_[0, np.cumsum(sizes)], states=states, state_names=tuple("abcdefgh"), times=times,
        attributes={"ward": np.array(["x", "y"], dtype=object)[ward][owner]},
    )  # fmt: skip


def test_the_attribute_with_the_strongest_link_leads_the_walk(monkeypatch):
    """Without it all cases walk one chain, and a ward has little to go by."""
    log = with_ward()
    chosen = method(epsilon=4.0, people_at_least=900, states_at_most=8, attributes=("ward:x,y",))
    link = {}
    for least in (0.02, 2.0):
        monkeypatch.setattr(leading, "LEAST", least)
        release = sq.anonymize(log, chosen, seed=4)
        assert sq.verify(release, log).holds
        evidence = sq.measure(log, release)
        link[least] = evidence.rows["links of attributes"][0]
        order = next(f.value for f in evidence.figures if f.name == "directly_follows")
        assert order < 0.2
    assert link[0.02]["synthetic"] > 1.15 * link[2.0]["synthetic"]
    assert link[0.02]["synthetic"] < 1.2 * link[0.02]["original"]


def changed(release, **columns):
    events = release.tables["events"]
    for name, values in columns.items():
        events = events.set_column(events.column_names.index(name), name, pa.array(values))
    return replace(release, tables={**release.tables, "events": events})


def test_forged_attributes_are_caught(release):
    sex = release.tables["events"]["sex"].to_pylist()
    strange = changed(release, sex=["Maria", *sex[1:]])
    moving = changed(release, sex=["m" if i % 2 else "f" for i in range(len(sex))])
    for forged in (strange, moving):
        failed = [c.name for c in sq.verify(forged).checks if not c.passed]
        assert failed == ["attributes have declared values"]


def test_a_value_that_was_never_declared_is_caught_where_the_model_has_it_too(release):
    model = release.tables["model"].to_pylist()
    for row in model:
        row["to"] = "Maria" if (row["statistic"], row["to"]) == ("attribute", "f") else row["to"]
    sex = ["Maria" if value == "f" else value for value in release.tables["events"]["sex"].to_pylist()]
    forged = changed(release, sex=sex)
    table = pa.Table.from_pylist(model, schema=release.tables["model"].schema)
    forged = replace(forged, tables={**forged.tables, "model": table})
    assert [c.name for c in sq.verify(forged).checks if not c.passed] == ["the model says what was declared"]


@pytest.mark.parametrize(
    "given,declared,message",
    [
        (
            {"age": 1.0},
            (),
            "markov-dp: 1 attribute was read; pass attributes=NAME:VALUES to the method with the values "
            "anyone may know, or read none.",
        ),
        (
            {"age": 1.0},
            ("sex:f,m",),
            "markov-dp: 1 attribute was read and not declared, 1 declared and not read (age, sex). The reader's "
            "attributes=NAMES and the method's attributes=NAME:VALUES must name the same columns.",
        ),
    ],
)
def test_what_is_not_declared_is_refused(given, declared, message):
    log = sq.sample("events", n_people=300)
    log = replace(log, attributes={k: np.full(len(log.states), v) for k, v in given.items()})
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(log, method(attributes=declared), seed=1)
    assert str(caught.value) == message


def test_pieces_of_a_list_and_files_are_understood(tmp_path):
    path = tmp_path / "codes.txt"
    path.write_text("A41\nB20\n", "utf-8")
    told = method(attributes=("age:0", "18", "sex:f", "m", f"code:@{path}"))
    assert told.parameters["attributes"] == ["age:0,18", "sex:f,m", "code:@codes.txt"]
    assert told.design("second").attributes[2].values == ("A41", "B20", "other", "missing")
    assert method(attributes=()).parameters["attributes"] == []
    with pytest.raises(sq.ParameterError) as caught:
        method(attributes=("18", "sex:f"))
    assert str(caught.value) == "MarkovDP: attributes needs COLUMN:VALUES, such as sex:f,m; got '18'."


def table_of_visits(path, n=400):
    rng = np.random.default_rng(0)
    lines = ["case,when,what,age,sex,diagnose"]
    for i in range(n):
        age, sex, code = int(rng.integers(0, 100)), "fm"[i % 2], ("A41", "B20")[i % 3 == 0]
        for k, what in enumerate(("in", "ward", "out")):
            lines.append(f"p{i},2024-03-{1 + i % 28:02d} {8 + k:02d}:00:00,{what},{age},{sex},{code}")
    path.write_text("\n".join(lines) + "\n", "utf-8")


@pytest.mark.parametrize(
    "spelled",
    [
        ["--attributes", "age:0,18,40,65,80", "sex:f,m", "diagnose:@codes.txt"],
        ["--attributes", "age:0,18,40,65,80,sex:f,m,diagnose:@codes.txt"],
        ["--attributes", "age:0,18,40,65,80", "--attributes=sex:f,m", "diagnose:@codes.txt"],
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_one_flag_declares_and_reads(tmp_path, monkeypatch, spelled, first):
    from click.testing import CliRunner

    from sequester.cli import cli

    monkeypatch.chdir(tmp_path)
    table_of_visits(tmp_path / "visits.csv")
    (tmp_path / "codes.txt").write_text("A41\nB20\n", "utf-8")
    told = ["--epsilon", "4", "--delta", "1e-6", "--people-at-least", "380", "--dates", "2024-01-01..2024-12-31"]
    roles = ["--person", "case", "--time", "when", "--state", "what", "--time-format", "iso", "--time-unit", "second"]
    words = [*spelled, "visits.csv"] if first else ["visits.csv", *spelled]
    ran = CliRunner().invoke(cli, ["publish", "markov-dp", *words, *told, *roles, "--out", "v.bundle", "--no-measure"])
    assert ran.exit_code == 0, ran.output
    bundle = sq.open_bundle(tmp_path / "v.bundle")
    events = bundle.tables["events"]
    assert events.column_names == ["object", "time", "state", "age", "sex", "diagnose"]
    assert bundle.manifest["method"]["parameters"]["attributes"] == [
        "age:0,18,40,65,80", "sex:f,m", "diagnose:@codes.txt",
    ]  # fmt: skip


def test_a_bare_name_without_values_is_refused():
    with pytest.raises(sq.ParameterError) as caught:
        method(attributes=("age", "sex:f,m"))
    assert str(caught.value) == "MarkovDP: attributes needs COLUMN:VALUES, such as sex:f,m; got 'age'."

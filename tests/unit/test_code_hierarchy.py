"""A code that too few people have is published as its broader one: by the custodian's list, or by prefixes."""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.dp.noise import RecordingNoise, ReplayNoise
from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.methods.events.markov_dp.measure import measure
from sequester.methods.events.shared.codebook import published_name, read_code_levels, read_codes
from sequester.model.parts import split
from tests.unit.test_markov_dp import DATES, Silent, _with, log_of

NAMES = ("I21.4", "I21.9", "I50.0", "I50.1", "J18.1", "X", "OTHER")
FILE = "I21.4, I21, heart\nI21.9,I21,heart\n\nI50.0,I50,heart\nI50.1,I50,heart\nJ18.1,lung\n"
TRACES = [["I21.4", "J18.1"]] * 40 + [["I21.9", "I50.0"]] * 3 + [["I50.1", "I21.9", "X"]] * 2 + [["X"]]
STRONG = {"epsilon": 100.0, "delta": 1e-6, "people_at_least": 40, "dates": DATES}


@pytest.fixture
def listed(tmp_path):
    file = tmp_path / "codes.csv"
    file.write_text(FILE, "utf-8")
    return {"codes": str(file)}


def measured(method, log, noise=None, ledger=None):
    return measure(log, method.design(log.time_unit), noise or Silent(), ledger or method.ledger())


def test_a_list_and_prefixes_say_what_a_code_is_called(listed):
    codes = read_codes(listed["codes"], "markov-dp")
    assert codes.broader["I21.4"] == ("I21.4", "I21", "heart") and codes.levels == 3
    assert codes.names_at(1) == ("I21", "I50", "lung") and codes.names_at(2) == ("heart", "lung")
    assert [codes.at("J18.1", level) for level in range(3)] == ["J18.1", "lung", "lung"] and codes.at("X", 0) is None
    kept = {"I21.4", "I50", "heart"}
    assert [published_name(n, codes, kept) for n in NAMES] == [
        "I21.4",
        "heart",
        "I50",
        "I50",
        "OTHER",
        "OTHER",
        "OTHER",
    ]
    prefixes = read_code_levels("3,1", "markov-dp")
    assert [prefixes.at("I21.4", level) for level in range(3)] == ["I21.4", "I21*", "I*"]
    assert [published_name(n, prefixes, {"I21.4", "I21*", "X*"}) for n in NAMES[:6]] == [
        "I21.4", "I21*", "OTHER", "OTHER", "OTHER", "X*",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A,B\nA,C\n", "lists a code twice with other broader codes (row 2). Keep one of them."),
        ("A\nB\n", "names no broader code. Write CODE,BROADER,BROADEST, one code per line; a list without them is a "
         "codebook."),
        ("\n", "names no broader code. Write CODE,BROADER,BROADEST, one code per line; a list without them is a "
         "codebook."),
        ("A,B,C,D,E,F\n", "has 6 names in row 1; 5 are the most. Write CODE,BROADER,BROADEST, one code per line."),
        ("caf\udce9,B\n", "is not UTF-8 text. Write CODE,BROADER,BROADEST, one code per line, or check the path."),
    ],
)  # fmt: skip
def test_a_wrong_list_is_refused_in_a_sentence(tmp_path, text, message):
    file = tmp_path / "codes.csv"
    file.write_text(text, "utf-8", errors="surrogateescape")
    with pytest.raises(sq.InputError) as caught:
        read_codes(str(file), "markov-dp")
    assert str(caught.value) == f"markov-dp: codes file 'codes.csv' {message}"


def test_wrong_levels_and_two_ways_at_once_are_refused(tmp_path, listed):
    with pytest.raises(sq.InputError, match=r"code_levels must be lengths of prefixes such as 3,1; got '3,x'\.$"):
        sq.MarkovDP(**STRONG, code_levels="3,x")
    with pytest.raises(sq.InputError, match=r"code_levels must fall and be at most 4, such as 3,1; got '1,3'\.$"):
        sq.MarkovDP(**STRONG, code_levels="1,3")
    with pytest.raises(sq.ParameterError, match="pass one of codes and code_levels"):
        sq.MarkovDP(**STRONG, code_levels="3,1", **listed)
    with pytest.raises(sq.ParameterError, match="states_at_most is for logs without a list of codes"):
        sq.MarkovDP(**STRONG, states_at_most=4, **listed)


def test_rare_codes_go_to_the_narrowest_name_that_enough_people_share(listed):
    """Without noise, at a threshold between 3 and 5 people: I21.9 has 5 and keeps its name, I50 has 3 and 2."""
    log = log_of(TRACES, NAMES)
    m = measured(sq.MarkovDP(**STRONG | listed), log)
    assert m.names == ("I21.4", "I21.9", "I50", "J18.1", "OTHER")
    side = len(m.names) + 1
    pairs = m.pairs.values.reshape(side, side)
    assert 2 < pairs[1, 2] == pairs[5, 1] <= 3 and 1 < pairs[2, 1] <= 2, "people who are longer are clipped"
    assert pairs[1, 4] > 0, "X is in no list"
    m = measured(sq.MarkovDP(**STRONG, code_levels="3,1"), log)
    assert m.names == ("I21.4", "I21.9", "I50*", "J18.1", "OTHER")


def test_broader_codes_keep_part_of_the_room():
    """Thirty frequent codes and room for eleven: six keep their names, the others share their broader ones."""
    names = tuple(f"{letter}{i}" for letter in "ABC" for i in range(10))
    method = sq.MarkovDP(epsilon=2.0, delta=1e-6, people_at_least=350, dates=DATES, code_levels="1")
    assert method.design("second").most_states() == 12
    m = measured(method, log_of([list(names)] * 3000, names))
    broad = [n for n in m.names if n.endswith("*")]
    assert len(m.names) - 1 - len(broad) == 6 and broad == ["A*", "B*", "C*"]


def ways(listed):
    return {"codes": listed, "prefixes": {"code_levels": "3,1"}}


@pytest.mark.parametrize("way", ["codes", "prefixes"])
def test_nobody_moves_a_level_by_more_than_the_ledger_says(listed, way):
    log = log_of(TRACES * 3, NAMES)
    method = sq.MarkovDP(**STRONG, **ways(listed)[way])
    drawn, ledger = RecordingNoise(Randomness(seed=5).noise), method.ledger()
    measured(method, log, drawn, ledger)
    assert ledger.spent == pytest.approx(ledger.total, rel=1e-12)
    assert [e.mechanism for e in ledger.entries][:3] == ["states", "states, level 2", "states, level 3"]
    assert {e.delta for e in ledger.entries[:3]} == ({0.0} if way == "codes" else {1e-6 / 12})
    for extra in (["I21.9"] * 9, ["X"], list(NAMES[:6]) * 30):
        replayed = RecordingNoise(ReplayNoise(drawn.transcript))
        measured(method, _with(log, extra, 60), replayed)
        for a, b, entry in zip(drawn.transcript, replayed.transcript, ledger.entries, strict=True):
            if entry.kind == "threshold":
                before, after = (dict(zip(x["keys"], x["given"].tolist())) for x in (a, b))
                if way == "codes":
                    assert a["keys"] == b["keys"], "a public list is looked at as a whole"
                moved = [after.get(k, 0) - before.get(k, 0) for k in before | after]
                assert math.sqrt(sum(x * x for x in moved)) <= entry.sensitivity


@pytest.mark.parametrize("way", ["codes", "prefixes"])
def test_the_release_is_confirmed_the_same_in_parts_and_scored_at_its_level(listed, way, tmp_path):
    log = log_of(TRACES * 5, NAMES)
    method = sq.MarkovDP(**STRONG | {"people_at_least": 200, "epsilon": 20.0}, **ways(listed)[way])
    release = sq.anonymize(log, method, seed=2)
    assert [c.name for c in sq.verify(release, log).checks if not c.passed] == []
    assert "broader codes for codes that are too rare; about" in str(release.notes[0])
    parts = split(log, tmp_path, [np.arange(0, 100), np.arange(100, 230)])
    there = sq.anonymize(parts, method, seed=2, engine=Engine(threads=1))
    assert all(release.tables[n].equals(there.tables[n]) for n in release.tables)
    found = {f.name: f for f in sq.measure(log, release).figures}
    assert found["named_events"].value > 0.97 - 0.03 * (way == "codes")
    assert "by itself or by a broader code" in found["named_events"].says
    assert found["directly_follows"].value < 0.25


def test_forged_codes_and_levels_are_refused(listed):
    log = log_of(TRACES * 5, NAMES)
    release = sq.anonymize(log, sq.MarkovDP(**STRONG | {"people_at_least": 200}, **listed), seed=2)

    def failed(**change):
        return {c.name for c in sq.verify(replace(release, **change)).checks if not c.passed}

    rows = release.tables["model"].to_pylist()
    for forged in (
        [{**r, "to": "nowhere"} if r["statistic"] == "code" else r for r in rows],
        [r for r in rows if r["statistic"] != "code"],
    ):
        model = pa.Table.from_pylist(forged, schema=release.tables["model"].schema)
        assert "model names everything once" in failed(tables={**release.tables, "model": model})
    left = [e for e in release.ledger.entries if e.mechanism != "states, level 3"]
    assert "every mechanism is in the ledger" in failed(ledger=replace(release.ledger, entries=left))

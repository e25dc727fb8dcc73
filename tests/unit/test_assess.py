"""How identifying is the original: kernels against plain loops, known answers, messages, the command line."""

import json
import math
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli
from sequester.cli.assess import kind_of
from sequester.cli.options import parameter_docs, reader_options
from sequester.kinds import KINDS
from sequester.model import Activities, Corpus, EventLog, Series, SymbolSeries
from sequester.primitives.intervals import percent, wilson
from sequester.risk.attackers import population_risk
from sequester.risk.known_points import (
    agree_on_columns,
    agree_on_members,
    agree_on_order,
    holders_of,
    sets_of,
)
from sequester.risk.rarity import classes_of_parts, windows
from sequester.risk.text import code_points
from tests.naive import known_points as naive


def log(traces, gap=86400, unit="second"):
    names = sorted({s for t in traces for s in t})
    states = [names.index(s) for t in traces for s in t]
    times = [i * gap for t in traces for i in range(len(t))]
    return EventLog(
        offsets=np.cumsum([0, *map(len, traces)]), states=states, state_names=names, times=times, time_unit=unit
    )


def some_points(rng, available, depth=4):
    drawn = [rng.permutation(a)[:depth] for a in available]
    return np.array([np.r_[d, np.full(depth - len(d), -1)] for d in drawn]).astype(np.int64)


@pytest.mark.parametrize("seed", range(5))
def test_columns_equal_plain_loops(seed):
    rng = np.random.default_rng(seed)
    n, width = 12, 5
    codes = rng.integers(0, 1 + seed, (n, width))  # seed 0: constant
    owner = np.sort(rng.integers(0, 8, n))
    targets = rng.integers(0, n, 7)
    points = some_points(rng, np.full(7, width if seed else 2))
    assert np.array_equal(
        agree_on_columns(codes, owner, targets, points), naive.agree_on_columns(codes, owner, targets, points)
    )


@pytest.mark.parametrize("seed", range(5))
def test_members_equal_plain_loops(seed):
    rng = np.random.default_rng(seed)
    owner, codes = rng.integers(0, 9, 40), rng.integers(100, 103 + seed, 40)
    starts, members, n_codes = sets_of(owner, codes, 10)  # the tenth owns nothing
    sets = [set(members[starts[o] : starts[o + 1]]) for o in range(10)]
    assert [len(s) for s in sets] == [len(set(codes[owner == o])) for o in range(10)]
    targets = np.arange(10)
    points = np.array([[*rng.permutation(sorted(s))[:4], *[-1] * (4 - min(4, len(s)))] for s in sets]).astype(np.int64)
    fast = agree_on_members(starts, members, *holders_of(starts, members, n_codes), targets, points)
    assert np.array_equal(fast, naive.agree_on_members(sets, points))


@pytest.mark.parametrize("seed", range(5))
def test_order_equals_plain_loops(seed):
    rng = np.random.default_rng(seed)
    sequences = [rng.integers(0, 1 + seed, rng.integers(1, 8)) for _ in range(12)]
    starts = np.cumsum([0, *map(len, sequences)])
    targets = rng.integers(0, 12, 8)
    points = some_points(rng, [len(sequences[t]) for t in targets])
    fast = agree_on_order(starts, np.concatenate(sequences), targets, points)
    assert np.array_equal(fast, naive.agree_on_order(sequences, targets, points))


def test_a_hash_meets_exactly_equal_stretches_and_never_crosses_a_record():
    rng = np.random.default_rng(0)
    values, offsets = rng.integers(0, 2, 200), np.array([0, 50, 51, 51, 120, 200])
    at, hashed = windows(values, offsets, 4)
    inside = [i for a, b in pairwise(offsets) for i in range(a, b - 3)]
    assert at.tolist() == inside
    words = [tuple(values[i : i + 4]) for i in inside]
    assert len(set(zip(words, hashed.tolist()))) == len(set(words)) == len(set(hashed.tolist()))
    assert len(windows(values[:2], np.array([0, 2]), 4)[0]) == 0


def test_wilson_and_percent():
    low, high = wilson(5, 10)
    assert (round(low, 4), round(high, 4)) == (0.2366, 0.7634)  # known values of the score interval
    assert wilson(0, 10)[0] == 0 and round(wilson(0, 10)[1], 4) == 0.2775
    assert wilson(10, 10)[1] == 1 and wilson(0, 0) == (0.0, 1.0)
    assert [percent(x) for x in (0, 0.0001, 0.003, 0.125, 0.5, 0.96, 0.9917, 0.9999, 1)] == [
        "0 %", "under 0.1 %", "0.3 %", "12.5 %", "50 %", "96 %", "99.2 %", "99.9 %", "100 %",
    ]  # fmt: skip


@pytest.mark.parametrize("share", [0.5, 0.1, 1e-3, 1e-6])
def test_journalist_risk_equals_its_closed_form_and_its_sum(share):
    odds = share / (1 - share)
    one = odds * math.log(1 / share)
    two = odds - odds * one
    assert np.allclose(population_risk(np.array([1, 2]), share), [one, two], rtol=1e-6)
    if share >= 0.1:
        tail = sum(
            math.exp(math.lgamma(j) - math.lgamma(7) - math.lgamma(j - 6)) * share**7 * (1 - share) ** (j - 7) / j
            for j in range(7, 2000)
        )
        assert math.isclose(population_risk(np.array([7]), share)[0], tail, rel_tol=1e-6)
    assert population_risk(np.array([4]), 1.0)[0] == 0.25


def test_twins_hide_each_other_and_one_who_differs_does_not():
    values = np.repeat(np.arange(5.0)[:, None] * 10, 6, axis=1)
    twins = sq.assess(Series(values=np.vstack([values, values])), knowledge=2)
    assert twins["unicity"] == 0 and twins["prosecutor_highest"] == 0.5 and twins["marketer"] == 0.5
    assert twins["unique_whole_record"] == 0
    alone = sq.assess(Series(values=np.vstack([values, values, np.full((1, 6), 99.0)])))
    assert alone["unicity"] == pytest.approx(1 / 11) and alone["prosecutor_highest"] == 1
    assert alone["unique_whole_record"] == pytest.approx(1 / 11)


def test_two_records_of_a_person_do_not_hide_each_other():
    values = np.arange(12.0).reshape(3, 4)
    both = Series(values=np.vstack([values, values]), persons=["a", "b", "c", "a", "b", "c"])
    assert sq.assess(both)["unicity"] == 1


def test_rounding_hides_and_missing_values_are_not_known():
    values = np.array([[1.01, 5.0], [1.02, 5.0], [1.03, np.nan]])
    assert sq.assess(Series(values=values), knowledge=2)["unicity"] == 1
    rounded = sq.assess(Series(values=values), knowledge=2, precision=2)
    assert rounded["unicity"] == 0  # the third person is only known by the first column, as all are
    nothing = sq.assess(Series(values=np.full((3, 2), np.nan)))
    assert nothing["unicity"] == 0 and nothing["marketer"] == pytest.approx(1 / 3)


def test_one_person_and_empty_data():
    assert sq.assess(Series(values=[[1.0, 2.0]]))["unicity"] == 1
    with pytest.raises(sq.InputError) as caught:
        sq.assess(Series(values=np.zeros((0, 3))))
    assert str(caught.value) == "assess: the data is empty. Check the source and the column roles."


def test_events_by_order_time_and_set():
    abc = log([["a", "b", "c"], ["c", "b", "a"], ["a", "b", "c"]])
    assert sq.assess(abc, precision="set", knowledge=3)["unicity"] == 0
    ordered = sq.assess(abc, precision="order", knowledge=3)
    assert ordered["unicity"] == pytest.approx(1 / 3) and ordered["rare_transitions"] == 4
    assert "3 events in their order single out 33 % of people" in ordered.summary
    assert sq.assess(abc, precision="day", knowledge=3)["unicity"] == pytest.approx(1 / 3)
    shifted = log([["a", "b"], ["a", "b"]])
    late = EventLog(offsets=[0, 2, 4], states=[0, 1, 0, 1], state_names="ab", times=[0, 100, 3000, 3100])
    assert sq.assess(shifted, knowledge=2)["unicity"] == 0
    assert sq.assess(late, precision="second", knowledge=1)["unicity"] == 1
    assert sq.assess(late, precision="hour", knowledge=2)["unicity"] == 0
    assert sq.assess(late)["people_of_unique_length"] == 0


def test_a_precision_the_log_does_not_have_is_refused():
    with pytest.raises(sq.ParameterError) as caught:
        sq.assess(log([["a", "b"]], unit="order"), precision="day")
    assert str(caught.value) == "assess: precision 'day' asks for more than the log knows: it has no clock."
    with pytest.raises(sq.ParameterError) as caught:
        sq.assess(log([["a", "b"]], unit="day"), precision="hour")
    assert str(caught.value) == "assess: precision 'hour' asks for more than the log knows: it tells the day only."


def test_activity_unique_minute_and_rare_transition():
    states = np.zeros((20, 30), np.uint8)
    states[7, 5] = 1
    found = sq.assess(Activities(states=states, state_names=("rest", "run")), knowledge=10)
    assert found["people_with_own_interval"] == 1 / 20 and found["unique_whole_record"] == 1 / 20
    assert found["rare_transitions"] == 2 and found["people_with_own_transitions"] == 1 / 20
    assert found.rows["unicity"][9]["unique"] <= 1 / 20
    gaps = sq.assess(Activities(states=np.ones((4, 5), np.uint8), state_names=("rest", "missing")))
    assert gaps["unicity"] == 0


def test_symbols_and_rare_grams():
    data = SymbolSeries(symbols=[0, 1, 0, 1, 0, 1, 0, 1, 2], offsets=[0, 4, 9], alphabet="abc")
    found = sq.assess(data, length=3, knowledge=4, rare=2)
    assert found["rare_grams"] == 1  # only `a b c` has a single owner
    assert found["people_with_own_grams"] == 0.5 and found["unicity"] == 0.5


def test_text_counts_characters_not_bytes():
    data = Corpus.from_texts(["ééé日本語", "ééé日本語x", ""])
    characters, offsets = code_points(data)
    assert offsets.tolist() == [0, 6, 13, 13] and "".join(map(chr, characters[:6])) == "ééé日本語"
    found = sq.assess(data, length=3, knowledge=4)
    assert found["people_with_own_substrings"] == pytest.approx(1 / 3)
    assert found["text_of_one_person"] == pytest.approx(3 / 13)  # `本語x`


def test_classes_of_parts_meet_equal_parts_only():
    assert classes_of_parts(np.array([1, 2, 1, 2, 3, 1, 2]), np.array([0, 2, 4, 5, 7])).tolist() == [0, 0, 1, 0]


def test_a_seed_repeats_the_figures_and_another_draws_anew():
    rng = np.random.default_rng(0)
    data = Series(values=rng.integers(0, 4, (300, 8)).astype(float))
    first, again = (sq.assess(data, seed=3, sample=100).to_json() for _ in range(2))
    assert first == again
    assert first != sq.assess(data, seed=4, sample=100).to_json()


def test_population_lowers_the_journalists_risk_only():
    data = Series(values=np.arange(40.0).reshape(10, 4))
    found = sq.assess(data, population=1000)
    assert found["prosecutor_highest"] == 1 and found["journalist_highest"] < 0.06
    assert found["journalist_at_risk"] == 0 and found["marketer"] == 1


@pytest.mark.parametrize(
    "options, message",
    [
        ({"knowledge": 0}, "assess: knowledge must be a whole number in 1..10, got knowledge=0."),
        ({"sample": 0}, "assess: sample must be a whole number of at least 1, got sample=0."),
        ({"population": 3}, "assess: population must be at least the 10 people of the data, got population=3."),
        ({"threshold": 2.0}, "assess: threshold must lie between 0 and 1, got threshold=2.0."),
        ({"precision": 0}, "assess: precision must be a whole number of at least 1, got precision=0."),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(sq.ParameterError) as caught:
        sq.assess(Series(values=np.arange(40.0).reshape(10, 4)), **options)
    assert str(caught.value) == message


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_is_explained_and_none_collides_with_a_role(kind):
    function = sq.assessor(kind)
    told = parameter_docs(function)
    options = {o for option in reader_options(function) for o in option.opts if o.startswith("--")}
    assert all(told.get(o.name) for o in reader_options(function))
    assert {"--knowledge", "--population", "--seed"} <= options and not options & {"--json", "--kind"}
    assert not options & {o for r in reader_options(sq.reader(kind)) for o in r.opts if o.startswith("--")}


def test_the_kind_shows_from_the_source_where_it_can(tmp_path):
    notes = tmp_path / "notes"
    (notes / "anna").mkdir(parents=True)
    (notes / "anna" / "1.txt").write_text("x")
    assert kind_of(str(notes)) == "text" and kind_of("a.xes.gz") == "events" and kind_of("a.edf") == "symbols"
    (tmp_path / "106.hea").write_text("x")
    (tmp_path / "106.dat").write_text("x")
    mixed = kind_of(str(tmp_path))
    (notes / "anna" / "1.txt").unlink()
    assert mixed is None and kind_of(str(tmp_path)) == "symbols"
    assert kind_of("a.csv") is None


def test_command_line_asks_for_the_kind_of_a_table(tmp_path):
    source = tmp_path / "walk.csv"
    source.write_text("id,t1,t2\n1,2,3\n")
    result = CliRunner().invoke(cli, ["assess", str(source)])
    assert isinstance(result.exception, sq.InputError)
    assert str(result.exception) == (
        "assess: the kind of data does not show from the source. Pass --kind text, series, activity, events or symbols; "
        "`sequester inspect` looks for the kind."
    )


def test_command_line_says_that_the_kind_is_misspelt_before_it_refuses_options_of_that_kind(tmp_path):
    source = tmp_path / "walk.csv"
    source.write_text("id,t1,t2\n1,2,3\n")
    result = CliRunner().invoke(cli, ["assess", str(source), "--kind", "serie", "--person", "id"])
    assert result.exit_code == 2 and "'serie' is not one of 'text', 'series'" in result.output
    assert "No such option" not in result.output


def test_of_people_with_few_events_it_says_events():
    told = sq.assess(sq.sample("events", seed=1, n_people=30))
    assert re.search(r"\d+ of 30 sampled people have fewer than 10 events", told.summary), told.summary


def read_panel(source, *, person: str = "id"):
    """A reader for this test.

    Parameters
    ----------
    person
        Whose row it is.
    """
    table = np.genfromtxt(source, delimiter=",", names=True)
    return Series(values=np.column_stack([table["t1"], table["t2"]]), persons=table[person].astype(int))


def test_command_line_figures_with_generated_options(tmp_path, monkeypatch):
    monkeypatch.setitem(KINDS, "series", replace(KINDS["series"], reader="tests.unit.test_assess:read_panel"))
    source = tmp_path / "walk.csv"
    source.write_text("pat,t1,t2\n" + "\n".join(f"{i},{i // 2},{i // 2}" for i in range(20)) + "\n")
    line = [
        "assess",
        str(source),
        "--kind",
        "series",
        "--person",
        "pat",
        "--knowledge",
        "2",
        "--json",
        "--population",
        "99",
    ]
    told = json.loads(CliRunner().invoke(cli, line, catch_exceptions=False).stdout)
    assert told["summary"].startswith("2 values at known times single out 0 % of people")
    assert {f["name"]: f["value"] for f in told["figures"]}["prosecutor_highest"] == 0.5
    help_text = CliRunner().invoke(cli, ["assess", "--kind", "series", "--help"]).output
    assert "--precision" in help_text and "--person" in help_text
    assert "--precision" not in CliRunner().invoke(cli, ["assess", "--help"]).output


@pytest.mark.parametrize("kind", ["text", "series", "activity", "events", "symbols"])
def test_every_option_of_an_assessor_is_explained(kind):
    told = {o.name: o.help for o in reader_options(sq.assessor(kind))}
    assert all(told.values()), told
    assert told["seed"] == "Seed of the draw: the same seed gives the same figures."


def test_a_renamed_keyword_names_the_new_one():
    with pytest.raises(sq.ParameterError) as error:
        sq.assess(sq.sample("symbols", n_people=3), gram=3)
    assert str(error.value) == ("assess: there is no gram=. How many symbols a known gram has is said by length=.")

"""Activity data from every shape of table, and a sentence for every bad one."""

import re
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester.read.activity import read_activities


def csv(tmp_path, text, name="x.csv"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def test_wide_csv_with_words_empty_cells_and_a_covariate(tmp_path):
    path = csv(tmp_path, "id,grade,m1,m2,m3\n007,3.5,rest,walk,\n008,,walk,run,NA\n")
    data = read_activities(path, person="id", covariates=("grade",), unknown=("NA",), interval=60)
    assert set(data.state_names) == {"rest", "run", "walk", "missing"}
    named = np.array(data.state_names)[data.states]
    assert named.tolist() == [["rest", "walk", "missing"], ["walk", "run", "missing"]]
    assert data.persons.tolist() == ["007", "008"]
    assert data.covariates["grade"][0] == 3.5 and np.isnan(data.covariates["grade"][1])


def test_wide_numbers_keep_their_codes_and_take_names(tmp_path):
    table = pa.table({"person": ["a", "b"], "t0": [0, 2], "t1": [1, 2]})
    plain = read_activities(table)
    assert plain.state_names == ("0", "1", "2") and plain.states.tolist() == [[0, 1], [2, 2]]
    named = read_activities(table, states=("rest", "walk", "run", "missing"))
    assert named.state_names == ("rest", "walk", "run", "missing") and named.states.tolist() == [[0, 1], [2, 2]]
    odd = read_activities(pa.table({"person": ["a", "b"], "t0": [-1, 500], "t1": [500, 3]}))
    assert np.array(odd.state_names)[odd.states].tolist() == [["-1", "500"], ["500", "3"]]


@pytest.mark.parametrize("kind", [pa.list_(pa.uint8()), pa.large_list(pa.int64()), pa.list_(pa.string()), "fixed"])
def test_list_column(tmp_path, kind):
    lists = [[0, 1, 1], [1, 0, 2], [2, 2, 2]]
    if kind == "fixed":
        column = pa.FixedSizeListArray.from_arrays(pa.array(np.ravel(lists), pa.uint8()), 3)
    else:
        text = pa.types.is_string(kind.value_type)
        column = pa.array([[str(v) if text else v for v in x] for x in lists], kind)
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"person": [1, 2, 3], "what": column}), path, row_group_size=2)
    data = read_activities(path)
    assert data.states.tolist() == lists and data.state_names == ("0", "1", "2")


def test_uneven_and_empty_lists_end_in_missing():
    table = pa.table({"person": ["a", "b", "c"], "what": pa.array([["x", "y"], ["y"], None])})
    data = read_activities(table, state="what")
    assert np.array(data.state_names)[data.states].tolist() == [["x", "y"], ["y", "missing"], ["missing", "missing"]]


def test_long_rows_take_the_dominant_state_and_gaps_are_missing(tmp_path):
    rows = ["who,at,what"]
    rows += [f"a,2024-03-04 00:00:{s:02d},{'walk' if s < 40 else 'rest'}" for s in range(0, 60, 2)]
    rows += ["a,2024-03-04 00:02:10,rest", "b,2024-03-04 00:01:00,rest", "b,2024-03-04 00:01:30,walk"]
    path = csv(tmp_path, "\n".join(rows) + "\n")
    data = read_activities(path, person="who", time="at", state="what", interval=60)
    assert str(data.start) == "2024-03-04T00:00:00"
    named = np.array(data.state_names)[data.states]
    assert named.tolist() == [
        ["walk", "missing", "rest"],
        ["missing", "rest", "missing"],
    ]  # a tie goes to the first name


def test_seconds_since_1970_and_a_chosen_beginning():
    table = pa.table({"person": ["a", "a"], "time": [1364356858, 1364356918], "state": ["s", "w"]})
    data = read_activities(table, time="time", state="state", first="2013-03-27T04:00")
    assert np.array(data.state_names)[data.states].tolist() == [["s", "w"]]
    with pytest.raises(sq.InputError) as caught:
        read_activities(table, time="time", state="state", first="2013-03-28")
    assert str(caught.value) == (
        "read_activities: no observation is left. Check the columns of times and the days to keep."
    )


def naive_spans(spans, n_people, n, width, n_states):
    covered = np.zeros((n_people, n * width, n_states), dtype=int)
    for p, b, e, a in spans:
        covered[p, b:e, a] += 1
    share = covered.reshape(n_people, n, width, n_states).sum(axis=2)
    return np.where(share.any(axis=2), share.argmax(axis=2), -1)


def contradict(one, two, before):
    """Whether `two` begins inside `one`, of the same person in another state; of equal beginnings the row decides."""
    (p, b, e, s), (q, c, f, t) = one, two
    return p == q and s != t and max(b, c) < min(e, f) and (b < c or (b == c and before))


def test_spans_against_second_by_second_counting():
    rng = np.random.default_rng(0)
    spans = []
    for p in range(3):
        for b, length, a in zip(rng.integers(0, 200, 12), rng.integers(0, 70, 12), rng.integers(0, 3, 12)):
            spans.append((p, int(b), int(b + length), int(a)))
    spans.append((0, 0, 1, 0))
    table = pa.table(
        {
            "person": [f"p{s[0]}" for s in spans],
            "begin": pa.array([s[1] for s in spans]),
            "stop": pa.array([s[2] for s in spans]),
            "state": pa.array([s[3] for s in spans]),
        }
    )
    clash = [i for i in range(len(spans)) if any(contradict(spans[j], spans[i], j < i) for j in range(len(spans)))]
    who = {spans[i][0] for i in clash}
    people = f"{len(who)} {'person' if len(who) == 1 else 'people'}"
    told = re.escape(
        f"read_activities: {len(clash)} of {len(spans)} spans, of {people}, overlap "
        f"an earlier span in another state (first at row {clash[0] + 1}); an interval takes the state that covers most "
        "of it."
    )
    with pytest.warns(sq.SequesterWarning, match=f"^{told}$"):
        data = read_activities(table, start="begin", end="stop", interval=30, states=("0", "1", "2"))
    expected = naive_spans(spans, 3, data.states.shape[1], 30, 3)
    got = np.where(data.states == (data.missing if data.missing is not None else 99), -1, data.states.astype(int))
    rows = [list(dict.fromkeys(f"p{s[0]}" for s in spans)).index(p) for p in ("p0", "p1", "p2")]
    assert (got[rows] == expected).all()


def test_spans_that_agree_are_not_noted():
    table = pa.table(
        {
            "person": ["a", "a", "b", "a", "a"],
            "start": [0, 60, 30, 0, 90],
            "end": [60, 120, 90, 30, 90],
            "state": ["rest", "walk", "walk", "rest", "rest"],
        }
    )
    assert read_activities(table, start="start", end="end").n_people == 2, "touching, repeated and empty spans are fine"


def test_covariates_of_long_rows_are_those_of_the_first_row():
    table = pa.table(
        {"person": ["a", "a", "b"], "time": [0, 60, 0], "state": ["x", "y", "x"], "score": [1.0, 1.0, None]}
    )
    data = read_activities(table, time="time", covariates=("score",))
    assert data.covariates["score"][0] == 1.0 and np.isnan(data.covariates["score"][1])
    varying = table.set_column(3, "score", pa.array([1.0, 2.0, 3.0]))
    taken = read_activities(varying, time="time", covariates=("score",))
    assert taken.covariates["score"].tolist() == [1.0, 3.0]
    assert taken.notes == ("the covariate 'score' changes within 1 person; the value of their first row is taken",)


BASE = {"person": ["a", "b"], "time": [0, 60], "state": ["x", "y"]}


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (
            {"pat": ["a"], "t0": [1]},
            {},
            "read_activities: which column is the person? No column says so. Pass person=NAME.",
        ),
        (
            {"pat_id": ["a"], "t0": [1]},
            {"person": "patid"},
            "read_activities: column 'patid' not found; the table has 'pat_id', 't0'. Pass person='pat_id'?",
        ),
        (
            BASE,
            {"start": "time"},
            "read_activities: spans need both start and end, got only one. Pass start= and end=.",
        ),
        (
            BASE,
            {"state": "state"},
            "read_activities: column 'state' holds one state per row, so rows need times. Pass time= or start=.",
        ),
        (
            {"person": ["a", "a"], "t0": [1, 1]},
            {},
            "read_activities: 1 person has more than one row. If a row is one observation, pass time= and state=.",
        ),
        ({"person": ["a"]}, {}, "read_activities: no column is left for the states beside 'person'. Check the roles."),
        (
            BASE | {"time": ["soon", "later"]},
            {"time": "time"},
            "read_activities: 2 of 2 rows lack a time that can be read in column 'time' (first at row 1). "
            "Pass time_format= and say how times are written, such as '%d.%m.%Y %H:%M'.",
        ),
        (BASE, {"time": "time", "interval": 0}, "read_activities: interval must be 1 to 86400 seconds, got 0."),
        (
            BASE,
            {"time": "time", "first": "yesterday"},
            "read_activities: first must look like 2024-03-04T00:00, got 'yesterday'.",
        ),
        (
            {"person": ["a"], "u": pa.array([[1]]), "v": pa.array([[1]])},
            {},
            "read_activities: 2 columns hold lists: u, v. Pass state= one of them.",
        ),
        (
            {"person": pa.array([], pa.string())},
            {},
            "read_activities: the table has no rows. At least one person is needed.",
        ),
        (
            {"person": list("ab"), "time": [0, 10**11], "state": list("xy")},
            {"time": "time", "interval": 1},
            "read_activities: the times span 1157408 days, but only 2 of them hold an observation. Correct the dates "
            "or tell the days to keep: pass dates=FROM..TO, or align='monday' and days= where people were recorded at "
            "different times.",
        ),
        (
            {"person": ["a"], "t1": [0.5], **{f"t{j}": [100.0 + j] for j in range(2, 50)}},
            {"person": "person"},
            "read_activities: 49 different numbers would become states. If they are counts, name their column with "
            "value= and pass bins=; if they are measurements, use a method for series such as kapra; if "
            "they are states, name them with states.",
        ),
    ],
)
def test_bad_tables_get_one_clear_sentence(table, options, message):
    with pytest.raises(sq.InputError) as caught:
        read_activities(pa.table(table), **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("table", "options", "note"),
    [
        (BASE | {"time": [0, None]}, {"time": "time"}, "1 row without a time that can be read was left out"),
        (BASE | {"person": ["a", None]}, {"time": "time"}, "1 row without a person was left out"),
        (
            BASE | {"stop": [10, 30]},
            {"start": "time", "end": "stop"},
            "1 span with an end before the start was left out",
        ),
        (
            BASE,
            {"time": "time", "states": ("x",)},
            "1 cell holds a state that was not told and counts as missing",
        ),
    ],
)
def test_what_cannot_be_read_is_left_out_and_counted(table, options, note):
    assert read_activities(pa.table(table), **options).notes == (note,)


def test_too_many_states_are_refused():
    table = pa.table({"person": [str(i) for i in range(400)], "t0": [f"s{i}" for i in range(400)]})
    with pytest.raises(sq.InputError, match="more than 256 states were found"):
        read_activities(table)


def test_a_file_that_is_not_parquet(tmp_path):
    path = csv(tmp_path, "hello", "x.parquet")
    with pytest.raises(sq.InputError) as caught:
        read_activities(path)
    assert str(caught.value) == "read_activities: 'x.parquet' cannot be read as Parquet. Check the file."


ZONED = [
    ("2024-10-27T01:30:00+02:00", "2024-10-27T02:30:00+02:00", "rest"),
    ("2024-10-27T02:30:00+02:00", "2024-10-27T02:10:00+01:00", "walk"),  # the clock went back meanwhile: 40 minutes
    ("2024-10-27T04:00:00+0100", "2024-10-27T04:10:00.5+01:00", "rest"),
]


@pytest.mark.parametrize("form", ["csv", "memory", "timestamps"])
def test_of_a_time_with_a_zone_the_clock_on_the_wall_counts(tmp_path, form):
    table = pa.table(
        {
            "person": ["a"] * 3,
            "start": [z[0] for z in ZONED],
            "end": [z[1] for z in ZONED],
            "state": [z[2] for z in ZONED],
        }
    )
    if form == "csv":
        rows = "".join(f"a,{','.join(z)}\n" for z in ZONED)
        table = csv(tmp_path, "person,start,end,state\n" + rows)
    if form == "timestamps":
        there = pa.timestamp("us", "Europe/Berlin")
        for at, name in ((1, "start"), (2, "end")):
            moments = [datetime.fromisoformat(z[at - 1]) for z in ZONED]
            table = table.set_column(at, name, pa.array(moments, there))
    data = read_activities(table, start="start", end="end")
    minutes = {s: np.flatnonzero(data.states[0] == data.state_names.index(s)).tolist() for s in ("rest", "walk")}
    assert data.start == np.datetime64("2024-10-27T00:00:00")
    assert minutes == {"rest": [*range(90, 150), *range(240, 250)], "walk": list(range(150, 190))}


def test_numbers_and_dates_before_1970_in_a_csv_are_times(tmp_path):
    seconds_ = read_activities(csv(tmp_path, "person,time,state\na,-60,x\na,0,y\n"), time="time")
    assert (seconds_.start, seconds_.states.shape) == (np.datetime64("1969-12-31T00:00:00"), (1, 1441))
    dated = read_activities(csv(tmp_path, "person,time,state\na,1950-03-01 23:59,x\na,1950-03-02,y\n"), time="time")
    assert (dated.start, dated.states.shape) == (np.datetime64("1950-03-01T00:00:00"), (1, 1441))


def test_nothing_observed_is_a_sentence():
    table = pa.table({"person": ["a", "b"], "time": [0, 60], "state": ["", None]})
    with pytest.raises(sq.InputError) as caught:
        read_activities(table, time="time")
    assert str(caught.value) == (
        "read_activities: nothing was observed: no row tells a state. Check the column of states."
    )

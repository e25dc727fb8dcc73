"""One more person, however odd, leaves everybody else's rows as they were, and refusals do not depend on that person.

For every reader, every format a table may have, and the options a differentially private method asks for.
"""

import csv
import json
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sequester as sq

FORMATS = ("csv", "tsv", "jsonl", "parquet", "sqlite", "duckdb", "frame", "arrow")
ODD = (
    "1.0", "1", "true", "off", "1st", "2024030", "2024-13-45", "31/12/2024", "1970-01-01", "2099-12-31 23:59:59",
    "2024-03-04T10:00:00+14:00", "infinity", "-inf", "nan", "1e400", "-1", "999999999999", "", " ", "NULL", "missing",
    "not worn", "OTHER", "x;y", "x,y", "x\ty", 'say "no"', "two\nlines", "\ufeff", "日本語", "é" * 300, "[1, 2]",
    '{"a": 1}', "0x10", "1_000", "2024-03-04 24:00:00", "'", "--", "A", "a ", "%d", "\u200b",
)  # fmt: skip
odd = st.sampled_from(ODD) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
STATES = ("1.0", "true", "A", "b c")
CODED = {"1.0": "1", "true": "1", "A": "A", "b c": "b_c"}


def stored(folder, form, names, rows):
    """The rows as a file of a format, or a table in memory."""
    path = folder / f"t.{form}"
    path.unlink(missing_ok=True)
    if form in ("csv", "tsv"):
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="," if form == "csv" else "\t").writerows([names, *rows])
    elif form == "jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows]
        path.write_text("\n".join(lines) + "\n", "utf-8")
    elif form in ("parquet", "arrow"):
        table = pa.table({n: pa.array([r[i] for r in rows], pa.string()) for i, n in enumerate(names)})
        if form == "arrow":
            return table
        pq.write_table(table, path)
    elif form == "sqlite":
        with sqlite3.connect(path) as base:
            base.execute(f"create table t ({', '.join(names)})")  # no types: each cell has its own
            base.executemany(f"insert into t values ({', '.join('?' * len(names))})", rows)
        base.close()
    elif form == "duckdb":
        base = duckdb.connect(str(path))
        base.execute(f"create table t ({', '.join(f'{n} varchar' for n in names)})")
        base.executemany(f"insert into t values ({', '.join('?' * len(names))})", rows)
        base.close()
    else:
        # A frame whose columns hold whatever a cell is.
        return pd.DataFrame({n: pd.Series([_loose(r[i]) for r in rows], dtype=object) for i, n in enumerate(names)})
    return path


def _loose(cell):
    return {"-1": -1, "nan": float("nan"), "1st": True, "": None, "[1, 2]": (1, 2)}.get(cell, cell)


def long_rows(n_people=4, n=6):
    rng = np.random.default_rng(1)
    return [
        (f"p{i}", f"2024-03-{4 + j:02d} {int(rng.integers(24)):02d}:15:00", STATES[int(rng.integers(len(STATES)))])
        for i in range(n_people)
        for j in range(n)
    ]


def event_rows(log):
    return {
        p: [(int(t), log.state_names[s]) for t, s in zip(log.times[a:b], log.states[a:b], strict=True)]
        for p, a, b in zip(log.persons, log.offsets, log.offsets[1:], strict=False)
    }


def activity_rows(data):
    return {p: [data.state_names[c] for c in row] for p, row in zip(data.persons, data.states, strict=True)}


def symbol_rows(data):
    out = {}
    for p, a, b in zip(data.persons, data.offsets, data.offsets[1:], strict=False):
        out.setdefault(p, []).append([data.alphabet[s] for s in data.symbols[a:b]])
    return out


def series_rows(data):
    return {p: row.tobytes() for p, row in zip(data.persons, data.values, strict=True)}


DATES = {"dates": "2024-03-04..2024-03-09", "time_format": "iso"}


def places(rows):
    """Where the odd person stands: first, in the middle and last."""
    return 0, len(rows) // 2, len(rows)


CASES = {
    "events": (sq.read_events, event_rows, {"time": "time", "state": "state", "time_format": "iso",
               "time_unit": "second"}),
    "activity by observation": (sq.read_activities, activity_rows, {"time": "time", "state": "state", "states": STATES,
                                "interval": 3600, **DATES}),
    "activity from a monday": (sq.read_activities, activity_rows, {"time": "time", "state": "state", "states": STATES,
                               "interval": 3600, "align": "start", "days": 5, "time_format": "iso"}),
    "symbols": (sq.read_symbols, symbol_rows, {"value": ("state",), "time": "time", "symbolize": "none",
                "symbols": ("1.0", "true", "A", "b_c"), "time_format": "iso"}),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("case", list(CASES))
def test_rows_of_others_stay_as_they_were(case, form, tmp_path_factory):
    read, told, options = CASES[case]
    folder = tmp_path_factory.mktemp("hostile")
    names, rows = ("person", "time", "state"), long_rows()

    alone = read(stored(folder, form, names, rows), person="person", **options)
    here = told(alone)
    assert not [f for f in alone.reading if f.how == "found" and f.name != "states"]

    @settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.sampled_from(["odd", "日本", "p0 ", 'q"q', "e\ne"]).filter(lambda p: p.strip() != "p0"),
        st.lists(st.tuples(odd, odd), min_size=1, max_size=8),
    )
    def check(person, cells):
        for at in places(rows):
            with_odd = [*rows[:at], *((person, t, s) for t, s in cells), *rows[at:]]
            beside = read(stored(folder, form, names, with_odd), person="person", **options)
            there = told(beside)
            assert {p: there[p] for p in here} == here
            assert set(there) - set(here) <= {person, person.strip()}
            assert beside.reading == alone.reading, "what is told about the reading depends on one person"
            if case != "events":  # the names of events are the method's matter: it brings a code book
                names_of = "alphabet" if case == "symbols" else "state_names"
                assert getattr(beside, names_of) == getattr(alone, names_of)

    check()


@pytest.mark.parametrize("form", FORMATS)
def test_counts_of_others_stay_as_they_were(form, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    names = ("person", "time", "steps")
    rows = [
        (f"p{i}", f"2024-03-{4 + i + j // 24:02d} {j % 24:02d}:00", str(j * (i + 3) % 7))
        for i in range(3)
        for j in range(60)
    ]
    options = {"time": "time", "value": "steps", "bins": ("1", "4"), "names": ("still", "light", "brisk"), "days": 2,
               "interval": 3600, "align": "start", "time_format": "iso", "nonwear": "3"}  # fmt: skip

    alone = sq.read_activities(stored(folder, form, names, rows), person="person", **options)
    here = activity_rows(alone)
    assert alone.state_names == ("still", "light", "brisk", "missing", "not worn")

    @settings(max_examples=3, deadline=None)
    @given(st.lists(st.tuples(odd, odd), min_size=1, max_size=8))
    def check(cells):
        for at in places(rows):
            more = [*rows[:at], *(("odd", t, v) for t, v in cells), *rows[at:]]
            beside = sq.read_activities(stored(folder, form, names, more), person="person", **options)
            there = activity_rows(beside)
            assert {p: there[p] for p in here} == here and beside.state_names == alone.state_names
            assert beside.reading == alone.reading
            assert alone.start == beside.start == np.datetime64("2000-01-03T00:00:00")

    check()


@pytest.mark.parametrize("form", FORMATS)
def test_wide_rows_of_others_stay_as_they_were(form, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    names = ("person", "t1", "t2", "t3")
    numbers = [(f"p{i}", str(i), f"{i}.5", "1e3") for i in range(5)]
    states = [(f"p{i}", STATES[i % 4], STATES[(i + 1) % 4], "A") for i in range(5)]

    @settings(max_examples=2, deadline=None)
    @given(st.tuples(odd, odd, odd))
    def check(cells):
        def both(rows, at, read, **options):
            more = [*rows[:at], ("odd", *cells), *rows[at:]]
            return [read(stored(folder, form, names, r), person="person", **options) for r in (rows, more)]

        for at in places(numbers):
            alone, beside = both(numbers, at, sq.read_series, quasi=("t1", "t2", "t3"))
            here, there = series_rows(alone), series_rows(beside)
            assert {p: there[p] for p in here} == here
            alone, beside = both(states, at, sq.read_activities, states=STATES, days=1)
            here, there = activity_rows(alone), activity_rows(beside)
            assert {p: there[p] for p in here} == here and beside.state_names == alone.state_names
            assert alone.reading == beside.reading

    check()


def test_the_attack_of_one_cell_changes_nothing(tmp_path):
    """States 1.0 and true were called 1 until one person had `off`; a time of 1st moved everybody; 2024030 was 1970."""
    rows = [(f"p{i}", f"2024-03-{4 + j:02d}", s) for i in range(20) for j, s in enumerate(("1.0", "true", "1.0"))]
    attackers = [
        ("odd", "2024-03-05", "off"),
        ("odd", "1st", "1.0"),
        ("odd", "2024030", "1.0"),
        ("odd", "2024-03-05", "x"),
    ]
    for form in ("csv", "jsonl"):
        plain = stored(tmp_path, form, ("person", "time", "state"), rows)
        options = {"person": "person", "time": "time", "state": "state", "time_format": "iso"}
        want = event_rows(sq.read_events(plain, time_unit="day", **options))
        active = activity_rows(
            sq.read_activities(plain, states=("1.0", "true"), interval=86400, dates="2024-03-04..2024-03-06", **options)
        )
        assert want["p0"][0][1] == "1.0" and active["p0"] == ["1.0", "true", "1.0"]
        for attacker in attackers:
            spoilt = stored(tmp_path, form, ("person", "time", "state"), [*rows, attacker])
            got = event_rows(sq.read_events(spoilt, time_unit="day", **options))
            assert {p: got[p] for p in want} == want, attacker
            data = sq.read_activities(
                spoilt, states=("1.0", "true"), interval=86400, dates="2024-03-04..2024-03-06", **options
            )
            again = activity_rows(data)
            assert {p: again[p] for p in active} == active and data.state_names == ("1.0", "true", "missing"), attacker


CALENDAR = "dates=FROM..TO (or align='monday' and days=D)"


@pytest.mark.parametrize(
    ("method", "read", "roles", "found", "options"),
    [
        (sq.MarkovDP(epsilon=1, delta=1e-6, people_at_least=5000, dates="2024-01-01..2024-12-31"), sq.read_events,
         {"time": "time", "state": "state"}, "the time format and the time unit were", "time_format= and time_unit="),
        (sq.EventsNgramDP(epsilon=1, l_max=5, objects=3), sq.read_events, {"time": "time", "state": "state"},
         "the time format and the time unit were", "time_format= and time_unit="),
        (sq.ActivityDP(epsilon=1, delta=1e-6, people_at_least=5000), sq.read_activities,
         {"time": "time", "state": "state", "states": STATES}, "the time format and the calendar were",
         f"time_format= and {CALENDAR}"),
        (sq.NgramDP(epsilon=1, l_max=5, n_max=2, average="symbol"), sq.read_symbols,
         {"value": ("state",), "time": "time", "symbolize": "none", "symbols": ("1.0", "true", "A", "b_c")},
         "the time format was", "time_format="),
    ],
    ids=["markov-dp", "events-ngram-dp", "activity-dp", "ngram-dp"],
)  # fmt: skip
def test_a_dp_method_refuses_what_was_found_before_it_spends(method, read, roles, found, options, tmp_path):
    path = stored(tmp_path, "csv", ("person", "time", "state"), long_rows())
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(read(path, person="person", **roles), method)
    assert str(caught.value) == (
        f"anonymize: differential privacy needs to be told how the file is to be read, and {found} found in the data, "
        f"so one person could change it for everybody. Pass {options}. No budget was spent."
    )


@pytest.mark.parametrize("odd_name", ["", "Person", "TIME", "a\0b", "State ", "x" * 300, "'", '"', "\u200b"])
@pytest.mark.parametrize("first", [True, False])
def test_a_name_that_only_one_line_has_refuses_nobody(odd_name, first, tmp_path):
    """JSON lines have no header: names came from all lines, and one that differs in case alone refused the file."""
    names, rows = ("person", "time", "state"), long_rows()
    told = {"person": "person", "time": "time", "state": "state", "time_format": "iso", "time_unit": "second"}
    here = event_rows(sq.read_events(stored(tmp_path, "jsonl", names, rows), **told))
    path = stored(tmp_path, "jsonl", names, rows)
    hostile = json.dumps({odd_name: "odd", "person": "odd", "time": "2024-03-04 10:00:00", "state": "A"}) + "\n"
    path.write_text(hostile + path.read_text("utf-8") if first else path.read_text("utf-8") + hostile, "utf-8")
    there = event_rows(sq.read_events(path, **told))
    assert {p: there[p] for p in here} == here and set(there) - set(here) <= {"odd"}
    assert sq.inspect(path).kind == "events"


def test_a_line_of_many_names_is_bounded(tmp_path, monkeypatch):
    from sequester.read import delimited

    monkeypatch.setattr(delimited, "MOST_NAMES", 5)
    path = stored(tmp_path, "jsonl", ("person", "time", "state"), long_rows())
    path.write_text(json.dumps({f"n{i}": i for i in range(100)}) + "\n" + path.read_text("utf-8"), "utf-8")
    from sequester.read.table import load

    found = load(path, "read").table
    assert {"person", "time", "state"} <= set(found.column_names) and found.num_columns == 5

"""Counts as accelerometers record them: cut points, non-wear, windows, clocks that change."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.read.activity_counts import RULES, SETS, Nonwear, not_worn, window_start
from tests.naive.not_worn import choi
from tests.naive.not_worn import not_worn as naive

BINS = {"bins": ("1", "100"), "names": ("still", "light", "brisk")}
ROLES = {"person": "person", "time": "time", "value": "counts", "time_format": "iso"}


def table(rows):
    return pa.table({n: pa.array([str(r[i]) for r in rows]) for i, n in enumerate(("person", "time", "counts"))})


def minutes(person, first, values, step=60):
    start = np.datetime64(first, "s")
    return [(person, str(start + np.timedelta64(step * i, "s")), v) for i, v in enumerate(values)]


def named(data, row=0):
    return [data.state_names[c] for c in data.states[row]]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([0, 0, 0, 0, 1, 50, 100, 101, 5000, float("nan")]), max_size=60),
    st.integers(1, 8),
    st.integers(0, 3),
)
def test_not_worn_against_the_plain_loop(counts, epochs, tolerance):
    got = not_worn(np.array(counts, dtype=float), Nonwear(epochs, tolerance))
    assert got.tolist() == naive(counts, epochs, tolerance, 100)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.lists(st.sampled_from([1, 50, 5000, float("nan")]), max_size=3)), max_size=14
    ),
    st.integers(2, 9),
    st.integers(0, 2),
    st.integers(1, 5),
)
def test_movement_between_stillness_against_the_plain_loop(stretches, epochs, tolerance, beside):
    counts = [x for zeros, moved in stretches for x in [0] * zeros + moved]
    got = not_worn(np.array(counts, dtype=float), Nonwear(epochs, tolerance, np.inf, beside))
    assert got.tolist() == choi(counts, epochs, tolerance, beside)


@pytest.mark.parametrize(
    ("counts", "troiano", "chois"),
    [
        ([0] * 89, 89, 0),
        ([0] * 90, 90, 90),
        ([0] * 59, 0, 0),
        ([0] * 40 + [900, 900] + [0] * 60, 60, 102),  # two minutes of any count between 30 of zeros
        ([0] * 29 + [9, 9] + [0] * 60, 91, 0),  # too few zeros before
        ([0] * 60 + [9, 9, 9] + [0] * 60, 120, 0),  # three minutes are wearing
        ([0] * 60 + [float("nan")] + [0] * 60, 120, 0),  # no record ends a run
    ],
)
def test_published_rules_for_a_device_in_a_drawer(counts, troiano, chois):
    found = {name: int(not_worn(np.array(counts, dtype=float), rule).sum()) for name, rule in RULES.items()}
    assert found == {"troiano-2008": troiano, "choi-2011": chois}
    assert choi(counts).count(True) == chois


def test_a_published_rule_is_named_with_its_source():
    rows = minutes("a", "2024-03-04T00:00:00", [5] * 10 + [0] * 90 + [5] * 5)
    data = sq.read_activities(table(rows), days=1, nonwear="choi-2011", **ROLES, **BINS)
    assert named(data).count("not worn") == 90
    told = next(f for f in data.reading if f.name == "not worn")
    assert told.how == "declared" and told.value.startswith("choi-2011: Choi, Liu, Matthews and Buchowski 2011")


def test_counts_of_days_that_nobody_told():
    """Without dates and days a row lasts until the last observation, as with states."""
    data = sq.read_activities(table(minutes("a", "2024-03-04T00:00:00", [0, 5, 200])), **ROLES, **BINS)
    assert named(data) == ["still", "light", "brisk"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=30), st.integers(1, 9))
def test_a_window_holds_most_of_a_persons_records(at, days):
    seconds = np.array(at)

    def held(begin):
        return int(((seconds >= begin) & (seconds < begin + days * 86400)).sum())

    for align, step in (("start", 1), ("monday", 7)):
        found = window_start(seconds, days, align)
        assert found % 86400 == 0
        if align == "monday":
            assert np.datetime64(found, "s").astype("datetime64[D]").astype(object).weekday() == 0
        first = {t // 86400 - ((t // 86400 + 3) % 7 if step == 7 else 0) for t in at}
        assert held(found) == max(held(d * 86400) for d in first)


def test_cut_points_finer_records_and_both_unobserved_states():
    rows = minutes("a", "2024-03-04T00:00:00", [0, 0, 1, 0, 60, 50], step=30)
    data = sq.read_activities(table(rows), dates="2024-03-04..2024-03-04", **ROLES, **BINS)
    assert named(data)[:4] == ["still", "light", "brisk", "missing"], "counts of half a minute add up"
    assert data.state_names == ("still", "light", "brisk", "missing") and data.names_public
    worn = sq.read_activities(table(rows), dates="2024-03-04..2024-03-04", nonwear="180", **ROLES, **BINS)
    assert worn.state_names == ("still", "light", "brisk", "missing", "not worn"), "in the code book, used or not"


def test_a_clock_put_back_counts_once_and_one_put_forward_leaves_a_gap():
    back = [("a", "2024-10-27T02:30:00+02:00", 5), ("a", "2024-10-27T02:30:00+01:00", 500)]
    data = sq.read_activities(table(back), dates="2024-10-27..2024-10-27", **ROLES, **BINS)
    assert named(data)[150] == "light", "of the hour that comes twice the first record counts"
    spring = minutes("a", "2024-03-31T00:30:00", [0] * 60, step=60)
    zoned = [(p, f"{t}+00:00", v) for p, t, v in spring]
    data = sq.read_activities(table(zoned), dates="2024-03-31..2024-03-31", zone="Europe/Berlin", **ROLES, **BINS)
    seen = np.flatnonzero(data.states[0] != data.missing)
    assert seen.tolist() == [*range(90, 120), *range(180, 210)], "from two to three nothing is recorded that night"


def test_people_of_different_years_are_aligned_by_their_own_first_week():
    rows = minutes("a", "2015-06-03T12:00:00", range(24 * 20), step=3600)
    rows += minutes("b", "2019-01-01T00:00:00", range(24 * 20), step=3600)
    options = {"interval": 3600, "align": "monday", "days": 7, **ROLES, **BINS}
    data = sq.read_activities(table(rows), **options)
    assert data.states.shape == (2, 168) and data.start == np.datetime64("2000-01-03T00:00:00")
    assert data.observed == 1.0 and data.reading[-2].value == {"align": "monday", "days": 7, "weekdays": True}
    alone = sq.read_activities(table(rows[: 24 * 20]), **options)
    assert alone.states.tolist() == data.states[:1].tolist()
    by_date = sq.read_activities(table(rows), interval=3600, dates="2015-06-03..2019-01-20", **ROLES, **BINS)
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(by_date, sq.MCKA(k=2), seed=1)
    assert str(caught.value) == (
        "anonymize: only 1.5% of the people's time was observed; mcka would publish the rest as missing. If "
        "people were "
        "recorded at different times, pass align='monday' and days= when the file is read; otherwise lower "
        "least_observed=."
    )


def test_valid_days_and_valid_values_leave_out_and_count():
    rows = minutes("a", "2024-03-04T00:00:00", [3] * 1440) + minutes("b", "2024-03-04T00:00:00", [3] * 60)
    rows += [("a", "2024-03-05T00:00:00", "-99"), ("a", "soon", "1"), ("a", "2024-03-05T00:01:00", "many")]
    data = sq.read_activities(table(rows), dates="2024-03-04..2024-03-05", valid_days=1, **ROLES, **BINS)
    assert data.persons.tolist() == ["a"] and data.notes == (
        "1 row without a time that can be read was left out",
        "1 count is not a number and was left out",
        "1 count lies outside the valid values and was left out",
        "1 of 2 people has fewer than 1 day of 600 observed minutes and was left out",
    )


def test_published_cut_points_say_where_they_come_from():
    rows = minutes("a", "2024-03-04T00:00:00", [0, 99, 100, 1951, 1952, 5725, 9499])
    data = sq.read_activities(table(rows), dates="2024-03-04..2024-03-04", bins=("freedson-1998",), **ROLES)
    assert named(data)[:7] == ["sedentary", "sedentary", "light", "light", "moderate", "hard", "very hard"]
    fact = next(f for f in data.reading if f.name == "bins")
    assert fact.how == "declared" and fact.value["source"].startswith(
        "freedson-1998: Freedson, Melanson and Sirard 1998"
    )
    assert set(SETS) == {"freedson-1998", "troiano-2008"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"bins": ("1",), "names": ("a",)},
            "1 bin makes 2 states, names= gives 1. Name every state, the lowest first.",
        ),
        (
            {"bins": ("5", "1"), "names": ("a", "b", "c")},
            "bins must be rising numbers such as 1,200,1000, got 2 that are not.",
        ),
        (
            {"bins": ("freedson",)},
            "bins must be rising numbers such as 1,200,1000, or one of freedson-1998, "
            "troiano-2008. "
            "Did you mean 'freedson-1998'?",
        ),
        (
            {"bins": ("freedson-1998",), "interval": 30},
            "the cut points freedson-1998 are for minutes; interval is 30 seconds.",
        ),
        (
            {**BINS, "nonwear": "often"},
            "nonwear must be none, a number of epochs of zeros such as 180, 60/2 to bear two small ones in a row, or "
            "one of troiano-2008, choi-2011.",
        ),
        (
            {**BINS, "nonwear": "choi-2011", "interval": 30},
            "the rule choi-2011 is for minutes; interval is 30 seconds.",
        ),
        ({**BINS, "align": "monday"}, "align='monday' needs to know how many days to keep. Pass days=7 or so."),
        (
            {**BINS, "dates": "2024-03-04"},
            "dates must look like 2024-03-04..2024-03-17, the first and the last day to keep.",
        ),
        ({**BINS, "time": None}, "counts in value= need time= too."),
        (
            {**BINS, "time_format": "ISO8601"},
            "no time format 'ISO8601'. Pass one of iso, seconds, "
            "milliseconds, minutes, hours, days, clock, number, "
            "or a pattern such as '%d.%m.%Y %H:%M'. Did you mean 'iso'?",
        ),
        (
            {**BINS, "zone": "Berlin"},
            "no time zone 'Berlin'. Pass zone='wall' for times as they are written, or a name such as Europe/Berlin.",
        ),
    ],
)
def test_options_that_do_not_fit_are_said_in_a_sentence(options, message):
    rows = table(minutes("a", "2024-03-04T00:00:00", [1, 2]))
    with pytest.raises(sq.InputError) as caught:
        sq.read_activities(rows, **{"dates": None, **ROLES, **options})
    assert str(caught.value) == f"read_activities: {message}"

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.model import EventLog


def log_of(traces, names, *, gap=600, unit="second", start=1_700_000_000):
    offsets = np.r_[0, np.cumsum([len(t) for t in traces])]
    times = np.concatenate([start + gap * np.arange(len(t)) for t in traces])
    if unit == "order":
        times = np.arange(offsets[-1])
    if unit == "day":
        times = times // 86400 * 86400
    states = [names.index(s) for t in traces for s in t]
    return EventLog(offsets=offsets, states=states, state_names=names, times=times, time_unit=unit)


@pytest.fixture(scope="module")
def log():
    return sq.sample("events", n_people=150, seed=2)


@pytest.fixture(scope="module")
def release(log):
    return sq.anonymize(log, sq.MarkovRatio(epsilon=0.35, publish_model=True), seed=1)


def failed(release, log=None):
    return [c.name for c in sq.verify(release, log).checks if not c.passed]


def with_model(release, change):
    rows = release.tables["model"].to_pylist()
    change(rows)
    model = pa.Table.from_pylist(rows, schema=release.tables["model"].schema)
    return replace(release, tables={**release.tables, "model": model})


def first(rows, **want):
    return next(r for r in rows if all(r[k] == v for k, v in want.items()))


def test_few_people_are_warned_of_and_last_no_longer_than_what_passed_the_test():
    """27 people with rare long gaps, which single gaps drawn one by one would add up to centuries."""
    g = np.random.default_rng(0)
    names = tuple("abcdef")
    base = log_of([[names[i] for i in g.integers(0, 6, 60)] for _ in range(27)], names)
    gaps = np.where(g.random(base.n_events) < 0.2, 1000 * 86400, 3600 * g.integers(1, 99, base.n_events))
    starts = np.repeat(86400 * g.integers(0, 700, 27), 60)
    times = np.cumsum(gaps.reshape(27, 60), axis=1).ravel() + starts + 1_000_000_000
    log = replace(base, times=times)
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35), seed=1)
    assert "27 cases are few for this method" in str(release.notes[0])
    events = release.tables["events"].to_pandas()
    lasts = events.groupby("object").time.agg(lambda t: (t.max() - t.min()).total_seconds())
    real = np.diff(log.times.reshape(27, 60)[:, [0, -1]], axis=1).max()
    assert lasts.max() <= 1.8 * real
    many = sq.anonymize(sq.sample("events", n_people=150, seed=2), sq.MarkovRatio(epsilon=0.35), seed=1)
    assert not many.notes


def test_the_judge_confirms_and_names_what_it_recounted(release, log):
    verdict = sq.verify(release, log)
    assert verdict.holds
    assert "suppressed statistics fail the test" in {c.name for c in verdict.checks}


def test_a_statistic_below_the_threshold_is_caught_without_the_original(release):
    def change(rows):
        row = first(rows, chain="states", statistic="move", level="all")
        row["count"], row["out_of"] = 2, 500

    assert "every kept statistic passes the test" in failed(with_model(release, change))


@pytest.mark.parametrize(
    "change,name",
    [
        (lambda rows: first(rows, statistic="start").update(support=3), "supports and sums agree"),
        (lambda rows: first(rows, statistic="length").update(to="99"), "counts equal a recount"),
        (lambda rows: first(rows, statistic="gap").update(to="99"), "counts equal a recount"),
        (lambda rows: first(rows, statistic="clock").update(to="25"), "counts equal a recount"),
        (lambda rows: first(rows, statistic="move", to="(end)").update(to="?"), "counts equal a recount"),
        (lambda rows: rows.append(dict(rows[0])), "supports and sums agree"),
    ],
)
def test_planted_defects_of_the_model_are_caught(release, log, change, name):
    assert name in failed(with_model(release, change), log)


def test_a_count_off_by_one_is_caught_with_the_original(release, log):
    def change(rows):
        row = max((r for r in rows if r["statistic"] == "move" and r["level"] == "all"), key=lambda r: r["count"])
        for r in rows:
            same = all(r[k] == row[k] for k in ("chain", "statistic", "level", "factor", "cluster", "value"))
            if same:
                r["support"] += 1
                r["out_of"] += r["from"] == row["from"]
        row["count"] += 1

    broken = with_model(release, change)
    assert failed(broken) == [] and "counts equal a recount" in failed(broken, log)


def test_a_passing_statistic_that_is_missing_is_caught(release, log):
    def change(rows):
        row = first(rows, chain="states", statistic="start", level="all")
        gone = row["count"]
        rows.remove(row)
        for r in rows:
            if r["chain"] == "states" and r["statistic"] == "start" and r["level"] == "all":
                r["support"] -= gone

    assert failed(with_model(release, change), log) == ["suppressed statistics fail the test"]


def broken_events(release, **columns):
    table = release.tables["events"]
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, values)
    return replace(release, tables={**release.tables, "events": table})


def test_malformed_logs_fail_without_a_traceback(release):
    events = release.tables["events"]
    n = events.num_rows
    rest = {k: v for k, v in release.tables.items() if k != "events"}
    assert "tables are the expected ones" in failed(replace(release, tables=rest))
    assert "columns of events" in failed(
        replace(release, tables={"events": events.append_column("person", pa.array(["x"] * n))})
    )
    assert "columns of events" in failed(replace(release, tables={"events": events.drop_columns(["time"])}))
    assert "values of events" in failed(broken_events(release, object=pa.array(["x"] * n)))
    assert "values of events" in failed(broken_events(release, state=pa.array([None] * n, pa.string())))
    assert "objects carry new numbers" in failed(broken_events(release, object=pa.array(np.arange(n) * 7 + 3)))
    backwards = pa.array(np.arange(n)[::-1].copy(), pa.timestamp("s"))
    assert "times do not run backwards" in failed(broken_events(release, time=backwards))
    assert "columns of model" in failed(
        replace(release, tables={**release.tables, "model": release.tables["model"].drop_columns(["count"])})
    )
    strange = replace(release, tables={**release.tables, "people": events})
    assert "tables are the expected ones" in failed(strange)


def test_states_that_were_never_seen_are_caught(release, log):
    n = release.tables["events"].num_rows
    assert "states are those of the original" in failed(broken_events(release, state=pa.array(["?"] * n)), log)


@pytest.mark.parametrize("test", ["simultaneous", "sequential", "off"])
def test_all_ways_of_testing_are_recounted(log, test):
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.05, test=test), seed=3)
    assert sq.verify(release, log).holds
    told = dict(zip(*release.private["model_summary"].to_pydict().values(), strict=True))
    assert (told["suppressed_records"] == 0) == (test == "off")


@pytest.mark.parametrize("unit", ["day", "order"])
def test_logs_without_hours_or_without_a_clock(unit):
    names = ("in", "ward", "out")
    log = log_of([["in", "ward", "ward", "out"], ["in", "out"]] * 30, names, gap=86400, unit=unit)
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.65), seed=1)
    assert sq.verify(release, log).holds
    assert str(release.tables["events"]["time"].type) == {"day": "date32[day]", "order": "int64"}[unit]


def test_later_sections_of_a_log_of_days_last_as_long_as_theirs():
    """Quick sections take four days, slow ones sixteen, and pauses vary, so later sections start at odd hours."""
    rng, day = np.random.default_rng(0), 86400
    states, times = [], []
    for _ in range(300):
        t = 19_000 * day + day * int(rng.integers(0, 60))
        for _ in range(3):
            slow = int(rng.integers(0, 2))
            states += [2 * slow + i % 2 for i in range(5)]
            times += [t + day * (1 + 3 * slow) * i for i in range(5)]
            t = times[-1] + day * int(rng.integers(60, 140))
    log = EventLog(offsets=np.arange(301) * 15, states=states, state_names=tuple("abcd"), times=times, time_unit="day")
    events = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35, split_gap=960.0), seed=1).tables["events"]
    objects, days = events["object"].to_numpy(), events["time"].cast("int32").to_numpy()
    slow = np.isin(events["state"].to_pylist(), ["c", "d"])
    other = np.diff(objects) != 0
    begins = np.flatnonzero(np.r_[True, other | (np.diff(days) >= 40)])
    later = ~np.r_[True, other][begins]
    lasted = days[np.r_[begins[1:], len(days)] - 1] - days[begins]
    quick, long = lasted[later & ~slow[begins]].mean(), lasted[later & slow[begins]].mean()
    assert quick < 8 and long > 12


def stays(n, seed):
    """Objects of one to three stays with years between: `in` opens the first, `out` closes the last, others vary."""
    rng = np.random.default_rng(seed)
    names, year = ("in", "back", "a", "b", "c", "leave", "out"), 365 * 86400
    traces, times = [], []
    for _ in range(n):
        trace, t = [], int(1_500_000_000 + rng.integers(0, 10**8))
        for stay in range(n_stays := int(rng.integers(1, 4))):
            last = "out" if stay == n_stays - 1 else "leave"
            part = ["back" if stay else "in", *rng.choice(["a", "b", "c"], rng.integers(1, 12)).tolist(), last]
            trace += part
            times += [t + 3600 * i for i in range(len(part))]
            t += year
        traces.append(trace)
    states = [names.index(s) for trace in traces for s in trace]
    return EventLog(offsets=np.cumsum([0] + [len(t) for t in traces]), states=states, state_names=names, times=times)


@pytest.mark.parametrize("epsilon", [0.05, 0.65])
def test_nothing_comes_before_a_state_that_opens_or_after_one_that_ends(epsilon):
    """`in` never has a predecessor and `out` never a successor, although both meet all other states in a stay."""
    log = stays(150, 3)
    events = sq.anonymize(log, sq.MarkovRatio(epsilon=epsilon, split_gap=2000.0), seed=1)
    events = events.tables["events"]
    o, s, t = events["object"].to_numpy(), events["state"].to_pylist(), events["time"].to_numpy().astype(np.int64)
    same = np.flatnonzero(o[1:] == o[:-1])
    assert len(same) > 150
    assert all(s[i] != "out" and s[i + 1] != "in" for i in same)
    assert (t[same + 1] >= t[same]).all()
    days = {int(x) // 86400 for x in log.times[log.offsets[:-1]]}
    starts = t[np.flatnonzero(np.r_[True, o[1:] != o[:-1]])]
    assert {int(x) // 86400 for x in starts} <= days


def test_nothing_follows_a_state_the_data_never_leaves(log):
    events = sq.anonymize(log, sq.MarkovRatio(epsilon=0.65, split_gap=0.0), seed=1).tables["events"]
    o, s = events["object"].to_numpy(), events["state"].to_pylist()
    leaves = {
        log.state_names[i] for a, b in zip(log.offsets, log.offsets[1:], strict=False) for i in log.states[a : b - 1]
    }
    for i in np.flatnonzero(o[1:] == o[:-1]):
        assert s[i] in leaves


@pytest.mark.parametrize("unit", ["second", "order"])
def test_lengths_are_kept_where_pauses_are_skewed(unit):
    """Most gaps are short, a few very long: time alone makes such traces too long or too short."""
    rng = np.random.default_rng(4)
    sizes = np.maximum(1, rng.lognormal(2.2, 0.8, 400)).astype(int)
    offsets = np.r_[0, np.cumsum(sizes)]
    gaps = rng.choice([0, 60, 3600, 200_000], offsets[-1], p=[0.3, 0.3, 0.3, 0.1])
    times = 1_600_000_000 + np.cumsum(gaps) if unit == "second" else np.arange(offsets[-1])
    names = tuple("abcd")
    log = EventLog(
        offsets=offsets, states=rng.integers(0, 4, offsets[-1]), state_names=names, times=times, time_unit=unit
    )
    for epsilon in (0.05, 0.35):
        release = sq.anonymize(log, sq.MarkovRatio(epsilon=epsilon), seed=2)
        assert {f.name: f.value for f in sq.measure(log, release).figures}["length"] < 0.15


def test_sections_end_as_they_do_in_the_data():
    """A trace wanders among three states and ends with one of its own: without it, no synthetic trace is whole."""
    rng = np.random.default_rng(6)
    names = ("a", "b", "c", "out")
    traces = [[*rng.choice(names[:3], rng.integers(2, 9)), "out"] for _ in range(300)]
    log = log_of(traces, names)
    events = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35), seed=1).tables["events"]
    o, s = events["object"].to_numpy(), events["state"].to_pylist()
    last = [s[i] for i in np.flatnonzero(np.r_[o[1:] != o[:-1], True])]
    assert last.count("out") > 0.9 * len(last) and len(last) == 300


def test_start_counts_of_days_are_exact_unless_drawn_around_them():
    log = sq.sample("events", n_people=300, seed=5)
    first = np.unique(log.times[log.offsets[:-1]] // 86400, return_counts=True)
    counts = {}
    for starts in ("recorded", "poisson"):
        events = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35, starts=starts), seed=1).tables["events"]
        o, t = events["object"].to_numpy(), events["time"].to_numpy().astype("datetime64[s]").astype(np.int64)
        counts[starts] = np.unique(t[np.flatnonzero(np.r_[True, o[1:] != o[:-1]])] // 86400, return_counts=True)
    assert all(np.array_equal(a, b) for a, b in zip(counts["recorded"], first, strict=True))
    assert not np.array_equal(counts["poisson"][0], first[0]) or not np.array_equal(counts["poisson"][1], first[1])


def test_more_hashes_change_the_clusters():
    log = sq.sample("events", n_people=300, seed=5)
    found = []
    for hashes in (4, 100):
        release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35, hashes=hashes, shingle=2), seed=1)
        told = dict(zip(*release.private["model_summary"].to_pydict().values(), strict=True))
        found.append(told["kept_records"])
    assert found[0] != found[1]


def test_equal_events_of_one_moment_stay_equal():
    names = ("a", "b", "c")
    log = log_of([["a", "b", "c"]] * 40, names, gap=0)
    times = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35), seed=1).tables["events"]["time"].to_numpy().astype(np.int64)
    assert (times.reshape(-1, 3) == times.reshape(-1, 3)[:, :1]).all()


def test_long_pauses_split_a_log_and_sections_are_reconnected():
    names = ("a", "b")
    day = 86400
    traces, times = [], []
    for i in range(60):
        t = 1_700_000_000 + i * day
        traces.append(["a", "b", "a", "b"])
        times += [t, t + 60, t + 400 * day, t + 400 * day + 60]
    log = EventLog(offsets=np.arange(61) * 4, states=[0, 1] * 120, state_names=names, times=times)
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.65, split_gap=24 * 100), seed=1)
    told = dict(zip(*release.private["model_summary"].to_pydict().values(), strict=True))
    assert told["sections"] == 120 and told["split_gap_seconds"] == 100 * day
    assert sq.verify(release, log).holds
    long = np.diff(release.tables["events"]["time"].to_numpy().astype(np.int64))
    assert (long > 300 * day).sum() > 10


def test_nothing_left_to_start_from_is_said():
    log = log_of([["a", "b"]], ("a", "b"))
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(log, sq.MarkovRatio(epsilon=0.05), seed=1)
    assert str(caught.value) == (
        "markov-ratio: the ratio test left no state to start from. Raise epsilon, or use more data."
    )


@pytest.mark.parametrize(
    "more,message",
    [
        ({"shingle": 4}, "MarkovRatio: shingle must be a whole number in 1..3, got shingle=4."),
        (
            {"factors": ("weekday", "moon")},
            "MarkovRatio: factors must be different words among duration, weekday, hour, got ('weekday', 'moon').",
        ),
        ({"test": "free"}, "MarkovRatio: test must be one of simultaneous, sequential, off, got test='free'."),
        ({"split_gap": -1.0}, "MarkovRatio: split_gap must be a number of at least 0.0, got split_gap=-1.0."),
    ],
)
def test_bad_parameters(more, message):
    with pytest.raises(sq.ParameterError) as caught:
        sq.MarkovRatio(epsilon=0.35, **more)
    assert str(caught.value) == message


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=15),
    st.sampled_from(["second", "day", "order"]),
    st.sampled_from(["simultaneous", "sequential", "off"]),
)
def test_the_judge_confirms_whatever_log_is_given(traces, unit, test):
    names = ("a", "b", "c")
    log = log_of([[names[i] for i in t] for t in traces], names, gap=40_000, unit=unit)
    pause = {} if unit == "order" else {"split_gap": 11.0}
    method = sq.MarkovRatio(epsilon=0.65, test=test, cluster_share=0.5, **pause)
    try:
        release = sq.anonymize(log, method, seed=1)
    except sq.InputError:
        return
    assert sq.verify(release, log).holds


def test_the_reach_of_a_cluster_equals_that_of_its_chain():
    """The kernel's twin is the matrix form: shares of the chain, multiplied step by step."""
    from sequester.methods.events.markov_ratio.kernels import law_index
    from sequester.methods.events.markov_ratio.kernels.measured import _cluster_reach
    from sequester.methods.events.shared.notes import arrivals

    rng = np.random.default_rng(3)
    counts = rng.integers(0, 9, (5, 6)) * (rng.random((5, 6)) < 0.6)
    counts[0, 5] = 3
    row, item = np.nonzero(counts)
    shape = (law_index.CLUSTER_BITS, law_index.VALUE_BITS, law_index.ROW_BITS)
    key = (((np.int64(4) << shape[0]) | 8) << shape[1]) << shape[2] | row.astype(np.int64)
    ones = np.ones(len(row))
    law = law_index.laws(key, item, counts[row, item], ones)
    chain = np.zeros((6, 6))
    chain[:5] = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    out = np.empty((7, 5))
    _cluster_reach(law, 7, 4, 5, 7, np.zeros((7, 5)), out, np.empty(5, np.int64))
    assert np.allclose(out, arrivals(chain, 6), atol=1e-12)


def test_attributes_are_refused_until_they_are_carried(log):
    told = replace(log, attributes={"age": np.zeros(len(log.states))})
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(told, sq.MarkovRatio(epsilon=0.35), seed=1)
    assert str(caught.value) == (
        "markov-ratio: 1 attribute was read; pass attributes=NAME:VALUES to the method with the values anyone may "
        "know, or read none."
    )

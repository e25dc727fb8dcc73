"""markov-ratio in logs of days: how long objects last, counted, tested, kept and judged."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.judges import ratio_lengths
from sequester.methods.events.markov_ratio import generate_measured, spans
from sequester.model import EventLog

DAY, FIRST, NEW_YEAR, LAST = 86400, 12_800, 13_879, 14_000


def uneven(n, seed=0):
    """People of forty events: some see everything in weeks, others in years, until the log ends for all of them."""
    rng = np.random.default_rng(seed)
    states, times, sizes = [], [], []
    for _ in range(n):
        begin, pace = int(rng.integers(FIRST, LAST - 40)), float(rng.choice([0.02, 0.5]))
        gaps = rng.geometric(0.04, 39) * (rng.random(39) < pace)
        days = begin + np.r_[0, np.cumsum(gaps)]
        days = days[days <= LAST]
        sizes.append(len(days))
        states += rng.integers(0, 4, len(days)).tolist()
        times += (days * DAY).tolist()
    offsets = np.r_[0, np.cumsum(sizes)]
    return EventLog(offsets=offsets, states=states, state_names=tuple("abcd"), times=times, time_unit="day")


@pytest.fixture(scope="module")
def log():
    return uneven(600)


@pytest.fixture(scope="module")
def release(log):
    return sq.anonymize(log, sq.MarkovRatio(epsilon=0.35, publish_model=True), seed=1)


def figures(log, release):
    return {f.name: f.value for f in sq.measure(log, release).figures}


def test_objects_last_as_long_as_people_do(monkeypatch, log, release):
    monkeypatch.setattr(generate_measured, "with_spans", lambda times, *told: times)
    without = figures(log, sq.anonymize(log, sq.MarkovRatio(epsilon=0.35), seed=1))
    found = figures(log, release)
    assert found["duration"] < 0.08 < 0.15 < without["duration"]
    assert found["month"] < without["month"]


def test_whoever_starts_late_does_not_last_long(release):
    events = release.tables["events"]
    objects, days = events["object"].to_numpy(), events["time"].cast("int32").to_numpy()
    first = np.flatnonzero(np.diff(objects, prepend=-1))
    span = days[np.r_[first[1:], len(days)] - 1] - days[first]
    late = days[first] >= NEW_YEAR
    assert late.any() and np.quantile(span[late], 0.95) <= 140 and span[late].mean() < 0.5 * span[~late].mean()


def test_classes_and_bins_are_the_judges():
    events = np.arange(1, 600)
    assert [spans.class_name(c) for c in spans.length_class(events).tolist()] == [
        ratio_lengths.length_class(n) for n in events.tolist()
    ]
    days = np.arange(0, 4000)
    got = np.searchsorted(spans.SPAN_EDGES[1:-1], days, side="right")
    assert [str(b) for b in got.tolist()] == [ratio_lengths.span_bin(d) for d in days.tolist()]


@pytest.mark.parametrize("statistic", ["span", "spans"])
def test_a_span_off_by_one_or_missing_is_caught_with_the_original(log, release, statistic):
    assert sq.verify(release, log).holds

    def broken(change):
        rows = release.tables["model"].to_pylist()
        own = [r for r in rows if r["statistic"] == statistic and r["level"] == "all"]
        change(rows, max(own, key=lambda r: r["count"]), own)
        model = pa.Table.from_pylist(rows, schema=release.tables["model"].schema)
        forged = replace(release, tables={**release.tables, "model": model})
        assert not [c.name for c in sq.verify(forged).checks if not c.passed]
        return {c.name for c in sq.verify(forged, log).checks if not c.passed}

    def one_more(_rows, row, own):
        for r in own:
            r["support"] += 1
            r["out_of"] += r["from"] == row["from"]
        row["count"] += 1

    def gone(rows, row, own):
        rows.remove(row)
        for r in own:
            r["support"] -= row["count"]

    assert "counts equal a recount" in broken(one_more)
    assert broken(gone) == {"suppressed statistics fail the test"}


def test_logs_with_a_clock_have_no_spans():
    log = sq.sample("events", n_people=60, seed=2)
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35, publish_model=True), seed=1)
    assert not {"span", "spans"} & set(release.tables["model"]["statistic"].to_pylist())


def test_years_count_only_where_sections_know_them(log):
    method = sq.MarkovRatio(epsilon=0.35, publish_model=True, section_factors=("month",))
    release = sq.anonymize(log, method, seed=1)
    told = [r for r in release.tables["model"].to_pylist() if r["statistic"] == "spans"]
    assert {r["level"] for r in told} == {"all"} and sq.verify(release, log).holds

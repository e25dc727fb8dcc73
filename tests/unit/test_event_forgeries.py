"""Forged releases of private event logs: everything a release can show is looked at."""

from dataclasses import replace
from datetime import timedelta
from functools import cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.audits.run import measuring_code
from sequester.audits.transcript import WeakNoise, audit
from sequester.dp.noise import TeachingNoise
from sequester.dp.randomness import Randomness
from sequester.judges.copied_traces import copies
from sequester.judges.markov_release import lower_tail
from sequester.methods.events.markov_dp import MarkovDP
from sequester.model import EventLog
from sequester.samples.files import write_source


@cache
def log():
    return sq.sample("events", n_people=500, seed=4)


def method(**more):
    told = {"epsilon": 4.0, "delta": 1e-6, "people_at_least": 500, "dates": "2024-01-01..2025-12-31"}
    told |= {} if "codebook" in more else {"states_at_most": len(log().state_names)}
    return MarkovDP(**(told | more))


@cache
def honest(people=500):
    return sq.anonymize(log(), method(people_at_least=people), seed=1)


def failed(release, source=None):
    return [c.name for c in sq.verify(release, source).checks if not c.passed]


def with_table(release, name, change):
    rows = release.tables[name].to_pylist()
    changed = change(rows) or rows
    table = pa.Table.from_pylist(changed, schema=release.tables[name].schema)
    return replace(release, tables={**release.tables, name: table})


def first(rows, **want):
    return next(r for r in rows if all(r[k] == v for k, v in want.items()))


@pytest.mark.parametrize("people", [500, 100_000])
def test_an_honest_release_is_confirmed(people):
    assert failed(honest(people), log()) == []


def one_object_more(rows):
    last = rows[-1]
    return [*rows, {**last, "object": last["object"] + 1}]


def more_people(rows):
    first(rows, statistic="people")["value"] += 1


def clip_off_the_grid(rows):
    first(rows, statistic="clip", **{"from": "pairs"})["value"] *= 1.01


def clip_of_another_table(rows):
    first(rows, statistic="clip", **{"from": "seen"})["value"] = 1.0


def another_state(rows):
    first(rows, statistic="transition")["to"] = "Maria"


def told(statistic, **cells):
    def change(rows):
        first(rows, statistic=statistic).update(cells)

    return change


def length_told_twice(rows):
    return [*rows, {**first(rows, statistic="length"), "value": 0.0}]


def state_told_twice(rows):
    return [*rows, first(rows, statistic="state", to="OTHER")]


def cell_more(rows):
    return [*rows, {"family": "pairs", "cell": 10_000, "value": 1.0}]


def table_nobody_knows(rows):
    return [*rows, {"family": "exact", "cell": 0, "value": 1.0}]


def table_left_out(rows):
    return [r for r in rows if r["family"] != "seen"]


def spans_left_out(rows):
    return [r for r in rows if r["family"] != "spans"]


def a_twentieth_as_long(rows):
    begin = {}
    for row in rows:
        first_ = begin.setdefault(row["object"], row["time"])
        row["time"] = first_ + timedelta(seconds=(row["time"] - first_).total_seconds() // 20)


def without_noise(rows):
    """Spans whose sum is the noisy number of people exactly, moments whose first place is exact."""
    for row in rows:
        if row["family"] in ("spans", "span moments"):
            row["value"] = 0.0
    first(rows, family="spans", cell=20)["value"] = first(rows, family="people")["value"] + 2000.0


def off_the_grid(rows):
    rows[5]["value"] += 1e-9


@pytest.mark.parametrize(
    "table,change,name",
    [
        ("events", one_object_more, "objects are as many as the noisy count"),
        ("model", more_people, "noisy numbers are whole on their grid"),
        ("model", clip_off_the_grid, "sensitivities are the method's"),
        ("model", clip_of_another_table, "sensitivities are the method's"),
        ("model", another_state, "model names everything once"),
        ("model", state_told_twice, "model names everything once"),
        ("model", told("index", value=19710312.0), "the model says what was declared"),
        ("model", told("order", value=19710312.0), "the model says what was declared"),
        ("model", told("state", value=19710312.0), "the model says what was declared"),
        ("model", told("length", length_from=19710312, length_to=19710313), "the model says what was declared"),
        ("model", length_told_twice, "the model says what was declared"),
        ("measurements", cell_more, "measurements can be read"),
        ("measurements", table_nobody_knows, "cells follow from states and calendar"),
        ("measurements", table_left_out, "cells follow from states and calendar"),
        ("measurements", spans_left_out, "cells follow from states and calendar"),
        ("measurements", without_noise, "noise is as large as declared"),
        ("measurements", without_noise, "durations follow the noisy spans"),
        ("events", a_twentieth_as_long, "durations follow the noisy spans"),
        ("measurements", off_the_grid, "noisy numbers are whole on their grid"),
    ],
)
def test_what_was_changed_is_caught(table, change, name):
    assert name in failed(with_table(honest(), table, change))


@pytest.mark.parametrize(
    "change,name",
    [
        (lambda entries: [e for e in entries if e.mechanism != "spans"], "every mechanism is in the ledger"),
        (
            lambda entries: [
                replace(e, sensitivity=e.sensitivity / 2, scale=e.scale / 2) if e.mechanism == "spans" else e
                for e in entries
            ],
            "sensitivities are the method's",
        ),
        (
            lambda entries: [
                replace(e, sensitivity=float(1 << 20)) if e.mechanism == "span moments" else e for e in entries
            ],
            "sensitivities are the method's",
        ),
    ],
)
def test_spans_that_do_not_follow_from_the_ledger_are_caught(change, name):
    release = honest()
    forged = replace(release, ledger=replace(release.ledger, entries=change(release.ledger.entries)))
    assert name in failed(forged)


def test_tables_and_columns_nobody_asked_for_are_caught():
    release = honest()
    extra = replace(release, tables={**release.tables, "people": pa.table({"name": ["Maria"]})})
    assert "tables are the expected ones" in failed(extra)
    events = release.tables["events"]
    column = events.append_column("name", pa.array(["Maria"] * events.num_rows))
    assert "columns of events" in failed(replace(release, tables={**release.tables, "events": column}))
    less = {name: t for name, t in release.tables.items() if name != "measurements"}
    assert "table measurements" in failed(replace(release, tables=less))


class Less:
    """Noise that is a fraction of what is declared."""

    secure = False

    def __init__(self, factor):
        self.inner, self.factor = TeachingNoise(np.random.default_rng(0)), factor

    def gaussian(self, name, values, scale):
        return self.inner.gaussian(name, values, scale * self.factor)

    def noisy_max(self, name, utilities, scale):
        return self.inner.noisy_max(name, utilities, scale)

    def threshold(self, name, keys, values, scale, tau):
        return self.inner.threshold(name, keys, values, scale, tau)


@pytest.mark.parametrize("people,factor", [(500, 1e-9), (500, 0.05), (100_000, 1e-9), (100_000, 0.3)])
def test_noise_that_is_too_small_shows(people, factor):
    forged = method(people_at_least=people).apply(
        log(), rng=Randomness(seed=1, noise=Less(factor)), engine=sq.Engine(threads=1)
    )
    found = failed(forged)  # without any noise, counts are whole numbers too
    assert found[0] == "noise is as large as declared"
    assert set(found[1:]) <= {"measurements carry noise below whole numbers"}


def test_the_lower_tail_is_that_of_a_sum_of_squares():
    drawn = (np.random.default_rng(0).standard_normal((20_000, 6)) ** 2).sum(1)
    for at in (1.0, 4.0, 9.0):
        assert lower_tail(6, at) == pytest.approx((drawn <= at).mean(), abs=0.01)
    assert lower_tail(80, 1e-6) < 1e-100 and lower_tail(10, 1e5) == 1.0


def test_copies_of_people_are_caught_with_the_original():
    release = honest()
    people = max(1, round(release.tables["model"]["value"][0].as_py()))
    kept = log().take(np.arange(min(people, log().n_records)))
    n = kept.n_records
    known = set(release.tables["model"]["to"].to_pylist())
    names = np.array([x if x in known else "OTHER" for x in kept.state_names], dtype=object)
    rows = pa.table(
        {
            "object": pa.array(np.repeat(np.arange(1, n + 1), np.diff(kept.offsets)), pa.int64()),
            "time": pa.array(kept.times, pa.timestamp("s")),
            "state": pa.array(names[kept.states].tolist(), pa.string()),
        }
    )
    if n < people:  # the noisy count may exceed the people there are: repeat the last one
        last = rows.filter(pa.compute.equal(rows["object"], n))
        numbers = range(n + 1, people + 1)
        more = [last.set_column(0, "object", pa.array([i] * len(last), pa.int64())) for i in numbers]
        rows = pa.concat_tables([rows, *more])
    forged = replace(release, tables={**release.tables, "events": rows})
    assert failed(forged) == []  # nobody without the original can tell
    assert failed(forged, log()) == ["no copies of people", "no copies of people with shifted times"]


def test_copies_of_people_shifted_by_seconds_are_caught_with_the_original():
    """The j-th event of a history is moved by j seconds: no gap is equal any more."""
    release = honest()
    kept = log().take(np.arange(min(log().n_records, max(1, round(release.tables["model"]["value"][0].as_py())))))
    known = set(release.tables["model"]["to"].to_pylist())
    names = np.array([x if x in known else "OTHER" for x in kept.state_names], dtype=object)
    moved = kept.times + np.concatenate([np.arange(n) for n in np.diff(kept.offsets)])
    rows = pa.table({
        "object": pa.array(np.repeat(np.arange(1, kept.n_records + 1), np.diff(kept.offsets)), pa.int64()),
        "time": pa.array(moved, pa.timestamp("s")), "state": pa.array(names[kept.states].tolist(), pa.string()),
    })  # fmt: skip
    found = {c.name: c for c in copies(replace(release, tables={**release.tables, "events": rows}), log())}
    assert found["no copies of people"].passed
    assert not found["no copies of people with shifted times"].passed
    assert all(c.passed for c in copies(release, log())), "an honest release has none"


def written(release, kept, moved=0):
    """A release whose events are those of the original, the j-th of a history moved by j times so many seconds."""
    later = moved * np.concatenate([np.arange(n) for n in np.diff(kept.offsets)])
    rows = pa.table({
        "object": pa.array(np.repeat(np.arange(1, kept.n_records + 1), np.diff(kept.offsets)), pa.int64()),
        "time": pa.array(kept.times + later, pa.timestamp("s")),
        "state": pa.array(np.array(kept.state_names, dtype=object)[kept.states].tolist(), pa.string()),
    })  # fmt: skip
    return replace(release, tables={**release.tables, "events": rows})


def test_copies_of_people_in_a_log_of_tested_statistics_are_caught():
    release = sq.anonymize(log(), sq.MarkovRatio(epsilon=0.35), seed=1)
    assert failed(release, log()) == []
    names = ["no copies of people", "no copies of people with shifted times"]
    assert failed(written(release, log()), log()) == names
    assert failed(written(release, log(), 1), log()) == names[1:]


@pytest.mark.parametrize(("unit", "first"), [(1, 0), (60, 1)])
def test_chance_repeats_plain_histories(unit, first):
    """Two states by turns and gaps of a few seconds or minutes: an honest release repeats some, a forged one most."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(3, 7, 600)
    steps = unit * rng.integers(first, 20 if unit == 1 else 4, sizes.sum())
    offsets = np.r_[0, np.cumsum(sizes)]
    times = np.concatenate([1_704_096_000 + np.cumsum(steps[a:b]) for a, b in pairwise(offsets)])
    turns = np.concatenate([np.arange(n) % 2 for n in sizes])
    people = np.array([f"p{i}" for i in range(600)])
    plain = EventLog(offsets=offsets, states=turns, state_names=("A", "B"), times=times, persons=people)
    release = sq.anonymize(plain, sq.MarkovRatio(epsilon=0.35), seed=1)
    assert all(c.passed for c in copies(release, plain))
    assert [c.passed for c in copies(written(release, plain), plain)] == [False, False]


def test_an_order_left_out_of_a_tree_is_caught(tmp_path):
    book = tmp_path / "states.txt"
    book.write_text("\n".join(log().state_names), "utf-8")
    for epsilon in (0.05, 4.0):  # a tree that stops at its root, and one that grows
        release = sq.anonymize(log(), sq.EventsNgramDP(epsilon=epsilon, codebook=str(book), n_max=3), seed=1)
        assert failed(release) == []
        for i in range(len(release.ledger.entries)):
            kept = [e for j, e in enumerate(release.ledger.entries) if j != i]
            forged = replace(release, ledger=replace(release.ledger, entries=kept))
            assert "every mechanism is in the ledger" in failed(forged)


def test_the_real_path_once_reader_noise_and_missing_states(tmp_path):
    """From a file with a missing state through opendp to a bundle, as a custodian goes."""
    path = write_source(log(), tmp_path / "wards.csv")
    lines = path.read_text("utf-8").splitlines()
    lines[5] = ",".join([*lines[5].split(",")[:-1], ""])
    path.write_text("\n".join(lines) + "\n", "utf-8")
    read = sq.read_events(path, time_unit="second", time_format="iso")
    assert "missing" in read.state_names
    book = tmp_path / "states.txt"
    book.write_text("\n".join([*log().state_names, "missing"]), "utf-8")
    for chosen in (
        method(),
        method(codebook=str(book), people_at_least=100_000),
        sq.EventsNgramDP(epsilon=4.0, codebook=str(book), objects=100, n_max=3),
    ):
        release = sq.anonymize(read, chosen)
        assert not release.teaching_only and failed(release, read) == []


@pytest.mark.parametrize("factor,holds", [(1.0, True), (0.01, False)])
def test_the_audit_passes_through_all_tables(factor, holds):
    """With so many people promised that every table is measured, an object that repeats one state."""
    small = sq.sample("events", n_people=40, seed=1)
    odd = np.full(120, 9)
    more = sq.EventLog(
        offsets=np.r_[small.offsets, small.offsets[-1] + len(odd)], states=np.r_[small.states, odd],
        state_names=small.state_names, times=np.r_[small.times, small.times[0] + 3600 * np.arange(len(odd))],
    )  # fmt: skip
    few = replace(small, persons=np.array([str(i) for i in range(40)], dtype=object))
    chosen = method(epsilon=1.0, people_at_least=100_000)
    found = audit(
        measuring_code(chosen), few, more, runs=60, delta=1e-6, claimed=1.0, seed=1,
        noise=lambda g: WeakNoise(g, factor),
    )  # fmt: skip
    assert found.holds == holds

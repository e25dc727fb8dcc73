"""Events in parts: the same steps with the same inputs, and the same release, however the people are split."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.dp.noise import RecordingNoise, TeachingNoise
from sequester.engines import Engine
from sequester.methods.events.markov_dp import drawing
from sequester.methods.events.markov_dp.people import People
from sequester.model.parts import split

DATES = "2024-01-01..2025-12-31"
STRONG = {"epsilon": 50.0, "delta": 1e-6, "people_at_least": 3000}


def log_of(unit: str = "second", attributes: bool = False, n_people: int = 120, seed: int = 3) -> sq.EventLog:
    log = sq.sample("events", n_people=n_people, seed=seed)
    if unit == "day":
        log = replace(log, times=log.times // 86400 * 86400, time_unit="day")
    elif unit == "order":
        log = replace(log, times=np.arange(log.n_events), time_unit="order")
    if attributes:
        of = np.random.default_rng(seed).integers(0, 3, log.n_records)
        word = np.array(["f", "m", None], dtype=object)[np.repeat(of, np.diff(log.offsets))]
        log = replace(log, attributes={"sex": word})
    return log


CASES = {
    "seconds, states selected privately": (log_of(), STRONG | {"dates": DATES}),
    "days": (log_of("day"), STRONG | {"dates": DATES}),
    "order": (log_of("order"), STRONG),
    "attributes with links": (log_of(attributes=True), STRONG | {"dates": DATES, "attributes": ("sex:f,m",)}),
    "few events count": (log_of(), STRONG | {"dates": "2024-03-01..2024-09-01", "max_events": 3}),
}


def parted(data, folder, n_parts: int, seed: int):
    of = np.random.default_rng(seed).integers(0, n_parts, data.n_people)
    return split(data, folder, [np.flatnonzero(of == p) for p in range(n_parts)])


def transcript(method, data, crowd=None):
    noise = RecordingNoise(TeachingNoise(np.random.default_rng(5)))
    ledger = method.ledger()
    method.measure(data if crowd is None else crowd, noise, ledger, data.time_unit)
    return noise.transcript, ledger


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=4, deadline=None)
@given(n_parts=st.integers(1, 40), seed=st.integers(0, 999))
def test_every_step_is_given_the_same_integers(case, n_parts, seed, tmp_path_factory):
    log, parameters = CASES[case]
    method = sq.MarkovDP(**parameters)
    folder = tmp_path_factory.mktemp("parts")
    parts = parted(log, folder, n_parts, seed)
    crowd = People(parts, method.design(log.time_unit), Engine(threads=2), tmp_path_factory.mktemp("scratch"))
    here, spent = transcript(method, log)
    there, also = transcript(method, log, crowd)
    assert [s["name"] for s in here] == [s["name"] for s in there] and len(here) > 3
    for a, b in zip(here, there):
        assert np.array_equal(a["given"], b["given"]) and a["scale"] == b["scale"], a["name"]
        assert a.get("keys") == b.get("keys")
    assert spent.to_json() == also.to_json()


@pytest.mark.parametrize("case", CASES)
def test_the_release_is_the_same_for_the_same_seed(case, tmp_path):
    log, parameters = CASES[case]
    method = sq.MarkovDP(**parameters)
    parts = parted(log, tmp_path, 7, 1)
    whole = sq.anonymize(log, method, seed=7)
    scratch = tmp_path / "scratch"
    split_up = sq.anonymize(parts, method, seed=7, engine=Engine(threads=2, scratch=scratch))
    assert all(whole.tables[n].equals(split_up.tables[n]) for n in whole.tables)
    assert sorted(whole.tables) == sorted(split_up.tables)
    assert whole.notes == split_up.notes and whole.reading == split_up.reading
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("case", ["seconds, states selected privately", "order", "attributes with links"])
def test_the_log_is_the_same_however_many_threads_draw_its_blocks(case, monkeypatch):
    monkeypatch.setattr(drawing, "EVENTS_AT_ONCE", 50)
    log, parameters = CASES[case]
    method = sq.MarkovDP(**parameters)
    drawn = [sq.anonymize(log, method, seed=7, engine=Engine(threads=n)).tables["events"] for n in (1, 3)]
    limited = sq.anonymize(log, method, seed=7, engine=Engine(threads=3, memory=10**9)).tables["events"]
    assert drawn[0].equals(drawn[1]) and drawn[0].equals(limited)
    objects = drawn[0]["object"].to_numpy()
    assert len(drawn[0]["object"].chunks) > 3 and np.array_equal(np.unique(objects), np.arange(1, objects[-1] + 1))
    assert (np.diff(objects) >= 0).all()


def test_blocks_are_drawn_by_as_many_threads_as_the_memory_has_room_for():
    room = drawing.SHARE * drawing.EVENTS_AT_ONCE * drawing.BYTES_PER_EVENT
    threads = [drawing._here(Engine(threads=8, memory=m)).threads for m in (None, 20 * room, 3 * room, room // 2)]
    assert threads == [8, 8, 3, 1]


def test_every_block_has_random_numbers_of_its_own(monkeypatch):
    monkeypatch.setattr(drawing, "EVENTS_AT_ONCE", 1)
    log, parameters = CASES["seconds, states selected privately"]
    table = sq.anonymize(log, sq.MarkovDP(**parameters), seed=7).tables["events"].to_pandas()
    assert table.groupby("object").time.first().nunique() > 0.9 * table.object.nunique()


def test_whole_traces_are_counted_exactly_and_spelled_only_when_asked_for(tmp_path, monkeypatch):
    from sequester.methods.events.markov_dp import people as room

    monkeypatch.setattr(room, "CELL_BITS", 4)  # many rounds of few cells: traces share them
    log = log_of(n_people=200)
    names = (*log.state_names, "OTHER")
    plan = replace(sq.MarkovDP(**STRONG, dates=DATES).design("second"), states_at_most=5, rho=50.0)
    assert plan.rich
    expected = Counter(tuple(log.states[a:b].tolist()) for a, b in pairwise(log.offsets.tolist()))
    for data, n_parts in ((log, 1), (parted(log, tmp_path, 5, 0), 5)):
        crowd = People(data, plan, Engine(threads=1), tmp_path, key=b"secret")
        crowd.fold_into(names)
        for least in (1, 2):
            ids, counts = crowd.variants(least)
            assert (np.diff(ids) > 0).all() and counts.dtype == np.int64
            found = {tuple(trace.tolist()): int(c) for trace, c in zip(crowd.spelled(ids), counts)}
            assert found == {trace: c for trace, c in expected.items() if c >= least}, n_parts
        assert [len(trace) for trace in crowd.spelled(np.array([5, 3]))] == [0, 0]


def test_a_method_that_must_see_everybody_gets_everybody_or_is_refused(tmp_path):
    data = sq.sample("series", n_people=30)
    parts, method = parted(data, tmp_path, 3, 0), sq.Kapra(k=3, p=2)
    here, there = (sq.anonymize(some, method, seed=1).tables["records"] for some in (data, parts))
    assert here.equals(there)
    with pytest.raises(sq.InputError, match=r"kapra with these options must see all people at once.*markov-dp"):
        sq.anonymize(parts, method, engine=Engine(memory=1))

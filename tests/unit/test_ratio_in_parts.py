"""`markov-ratio` in parts: the same release and the same tables for the custodian, however the people are split."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester import stored_tables
from sequester.engines import Engine
from sequester.judges import events
from sequester.methods.events.markov_ratio import drawn, outline, split
from sequester.stored_tables import StoredTable
from tests.unit.test_events_in_parts import log_of, parted

CASES = {
    "seconds": ("second", False, {"publish_model": True}),
    "days": ("day", False, {"cluster_share": 0.0, "starts": "poisson"}),
    "order": ("order", False, {"shingle": 2, "hashes": 20}),
    "attributes": ("second", True, {"attributes": ("sex:f,m",), "split_gap": 24.0}),
    "sections": ("second", False, {"split_gap": 24.0, "test": "sequential"}),
    "sections of days": ("day", False, {"split_gap": 72.0, "test": "off", "factors": ("duration",)}),
}


def log_for(case: str) -> sq.EventLog:
    unit, attributes, _ = CASES[case]
    return log_of(unit, attributes, n_people=80)


def method_for(case: str) -> sq.MarkovRatio:
    return sq.MarkovRatio(**({"epsilon": 0.65} | CASES[case][2]))


@cache
def whole(case: str) -> sq.Release:
    """The release made in memory."""
    return sq.anonymize(log_for(case), method_for(case), seed=7)


def table_of(table):
    return table.read() if isinstance(table, StoredTable) else table


def assert_equal(a: sq.Release, b: sq.Release) -> None:
    for here, there in ((a.tables, b.tables), (a.private, b.private)):
        assert sorted(here) == sorted(there)
        for name in here:
            assert here[name].equals(table_of(there[name])), name
    assert a.notes == b.notes and a.reading == b.reading and a.guarantee == b.guarantee


@pytest.mark.parametrize(("case", "n_parts"), list(zip(CASES, (1, 2, 7, 17, 31, 40), strict=True)))
def test_the_release_is_the_same_for_the_same_seed(case, n_parts, tmp_path):
    (scratch := tmp_path / "scratch").mkdir()
    parts = parted(log_for(case), tmp_path, n_parts, seed=n_parts)
    assert_equal(whole(case), sq.anonymize(parts, method_for(case), seed=7, engine=Engine(threads=2, scratch=scratch)))
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("case", CASES)
def test_nothing_changes_when_pieces_are_small_and_everything_goes_to_files(case, tmp_path, monkeypatch):
    for module, name, size in (
        (split, "GROUPS_AT_ONCE", 16), (drawn, "OBJECTS_AT_ONCE", 3), (drawn, "EVENTS_AT_ONCE", 40),
        (outline, "AT_ONCE", 7),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, size)
    (tmp_path / "parts").mkdir()
    parts = parted(log_for(case), tmp_path / "parts", 5, 2)
    engine = Engine(threads=2, memory=1, scratch=tmp_path / "scratch")
    made = sq.anonymize(parts, method_for(case), seed=7, engine=engine)
    assert isinstance(made.tables["events"], StoredTable)
    assert isinstance(made.private.get("model"), StoredTable) != method_for(case).publish_model
    assert_equal(whole(case), made)


def test_parts_whose_rows_are_not_in_the_order_of_the_source(tmp_path):
    from sequester.model.part_files import read_placed, write_part

    parts = parted(log_for("attributes"), tmp_path, 3, 1)
    for path in parts.paths:
        log, place = read_placed(path, parts.kind, parts.facts)
        back = np.arange(log.n_records)[::-1]
        write_part(log.take(back), path, place[back])
    assert_equal(whole("attributes"), sq.anonymize(parts, method_for("attributes"), seed=7))


def test_too_many_clusters_for_one_code_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(split, "MOST_BITS", 20)
    parts = parted(log_for("seconds"), tmp_path, 2, 1)
    with pytest.raises(sq.InputError) as error:
        sq.anonymize(parts, method_for("seconds"), seed=7, engine=Engine(threads=1))
    assert str(error.value).startswith("markov-ratio: ") and str(error.value).endswith(
        "are too many to count in parts. Lower cluster_share in a plan or in Python, or leave memory_limit= out."
    )


@pytest.mark.parametrize("case", ["seconds", "attributes"])
def test_the_files_of_the_bundle_are_the_same(case, tmp_path):
    (tmp_path / "parts").mkdir()
    parts = parted(log_for(case), tmp_path / "parts", 4, 2)
    made = {}
    for name, data, engine in (("here", log_for(case), None), ("there", parts, Engine(threads=2, memory=1))):
        place = tmp_path / name / "log.bundle"
        place.parent.mkdir()
        sq.publish_data(
            data, sq.Request(method=method_for(case), target=place, seed=3, engine=engine, formats=("csv",))
        )
        made[name] = {p.name: p.read_bytes() for p in (place / "data").iterdir()}
        assert sq.open_bundle(place, private=True).private.keys() >= {"sections", "model_summary"}
    assert made["here"] == made["there"] and len(made["here"]) > 1
    private = [{p.name: pq.read_table(p) for p in (tmp_path / name / "log.private").glob("*.parquet")} for name in made]
    assert private[0].keys() == private[1].keys() and len(private[0]) > 1
    assert all(private[0][name].equals(private[1][name]) for name in private[0])


def test_a_large_bundle_is_verified_in_its_files(tmp_path, monkeypatch):
    place = tmp_path / "log.bundle"
    sq.publish(whole("attributes"), place)
    small = sq.verify(place).to_json()
    monkeypatch.setattr(stored_tables, "MANY_ROWS", 100)
    monkeypatch.setattr(events, "AT_ONCE", 7)
    assert sq.open_bundle(place).tables["events"].path is not None
    assert sq.verify(place).to_json() == small


def test_a_value_that_changes_inside_an_object_is_caught_wherever_a_batch_ends(monkeypatch):
    release = whole("attributes")
    table = release.tables["events"]
    objects, sex = table["object"].to_numpy(), table["sex"].to_pylist()
    at = int(np.flatnonzero(objects[1:] == objects[:-1])[0]) + 1  # an event that another of its object goes before
    assert sex[at] == sex[at - 1]
    changed = table.set_column(3, "sex", pa.array([*sex[:at], "f" if sex[at] != "f" else "m", *sex[at + 1 :]]))
    for rows in (at, at + 1, 1 << 16):
        monkeypatch.setattr(events, "AT_ONCE", rows)
        assert [c.name for c in sq.verify(release).checks if not c.passed] == []
        broken = sq.verify(replace(release, tables={"events": changed}))
        assert [c.name for c in broken.checks if not c.passed] == ["attributes have declared values"]


def test_what_a_part_answers_tells_nothing_about_single_people(tmp_path, monkeypatch):
    """Answers may travel through a scheduler; what belongs to people stays in files."""
    heard = []
    real = Engine.each
    monkeypatch.setattr(Engine, "each", lambda self, *told: (heard.append(x) or x for x in real(self, *told)))
    parts = parted(log_for("attributes"), tmp_path, 2, 1)
    sq.anonymize(parts, method_for("attributes"), seed=7, engine=Engine(threads=1))
    outlines = [answer.outline for answer in heard if isinstance(answer, split.Answer)]
    assert len(outlines) == 2 and all(len(o.days) == len(o.sections) == 0 for o in outlines)
    others = [answer for answer in heard if not isinstance(answer, split.Answer)]
    assert others and all(answer is None or isinstance(answer, int) for answer in others)

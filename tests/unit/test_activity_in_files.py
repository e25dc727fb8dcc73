"""Released rows of states on disk: the same rows, the same files of the bundle, the same verdict as in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester import stored_tables
from sequester.engines import Engine
from sequester.layouts import states
from sequester.methods.activity.activity_dp import calibrate
from sequester.stored_tables import StoredTable, gathered, rows_at_once, write_parquet
from tests.unit.test_activity_in_parts import QUICK, people
from tests.unit.test_events_in_parts import parted

FILES = Engine(threads=2, memory=1)
"""An engine with so little memory that every table of rows stays in a file."""
METHODS = {
    "mixture": sq.MCKA(k=5),
    "exact": sq.MCKA(k=5, exact=True),
    "noisy profiles": sq.MCDP(k=5, epsilon=2.0),
    "simulated": sq.ActivityDP(**QUICK),
}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(states, "PIECE_BYTES", 2880 * 7)
    monkeypatch.setattr(calibrate, "PEOPLE_AT_ONCE", 11)


@pytest.mark.parametrize("case", METHODS)
def test_the_files_of_the_bundle_are_the_same(case, tmp_path, monkeypatch):
    monkeypatch.setattr(states, "LONG_CELLS", 1000)  # too many for a row per interval: codes joined by a space
    data, method, made = people(40), METHODS[case], {}
    (tmp_path / "parts").mkdir()
    parts = parted(data, tmp_path / "parts", 4, 1)
    seeded = (
        {"seed": 3, "teaching_only": True} if method.budget() is not None or case == "noisy profiles" else {"seed": 3}
    )
    for name, source, engine in (("here", data, None), ("there", parts, replace(FILES, scratch=tmp_path / "s"))):
        place = tmp_path / name / "a.bundle"
        place.parent.mkdir()
        sq.publish_data(source, sq.Request(method=method, target=place, engine=engine, formats=("csv",), **seeded))
        made[name] = {p.name: p.read_bytes() for p in (place / "data").iterdir()}
    assert made["here"].keys() == made["there"].keys() and {"sequences.parquet", "sequences.csv"} <= made["here"].keys()
    assert [name for name in made["here"] if made["here"][name] != made["there"][name]] == []
    assert list((tmp_path / "s").iterdir()) == []


@pytest.mark.parametrize("case", METHODS)
def test_the_release_in_files_is_that_in_memory_and_is_judged_there(case, tmp_path):
    data = people(40)
    here = sq.anonymize(data, METHODS[case], seed=3)
    there = sq.anonymize(parted(data, tmp_path, 3, 1), METHODS[case], seed=3, engine=FILES)
    table = there.tables["sequences"]
    assert isinstance(table, StoredTable) and here.tables["sequences"].equals(table.read())
    assert sq.verify(here).to_json() == sq.verify(there).to_json()


def test_a_large_bundle_is_verified_in_its_file(tmp_path, monkeypatch):
    place = tmp_path / "a.bundle"
    sq.publish(sq.anonymize(people(40), METHODS["exact"], seed=3), place, formats=("csv",))
    small = sq.verify(place).to_json()
    monkeypatch.setattr(stored_tables, "MANY_BYTES", 40 * 2880 - 1)
    monkeypatch.setattr(stored_tables, "SMALL_FILE", 0)
    seen = []
    whole = StoredTable.to_batches
    monkeypatch.setattr(StoredTable, "to_batches", lambda self, *a, **o: seen.append(1) or whole(self, *a, **o))
    assert sq.verify(place).to_json() == small and seen


def test_a_row_that_differs_inside_its_cluster_is_caught_in_the_file(tmp_path):
    release = sq.anonymize(people(40), METHODS["exact"], seed=3)
    table = release.tables["sequences"]
    rows = states.matrix(table["states"]).copy()
    rows[7, 100] = (rows[7, 100] + 1) % len(release.tables["states"])
    changed = states.sequences_table(rows, table["cluster"].to_numpy())
    for shown in (changed, gathered([changed], folder=tmp_path, in_files=True)):
        broken = sq.verify(replace(release, tables={**release.tables, "sequences": shown}))
        assert [c.name for c in broken.checks if not c.passed] == ["rows of a cluster are identical"]


def test_long_rows_come_in_small_batches_and_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(stored_tables, "GROUP_BYTES", 1 << 16)
    monkeypatch.setattr(stored_tables, "BATCH_BYTES", 1 << 15)
    table = states.sequences_table(np.random.default_rng(0).integers(0, 4, (700, 2000)).astype(np.uint8))
    cuts = [table, *(table.slice(at, 50) for at in range(0, 700, 50))]
    files = []
    for pieces in ([table], cuts[1:]):
        files.append(tmp_path / f"{len(files)}.parquet")
        write_parquet(pieces, files[-1])
    assert files[0].read_bytes() == files[1].read_bytes()
    stored = StoredTable.at(files[0], "")
    assert 2000 <= stored.row_bytes < 2100 and rows_at_once(stored) == (1 << 15) // stored.row_bytes
    sizes = [len(batch) for batch in stored.to_batches()]
    assert sum(sizes) == 700 and max(sizes) <= rows_at_once(stored)
    assert pa.Table.from_batches(stored.to_batches()).num_rows == 700


@pytest.mark.parametrize(
    "method",
    [
        sq.MCKA(k=5, literal=True),
        sq.MCKA(k=5, exact=True, sampler="independent"),
        sq.MCDP(k=5, epsilon=2.0, by=("arm",)),
    ],
)
def test_what_must_see_everybody_gets_everybody_or_is_refused(method, tmp_path):
    data = replace(people(40), covariates={"arm": ["a", "b"] * 20})
    assert method.needs_everybody and not sq.MCKA(k=5).needs_everybody
    parts = parted(data, tmp_path, 2, 1)
    with pytest.raises(sq.InputError) as error:
        sq.anonymize(parts, method, seed=1, engine=FILES)
    assert str(error.value).startswith(
        f"anonymize: {method.id} with these options must see all people at once, which takes about 0.0 GB of memory; "
        "the limit is 0.0 GB. Raise memory_limit=, publish fewer people or days, or use a method that works in parts: "
    )
    here = sq.anonymize(data, method, seed=1)
    there = sq.anonymize(parts, method, seed=1, engine=Engine(memory=10**9))
    assert all(here.tables[name].equals(there.tables[name]) for name in here.tables)

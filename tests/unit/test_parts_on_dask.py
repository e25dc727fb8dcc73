"""Symbols and activity on Dask workers: read, counted and measured there, the same releases as on threads."""

from __future__ import annotations

import pytest

import sequester as sq
from sequester.engines.dask import on_dask
from sequester.methods.activity.shared import day_rates, day_types
from sequester.read import dealing
from tests.unit.test_activity_in_parts import CASES, people
from tests.unit.test_events_in_parts import parted
from tests.unit.test_ngrams_in_parts import METHODS, several_each

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with on_dask(n_workers=2, scratch=tmp_path_factory.mktemp("scratch")) as engine:
        yield engine


@pytest.mark.parametrize("method", [*METHODS.values(), CASES["as read"], sq.MCKA(k=5)])
def test_workers_give_the_release_of_memory(method, cluster, tmp_path):
    data = several_each() if method.accepts is sq.SymbolSeries else people()
    here = sq.anonymize(data, method, seed=1)
    there = sq.anonymize(parted(data, tmp_path, 5, 2), method, seed=1, engine=cluster)
    assert sorted(here.tables) == sorted(there.tables)
    assert all(here.tables[n].equals(there.tables[n]) for n in here.tables)


def test_clusters_are_counted_and_drawn_by_workers(cluster, tmp_path, monkeypatch):
    asked = []
    real = type(cluster).each
    monkeypatch.setattr(
        type(cluster), "each", lambda self, task, *rest: asked.append(task.func.__name__) or real(self, task, *rest)
    )
    monkeypatch.setattr(day_rates, "BLOCK", 32)
    monkeypatch.setattr(day_types, "BLOCK", 32)
    method = sq.MCKA(k=5)
    here = sq.anonymize(people(), method, seed=1)
    there = sq.anonymize(parted(people(), tmp_path, 5, 2), method, seed=1, engine=cluster)
    assert here.tables["sequences"].equals(there.tables["sequences"])
    assert {"_put", "_counts_of_block", "counted_block", "candidates_of", "written"} <= set(asked)


def test_parts_are_made_by_workers(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(dealing, "BYTES_PER_ROW", 1 << 20)
    symbols = sq.write_sample("symbols", tmp_path / "s.csv", n_people=12)
    roles = {"person": "person", "value": ("symbol",), "symbolize": "none"}
    parts = sq.read_parts("symbols", symbols, tmp_path / "p", engine=cluster, **roles)
    assert len(parts.paths) > 2
    assert parts.whole().fingerprint() == sq.read_symbols(symbols, **roles).fingerprint()
    spans = sq.write_sample("activity", tmp_path / "a.csv", n_people=12)
    told = {"start": "start", "end": "end", "dates": "2024-03-04..2024-03-10", "time_format": "iso"}
    parts = sq.read_parts("activity", spans, tmp_path / "q", engine=cluster, **told)
    assert len(parts.paths) > 2
    assert parts.whole().fingerprint() == sq.read_activities(spans, **told).fingerprint()

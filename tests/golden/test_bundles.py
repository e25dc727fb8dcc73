"""One bundle per method, as it lies here: every later version opens it, verifies it and gives the same answers."""

import json

import pytest

import sequester as sq
from sequester import stored_tables
from sequester.methods import METHODS
from tests.golden.make_bundles import BUNDLES, MADE, answers, original

ANSWERS = json.loads((BUNDLES / "answers.json").read_text("utf-8"))


def test_every_method_is_here_and_they_are_small():
    assert {method for method, _, _ in MADE.values()} == set(METHODS)
    assert sorted(p.name for p in BUNDLES.glob("*.bundle")) == sorted(f"{name}.bundle" for name in MADE)
    assert sorted(ANSWERS) == sorted(MADE)
    assert sum(p.stat().st_size for p in BUNDLES.parent.rglob("*") if p.is_file() and p.suffix != ".pyc") < 1_500_000


@pytest.mark.parametrize("name", sorted(MADE))
@pytest.mark.parametrize("in_files", [False, True], ids=["in memory", "tables stay in their files"])
def test_a_bundle_verifies_and_answers(name, in_files, monkeypatch):
    if in_files:
        monkeypatch.setattr(stored_tables, "MANY_ROWS", -1)
    path = BUNDLES / f"{name}.bundle"
    bundle = sq.open_bundle(path)
    assert bundle.manifest["format"] == "sequester/1"
    verdict = sq.verify(path, original(name) if bundle.guarantee.needs_original else None)
    assert verdict.result == "confirmed", str(verdict)
    assert answers(bundle) == ANSWERS[name]
    if not in_files:
        return
    for table in bundle.tables:  # questions in SQL read the files too, as often as they like
        told = bundle.sql(f'select count(*) as n from (select * from "{table}" union all select * from "{table}")')
        assert told["n"].to_pylist() == [2 * bundle.tables[table].num_rows]

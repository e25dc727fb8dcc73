"""The bundle: written, read back, verified, measured, attacked and shown."""

import json
import math

import pytest

import sequester as sq
from sequester.contract.data import PREFIX, method, released, sample
from sequester.layouts import LAYOUTS


def published(method_id, tmp_path):
    release, data = released(method_id), sample(method(method_id).accepts.kind)
    return sq.publish(release, tmp_path / "x.bundle", source=data, teaching_only=True), release, data


def test_a_release_drawn_with_a_seed_is_not_published(method_id, tmp_path):
    release = released(method_id)
    if release.ledger is not None:
        assert release.teaching_only, "a differentially private release drawn with a seed must say so"
        with pytest.raises(sq.BundleError, match="drawn with a seed"):
            sq.publish(release, tmp_path / "x.bundle")
        assert not (tmp_path / "x.bundle").exists()


def test_it_comes_back_as_it_was(method_id, tmp_path):
    bundle, release, data = published(method_id, tmp_path)
    assert bundle.method_id == method_id
    assert bundle.layout == release.layout and bundle.layout in LAYOUTS
    assert bundle.parameters == json.loads(json.dumps(release.parameters))
    again = sq.method_class(method_id).from_parameters(bundle.parameters)
    assert again.guarantee == release.guarantee, "the promise must follow from the parameters in the manifest"
    assert bundle.guarantee.model == release.guarantee.model
    assert set(bundle.tables) == set(release.tables)
    for name, table in release.tables.items():
        back = bundle.tables[name]
        assert back.column_names == table.column_names, name
        if release.formats.get(name, "parquet") == "folder":
            back, table = back.sort_by("document"), table.sort_by("document")
        assert back.to_pylist()[:50] == table.to_pylist()[:50], name
    kept = sq.open_bundle(bundle.path, private=True)
    assert set(kept.private) == set(release.private)
    verdict = sq.verify(bundle.path, data if bundle.guarantee.needs_original else None)
    allowed = ["teaching only"] if release.teaching_only else []
    assert [c.name for c in verdict.checks if not c.passed] == allowed, str(verdict)
    if release.ledger:
        assert bundle.ledger is not None and bundle.ledger.to_json() == release.ledger.to_json()
        assert release.ledger.spent <= release.ledger.total * (1 + 1e-9)


def test_no_identifier_is_in_its_pages(method_id, tmp_path):
    bundle, _, _ = published(method_id, tmp_path)
    pages = [p for p in bundle.path.rglob("*") if p.suffix in (".json", ".html")]
    assert len(pages) >= 3
    for path in pages:
        assert PREFIX not in path.read_text("utf-8"), path.name


def test_it_is_measured(method_id, tmp_path):
    """From memory and from the folder, with the same figures; a layout of one's own brings its own measure."""
    bundle, release, data = published(method_id, tmp_path)
    kept = sq.open_bundle(bundle.path, private=True)
    found, again = sq.measure(data, release), sq.measure(data, kept)
    assert found.about == "measure" and found.saw_original and found.summary
    if LAYOUTS[release.layout].measure:
        assert found.figures, "a layout with a measure measures nothing"
    assert [f.name for f in found.figures] == [f.name for f in again.figures]
    for figure in found.figures:
        assert not (isinstance(figure.value, float) and math.isinf(figure.value)), figure.name
    assert PREFIX not in json.dumps(found.to_json(), default=str)


def test_it_can_be_attacked(method_id):
    data = sample(method(method_id).accepts.kind)
    found = sq.attack(released(method_id), data, sample=10, knowledge=2)
    assert found.about == "attack" and found.saw_original
    assert PREFIX not in json.dumps(found.to_json(), default=str)

"""One suite over every registered method: what all of them owe their users."""

from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.cli.options import field_docs, method_options, parameter_docs, reader_options
from sequester.engines import Engine
from sequester.methods import METHODS, method_class
from sequester.release import Guarantee
from tests.contract.data import EMPTY, renamed, rows, with_missing

METHOD_IDS = list(METHODS)
KINDS = sorted({method_class(m).accepts.kind for m in METHOD_IDS})
PRIVACY = ("k", "p", "l", "epsilon", "delta")
PREFIX = "qxz"


def method(method_id):
    cls = method_class(method_id)
    return cls(**cls.example)


@cache
def data_for(kind):
    return renamed(sq.sample(kind, seed=1), PREFIX)


@cache
def released(method_id):
    chosen = method(method_id)
    return sq.anonymize(data_for(chosen.accepts.kind), chosen, seed=7, engine=Engine(threads=2))


def confirmed(release, data):
    verdict = sq.verify(release, data if release.guarantee.needs_original else None)
    assert verdict.holds, str(verdict)
    both = sq.verify(release, data)
    assert both.holds, str(both)


def refused_or_confirmed(chosen, data):
    """Odd data is either protected as promised or turned down in a sentence; never a traceback."""
    try:
        release = sq.anonymize(data, chosen, seed=3)
    except sq.SequesterError as error:
        message = str(error)
        assert message.endswith((".", "?", ")")) and len(message) > 30, message
        assert PREFIX not in message, "an identifier in a message"
        return
    confirmed(release, data)


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_input_is_untouched_and_promise_is_confirmed_by_the_judge(method_id):
    data = data_for(method(method_id).accepts.kind)
    before = data.fingerprint()
    release = released(method_id)
    assert data.fingerprint() == before
    confirmed(release, data)


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_promise_is_stated_before_any_data_is_touched(method_id):
    promise = method(method_id).guarantee
    assert promise.status in ("verifiable", "proved", "as-published")
    assert promise.statement.endswith(".") and all(line.endswith(".") for line in promise.not_covered)
    assert promise.unit in str(promise) and promise.level in str(promise)
    assert Guarantee.from_json(promise.to_json()) == promise
    assert released(method_id).guarantee == promise


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_empty_one_person_and_too_few_people(method_id):
    chosen = method(method_id)
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(EMPTY[chosen.accepts.kind](), chosen, seed=1)
    assert str(caught.value) == "anonymize: the data is empty. Check the source and the column roles."
    refused_or_confirmed(chosen, rows(data_for(chosen.accepts.kind), [0]))
    refused_or_confirmed(chosen, rows(data_for(chosen.accepts.kind), [0, 1]))


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_duplicates_and_missing_values(method_id):
    chosen = method(method_id)
    data = data_for(chosen.accepts.kind)
    n = data.n_records
    refused_or_confirmed(chosen, rows(data, np.r_[np.arange(n), np.zeros(3, int), [1]]))
    holes = with_missing(data)
    if holes is not None:
        refused_or_confirmed(chosen, holes)


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_row_order_does_not_decide_the_promise(method_id):
    chosen = method(method_id)
    data = data_for(chosen.accepts.kind)
    shuffled = rows(data, np.random.default_rng(0).permutation(data.n_records))
    confirmed(sq.anonymize(shuffled, chosen, seed=7), shuffled)


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_no_identifier_leaves_the_house(method_id):
    for name, table in released(method_id).tables.items():
        for column in table.column_names:
            values = table.column(column)
            if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
                assert not any(PREFIX in (v or "") for v in values.to_pylist()), f"{name}.{column}"


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_a_seed_repeats_the_run(method_id):
    again = sq.anonymize(data_for(method(method_id).accepts.kind), method(method_id), seed=7)
    for name, table in released(method_id).tables.items():
        assert again.tables[name].equals(table), name


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_manifest_round_trip(method_id, tmp_path):
    release, data = released(method_id), data_for(method(method_id).accepts.kind)
    target = tmp_path / "x.bundle"
    if release.teaching_only:
        with pytest.raises(sq.BundleError) as caught:
            sq.publish(release, target, source=data)
        assert str(caught.value) == (
            "publish: this DP release was drawn with a seed; whoever knows it can remove the noise. "
            "Re-run without --seed."
        )
        assert not target.exists()
    bundle = sq.publish(release, target, source=data, teaching_only=True)
    assert bundle.method_id == method_id
    assert bundle.parameters == release.parameters
    assert bundle.guarantee.model == release.guarantee.model
    assert set(bundle.tables) == set(release.tables)
    for name, table in release.tables.items():
        back = bundle.tables[name]
        assert back.column_names == table.column_names, name
        if release.formats.get(name, "parquet") == "folder":
            back, table = back.sort_by("document"), table.sort_by("document")
        assert back.to_pylist()[:50] == table.to_pylist()[:50], name
    kept = sq.open_bundle(target, private=True)
    assert set(kept.private) == set(release.private)
    verdict = sq.verify(target, data if bundle.guarantee.needs_original else None)
    assert [c.name for c in verdict.checks if not c.passed] == (["teaching only"] if release.teaching_only else [])
    for path in target.rglob("*"):
        if path.suffix in (".json", ".html"):
            assert PREFIX not in path.read_text("utf-8"), path.name
    if release.ledger:
        assert bundle.ledger is not None and bundle.ledger.to_json() == release.ledger.to_json()
        assert release.ledger.spent <= release.ledger.total * (1 + 1e-9)


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_bad_parameters_are_refused_by_name(method_id):
    cls = method_class(method_id)
    for name in (f.name for f in fields(cls) if f.name in PRIVACY):
        for bad in (-1, 0, float("nan"), "many"):
            with pytest.raises(sq.ParameterError) as caught:
                cls(**{**cls.example, name: bad})
            message = str(caught.value)
            assert message.startswith(f"{cls.__name__}: ") and name in message and repr(bad) in message, message
            assert message.endswith("."), message


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_privacy_parameters_have_no_default_and_every_field_is_explained(method_id):
    cls = method_class(method_id)
    told = field_docs(cls)
    for field in fields(cls):
        assert told.get(field.name), f"{cls.__name__}.{field.name} has no docstring"
    required = {o.name for o in method_options(cls) if o.required}
    optional = {"l"}  # l-diversity is an extra promise
    assert {f.name for f in fields(cls) if f.name in PRIVACY} - optional <= required


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_every_method_has_a_page(method_id):
    cls = method_class(method_id)
    page = Path(__import__(cls.__module__, fromlist=["_"]).__file__).with_name("page.md")
    assert page.exists(), f"{page.name} is missing"
    text = page.read_text("utf-8")
    assert f"`{method_id}`" in text and len(text) > 800


@pytest.mark.parametrize("kind", KINDS)
def test_readers_explain_every_role_and_clash_with_no_parameter(kind):
    function = sq.reader(kind)
    told = parameter_docs(function)
    for option in reader_options(function):
        assert told.get(option.name), f"{function.__name__}: {option.name} is not explained"


@pytest.mark.parametrize("method_id", METHOD_IDS)
def test_command_line_names_are_unique(method_id):
    cls = method_class(method_id)
    own = [o for option in method_options(cls) for o in option.opts]
    shared = {"--out", "--overwrite", "--format", "--seed", "--teaching-only", "--no-measure", "--assess", "--json",
              "--title", "--licence", "--contact", "--issued", "--version", "--describe"}  # fmt: skip
    assert len(own) == len(set(own)) and not shared & set(own)
    roles = {o for option in reader_options(sq.reader(cls.accepts.kind)) for o in option.opts}
    assert not shared & roles
    assert not roles & set(own), f"options mean two things: {roles & set(own)}"

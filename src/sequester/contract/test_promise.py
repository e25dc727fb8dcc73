"""The promise: stated first, kept on the sample and on odd data, confirmed and denied by a judge apart."""

import ast
import inspect
from dataclasses import replace
from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.contract.data import PREFIX, VARIATIONS, method, released, sample
from sequester.judges import JUDGES
from sequester.judges.dp_mechanisms import RULES
from sequester.lazy import load
from sequester.release import Guarantee

JUDGE_MAY_NOT_IMPORT = ("sequester.methods", "sequester.method", "sequester.layouts", "sequester.primitives")


def confirm(release, data):
    verdict = sq.verify(release, data if release.guarantee.needs_original else None)
    assert verdict.holds, str(verdict)
    both = sq.verify(release, data)
    assert both.holds, str(both)


def protect_or_refuse(chosen, data):
    """Whether odd data was protected as promised; else it was turned down in a sentence. Never a traceback."""
    try:
        release = sq.anonymize(data, chosen, seed=3)
    except sq.SequesterError as error:
        message = str(error)
        assert message.endswith((".", "?", ")")) and len(message) > 30, message
        assert PREFIX not in message, "an identifier in a message"
        return False
    confirm(release, data)
    return True


def test_the_input_is_untouched_and_the_promise_confirmed(method_id):
    data = sample(method(method_id).accepts.kind)
    before = data.fingerprint()
    release = released(method_id)
    assert data.fingerprint() == before
    confirm(release, data)


def test_the_promise_is_stated_before_any_data_is_touched(method_id):
    promise = method(method_id).guarantee
    assert promise.status in ("verifiable", "proved", "as-published")
    assert promise.statement.endswith(".") and all(line.endswith(".") for line in promise.not_covered)
    assert promise.unit in str(promise) and promise.level in str(promise)
    assert Guarantee.from_json(promise.to_json()) == promise
    assert released(method_id).guarantee == promise


def test_empty_data_one_person_and_two(method_id):
    chosen = method(method_id)
    data = sample(chosen.accepts.kind)
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(data.take(np.arange(0)), chosen, seed=1)
    assert str(caught.value) == "anonymize: the data is empty. Check the source and the column roles."
    for people in (1, 2):
        protect_or_refuse(chosen, data.take(np.arange(people)))


def test_half_of_the_people_and_any_order_are_protected(method_id):
    """The sample is several times larger than the example needs: refusing half of it is refusing everything."""
    chosen = method(method_id)
    data = sample(chosen.accepts.kind)
    order = np.random.default_rng(0).permutation(data.n_records)
    assert protect_or_refuse(chosen, data.take(order)), "the sample in another order was refused"
    assert protect_or_refuse(chosen, data.take(np.sort(order[: (len(order) + 1) // 2]))), "half of it was refused"


@pytest.mark.parametrize("variation", VARIATIONS)
def test_odd_data_is_protected(method_id, variation):
    """Refusing is allowed where `for_odd_data` says so, and where it names parameters, with those it must not."""
    chosen = method(method_id)
    data = VARIATIONS[variation](sample(chosen.accepts.kind))
    if data is None:
        return
    done = protect_or_refuse(chosen, data)
    more = type(chosen).for_odd_data.get(variation, {})
    if done or more is None:
        return
    assert more, f"data with {variation} records or values was refused and `for_odd_data` says nothing about it"
    assert protect_or_refuse(method(method_id, more), data), f"refused with {more} too"


def test_no_identifier_is_in_the_tables(method_id):
    for name, table in released(method_id).tables.items():
        for column in table.column_names:
            values = table.column(column)
            if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
                assert not any(PREFIX in (v or "") for v in values.to_pylist()), f"{name}.{column}"


def test_a_seed_repeats_the_run(method_id):
    again = sq.anonymize(sample(method(method_id).accepts.kind), method(method_id), seed=7)
    for name, table in released(method_id).tables.items():
        assert again.tables[name].equals(table), name


def spoilt(release):
    """The release with something in it that nobody accounted for, or without something that must be there."""
    yield "no tables", {}
    yield "a further table", {**release.tables, "people": pa.table({"person": ["a"]})}
    for name, table in release.tables.items():
        extra = table.append_column("person", pa.array([f"p{i}" for i in range(table.num_rows)], pa.string()))
        yield f"a further column in {name}", {**release.tables, name: extra}
        yield f"a column less in {name}", {**release.tables, name: table.drop_columns(table.column_names[:1])}


def test_the_judge_denies_what_was_tampered_with(method_id):
    release, data = released(method_id), sample(method(method_id).accepts.kind)
    for what, tables in spoilt(release):
        for source in (None, data):
            verdict = sq.verify(replace(release, tables=tables), source)
            assert verdict.result == "broken", f"{what}: {verdict}"


def test_the_judge_shares_no_code_with_the_method(method_id):
    cls = type(method(method_id))
    judged = [load(JUDGES[method(method_id).guarantee.model])]
    if method_id in RULES:
        judged += [RULES[method_id].mechanisms, RULES[method_id].shape]
    for judge in judged:
        module = judge.__module__
        assert module != cls.__module__, "the judge stands in the method's own file"
        forbidden = (*JUDGE_MAY_NOT_IMPORT, cls.__module__)
        for node in ast.walk(ast.parse(inspect.getsource(import_module(module)))):
            named = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in named:
                assert not any(name == f or name.startswith(f"{f}.") for f in forbidden), f"{module} imports {name}"

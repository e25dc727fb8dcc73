"""The judge of (k,P)-anonymity catches planted defects and malformed tables."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.methods.series.bfp2ka import BFP2KA
from sequester.methods.series.kapra import Kapra
from sequester.methods.series.kp_naive import KPNaive
from sequester.methods.series.tga import TGA
from sequester.model import Series


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=(90, 8)).cumsum(axis=1), 2)
    return Series(values=values, sensitive={"amount": np.round(rng.random(90), 2), "kind": rng.choice(list("xyz"), 90)})


def released(data, pattern="prototype", **more):
    return sq.anonymize(data, Kapra(**{"k": 6, "p": 3, "pattern": pattern, "ends_step": 0.0, **more}), seed=1)


def with_records(release, table):
    return replace(release, tables={**release.tables, "records": table})


def edited(release, column, change):
    table = release.tables["records"]
    values = table.column(column).to_pylist()
    change(values)
    at = table.column_names.index(column)
    return with_records(release, table.set_column(at, column, pa.array(values, table.schema.field(at).type)))


def failed(release, data=None):
    return [c.name for c in sq.verify(release, data).checks if not c.passed]


def test_an_envelope_narrowed_by_one_unit_is_caught(data):
    release = released(data)
    group = release.tables["records"]["group"].to_pylist()

    def one(values):
        values[0] += 0.01

    def whole(values):
        for i, g in enumerate(group):
            if g == group[0]:
                values[i] += 0.01

    assert failed(edited(release, "t3_lo", one)) == ["envelopes"]
    assert failed(edited(release, "t3_lo", whole)) == []
    assert failed(edited(release, "t3_lo", whole), data) == ["tight envelopes"]
    without_map = replace(edited(release, "t3_lo", whole), private={})
    assert failed(without_map, data) == ["envelopes hold the original", "sensitive columns"]


@pytest.mark.parametrize("column", ["amount", "kind"])
@pytest.mark.parametrize("more", [{}, {"pattern": "prototype", "l": 2, "near": ("amount=0.02",)}])
def test_a_changed_sensitive_value_is_caught_beside_the_original_without_the_map(data, column, more):
    """Whoever edits a bundle cuts it off from the custodian's folder: the map is not there to tell."""
    release = replace(released(data, **more), private={})
    assert failed(release, data) == []
    name = f"sensitive column '{column}'" if more else "sensitive columns"
    for change in (lambda v: v.__setitem__(0, None), lambda v: v.__setitem__(0, {"amount": 7.5, "kind": "w"}[column])):
        assert name in failed(edited(release, column, change), data)
    groups = release.tables["records"]["group"].to_pylist()
    shown = release.tables["records"][column].to_pylist()
    far = next(i for i, g in enumerate(groups) if g != groups[0] and shown[i] != shown[0])

    def swap(values):
        values[0], values[far] = values[far], values[0]

    if column == "amount":  # hardly anyone else has the same, so that no envelope holds it by chance
        assert name in failed(edited(release, column, swap), data)


def test_a_changed_letter_is_caught(data):
    release = released(data, "literal")
    table = release.tables["records"]
    cell = list(zip(*(table[c].to_pylist() for c in ("group", "pattern", "level")), strict=True))
    target = max((c for c in cell if c[2] > 1), key=cell.count)

    def flip(word):
        return ("b" if word[0] == "a" else "a") + word[1:]

    def one(values):
        values[cell.index(target)] = flip(target[1])

    def whole(values):
        for i, c in enumerate(cell):
            if c == target:
                values[i] = flip(target[1])

    assert "p" in failed(edited(release, "pattern", one))
    assert failed(edited(release, "pattern", whole)) == []
    assert failed(edited(release, "pattern", whole), data) == ["true patterns"]


def test_a_group_of_k_minus_1_and_a_pattern_of_p_minus_1_are_caught(data):
    release = released(data)
    table = release.tables["records"]
    group = np.array(table["group"].to_pylist())
    smallest = np.flatnonzero(group == np.unique(group)[np.argmin(np.unique(group, return_counts=True)[1])])
    short = with_records(release, table.take(np.setdiff1d(np.arange(table.num_rows), smallest[:-5])))
    assert {"table", "k"} <= set(failed(short))


@pytest.mark.parametrize(
    ("column", "value", "check"),
    [("level", 99, "patterns"), ("level", 0, "patterns"), ("record", 7, "table"), ("pattern", "{{{{{{{{", "patterns")],
)
def test_nonsense_cells_are_caught(data, column, value, check):
    def change(values):
        values[0] = value

    assert check in failed(edited(released(data), column, change))


def test_a_letter_beyond_the_level_is_caught(data):
    release = released(data)

    def change(values):
        values[:] = [1] * len(values)

    assert "patterns" in failed(edited(release, "level", change))


@pytest.mark.parametrize("pattern", ["prototype", "literal", "printed"])
def test_sensitive_values_must_be_the_original_ones(data, pattern):
    release = released(data, pattern)

    def change(values):
        values[3] = 0.123

    assert failed(release, data) == []
    assert failed(edited(release, "amount", change)) == []
    assert failed(edited(release, "amount", change), data) == ["sensitive column 'amount'"]


def test_a_prototype_that_is_not_the_mean_shape_is_caught(data):
    release = released(data, "prototype")
    words = release.tables["records"]["pattern"].to_pylist()

    def change(values):
        values[:] = [w[::-1] for w in words]

    assert failed(edited(release, "pattern", change), data) == ["true patterns"]


def test_diversity_is_recounted(data):
    release = released(data, "prototype", l=2, near=("amount=0.02",))
    assert failed(release, data) == []
    pretended = replace(released(data), guarantee=release.guarantee)
    assert {"l-diversity of 'kind'", "withheld"} <= set(failed(pretended))
    assert failed(edited(release, "amount", lambda v: v.__setitem__(0, 50.0)), data) == ["sensitive column 'amount'"]
    table = release.tables["withheld"]
    fewer = table.set_column(1, "records", pa.array([3, 0]))
    assert "withheld" in failed(replace(release, tables={**release.tables, "withheld": fewer}))
    without = {name: t for name, t in release.tables.items() if name != "withheld"}
    assert failed(replace(release, tables=without), data)[0] == "withheld"
    hidden = edited(release, "kind", lambda v: v.__setitem__(0, None))
    assert failed(hidden) == [] or failed(hidden) == ["l-diversity of 'kind'"]
    assert "withheld of 'kind'" in failed(hidden, data)


def test_withholding_without_diversity_is_caught(data):
    release = released(data)
    table = pa.table({"column": ["amount", "kind"], "records": [0, 0]})
    assert failed(replace(release, tables={**release.tables, "withheld": table})) == ["withheld"]
    assert failed(edited(release, "kind", lambda v: v.__setitem__(0, None)), data) == ["sensitive column 'kind'"]


def test_rounded_ends_are_judged_both_ways(data):
    release = released(data, "prototype", ends_step=None)
    step = release.parameters["ends_step"]
    assert step > 0 and failed(release) == failed(release, data) == failed(replace(release, private={}), data) == []
    group = release.tables["records"]["group"].to_pylist()

    def shifted(by):
        def change(values):
            for i, g in enumerate(group):
                if g == group[0]:
                    values[i] += by

        return edited(release, "t3_hi", change)

    assert failed(shifted(step / 3)) == ["rounded ends"]
    assert failed(shifted(step)) == [] and failed(shifted(step), data) == ["tight envelopes"]
    silent = replace(release, method=replace(release.method, ends_step=None))
    assert failed(silent) == ["table"]


def test_ranges_without_patterns_are_judged(data):
    release = released(data, None, p=1)
    assert failed(release) == failed(release, data) == []
    assert "pattern" not in release.tables["records"].column_names
    pretended = replace(release, guarantee=released(data, "prototype").guarantee)
    assert failed(pretended) == ["table"]
    assert failed(replace(released(data, "prototype"), guarantee=release.guarantee)) == ["table"]


def test_an_unlogged_false_pattern_of_naive_is_caught():
    data = Series(values=np.random.default_rng(1).normal(size=(90, 3)))
    release = sq.anonymize(data, KPNaive(k=6, p=3), seed=1)
    assert failed(release, data) == []
    origin = release.private["origin"]
    assert any(origin["borrowed"].to_pylist())
    at = origin.column_names.index("borrowed")
    clean = origin.set_column(at, "borrowed", pa.array([False] * origin.num_rows))
    assert failed(replace(release, private={"origin": clean}), data) == ["true patterns"]


def test_suppressing_too_many_is_caught(data):
    release = released(data)
    table = release.tables["records"]
    group = table["group"].to_pylist()
    keep = [i for i, g in enumerate(group) if g != group[0]]
    table = table.take(keep).set_column(0, "record", pa.array(range(1, len(keep) + 1)))
    assert failed(with_records(release, table)) == []
    assert "suppressed" in failed(with_records(release, table), data)


def test_malformed_tables_fail_without_a_traceback(data):
    release = released(data)
    table = release.tables["records"]
    at = table.column_names.index("level")
    broken = {
        "missing column": table.drop_columns(["pattern"]),
        "text level": table.set_column(at, "level", pa.array(["x"] * table.num_rows)),
        "null range": table.set_column(2, "t1_lo", pa.array([None] * table.num_rows, pa.float64())),
        "no ranges": table.select(["record", "group", "pattern", "level"]),
        "empty": table.slice(0, 0),
        "leading extra column": table.add_column(0, "person", pa.array(["p"] * table.num_rows)),
        "infinite range": table.set_column(2, "t1_lo", pa.array([-np.inf] * table.num_rows)),
    }
    for what, bad in broken.items():
        checks = sq.verify(with_records(release, bad)).checks
        assert [c.name for c in checks] == ["table"] and not checks[0].passed, what
    assert failed(replace(release, tables={}), data) == ["table"]
    extra = replace(release, tables={**release.tables, "people": table})
    assert failed(extra) == ["table"]
    crowded = release.tables["columns"].append_column("note", pa.array(["n"] * len(table.column_names)))
    assert failed(replace(release, tables={**release.tables, "columns": crowded})) == ["table"]


def rogue(release, *, stated):
    """The release with one more column, and its table `columns` saying so or not."""
    table, columns = release.tables["records"], release.tables["columns"]
    tables = {**release.tables, "records": table.append_column("ssn", pa.array(range(table.num_rows), pa.float64()))}
    if stated:
        row = pa.table({"name": ["ssn"], "role": ["sensitive"]})
        tables["columns"] = pa.concat_tables([columns, row])
    return replace(release, tables=tables)


@pytest.mark.parametrize(
    "method",
    [Kapra(k=6, p=3), KPNaive(k=6, p=3), TGA(k=4, reconstruct=False), TGA(k=4, variant="fast")],
    ids=["kapra", "kp-naive", "boxes", "drawn"],
)
def test_a_column_that_is_not_accounted_for_is_caught(data, method):
    release = sq.anonymize(data, method, seed=1)
    assert failed(release, data) == []
    roles = dict(zip(*release.tables["columns"].to_pydict().values(), strict=True))
    assert list(roles) == release.tables["records"].column_names and roles["kind"] == "sensitive"
    (check,) = sq.verify(rogue(release, stated=False)).checks
    assert not check.passed
    assert check.detail == "1 column of 'records' is not accounted for (first: 'ssn')"
    assert failed(rogue(release, stated=True), data) in (["original"], ["sensitive columns"])
    without = {name: table for name, table in release.tables.items() if name != "columns"}
    assert failed(replace(release, tables=without)) == ["table"]
    columns = release.tables["columns"]
    lied = columns.set_column(1, "role", pa.array(["sensitive"] * columns.num_rows))
    assert failed(replace(release, tables={**release.tables, "columns": lied})) == ["table"]


def test_another_original_is_noticed(data):
    release = released(data)
    other = Series(values=np.asarray(data.values)[::-1], persons=data.persons, sensitive=data.sensitive)
    assert "tight envelopes" in failed(release, other)
    renamed = Series(values=data.values, persons=[f"x{i}" for i in range(90)], sensitive=data.sensitive)
    assert failed(release, renamed) == ["origin"]


def test_boxes_are_judged(data):
    boxes = sq.anonymize(data, TGA(k=4, reconstruct=False), seed=1)
    assert failed(boxes) == failed(boxes, data) == []

    def change(values):
        values[0] -= 1

    assert "envelopes" in failed(edited(boxes, "t2_lo", change))
    drawn = sq.anonymize(data, TGA(k=4, variant="fast"), seed=1)
    assert failed(drawn, data) == []
    verdict = sq.verify(drawn)
    assert [c.name for c in verdict.checks if not c.passed] == ["k"] and verdict.undecided
    assert failed(edited(drawn, "t2", lambda v: v.__setitem__(0, 999.0)), data) == ["drawn from the box"]
    assert failed(replace(drawn, tables={"records": drawn.tables["records"]}), data) == ["table"]
    for release in (boxes, drawn):
        assert failed(edited(release, "amount", lambda v: v.__setitem__(0, 0.123)), data) == ["sensitive columns"]


def test_support_is_judged(data):
    release = sq.anonymize(data, BFP2KA(k=4, level=2), seed=1)
    assert failed(release) == failed(release, data) == []
    table = release.tables["sequences"]
    rare = pa.array([*table["sequence"].to_pylist()[:-1], "a b a b a b a b a"])
    assert failed(replace(release, tables={**release.tables, "sequences": table.set_column(1, "sequence", rare)})) == [
        "support"
    ]
    assert failed(replace(release, tables={"sequences": table.drop_columns(["record"])})) == ["table"]


def test_the_letters_of_sequences_are_judged(data):
    release = sq.anonymize(data, BFP2KA(k=4, level=2), seed=1)
    letters = release.tables["alphabet"]
    doubled = pa.concat_tables([letters.slice(1, 1), letters.slice(1)])
    lost = letters.slice(1)
    for forged in (doubled, lost, letters.append_column("raw", letters["value"])):
        assert failed(replace(release, tables={**release.tables, "alphabet": forged})) == ["table"]


def test_a_step_so_small_that_every_number_is_a_multiple_is_refused():
    data = sq.sample("series", n_people=40, seed=1)
    with pytest.raises(sq.ParameterError, match="every number would pass for a multiple"):
        sq.anonymize(data, sq.Kapra(k=5, p=3, ends_step=1e-9), seed=1)
    made = sq.anonymize(data, sq.Kapra(k=5, p=3), seed=1)
    tiny = replace(made, method=replace(made.method, ends_step=1e-9))
    assert "rounded ends" in {c.name for c in sq.verify(tiny).checks if not c.passed}

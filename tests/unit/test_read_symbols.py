"""Reading series of symbols: tables, number columns, recordings, symbols as they are; and every refusal in full."""

import sys

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.errors import InputError
from sequester.primitives.normal import breakpoints
from sequester.primitives.symbolize import GAP, standardise, symbolize, window_means
from sequester.read.symbols import read_symbols
from tests.naive import symbolize as naive


def texts(data):
    return ["".join(data.alphabet[x] for x in data.symbols[a:b]) for a, b in zip(data.offsets[:-1], data.offsets[1:])]


SIGNALS = {
    "ramp": np.arange(37.0),
    "constant": np.full(24, 3.3),
    "one": np.array([5.0]),
    "empty": np.array([]),
    "random": np.random.default_rng(1).normal(size=101),
    "holes": np.where(np.arange(40) % 7 < 3, np.nan, np.sin(np.arange(40.0))),
    "nothing": np.full(9, np.nan),
}


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("way", ["sax", "equal-width", "quantile"])
@pytest.mark.parametrize(("window", "n_symbols"), [(1, 2), (3, 4), (10, 5)])
def test_symbolize_equals_its_plain_twin(name, way, window, n_symbols):
    got = symbolize(SIGNALS[name], window=window, n_symbols=n_symbols, way=way)
    assert got.tolist() == naive.symbolize(SIGNALS[name].tolist(), window, n_symbols, way)


def test_break_points_and_a_constant_signal():
    assert breakpoints(4) == pytest.approx([-0.6744898, 0.0, 0.6744898])
    assert standardise(np.full(5, 1e9)).tolist() == [0.0] * 5
    assert set(symbolize(np.full(50, 7.1), window=5, n_symbols=4).tolist()) == {2}
    assert window_means(np.array([1.0, 3, 5, 7, 100]), 2).tolist() == [2.0, 6.0], "an unfinished window is left out"
    assert symbolize(np.array([np.nan, np.nan, 1, 2]), window=2, n_symbols=2).tolist() == [GAP, 1]


def test_long_table_by_person_and_time(tmp_path):
    path = tmp_path / "walk.csv"
    path.write_text("id,t,mv\nb,2,1\na,1,0\nb,1,9\na,2,5\na,3,9\nb,3,\nb,4,4\n", "utf-8")
    data = read_symbols(path, person="id", time="t", value=("mv",), window=1, alphabet=2)
    assert data.persons.tolist() == ["b", "b", "a"], "a missing value ends a series and begins another"
    assert texts(data) == ["21", "1", "122"]
    part = read_symbols(path, person="id", time="t", value=("mv",), window=1, alphabet=2, from_=2, to=3)
    assert [len(t) for t in texts(part)] == [1, 1]


def test_the_only_column_needs_no_name_and_several_are_people():
    table = pa.table({"x": [1.0, 2, 3, 4], "y": [4.0, 3, 2, 1]})
    assert texts(read_symbols(table.select(["x"]), window=2, alphabet=2)) == ["12"]
    both = read_symbols(table, value=("x", "y"), window=2, alphabet=2)
    assert both.persons.tolist() == ["x", "y"] and texts(both) == ["12", "21"]


def test_number_columns_without_a_header(tmp_path):
    path = tmp_path / "ecg.txt"
    path.write_text("0.0 1 8\n0.1 2 6\n0.2 3 4\n0.3 4 2\n", "utf-8")
    assert texts(read_symbols(path, value="3", window=2, alphabet=2)) == ["21"]
    cut = read_symbols(path, value=("2",), window=1, alphabet=2, rate=10, from_=0.1, to=0.3)
    assert texts(cut) == ["12"]


def test_symbols_are_taken_as_they_are(tmp_path):
    lines = tmp_path / "symbols.txt"
    lines.write_text("a b a\nb b\n", "utf-8")
    assert texts(read_symbols(lines, symbolize="none")) == ["aba", "bb"]
    column = pa.table({"who": ["p", "q", "p", "p"], "s": [10, 9, None, 9]})
    data = read_symbols(column, person="who", value=("s",), symbolize="none")
    assert data.alphabet == ("9", "10") and data.persons.tolist() == ["p", "p", "q"]
    cells = pa.table({"who": ["p", "q"], "s": ["x y", "y y x"]})
    assert texts(read_symbols(cells, person="who", symbolize="none")) == ["xy", "yyx"]
    named = pa.table({"who": ["p", "p"], "at": [2, 1], "s": ["in ward", "at door"]})
    data = read_symbols(named, person="who", value=("s",), time="at", symbolize="none")
    assert data.alphabet == ("at_door", "in_ward") and data.symbols.tolist() == [0, 1]
    known = read_symbols(lines, symbolize="none", symbols=("b", "a", "c"))
    assert known.alphabet == ("b", "a", "c")


def test_people_are_known_only_when_the_source_says_so(tmp_path):
    lines = tmp_path / "symbols.txt"
    lines.write_text("a b a\na b a\na b\n", "utf-8")
    unknown, known = (read_symbols(lines, symbolize="none", symbols=("a", "b"), person=p) for p in (None, "each"))
    assert not unknown.people_known and known.people_known
    assert known.persons.tolist() == ["1", "2", "3"]
    message = (
        "anonymize: a promise about people needs to know whose series each is, and the source does not say. Pass "
        "person= (a column, or 'each' when every series is a person of its own), or count occurrences."
    )
    for method in (sq.NgramK(k=2, n=2), sq.NgramDP(epsilon=1.0, people_at_least=50)):
        with pytest.raises(InputError) as error:
            sq.anonymize(unknown, method)
        assert str(error.value) == message
        assert sq.verify(sq.anonymize(known, method), known).holds
    assert sq.verify(sq.anonymize(unknown, sq.NgramK(k=2, n=2, unit="occurrence", mode="repaired")), unknown).holds
    table = pa.table({"x": [1.0, 2, 3, 4], "y": [4.0, 3, 2, 1]})
    assert read_symbols(table, value=("x", "y"), person="each", window=2, alphabet=2).people_known
    assert not read_symbols(table, value=("x", "y"), window=2, alphabet=2).people_known


def test_std_changes_sax(tmp_path):
    x = pa.table({"x": [0.0, 1.0, 3.0, 4.2]})
    population, sample = (read_symbols(x, window=1, alphabet=8, std=s) for s in ("population", "sample"))
    assert texts(population) != texts(sample)


def test_wfdb_record_and_folder(tmp_path):
    pytest.importorskip("wfdb")
    rng = np.random.default_rng(0)
    for name in ("r1", "r2"):
        signal = np.cumsum(rng.integers(-40, 41, size=(400, 2)), axis=0)
        signal.astype("<i2").tofile(tmp_path / f"{name}.dat")
        leads = "".join(f"{name}.dat 16 200(0)/mV 16 0 {signal[0, i]} 0 0 {x}\n" for i, x in enumerate(("II", "V1")))
        (tmp_path / f"{name}.hea").write_text(f"{name} 2 100 400\n{leads}", "utf-8")
    one = read_symbols(tmp_path / "r1", lead="V1", from_=1, to=3)
    assert one.persons.tolist() == ["r1"] and len(one.symbols) == 20
    assert texts(one) == texts(read_symbols(tmp_path / "r1.hea", lead="2", from_=1, to=3))
    assert read_symbols(tmp_path).persons.tolist() == ["r1", "r2"]
    for options, message in [
        ({"lead": "V2"}, "read_symbols: 'r1' has no lead 'V2'; it has II, V1. Pass lead='V1'?"),
        (
            {"person": "id"},
            "read_symbols: a recording has no columns; pass person=each if each is a person of its own, or people= "
            "with a map from recordings to people.",
        ),
        ({"from_": 9}, "read_symbols: from_=9 to=4 does not lie inside 'r1', which lasts 4 seconds."),
        (
            {"symbolize": "none"},
            "read_symbols: a recording holds numbers; pass symbolize=sax, equal-width or quantile.",
        ),
    ]:
        with pytest.raises(InputError) as error:
            read_symbols(tmp_path / "r1", **options)
        assert str(error.value) == message
    told = {f.name: (f.value, f.how) for f in one.reading}
    assert told["lead"] == ("V1", "declared") and told["samples per second"] == (100.0, "found")
    assert told["from second"] == (1, "declared") and told["break points"][0] == [-0.67449, 0.0, 0.67449]
    declared = read_symbols(tmp_path, lead="V1", rate=100, person="each")
    assert {f.how for f in declared.reading if f.name == "samples per second"} == {"declared"}
    method = sq.NgramDP(epsilon=8.0, n_max=1, people_at_least=2)
    assert sq.anonymize(declared, method, seed=1).ledger.spent == 8.0
    with pytest.raises(InputError) as error:
        sq.anonymize(read_symbols(tmp_path, person="each"), method)
    assert "Pass rate=. No budget was spent." in str(error.value)
    with pytest.raises(InputError) as error:
        read_symbols(tmp_path, rate=250)
    assert str(error.value) == "read_symbols: 2 of 2 recordings do not have rate=250. Leave it out, or them."
    header = (tmp_path / "r2.hea").read_text("utf-8")
    (tmp_path / "r2.hea").write_text(header.replace("V1", "V5"), "utf-8")
    some = read_symbols(tmp_path, lead="V1")
    assert some.persons.tolist() == ["r1"]
    assert some.notes[0] == "1 of 2 recordings lacks that lead and was left out"
    with pytest.raises(InputError) as error:
        read_symbols(tmp_path, lead="V9")
    assert str(error.value).startswith("read_symbols: 'r1' has no lead 'V9'; it has II, V1.")
    (tmp_path / "r1.dat").unlink()
    with pytest.raises(InputError) as error:
        read_symbols(tmp_path / "r1")
    assert str(error.value) == "read_symbols: 'r1.hea' cannot be read as a WFDB record. Is its signal file there?"


def test_edf_file(tmp_path):
    pyedflib = pytest.importorskip("pyedflib")
    path = tmp_path / "night.edf"
    writer = pyedflib.EdfWriter(str(path), 1, file_type=pyedflib.FILETYPE_EDF)
    writer.setSignalHeader(0, {
        "label": "EEG", "dimension": "uV", "sample_frequency": 50, "physical_max": 100, "physical_min": -100,
        "digital_max": 32767, "digital_min": -32768, "prefilter": "", "transducer": "",
    })  # fmt: skip
    writer.writeSamples([np.sin(np.arange(500) / 20) * 50])
    writer.close()
    data = read_symbols(path, lead="EEG", from_=0, to=6)
    assert data.persons.tolist() == ["night"] and len(data.symbols) == 30
    (tmp_path / "broken.edf").write_bytes(b"nothing")
    with pytest.raises(InputError) as error:
        read_symbols(tmp_path / "broken.edf")
    assert str(error.value) == "read_symbols: 'broken.edf' cannot be read as an EDF file."


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    (tmp_path / "r.hea").write_text("r 1 100 5\n", "utf-8")
    monkeypatch.setitem(sys.modules, "wfdb", None)
    with pytest.raises(InputError) as error:
        read_symbols(tmp_path / "r")
    assert str(error.value) == (
        "read_symbols: PhysioNet records need the package 'wfdb', which is not installed. Install sequester[signals]."
    )


TABLE = pa.table({"id": ["a", "a", None], "t": [1.0, None, 2.0], "x": [1.0, float("inf"), 3.0], "s": ["u", "v", "w"]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "read_symbols: which column holds the series? There are 'id', 't', 'x', 's'. Pass value= one of them."),
        (
            {"value": ("y",)},
            "read_symbols: column 'y' not found; the table has 'id', 't', 'x', 's'. Pass value= one of them.",
        ),
        (
            {"value": ("s",)},
            "read_symbols: column 's' is not numeric. If it holds symbols, pass symbolize=none.",
        ),
        (
            {"value": ("t",), "from_": 1.0},
            "read_symbols: from_= and to= count seconds; pass rate= samples per second, or time= a column.",
        ),
        (
            {"value": ("t",), "alphabet": 1},
            "read_symbols: window must be at least 1 and alphabet in 2..65535, got window=10, alphabet=1.",
        ),
    ],
)  # fmt: skip
def test_refusals(options, message):
    with pytest.raises(InputError) as error:
        read_symbols(TABLE, **options)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ({"value": ("x",), "window": 1}, "1 cell of column 'x' is not a number and counts as a gap"),
        ({"value": ("t",), "person": "id"}, "1 row without a person was left out"),
        ({"value": ("x",), "time": "t"}, "1 row without a time that can be read was left out"),
        (
            {"value": ("s",), "symbolize": "none", "symbols": ("u", "v")},
            "1 cell holds a symbol that was not told; it ends a series as a gap does",
        ),
    ],
)
def test_cells_that_cannot_be_read_are_gaps_and_counted(options, note):
    assert read_symbols(TABLE, **options).notes[0] == note


def test_refusals_of_text_files(tmp_path):
    path = tmp_path / "x.txt"
    for content, options, message in [
        ("1 2\n3 4\n", {}, "read_symbols: 'x.txt' has 2 columns without names. Pass value= a number in 1..2."),
        ("1 2\n3 4\n", {"value": ("3",)}, "read_symbols: 'x.txt' has no column '3'. Pass value= a number in 1..2."),
        (
            "1 2\n3\na b\nc d\n",
            {"value": ("1",)},
            "read_symbols: 'x.txt' is not a table of numbers with the same columns in every line. "
            "If it holds symbols, pass symbolize=none.",
        ),
    ]:
        path.write_text(content, "utf-8")
        with pytest.raises(InputError) as error:
            read_symbols(path, **options)
        assert str(error.value) == message
    path.write_bytes(b"a b \xff\n")
    with pytest.raises(InputError) as error:
        read_symbols(path, symbolize="none")
    assert str(error.value).startswith("read_symbols: 'x.txt' is not UTF-8 at byte 4.")
    with pytest.raises(InputError) as error:
        read_symbols(tmp_path / "none.csv")
    assert str(error.value) == "read_symbols: 'none.csv' does not exist. Check the path."


def test_other_encodings(tmp_path):
    lines, table = tmp_path / "lines.txt", tmp_path / "table.csv"
    lines.write_bytes("é a é\na é\n".encode("latin-1"))
    table.write_bytes("whose,beat\nJosé,é\nJosé,a\n".encode("latin-1"))
    read = read_symbols(lines, symbolize="none", encoding="latin-1")
    assert set(read.alphabet) == {"a", "é"} and read.n_records == 2
    read = read_symbols(table, person="whose", value=("beat",), symbolize="none", encoding="latin-1")
    assert set(read.persons) == {"José"}
    for encoding, message in {
        "utf-8": "read_symbols: 'lines.txt' is not UTF-8 at byte 0. "
        "Pass encoding= with the encoding it was written in, for example encoding='latin-1'.",
        "ascii": "read_symbols: 'lines.txt' cannot be read in ascii. Check both.",
        "ascci": "read_symbols: no encoding 'ascci'. Examples: utf-8, latin-1, cp1252, shift_jis.",
    }.items():
        with pytest.raises(InputError) as caught:
            read_symbols(lines, symbolize="none", encoding=encoding)
        assert str(caught.value) == message

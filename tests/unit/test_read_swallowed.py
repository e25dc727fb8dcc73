"""A quotation mark without its partner swallows other people's rows: that is told, in counts and without a cell."""

import gzip
import zipfile

import pytest

import sequester as sq
from sequester.read import stray_quotes as module
from sequester.read.streams import stream
from sequester.read.table import load

HEAD = "person,time,state\n"
BODY = "".join(f"p{i},2024-03-{i:02d},walk\n" for i in range(1, 10))
ONE = (
    "1 line looks like a row but was read as part of 1 cell: a quotation mark has no partner. Correct the file, or "
    "that row is lost"
)
TWO = (
    "2 lines look like rows but were read as part of 1 cell: a quotation mark has no partner. Correct the file, or "
    "those rows are lost"
)
CASES = {
    "up to the end": (BODY + 'h,2024-03-01,"sit\nq1,2024-03-01,walk\nq2,2024-03-01,walk\n', TWO),
    "up to another quoted cell": (BODY + 'h,2024-03-01,"sit\nq1,2024-03-01,walk\nq2,2024-03-01,"walk"\n', TWO),
    "up to its partner": (BODY + 'h,2024-03-01,"sit\nq1,2024-03-01,walk\nh,2024-03-02,walk"\n' + BODY, TWO),
    "in the first cell": (BODY + '"h,2024-03-01,sit\nq1,2024-03-01,walk\n', ONE),
    "old line ends": ((BODY + 'h,2024-03-01,"sit\nq1,2024-03-01,walk\n').replace("\n", "\r"), ONE),
    "quotation marks everywhere": (
        "".join('"' + line.replace(",", '","') + '"\n' for line in BODY.splitlines())
        + '"h","2024-03-01","sit\n"q1","2024-03-01","walk"\n',
        ONE,
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("packing", ["csv", "csv.gz", "zip"])
def test_swallowed_rows_are_counted(case, packing, tmp_path):
    body, note = CASES[case]
    text = (HEAD.replace("\n", "\r") if "\n" not in body else HEAD) + body
    path = tmp_path / f"t.{packing}"
    if packing == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("t.csv", text)
    else:
        path.write_bytes(gzip.compress(text.encode()) if packing == "csv.gz" else text.encode())
    read = load(path, "read")
    assert read.notes[-1] == note
    log = sq.read_events(path, person="person", time_format="iso", time_unit="day")
    assert note in log.notes and not {"q1", "q2"} & set(log.persons)


@pytest.mark.parametrize("case", CASES)
def test_so_they_are_in_a_folder_and_in_pieces(case, tmp_path, monkeypatch):
    body, note = CASES[case]
    (tmp_path / "a.csv").write_bytes(((HEAD.replace("\n", "\r") if "\n" not in body else HEAD) + body).encode())
    (tmp_path / "b.csv").write_text(HEAD + BODY)
    assert note in sq.read_events(tmp_path, person="person").notes
    read = stream(tmp_path, "read")
    assert sum(piece.num_rows for _, piece in read.pieces()) > 10
    assert note in read.notes


@pytest.mark.parametrize(
    "body",
    [
        BODY + 'h,2024-03-01,"sit\nthen walk"\n',
        BODY + 'h,2024-03-01,"sit, up\nand 2 steps, then, walk"\n',
        BODY + 'h,2024-03-01,sit "up\n',
        'p1,2024-03-01,"a, b\nsays who, when, what"\n',
    ],
)
def test_cells_of_several_lines_are_no_fault(body, tmp_path):
    (tmp_path / "t.csv").write_text(HEAD + body)
    assert load(tmp_path / "t.csv", "read").notes == ()


def test_notes_of_several_lines_are_no_fault(tmp_path):
    """Lines of a letter have commas too."""
    note = "Dear colleague,\nfever, cough, no rash\nseen on 3 March, sent home, well\n"
    rows = "".join(f'd{i},p{i},"{note}"\n' for i in range(20))
    (tmp_path / "t.csv").write_text("document,person,text\n" + rows)
    assert load(tmp_path / "t.csv", "read").notes == ()


def test_a_corpus_says_so_too(tmp_path):
    rows = "".join(f"d{i},p{i},well\n" for i in range(9))
    (tmp_path / "t.csv").write_text("document,person,text\n" + rows + 'd9,p9,"ill\nd10,p10,well\n')
    assert sq.read_corpus(tmp_path / "t.csv").notes == (ONE,)


def test_the_rest_of_the_table_costs_one_search(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_shape", None)  # looks are asked for only where a cell goes over lines
    (tmp_path / "t.csv").write_text(HEAD + BODY)
    assert load(tmp_path / "t.csv", "read").table.num_rows == 9

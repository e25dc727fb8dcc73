"""Reading documents: a file, a folder, tables; and what is refused."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester.read.text import read_corpus


def test_one_text_file_is_one_document(tmp_path):
    (tmp_path / "note.txt").write_bytes("zürich\r\nend".encode())
    data = read_corpus(tmp_path / "note.txt")
    assert (data.texts, data.documents.tolist(), data.shape) == (["zürich\r\nend"], ["note"], "file")


def test_a_folder_is_searched_with_its_subfolders(tmp_path):
    for name, text in {"b/2.txt": "two", "a/1.txt": "one", "a/deep/3.txt": "", "a/skip.csv": "x"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    data = read_corpus(tmp_path)
    assert data.documents.tolist() == ["a/1", "a/deep/3", "b/2"]
    assert data.texts == ["one", "", "two"]
    assert data.persons.tolist() == data.documents.tolist()
    assert read_corpus(str(tmp_path), person="folder").persons.tolist() == ["a", "a", "b"]


def test_tables_of_every_kind_give_the_same_corpus(tmp_path):
    frame = pd.DataFrame({"document": ["007", "8"], "person": ["p", "p"], "text": ["2020-01-02", 'a, "b"\nc 😀']})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    lines = "\n".join(json.dumps(r, ensure_ascii=False) for r in frame.to_dict("records"))
    (tmp_path / "t.jsonl").write_text(lines, "utf-8")
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    sources = [tmp_path / f"t.{e}" for e in ("csv", "parquet", "jsonl", "jsonl.gz")] + [frame, pa.table(frame)]
    for source in sources:
        data = read_corpus(source)
        assert data.texts == frame["text"].tolist(), source
        assert data.documents.tolist() == ["007", "8"]
        assert data.n_people == 1
    assert [read_corpus(s).shape for s in sources[:4]] == ["csv", "parquet", "jsonl", "jsonl"]


def test_missing_text_is_an_empty_document_and_rows_are_numbered(tmp_path):
    pq.write_table(pa.table({"note": ["a", None, ""]}), tmp_path / "t.parquet")
    data = read_corpus(tmp_path / "t.parquet", text="note")
    assert (data.texts, data.documents.tolist()) == (["a", "", ""], ["1", "2", "3"])
    assert read_corpus(tmp_path / "t.parquet").texts == ["a", "", ""]  # the only column needs no name


def test_other_encodings(tmp_path):
    (tmp_path / "n.txt").write_bytes("crème".encode("latin-1"))
    assert read_corpus(tmp_path / "n.txt", encoding="latin-1").texts == ["crème"]
    (tmp_path / "n.csv").write_bytes('text\n"crème"\n'.encode("latin-1"))
    assert read_corpus(tmp_path / "n.csv", encoding="latin-1").texts == ["crème"]
    (tmp_path / "b.jsonl").write_bytes(b'\xef\xbb\xbf{"text": "x"}\n\n')
    assert read_corpus(tmp_path / "b.jsonl").texts == ["x"]


@pytest.mark.parametrize("name", ["n.txt", "n.jsonl", "n.csv"])
def test_a_byte_that_is_not_utf8_is_refused_with_its_offset(tmp_path, name):
    raw = {"n.txt": b"abc\xe9def", "n.jsonl": b'{"text": "ab\xe9"}', "n.csv": b"text\nab\xe9\n"}[name]
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(sq.InputError) as caught:
        read_corpus(tmp_path / name)
    at = raw.index(b"\xe9")
    assert str(caught.value) == (
        f"read_corpus: '{name}' is not UTF-8 at byte {at}. "
        "Pass encoding= with the encoding it was written in, for example encoding='latin-1'."
    )


def test_a_bad_byte_in_a_folder_names_the_file(tmp_path):
    (tmp_path / "ok.txt").write_text("fine", "utf-8")
    (tmp_path / "odd.txt").write_bytes(b"\xff")
    with pytest.raises(sq.InputError, match=r"'odd\.txt' is not UTF-8 at byte 0"):
        read_corpus(tmp_path)


def make(tmp_path, name, content):
    path = tmp_path / name
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("empty", None, {}, "read_corpus: the folder 'empty' holds no .txt files. "
         "Pass a folder of text files or a table."),
        ("t.jsonl", b'not json\n', {}, "read_corpus: 't.jsonl' holds 1 line, none of them a JSON object. At least one "
         "line with an object is needed."),
        ("t.jsonl", b"\n", {}, "read_corpus: 't.jsonl' is empty. At least one line with an object is needed."),
        ("t.jsonl", b'{"txet": "a", "d": 1}', {}, "read_corpus: column 'text' not found; the table has 'txet', 'd'. "
         "Pass text='txet'?"),
        ("t.jsonl", b'{"text": "a", "pat": 1}', {"person": "patient"}, "read_corpus: column 'patient' not found; "
         "the table has 'text', 'pat'. Pass person='pat'?"),
        ("t.jsonl", b'{"text": ["a"]}', {}, "read_corpus: column 'text' holds no text in 1 row (first: row 1)."),
        ("t.jsonl", b'{"text": "a", "document": null}', {}, "read_corpus: 1 row lacks a document (first at row 1). "
         "Fill the column or leave document= out."),
        ("t.txt", b"a", {"encoding": "klingon"}, "read_corpus: no encoding 'klingon'. Examples: utf-8, latin-1, "
         "cp1252, shift_jis."),
        ("t.txt", b"\x81", {"encoding": "cp1252"}, "read_corpus: 't.txt' is not cp1252 at byte 0. Check encoding=."),
        ("t.doc", b"a", {}, "read_corpus: cannot tell what 't.doc' is by its ending; known are .csv, .json, .jsonl, "
         ".ndjson, .parquet, .pq, .tsv, .txt, .duckdb, .db, .ddb, .sqlite, .sqlite3. Rename or convert it."),
    ],
)  # fmt: skip
def test_bad_sources_are_refused_in_a_sentence(tmp_path, name, content, options, message):
    with pytest.raises(sq.InputError) as caught:
        read_corpus(make(tmp_path, name, content), **options)
    assert str(caught.value) == message


def test_a_missing_source_and_wrong_roles_of_a_folder(tmp_path):
    with pytest.raises(sq.InputError) as caught:
        read_corpus(tmp_path / "none.txt")
    assert str(caught.value) == "read_corpus: 'none.txt' does not exist. Check the path."
    (tmp_path / "a.txt").write_text("x", "utf-8")
    with pytest.raises(sq.InputError) as caught:
        read_corpus(tmp_path, person="pat")
    assert str(caught.value) == (
        "read_corpus: a folder has no column 'pat'. Pass person='folder' when each subfolder is one person, "
        "person='each' when each file is, or leave it out."
    )
    with pytest.raises(sq.InputError) as caught:
        read_corpus(tmp_path, person="folder")
    assert str(caught.value) == (
        "read_corpus: 1 of 1 file lies in no subfolder (first: file 1 by name). Move them into the folder of their "
        "person."
    )


def test_a_folder_without_people_makes_no_promise_about_people(tmp_path):
    for i in range(6):
        (tmp_path / f"{i}.txt").write_text("the same note", "utf-8")
    corpus = read_corpus(tmp_path)
    assert not corpus.people_known
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(corpus, sq.KRepeats(k=4))
    assert str(caught.value) == (
        "anonymize: unit='person' needs to know whose document each is, and the source does not say. Pass person= "
        "(a column, or 'folder' when each subfolder is one person), or unit='document'."
    )
    assert sq.verify(sq.anonymize(corpus, sq.KRepeats(k=4, unit="document"))).holds


def test_other_columns_are_kept_by_name_or_left_out(tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text("id,ward,text,person\n1,north,chest pain,a\n2,south,chest pain,b\n3,,chest pain,c\n", "utf-8")
    data = read_corpus(path)
    assert set(data.columns) == {"id", "ward"}
    release = sq.anonymize(data, sq.KRepeats(k=2, keep=("ward",)), seed=1)
    assert release.tables["documents"].column_names == ["document", "ward", "text"]
    assert sorted(release.tables["documents"]["ward"].to_pylist(), key=str) == [None, "north", "south"]
    assert [str(n) for n in release.notes] == [
        "Columns left out of the release: 'id'. Name those that are public with `--keep` (in Python, `keep`)."
    ]
    assert "The columns ward are published as they are" in " ".join(release.guarantee.not_covered)
    assert sq.verify(release, data).holds
    bundle = sq.publish(release, tmp_path / "n.bundle", source=data)
    assert (bundle.path / "data" / "documents.csv").read_text("utf-8").startswith('"document","ward","text"')
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(data, sq.KRepeats(k=2, keep=("age",)))
    assert str(caught.value) == "keep: the source has no column 'age' beside the text; it has 'id', 'ward'."


def test_a_changed_kept_column_is_refused_beside_the_original(tmp_path):
    from dataclasses import replace

    import pyarrow as pa

    data = sq.Corpus.from_texts(["pain"] * 3, columns={"ward": ["n", "n", "s"]})
    release = sq.anonymize(data, sq.KRepeats(k=2, keep=("ward",)), seed=1)
    table = release.tables["documents"]
    forged = table.set_column(1, "ward", pa.array(["x"] * 3))
    verdict = sq.verify(replace(release, tables={**release.tables, "documents": forged}), data)
    assert [c.name for c in verdict.checks if not c.passed] == ["column ward"]


def test_each_document_can_be_a_person(tmp_path):
    for i in range(3):
        (tmp_path / f"{i}.txt").write_text("chest pain", "utf-8")
    assert not read_corpus(tmp_path).people_known
    data = read_corpus(tmp_path, person="each")
    assert data.people_known and data.n_people == 3
    path = tmp_path / "notes.jsonl"
    path.write_text('{"text": "a"}\n{"text": "b"}\n', "utf-8")
    assert read_corpus(path, person="each").people_known


def test_word_files_are_read(tmp_path):
    docx = pytest.importorskip("docx")
    pytest.importorskip("striprtf")
    note = docx.Document()
    note.add_paragraph("Chest pain since Monday.")
    table = note.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Ward", "north"
    note.save(str(tmp_path / "a.docx"))
    (tmp_path / "b.rtf").write_text(r"{\rtf1\ansi Chest pain.\par No f\'e8ver.}", "latin-1")
    data = read_corpus(tmp_path, person="each")
    assert data.documents.tolist() == ["a", "b"]
    assert data.text(0) == "Chest pain since Monday.\nWard\tnorth\n"
    assert data.text(1) == "Chest pain.\nNo fèver."
    (tmp_path / "c.docx").write_bytes(b"no archive")
    with pytest.raises(sq.InputError, match=r"'c.docx' cannot be read as docx \("):
        read_corpus(tmp_path)


def small_pdf(*pages):
    """A PDF written by hand, one line of text per string; the offsets in its table are true."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for i, lines in enumerate(pages):
        shown = " T* ".join(f"({line}) Tj" for line in lines)
        drawn = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET" if lines else "0 0 10 10 re f"
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * i} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        bodies.append(f"<< /Length {len(drawn.encode('latin-1'))} >>\nstream\n{drawn}\nendstream")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    n = len(bodies) + 1
    out += f"xref\n0 {n}\n0000000000 65535 f \n{table}trailer\n<< /Size {n} /Root 1 0 R >>\n".encode("latin-1")
    return out + f"startxref\n{out.rindex(b'xref')}\n%%EOF\n".encode("latin-1")


def test_pdf_files_are_read(tmp_path):
    pytest.importorskip("pypdf")
    (tmp_path / "a.pdf").write_bytes(small_pdf(["Chest pain since Monday.", "No f\u00e8ver."], ["Seen on ward 7."]))
    (tmp_path / "b.PDF").write_bytes(small_pdf(["Discharged."]))
    data = read_corpus(tmp_path, person="each")
    assert data.documents.tolist() == ["a", "b"]
    assert data.text(0) == "Chest pain since Monday.\nNo f\u00e8ver.\nSeen on ward 7.\n"
    assert data.text(1) == "Discharged.\n"
    assert read_corpus(tmp_path / "a.pdf").text(0) == data.text(0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (small_pdf([]), r"'c.pdf' holds no text. A scanned page is a picture: run text recognition first."),
        (small_pdf(["Chest pain."])[:200], r"'c.pdf' cannot be read as pdf \(\w+\)\."),
        (b"no such format", r"'c.pdf' cannot be read as pdf \(PdfStreamError\)\."),
        (b"", r"'c.pdf' cannot be read as pdf \(EmptyFileError\)\."),
    ],
)
def test_pdf_files_without_text_or_cut_short_are_refused_in_a_sentence(tmp_path, content, message):
    pytest.importorskip("pypdf")
    (tmp_path / "c.pdf").write_bytes(content)
    with pytest.raises(sq.InputError, match=message):
        read_corpus(tmp_path)

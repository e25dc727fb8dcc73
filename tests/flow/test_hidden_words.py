"""Where words could hide in a bundle that both checkers confirmed once, or only one of them refused."""

import json
import os
import re
import shutil
import struct
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester.bundle.companions import protected_by
from sequester.bundle.contents import WRITER
from sequester.stored_tables import LABEL, labelled, write_parquet
from tests.browser import ABSENT
from tests.checker import Checker, verdict
from tests.flow.test_checker import GOLDEN, both, cell, documents, every, sealed, told
from tests.golden.make_bundles import original

WHO = "Maria Muster, HIV positive"
browsed = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)


@pytest.fixture(scope="module")
def checker(tmp_path_factory):
    with Checker(tmp_path_factory.mktemp("page")) as page:
        yield page


@pytest.fixture(scope="module")
def variants(tmp_path_factory):
    """Bundles with copies, with l-diversity, and one of which little can be expected."""
    folder = tmp_path_factory.mktemp("variants")
    made = {
        "diverse": ("kapra", sq.Kapra(k=8, p=4, l=2, harmless=("outcome=home",), withhold_up_to=1.0), ("csv",)),
        "texts": ("k-repeats", sq.KRepeats(k=4), ("folder", "csv")),
        "rows": ("mcka", sq.MCKA(k=5, exact=True), ("csv",)),
        "kept": ("k-repeats", sq.KRepeats(k=4, keep=("ward",)), ()),
    }
    for name, (source, method, formats) in made.items():
        data = original(source)
        if name == "kept":
            data = replace(data, columns={"ward": np.array(["a", "b"], dtype=object)[np.arange(data.n_records) % 2]})
        release = sq.anonymize(data, method, seed=1)
        sq.publish(release, folder / f"{name}.bundle", source=data, formats=formats, force=True)
    return folder


def added(name, table):
    """One table more."""

    def apply(manifest, bundle):
        path = bundle / "data" / f"{name}.parquet"
        write_parquet(labelled(table, protected_by(manifest)), path)
        schema = {field.name: str(field.type) for field in table.schema}
        entry = {"path": f"data/{name}.parquet", "rows": table.num_rows, "bytes": 0, "sha256": "0" * 64}
        manifest["files"].append(entry | {"schema": schema, "table": name, "format": "parquet"})

    return apply


def rewritten(name, change):
    """A table after `change`, with its columns in the manifest."""

    def apply(manifest, bundle):
        path = bundle / "data" / f"{name}.parquet"
        old = pq.read_table(path)
        new = change(old)
        write_parquet([new.replace_schema_metadata(old.schema.metadata)], path)
        entry = next(f for f in manifest["files"] if f["table"] == name)
        entry |= {"rows": new.num_rows, "schema": {f.name: str(f.type) for f in new.schema}}

    return apply


def sensitive(name, values):
    """A column more that is accounted for."""

    def more(table):
        return table.append_column(name, values(table.num_rows))

    def role(table):
        return pa.concat_tables([table, pa.table({"name": [name], "role": ["sensitive"]}, schema=table.schema)])

    return both(rewritten("records", more), rewritten("columns", role))


def unused(name, by=WRITER):
    """Words in the dictionary of a column that no cell has, by that version of the library."""

    def apply(_, bundle):
        path = bundle / "data" / f"{name}.parquet"
        table = pq.read_table(path)
        label = table.schema.metadata[LABEL]
        for i, field in enumerate(table.schema):
            if field.type == pa.string():
                found = table[field.name].combine_chunks().dictionary_encode()
                words = pa.array([WHO, *found.dictionary.to_pylist()])
                cells = pa.DictionaryArray.from_arrays(pc.add(found.indices, 1).cast(pa.int32()), words)
                table = table.set_column(i, field.name, cells)
        with pq.ParquetWriter(path, table.schema, compression="zstd", store_schema=False) as writer:
            writer.write_table(table)
            writer.add_key_value_metadata({LABEL: label})
        assert pq.read_table(path).schema.names == table.schema.names
        path.write_bytes(path.read_bytes().replace(WRITER.encode(), by.encode()))

    return apply


def statement(change):
    return told("guarantee", "statement", value=change)


def csv(name, change):
    def apply(_, bundle):
        path = bundle / "data" / f"{name}.csv"
        old = path.read_text("utf-8")
        assert change(old) != old
        path.write_bytes(change(old).encode("utf-8"))

    return apply


def first_number(spell):
    return lambda text: re.sub(r"(?m)^(\d+),", lambda found: f"{spell(found[1])},", text, count=1)


def typed(form, schema):
    def apply(manifest, _):
        for file in manifest["files"]:
            if file["format"] == form:
                file["schema"] = schema(file["schema"])

    return apply


def named_anew(change):
    return both(documents(lambda d: [{**r, "document": change(r["document"])} for r in d]),
                every("spans", "document", change), every("owners", "document", change))  # fmt: skip


def carried(value):
    """Something else than text in a kept column, spelled as JavaScript spells it."""

    def apply(_, bundle):
        path = bundle / "data" / "documents.jsonl"
        first, rest = path.read_text("utf-8").split("\n", 1)
        row = json.loads(first) | {"ward": value}
        cells = (f'"{k}": {json.dumps(v, ensure_ascii=False, separators=(",", ":"))}' for k, v in row.items())
        path.write_text(f"{{{', '.join(cells)}}}\n{rest}", "utf-8")

    return apply


def by_an_older_version(change):
    return both(told("created_with", value="sequester 0.0.1"), change)


def half_a_character(_, bundle):
    path = bundle / "data" / "documents.jsonl"
    path.write_text(path.read_text("utf-8").replace('"text": "', '"text": "\\ud800 '), "utf-8")


OLDER = WRITER.rpartition(" ")[0] + " 25.0.0"
FORGERIES = {
    "words between two apostrophes": ("kapra", statement(lambda s: re.sub(r"'s own.*nobody'", f"'{WHO}'", s))),
    "a number inside the statement": ("diverse", statement(lambda s: re.sub(r"(\d+)(?!.*\d)", "99", s))),
    "a number spelled otherwise": ("kapra", statement(lambda s: re.sub(r"\d+", lambda n: f"0{n[0]}", s, count=1))),
    "the words of another option": ("kapra", both(told("guarantee", "parameters", "ends", value="exact"),
                                                  told("method", "parameters", "ends_step", value=0.0))),
    "words for an option that was not taken": ("markov-dp", statement(
        lambda s: f"This release was forced: expect mostly noise. {s}")),
    "a table that JavaScript does not list": ("kapra", added("__proto__", pa.table({"who": [WHO]}))),
    "letters of numbers": ("kapra", added("alphabet", pa.table({"value": pa.array([0]), "letter": [WHO]}))),
    "letters that nobody uses": ("bfp2ka", rewritten("alphabet", lambda t: pa.concat_tables(
        [t, pa.table({"value": [9.5], "letter": [WHO]}, schema=t.schema)]))),
    "a letter that stands for no number": ("bfp2ka", cell("alphabet", 0, "value", float("nan"))),
    "times where all are shown": ("kapra", added("times", pa.table(
        {"time": [WHO], "letter": pa.array([None], pa.int64())}))),
    "lists as sensitive values": ("kapra", sensitive("who", lambda n: pa.array([[1]] * n, pa.list_(pa.uint8())))),
    "bytes as sensitive values": ("kapra", sensitive("who", lambda n: pa.array([WHO.encode()] * n))),
    "names as numbers of documents": ("k-repeats", named_anew(lambda name: f"{name} {WHO}")),
    "numbers of patients as owners": ("k-repeats", every("owners", "owner", lambda o: 1_000_003 * o)),
    "half a character": ("k-repeats", half_a_character),
    "a mechanism by a name that JavaScript knows": ("markov-dp", told(
        "ledger", "entries", 0, "kind", value="constructor")),
    "a method by such a name": ("kapra", told("method", "id", value="constructor")),
    "a promise by such a name": ("kapra", told("guarantee", "model", value="__proto__")),
    "words in a dictionary": ("k-repeats", unused("owners")),
    "words in the dictionary of an older file": ("k-repeats", unused("owners", OLDER)),
    "a file of several sites without its transcript": ("markov-dp", told("federation", value={
        "sites": 3, "collude": 1, "trusted_combiner": False, "people": "disjoint", "study": "0" * 64})),
    "digits beyond a number": ("diverse", csv("records", lambda s: re.sub(
        r"(?m)^(\d+,\d+,\d+),", r"\1.0000000000000000000421,", s, count=1))),
    "a blank before a number": ("diverse", csv("records", first_number(lambda n: f" {n}"))),
    "zeros before a number": ("diverse", csv("records", first_number(lambda n: f"00{n}"))),
    "a number by sixteens": ("diverse", csv("records", first_number(lambda n: hex(int(n))))),
    "a whole number with a point": ("diverse", csv("records", first_number(lambda n: f"{n}.0"))),
    "a number in quotes": ("diverse", csv("records", first_number(lambda n: f'"{n}"'))),
    "empty lines": ("diverse", csv("records", lambda s: s + "\n\n")),
    "lines of Windows": ("diverse", csv("records", lambda s: s.replace("\n", "\r\n"))),
    "a mark of byte order": ("diverse", csv("records", lambda s: "\ufeff" + s)),
    "no end of the last line": ("diverse", csv("records", lambda s: s[:-1])),
    "text without quotes": ("diverse", csv("records", lambda s: s.replace('"home"', "home"))),
    "words as types of a CSV copy": ("diverse", typed("csv", lambda s: dict.fromkeys(s, WHO))),
    "words as types of a text": ("texts", typed("folder", lambda s: dict.fromkeys(s, WHO))),
    "a list in a CSV copy": ("rows", csv("states", lambda s: s.replace(",", ", ", 1))),
    "a name that no file can have": ("texts", lambda m, _: [
        f.update(path=f"data/documents/{'x' * 300}.txt") for f in m["files"] if f["path"].endswith("/01.txt")]),
    "a list in a kept column": ("kept", carried([WHO])),
    "a record in a kept column": ("kept", carried({"name": WHO})),
    "a record with a number in a kept column": ("kept", carried({"name": WHO, "born": 1971})),
    "a number in a kept column": ("kept", carried(19710312)),
    "yes in a kept column": ("kept", carried(True)),
    "a better statement, said to be older": ("kapra", by_an_older_version(statement(lambda _: "Nobody is in here."))),
    "a better level, said to be older": ("k-repeats", by_an_older_version(
        told("guarantee", "level", value="perfect anonymity"))),
    "a better statement of a method that nobody knows": ("kapra", both(
        told("method", "id", value="kapra-two"), statement(lambda _: "Nobody is in here."))),
    "a folder named like a signature": ("kapra", lambda _, b: (b / "manifest.json.sig").mkdir()),
}  # fmt: skip
HONEST = {
    "columns with names that JavaScript knows": ("kapra", both(
        sensitive("__proto__", lambda n: pa.array([1.0] * n)),
        sensitive("constructor", lambda n: pa.array(["x"] * n)))),
    "an older library": ("kapra", lambda _, b: [
        p.write_bytes(p.read_bytes().replace(WRITER.encode(), OLDER.encode()))
        for p in (b / "data").glob("*.parquet")]),
}  # fmt: skip


def forged(variants, folder, base, change):
    place = folder / "a.bundle"
    shutil.rmtree(place, ignore_errors=True)
    own = GOLDEN / f"{base}.bundle"
    shutil.copytree(own if own.exists() else variants / f"{base}.bundle", place)
    sealed(place, change)
    return place


@browsed
def test_both_checkers_refuse_what_hides_words(checker, variants, tmp_path):
    # The page does not know the words of that method or version. It says so, and confirms nothing.
    left = {name for name in FORGERIES if name == "a method by such a name" or "better" in name}
    for name, (base, change) in FORGERIES.items():
        place = forged(variants, tmp_path, base, change)
        try:
            found = checker.agrees(place)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error
        assert found["verify"] in ("broken", "refused"), name
        assert found["result"] in (("undecided",) if name in left else ("broken", "refused")), name


@browsed
def test_both_confirm_what_only_looks_odd(checker, variants, tmp_path):
    for name, (base, change) in HONEST.items():
        found = checker.agrees(forged(variants, tmp_path, base, change))
        assert (found["verify"], found["result"]) == ("confirmed", "confirmed"), name


def test_a_release_that_was_forced_says_so_in_words_that_the_page_knows():
    words = json.loads((Path(sq.__file__).parent / "checker" / "words.json").read_bytes())["markov-dp"]
    assert any("was forced" in line for line in words["statements"])
    assert words["by"] == ["force"] and len(words["said"]["no"]) == 1 < len(words["said"]["yes"])


def test_what_another_version_of_the_library_wrote_is_named(variants, tmp_path):
    place = forged(variants, tmp_path, *HONEST["an older library"])
    found = sq.verify(place)
    lines = [line for line in found.verdict.not_checked if "byte for byte" in line]
    assert found.result == "confirmed" and len(lines) == 1 and "data/records.parquet" in lines[0]
    assert not [line for line in sq.verify(GOLDEN / "kapra.bundle").verdict.not_checked if "byte for byte" in line]


# ZIP files.


def packed(path, how=lambda raw: raw, more=None, name=lambda n: n):
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted((GOLDEN / "kapra.bundle").rglob("*")):
            if file.is_file():
                member = zipfile.ZipInfo("x")
                member.filename = name(f"a.bundle/{file.relative_to(GOLDEN / 'kapra.bundle').as_posix()}")
                archive.writestr(member, file.read_bytes())
        if more is not None:
            archive.writestr(*more)
    path.write_bytes(how(path.read_bytes()))
    return path


def counting(step):
    def apply(raw):
        end = len(raw) - 22
        n = struct.unpack_from("<H", raw, end + 10)[0] + step
        return raw[: end + 8] + struct.pack("<HH", n, n) + raw[end + 12 :]

    return apply


def called_otherwise_inside(raw):
    size = struct.unpack_from("<H", raw, 26)[0]
    return raw[:30] + WHO.encode()[:size].ljust(size, b"x") + raw[30 + size :]


ODD_ZIPS = {
    "words before": {"how": lambda raw: WHO.encode() + raw},
    "words behind": {"how": lambda raw: raw + WHO.encode()},
    "a comment": {"how": lambda raw: raw[:-2] + struct.pack("<H", len(WHO)) + WHO.encode()},
    "a member that is not counted": {"how": counting(-1)},
    "a member that is not there": {"how": counting(1)},
    "another name inside": {"how": called_otherwise_inside},
    "a file named like a folder": {"more": ("a.bundle/data", WHO)},
    "a folder named like a file": {"more": ("a.bundle/report.html/", b"")},
    "a folder that holds words": {"more": ("a.bundle/data/", WHO)},
    "a folder named like a statement": {"more": ("a.bundle/attestation.json/", b"")},
    "two spellings of one name": {"more": ("a.bundle/./report.html", WHO)},
}


@browsed
@pytest.mark.parametrize("name", sorted(ODD_ZIPS))
def test_an_odd_zip_file_is_refused_by_both(checker, tmp_path, name):
    path = packed(tmp_path / "a.zip", **ODD_ZIPS[name])
    assert verdict(path)[0] in ("broken", "refused")
    assert checker.choose(path)["result"] in ("broken", "refused")


@browsed
@pytest.mark.parametrize("name", [lambda n: n, lambda n: n.replace("/", "/./"), lambda n: f"./{n}"])
def test_a_plain_zip_file_is_confirmed_by_both(checker, tmp_path, name):
    path = packed(tmp_path / "a.zip", name=name)
    assert (verdict(path)[0], checker.choose(path)["result"]) == ("confirmed", "confirmed")


# What would never end.


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize("name", ["manifest.json", "report.html", "README.md", "data/records.parquet"])
@pytest.mark.parametrize("make", ["pipe", "device"])
def test_a_pipe_or_a_device_in_place_of_a_file_is_refused_and_not_read(tmp_path, name, make):
    place = tmp_path / "a.bundle"
    shutil.copytree(GOLDEN / "kapra.bundle", place)
    (place / name).unlink()
    os.mkfifo(place / name) if make == "pipe" else (place / name).symlink_to("/dev/zero")
    with pytest.raises(
        sq.BundleError, match=r"1 pipe or device in place of files|manifest of 'a.bundle' is (no file|a link)"
    ):
        sq.verify(place)

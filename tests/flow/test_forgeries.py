"""What is handed out is what was judged: forged folders, broken writers and damaged manifests are all met."""

import copy
import json
import random
import shutil
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester.bundle import bundle as writers
from sequester.bundle import formats
from sequester.bundle.formats import column_types, sha256
from sequester.release import Release, to_json_text
from tests import toy
from tests.exits import exit_of

SECRET = "id,mmol\nqxz1qxz,5.5\n"


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    toy.register(monkeypatch)


@pytest.fixture
def bundle(tmp_path):
    release = sq.anonymize(toy.panel(10), toy.ToyGroups(k=3), seed=1)
    return sq.publish(release, tmp_path / "a.bundle", source=toy.panel(10)).path


def told_of(bundle):
    return json.loads((bundle / "manifest.json").read_text())


def tell(bundle, told):
    (bundle / "manifest.json").write_text(to_json_text(told))


def listed(bundle, path, **more):
    file = bundle / path
    return {"path": path, "sha256": sha256(file), **more}


def data_file(bundle, path, form, **more):
    first = told_of(bundle)["files"][0]
    size = (bundle / path).stat().st_size
    return first | listed(bundle, path, bytes=size, format=form, **more)


def refused(bundle):
    """The sentence or the failed checks that meet a forged bundle; never a confirmation."""
    try:
        verdict = sq.verify(bundle)
    except sq.BundleError as error:
        return str(error)
    assert not verdict.holds
    return {c.name: c.detail for c in verdict.checks if not c.passed}


def test_an_honest_bundle_is_confirmed_and_says_what_was_checked(bundle):
    verdict = sq.verify(bundle)
    assert verdict.holds and verdict.verdict.complete and verdict.verdict.not_checked == ()
    assert [(c.name, c.detail) for c in verdict.checks] == [
        ("checksums", "0 of 7 files differ from the manifest, 0 not listed in it"),
        ("promise", "it is what the method promises"),
        ("tables", "1 as listed"),
        ("pages", "6 pages follow from the manifest and the tables"),
        ("stated checks", "0 of 0 lines in the manifest were not counted again"),
        ("group sizes", "0 groups are too small"),
    ]


def test_raw_data_as_a_copy_of_a_table(bundle):
    (bundle / "data" / "records.csv").write_text(SECRET)
    told = told_of(bundle)
    told["files"].append(data_file(bundle, "data/records.csv", "csv", copy=True))
    tell(bundle, told)
    assert refused(bundle)["copies"] == "1 of 1 copy differs from their table"


def test_raw_data_as_a_copy_with_columns_of_its_own(bundle):
    (bundle / "data" / "records.csv").write_text(SECRET)
    told = told_of(bundle)
    more = {"copy": True, "rows": 1, "schema": {"id": "string", "mmol": "double"}}
    told["files"].append(data_file(bundle, "data/records.csv", "csv", **more))
    tell(bundle, told)
    assert refused(bundle)["copies"] == "1 of 1 copy differs from their table"


def test_raw_data_as_a_page(bundle):
    (bundle / "data" / "records.csv").write_text(SECRET)
    told = told_of(bundle)
    told["pages"].append(listed(bundle, "data/records.csv"))
    tell(bundle, told)
    assert refused(bundle) == "open: the manifest of 'a.bundle' is not well-formed in pages. Get an intact copy."


@pytest.mark.parametrize("where", ["files", "pages"])
@pytest.mark.parametrize("path", ["../vitals.csv", "/etc/hostname", "data/../../vitals.csv"])
def test_a_path_that_leaves_the_folder(bundle, where, path):
    (bundle.parent / "vitals.csv").write_text(SECRET)
    told = told_of(bundle)
    told[where].append(told[where][0] | {"path": path})
    tell(bundle, told)
    assert refused(bundle) == "open: the manifest of 'a.bundle' points outside the bundle."


@pytest.mark.parametrize("path", ["data/names.csv", "notes.txt", "data/.hidden", "empty/", "data/records/1.txt"])
def test_a_file_or_folder_the_manifest_does_not_know(bundle, path):
    place = bundle / path
    place.parent.mkdir(exist_ok=True)
    place.mkdir() if path.endswith("/") else place.write_text(SECRET)
    assert "not listed in it" in refused(bundle)["checksums"]


@pytest.mark.parametrize(
    ("spoil", "key"),
    [
        (lambda t: t.update(original=SECRET), "original"),
        (lambda t: t["method"].update(seed=7), "method.seed"),
        (lambda t: t["guarantee"].update(more="x"), "guarantee.more"),
        (lambda t: t["files"][0].update(note=SECRET), "files.note"),
        (lambda t: t["pages"][0].update(note=SECRET), "pages.note"),
        (lambda t: t["verification"].update(people=["qxz"]), "verification.people"),
        (
            lambda t: t["verification"]["checked"].append({"name": "a", "passed": True, "detail": "b", "who": "qxz"}),
            "verification.checked.who",
        ),
        (lambda t: t["publication"].update(phone="1"), "publication.phone"),
    ],
)
def test_a_key_that_nobody_knows(bundle, spoil, key):
    told = told_of(bundle)
    spoil(told)
    tell(bundle, told)
    assert refused(bundle) == (
        f"open: the manifest of 'a.bundle' has 1 key that this version does not know (first: {key}). Use the version "
        "that wrote it, or get an intact copy."
    )


def test_a_citation_is_the_methods_and_no_place_for_notes(bundle):
    told = told_of(bundle)
    told["method"]["paper"] = "qxz1qxz"
    tell(bundle, told)
    assert refused(bundle)["promise"] == "paper differ from what the method promises"


@pytest.mark.parametrize("words", ["qxz1qxz", "sequester 0.2.0 for qxz1qxz", "sequester", ""])
def test_who_made_a_bundle_is_a_version_and_nothing_else(bundle, words):
    told = told_of(bundle)
    told["created_with"] = words
    tell(bundle, told)
    assert refused(bundle) == "open: the manifest of 'a.bundle' is not well-formed in created_with. Get an intact copy."


def test_a_ledger_states_the_sum_of_its_entries(tmp_path):
    data = sq.sample("symbols", n_people=60, seed=1)
    made = sq.anonymize(data, sq.NgramDP(**sq.NgramDP.example))
    path = sq.publish(made, tmp_path / "dp.bundle").path
    told = told_of(path)
    assert sq.verify(path).holds
    told["ledger"]["spent"] /= 2
    tell(path, told)
    assert refused(path)["promise"] == "ledger.spent differ from what the method promises"


def test_a_key_twice_hides_nothing(bundle):
    text = (bundle / "manifest.json").read_text()
    (bundle / "manifest.json").write_text(text.replace('"kind":', f'"kind": {json.dumps(SECRET)}, "kind":', 1))
    assert refused(bundle) == "open: the manifest of 'a.bundle' cannot be read. Get an intact copy."


def relist(bundle, path):
    told = told_of(bundle)
    for file in told["files"]:
        if file["path"] == path:
            file |= {"sha256": sha256(bundle / path), "bytes": (bundle / path).stat().st_size}
    tell(bundle, told)


def test_parquet_metadata(bundle):
    path = bundle / "data" / "records.parquet"
    table = pq.read_table(path).replace_schema_metadata({"original": SECRET})
    pq.write_table(table, path)
    relist(bundle, "data/records.parquet")
    assert refused(bundle)["tables"] == "1 of 1 table carries more or other than the manifest says"


def test_bytes_between_the_columns_of_parquet(bundle):
    path = bundle / "data" / "records.parquet"
    raw = path.read_bytes()
    length = int.from_bytes(raw[-8:-4], "little")
    path.write_bytes(raw[: -8 - length] + SECRET.encode() + raw[-8 - length :])
    relist(bundle, "data/records.parquet")
    assert "tables" in refused(bundle)


@pytest.mark.parametrize("what", ["data/records.parquet", "manifest.json", "data"])
def test_links_are_refused(bundle, what):
    place = bundle / what
    elsewhere = bundle.parent / "elsewhere"
    shutil.move(place, elsewhere)
    place.symlink_to(elsewhere)
    found = refused(bundle)
    assert "is a link" in found if what == "manifest.json" else "checksums" in found


def test_a_forged_page_that_the_manifest_vouches_for(bundle):
    (bundle / "report.html").write_text(SECRET)
    told = told_of(bundle)
    told["pages"][1]["sha256"] = sha256(bundle / "report.html")
    tell(bundle, told)
    assert refused(bundle) == {"pages": "report.html differ from what follows from the manifest and the tables"}


def test_pages_of_another_version_are_named_as_unchecked(bundle, monkeypatch):
    told = told_of(bundle) | {"created_with": "sequester 0.1.0"}
    tell(bundle, told)
    verdict = sq.verify(bundle)
    assert verdict.holds and not verdict.verdict.complete
    first = "NOT CHECKED: report.html (another version made it, and it may say anything). "
    assert str(verdict).startswith(first + "(10,3)-anonymity") or str(verdict).startswith(first)
    assert verdict.to_json()["verdict"]["not_checked"] == [
        "report.html (another version made it, and it may say anything)"
    ]
    assert exit_of(monkeypatch, "verify", bundle) == 2, "exit 0 says that everything was looked at"


def test_a_renamed_bundle_still_verifies(bundle):
    other = bundle.rename(bundle.with_name("other.bundle"))
    assert sq.verify(other).holds


# Writers with a bug: publish judges what lies on the disk.

TEXT = pa.table({"document": ["1", "2"], "text": ["a\nb", "c"]})
LOG = pa.table(
    {"object": [1, 1, 2], "time": pa.array([0, 60, 5], pa.timestamp("s")), "state": ["in & out", "b\x01", "c"]}
)
MIXED = pa.table(
    {
        "record": [1, 2, 3],
        "x": [0.1, None, float("nan")],
        "name": ["", None, 'a "b",\nc'],
        "flag": [True, None, False],
        "states": pa.array([[1, 2], None, []], pa.list_(pa.uint8())),
        "at": pa.array([0, None, 5], pa.timestamp("s")),
    }
)


def any_release(tables, formats=None):
    method = toy.ToyGroups(k=3)
    return Release(tables=tables, guarantee=method.guarantee, method=method, formats=formats or {})


@pytest.fixture
def lenient(monkeypatch):
    """A judge that confirms everything: what is refused here is refused for what was written."""
    from sequester.judges import JUDGES

    monkeypatch.setitem(JUDGES, "toy-groups", "tests.flow.test_forgeries:confirm")


def confirm(claim, source):
    from sequester.release import Check

    return [Check(name="all", passed=True, detail="")]


CASES = {
    "parquet": (MIXED, {}, ()),
    "csv": (MIXED, {}, ("csv",)),
    "xes": (LOG, {}, ("xes",)),
    "jsonl": (TEXT, {"t": "jsonl"}, ()),
    "folder": (TEXT, {"t": "folder"}, ()),
    "txt": (TEXT.slice(0, 1), {"t": "txt"}, ()),
}


@pytest.mark.parametrize("form", CASES)
def test_every_format_reads_back_what_it_wrote(tmp_path, lenient, form):
    table, shape, also = CASES[form]
    path = sq.publish(any_release({"t": table}, shape), tmp_path / "a.bundle", formats=also).path
    assert sq.verify(path).holds
    assert column_types(sq.open_bundle(path).tables["t"]).keys() == column_types(table).keys()


def swap_first_text(raw):
    for text in (b'"c"', b"c", b"a"):
        if text in raw:
            return raw.replace(text, text.replace(b"c", b"d").replace(b"a", b"d"), 1)
    raise AssertionError("nothing to spoil")


@pytest.mark.parametrize("form", ["csv", "jsonl", "txt", "folder", "xes"])
def test_a_bug_in_a_writer_is_caught(tmp_path, lenient, monkeypatch, form):
    table, shape, also = CASES[form]
    module, name = (formats, "write_xes") if form == "xes" else (writers, "write_table")
    right = getattr(module, name)

    def wrong(table, path, *more):
        out = right(table, path, *more)
        paths = [path] if form == "xes" else [p for p, _ in out] if more[:1] == (form,) else []
        for p in paths[-1:]:
            p.write_bytes(swap_first_text(p.read_bytes()))
        return out

    monkeypatch.setattr(module, name, wrong)
    with pytest.raises(sq.PromiseBroken, match=r"verify: the promise does not hold \(1 check failed; (copies|written)"):
        sq.publish(any_release({"t": table}, shape), tmp_path / "a.bundle", formats=also)
    assert {p.name for p in tmp_path.iterdir()} <= {"sequester.account", "sequester.account.key"}


def test_a_bug_in_the_parquet_writer_is_caught(tmp_path, lenient, monkeypatch):
    right = formats.labelled
    monkeypatch.setattr(formats, "labelled", lambda t, w: right(t.slice(0, 2) if "x" in t.column_names else t, w))
    with pytest.raises(sq.PromiseBroken, match=r"tables? differs?|tables? carr"):
        sq.publish(any_release({"t": MIXED}), tmp_path / "a.bundle")
    assert {p.name for p in tmp_path.iterdir()} <= {"sequester.account", "sequester.account.key"}


@pytest.mark.parametrize("page", ["report.html", "datapackage.json"])
def test_a_bug_in_a_page_writer_is_caught(tmp_path, monkeypatch, page):
    right = writers.write_page

    def wrong(folder, name, text):
        return right(folder, name, text + SECRET if name == page else text)

    monkeypatch.setattr("sequester.publication.write_page", wrong)
    release = sq.anonymize(toy.panel(10), toy.ToyGroups(k=3), seed=1)
    with pytest.raises(sq.PromiseBroken, match=f"pages: {page} differ"):
        sq.publish(release, tmp_path / "a.bundle")
    assert {p.name for p in tmp_path.iterdir()} <= {"sequester.account", "sequester.account.key"}


@pytest.mark.parametrize(
    "hidden",
    ["<!-- qxz -->", "<?qxz?>", "<trace><string key='concept:name' value='qxz'/></trace>", "qxz", "<qxz/>"],
)
def test_nothing_hides_in_an_xes_copy(tmp_path, lenient, hidden):
    path = sq.publish(any_release({"t": LOG}), tmp_path / "a.bundle", formats=["xes"]).path
    file = path / "data" / "t.xes"
    file.write_text(file.read_text().replace("</log>", hidden + "</log>"))
    relist(path, "data/t.xes")
    assert refused(path)["copies"] == "1 of 1 copy differs from their table"


# Damaged manifests.

JUNK = (None, True, -1, 3, 2.5, "", "x", "../x", "\ud800", [], [1], {}, {"a": 1}, [[]], 1e308, "é" * 300)


def places(value, at=()):
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*at, key))


def mutated(told, rng):
    out = copy.deepcopy(told)
    at = rng.choice([p for p in places(out) if p])
    holder = out
    for key in at[:-1]:
        holder = holder[key]
    deed = rng.choice(["replace", "delete", "rename", "insert", "double"])
    if deed == "replace":
        holder[at[-1]] = rng.choice(JUNK)
    elif deed == "delete":
        del holder[at[-1]]
    elif deed == "rename" and isinstance(holder, dict):
        holder[f"{at[-1]}s"] = holder.pop(at[-1])
    elif deed == "insert" and isinstance(holder, dict):
        holder["surprise"] = rng.choice(JUNK)
    elif isinstance(holder, list):
        holder.append(copy.deepcopy(holder[at[-1]]))
    return at, out


def meaning(told):
    """A manifest with what a missing key stands for."""
    return {"ledger": None, "teaching_only": False, "reading": [], "publication": {"title": "a"}} | told


def test_a_thousand_damaged_manifests_are_each_met_with_one_sentence(bundle):
    told, rng = told_of(bundle), random.Random(20)
    met = {"sentence": 0, "not confirmed": 0, "same": 0}
    for turn in range(1000):
        at, other = mutated(told, rng)
        raw = json.dumps(other)
        (bundle / "manifest.json").write_text(raw)
        try:
            verdict = sq.verify(bundle)
        except sq.SequesterError as error:
            assert "\n" not in str(error) and str(error).startswith("open: ") and error.exit_code == 2, (turn, at)
            met["sentence"] += 1
            continue
        if verdict.holds:  # nothing a reader relies on has changed, or the pages are named as unchecked
            unchecked = at[0] in ("created_with", "pages") and verdict.verdict.not_checked
            unchecked = unchecked or at[-1] == "drawn_with"  # left out, and the page is what it must be all the same
            assert meaning(other) == meaning(told) or unchecked, (turn, at, str(verdict))
            met["same"] += 1
        else:
            assert verdict.result == "broken", (turn, at)
            met["not confirmed"] += 1
    assert met["sentence"] > 300 and met["not confirmed"] > 50, met


def test_a_damaged_manifest_ends_the_command_with_the_right_code(bundle, monkeypatch, capsys):
    from sequester.cli import main

    told, rng = told_of(bundle), random.Random(3)
    for _ in range(25):
        _, other = mutated(told, rng)
        (bundle / "manifest.json").write_text(json.dumps(other))
        try:
            found = sq.verify(bundle)
            expected = 0 if found.verdict.complete else 2 if found.holds else 1
        except sq.SequesterError:
            expected = 2
        monkeypatch.setattr("sys.argv", ["sequester", "verify", str(bundle)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == expected
        said = capsys.readouterr().err
        assert "internal error" not in said and said.count("\n") <= 1


# A bundle in a ZIP file.


def zipped(bundle, more=(), wrap=True):
    out = bundle.with_name("a.bundle.zip")
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(bundle.rglob("*")):
            archive.write(path, path.relative_to(bundle.parent if wrap else bundle))
        for name, raw in more:
            archive.writestr(name, raw)
    return out


@pytest.mark.parametrize("wrap", [True, False])
def test_a_zip_file_opens_like_the_folder(bundle, wrap):
    path = zipped(bundle, wrap=wrap)
    before = sorted(p.name for p in bundle.parent.iterdir())
    assert sq.verify(path).holds and sq.verify(path, toy.panel(10)).holds
    opened = sq.open_bundle(path)
    assert opened.sql("select count(*) n from records").to_pylist() == [{"n": 10}]
    assert opened.path.parent.stat().st_mode & 0o777 == 0o700
    assert sorted(p.name for p in bundle.parent.iterdir()) == before


def link():
    info = zipfile.ZipInfo("a.bundle/data/link")
    info.external_attr = (0o120777) << 16
    return info


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([("../x.csv", SECRET)], "open: 'a.bundle.zip' holds a link or points outside; it is not unpacked."),
        ([("/x.csv", SECRET)], "open: 'a.bundle.zip' holds a link or points outside; it is not unpacked."),
        ([(link(), "/etc/passwd")], "open: 'a.bundle.zip' holds a link or points outside; it is not unpacked."),
        (
            [("a.bundle/x", b"0" * 90_000_000)],
            "open: 'a.bundle.zip' would grow out of all proportion; it is not unpacked.",
        ),
    ],
)
def test_a_dangerous_zip_file_is_refused(bundle, more, message):
    with pytest.raises(sq.BundleError) as caught:
        sq.open_bundle(zipped(bundle, more))
    assert str(caught.value) == message


def test_a_zip_file_with_more_in_it_is_not_confirmed(bundle):
    assert "checksums" in refused(zipped(bundle, [("a.bundle/data/raw.csv", SECRET)]))
    path = zipped(bundle)
    path.write_bytes(b"PK no archive")
    assert refused(path) == "open: 'a.bundle.zip' cannot be unpacked. Get an intact copy."


def test_a_full_disk_is_not_blamed_on_the_zip_file(bundle, monkeypatch, tmp_path):
    import errno
    import shutil
    import tempfile

    path = zipped(bundle)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(shutil, "copyfileobj", _full(errno.ENOSPC))
    assert refused(path) == (
        "open: there is no room to unpack 'a.bundle.zip' in the folder for temporary files. Make room, or set TMPDIR "
        "to a folder on another disk."
    )
    assert not list(tmp_path.glob("sequester-*")), "what was unpacked so far takes no room"
    monkeypatch.setattr(shutil, "copyfileobj", _full(errno.EINVAL))
    assert refused(path) == "open: 'a.bundle.zip' cannot be unpacked. Get an intact copy."


def _full(number):
    def write(*_):
        raise OSError(number, "no")

    return write


def test_a_judge_that_never_looks_at_the_original_says_so():
    from sequester.judges import BLIND, judge

    data = sq.sample("symbols", n_people=60, seed=1)
    made = sq.anonymize(data, sq.NgramDP(**sq.NgramDP.example), seed=1)
    assert made.guarantee.model in BLIND
    assert judge(made, data) == judge(made, None)
    verdict = sq.verify(made, data)
    assert not verdict.saw_original and verdict.summary.endswith(
        ": the ledger adds up and the tables have the method's shape; the noise itself cannot be seen."
    )

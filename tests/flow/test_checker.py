"""`verify.html` in Chromium: the verdict of `verify` on golden bundles, forgeries and signatures, or plain words."""

import hashlib
import json
import math
import shutil
import zipfile
from contextlib import suppress
from itertools import combinations_with_replacement
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from experiments.fault_forgeries import written_again
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.bundle.contents import ATTESTATION, SIGNATURE
from sequester.bundle.formats import sha256
from sequester.bundle.manifest import stated_promise
from sequester.bundle_checks import opened, page_makers
from sequester.checker import checker_page
from sequester.release import as_json, to_json_text
from sequester.signing import attestation
from sequester.signing.sshsig import SigningKey
from sequester.stored_tables import LABEL, labelled, write_parquet
from tests.browser import ABSENT, CONTRASTS
from tests.checker import Checker, verdict
from tests.federated import hospitals
from tests.golden.make_bundles import original
from tests.option_tries import TRIES

pytestmark = pytest.mark.skipif(bool(ABSENT), reason=ABSENT)
GOLDEN = Path(__file__).parents[1] / "golden" / "bundles"


@pytest.fixture(scope="module")
def checker(tmp_path_factory):
    with Checker(tmp_path_factory.mktemp("page")) as page:
        yield page


@pytest.mark.parametrize("name", sorted(p.stem for p in GOLDEN.glob("*.bundle")))
def test_golden_bundles(checker, name):
    seen = checker.agrees(GOLDEN / f"{name}.bundle")
    recounted = {
        "k-repeats": "confirmed", "word-frequency": "confirmed", "kapra": "confirmed", "kp-naive": "confirmed",
        "bfp2ka": "confirmed", "ngram-k": "undecided", "ngram-dp": "ledger", "markov-dp": "ledger",
        "activity-dp": "ledger", "events-ngram-dp": "ledger",
    }  # fmt: skip
    assert seen["result"] == recounted.get(name, "not recounted"), seen["checks"]


def test_the_page_is_one_file_that_loads_and_sends_nothing(checker):
    page = checker_page()
    assert len(page.encode()) <= 300_000 and page == checker_page()
    assert "://" not in page.replace("https://in-toto.io/Statement/v1", "").replace("file://", "")
    asked = """() => Promise.all([fetch("http://127.0.0.1:9/x").catch(e => "blocked"), new Promise(done => {
      const img = new Image(); img.onerror = () => done("blocked"); img.src = "http://127.0.0.1:9/y"; })])"""
    assert checker.browser.page.evaluate(asked) == ["blocked", "blocked"]
    assert not [line for line in checker.browser.proxy.seen if "127.0.0.1:9" in line], "nothing left the browser"


@pytest.fixture(scope="module")
def variants(tmp_path_factory):
    """Honest bundles with other options."""
    folder = tmp_path_factory.mktemp("variants")
    notes, vitals = original("k-repeats"), original("kapra")
    minutes = original("mcka")
    methods = {
        "word": (notes, sq.KRepeats(k=4, granularity="word", unit="document"), ("csv",)),
        "character": (notes, sq.KRepeats(k=4, granularity="character", spans=None, first_pass=()), ()),
        "original": (notes, sq.KRepeats(k=4, count_in="original"), ()),
        "occurrence": (notes, sq.WordFrequency(k=4, unit="occurrence"), ("folder",)),
        "diverse": (vitals, sq.Kapra(k=8, p=4, l=2, harmless=("outcome=home",), withhold_up_to=1.0), ("csv",)),
        "ranges": (vitals, sq.Kapra(k=5, p=1, ends_step=0.0, unit="record"), ()),
        "own": (vitals, sq.Kapra(k=5, p=2, pattern="literal"), ()),
        "exact": (minutes, sq.MCKA(k=5, exact=True), ()),
    }
    for name, (data, method, formats) in methods.items():
        made = sq.anonymize(data, method, seed=1)
        sq.publish(made, folder / f"{name}.bundle", source=data, formats=formats, force=True)
    return folder


def test_other_options_are_confirmed_too(checker, variants):
    for path in sorted(variants.glob("*.bundle")):
        seen = checker.agrees(path)
        wanted = "undecided" if path.stem == "original" else "confirmed"
        assert seen["result"] == wanted, (path.stem, [c for c in seen["checks"] if not c["passed"]])


WORDS = """all => all.map(text => {
  const { check } = promiseWords(json(text));
  return check.passed ? "" : check.detail;
})"""


def test_the_words_of_every_option_are_known(checker):
    """Every option of every method, and every two of them: what an honest bundle says is not called forged."""
    told = []
    for method_id, tries in TRIES.items():
        cls = sq.method_class(method_id)
        some = [{}, *({**one.beside, one.option: one.value} for one in tries)]
        for one, two in combinations_with_replacement(some, 2):
            with suppress(sq.SequesterError):  # these do not go together
                method = cls(**{**cls.example, **one, **two})
                about = {"id": method.id, "parameters": dict(method.parameters), "paper": cls.paper}
                told.append({"method": about, "guarantee": stated_promise(method.guarantee, teaching_only=False),
                             "kind": cls.accepts.kind, "layout": method.layout})  # fmt: skip
    texts = [to_json_text(as_json({"created_with": f"sequester {sq.__version__}", **one})) for one in told]
    found = checker.browser.page.evaluate(WORDS, texts)
    odd = [(one["method"], why) for one, why in zip(told, found, strict=True) if why]
    assert len(told) > 2000 and not odd, odd[:3]


# Forgeries: a golden bundle is edited, and sealed again as its writer would.


def sealed(bundle: Path, change, pages: bool = True) -> None:
    """Apply `change(manifest, bundle)`, and make checksums and pages anew."""
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["verification"]["checked"] = []
    change(manifest, bundle)
    with suppress(Exception):  # a list of files that is none
        written_again(bundle, manifest)
    (bundle / "manifest.json").write_text(to_json_text(manifest))
    manifest = json.loads((bundle / "manifest.json").read_text())
    if pages:
        with suppress(Exception):  # what cannot be drawn keeps its old pages
            for page, make in page_makers(opened(bundle, manifest)).items():
                (bundle / page).write_text(make(), "utf-8")
    for page in manifest["pages"]:
        page["sha256"] = sha256(bundle / page["path"])
    (bundle / "manifest.json").write_text(to_json_text(manifest))


def more(table, column):
    """A column more, of words."""

    def apply(manifest, bundle):
        path = bundle / "data" / f"{table}.parquet"
        old = pq.read_table(path)
        write_parquet([old.append_column(column, pa.array(["Maria Muster"] * old.num_rows))], path)
        next(f for f in manifest["files"] if f["path"] == f"data/{table}.parquet")["schema"][column] = "string"

    return apply


def typed(table, column, kind):
    """The same cells in another type."""

    def apply(manifest, bundle):
        path = bundle / "data" / f"{table}.parquet"
        old = pq.read_table(path)
        write_parquet([old.set_column(old.column_names.index(column), column, old[column].cast(kind))], path)
        entry = next(f for f in manifest["files"] if f["path"] == f"data/{table}.parquet")
        entry["schema"][column] = str(kind)

    return apply


def rows(table, change):
    """A change of a Parquet table, as a list of rows."""

    def apply(manifest, bundle):
        path = bundle / "data" / f"{table}.parquet"
        old = pq.read_table(path)
        new = pa.Table.from_pylist(change(old.to_pylist()), schema=old.schema)
        write_parquet([new], path)
        next(f for f in manifest["files"] if f["path"] == f"data/{table}.parquet")["rows"] = new.num_rows

    return apply


def cell(table, at, column, value):
    def change(found):
        found[at][column] = value(found[at][column]) if callable(value) else value
        return found

    return rows(table, change)


def every(table, column, value):
    return rows(table, lambda found: [{**r, column: value(r[column])} for r in found])


def documents(change):
    def apply(manifest, bundle):
        path = bundle / "data" / "documents.jsonl"
        found = change([json.loads(line) for line in path.read_text().splitlines()])
        path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in found))
        manifest["files"][[f["path"] for f in manifest["files"]].index("data/documents.jsonl")]["rows"] = len(found)

    return apply


def told(*keys, value):
    def apply(manifest, _):
        place = manifest
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value(place[keys[-1]]) if callable(value) else value

    return apply


def both(*changes):
    def apply(manifest, bundle):
        for change in changes:
            change(manifest, bundle)

    return apply


def raw(table, change):
    def apply(_, bundle):
        path = bundle / "data" / f"{table}.parquet"
        path.write_bytes(change(path.read_bytes()))

    return apply


def written(name, **how):
    def apply(_, bundle):
        path = bundle / "data" / f"{name}.parquet"
        table = pq.read_table(path)
        with pq.ParquetWriter(path, table.schema, **{"compression": "zstd", "store_schema": False, **how}) as writer:
            writer.write_table(table)
            writer.add_key_value_metadata({LABEL: table.schema.metadata[LABEL]})

    return apply


def said(name):
    """The label, and a word beside it."""

    def apply(_, bundle):
        path = bundle / "data" / f"{name}.parquet"
        table = pq.read_table(path)
        with pq.ParquetWriter(path, table.schema, compression="zstd", store_schema=False) as writer:
            writer.write_table(table)
            writer.add_key_value_metadata({LABEL: table.schema.metadata[LABEL], "who": "Maria Muster"})

    return apply


def footer(change):
    def apply(found):
        n = int.from_bytes(found[-8:-4], "little")
        new = change(found[-8 - n : -8])
        return found[: -8 - n] + new + len(new).to_bytes(4, "little") + b"PAR1"

    return apply


HIDDEN = b"Maria Muster"
FIELD = footer(lambda f: f[:-1] + b"\x08\xc8\x01" + bytes([len(HIDDEN)]) + HIDDEN + b"\x00")
PARQUET = {
    "a field in the footer": lambda t: raw(t, FIELD),
    "words behind the footer": lambda t: raw(t, footer(lambda f: f + HIDDEN)),
    "bytes before the footer": lambda t: raw(t, lambda b: b[: -8 - int.from_bytes(b[-8:-4], "little")] + HIDDEN
                                             + b[-8 - int.from_bytes(b[-8:-4], "little"):]),
    "metadata": lambda t: written(t, store_schema=True),
    "more words in the footer": said,
    "snappy": lambda t: written(t, compression="snappy"),
    "gzip": lambda t: written(t, compression="gzip"),
    "data pages of version 2": lambda t: written(t, data_page_version="2.0"),
    "cut off": lambda t: raw(t, lambda b: b[:-20]),
    "a byte flipped in the middle": lambda t: raw(t, lambda b: b[:40] + bytes([b[40] ^ 255]) + b[41:]),
}  # fmt: skip
MANIFEST = {
    "k as a fraction": told("guarantee", "parameters", value=lambda p: p | {"k": float(p["k"])}),
    "no words at all": told("guarantee", "not_covered", value=[]),
    "an unknown key": told("seed", value=7),
    "a key in the method": told("method", "note", value="Maria"),
    "another format": told("format", value="sequester/2"),
    "for teaching": told("teaching_only", value=True),
    "k doubled": both(told("guarantee", "parameters", "k", value=lambda k: 2 * k),
                      told("method", "parameters", "k", value=lambda k: 2 * k)),
    "other rows in the manifest": told("files", 0, "rows", value=lambda n: n + 1),
    "a path outside": told("files", 0, "path", value="../x.parquet"),
    "a file twice": told("files", value=lambda f: [*f, f[0]]),
    "a number in the title": told("publication", "title", value=7),
    "a licence in a list": told("publication", "licence", value=["Maria"]),
    "a day that is none": told("publication", "issued", value="2026-02-30"),
    "nobody says whether the original is needed": told("guarantee", "needs_original", value=None),
    "nobody says whether it is a copy": told("files", 0, "copy", value=None),
    "the original is needed": told("guarantee", "needs_original", value=lambda v: not v),
    "a part of the promise left out": told("guarantee", "parameters",
                                           value=lambda p: {k: v for k, v in p.items() if k != "ends"}),
    "l of 0": both(told("guarantee", "parameters", "l", value=0), told("method", "parameters", "l", value=0)),
    "a level in words": told("method", "parameters", "max_level", value="Maria"),
    "a day of a week": told("publication", "expires", value="2026-W09-7"),
}  # fmt: skip
ANY = {
    "honest": told("publication", "title", value="Another title"),
    "a better level": told("guarantee", "level", value="perfect anonymity"),
    "a better statement": told("guarantee", "statement", value="Nobody can find anybody."),
    "another unit": told("guarantee", "unit", value=lambda u: "occurrence" if u != "occurrence" else "record"),
    "another grade": told("guarantee", "status", value=lambda s: "proved" if s != "proved" else "as-published"),
    "nothing left out": told("guarantee", "not_covered", value=lambda w: w[:1]),
    "another kind": told("kind", value=lambda k: "text" if k != "text" else "series"),
    "another layout": told("layout", value=lambda x: "grams" if x != "grams" else "log"),
    "epsilon or k by yes": told(
        "guarantee", "parameters", value=lambda p: {n: True if v == 1 else v for n, v in p.items()}
    ),
    "groups in words": told("method", "parameters", value=lambda p: p | {"by": "[]"} if "by" in p else p),
    "another paper": told("method", "paper", value="Maria Muster"),
    "a promise with a note": told("guarantee", "parameters", "note", value="Maria Muster"),
    "a ledger of words": told(
        "ledger",
        value=lambda v: (
            (v and {**v, "total": 9 * v["total"]})
            or {
                "measure": "Maria",
                "unit": "Muster",
                "total": 1.0,
                "epsilon": 1.0,
                "delta": 0.0,
                "delta_reserved": 0.0,
                "entries": [],
            }
        ),
    ),
    "a paper of another version": both(
        told("created_with", value="sequester 0.9.9"), told("method", "paper", value="Maria Muster")
    ),
    "an option that went": told("method", "parameters", "declare", value="Maria Muster"),
}
SERIES = {
    "one person alone": cell("records", 0, "group", 9_999),
    "another end": cell("records", 0, "h08_lo", lambda v: v - 5),
    "an end that is nobody's step": every("records", "h08_lo", lambda v: v - 1.5),
    "ranges backwards": every("records", "h08_lo", lambda v: v + 1000),
    "a rare pattern": cell("records", 0, "pattern", lambda w: w[::-1] + ""),
    "a letter beyond the level": cell("records", 0, "pattern", lambda w: "z" + w[1:]),
    "another level": cell("records", 0, "level", lambda v: v + 1),
    "a number twice": cell("records", 0, "record", 2),
    "an end that is not a number": every("records", "h08_lo", lambda v: math.nan),
    "an end that is missing": cell("records", 0, "h08_lo", None),
    "one row less": rows("records", lambda r: r[1:]),
    "rows in another order": rows("records", lambda r: r[::-1]),
    "groups by other numbers": every("records", "group", lambda g: g + 100),
    "groups beyond counting": every("records", "group", lambda g: g + 2**53),
    "a step in words": told("method", "parameters", "ends_step", value="5.0"),
    "a tiny step": told("method", "parameters", "ends_step", value=1e-9),
    "no step": told("method", "parameters", "ends_step", value=0.0),
    "another role": cell("columns", -1, "role", "number"),
    "a column unaccounted for": rows("columns", lambda r: r[:-1]),
    "other sensitive values": every("records", "outcome", lambda _: "zz"),
}
TEXT = {
    "a rare word": documents(lambda d: [{**d[0], "text": d[0]["text"] + " Zyxwvut"}, *d[1:]]),
    "a word cut": documents(lambda d: [{**d[0], "text": d[0]["text"][1:]}, *d[1:]]),
    "a mark more": documents(lambda d: [{**d[0], "text": d[0]["text"] + "[…]"}, *d[1:]]),
    "a document twice": documents(lambda d: [*d, d[0]]),
    "a document less": documents(lambda d: d[1:]),
    "one owner for all": every("owners", "owner", lambda _: 1),
    "an owner missing": rows("owners", lambda r: r[1:]),
    "everybody their own": rows("owners", lambda r: [{**x, "owner": i} for i, x in enumerate(r)]),
    "a span moved": cell("spans", 0, "start", lambda v: v + 1),
    "a span less": rows("spans", lambda r: r[1:]),
    "a span twice": rows("spans", lambda r: [*r, r[0]]),
    "documents in another order": documents(lambda d: d[::-1]),
    "lines spelled otherwise": lambda m, b: (b / "data" / "documents.jsonl").write_text(
        (b / "data" / "documents.jsonl").read_text().replace('": "', '":"')),
}  # fmt: skip
GRAMS = {
    "a count below k": cell("ngrams", 0, "count", 1),
    "another count": cell("ngrams", 3, "count", lambda v: v + 1),
    "a gram less": rows("ngrams", lambda r: r[1:]),
    "a gram twice": rows("ngrams", lambda r: [*r, r[0]]),
    "another balance": cell("balance", 0, "occurrences", lambda v: v + 1),
    "nothing moved below 0": cell("balance", 0, "moved", -1),
    "a part of an occurrence moved": typed("balance", "moved", pa.float64()),
}
NOISY = {
    "half the sum": told("ledger", "spent", value=lambda v: v / 2),
    "an entry less": told("ledger", "entries", value=lambda e: e[1:]),
    "an entry twice": told("ledger", "entries", value=lambda e: [*e, e[0]]),
    "cheaper noise": told("ledger", "entries", 0, "scale", value=lambda v: v / 2),
    "a cheaper entry": told("ledger", "entries", 0, "amount", value=lambda v: v / 2),
    "a smaller epsilon": told("guarantee", "parameters", "epsilon", value=1.0),
    "a smaller epsilon everywhere": both(told("guarantee", "parameters", "epsilon", value=1.0),
                                         told("method", "parameters", "epsilon", value=1.0),
                                         told("ledger", "epsilon", value=1.0)),
    "no ledger": told("ledger", value=None),
    "a reading that was found": told("reading", 0, "how", value="found"),
    "another kind of noise": told("ledger", "entries", 0, "kind", value="magic"),
}  # fmt: skip
ROWS = {
    "a state changed": cell("sequences", 0, "states", lambda s: [(s[0] + 1) % 4, *s[1:]]),
    "a row alone": cell("sequences", 0, "cluster", 99),
    "an interval less": cell("sequences", 0, "states", lambda s: s[1:]),
    "a state nobody knows": every("sequences", "states", lambda s: [9, *s[1:]]),
    "words beside the calendar": more("calendar", "note"),
    "words beside the states": more("states", "note"),
    "words beside the rows": more("sequences", "note"),
    "a state without a name": cell("states", 0, "name", None),
    "intervals that last no time": cell("calendar", 0, "interval_seconds", 0),
    "intervals that run backwards": cell("calendar", 0, "interval_seconds", -60),
    "a part of an interval": typed("calendar", "intervals", pa.float64()),
    "rows numbered from 1": every("sequences", "record", lambda v: v + 1),
    "rows numbered from 2": every("sequences", "record", lambda v: v + 2),
}
LETTERS = {
    "a rare sequence": cell("sequences", 0, "sequence", lambda s: " ".join(reversed(s.split()))),
    "a letter nobody knows": cell("sequences", 0, "sequence", lambda s: s + " z"),
    "a number twice": cell("sequences", 0, "record", 2),
}
FEW = ("half the sum", "cheaper noise", "no ledger", "a reading that was found")
OWN = {
    "kapra": SERIES, "k-repeats": TEXT, "word-frequency": TEXT, "ngram-k": GRAMS, "ngram-dp": NOISY, "markov-dp": NOISY,
    "bfp2ka": LETTERS,
    "exact": {**ANY, **ROWS},
    "diverse": {n: SERIES[n] for n in ("other sensitive values", "one row less", "another level")},
    "word": {n: change for n, change in TEXT.items() if "own" not in n},
    "events-ngram-dp": {n: NOISY[n] for n in FEW},
}  # fmt: skip
SOME = (
    "honest",
    "another unit",
    "epsilon or k by yes",
    "groups in words",
    "nothing left out",
    "another layout",
    "a promise with a note",
)
METHODS = sorted(path.stem for path in GOLDEN.glob("*.bundle"))
FORGERIES = {
    **{f"kapra: {n}": ("kapra", c) for n, c in MANIFEST.items()},
    **{f"{t}: {n}": (t, c(table)) for t, table in (("kapra", "records"), ("k-repeats", "owners"))
       for n, c in PARQUET.items()},
    **{f"{base}: {n}": (base, ANY[n]) for base in METHODS for n in (ANY if base in OWN else SOME)},
    **{f"{base}: {n}": (base, c) for base, own in OWN.items() for n, c in own.items()},
}  # fmt: skip
"""Every kind of change for every method; `experiments.checker_forgeries` has all others."""
SAME = {
    "honest",
    "rows numbered from 1",
    "rows in another order",
    "groups by other numbers",
    "documents in another order",
}


def test_forgeries_get_the_same_verdict(checker, variants, tmp_path):
    """One test for all, because what each costs is the same browser."""
    seen = {"broken": 0, "left": 0, "confirmed": 0}
    for i, (name, (base, change)) in enumerate(FORGERIES.items()):
        place = tmp_path / f"{i}.bundle"
        own = GOLDEN / f"{base}.bundle"
        shutil.copytree(own if own.exists() else variants / f"{base}.bundle", place)
        try:
            kind = name.partition(": ")[2]
            sealed(place, change, pages=kind == "honest" or kind not in {**ANY, **MANIFEST})
            found = checker.agrees(place)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error
        broken = found["verify"] in ("broken", "refused")
        seen["confirmed" if not broken else "broken" if found["result"] in ("broken", "refused") else "left"] += 1
        assert kind not in SAME or not broken or base == "word", name  # its copy is as it was
        shutil.rmtree(place)
    assert seen["broken"] >= 230 and seen["left"] <= 40, seen


def test_a_release_of_several_sites_is_looked_at(checker, tmp_path):
    bundle = hospitals(tmp_path, people="at most 2").accept_all().to_the_end().path
    found = checker.agrees(bundle)
    assert found["result"] == "ledger" and any("transcript" in line for line in found["not_checked"])
    changes = {"sites": 2, "collude": 3, "people": "all", "study": "x", "trusted_combiner": 1, "name": "north"}
    for i, (key, value) in enumerate(changes.items()):
        place = tmp_path / f"{i}.bundle"
        shutil.copytree(bundle, place)
        manifest = json.loads((place / "manifest.json").read_bytes())
        manifest["federation"][key] = value
        (place / "manifest.json").write_text(json.dumps(manifest), "utf-8")
        assert checker.agrees(place)["result"] == "refused", key


@pytest.mark.parametrize("path", ["notes.txt", "data/.hidden", "empty/", "data/records/1.txt"])
def test_the_set_of_files_is_closed(checker, tmp_path, path):
    place = tmp_path / "a.bundle"
    shutil.copytree(GOLDEN / "kapra.bundle", place)
    file = place / path
    file.parent.mkdir(exist_ok=True)
    file.mkdir() if path.endswith("/") else file.write_text("x")
    assert checker.agrees(place)["result"] == "broken"


FACT = b'"reading": [{"name": "x", "how": "declared", "value": %s}, '


@pytest.mark.parametrize("value", [b"NaN", b"-Infinity", b"1e999", b"9" * 400, b"[" * 200 + b"]" * 200, b'"\\ud800"'])
def test_a_manifest_in_which_something_could_hide_is_refused(checker, tmp_path, value):
    place = tmp_path / "a.bundle"
    shutil.copytree(GOLDEN / "kapra.bundle", place)
    manifest = (place / "manifest.json").read_bytes()
    assert b'"reading": [' in manifest
    (place / "manifest.json").write_bytes(manifest.replace(b'"reading": [', FACT % value, 1))
    found = checker.agrees(place)
    assert (found["verify"], found["result"]) == ("refused", "refused")


@pytest.mark.parametrize("more", ["Maria/", "a.bundle/Maria/", "a.bundle/data/Maria/"])
def test_a_folder_in_a_zip_file_is_looked_at(checker, tmp_path, more):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        for file in sorted((GOLDEN / "kapra.bundle").rglob("*")):
            packed.write(file, Path("a.bundle") / file.relative_to(GOLDEN / "kapra.bundle"))
        packed.writestr(more, b"")
    assert checker.choose(tmp_path / "a.zip")["result"] in ("broken", "refused")
    assert verdict(tmp_path / "a.zip")[0] in ("broken", "refused")


def test_a_link_is_left_out_and_that_is_said(checker, tmp_path):
    place = tmp_path / "a.bundle"
    shutil.copytree(GOLDEN / "kapra.bundle", place)
    (place / "more").symlink_to("/etc/hostname")
    found = checker.agrees(place)
    assert found["result"] == "confirmed" and any("links" in line for line in found["not_checked"])


def key(byte: int = 1) -> SigningKey:
    return SigningKey(Ed25519PrivateKey.from_private_bytes(bytes([byte]) * 32))


def test_signatures_get_the_same_words(checker, tmp_path):
    from tests.unit.test_signatures import FACTS, FORGED, UNREADABLE, attestations, public_line, signers

    place = tmp_path / "a.bundle"
    shutil.copytree(GOLDEN / "kapra.bundle", place)
    manifest = (place / "manifest.json").read_bytes()
    good = attestation.envelope(FACTS, hashlib.sha256(manifest).hexdigest(), key())
    office = f"office {public_line(key())}\n"

    def words(text):
        page = checker.examine(place, text)
        listed = signers(place, text) if text else None
        ours = sq.signature_of(place.with_name(f"{place.name}.signers") if listed else None)(place)
        assert page["signature"] == ours.words, (page["signature"], ours.words)
        assert not listed or [c["passed"] for c in page["checks"] if c["name"] == "signature"] == [ours.good]
        return page

    assert words(office)["signature"] == "the bundle is not signed"
    (place / SIGNATURE).write_text(key().sign(manifest))
    (place / ATTESTATION).write_text(good)
    assert words(office)["statement"] == attestation.in_words(FACTS)
    for text in (
        "", f"a {public_line(key(2))}", f'a valid-before="20200101" {public_line(key())}',
        f'a valid-after="29990101Z" {public_line(key())}', f'a namespaces="git" {public_line(key())}\n{office}',
    ):  # fmt: skip
        words(text)
    for text in (*UNREADABLE, "office\n", "a\x1f {key}", "a {key}\ufeff", "a {key}\x85"):
        page = checker.examine(place, text.format(key=public_line(key())))
        assert page["result"] == "refused" and "the list of signers" in page["checks"][0]["detail"], text
    for forged in FORGED.values():  # of another manifest, or damaged
        (place / SIGNATURE).write_bytes(forged.encode())
        assert words(office)["result"] == "broken"
    (place / SIGNATURE).write_text(key().sign(manifest))
    for forged in attestations(hashlib.sha256(manifest).hexdigest()).values():
        (place / ATTESTATION).write_bytes(forged.encode())
        assert words(office)["result"] == "broken"
    (place / SIGNATURE).unlink()
    assert words("")["result"] == "broken"


# Parquet against pyarrow.

COLUMNS = {
    "int64": st.integers(-(2**63), 2**63 - 1), "int32": st.integers(-(2**31), 2**31 - 1), "uint8": st.integers(0, 255),
    "double": st.floats(), "bool": st.booleans(),
    "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
}  # fmt: skip


@st.composite
def tables(draw):
    n = draw(st.integers(0, 40))
    out = {}
    for i, kind in enumerate(draw(st.lists(st.sampled_from([*COLUMNS, "list"]), min_size=1, max_size=4))):
        of = COLUMNS["uint8"] if kind == "list" else COLUMNS[kind]
        item = st.lists(of, max_size=5) if kind == "list" else of
        few = st.sampled_from(draw(st.lists(item, min_size=1, max_size=3)))
        cells = draw(st.lists(st.one_of(st.none(), draw(st.sampled_from([item, few]))), min_size=n, max_size=n))
        kind = pa.list_(pa.uint8()) if kind == "list" else pa.type_for_alias(kind)
        out[f"c{i}"] = pa.array(cells * draw(st.sampled_from([1, 1, 50])), kind)
    size = min(map(len, out.values()))
    return pa.table({name: cells.slice(0, size) for name, cells in out.items()})


READ = """b => { const t = parquet(unbase64(b), "words"); return t.names.map(n => t.columns[n].map(v =>
  typeof v === "bigint" ? String(v) : typeof v === "number" && !Number.isFinite(v) ? String(v) : v)); }"""


@settings(max_examples=60, deadline=None)
@given(tables())
def test_parquet_is_read_as_pyarrow_reads_it(checker, table):
    import base64
    import io

    file = io.BytesIO()
    write_parquet(labelled(table, "words"), file)
    found = checker.browser.page.evaluate(READ, base64.b64encode(file.getvalue()).decode())

    def plain(v):
        if isinstance(v, float) and not math.isfinite(v):
            return "NaN" if math.isnan(v) else "Infinity" if v > 0 else "-Infinity"
        return str(v) if isinstance(v, int) and not isinstance(v, bool) and abs(v) > 2**53 - 1 else v

    for name, cells in zip(table.column_names, found, strict=True):
        wanted = [plain(v) for v in table[name].to_pylist()]
        if table.schema.field(name).type == pa.float64():  # JSON writes large ones without a point
            cells = [float(v) if isinstance(v, int) else v for v in cells]
        assert cells == wanted


# The page itself.


def test_a_folder_and_a_zip_are_chosen_on_the_page(checker, tmp_path):
    assert checker.choose(GOLDEN / "kapra.bundle")["result"] == "confirmed"
    assert checker.browser.page.inner_text("#out h2") == "Confirmed from the release alone"
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted((GOLDEN / "k-repeats.bundle").rglob("*")):
            packed.write(file, Path("k-repeats.bundle") / file.relative_to(GOLDEN / "k-repeats.bundle"))
    assert checker.choose(tmp_path / "a.zip")["result"] == "confirmed"
    (tmp_path / "b.zip").write_bytes(b"PK hello")
    assert checker.choose(tmp_path / "b.zip")["checks"][0]["detail"].startswith("it is not a ZIP file")
    assert checker.choose(GOLDEN / "k-repeats.bundle")["result"] == "confirmed"


def test_a_member_that_holds_more_than_it_says_is_not_unpacked(checker, tmp_path):
    path, size = tmp_path / "a.zip", 100_000_000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("manifest.json", bytes(size))
    raw = path.read_bytes()
    assert raw.count(size.to_bytes(4, "little")) == 2
    path.write_bytes(raw.replace(size.to_bytes(4, "little"), (10).to_bytes(4, "little")))
    assert checker.choose(path)["checks"][0]["detail"] == "it cannot be unpacked"
    assert verdict(path)[0] == "refused"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_on_a_phone_and_in_the_dark(checker, scheme):
    checker.browser.scheme(scheme)
    checker.browser.size(360, 700)
    page = checker.browser.page
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert checker.browser.run(CONTRASTS) == []
    unnamed = "() => [...document.querySelectorAll('input, textarea')].filter(x => !x.labels.length).length"
    assert page.evaluate(unnamed) == 0
    assert page.get_attribute("#out", "role") == "status"


def test_states_whose_codes_are_text_are_refused_here_too(checker, tmp_path):
    from tests.unit.test_hostile_bundles import reseal

    bundle = tmp_path / "a.bundle"
    shutil.copytree(GOLDEN / "mcka.bundle", bundle)
    reseal(bundle, "states", "code", "x")
    assert checker.agrees(bundle)["result"] == "broken"

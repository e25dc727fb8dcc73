"""What lies beside the data explains it: the lines of README.md run, and catalogues' own packages read the metadata."""

import json
import re
import shutil
import subprocess

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from pyarrow import csv

import sequester as sq
from sequester.bundle.companions import licence
from sequester.layouts import copies_of
from tests import toy
from tests.golden.make_bundles import BUNDLES, MADE, SOURCES, original

ALL = sorted(MADE)
COPIED = [f"{name} with every copy" for name in ALL]
SHAPES = [f"notes as {shape}" for shape in ("one file", "folder", "csv", "parquet")]
EVERY = [*ALL, *COPIED, *SHAPES]
UNTIMED = {"events-ngram-dp": ("omop", "fhir", "meds")}
"""Its events have an order, and those standards ask for times."""
CARD = sq.Publication(licence="CC-BY-4.0", contact="Data office", issued="2026-03-01", version="1.2")


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A bundle by its name: a golden one, one made now with all copies its method knows, or notes in some shape."""
    folder, made = tmp_path_factory.mktemp("companions"), {}

    def get(name):
        if name in ALL:
            return sq.open_bundle(BUNDLES / f"{name}.bundle")
        if name not in made:
            method_id, _, parameters = MADE[name.split()[0]] if name in COPIED else MADE["k-repeats"]
            parameters = parameters | ({"unit": "occurrence"} if name == SHAPES[0] else {})
            method = sq.method_class(method_id)(**parameters)
            data = original(name.split()[0]) if name in COPIED else notes(folder / name, name.split()[-1])
            made[name] = sq.publish(
                sq.anonymize(data, method), folder / f"{name}.bundle", source=data, force=True, publication=CARD,
                formats=[f for f in copies_of(type(method)) if name in COPIED and f not in UNTIMED.get(method_id, ())],
            )  # fmt: skip
        return made[name]

    return get


def notes(place, shape):
    """The same notes, one document in one file, a folder per person, or a table."""
    place.mkdir(exist_ok=True)
    rows = [json.loads(line) for line in (SOURCES / "notes.jsonl").read_text("utf-8").splitlines()]
    if shape == "file":
        (place / "one.txt").write_text("\n\n".join(row["text"] for row in rows), "utf-8")
        return sq.read_corpus(place / "one.txt")
    if shape == "folder":
        for row in rows:
            (place / row["person"]).mkdir(exist_ok=True)
            (place / row["person"] / f"{row['document']}.txt").write_text(row["text"], "utf-8")
        return sq.read_corpus(place, person="folder")
    path = place / f"notes.{shape}"
    (csv.write_csv if shape == "csv" else pq.write_table)(pa.Table.from_pylist(rows), path)
    return sq.read_corpus(path, **MADE["k-repeats"][1][1])


def main_files(bundle):
    """The files of the table that people read, which the lines of README.md load."""
    files = bundle.manifest["files"]
    first = next((f for f in files if f["format"] == "long"), files[0])
    return [f for f in files if (f["table"], f["format"]) == (first["table"], first["format"])]


def blocks(bundle, language):
    return re.findall(rf"```{language}\n(.*?)```", (bundle / "README.md").read_text("utf-8"), flags=re.S)


@pytest.mark.parametrize("name", EVERY)
def test_the_lines_of_the_readme_run(name, opened, monkeypatch):
    bundle = opened(name)
    monkeypatch.chdir(bundle.path)
    files, scope = main_files(bundle), {}
    rows, columns = sum(f["rows"] for f in files), sorted(files[0]["schema"])
    exec(blocks(bundle.path, "python")[0], scope)
    assert (len(scope["table"]), sorted(scope["table"].columns)) == (rows, columns)
    (query,) = blocks(bundle.path, "sql")
    assert len(duckdb.sql(query).fetchall()) == min(5, rows)
    promise = bundle.manifest["guarantee"]
    text = (bundle.path / "README.md").read_text("utf-8")
    assert promise["statement"] in text and all(line in text for line in promise["not_covered"])
    cited = yaml.safe_load((bundle.path / "CITATION.cff").read_text("utf-8"))
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "dataset") and cited["authors"]
    if "text" in columns:
        texts = bundle.tables["documents"].sort_by("document")["text"].to_pylist()
        assert scope["table"].sort_values("document")["text"].tolist() == texts


def test_the_lines_for_r_run(opened):
    """Those whose package R has: none for CSV and texts, `arrow` for Parquet, `jsonlite` for notes in lines of JSON."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed: its lines in README.md were not run")
    code = ""
    for at, name in enumerate(EVERY):
        (line,) = blocks(opened(name).path, "r")
        package = re.search(r"(\w+)::|$", line)[1] or "base"
        code += (
            f"setwd({json.dumps(str(opened(name).path))})\nif (requireNamespace('{package}', quietly = TRUE)) {{\n"
            f"{line}cat('table', {at}, nrow(table), ncol(table), '\\n') }}\n"
        )
    done = subprocess.run(["Rscript", "--vanilla", "-"], input=code, capture_output=True, text=True, check=True)
    found = re.findall(r"^table (\d+) (\d+) (\d+) $", done.stdout, flags=re.M)
    assert {EVERY[int(at)] for at, _, _ in found} >= {"notes as one file", "notes as folder", "notes as csv"}
    for at, rows, columns in found:
        files = main_files(opened(EVERY[int(at)]))
        assert (int(rows), int(columns)) == (sum(f["rows"] for f in files), len(files[0]["schema"])), EVERY[int(at)]


@pytest.mark.filterwarnings("ignore:Install the optional requirement")
@pytest.mark.parametrize(
    "name", [name for name in EVERY if {"events-ngram-dp", "markov-dp", "markov-ratio"} & {*name.split()}]
)
def test_an_event_log_opens_in_pm4py(name, opened, monkeypatch):
    pytest.importorskip("pm4py")
    bundle, scope = opened(name), {}
    monkeypatch.chdir(bundle.path)
    exec(blocks(bundle.path, "python")[1], scope)
    assert scope["log"]["case:concept:name"].nunique() == len(bundle.tables["events"]["object"].unique())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", EVERY)
def test_catalogues_read_the_metadata(name, opened):
    frictionless = pytest.importorskip("frictionless")
    croissant = pytest.importorskip("mlcroissant")
    crate = pytest.importorskip("rocrate.rocrate")
    bundle = opened(name)
    files = bundle.manifest["files"]
    found = frictionless.validate(str(bundle.path / "datapackage.json"))
    assert found.valid, [e.message for task in found.tasks for e in task.errors]
    described = {f["path"] for f in files if f["format"] not in ("omop", "fhir", "meds")}
    assert {task.place for task in found.tasks} == described
    dataset = croissant.Dataset(jsonld=str(bundle.path / "croissant.json"))  # raises where it breaks the standard
    for records in dataset.metadata.record_sets:
        columns = next(f["schema"] for f in files if f["table"] == records.uuid)
        assert len(next(iter(dataset.records(records.uuid)))) == len(columns)
    parts = {part.id for part in crate.ROCrate(bundle.path).root_dataset["hasPart"]}
    assert parts == {f["path"] for f in files} | {"report.html"}


def test_a_licence_by_its_spdx_name_comes_with_its_text(tmp_path, monkeypatch):
    toy.register(monkeypatch)
    release = sq.anonymize(toy.panel(10), toy.ToyGroups(k=3), seed=1)
    for words, begins in (
        ("CC-BY-4.0", "SPDX-License-Identifier: CC-BY-4.0\n\nCreative Commons"),
        ("Ask us", "Ask us\n"),
    ):
        target = tmp_path / f"{words}.bundle"
        sq.publish(release, target, source=toy.panel(10), publication=sq.Publication(licence=words))
        text = (target / "LICENSE").read_text("utf-8")
        assert text.startswith(begins) and "<<" not in text
        assert sq.verify(target).holds
    assert "no warranties" in licence({"publication": {"licence": "CC-BY-4.0"}})
    (target / "LICENSE").unlink()
    assert not sq.verify(target).holds

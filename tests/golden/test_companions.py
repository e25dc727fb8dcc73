"""What lies beside the data explains it: the lines of README.md run, and catalogues' own packages read the metadata."""

import json
import re
import shutil
import subprocess

import duckdb
import pytest
import yaml

import sequester as sq
from sequester.bundle.companions import licence
from tests import toy
from tests.golden.make_bundles import BUNDLES, MADE

ALL = sorted(MADE)


def blocks(bundle, language):
    return re.findall(rf"```{language}\n(.*?)```", (bundle / "README.md").read_text("utf-8"), flags=re.S)


@pytest.mark.parametrize("name", ALL)
def test_the_lines_of_the_readme_run(name, monkeypatch):
    bundle = BUNDLES / f"{name}.bundle"
    monkeypatch.chdir(bundle)
    files = sq.open_bundle(bundle).manifest["files"]
    main = next((f for f in files if f["format"] == "long"), files[0])
    scope = {}
    exec(blocks(bundle, "python")[0], scope)
    assert len(scope["table"]) == main["rows"]
    assert sorted(scope["table"].columns) == sorted(main["schema"])
    (query,) = blocks(bundle, "sql")
    assert len(duckdb.sql(query).fetchall()) == min(5, main["rows"])
    promise = sq.open_bundle(bundle).manifest["guarantee"]
    text = (bundle / "README.md").read_text("utf-8")
    assert promise["statement"] in text and all(line in text for line in promise["not_covered"])
    cited = yaml.safe_load((bundle / "CITATION.cff").read_text("utf-8"))
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "dataset") and cited["authors"]


def test_the_lines_for_r_run():
    """Those whose package R has: `arrow` for Parquet, `jsonlite` for notes."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed: its lines in README.md were not run")
    lines = {name: blocks(BUNDLES / f"{name}.bundle", "r")[0] for name in ALL}
    code = "".join(
        f"setwd({json.dumps(str(BUNDLES / f'{name}.bundle'))})\n"
        f"if (requireNamespace('{line.split('<- ')[1].split(':')[0]}', quietly = TRUE)) {{\n{line}\n"
        f"cat('{name}', nrow(table), '\\n') }}\n"
        for name, line in lines.items()
    )
    done = subprocess.run(["Rscript", "--vanilla", "-"], input=code, capture_output=True, text=True, check=True)
    found = re.findall(r"^([\w-]+) (\d+) $", done.stdout, flags=re.M)
    if not found:
        pytest.skip("R has neither arrow nor jsonlite: its lines in README.md were not run")
    for name, rows in found:
        files = sq.open_bundle(BUNDLES / f"{name}.bundle").manifest["files"]
        main = next((f for f in files if f["format"] == "long"), files[0])
        assert int(rows) == main["rows"], name


@pytest.mark.parametrize("name", ["events-ngram-dp", "markov-dp"])
def test_an_event_log_opens_in_pm4py(name, monkeypatch):
    pytest.importorskip("pm4py")
    bundle = BUNDLES / f"{name}.bundle"
    monkeypatch.chdir(bundle)
    scope = {}
    exec(blocks(bundle, "python")[1], scope)
    assert (
        scope["log"]["case:concept:name"].nunique()
        == sq.open_bundle(bundle).tables["events"]["object"].to_pandas().nunique()
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ALL)
def test_catalogues_read_the_metadata(name):
    frictionless = pytest.importorskip("frictionless")
    croissant = pytest.importorskip("mlcroissant")
    crate = pytest.importorskip("rocrate.rocrate")
    bundle = BUNDLES / f"{name}.bundle"
    found = frictionless.validate(str(bundle / "datapackage.json"))
    assert found.valid, [e.message for task in found.tasks for e in task.errors]
    dataset = croissant.Dataset(jsonld=str(bundle / "croissant.json"))  # raises where the file breaks the standard
    rows = next(iter(dataset.records(dataset.metadata.record_sets[0].uuid)))
    assert len(rows) == len(sq.open_bundle(bundle).manifest["files"][0]["schema"])
    parts = {part.id for part in crate.ROCrate(bundle).root_dataset["hasPart"]}
    assert parts == {f["path"] for f in sq.open_bundle(bundle).manifest["files"]} | {"report.html"}


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

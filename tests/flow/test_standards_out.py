"""Copies of a log as OMOP, FHIR and MEDS hold its events, say what they are, and nothing can hide in them."""

import datetime as dt
import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester.bundle.companions import protected_by
from sequester.bundle.formats import sha256
from sequester.bundle.standards import STANDARDS, Concept, concepts_of, read_mapping
from sequester.release import to_json_text
from tests.browser import ABSENT
from tests.checker import Checker
from tests.exits import exit_of

MAPPING = """concept_id\tconcept_name\tdomain_id\tvocabulary_id\tconcept_code
9201\tARRIVAL\tVisit\tVisit\tIP
4132857\tSURGERY\tProcedure\tSNOMED\t387713003
3000\tLAB\tMeasurement\tLOINC\t24331-1
77\tMEDICINE\tDrug\tRxNorm\t1191
88\tIMAGING\tCondition\tICD10CM\tR93
99\tSOMETHING ELSE\tVisit\tVisit\tOP
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("standards")
    (folder / "concept.csv").write_text(MAPPING, "utf-8")
    log = sq.sample("events", n_people=60, seed=3)
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35), seed=1)
    return sq.publish(
        release, folder / "log.bundle", source=log, formats=("xes", *STANDARDS), mapping=folder / "concept.csv"
    )


def triples(bundle):
    rows = bundle.tables["events"].to_pylist()
    return sorted((str(r["object"]), r["time"], r["state"]) for r in rows)


@pytest.mark.parametrize("form", STANDARDS)
def test_our_readers_find_the_events_of_the_release(made, form):
    log = sq.read_events(made.path / "data" / form, layout=form, time_format="iso", time_unit="second")
    found = sorted(
        (str(person), dt.datetime.fromtimestamp(int(log.times[at]), dt.UTC).replace(tzinfo=None),
         log.state_names[log.states[at]])
        for i, person in enumerate(log.persons)
        for at in range(int(log.offsets[i]), int(log.offsets[i + 1]))
    )  # fmt: skip
    assert found == triples(made) and sq.verify(made.path).holds


def test_every_file_says_what_it_is(made):
    label, data = protected_by(made.manifest), made.path / "data"
    assert label.startswith("protected by sequester: markov-ratio, as-published, promise sha256:")
    for name in ("events.parquet", "meds/data/0.parquet", "meds/metadata/codes.parquet"):
        assert pq.read_schema(data / name).metadata == {b"sequester": label.encode()}
    assert f'<string key="sequester:protected" value="{label}"/>' in (data / "events.xes").read_text("utf-8")
    assert label in (data / "omop" / "cdm_source.csv").read_text("utf-8")
    assert json.loads((data / "meds" / "metadata" / "dataset.json").read_text("utf-8"))["description"] == label
    for path in (data / "fhir").iterdir():
        assert all(
            json.loads(line)["meta"]["tag"][0]["display"] == label for line in path.read_text("utf-8").splitlines()
        )


def test_their_own_packages_read_the_copies(made):
    data = made.path / "data"
    models = pytest.importorskip("fhir.resources.R4B")
    rows = [json.loads(line) for path in (data / "fhir").iterdir() for line in path.read_text("utf-8").splitlines()]
    kinds = {row["resourceType"] for row in map(read_by(models), rows)}
    assert kinds == {path.stem for path in (data / "fhir").iterdir()} and "Encounter" in kinds
    meds = pytest.importorskip("meds")
    meds.DataSchema.validate(pq.read_table(data / "meds" / "data" / "0.parquet"))
    meds.CodeMetadataSchema.validate(pq.read_table(data / "meds" / "metadata" / "codes.parquet"))
    meds.DatasetMetadataSchema.validate(json.loads((data / "meds" / "metadata" / "dataset.json").read_text("utf-8")))


def read_by(models):
    return lambda row: models.get_fhir_model_class(row["resourceType"]).model_validate(row).model_dump(by_alias=True)


def test_states_have_the_words_of_the_mapping(made):
    omop = made.path / "data" / "omop"
    assert {p.stem for p in omop.iterdir()} >= {
        "visit_occurrence", "procedure_occurrence", "measurement", "drug_exposure", "condition_occurrence",
        "observation", "person", "concept", "cdm_source",
    }  # fmt: skip
    book = (omop / "concept.csv").read_text("utf-8")
    assert "4132857,SURGERY,Procedure,SNOMED" in book and "SOMETHING ELSE" not in book
    assert "TRIAGE,Observation,None" in book, "a state without a concept has a number of its own"
    first = json.loads((made.path / "data" / "fhir" / "Procedure.ndjson").read_text("utf-8").splitlines()[0])
    assert first["code"] == {
        "coding": [{"system": "http://snomed.info/sct", "code": "387713003"}], "text": "SURGERY",
    }  # fmt: skip


def resealed(bundle, path):
    told = json.loads((bundle / "manifest.json").read_text("utf-8"))
    for file in told["files"]:
        if file["path"] == path:
            file |= {"sha256": sha256(bundle / path), "bytes": (bundle / path).stat().st_size}
    (bundle / "manifest.json").write_text(to_json_text(told), "utf-8")


def another_cell(raw):
    return raw.replace(b"TRIAGE", b"TRIAGF", 1)


FORGERIES = {
    "omop/person.csv": lambda raw: raw.replace(b"1,0,0,0,0", b"1,0,1950,0,0", 1),
    "omop/cdm_source.csv": lambda raw: raw.replace(b"protected", b"Protected"),
    "omop/concept.csv": lambda raw: raw.replace(b"387713003", b"Maria=Muster", 1),
    "omop/observation.csv": another_cell,
    "omop/visit_occurrence.csv": lambda raw: raw.rstrip(b"\n"),
    "fhir/Patient.ndjson": lambda raw: raw.replace(b'"Patient", ', b'"Patient", "name": "Maria", ', 1),
    "fhir/Observation.ndjson": another_cell,
    "fhir/Procedure.ndjson": lambda raw: raw.replace(b"387713003", b"Maria=Muster", 1),
    "fhir/Encounter.ndjson": lambda raw: raw[raw.index(b"\n") + 1 :],
    "meds/metadata/dataset.json": lambda raw: raw.replace(b'"0.4"', b'"0.5"'),
    "meds/data/0.parquet": lambda raw: raw[:-4] + b"PARE",
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_changed_copy_is_refused(made, tmp_path, name):
    bundle = tmp_path / "log.bundle"
    shutil.copytree(made.path, bundle)
    path = bundle / "data" / name
    raw = path.read_bytes()
    path.write_bytes(FORGERIES[name](raw))
    assert path.read_bytes() != raw
    resealed(bundle, f"data/{name}")
    assert "copies" in {c.name for c in sq.verify(bundle).checks if not c.passed}


def test_a_file_of_a_standard_that_is_missing_or_more_is_refused(made, tmp_path):
    bundle = tmp_path / "log.bundle"
    shutil.copytree(made.path, bundle)
    (bundle / "data" / "omop" / "person.csv").unlink()
    told = json.loads((bundle / "manifest.json").read_text("utf-8"))
    told["files"] = [f for f in told["files"] if f["path"] != "data/omop/person.csv"]
    (bundle / "manifest.json").write_text(to_json_text(told), "utf-8")
    assert "copies" in {c.name for c in sq.verify(bundle).checks if not c.passed}
    told["files"][-1]["path"] = "data/meds/secret.json"
    (bundle / "manifest.json").write_text(to_json_text(told), "utf-8")
    with pytest.raises(sq.BundleError, match="not well-formed in files"):
        sq.verify(bundle)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "mapping: 'm.csv' cannot be read as a table in UTF-8. Check the path."),
        ("state,id\na,1\n", "mapping: 'm.csv' lacks concept_name, concept_id. It must be like OMOP's table 'concept'."),
        ("concept_name,concept_id\na,x\nb,2\n", "mapping: 1 of 2 rows of 'm.csv' have no concept_name, no number "
         "below 2,147,483,648 in concept_id, or signs in vocabulary_id or concept_code that no vocabulary uses. "
         "Correct them."),
        ("concept_name,concept_id\na\n", "mapping: 1 of 1 rows of 'm.csv' have no concept_name, no number "
         "below 2,147,483,648 in concept_id, or signs in vocabulary_id or concept_code that no vocabulary uses. "
         "Correct them."),
        *((f"concept_name,concept_id\n{rows}", "mapping: 1 of 3 rows of 'm.csv' repeat a concept_id. "
           "Give every state a number of its own, or leave its row out: then it gets one.")
          for rows in ("a,1\nb,2\nc,2\n", "a,0\nb,1\nc,0\n", "a,1\nb,2\nb,02\n")),
    ],
)  # fmt: skip
def test_a_mapping_that_is_none(tmp_path, text, says):
    if text is not None:
        (tmp_path / "m.csv").write_text(text, "utf-8")
    log = sq.sample("events", n_people=30, seed=3)
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35), seed=1)
    with pytest.raises(sq.InputError) as caught:
        sq.publish(release, tmp_path / "a.bundle", formats=["omop"], mapping=tmp_path / "m.csv")
    assert str(caught.value) == says and not (tmp_path / "a.bundle").exists()


def test_of_one_name_the_standard_concept_counts(tmp_path):
    head = "concept_name,concept_id,standard_concept\n"
    (tmp_path / "m.csv").write_text(head + "a,1,\na,2,S\na,3,S\nb,4,\nb,5,C\n", "utf-8")
    assert read_mapping(tmp_path / "m.csv") == {"a": Concept(2), "b": Concept(4)}


def test_no_number_stands_for_two_states():
    """Whatever the drawn states are called: which of them appear must not decide whether a release does."""
    states = ["A", "B", "drug_exposure 0", "visit_occurrence 0", "observation 5", "observation 7"]
    mapping = {"A": Concept(5), "Z": Concept(2_000_000_000)}
    found = concepts_of(pa.table({"state": states}), mapping)
    assert found == {
        "A": Concept(5), "B": Concept(2_000_000_001), "drug_exposure 0": Concept(0, "Drug"),
        "observation 5": Concept(2_000_000_002), "observation 7": Concept(7),
        "visit_occurrence 0": Concept(2_000_000_003, "Visit"),
    }  # fmt: skip


def test_what_does_not_fit_is_said(tmp_path, monkeypatch, capsys):
    log = sq.sample("events", n_people=30, seed=3)
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35), seed=1)
    with pytest.raises(sq.InputError, match="is for the copies omop and fhir"):
        sq.publish(release, tmp_path / "a.bundle", mapping=tmp_path / "m.csv")
    with pytest.raises(sq.BundleError) as caught:
        sq.publish(release, tmp_path / "a.bundle", formats=["jsonl"])
    assert str(caught.value) == (
        "publish: tables of markov-ratio can be copied as csv, xes, omop, fhir, meds, not as jsonl. "
        "Leave format='jsonl' out."
    )
    events = release.tables["events"]
    order = events.set_column(1, "time", pa.array(range(len(events)), pa.int64()))
    object.__setattr__(release, "tables", {**release.tables, "events": order})
    with pytest.raises(sq.BundleError, match="meds needs times, and of these events only the order is known"):
        sq.publish(release, tmp_path / "a.bundle", formats=["meds"])
    sq.write_sample("series", tmp_path / "s.csv")
    monkeypatch.chdir(tmp_path)
    assert exit_of(monkeypatch, "publish", "kapra", "s.csv", "--person", "person", "--k", "5", "--p", "2",
                   "--format", "omop", "--out", "s.bundle") == 2  # fmt: skip
    assert "'omop'" in capsys.readouterr().err


@pytest.mark.skipif(bool(ABSENT), reason=ABSENT)
def test_the_checker_in_a_browser_knows_them(made, tmp_path):
    sq.write_sample("events", tmp_path / "log.csv", n_people=60, seed=3)
    rows = [line.split(",") for line in (tmp_path / "log.csv").read_text("utf-8").splitlines()]
    (tmp_path / "log.csv").write_text("".join(f"{w},{t[:10]},{s}\n" for w, t, s in rows), "utf-8")
    log = sq.read_events(tmp_path / "log.csv", person="person", time="time", state="state")
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.35), seed=1)
    daily = sq.publish(release, tmp_path / "daily.bundle", source=log, formats=("csv", *STANDARDS), force=True)
    assert json.loads((daily.path / "data" / "fhir" / "Patient.ndjson").read_text("utf-8").splitlines()[0])
    with Checker(tmp_path) as page:
        for bundle in (made, daily):
            seen = page.agrees(bundle.path)
            assert seen["result"] == "not recounted", seen["checks"]
            assert {"whether data/omop equals its table", "whether data/meds equals its table"} <= set(
                seen["not_checked"]
            )

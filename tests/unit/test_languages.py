"""Reports in three languages: every sentence has a translation, and numbers, names and code are the same in all."""

import importlib.util
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

import sequester as sq
from sequester import languages
from sequester.attacks.bounds import certain
from sequester.cli import cli
from sequester.contract import data as contract
from sequester.languages import LANGUAGES, Name, said, speaking, unknown
from sequester.pages.board import worst_case
from sequester.pages.frontier import sentence
from sequester.pages.public import public_page
from sequester.workbench.forms import refusal
from tests.accessibility import faults, tree
from tests.golden.make_bundles import BUNDLES, MADE

ROOT = Path(__file__).parents[2]
OTHERS = [language for language in LANGUAGES if language != "en"]
PLACES = re.compile(r"\{\w+\}")
CODE = re.compile(r"`[^`]+`|--[a-z][a-z-]+|\[[A-Z]+\]")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?")


def catalogue():
    spec = importlib.util.spec_from_file_location("sentences_of_reports", ROOT / "docs" / "sentences.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_lacks_a_translation_and_the_files_are_those_the_script_writes(language):
    made = catalogue()
    merged = made.merged(language)
    missing = [m.id for m in merged if m.id and not m.string]
    assert not missing, f"translate in {language}.po, then run python docs/sentences.py: {missing}"
    folder = Path(languages.__file__).parent
    text, binary = made.compiled(merged)
    assert (folder / f"{language}.po").read_bytes() == text, "run python docs/sentences.py"
    assert (folder / f"{language}.mo").read_bytes() == binary, "run python docs/sentences.py"


@pytest.mark.parametrize("language", OTHERS)
def test_placeholders_numbers_and_code_are_the_same_in_every_translation(language):
    for message in catalogue().merged(language):
        if not message.id:
            continue
        for what in (PLACES, CODE):
            assert Counter(what.findall(message.id)) == Counter(what.findall(message.string)), message.id
        numbers = [Counter(NUMBER.findall(PLACES.sub("", text))) for text in (message.id, message.string)]
        assert numbers[0] == numbers[1], message.id


STAYS_ENGLISH = re.compile(r"\b(the|of|is|are|with|from|and|which|every|can|at most)\b", re.I)
COMPUTED = {"grade": "", "pairs": 0.52, "within": 0.03, "people": 400}


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("method_id", list(sq.METHODS))
def test_what_a_setting_and_a_promise_allow_is_said_in_every_language(method_id, language):
    method = contract.method(method_id)
    row = COMPUTED | {"certain": certain(method.guarantee, method.budget()).to_json()}
    with speaking(language):
        for text in (sentence(row), worst_case(method.guarantee, method.budget())):
            assert said(text) != text and not STAYS_ENGLISH.search(said(text)), said(text)


VITALS = "Patient;Glukose 0 min;Glukose 120 min;Diagnose\n1;5,2;7,1;größer\n2;5,0;6,8;kleiner\n"
REFUSED = {
    "a number too small": lambda _: sq.Kapra(k=1, p=1),
    "two numbers that do not fit": lambda _: sq.Kapra(k=3, p=5),
    "not a number": lambda _: sq.MarkovRatio(epsilon="x"),
    "no such file": lambda _: sq.reader("text")("nowhere"),
    "another encoding": lambda path: sq.read_series(str(path), person="Patient"),
    "a misspelt column": lambda path: sq.read_series(str(path), person="Patiant", encoding="latin-1"),
    "no times": lambda path: sq.read_events(str(path), person="Patient", time="Diagnose", encoding="latin-1"),
    "a column of words": lambda path: sq.read_series(
        str(path), person="Patient", quasi=("Diagnose",), encoding="latin-1", decimal=","
    ),
    "too few people": lambda _: sq.anonymize(sq.sample("series", n_people=20, seed=1), sq.Kapra(k=50, p=2)),
}  # fmt: skip


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("why", REFUSED)
def test_a_refusal_is_said_beside_its_field_in_every_language(why, language, tmp_path):
    path = tmp_path / "Export.csv"
    path.write_bytes(VITALS.encode("latin-1"))
    with pytest.raises(sq.SequesterError) as caught:
        REFUSED[why](path)
    english = refusal(caught.value)
    with speaking(language):
        other = said(english)
    assert other != english and not STAYS_ENGLISH.search(re.sub("“[^”]*”|'[^']*'", "", other)), other
    numbers = [Counter(NUMBER.findall(text)) for text in (english, other)]
    assert numbers[0] == numbers[1]
    for name in re.findall("“[^”]*”|'[^']*'", english):
        assert name in other, "names of columns, files and fields stay as they are"


def words_of(page):
    """What a reader sees, without style and without pictures, which are compared as words of their own."""
    root = tree(page)
    for node in root.all("style"):
        node.words = ""
    return root.text()


def listening(asked):
    inner = languages._said

    def heard(language, text):
        asked.append(text)
        return inner(language, text)

    return heard


@pytest.mark.parametrize("name", MADE)
def test_a_translated_report_holds_the_same_numbers_and_only_checks_stay_english(name, monkeypatch):
    bundle = sq.open_bundle(BUNDLES / f"{name}.bundle")
    english = public_page(bundle, name)
    checks = {c[key] for c in bundle.manifest["verification"]["checked"] for key in ("name", "detail")}
    for language in OTHERS:
        asked = []
        monkeypatch.setattr(languages, "_said", listening(asked))
        with speaking(language):
            page = public_page(bundle, name)
        monkeypatch.undo()
        left = [t for t in unknown(asked, language) if t not in checks and " " in t]
        assert left == [], f"{language}: no words for {left}"
        assert faults(page) == [] and f'<html lang="{language}">' in page
        found = [Counter(NUMBER.findall(words_of(p))) for p in (english, page)]
        lost = {n: c for n, c in (found[0] - found[1]).items() if n not in ("1,234.5",)}
        assert not lost, f"{language}: numbers that are gone {lost}"
        assert bundle.guarantee.statement in tree(page).text(), "the English promise stands there too"


def test_what_comes_from_the_data_is_never_translated():
    with speaking("de"):
        assert said("original") == "Original" and said(Name("original")) == "original"
        assert said("Admission to the medical ward of St. Mary") == "Admission to the medical ward of St. Mary"
        assert said("12 of 480 (2.5%)") == "12 von 480 (2.5%)"
        assert said("Anything else.") == "Anything else."
    assert said("original") == "original"


def test_a_sentence_is_found_inside_a_text_whatever_fills_it():
    with speaking("es"):
        assert said("k = 4: one among at least 4") == "k = 4: una entre al menos 4"
        assert said("1 released record.") == "1 registro publicado."
        assert said("Fit for open data. Nothing of ours.") == "Apta como datos abiertos. Nothing of ours."


def test_the_command_writes_both_reports_in_a_language(tmp_path):
    run = CliRunner()
    for name, words in (("tga.bundle", "Für wen eignet sich"), ("tga.private", "Bericht für den Dateninhaber")):
        out = tmp_path / "report.html"
        done = run.invoke(cli, ["report", str(BUNDLES / name), "--language", "de", "--out", str(out)])
        assert done.exit_code == 0, done.output
        assert words in out.read_text("utf-8")
    words = ["report", str(BUNDLES / "tga.bundle"), "--language", "fr", "--out", str(tmp_path / "x.html")]
    refused = run.invoke(cli, words)
    assert isinstance(refused.exception, sq.ParameterError) and "there are en, de, es" in str(refused.exception)
    assert not (tmp_path / "x.html").exists()


def test_the_manifest_and_the_report_inside_a_bundle_stay_english():
    folder = BUNDLES / "kapra.bundle"
    assert '<html lang="en">' in (folder / "report.html").read_text("utf-8")
    promise = json.loads((folder / "manifest.json").read_bytes())["guarantee"]["statement"]
    assert promise.startswith("Every row belongs to a group")


def test_options_and_roles_stay_and_a_clause_may_begin_a_sentence():
    with speaking("de"):
        assert said("not stated; `--contact` adds it") == "nicht angegeben; `--contact` fügt es hinzu"
        assert said("Person = person: 40 people, 118 documents.") == "Person = person: 40 Personen, 118 Dokumente."
        assert said("No value is missing.") == "Kein Wert fehlt."
        worst = "Worst: words (1.5), hours of the day (1.2). A figure of 1.0 is as far from the original as "
        told = said(f"{worst}another sample of the same people.")
        assert told.startswith("Am schlechtesten: Wörter (1.5), Stunden des Tages (1.2).")
    with speaking("es"):
        assert said("membership by visible text at 10% false alarms").startswith("pertenencia por texto visible")

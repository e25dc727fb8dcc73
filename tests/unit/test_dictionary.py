"""A released table can be understood from the bundle alone: every column has a meaning, for every method."""

import json

import pyarrow as pa
import pytest

import sequester as sq
from sequester.contract import data as contract
from sequester.layouts import dictionary
from sequester.pages.board import WORST, _earlier, board_section, worst_case
from sequester.pages.public import public_page
from tests import pages


@pytest.mark.parametrize("method_id", list(sq.METHODS))
def test_every_column_of_every_method_has_a_meaning(method_id):
    release = contract.released(method_id)
    files = [{"table": name, "schema": {f.name: str(f.type) for f in t.schema}} for name, t in release.tables.items()]
    manifest = {"files": files}
    for name, table in release.tables.items():
        assert dictionary.says(release.layout, name), f"table {name}"
        for column in table.column_names:
            words = dictionary.meaning(manifest, release.layout, name, column)
            assert words.endswith("."), f"{name}.{column}: {words!r}"


@pytest.mark.parametrize("method_id", list(sq.METHODS))
def test_the_worst_case_is_said_for_every_promise(method_id):
    promise = contract.method(method_id).guarantee
    said = worst_case(promise)
    assert said.endswith(".") and "None" not in said and "{" not in said, said
    assert promise.status == "proved" or promise.model in {model for model, _ in WORST}


def own(what, k):
    return f"if this person has several {what}, some of the {k} may be their own"


@pytest.mark.parametrize(
    "method, words, never",
    [
        (sq.Kapra(k=6, p=3, unit="person"), ("at least 6 people and a subgroup of at least 3", "once in 3"), "records"),
        (sq.Kapra(k=6, p=3, unit="record"), ("at least 6 records", "once in 3", own("records", 6)), "people"),
        (sq.TGA(k=4, unit="person"), ("at least 4 people",), "records"),
        (sq.TGA(k=4, unit="record"), ("at least 4 records", own("records", 4)), "people"),
        (sq.BFP2KA(k=4, level=3, unit="record"), ("shared by at least 4 records", own("records", 4)), "people"),
        (sq.KRepeats(k=4, unit="person"), ("at least 3 other people",), "several"),
        (sq.KRepeats(k=4, unit="document"), ("at least 3 other documents", own("documents", 4)), "people"),
        (sq.KRepeats(k=4, unit="occurrence"), ("at least 4 places", "places are counted, not people"), "other people"),
        (sq.WordFrequency(k=4, unit="person"), ("at least 3 other people",), "several"),
        (sq.WordFrequency(k=4, unit="document"), ("at least 3 other documents", own("documents", 4)), "people"),
        (sq.WordFrequency(k=4, unit="occurrence"), ("at least 4 places", "counted, not people"), "other people"),
    ],
)  # fmt: skip
def test_the_worst_case_speaks_of_what_the_promise_counts(method, words, never):
    said = worst_case(method.guarantee)
    assert all(w in said for w in words) and never not in said and " - 1" not in said, said


def test_the_worst_case_of_differential_privacy_is_the_posterior_of_even_odds():
    promise = sq.MarkovDP(epsilon=1.0, delta=1e-6, people_at_least=300, dates="2024-01-01..2025-12-31").guarantee
    assert "at most 73.2 % sure, except in a failure of probability 1e-06" in worst_case(promise)  # e / (1 + e)


def test_the_custodians_words_come_first():
    manifest = {"publication": {"describes": {"count": "Occurrences.", "h04": "Heart rate at 4 h."}}, "files": []}
    assert dictionary.meaning(manifest, "grams", "ngrams", "count") == "Occurrences."
    assert dictionary.meaning(manifest, "boxes", "records", "h04_lo").endswith("h04: Heart rate at 4 h.")
    assert dictionary.meaning(manifest, "grams", "unheard of", "x") == "" == dictionary.says("plain", "x")


def test_package_and_page_say_the_same(tmp_path):
    data = sq.sample("symbols", n_people=12)
    bundle = sq.publish(sq.anonymize(data, sq.NgramK(k=3, unit="person")), tmp_path / "a.bundle", source=data)
    package = json.loads((bundle.path / "datapackage.json").read_text("utf-8"))
    told = {f["name"]: f["description"] for r in package["resources"] for f in r["schema"]["fields"]}
    page = (bundle.path / "report.html").read_text("utf-8")
    assert told["count"] == "How often the pattern occurs in the released table."
    assert all(words.replace("&", "&amp;") in page for words in told.values())
    assert package["resources"][0]["description"].startswith("One row per pattern")


@pytest.mark.parametrize("kind", pages.ALL)
def test_a_board_finds_its_answers_in_the_public_report(kind):
    bundle = pages.ALL[kind]()
    bundle.manifest["publication"] = {
        "title": "x", "contact": "data@example.org", "licence": "CC-BY-4.0", "issued": "2026-03-01",
        "expires": "2031-03-01",
    }  # fmt: skip
    facts = dict(board_section(bundle).facts)
    for name in ("Whose data", "Dropped, merged or invented", "May validly be computed"):
        assert facts[name], name
    assert (facts["Responsible"], facts["Licence"]) == ("data@example.org", "CC-BY-4.0")
    assert (facts["Issued"], facts["Expires"]) == ("2026-03-01", "2031-03-01")
    assert "Earlier releases" not in facts, "the account is not public"
    assert "Earlier releases" not in public_page(bundle, "x")
    private = dict(board_section(bundle, []).facts)
    assert private["Earlier releases"] == "None in this folder's account when this was made."


def test_earlier_releases_are_told_to_the_custodian_alone(tmp_path):
    data = sq.sample("series", n_people=40)
    for name in ("a", "b"):
        sq.publish(sq.anonymize(data, sq.Kapra(k=5, p=3)), tmp_path / f"{name}.bundle", source=data)
    private = (tmp_path / "b.private" / "report.html").read_text("utf-8")
    assert "1 earlier release in this folder" in private and "a.bundle (20" in private
    assert "a.bundle" not in (tmp_path / "b.bundle" / "report.html").read_text("utf-8")
    assert "None in this folder" in (tmp_path / "a.private" / "report.html").read_text("utf-8")


def test_where_only_the_last_earlier_releases_are_named_it_says_so():
    rows = [{"release": f"r{i}.bundle", "published": "2026-01-01", "promise": "p"} for i in range(7)]
    told = _earlier([{"rows": {"in_the_account": rows}}])
    assert told.startswith("7 earlier releases in this folder's account; the last 5: r2.bundle (") and "r1." not in told
    assert "last" not in _earlier([{"rows": {"in_the_account": rows[:5]}}])


def test_expires_must_be_a_later_date():
    assert sq.Publication(expires="2031-01-01").to_json("x")["expires"] == "2031-01-01"
    with pytest.raises(sq.ParameterError, match=r"Publication: expires must be a date such as 2031-03-01\."):
        sq.Publication(expires="soon")
    with pytest.raises(sq.ParameterError, match="expires must lie after issued, got issued=2026-03-01"):
        sq.Publication(issued="2026-03-01", expires="2026-03-01")


def test_a_table_nobody_described_is_shown_all_the_same():
    bundle = pages.bundle("series", {"other": pa.table({"x": [1]})})
    assert "Table other: 1 row, 1 column" in public_page(bundle, "x")

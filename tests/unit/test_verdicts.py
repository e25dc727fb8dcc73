"""A verdict is one value, made in one place: what was looked at, against what, and what nobody looked at."""

import json
import re
import shutil
from pathlib import Path

import pytest

import sequester as sq
from sequester.contract.data import released, sample
from sequester.methods import METHODS
from sequester.release import TITLES, UNDECIDED, Check, to_json_text, verdict_on
from tests.exits import exit_of
from tests.golden.make_bundles import BUNDLES

SOURCES = Path(sq.__file__).parent
KIND = {"verifiable": "promise", "verified": "promise", "proved": "ledger", "as-published": "shape"}


@pytest.mark.parametrize("method_id", sorted(METHODS))
def test_a_verdict_confirms_what_its_grade_allows(method_id):
    release = released(method_id)
    found = sq.verify(release, sample(release.method.accepts.kind)).verdict
    assert found.complete and found.colour == KIND[release.guarantee.status], found
    assert found.title == TITLES[found.colour]
    says_confirmed = re.search(r"(?<!NOT )confirmed", found.title + found.words) is not None
    assert says_confirmed == (found.colour == "promise"), "only a promise that was recomputed is confirmed"
    assert bool(found.not_checked) == (found.colour != "promise")


def test_titles_and_sentences_stand_in_one_file():
    words = [*TITLES.values(), UNDECIDED, "The promise does not hold.", "cannot be seen", "shape check of the"]
    for path in [*SOURCES.rglob("*.py"), *SOURCES.rglob("*.html")]:
        if path.name == "release.py":
            continue
        text = path.read_text("utf-8")
        assert not [w for w in words[:-2] if w in text and path.parts[-2] != "pages"], path
        assert "The promise is confirmed" not in text and "promise was confirmed" not in text, path


def test_a_verdict_that_left_a_file_out_says_so_first_and_is_not_complete():
    promise = sq.Kapra(k=5, p=3).guarantee
    said = verdict_on(promise, "confirmed", saw_original=False, unchecked=["report.html (another version made it)"])
    assert said.words == (
        "NOT CHECKED: report.html (another version made it). (5,3)-anonymity, protecting each person: confirmed from "
        "the release alone."
    )
    assert not said.complete and said.result == "confirmed"
    broken = verdict_on(promise, "broken", saw_original=False, unchecked=["report.html"])
    assert broken.colour == "broken" and broken.words.endswith("NOT confirmed from the release alone.")


def test_what_is_not_decided_beside_the_original_is_said():
    promise = sq.Kapra(k=5, p=3).guarantee
    said = verdict_on(promise, "undecided", saw_original=True, undecided="copied days: chance explains them")
    assert said.words.endswith(": not decided: copied days: chance explains them.") and not said.complete
    assert said.title == "Not decided."


def test_lines_that_were_invented_in_the_manifest_are_found(tmp_path, monkeypatch):
    data = sq.sample("series", n_people=20, seed=1)
    path = sq.publish(sq.anonymize(data, sq.Kapra(k=5, p=3)), tmp_path / "a.bundle", source=data).path
    told = json.loads((path / "manifest.json").read_text("utf-8"))
    told["verification"]["checked"].append({"name": "approved", "passed": True, "detail": "by the ministry"})
    (path / "manifest.json").write_text(to_json_text(told), "utf-8")
    failed = {c.name: c.detail for c in sq.verify(path).checks if not c.passed}
    assert "stated checks" in failed and "1 of" in failed["stated checks"]
    assert exit_of(monkeypatch, "verify", path) == 1


def test_lines_that_a_judge_does_not_come_to_on_this_machine_are_not_called_invented(tmp_path, monkeypatch):
    """Whoever receives notes of `k-words` may lack the package that builds its word list."""

    def lacking(_language):
        raise sq.InputError("not here")

    monkeypatch.setattr("sequester.judges.public_words.word_list", lacking)
    bundle = BUNDLES / "k-words.bundle"
    found = {c.name: c.result for c in sq.verify(bundle).checks}
    assert found["stated checks"] == found["lists and rules"] == "undecided" and "broken" not in found.values()
    assert exit_of(monkeypatch, "verify", bundle) == 2
    shutil.copytree(bundle, tmp_path / "a.bundle")
    told = json.loads((bundle / "manifest.json").read_text("utf-8"))
    told["verification"]["checked"][0]["detail"] = "49 documents"
    (tmp_path / "a.bundle" / "manifest.json").write_text(to_json_text(told), "utf-8")
    assert {c.name: c.result for c in sq.verify(tmp_path / "a.bundle").checks}["stated checks"] == "broken"


@pytest.mark.parametrize("method_id", sorted(METHODS))
def test_every_line_of_a_manifest_is_counted_again(method_id, tmp_path):
    release = released(method_id)
    data = sample(release.method.accepts.kind)
    teaching = {"teaching_only": True} if release.teaching_only else {}
    path = sq.publish(release, tmp_path / "a.bundle", source=data, **teaching).path
    for source in (None, data):
        found = {c.name: c for c in sq.verify(path, source).checks}
        assert found["stated checks"].passed, found["stated checks"].detail


def test_check_results_are_three():
    assert Check(name="a", passed=False, undecided=True, detail="b").result == "undecided"


def test_a_question_that_never_ends_is_given_up(tmp_path, monkeypatch):
    data = sq.sample("series", n_people=12, seed=1)
    path = sq.publish(sq.anonymize(data, sq.Kapra(k=4, p=2)), tmp_path / "a.bundle", source=data).path
    monkeypatch.setattr("sequester.query.bundle.SECONDS", 1)
    endless = "with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t"
    with pytest.raises(sq.InputError, match="took more than 1 seconds"):
        sq.open_bundle(path).sql(endless)

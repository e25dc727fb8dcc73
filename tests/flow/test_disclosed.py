"""What a custodian chooses to tell readers stands on a page beside the bundle, is marked, and is never in it."""

import re

import pytest

import sequester as sq

MARK = "The custodian chose to disclose this."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    vitals = sq.sample("series", n_people=40, seed=1)
    release = sq.anonymize(vitals, sq.Kapra(k=5, p=2), seed=1)
    sq.publish(release, out / "vitals.bundle", source=vitals, evidence=[sq.measure(vitals, release)])
    signals = sq.sample("symbols", n_people=60, seed=1)
    noisy = sq.anonymize(signals, sq.NgramDP(**sq.NgramDP.example))
    sq.publish(noisy, out / "signals.bundle", source=signals, evidence=[sq.measure(signals, noisy)])
    return out


def test_only_what_was_chosen_is_told_and_the_bundle_stays_as_it_was(folder, tmp_path):
    bundle, out = folder / "vitals.bundle", tmp_path / "readers.html"
    before = {file: file.read_bytes() for file in bundle.rglob("*") if file.is_file()}
    plain = sq.report(bundle, tmp_path / "plain.html").read_text("utf-8")
    page = sq.report(folder / "vitals.private", out, disclose=["use"]).read_text("utf-8")
    assert MARK not in plain and "How far is the release from the original?" not in plain
    assert page.count(MARK) == 1 and "How far is the release from the original?" in page
    assert "What does an adversary achieve?" not in page and "was computed from the released files alone." in page
    told = sq.open_bundle(bundle).manifest
    assert "disclose" not in str(told)
    assert {file: file.read_bytes() for file in bundle.rglob("*") if file.is_file()} == before
    assert sq.verify(bundle).result == "confirmed"


def test_every_figure_that_is_told_has_at_most_one_decimal(folder, tmp_path):
    page = sq.report(folder / "vitals.private", tmp_path / "r.html", disclose=["use"]).read_text("utf-8")
    section = page[page.index('id="how-far') :]
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", section[: section.index("</table>")])
    numbers = [cell for cell in cells if re.fullmatch(r"[\d.]+", cell)]
    assert len(numbers) >= 4 and all(re.fullmatch(r"\d+\.\d", n) for n in numbers), numbers


def test_attacks_are_told_once_one_was_kept(folder, tmp_path):
    with pytest.raises(sq.InputError, match="has no attack"):
        sq.report(folder / "vitals.private", tmp_path / "r.html", disclose=["attacks"])
    vitals = sq.sample("series", n_people=40, seed=1)
    bundle = sq.open_bundle(folder / "vitals.bundle", private=True)
    sq.keep(bundle.path, sq.attack(bundle, vitals, sample=20))
    page = sq.report(folder / "vitals.private", tmp_path / "r.html", disclose=["attacks", "use"]).read_text("utf-8")
    assert page.count(MARK) == 2 and "What does an adversary achieve?" in page


def test_nothing_is_told_of_noise_whose_price_was_not_paid(folder, tmp_path):
    with pytest.raises(sq.InputError, match="more than its epsilon covers"):
        sq.report(folder / "signals.private", tmp_path / "r.html", disclose=["use"])
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize(
    ("where", "what", "sentence"),
    [
        ("vitals.bundle", "use", "'vitals.bundle' does not hold it. Name the custodian's folder, NAME.private."),
        ("vitals.private", "people", "takes use, attacks, got 'people'."),
    ],
)
def test_anything_else_is_refused_in_one_sentence(folder, tmp_path, where, what, sentence):
    with pytest.raises(sq.SequesterError, match=re.escape(sentence)):
        sq.report(folder / where, tmp_path / "r.html", disclose=[what])

"""Forgeries of which no earlier test was sure: each is met by the check that was made for it."""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from experiments.fault_forgeries import HARMLESS, LIMITS, METHODS, every, forged, resealed, with_rows

import sequester as sq
from sequester.bundle_checks import _rare_sums
from sequester.layouts.states import sequences_table
from sequester.pages.board import worst_case
from sequester.pages.pictures.series import board
from sequester.samples.minutes import minutes
from tests.exits import exit_of
from tests.unit.test_edited_bundles import without_map
from tests.unit.test_event_forgeries import honest

ROOT = Path(__file__).parents[2]


def failed(claim, source=None):
    return {c.name: c.detail for c in sq.verify(claim, source).checks if not c.passed}


def test_how_a_private_release_was_read_must_be_declared(tmp_path, monkeypatch):
    path = shutil.copytree(ROOT / "tests" / "golden" / "bundles" / "events-ngram-dp.bundle", tmp_path / "a.bundle")
    assert exit_of(monkeypatch, "verify", path) == 0

    def found(manifest):
        manifest["reading"][0] |= {"name": "time_unit", "how": "found"}

    resealed(path, found)
    assert failed(path) == {"reading was declared": "1 fact about the reading was found in the data"}
    assert exit_of(monkeypatch, "verify", path) == 1
    resealed(path, lambda manifest: manifest.update(reading=[]))
    verdict = sq.verify(path)
    assert "how the source was read (the manifest says nothing)" in verdict.verdict.not_checked
    assert str(verdict).startswith("NOT CHECKED: how the source was read")
    assert exit_of(monkeypatch, "verify", path) == 2


def test_a_noisy_table_follows_from_its_measurements():
    _, release = without_map("ngram-dp")
    assert failed(release) == {}
    ends = release.tables["ngrams"]["gram"].to_pylist()[0], sorted(set(release.tables["ngrams"]["gram"].to_pylist()))
    first, other = next((a, b) for a in ends[1] for b in ends[1] if len(a) == len(b) == 1 and a != b)
    swapped = str.maketrans(first + other, other + first)
    forged_ = with_rows(release, "ngrams", every(gram=lambda g: g.translate(swapped)))
    assert set(failed(forged_)) == {"the table follows from the measurements"}, "its sums and flows are as before"


def test_measurements_that_add_up_have_no_noise(tmp_path):
    _, release = without_map("ngram-dp")
    total = sum(release.tables["measurements"]["value"].to_pylist())

    def exact(rows):
        rows[0]["value"] -= total % 1_000_000 - 446

    path = sq.publish(release, tmp_path / "a.bundle", teaching_only=release.teaching_only).path
    shown = {c.name: c for c in sq.verify(path).checks}
    assert shown["the sum has noise"].passed
    bundle = sq.open_bundle(path)
    bundle.__dict__["tables"] = with_rows(release, "measurements", exact).tables
    (check,) = _rare_sums(bundle)
    assert not check.passed and check.detail.startswith("the measurements add up to 446 millionths beside a whole")


def test_noisy_figures_rounded_to_whole_numbers_are_seen():
    rounded = with_rows(honest(), "measurements", every(value=lambda v: float(round(v))))
    assert failed(honest()) == {} and "measurements carry noise below whole numbers" in failed(rounded)


def test_patterns_that_say_nothing_are_not_the_methods():
    data = sq.sample("series", n_people=40, seed=1)
    release = sq.anonymize(data, sq.Kapra(k=5, p=3), seed=1)
    assert failed(release) == {} == failed(release, data)
    assert failed(with_rows(release, "records", every(pattern=lambda p: "a" * len(p))))


def test_copied_days_are_seen_by_their_number_also_in_coarse_intervals():
    people = minutes(n_people=60, days=7, seed=1)
    coarse = replace(people, states=people.states[:, ::10], interval_seconds=600)
    method = sq.ActivityDP(epsilon=1.0, delta=1e-6, force=True, calibration_people=32, rounds=1)
    release = sq.anonymize(coarse, method, seed=4)
    assert failed(release, coarse) == {}
    n = release.tables["sequences"].num_rows
    copies = sequences_table(coarse.states[np.arange(n) % 60])
    verdict = sq.verify(replace(release, tables={**release.tables, "sequences": copies}), coarse)
    assert verdict.result == "broken" and "no row or day is a person's own" in {
        c.name for c in verdict.checks if not c.passed
    }


@pytest.mark.parametrize("method", ["bfp2ka", "ngram-copy"])
def test_forgeries_of_methods_that_had_none(method):
    found = forged(method)
    assert found["done"] >= 12 and not found["confirmed"], found


def test_forgeries_that_pass_are_named_in_limits():
    text = " ".join((ROOT / "docs" / "limits.md").read_text("utf-8").split())
    assert all(words in text for words in LIMITS.values())
    assert Counter(m for m, _ in (*LIMITS, *HARMLESS)).keys() <= set(METHODS)


def test_a_report_says_only_what_stands_beside_it():
    promise = sq.MarkovRatio(**sq.MarkovRatio.example).guarantee
    assert worst_case(promise).endswith(": only attacks can show how much, and none stands on this page.")
    assert worst_case(promise, attacked=True).endswith(": the attacks on this page show what was learned.")
    data = sq.sample("series", n_people=20, seed=1)
    values = data.values.copy()
    values[3, 2] = np.nan
    for missing, words in (("refuse", "No value was missing"), ("drop", "Records with missing values were left out")):
        given = data if missing == "refuse" else replace(data, values=values)
        release = sq.anonymize(given, sq.Kapra(k=5, p=3, missing=missing), seed=1)
        assert board(release)["changed"].endswith(f"{words}. Invented: nothing.")
    filled = sq.anonymize(replace(data, values=values), sq.Kapra(k=5, p=3, missing="fill"), seed=1)
    assert board(filled)["changed"].endswith("Invented: values that were missing lie on straight lines between a "
                                             "person's others.")  # fmt: skip

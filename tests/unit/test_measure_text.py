"""Figures about what is left of a text."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

import sequester as sq
from sequester.methods.text.k_repeats import KRepeats
from sequester.methods.text.shared.words import PIECE
from sequester.methods.text.word_frequency import WordFrequency
from sequester.model import Corpus
from sequester.primitives.labels import read_labels
from sequester.samples.notes import labelled_notes, notes
from sequester.utility.text import equal_kept
from sequester.utility.text_alignment import precision_recall, protected_tokens

DOCS = ["john smith ill", "mary smith ill", "john john john"]
DATA = Corpus.from_texts(DOCS)
PLAIN = {"granularity": "character", "spans": None, "first_pass": ()}
METHOD = KRepeats(
    k=2, unit="document", count_in="original", cover="optimal", mask="*", **PLAIN
)  # john *mith ill, m*** smith ill, john *ohn *ohn


def test_figures_of_the_worked_example():
    release = sq.anonymize(DATA, METHOD, seed=1)
    measured = sq.measure(DATA, release)
    assert measured["kept characters"] == pytest.approx(36 / 42)
    assert measured["kept words"] == pytest.approx(5 / 9)
    assert measured["runs"] == 7
    assert measured["run length"] == pytest.approx(36 / 7)
    assert measured.saw_original


def test_words_of_a_script_without_spaces_are_counted():
    """Split on white space alone, every line would be one word, and none of them whole."""
    lines = ["患者は東京に住む。", "患者は大阪に住む。", "患者は京都に住む。"]
    data = Corpus.from_texts(lines)
    release = sq.anonymize(data, KRepeats(k=3, unit="document", first_pass=()), seed=1)
    assert sq.measure(data, release)["kept words"] == pytest.approx(5 / 6)  # 患者 は .. に 住 む: one of six differs
    assert [m[0] for m in PIECE.finditer("ＭＲＩ検査をカルテ3枚")] == ["ＭＲＩ", "検査", "を", "カルテ", "3", "枚"]


def test_labels_give_token_precision_and_recall(tmp_path):
    release = sq.anonymize(DATA, METHOD, seed=1)
    labels = [{"document": "1", "spans": [[0, 4], [5, 10]]}, {"document": "2", "spans": [[0, 4, "NAME"]]}]
    # suppressed: 1 of 5 in `smith` (20 %, not more), 3 of 4 in `mary`, 1 of 4 in two of the `john` (25 %)
    measured = sq.measure(DATA, release, labels=labels)
    assert measured["recall"] == pytest.approx(1 / 3)
    assert measured["precision"] == pytest.approx(1 / 3)
    assert measured["private characters shown"] == pytest.approx(9 / 13)
    assert measured["character recall"] == pytest.approx(4 / 13)
    assert measured["character precision"] == pytest.approx(4 / 6)
    assert measured["lift"] == pytest.approx((4 / 6) / (13 / 36))
    assert measured["spans half visible"] == pytest.approx(2 / 3)
    assert measured["spans whole"] == pytest.approx(1 / 3) and measured["spans hidden"] == 0
    kinds = {r["type"]: r for r in measured.rows["types"]}
    assert kinds["NAME"]["spans"] == 1 and kinds["NAME"]["characters shown"] == 0.25
    assert kinds["PRIVATE"]["half visible"] == 1
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(json.dumps(r) for r in labels), "utf-8")
    assert sq.measure(DATA, release, labels=path).to_json() == measured.to_json()
    rows = {r["method"]: r for r in measured.rows["baselines"]}
    assert rows["word-frequency"]["recall"] == pytest.approx(1 / 3)
    assert rows["k-repeats+words"] == {"method": "k-repeats+words", "k": 2, "precision": 1.0, "recall": 1 / 3}


def test_tokens_leave_no_restorable_word_and_no_hollow_gap():
    data, labels = labelled_notes()
    told = {}
    for name, method in (("character", KRepeats(k=4, **PLAIN)), ("token", KRepeats(k=4))):
        told[name] = sq.measure(data, sq.anonymize(data, method, seed=1), labels=labels, curve=False)
    assert told["character"]["restorable words"] > 0.3
    assert told["token"]["restorable words"] == 0 == told["token"]["hollow gaps"]
    parted = Corpus.from_texts(["left lung", "left;", ";lung"])
    loose = sq.anonymize(parted, KRepeats(k=2, unit="document", gaps="any", spans="none"), seed=1)
    assert sq.measure(parted, loose, curve=False)["hollow gaps"] == 1
    assert told["token"]["private characters shown"] < 0.05 < told["character"]["private characters shown"]


def test_separators_can_count_as_visible():
    data = Corpus.from_texts(["a,b", "a.b"])
    release = sq.anonymize(data, KRepeats(k=2, unit="document", **PLAIN), seed=1)
    labels = [{"document": "1", "spans": [[0, 3]]}]
    assert sq.measure(data, release, labels=labels, curve=False)["recall"] == 1
    assert sq.measure(data, release, labels=labels, curve=False, unhide=True)["recall"] == 0


def test_no_map_and_spans_give_the_same_figures():
    data, labels = labelled_notes(n_people=10)
    for method in (KRepeats(k=3, **PLAIN), WordFrequency(k=3)):
        release = sq.anonymize(data, method, seed=1)
        with_map = sq.measure(data, release, labels=labels, curve=False)
        blind = sq.measure(data, replace(release, private={}), labels=labels, curve=False)
        assert blind["kept characters"] == with_map["kept characters"]
    mask = sq.measure(data, sq.anonymize(data, KRepeats(k=3, **PLAIN), seed=1), labels=labels, curve=False)
    spans = sq.measure(
        data, sq.anonymize(data, KRepeats(k=3, **PLAIN | {"spans": "[…]"}), seed=1), labels=labels, curve=False
    )
    assert {f.name: f.value for f in spans.figures} == {f.name: f.value for f in mask.figures}
    with pytest.raises(sq.InputError, match="the custodian's map is needed"):
        sq.measure(data, replace(sq.anonymize(data, KRepeats(k=3, spans="[…]"), seed=1), private={}))


def test_the_curve_falls_with_k_and_the_optimal_cover_keeps_more():
    data, labels = labelled_notes()
    measured = sq.measure(data, sq.anonymize(data, KRepeats(k=4, **PLAIN), seed=1), labels=labels, ks=(2, 4, 8, 1000))
    curve = measured.rows["curve"]
    assert [(r["k"], r["cover"]) for r in curve] == [
        (k, c) for k in (2, 4, 8) for c in ("optimal", "greedy", "published")
    ]
    optimal = [r for r in curve if r["cover"] == "optimal"]
    greedy = [r for r in curve if r["cover"] == "greedy"]
    published = [r for r in curve if r["cover"] == "published"]
    assert all(p["kept"] <= o["kept"] for p, o in zip(published, optimal))
    assert published[1]["kept"] == measured["kept characters"]
    assert all(o["kept"] >= g["kept"] for o, g in zip(optimal, greedy))
    assert all(a["kept"] > b["kept"] for a, b in itertools.pairwise(optimal))
    assert all(a["recall"] < b["recall"] for a, b in itertools.pairwise(optimal))


def test_covers_are_compared_at_equal_kept_text():
    curve = [
        {"k": 2, "cover": "optimal", "kept": 0.9, "recall": 0.2, "precision": 0.5},
        {"k": 8, "cover": "optimal", "kept": 0.7, "recall": 0.6, "precision": None},
        {"k": 2, "cover": "greedy", "kept": 0.8, "recall": 0.3, "precision": 0.5},
        {"k": 8, "cover": "greedy", "kept": 0.5, "recall": 0.7, "precision": 0.5},
    ]
    (row,) = equal_kept(curve)
    assert (row["kept"], row["greedy_k"], row["optimal_precision"]) == (0.8, 2, None)
    assert row["optimal_k"] == pytest.approx(4)
    assert row["optimal_recall"] == pytest.approx(0.4)
    assert equal_kept([]) == []


def test_protected_means_strictly_more():
    starts, ends = np.array([0, 5]), np.array([5, 10])
    suppressed = np.zeros(10, bool)
    suppressed[[0, 5, 6]] = True
    assert protected_tokens(starts, ends, suppressed, 20).tolist() == [False, True]
    none = np.zeros(2, bool)
    assert all(np.isnan(x) for x in precision_recall(none, none))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([{"document": "9", "spans": []}], "measure: 1 of 1 labelled documents are not in the source. "
         "Name documents in the labels as in the source."),
        ([{"document": "1", "spans": [[0, 99]]}], "measure: a labelled span of document 1 lies outside its 14 "
         "characters."),
        ([{"spans": [[0, 1]]}], "measure: line 1 of the labels lacks `document` or `spans` ([[start, end], …])."),
        ("none.jsonl", "measure: the labels 'none.jsonl' do not exist. Check the path."),
    ],
)  # fmt: skip
def test_bad_labels(labels, message):
    release = sq.anonymize(DATA, METHOD, seed=1)
    with pytest.raises(sq.InputError) as caught:
        sq.measure(DATA, release, labels=labels)
    assert str(caught.value) == message
    assert read_labels([{"document": 1, "start": 2, "end": 3}]) == {"1": [(2, 3, "PRIVATE")]}


def test_the_wrong_source_is_refused():
    release = sq.anonymize(DATA, METHOD, seed=1)
    with pytest.raises(sq.InputError, match="Is it the source"):
        sq.measure(Corpus.from_texts(["a"]), release)
    with pytest.raises(sq.InputError, match="map does not name"):
        sq.measure(Corpus.from_texts(DOCS, documents=["x", "y", "z"]), release)
    with pytest.raises(sq.InputError, match="fits no released one"):
        sq.measure(Corpus.from_texts(["a", "b", "c"]), replace(release, private={}))


def test_sample_notes_are_seeded_and_labelled():
    data, labels = labelled_notes(n_people=5, seed=2)
    assert data.fingerprint() == notes(n_people=5, seed=2).fingerprint() != notes(n_people=5, seed=3).fingerprint()
    assert data.n_people == 5 and data.n_records > 5
    for i, row in enumerate(labels):
        assert row["document"] == data.documents[i]
        first = data.text(i)[slice(*row["spans"][0])]
        assert data.text(i).startswith(f"Patient: {first}\n")


def test_finders_are_scored_per_type_strictly_and_relaxed(tmp_path):
    docs = ["Ann was born on 2021-03-04 in May", "Bob was born on 2020-01-02, code AB-12345"] * 2
    path = tmp_path / "hide.jsonl"
    path.write_text(json.dumps({"document": "1", "spans": [[0, 3, "NAME"], [4, 7, "NAME"]]}) + "\n", "utf-8")
    data = Corpus.from_texts(docs)
    release = sq.anonymize(data, sq.KRepeats(k=2, unit="document", hide=(str(path),)), seed=1)
    labels = [{"document": str(i + 1), "spans": [[0, 3, "PERSON"], [16, 24, "DATE"]]} for i in range(4)]
    found = {(r["finder"], r["side"], r["type"]): r for r in sq.measure(data, release, labels=labels).rows["finders"]}
    names = found["hide", "found", "NAME"]  # one of two is labelled, just as long
    assert (names["spans"], names["strict"], names["relaxed"], names["characters"]) == (2, 0.5, 0.5, 0.5)
    dates = found["patterns", "found", "DATE"]  # the label is two characters short
    assert (dates["spans"], dates["strict"], dates["relaxed"], dates["characters"]) == (4, 0.0, 1.0, 0.8)
    assert dates["lift"] == pytest.approx(0.8 / found_base(docs))
    assert found["patterns", "found", "ID"]["relaxed"] == 0.0
    assert found["patterns", "labelled", "DATE"]["characters"] == 1.0
    assert found["patterns", "labelled", "PERSON"]["relaxed"] == 0.0
    assert found["hide", "labelled", "PERSON"]["strict"] == 0.25
    both = found["all finders", "labelled", "all"]
    assert (both["spans"], both["relaxed"], both["strict"]) == (8, 5 / 8, 1 / 8)


def found_base(docs):
    return 4 * (3 + 8) / sum(not c.isspace() for d in docs for c in d)

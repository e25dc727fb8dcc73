"""Labelling: rounds, guesses, what is kept and for whom, and what a later start takes up."""

from __future__ import annotations

import json
import random
import stat

import pytest

import sequester as sq
from sequester.methods.text.k_words.floor import Page
from sequester.methods.text.k_words.labelled import laid_on
from sequester.methods.text.k_words.labelling import LOOKED_AT, ROUND, Labelling
from sequester.methods.text.k_words.search import Search
from sequester.model import Corpus
from sequester.samples.notes import labelled_notes


@pytest.fixture(scope="module")
def notes():
    data, rows = labelled_notes(n_people=20, seed=4)
    return data, {row["document"]: [(*span, "NAME") for span in row["spans"]] for row in rows}


def begun(data, folder, **more) -> Labelling:
    return Labelling(data, "en", folder / "notes-labels.private", rng=random.Random(1), **more)


def answer(work: Labelling, truth: dict) -> None:
    """Label the notes of a round as they truly are, as a person would: by marking words."""
    while (name := work.current) is not None:
        page = work.pages[work.place[name]]
        marks = [
            (j, kind)
            for j, (start, end, *_) in enumerate(page.tokens)
            for a, b, kind in truth[name]
            if start < b and end > a
        ]
        work.save(name, marks)


def test_two_rounds_a_restart_and_a_release(notes, tmp_path):
    data, truth = notes
    work = begun(data, tmp_path)
    work.more()
    first = work.current
    assert work.position == (1, ROUND)
    guessed = {word.word for word in work.words(first) if word.kind}
    start, end, _ = truth[first][0]
    assert set(data.text([str(d) for d in data.documents].index(first))[start:end].split()) <= guessed
    shown = "".join(word.before + word.word for word in work.words(first))
    assert shown == work.pages[work.place[first]].text, "the page shows the whole note, and nothing else"
    answer(work, truth)
    told = work.learn()
    assert told.n_labelled == ROUND and told.recall is not None and told.seconds < 20
    whole = told.recall.table.to_pylist()[0]
    assert 0 <= whole["low"] <= whole["hidden"] <= whole["high"] <= 1 and whole["spans"] > ROUND
    assert told.says == "Label five more: 25 notes are a good measure."
    risk = {work.names[i]: work._risk(i) for i in range(len(work.names)) if work.names[i] not in work.labels}
    work.more()
    assert set(work.waiting) == set(sorted(risk, key=lambda name: -risk[name])[:ROUND])
    answer(work, truth)
    labelled = dict(work.labels)
    assert len(labelled) == 2 * ROUND
    work.learn()

    for path in (work.path, work.model, work.folder / "waiting.json"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(work.folder.stat().st_mode) == 0o700
    again = begun(data, tmp_path)
    assert again.labels == labelled and again.likely, "labels and model are taken up again"
    method = sq.KWords(k=4, language="en", labels=str(work.path))
    release = sq.anonymize(data, method, seed=1)
    assert sq.verify(release, data).holds


def test_words_side_by_side_become_one_span_and_lines_do_not(tmp_path):
    work = begun(Corpus.from_texts(["Ann Marie Quill\nLondon was well."] * 2), tmp_path)
    work.save("1", [(0, "NAME"), (1, "NAME"), (2, "NAME"), (3, "NAME"), (5, "<b>")])
    assert work.labels["1"] == [(0, 15, "NAME"), (16, 22, "NAME"), (27, 31, "PRIVATE")]
    assert json.loads(work.path.read_text("utf-8"))["text"].startswith("Ann")


def test_labels_of_an_earlier_quarter_keep_their_own_text(notes, tmp_path):
    """A note of today with the name of an old one is another note."""
    data, truth = notes
    work = begun(data, tmp_path)
    work.more()
    answer(work, truth)
    later = Corpus.from_texts(
        ["The patient was well. " * 4] * 6, documents=[*list(work.labels)[:1], "a", "b", "c", "d", "e"]
    )
    again = begun(later, tmp_path)
    assert len(again.labels) == ROUND and not set(again.labels) & set(again.place)
    assert again.learn().n_labelled == ROUND
    release = sq.anonymize(later, sq.KWords(k=3, language="en", unit="document", labels=str(work.path)), seed=1)
    assert sq.verify(release, later).holds


def test_labels_from_elsewhere_are_taken_over(notes, tmp_path):
    data, _ = notes
    name = str(data.documents[3])
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / f"{name}.ann").parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "ann" / f"{name}.ann").write_text("T1\tNAME 0 4\tabcd\n", "utf-8")
    work = begun(data, tmp_path, labels=str(tmp_path / "ann"))
    assert work.labels == {name: [(0, 4, "NAME")]} and json.loads(work.path.read_text("utf-8"))["document"] == name
    stranger = tmp_path / "s.jsonl"
    stranger.write_text('{"document": "nobody", "spans": [[0, 1]]}\n', "utf-8")
    with pytest.raises(sq.InputError) as caught:
        begun(data, tmp_path, labels=str(stranger))
    assert str(caught.value) == (
        "label: 1 of 1 labelled document is not among the notes. Name documents as in the source, or add their text: "
        "JSON lines with `text`."
    )


def test_what_cannot_be_done_is_one_sentence(tmp_path):
    work = begun(Corpus.from_texts(["All was well."] * 3), tmp_path)
    work.more()
    while (name := work.current) is not None:
        work.save(name, [])
    assert work.learn().says == (
        "You marked nothing in these notes, so there is nothing to learn from yet. Label five more."
    )
    with pytest.raises(sq.InputError, match="every note that was looked at has labels"):
        work.more()
    with pytest.raises(sq.InputError, match="the note has 3 words, got word 10"):
        work.save("1", [(9, "NAME")])
    with pytest.raises(sq.InputError, match="not among those to label"):
        work.save("7", [])


def test_of_many_notes_some_are_drawn(tmp_path):
    work = begun(Corpus.from_texts(["All was well."] * (LOOKED_AT + 50)), tmp_path)
    assert len(work.pages) == LOOKED_AT


def test_probabilities_are_those_of_the_library(notes, tmp_path):
    """Ours add up weights once per word and go forward and backward over two labels; crfsuite looks at every word."""
    pycrfsuite = pytest.importorskip("pycrfsuite")
    data, truth = notes
    work = begun(data, tmp_path)
    work.more()
    answer(work, truth)
    known = laid_on(work.labels, work.texts, work.place, work.pages)
    tagger = work.search.train(known.to_learn)
    theirs = pycrfsuite.Tagger()
    theirs.open_inmemory(tagger.model)
    for page in work.pages[:12]:
        ours, at = tagger.probabilities(page), 0
        for row in tagger.known(page).rows:
            theirs.set(row)
            expected = [theirs.marginal("P", i) for i in range(len(row))]
            assert ours[at : at + len(row)] == pytest.approx(expected, abs=1e-5)
            at += len(row)
        assert at == len(ours) == len(page.tokens)


@pytest.mark.parametrize(
    ("word", "spared"),
    [("Befund", 0.01), ("mit", 0.01), ("Auskunft", 0.003), ("unter", 0.003), ("Müller", 0.001), ("Quennzett", 0.001)],
)
def test_a_word_is_hidden_only_if_it_is_likelier_private_than_words_of_its_sort_need(word, spared):
    """A public word costs much text, most where many documents have it; a name costs little."""
    pytest.importorskip("pycrfsuite")
    often, once = "Der Befund von Müller und Quennzett mit Fieber war gut.", "Der Müller gab unter Quennzett Auskunft."
    tagger = Search(Corpus.from_texts([often] * 40 + [once] * 2), "de", nouns=True, soft=True).tagger
    page = Page(often if word in often else once, tagger.cut)
    for likely, hidden in ((spared * 0.9, False), (spared * 1.1, True)):
        found = {page.text[a:b] for a, b, _ in tagger.found(page, [likely] * len(page.tokens))}
        assert (word in found) is hidden


@pytest.mark.parametrize(("word", "spared"), [("受診", 0.003), ("は", 0.05), ("血液", 0.001), ("佐藤", 0.001)])
def test_japanese_verbs_are_spared_more_than_nouns_and_particles_more_than_verbs(word, spared):
    pytest.importorskip("pycrfsuite")
    text = "佐藤は血液の検査で受診した。"
    tagger = Search(Corpus.from_texts([text] * 5), "ja", nouns=False, soft=True).tagger
    page = Page(text, tagger.cut)
    for likely, hidden in ((spared * 0.9, False), (spared * 1.1, True)):
        found = {page.text[a:b] for a, b, _ in tagger.found(page, [likely] * len(page.tokens))}
        assert (word in found) is hidden


def test_a_tagger_that_saw_one_label_says_it_of_every_word(tmp_path):
    work = begun(Corpus.from_texts(["All was well.", "She went home."] * 3), tmp_path)
    page = work.pages[0]
    assert work.search.train([(page, [(0, len(page.text))])]).probabilities(page) == [1.0] * 3
    assert work.search.train([(page, [])]).probabilities(page) == [0.0] * 3

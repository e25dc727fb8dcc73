"""The first pass: what it finds is hidden, what it misses still has to be shared; nothing rests on it."""

from __future__ import annotations

import json
import random

import pytest

import sequester as sq
from sequester.methods.text.k_repeats import KRepeats
from sequester.methods.text.shared.first_pass import Span, merged
from sequester.methods.text.shared.first_pass.patterns import by_patterns, patterns
from sequester.model import Corpus

DOCS = [
    "Seen on 2021-03-04 at home.\nPhone: +34 612 345 678\nWard: north",
    "Seen on 2021-03-04 at home.\nPhone: +34 612 345 678\nWard: north",
    "Seen on 2021-03-04 at home.\nPhone: +34 612 345 678\nWard: south",
]


def texts(release):
    new = release.private["documents"]
    number = dict(zip(new.column("original").to_pylist(), new.column("document").to_pylist(), strict=True))
    table = release.tables["documents"]
    text = dict(zip(table.column("document").to_pylist(), table.column("text").to_pylist(), strict=True))
    return [text[number[str(i + 1)]] for i in range(len(number))]


def released(docs, **parameters):
    data = Corpus.from_texts(docs)
    release = sq.anonymize(data, KRepeats(**({"k": 2, "unit": "document"} | parameters)), seed=1)
    verdict = sq.verify(release, data)
    assert verdict.holds, verdict
    return texts(release)


@pytest.mark.parametrize(
    ("kind", "found", "text"),
    [
        ("EMAIL", "a.b@c.org", "write a.b@c.org now"),
        ("URL", "www.x.org/a", "see www.x.org/a now"),
        ("DATE", "3 de marzo de 2012", "el 3 de marzo de 2012 ingresa"),
        ("DATE", "March 3, 2012", "on March 3, 2012 seen"),
        ("DATE", "昭和61年9月30日", "昭和61年9月30日に入院"),
        ("DATE", "2021-03-04", "on 2021-03-04 seen"),
        ("TIME", "14:35", "at 14:35 seen"),
        ("PHONE", "+34 612 345 678", "call +34 612 345 678 now"),
        ("ID", "AB-12345", "number AB-12345 here"),
        ("POSTCODE", "〒123-4567", "住所 〒123-4567 東京"),
        ("YEAR", "1987", "since 1987 ill"),
        ("AGE", "37歳", "患者は37歳の男性"),
        ("AGE", "54 years old", "is 54 years old"),
        ("DATE", "2021/3/4", "患者は2021/3/4に入院"),
    ],
)
def test_what_the_patterns_find(kind, found, text):
    spans = by_patterns(Corpus.from_texts([text]))
    assert (kind, found) in {(s.kind, text[s.start : s.end]) for s in spans}


def test_searching_parts_finds_what_searching_everything_finds():
    rng = random.Random(6)
    words = ["pain", "3 de marzo de 2012", "AB-12345", "a@b.org", "37歳", "https://x.y/z?q=1", "555-123 4567", "，"]
    docs = [" ".join(rng.choice([*words, *["plain words"] * 12]) for _ in range(60)) for _ in range(40)]
    whole = set()
    for i, text in enumerate(docs):
        for pattern in patterns():
            for match in pattern.found.finditer(text):
                if pattern.least <= sum(c.isdecimal() for c in match.group()) <= pattern.most:
                    whole.add(Span(i, *match.span(), pattern.kind))
    assert set(by_patterns(Corpus.from_texts(docs))) == whole and len(whole) > 300


def test_no_match_is_longer_than_its_pattern_says():
    told = [pattern for pattern in patterns() if pattern.within]
    longest = "+ 123-(12345)" + "-(12345)" * 4 + " ext. 123456"
    assert len(told) == 1 and told[0].found.fullmatch(longest) and len(longest) <= told[0].within
    rng = random.Random(4)
    for _ in range(3000):
        text = "".join(
            rng.choice(["+", " ", "1", "12", "(12345)", "-", ".", "/", "ext. ", "x", "1234"]) for _ in range(90)
        )
        assert all(len(match.group()) <= told[0].within for match in told[0].found.finditer(text))


def test_it_hides_what_everybody_shares():
    assert released(DOCS, first_pass=())[0].startswith("Seen on 2021-03-04 at home.\nPhone: +34 612 345 678")
    assert released(DOCS)[0].startswith("Seen on […] at home.\nPhone: […]\nWard:")


def test_fields_are_hidden_unless_k_share_them():
    shown = released(DOCS, first_pass=("fields",))
    assert shown[0].endswith("Ward: north") and shown[2].endswith("Ward: […]")


def test_spans_to_hide_come_from_a_file(tmp_path):
    path = tmp_path / "spans.jsonl"
    path.write_text(json.dumps({"document": "1", "spans": [[0, 4, "NAME"]]}) + "\n", "utf-8")
    assert released(DOCS, hide=(str(path),), first_pass=())[0].startswith("[…] on 2021-03-04 at home.")
    assert KRepeats(k=2, hide=(str(path),)).parameters["hide"] == ["spans.jsonl"]
    for row, message in (
        ({"document": "9", "spans": []}, "k-repeats: 1 of 1 document with spans to hide is not in the source. "
         "Name documents as in the source."),
        ({"document": "1", "spans": [[0, 999]]}, "k-repeats: a span to hide in document 1 lies outside its 62 "
         "characters."),
    ):  # fmt: skip
        path.write_text(json.dumps(row), "utf-8")
        with pytest.raises(sq.InputError) as caught:
            released(DOCS, hide=(str(path),))
        assert str(caught.value) == message


def test_typed_markers_are_counted_and_judged():
    shown = released(DOCS, markers="typed")
    assert shown[0].startswith("Seen on [DATE] at home.\nPhone: [PHONE]\nWard: north")
    lonely = released(["born 1999-01-02 here", "nothing of the sort", "nothing of the sort"], markers="typed")
    assert lonely[0] == "[…]"  # a marker that k do not share in its place is hidden like any word
    data = Corpus.from_texts(DOCS)
    release = sq.anonymize(data, KRepeats(k=2, unit="document", markers="typed"), seed=1)
    measured = sq.measure(data, release, labels=[{"document": "1", "spans": [[8, 18, "DATE"]]}], curve=False)
    assert measured["private characters shown"] == 0


def test_a_marker_that_the_text_itself_has_is_hidden():
    docs = ["see [DATE] on 2021-03-04 ok", "see [DATE] on 2021-03-04 ok"]
    shown = released(docs, markers="typed")
    assert shown[0].count("[DATE]") == 1 and shown[0].endswith("[DATE] ok")


def test_public_words_may_be_shown(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("fracture\nfemur\n", "utf-8")
    docs = ["fracture of Anna", "rest at home", "rest at home"]
    assert released(docs)[0] == "[…]"
    assert released(docs, show=(str(words),))[0] == "fracture[…]"
    words.write_text("fracture\nAnna\n東京\n", "utf-8")
    with pytest.raises(sq.InputError) as caught:
        released(docs, show=(str(words),))
    assert str(caught.value) == (
        "k-repeats: 2 entries of the word list 'words.txt' are not in small letters (first: entry 2). A name in a "
        "script without capitals, or a number, could hide among them; leave them out."
    )


def test_a_word_that_is_not_on_the_list_is_refused_by_the_judge(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("fracture\n", "utf-8")
    data = Corpus.from_texts(["fracture of Anna", "rest at home", "rest at home"])
    release = sq.anonymize(data, KRepeats(k=2, unit="document", show=(str(words),)), seed=1)
    assert sq.verify(release).holds
    words.write_text("femur\n", "utf-8")
    assert [c.name for c in sq.verify(release).checks if not c.passed] == ["shared runs"]


def test_what_was_searched_stands_in_the_promise():
    told = " ".join(KRepeats(k=2).guarantee.not_covered)
    assert "It is a search, not a proof: nobody has verified that it found all" in told
    assert "search" not in " ".join(KRepeats(k=2, first_pass=()).guarantee.not_covered)
    assert KRepeats(k=2, first_pass=("none",)) == KRepeats(k=2, first_pass=())
    assert KRepeats(k=2, spans="none").spans is None


def test_overlapping_spans_become_one():
    spans = [Span(0, 5, 9, "B"), Span(0, 0, 6, "A"), Span(1, 0, 2, "C"), Span(0, 9, 9, "D")]
    assert merged(spans) == [Span(0, 0, 9, "A"), Span(1, 0, 2, "C")]


def test_presidio_finds_by_form_and_never_asks_the_network(monkeypatch):
    pytest.importorskip("presidio_analyzer")
    import socket

    def refuse(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    import warnings

    from sequester.methods.text.shared.first_pass.presidio import by_presidio

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spans = by_presidio(Corpus.from_texts(["mail ann@example.org, card 4111111111111111"]), "en")
    assert {"EMAIL_ADDRESS", "CREDIT_CARD"} <= {s.kind for s in spans}

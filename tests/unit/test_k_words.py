"""k-words: what stays, what k decides, hostile notes, and a judge that cuts and counts by itself."""

from __future__ import annotations

import json
import random
import re
import sys
from dataclasses import replace
from datetime import date

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sequester as sq
from sequester.guarantees import public_words as rule
from sequester.guarantees import word_list as lists_of
from sequester.guarantees.word_list import word_list
from sequester.judges import word_cuts
from sequester.methods.text.k_words.cutting import WORD, words_for
from sequester.methods.text.k_words.labelled import _share
from sequester.model import Corpus
from sequester.samples.notes import labelled_notes

COMMON = (
    "The patient was seen in the clinic with fever and a productive cough. Treatment with antibiotics was started.",
    "The patient was seen in the ward with chest pain. Blood tests were taken and 40 mg of a diuretic were given.",
)


def notes(*more: str, n: int = 8) -> Corpus:
    return Corpus.from_texts([*more, *(COMMON[i % 2] for i in range(n))])


def shown(data: Corpus, **options) -> tuple[list[str], sq.Release]:
    """The released texts in the order of the originals."""
    release = sq.anonymize(data, sq.KWords(**{"k": 3, "language": "en", "unit": "document"} | options), seed=1)
    verdict = sq.verify(release, data)
    assert verdict.holds, str(verdict)
    new = {row["original"]: row["document"] for row in release.private["documents"].to_pylist()}
    text = {row["document"]: row["text"] for row in release.tables["documents"].to_pylist()}
    return [text[new[str(name)]] for name in data.documents], release


def test_public_words_stay_and_rare_words_go():
    texts, _ = shown(notes("He plays the cello and was seen by Dr Quennell on ward Zett. He takes 40 mg daily."))
    assert texts[0] == "He plays the cello and was seen by […] on ward […] takes 40 mg daily."


def test_a_word_that_is_not_public_stays_where_k_people_share_it():
    said = "It was the Zettbruch protocol that helped."
    assert "Zettbruch" in shown(notes(said, said, said))[0][0]
    assert shown(notes(said, said))[0][0] == "It was the […] protocol that helped."


def test_two_shared_words_in_a_row_must_be_shared_together():
    """Pine and Zett are each shown by three; Pine Zett stands in one note alone."""
    data = notes("a Zett b", "a Zett c", "a Zett d", "a Qorn b", "a Qorn c", "a Qorn d", "seen Qorn Zett here")
    texts, _ = shown(data)
    assert texts[0] == "a Zett b" and texts[3] == "a Qorn b"
    assert texts[6] in ("seen […] Zett here", "seen Qorn […] here")


@pytest.mark.parametrize(
    "secret",
    ["12/03/1971", "3 March 2012", "March 3, 2012", "1971-03-12", "ann@ward.org", "https://x.org/a", "555123456",
     "AB12345X", "昭和61年9月30日", "12. 3. 1971", "12\u201003\u20101971", "3 / 12 / 1971", "12 MARCH 1971", "03.1971",
     "3rd of MAR", "令和三年", "九月三十日", "klein.example.com",
     "WWW.KLEIN.DE"],
)  # fmt: skip
def test_forms_are_hidden_however_many_share_them(secret):
    texts, _ = shown(notes(*[f"He was born {secret} in the ward."] * 6))
    assert texts[0].startswith("He was born […]") and not any(c.isdecimal() for c in texts[0])


HOSTILE = {
    "look-alike letters": ("The patient раtiеnt Аdа was well.", ("раtiеnt", "Аdа")),
    "a sign of no width": ("The patient Mül\u200bler and Qu\u00adennell were well.", ("ler", "ennell", "Mül")),
    "markup": ("The patient <b>Quen</b>nell was well, and S&#109;ith too.", ("Quen", "nell", "ith")),
    "a soft hyphen between listed words": ("The patient stein\u00adberger was well.", ("stein", "berger")),
    "letters in circles": (
        "The patient \u24b7\u24d4\u24e1\u24d6 with \u2460\u2468\u2466 was well.",
        ("\u24d4", "\u2468"),
    ),
    "Braille": ("The patient \u281f\u2825\u2811\u281d was well.", ("\u2825",)),
    "a listed name of a script without small letters": ("The patient محمد was well.", ("محمد",)),
    "letters one by one": ("The patient Q u e n n and q-u-e-n-n were well.", ("u e n n", "u-e-n")),
    "a word cut by the end of a line": ("The patient Stein-\nberger was well.", ("Stein", "berger")),
    "a code of short numbers": ("The number 4711 V 8150 A was given.", ("4711", "8150")),
    "age and sex": ("A 34 M with pain, and a 78F.", ("34", "78")),
    "right to left": ("The patient \u202ellennuQ\u202c was well and דוד כהן too.", ("llennuQ", "כהן", "דוד")),
    "a capital inside": ("The patient McQuennell saw deQuorn.", ("Quennell", "Quorn")),
    "joined by an underscore": ("The file pine_quennell_notes was read.", ("quennell",)),
    "full width": ("The patient Ｑuennell lives at １７ the lane.", ("Ｑuennell", "１７")),
    "a marker in the text": ("The patient […] Quennell […] was well.", ("Quennell",)),
    "a combining mark": ("The patient cafe\u0301x was well.", ("cafe",)),
    "all capitals": ("THE PATIENT QUENNELL WAS WELL.", ("QUENNELL",)),
    "digits as letters": ("The patient Qu3nn3ll was well.", ("Qu3nn3ll",)),
    "a name at the start of a line": ("Quennell\nQuorn was well.", ("Quennell", "Quorn")),
    "a name behind a title": ("Seen by Prof. Brown. Mrs Baker was well.", ("Brown", "Baker")),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_notes(what):
    note, secrets = HOSTILE[what]
    texts, _ = shown(notes(note))
    for secret in secrets:
        assert secret not in texts[0], texts[0]


PLAIN = {
    "de": "Der Patient wurde in der Klinik gesehen und mit Antibiotika behandelt. Danach ging es ihm besser.",
    "es": "El paciente fue visto en la consulta y tratado con antibióticos. Después se encontraba mejor.",
    "fr": "Le patient a été vu à la consultation et traité par antibiotiques. Ensuite il allait mieux.",
    "ja": "患者は外来で診察を受け、抗菌薬で治療された。その後は改善した。",
}


NAMES = {
    "homoglyphs": ("Quеnnеll", ("Quеnnеll",)),
    "no width": ("Quen\u200bnell", ("nell",)),
    "markup": ("<b>Quen</b>nell", ("Quen", "nell")),
    "right to left": ("\u202ellennuQ\u202c", ("llennuQ",)),
    "Hebrew": ("דוד כהן", ("כהן", "דוד")),
    "small letters": ("quennzettbruch", ("quennzettbruch",)),
    "digits": ("Qu3nn3ll_Zett", ("Qu3nn3ll", "Zett")),
    "full width": ("Ｑｕｅｎｎ", ("Ｑｕｅｎｎ",)),
    "mathematical letters": ("𝐉𝐨𝐡𝐧", ("𝐉𝐨𝐡𝐧", "𝐨𝐡𝐧")),
    "tags": ("J\U000e0041ohn", ("ohn",)),
    "Cherokee": ("ᏦᎬᎡᎷ", ("ᏦᎬᎡᎷ",)),
    "a date of full width": ("１２／０３／１９７１", ("１２", "１９７１")),
    "Arabic digits": ("١٢٣٤٥٦٧", ("١٢٣٤٥٦٧",)),
    "a date of fraction signs": ("12\u204403\u20441971", ("12", "1971")),
    "an entity": ("&#74;ohn", ("74", "ohn")),
}


@pytest.mark.parametrize("language", PLAIN)
@pytest.mark.parametrize("what", NAMES)
def test_a_hostile_name_in_every_language(language, what):
    """Inside a sentence, at its start, behind a title, a label and a number; in letters the rules know and others."""
    hostile, secrets = NAMES[what]
    plain = PLAIN[language]
    note = f"{plain} {hostile} {plain}\n{hostile}\nDr. {hostile}\nName: {hostile}\n40 {hostile} {plain}"
    texts, _ = shown(Corpus.from_texts([note, *[plain] * 6]), language=language)
    for secret in secrets:
        assert secret not in texts[0], texts[0]


def test_a_rare_surname_in_small_letters_is_not_covered_and_the_promise_says_so():
    assert "quincey" in word_list("en").zipf
    texts, release = shown(notes("The patient quincey was well. " + COMMON[0]))
    assert "quincey" in texts[0]
    assert "Names written like common words." in release.guarantee.not_covered


def test_a_note_in_small_letters_shows_only_what_k_share():
    small = "the patient quincey plays the cello and was seen in the ward with a fever for two long days and one night"
    texts, release = shown(notes(small))
    assert "quincey" not in texts[0] and "cello" not in texts[0]
    assert [note.says for note in release.notes if note.about == "small letters"] == [
        "1 document is written in small letters, so capitals say nothing about names there: only stretches that 3 "
        "documents share are shown."
    ]


def test_a_short_note_in_small_letters_shows_only_what_k_share():
    texts, _ = shown(notes("mr white was called by his wife mary", "12/60"))
    assert "white" not in texts[0] and "mary" not in texts[0]


@pytest.mark.parametrize("secret", ["bеrgеr", "ab12cd", "Стеіnov"])
def test_a_western_word_is_whole_in_japanese(secret):
    """The dictionary cuts such words into listed pieces."""
    texts, _ = shown(Corpus.from_texts([f"{PLAIN['ja']}{secret} は", *[PLAIN["ja"]] * 6]), language="ja")
    assert not set(secret) & set(texts[0]), texts[0]


def test_an_article_is_no_name_in_german(tmp_path):
    texts, _ = shown(Corpus.from_texts(["Der Patient klagt über Schmerzen."] * 4), language="de", nouns="on")
    assert texts[0] == "Der Patient klagt über Schmerzen."


def test_a_memory_limit_that_cannot_be_kept_is_refused():
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(notes(n=20_000), sq.KWords(k=4, language="en", unit="document"), engine=sq.Engine(memory=10**8))
    assert str(caught.value) == (
        "k-words: 2 MB of text need about 217 MB of memory, and the limit is 100 MB. All documents are looked at "
        "together: raise memory_limit=, or publish fewer documents."
    )


def test_german_nouns_follow_the_labels(tmp_path):
    letter = "Der Patient klagt über Kopfschmerzen und Herr Quennwald bekam Tabletten gegen die Rückenschmerzen."
    data = Corpus.from_texts([letter, *["Der Befund war unauffällig."] * 6])
    texts, release = shown(data, language="de")
    assert "Tabletten" not in texts[0] and not release.guarantee.parameters["nouns"]
    texts, release = shown(data, language="de", nouns="on")
    assert "Tabletten" in texts[0] and "Quennwald" not in texts[0]
    assert "No word with a capital" not in release.guarantee.statement


def test_japanese(tmp_path):
    texts, _ = shown(sq.sample("text", language="ja", seed=3), language="ja", unit="person", k=4)
    assert any("入院した" in text for text in texts)
    assert not any("佐藤" in text or "2021年" in text for text in texts)


def test_labels_train_a_tagger_that_only_hides(tmp_path):
    data, labels = labelled_notes(n_people=30, seed=4)
    for row in labels[:25]:
        row["spans"] = [[start, end, ("ODD", "EVEN")[i % 2]] for i, (start, end, *_) in enumerate(row["spans"])]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in labels[:25]), "utf-8")
    plain, _ = shown(data, unit="person")
    more, release = shown(data, unit="person", labels=str(path))
    assert sum(map(len, more)) <= sum(map(len, plain))
    for row in labels[:25]:
        place = [str(name) for name in data.documents].index(row["document"])
        for start, end, *_ in row["spans"]:
            secret = data.text(place)[start:end]
            assert secret not in more[place]
    assert release.parameters["labels"] == "labels.jsonl"
    told = next(note for note in release.notes if note.about == "recall").says
    even = release.private["recall"].to_pylist()[1]
    assert " By label: EVEN " in told and ", ODD " in told
    assert f"; {even['left whole']} of {even['spans']} whole)" in told


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"document": "nobody", "spans": [[0, 1]]}],
         "k-words: 1 of 1 labelled document is not in the source. Name documents as in the source, or add their text: "
         "JSON lines with `text`."),
        ([{"document": "1", "spans": []}],
         "k-words: the labels mark nothing, so no tagger can learn from them. Mark private text."),
        ([{"document": "1", "spans": [[0, 9999]]}],
         "k-words: a span of labelled document 1 lies outside its 9 characters. Places are counted in characters "
         "from 0."),
    ],
)  # fmt: skip
def test_bad_labels_are_one_sentence(tmp_path, rows, message):
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with pytest.raises(sq.InputError) as caught:
        shown(notes("It hurts."), labels=str(path))
    assert str(caught.value) == message


def test_an_interval_of_recall_has_a_width_even_without_a_miss():
    """Five spans in each of twelve documents, all of them hidden, or none."""
    found = _share([(document, "NAME", 8, 8) for document in range(12) for _ in range(5)], "all")
    assert (found["hidden"], found["high"]) == (1, 1) and 0.9 < found["low"] < 0.98
    lost = _share([(document, "NAME", 8, 0) for document in range(12) for _ in range(5)], "all")
    assert (lost["hidden"], lost["low"]) == (0, 0) and 0.02 < lost["high"] < 0.1


def test_without_the_extra_a_sentence_names_it(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    lists_of.word_list.cache_clear()
    with pytest.raises(
        sq.InputError, match=r"k-words: the word lists need the extra 'words'. Install sequester\[words\]."
    ):
        word_list("fr")
    lists_of.word_list.cache_clear()


def test_a_list_that_differs_is_built_again(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lists_of.word_list.cache_clear()
    whole = word_list("fr")
    kept = next((tmp_path / "sequester-words").iterdir())
    kept.write_text(kept.read_text("utf-8").replace("le ", "le quennell ", 1), "utf-8")
    lists_of.word_list.cache_clear()
    assert word_list("fr").zipf == whole.zipf and "quennell" not in word_list("fr").zipf
    lists_of.word_list.cache_clear()


MUTANTS = {
    "a rare name with a capital": (" cough", " Quennell"),
    "a date": (" cough", " 12/03/1971"),
    "a number without its unit": ("40 mg", "57 of"),
    "a long number": ("40 mg", "401234 mg"),
    "a look-alike word": (" cough", " соugh"),
    "a listed name at a start": ("Treatment", "Baker"),
    "a capital inside a sentence": (" cough", " Cough"),
    "a sign of no width": (" cough", " cou\u200bgh"),
    "a word in markup": (" cough", " <i>cough"),
    "a capital behind a title": (". Treatment", " Prof. Treatment"),
    "a mail address": (" cough", " ann@ward.org"),
    "letters of another script": (" cough", " כהן"),
    "turned around": (" cough", " \u202ehguoc"),
    "a rare word in small letters": (" cough", " quennzettbruch"),
    "joined by a line": (" cough", " pine_quennell"),
    "a soft hyphen": (" cough", " co\u00adugh"),
    "letters in circles": (" cough", " \u24d2\u24de"),
    "a single capital as unit": ("40 mg", "40 V"),
    "a name in Arabic": (" cough", " محمد"),
    "a date with blanks": (" cough", " 12. 3. 1971"),
    "a host name": (" cough", " klein.com"),
    "a digit of another width": ("40 mg", "４０ mg"),
    "a capital behind a colon": (". Treatment", ": Cello"),
}


@pytest.mark.parametrize("what", MUTANTS)
def test_the_judge_denies_mutants(what):
    """One word of one document is changed; everything else stays as it was released."""
    old, new = MUTANTS[what]
    data = Corpus.from_texts([f"{COMMON[0]} {COMMON[1]}"] * 3)
    _, release = shown(data)
    assert sq.verify(release).holds
    rows, schema = release.tables["documents"].to_pylist(), release.tables["documents"].schema
    assert old in rows[0]["text"]
    rows[0]["text"] = rows[0]["text"].replace(old, new, 1)
    mutant = replace(release, tables={**release.tables, "documents": pa.Table.from_pylist(rows, schema=schema)})
    verdict = sq.verify(mutant)
    broken = [check.name for check in verdict.checks if not check.passed]
    assert broken in (["shared stretches"], ["forms"], ["forms", "shared stretches"]), str(verdict)


def test_the_judge_denies_another_list_and_other_rules():
    _, release = shown(notes())
    for name in ("list", "gazetteers", "rules"):
        promised = dict(release.guarantee.parameters)
        promised[name] = {**promised[name], "sha256": "0" * 64}
        verdict = sq.verify(replace(release, guarantee=replace(release.guarantee, parameters=promised)))
        assert [(c.name, c.detail) for c in verdict.checks if not c.passed] == [
            ("lists and rules", f"this version has another checksum of: {name}")
        ]


PIECES = ["a", "Zett", "the", "12", "3", "mg", "é", "ß", "и", "日", "の", "\u0301", "\u200b", "\u3099", "\u309a", "-",
          "'", "’", ".", ",", ":", "/", " ", "\n", "\u00a0", "<", "_", "@", "%", "[", "…", "]", "・", "ー", "½", "²",
          "🙂"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=12))
@example("a\u3099b 1/2 1.2.3 x/y 3,4 -a- 'a' a-'b")
def test_method_and_judge_cut_every_text_alike(text):
    assert [m.span() for m in WORD.finditer(text)] == [(w.start, w.end) for w in word_cuts.words_in(text)]


@pytest.mark.parametrize(("language", "nouns"), [("en", False), ("es", False), ("de", True), ("ja", False)])
def test_method_and_judge_call_the_same_words_public(language, nouns):
    """Random pieces of words, signs and gaps: the two have no line of code in common."""
    rng = random.Random(5)
    some = rng.sample(sorted(word_list(language).zipf), 300)
    bits = [
        *some,
        *(w.capitalize() for w in some[:100]),
        *PIECES,
        *(["40 mg", "3 %", "Dr.", ". The ", ": The ", "\nDer "] * 5),
    ]
    method, judge = words_for(word_list(language), nouns=nouns), word_cuts.reader_for(word_list(language), nouns=nouns)
    for _ in range(400):
        piece = "".join(rng.choice(bits) + rng.choice(["", " ", " ", ". "]) for _ in range(8))
        first, last = rng.random() < 0.5, rng.random() < 0.5
        ours = [(word, public) for _, _, word, public in method.cut(piece, 0, first=first, last=last)]
        assert ours == judge.read(piece, opens=first, closes=last), piece


def test_the_separators_are_a_fixed_table():
    """Written twice: as a class of a regular expression, and as ranges of code points."""
    judged = {point for low, high in word_cuts.BETWEEN for point in range(low, high + 1)}
    cut = {point for point in range(0x110000) if not 0xD800 <= point < 0xE000 and WORD.match(chr(point)) is None}
    assert judged == cut


def test_the_rules_of_the_promise_are_data():
    assert rule.rules_checksum() == sq.KWords(k=4, language="en").guarantee.parameters["rules"]["sha256"]
    assert {"mg", "mmhg"} <= rule.UNITS and all(rule.SUFFIXES[language] for language in ("de", "en", "es", "fr"))


LETTER = (
    "The patient Mr. Quentin Quennell was seen on 2021-03-04 and again on 2021-03-14 in Boston and there. The number "
    "is 617-555-0188 there, and Quennell was well. The [DATE] was noted."
)


def test_typed_markers_say_what_was_found_and_no_text_passes_for_one():
    texts, release = shown(notes(LETTER), markers="typed")
    assert "[DATE] and again on [DATE] in [PLACE]" in texts[0] and "[NAME] was well" in texts[0]
    assert texts[0].endswith("The […] was noted."), texts[0]
    assert release.guarantee.parameters["markers"] == ["typed"]


def test_surrogates_are_consistent_counted_and_never_true():
    data = Corpus.from_texts([LETTER, LETTER, *COMMON * 3], persons=["a", "a", *"bcdefg"])
    texts, release = shown(data, markers="invented", unit="person")
    gaps = release.private["spans"].num_rows
    first, second = texts[:2]
    assert "Quennell" not in first and "Boston" not in first and "0188" not in first and first == second
    days = [date.fromisoformat(found) for found in re.findall(r"\d{4}-\d\d-\d\d", first)]
    assert len(days) == 2 and (days[1] - days[0]).days == 10 and days[0].isoformat() != "2021-03-04"
    assert re.search(r"\d{3}-\d{3}-\d{4}", first)
    check = next(c for c in sq.verify(release).checks if c.name == "replacements")
    n = int(check.detail.split()[0])
    assert 8 <= n <= gaps and check.detail.endswith("; 0 hold something else")
    assert [note.says.split()[0] for note in release.notes if note.about == "invented"] == [str(n)]
    assert any(fact.name == "invented" for fact in release.reading)


def test_a_kind_that_could_be_a_name_is_named_where_k_people_show_it(tmp_path):
    """Kinds of labels are the custodian's words: `[MUSTER]` in one letter would show what k-words hides."""
    said = [f"The {who} was well." for who in ("Quinault", "Zettbruch", "Qornwall", "Xanthwell")]
    data = notes(*said)
    path = tmp_path / "labels.jsonl"
    kinds = ("MUSTER", "WARD_NAME", "WARD_NAME", "WARD_NAME")
    rows = [{"document": name, "spans": [[4, 4 + len(text.split()[1]), kind]]}
            for name, text, kind in zip(map(str, data.documents), said, kinds, strict=False)]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    texts, release = shown(data, markers="typed", labels=str(path))
    assert "MUSTER" not in texts[0] and all("[WARD_NAME]" in text for text in texts[1:4]), texts[:4]
    documents, spans = (release.tables[name].to_pylist() for name in ("documents", "spans"))
    at = next(row for row in documents if "[WARD_NAME]" in row["text"])
    span = next(row for row in spans if row["document"] == at["document"])
    at["text"] = at["text"].replace("[WARD_NAME]", "[MUSTER]")
    span["end"] -= len("WARD_NAME") - len("MUSTER")
    tables = {name: pa.Table.from_pylist(rows, schema=release.tables[name].schema)
              for name, rows in (("documents", documents), ("spans", spans))}  # fmt: skip
    verdict = sq.verify(replace(release, tables={**release.tables, **tables}))
    assert [check.name for check in verdict.checks if not check.passed] == ["replacements"], str(verdict)


@pytest.mark.parametrize("what", ["smuggled", "unlisted", "in signs", "true", "overlapping"])
def test_the_judge_denies_false_surrogates(what):
    data = notes(LETTER)
    _, release = shown(data, markers="invented")
    documents, spans = release.tables["documents"].to_pylist(), release.tables["spans"].to_pylist()
    at = next(i for i, row in enumerate(documents) if "was well" in row["text"])
    mine = sorted((row for row in spans if row["document"] == documents[at]["document"]), key=lambda row: row["start"])
    first, text = mine[0], documents[at]["text"]

    def write(value: str) -> None:
        documents[at]["text"] = text[: first["start"]] + value + text[first["end"] :]
        moved = len(value) - (first["end"] - first["start"])
        for row in mine:
            row["end"] += moved
            row["start"] += moved * (row is not first)

    if what == "smuggled":  # a rare name beside an invented one, in no span
        documents[at]["text"] = text + " Quennell"
    elif what == "unlisted":
        write("Zettbruch")
    elif what == "in signs":  # letters that Unicode calls symbols: Braille, and capitals in boxes
        write("\u2819\u2801\u2817\u280a\u2801 \U0001f13c\U0001f130")
    elif what == "true":
        hidden = sorted(release.private["spans"].to_pylist(), key=lambda row: (row["document"], row["start"]))
        true = next(row for row in hidden if row["document"] == documents[at]["document"])
        write(data.text(0)[true["start"] : true["end"]])
    else:
        spans.append({**first, "end": first["end"] + 1})
    tables = {
        **release.tables,
        "documents": pa.Table.from_pylist(documents, schema=release.tables["documents"].schema),
        "spans": pa.Table.from_pylist(spans, schema=release.tables["spans"].schema),
    }
    verdict = sq.verify(replace(release, tables=tables), data)
    broken = {check.name for check in verdict.checks if not check.passed}
    wanted = {"smuggled": "shared stretches", "true": "invented values"}
    assert wanted.get(what, "replacements") in broken, str(verdict)

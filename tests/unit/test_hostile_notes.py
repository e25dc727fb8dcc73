"""Hostile notes in every language of k-words: what is private is not shown, and shown as it is the judge denies it."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import sequester as sq
from sequester.model import Corpus

COMMON = {
    "en": ("The patient was seen in the clinic with fever.", "Blood tests were taken and 40 mg were given."),
    "de": ("Der Patient wurde in der Ambulanz mit Fieber gesehen.", "Das Labor war gut und 40 mg wurden gegeben."),
    "es": ("El paciente acudió a la consulta con fiebre.", "Se tomaron muestras y se dieron 40 mg."),
    "fr": ("Le patient a été vu en consultation avec de la fièvre.", "Des analyses ont été faites."),
    "ja": ("患者は発熱と咳で受診した。", "血液検査を行い、40mgの薬を投与した。"),
}
HOSTILE = {
    "en": {
        "quennell, ann\nwas seen in the ward.": "quennell",
        "Mrs Smith-Quorn and Dr. Lang-Berger were there.": "Smith Quorn Lang Berger",
        "seen by J.K. and signed jkq/ab in the ward.": "J.K jkq",
        "write to ann.quennell at ward dot org please.": "quennell org",
        "IBAN GB29 NWBK 6016 1331 9268 19 was given.": "GB29 NWBK 6016 1331 9268",
        "NHS number 943 476 5919 and id 12 34 56 78 were noted.": "943 476 5919 34",
        "The patient Ann\u200bQuennell and Qu\u00e9\u0301nnell were well.": "Ann Quennell nnell",
        "The patient Jоhn (Cyrillic) Ѕmith was well.": "Jоhn Ѕmith",
        "The patient \u202eetteZ\u202c and משה were well.": "etteZ משה",
        "The patient Jose\u0301 Nu\u0301n\u0303ez was well.": "Jose ez",
        "Phone ０１２３４５６７８９ was called.": "０１２３",
        "She is 97 years old and he is 101 y/o.": "97 101",
        "Born the twelfth of March, nineteen seventy-one.": "twelfth March nineteen seventy",
        "Seen on 3rd of May and on 4 Sept.": "May Sept",
        "Her daughter Zuleika and his wife Marigold came.": "Zuleika Marigold",
        "She lives at 12 Pine Street, Springfield.": "Pine 12 Springfield",
    },
    "de": {
        "Frau Müller-Lüdenscheidt und Dr. Lang-Berger waren da.": "Lüdenscheidt Lang Berger Müller",
        "Tel. 0172 / 347 98 27 oder 0421/497-52 33 anrufen.": "0172 347 497 0421",
        "IBAN DE89 3704 0044 0532 0130 00 wurde angegeben.": "3704 0532 DE89",
        "Versicherung 1234 010180 und A123456789 notiert.": "010180 A123456789 1234",
        "am 3.4. und im 03/2019 sowie KW 12/2021 gesehen.": "3.4 03/2019 12/2021",
        "Herr von der Heide liegt auf Station 3B in Zimmer 412.": "Heide 3B 412",
        "am dritten März neunzehnhundert gesehen.": "dritten März neunzehnhundert",
        "die 93-jährige Patientin, 101 Jahre alt der Mann.": "93 101",
        "Diktat: Kö/mw": "Kö mw",
    },
    "es": {
        "Doña María de la O García-Pelayo vive en la C/ Mayor 12.": "García Pelayo María Mayor",
        "NHC 12 345 678 y DNI 12345678-Z fueron anotados.": "345 12345678",
        "paciente de 97 años, nacida el tres de marzo de mil novecientos.": "97 tres marzo novecientos",
        "su hija Zuleika y su marido Nicanor vinieron.": "Zuleika Nicanor",
    },
    "fr": {
        "M. Le Goff et Mme N'Diaye vivent au 12 bis, rue des Lilas.": "Goff Diaye Lilas 12",
        "NIR 1 85 05 78 006 084 36 et 06 12 34 56 78 notés.": "006 084 34",
        "âgée de 97 ans, vue le trois mars à Quimperlé.": "97 trois mars Quimperlé",
    },
    "ja": {
        "患者さくら、ひかりさんは受診した。": "さくら ひかり",
        "佐藤はなこ様は受診した。": "佐藤 はなこ",
        "電話０９０−１２３４−５６７８に連絡した。": "１２３４ ５６７８",
        "アンナ・F・フライ氏は９７歳である。": "アンナ フライ ９７",
        "昭和六十一年九月三十日に受診した。": "六十一 九月",
        "神奈川県横浜市緑区一丁目2番3号に在住。": "横浜 一丁目 2番",
    },
}
"""Language → note → what must not be shown of it."""
LISTED = {"quennell, ann\nwas seen in the ward.", "write to ann.quennell at ward dot org please."}
"""Notes whose words are all on the public list: only the search hides them, and the promise says that it may not."""


@pytest.mark.parametrize("language", HOSTILE)
def test_nothing_private_is_shown_and_the_judge_denies_it_if_it_is(language):
    hostile = HOSTILE[language]
    data = Corpus.from_texts([*hostile, *COMMON[language] * 4])
    release = sq.anonymize(data, sq.KWords(k=3, language=language, unit="document"), seed=1)
    assert sq.verify(release, data).holds
    new = {row["original"]: row["document"] for row in release.private["documents"].to_pylist()}
    table = release.tables["documents"]
    place = {name: i for i, name in enumerate(table.column("document").to_pylist())}
    texts = table.column("text").to_pylist()
    for i, (note, secrets) in enumerate(hostile.items()):
        at = place[new[str(i + 1)]]
        assert not [secret for secret in secrets.split() if secret in texts[at]], texts[at]
        column = pa.array([note if j == at else text for j, text in enumerate(texts)], table.schema.field("text").type)
        spans = release.tables["spans"]
        mine = pc.equal(spans.column("document"), table.column("document")[at])
        shown = {
            **release.tables,
            "documents": table.set_column(table.column_names.index("text"), "text", column),
            "spans": spans.filter(pc.invert(mine)),
        }
        verdict = sq.verify(replace(release, tables=shown))
        assert verdict.holds == (note in LISTED), (note, str(verdict))

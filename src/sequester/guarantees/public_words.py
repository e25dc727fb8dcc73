"""Public words: what `k-words` promises, and the data that defines it (`public_words.json`).

Method and judge read the same definition; each has code of its own to apply it.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from sequester.guarantees.substrings import COUNTED
from sequester.guarantees.word_list import CHECKSUMS, NAME, VERSION, gazetteer_checksum
from sequester.guarantees.wording import OWNERS, SEVERAL
from sequester.release import Guarantee

MODEL = "public-words"
MARK = "[…]"
DICTIONARY = "20261015"
"""Version of the Japanese dictionary: another one may cut otherwise."""
DATA = Path(__file__).with_name("public_words.json")
_RULES: Any = json.loads(DATA.read_bytes())
RULES: int = _RULES["version"]
START: int = _RULES["start"]
"""Least Zipf level of a word that is public with a capital at the start of a sentence."""
NOUN: int = _RULES["noun"]
"""A capitalised German word of this level is a noun even where other languages have the word too."""
SPOKEN: int = _RULES["spoken"]
"""Least Zipf level of a Japanese word."""
SUFFIXED: int = _RULES["suffixed"]
"""Letters a word needs for its ending to make it public."""
DIGITS: int = _RULES["digits"]
"""Most digits of a number that is public before its unit."""
SMALL = re.compile(_RULES["small_letters"])
"""Small letters of western European languages: endings make only such words public, so that no look-alike passes."""
TOUCHING: str = _RULES["touching"]
"""A word right before one of these is not public: markup may cut a name into listed words."""
BEFORE: str = _RULES["before"]
"""Nor is a word right behind one of these."""
SIGNS: str = _RULES["signs"]
"""Signs that count as units behind a number."""
UNITS = frozenset(_RULES["units"].split())
CAPITAL_UNITS: str = _RULES["capital_units"]
"""The only units that are a single capital: otherwise `4711 V 0815 A` would be two numbers with units."""
ABBREVIATED = frozenset(_RULES["abbreviated"].split())
"""A full stop behind one of these, or behind three letters or fewer, ends no sentence."""
SUFFIXES = {language: tuple(endings.split()) for language, endings in _RULES["suffixes"].items()}
MONTHS = frozenset(_RULES["months"].lower().split())
FORMS = {name: form.replace("MONTH", _RULES["months"].replace(" ", "|")) for name, form in _RULES["forms"].items()}
"""What nothing visible may look like: name → pattern."""
KINDS = {
    "AGE", "DATE", "EMAIL", "FAMILY", "FIELD", "HOSPITAL", "ID", "JOB", "NAME", "PHONE", "PLACE", "POSTCODE", "PRIVATE",
    "SEX", "STREET", "TAGGED", "TIME", "TITLE", "URL", "WARD",
}  # fmt: skip
"""Kinds that the search knows itself. Any other, such as one of the custodian's labels, could be somebody's name."""


def rules_checksum() -> str:
    """SHA-256 of the file of units, endings, forms and bounds."""
    return hashlib.sha256(DATA.read_bytes()).hexdigest()


def public_words(
    *,
    k: int,
    unit: str,
    language: str,
    nouns: bool,
    labelled: bool,
    kept: tuple[str, ...],
    typed: bool = False,
    surrogates: bool = False,
) -> Guarantee:
    """Every visible stretch of words that are not public stands in released documents of k people."""
    often = COUNTED[unit].format(k=k)
    said = [
        f"Every visible stretch of words that are not public stands {often} of the release itself. Public are words of "
        f"a named list ({NAME} {VERSION}, '{language}') in small letters, words of six letters or more with a listed "
        "ending, and numbers before a unit.",
        "Nothing visible has the form of a date, a code, a long number, a mail or a web address.",
    ]
    if language == "ja":
        said[0] = (
            f"Every visible stretch of words that are not public stands {often} of the release itself. Public are "
            f"words of a named list ({NAME} {VERSION}, 'ja') that the dictionary does not call a name, and numbers "
            "before a unit."
        )
    elif not nouns:
        said.append(
            "No word with a capital inside a sentence is shown unless it is shared like that; at the start of a "
            "sentence or line a common word may be shown if no list of names or places has it."
        )
    limits = [
        "Combinations of common words: whoever knows a sentence of a document can find the document.",
        "Names written like common words" + (" or nouns, which German writes with a capital." if nouns else "."),
        "Family, profession, origin and other facts in common words.",
        "It is not differential privacy: what is suppressed depends on all documents.",
        "It is meant for partners under an agreement; for open publication choose k-repeats.",
        SEVERAL,
    ]
    if unit == "document":
        limits.insert(0, "People with several documents: their own documents count as different ones.")
    else:
        limits.append(OWNERS)
    if typed:
        limits.append("The kind of a hidden stretch is shown where the search knew it, such as [DATE].")
    if surrogates:
        said.append(
            "Some hidden stretches hold an invented value (names and places of the named lists, moved dates, random "
            "digits); the table `spans` says where. None equals what it stands for."
        )
        limits.append("Invented values read like true ones: leave out of every count what the table `spans` names.")
        limits.append("Dates of one person are moved together, so the days between them are true.")
    if labelled:
        limits.append("A tagger trained on the custodian's labels hid more. The promise does not rest on it.")
    if kept:
        limits.append(f"The columns {', '.join(kept)} are published as they are: the custodian declared them public.")
    parameters: dict[str, Any] = {
        "k": k,
        "language": language,
        "nouns": nouns,
        "mark": MARK,
        "per_character": False,
        "list": {"name": NAME, "version": VERSION, "sha256": CHECKSUMS[language]},
        "gazetteers": {"version": 1, "sha256": gazetteer_checksum()},
        "rules": {"version": RULES, "sha256": rules_checksum()},
    }
    if language == "ja":
        parameters["dictionary"] = {"name": "sudachidict-small", "version": DICTIONARY}
    parameters |= {"markers": ["typed"]} if typed else {}
    parameters |= {"surrogates": True} if surrogates else {}
    if kept:
        parameters["kept"] = list(kept)
    return Guarantee(
        model=MODEL,
        level=f"public words, other words shared by {k} {'people' if unit == 'person' else 'documents'}",
        parameters=parameters,
        unit=unit,
        status="verifiable",
        statement=" ".join(said),
        not_covered=tuple(limits),
    )

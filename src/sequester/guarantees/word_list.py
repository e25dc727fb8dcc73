"""The list of public words a promise names: built on your machine from `wordfreq`, kept in a file, known by checksum.

The frequencies of wordfreq are under CC BY-SA 4.0 and do not ship with this program. Names and places do
(`gazetteers.json`). A list that differs in one byte has another checksum and is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sequester.errors import InputError

NAME = "wordfreq"
VERSION = "3.1.1"
CHECKSUMS = {
    "de": "77a720a7ce696ad97ace358c13b770728623f60d995ad383d6929eed3ce4e0af",
    "en": "a4ff6658be9c0594b4db4de161fcc6024518005b6a30bae23d8c6806d0dc4409",
    "es": "6ba4f2aaa33987c554864d805c8b93cf36c10998c605145b09ef5f9db341a04c",
    "fr": "e34a48e8ac98ee24803ad03c117721397597dacc761e247c001f3dd66748e782",
    "ja": "b6ca37f3cc7015af6c2657585680fe64023a5e4a513d18138fb758ee3384198a",
}
"""Language → SHA-256 of the list. wordfreq is no longer updated by its author, so these lists are final."""
LANGUAGES = {"de": "German", "en": "English", "es": "Spanish", "fr": "French", "ja": "Japanese"}
OTHERS = ("en", "fr", "es", "it", "nl", "pl", "pt", "sv")
"""A German word in more than two of these lists is rather a name or a foreign word than a noun."""
GAZETTEERS = Path(__file__).with_name("gazetteers.json")


@dataclass(frozen=True, eq=False)
class WordList:
    """The public words of a language with how common they are, and its names and places, all in small letters."""

    language: str
    zipf: dict[str, int]
    """Word → 1 (rare) to 7 (in every sentence): the whole part of the Zipf frequency."""
    elsewhere: frozenset[str]
    """For German: words that more than two other languages have as well."""
    names: frozenset[str]
    places: frozenset[str]
    """Places of one word."""
    long_places: tuple[str, ...]
    """Places of several words."""
    checksum: str


@cache
def word_list(language: str) -> WordList:
    """The list of a language: read from its file, or built and kept there."""
    path = _folder() / f"{NAME}-{VERSION}-{language}.json"
    whole = path.read_bytes() if path.is_file() else b""
    if _sha256(whole) != CHECKSUMS[language]:
        whole = _build(language)
        if _sha256(whole) != CHECKSUMS[language]:
            raise InputError(
                f"k-words: the word list for '{language}' differs from the one that the promise names ({NAME} "
                f"{VERSION}). Install {NAME}=={VERSION}."
            )
        with contextlib.suppress(OSError):  # a folder that cannot be written costs a second at the next run
            _keep(path, whole)
    stored = json.loads(whole)
    zipf = {word: int(level) for level, words in stored["words"].items() for word in words.split(" ")}
    places = gazetteers()["languages"][language]["places"].split("|")
    return WordList(
        language=language,
        zipf=zipf,
        elsewhere=frozenset(stored["elsewhere"].split(" ")),
        names=frozenset(gazetteers()["languages"][language]["names"].split(" ")),
        places=frozenset(place for place in places if " " not in place),
        long_places=tuple(place for place in places if " " in place and len(place) > 5),
        checksum=CHECKSUMS[language],
    )


@cache
def gazetteers() -> Any:
    """Names and places by language."""
    return json.loads(GAZETTEERS.read_bytes())


@cache
def gazetteer_checksum() -> str:
    """SHA-256 of the file of names and places."""
    return _sha256(GAZETTEERS.read_bytes())


def _build(language: str) -> bytes:
    try:
        import wordfreq
    except ImportError as error:
        raise InputError("k-words: the word lists need the extra 'words'. Install sequester[words].") from error
    by_level: dict[int, list[str]] = {}
    for word, share in wordfreq.get_frequency_dict(language, "best").items():
        if share >= 1e-8 and " " not in word and not any(c.isdecimal() for c in word):
            by_level.setdefault(min(7, int(math.log10(share) + 9 + 1e-9)), []).append(word)
    elsewhere: set[str] = set()
    if language == "de":
        others = [wordfreq.get_frequency_dict(other, "best") for other in OTHERS]
        words = (word for level in by_level.values() for word in level)
        elsewhere = {word for word in words if sum(word in other for other in others) > 2}
    fields = {
        "language": language,
        "words": {str(level): " ".join(sorted(words)) for level, words in sorted(by_level.items())},
        "elsewhere": " ".join(sorted(elsewhere)),
    }
    return json.dumps(fields, ensure_ascii=False, sort_keys=True).encode("utf-8")


def _folder() -> Path:
    """Your cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sequester-words"


def _keep(path: Path, whole: bytes) -> None:
    """Write the file whole or not at all: two runs may build it at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(whole)
    Path(file.name).replace(path)


def _sha256(whole: bytes) -> str:
    return hashlib.sha256(whole).hexdigest()

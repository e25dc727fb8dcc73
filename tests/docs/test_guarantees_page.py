"""All promises on one page, in step with the code, and free of words that could mislead."""

import re

from docs.guarantees import CHECKSUM, PAGE, WORDS, checksum, page, variants, words

import sequester as sq
from sequester.guarantees.wording import SEVERAL, SEVERAL_NOISY

MISLEADING = {
    r"\bsafe\b": "a promise says what holds, not that it is safe",
    r"\broughly\b": "say how much",
    r"with all its data": "a person is no it",
    r"\bPass \w": "a reader of a release passes no options",
    r"\bguarantee[sd]?\b": "say what is promised",
    r"\banonymous\b": "nobody can promise that",
    r"\bcannot be (identified|re-identified)\b": "nobody can promise that",
    r"\btaken for known\b": "say assumed to be public",
    r"\bfully\b|\bcompletely\b": "say what of",
}


def everything():
    for method_id in sq.METHODS:
        for more, promise in variants(sq.method_class(method_id)):
            yield method_id, more, promise


def test_the_checksum_of_the_checker_is_published():
    assert CHECKSUM.read_text("utf-8") == checksum(), "run python docs/guarantees.py"


def test_the_page_is_in_step():
    assert PAGE.read_text("utf-8") == page(), "run python docs/guarantees.py and read what changed"
    assert WORDS.read_text("utf-8") == words(), "run python docs/guarantees.py: verify.html knows other words"


def test_every_choice_is_shown():
    text = page()
    for method_id, more, promise in everything():
        assert promise.statement in text, (method_id, more)
        assert all(line in text for line in promise.not_covered), (method_id, more)


def test_no_sentence_misleads():
    for method_id, more, promise in everything():
        for line in (promise.level, promise.statement, *promise.not_covered):
            for pattern, why in MISLEADING.items():
                assert not re.search(pattern, line), (method_id, more, line, why)
            assert line == promise.level or line.endswith("."), line


def test_every_promise_of_k_speaks_of_several_releases():
    for method_id, more, promise in everything():
        if promise.unit in ("person", "document") and promise.model not in ("noisy-clusters",):
            assert {SEVERAL, SEVERAL_NOISY} & set(promise.not_covered), (method_id, more)

"""Tokens: what belongs together, and that a run of whole tokens is cut the same way when it stands alone."""

from __future__ import annotations

import hashlib
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.guarantees import characters
from sequester.judges.tokens import token_ends
from tests.text_kernels import cut

TRICKY = "aBc12 ,.-/年日昭和アーひ・　@:'’_()+\n\u0301éÑº\u00a0９ª٣bDr★[…]x&×"


def cut_by_the_judge(text):
    ends = token_ends(text)
    return [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("seen by Dr. de la Cruz.", ["seen", " ", "by", " ", "Dr. de la Cruz", "."]),
        ("on March 3, 2012 at home", ["on", " ", "March 3, 2012", " ", "at", " ", "home"]),
        ("t 38.5, BP 120/80", ["t", " ", "38.5, BP 120/80"]),
        ("mail a.b@c-d.org now", ["mail", " ", "a.b@c-d.org", " ", "now"]),
        ("昭和61年9月30日に入院", ["昭和61年9月30日", "に", "入院"]),
        ("37歳の患者", ["37歳", "の", "患者"]),
        ("田中 莉央、マリア・ルイサ", ["田中 莉央", "、", "マリア・ルイサ"]),
        ("本町2-24-1です", ["本町2-24-1", "です"]),
        ("follow-up it's", ["follow-up", " ", "it's"]),
        ("", []),
    ],
)
def test_what_belongs_together(text, tokens):
    assert cut(text) == tokens
    assert cut_by_the_judge(text) == tokens


def check(text):
    """Kernel and judge agree, nothing is lost, and every run of whole tokens is cut the same way alone."""
    tokens = cut(text)
    assert "".join(tokens) == text
    assert tokens == cut_by_the_judge(text), repr(text)
    for i in range(len(tokens)):
        for j in range(i + 1, min(len(tokens), i + 5) + 1):
            assert cut_by_the_judge("".join(tokens[i:j])) == tokens[i:j], (text, tokens[i:j])


@settings(max_examples=400, deadline=None)
@given(st.text(alphabet=TRICKY, max_size=20))
def test_a_run_is_cut_the_same_way_when_it_stands_alone(text):
    check(text)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=12))
def test_also_for_any_characters(text):
    check(text)


def test_many_random_strings():
    rng = random.Random(3)
    for _ in range(3000):
        check("".join(rng.choice(TRICKY) for _ in range(rng.randint(0, 14))))


def test_words_are_runs_of_letters_and_digits():
    assert cut("cough, 12.5_x e\u0301a", "word") == ["cough", ",", " ", "12", ".", "5_x", " ", "e\u0301a"]
    assert cut("患者は", "word") == ["患者は"]


def test_the_vectors_of_the_page():
    """A stranger cuts by the page alone: its examples are those of method and judge."""
    page = (Path(__file__).parents[2] / "docs" / "tokens.md").read_text("utf-8")
    rows = re.findall(r"^\| `(.+)` \| `(.+)` \|$", page, re.MULTILINE)
    assert len(rows) >= 15
    for text, cut_up in rows:
        assert cut(text) == cut_by_the_judge(text) == cut_up.split("¦"), text


def test_slashes_and_voicing_marks():
    """Where method and judge once differed: `/` beside codes, and U+3099 and U+309A behind other characters."""
    rng = random.Random(7)
    for _ in range(4000):
        check("".join(rng.choice("///a1B年 は\u3099\u309a\u0301.-") for _ in range(rng.randint(1, 9))))


def test_characters_come_from_a_pinned_table():
    """The same facts whatever Python runs this; where its Unicode is that of the table, they are Python's own."""
    assert json.loads(characters._PATH.read_bytes())["unicode"] == "14.0.0"
    digest = hashlib.sha256(characters._table().tobytes()).hexdigest()
    assert digest == "e75c6dc215cf3a2dd6c85ebd637f68c59458836bc76878b8b21688e7c9e570c8"
    assert characters.facts_of("ß") == characters.LOWER | characters.LETTER | characters.ALNUM
    assert characters.facts_of("\u3099") == characters.MARK and characters.facts_of("٣") & characters.DECIMAL

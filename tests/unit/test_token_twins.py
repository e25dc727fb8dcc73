"""The passes of the tokeniser, on the arrays they take, against lists of runs that say what they are."""

import numpy as np
import pytest

from sequester.methods.text.shared.kernels import tokens
from tests.naive import text_arrays
from tests.naive import token_runs as plain

SEEDS = range(60)
PIECES = [
    "a", "de", "la", "Dr", "ABC", "Anna", "über", "3", "61", "2012", "年", "日", "昭和", "カナ", "あ", "の", "\u0301",
    "-", "'", "@", ".", "·", "/", ":", ",", "+", "(", "º", " ", " ", " ", "\u3000", "・", "_", "½", "…", "x" * 300,
]  # fmt: skip


def drawn(seed):
    """A text with separators as bytes, and every character's first byte and facts."""
    rng = np.random.default_rng(seed)
    documents = ["".join(rng.choice(PIECES, rng.integers(0, 30))) for _ in range(3)]
    told, at = [(0, tokens.END | tokens.SOLID)], 1
    for document in documents:
        for character in document:
            told.append((at, tokens._class_of_token(character)))
            at += len(character.encode())
        told.append((at, tokens.END | tokens.SOLID))
        at += 1
    text = np.frombuffer(text_arrays.joined([d.encode() for d in documents]), np.uint8).copy()
    table = np.zeros(0x110000, np.int32)
    for character in set("".join(documents)):
        table[ord(character)] = tokens._class_of_token(character)
    return text, table, told


def as_arrays(told):
    starts, facts = (np.array(column, np.int32) for column in zip(*told, strict=True))
    return starts, facts


def as_list(starts, facts, n):
    return list(zip(starts[:n].tolist(), facts[:n].tolist()))


@pytest.mark.parametrize("seed", SEEDS)
def test_characters_become_runs_and_runs_become_tokens(seed):
    text, table, told = drawn(seed)
    starts, facts = np.empty(len(text) + 1, np.int32), np.empty(len(text) + 1, np.int32)
    n = tokens._runs(text, table, starts, facts)
    runs = plain.runs(told)
    assert as_list(starts, facts, n) == runs
    n = tokens._join_codes(starts, facts, n)
    codes = plain.codes(runs)
    assert as_list(starts, facts, n) == codes
    n = tokens._join_names(starts, facts, n)
    names = plain.names(codes)
    assert as_list(starts, facts, n) == names
    assert tokens._solid(facts, n).tolist() == [int("SOLID" in plain.read(*one).facts) for one in names]


def drawn_runs(seed, joined):
    """Runs with facts drawn at random, also those that no text has; what is no word is one character."""
    rng = np.random.default_rng(seed)
    some = [name for name in plain.NAMED if rng.random() < 0.7] + ["HAS_DIGIT", "LAST_DIGIT", "FIRST_DIGIT"]
    told = []
    for i in range(40):
        facts = frozenset(name for name in some if rng.random() < 0.4)
        kind = [tokens.SPACED, tokens.SPACED, tokens.OTHER, tokens.HAN, tokens.SPACE, tokens.HIRAGANA][rng.integers(6)]
        count = int(rng.integers(1, 6)) if kind in plain.WORDED else 1
        run = plain.Run(3 * i, facts, 0 if joined else int(rng.integers(4)), count, kind)
        told.append((run.at, plain.bits(run)))
    return told


@pytest.mark.parametrize("seed", SEEDS)
def test_runs_of_any_facts_are_joined_alike(seed):
    told = drawn_runs(seed, joined=False)
    starts, facts = as_arrays(told)
    assert as_list(starts, facts, tokens._join_codes(starts, facts, len(told))) == plain.codes(told)
    told = drawn_runs(seed, joined=True)
    starts, facts = as_arrays(told)
    assert as_list(starts, facts, tokens._join_names(starts, facts, len(told))) == plain.names(told)

"""Small kernels that others only meet inside a whole method, each against a plain loop."""

from itertools import pairwise

import numpy as np
import pytest

from sequester.methods.text.shared.first_pass import patterns
from sequester.methods.text.shared.kernels import suffix_buckets, text_index, tokens
from sequester.methods.text.shared.kernels.repeats import SEPARATOR
from sequester.methods.text.shared.kernels.vocabulary import Vocabulary
from sequester.utility import bouts

SEEDS = range(6)


def shared_changes(x, y):
    """The most successive changes of either row that both make, at the same time and between the same states."""
    best = run = 0
    for before, after in zip(zip(x, y, strict=True), list(zip(x, y, strict=True))[1:], strict=False):
        if before == after:
            continue
        both = before[0] == before[1] and after[0] == after[1]
        run = run + 1 if both else 0
        best = max(best, run)
    return best


@pytest.mark.parametrize("seed", SEEDS)
def test_the_longest_run_shared_with_any_of_some_rows(seed):
    rng = np.random.default_rng(seed)
    rows, others = (rng.integers(0, 2, (5, 40)).astype(np.uint8) for _ in range(2))
    others[0, 10:30] = rows[1, 10:30]
    which = rng.integers(-1, 5, (5, 3))
    want = [max((shared_changes(row, others[j]) for j in own if j >= 0), default=0) for row, own in zip(rows, which)]
    assert bouts.longest_shared_runs(rows, others, which).tolist() == want


@pytest.mark.parametrize("seed", SEEDS)
def test_every_word_has_one_number_also_when_the_table_grows(seed):
    rng = np.random.default_rng(seed)
    vocabulary, known = Vocabulary(), {}
    for _ in range(3):  # 9,000 draws of about 5,000 words: the first table has room for 2,048
        words = [str(n).encode() for n in rng.integers(0, 6000, 3000)]
        closed = rng.random(len(words)) < 0.1
        starts = np.r_[0, np.cumsum([len(w) for w in words])].astype(np.int32)
        ids = np.empty(len(words), np.int32)
        text = np.frombuffer(b"".join(words), np.uint8).copy()
        vocabulary.number(text, starts, closed.astype(np.uint8), ids)
        want = [-1 if shut else known.setdefault(word, len(known)) for word, shut in zip(words, closed)]
        assert ids.tolist() == want and vocabulary.n == len(known)
    assert len(known) > 2048


@pytest.mark.parametrize("seed", SEEDS)
def test_characters_of_a_text_are_met(seed):
    rng = np.random.default_rng(seed)
    documents = ["".join(rng.choice(list("abé€😀"), rng.integers(0, 9))) for _ in range(4)]
    mark = bytes([SEPARATOR])
    text = np.frombuffer(mark + mark.join(d.encode() for d in documents) + mark, np.uint8).copy()
    assert np.flatnonzero(tokens._met(text)).tolist() == sorted({ord(c) for d in documents for c in d})


@pytest.mark.parametrize("seed", SEEDS)
def test_hidden_bytes_are_spread_between_separators_and_shut(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, 5)
    hidden = rng.integers(0, 2, sizes.sum()).astype(np.uint8)
    offsets = np.r_[0, np.cumsum(sizes)]
    closed = np.zeros(len(hidden) + len(sizes) + 1, np.uint8)
    text_index._spread_hidden(hidden, offsets, closed)
    want = [0]
    for a, b in pairwise(offsets):
        want += [*hidden[a:b].tolist(), 0]
    assert closed.tolist() == want
    text, unit = rng.integers(97, 100, len(closed)).astype(np.uint8), rng.integers(0, 2, len(closed)).astype(np.uint8)
    plain = [SEPARATOR if shut and begins else byte for byte, shut, begins in zip(text.tolist(), want, unit.tolist())]
    text_index._shut(text, unit, closed)
    assert text.tolist() == plain


@pytest.mark.parametrize("seed", SEEDS)
def test_suffixes_are_counted_by_their_third_byte(seed):
    rng = np.random.default_rng(seed)
    text = rng.choice(np.array([97, 98, SEPARATOR], np.uint8), 60)
    text[-8:] = SEPARATOR
    unit = rng.integers(0, 2, 52).astype(np.uint8)
    row = np.full(1 << 16, -1)
    pairs = [(97, 97), (97, SEPARATOR), (98, 97)]
    for at, (a, b) in enumerate(pairs):
        row[a * 256 + b] = at
    want = np.zeros((len(pairs), 256), np.int64)
    for p in range(52):
        first, second, third = (int(x) for x in text[p : p + 3])
        if unit[p] and first != SEPARATOR and (first, second) in pairs:
            want[pairs.index((first, second)), SEPARATOR if second == SEPARATOR else third] += 1
    three = np.zeros_like(want)
    suffix_buckets._count_three(text, unit, row, three)
    assert three.tolist() == want.tolist() and want.any()


@pytest.mark.parametrize("seed", SEEDS)
def test_signs_are_found_where_strings_have_them(seed):
    rng = np.random.default_rng(seed)
    documents = ["".join(rng.choice(list("a@7é€😀"), rng.integers(0, 12))) for _ in range(5)]
    encoded = [text.encode() for text in documents]
    utf8, offsets = np.frombuffer(b"".join(encoded), np.uint8), np.r_[0, np.cumsum([len(e) for e in encoded])]
    begins = np.r_[0, np.cumsum([len(text) + 2 for text in documents])][:-1]
    table = np.zeros(0x110000, np.uint8)
    table[[ord(c) for c in "@é😀"]] = 1
    want = [int(at) + i for at, text in zip(begins, documents) for i, c in enumerate(text) if c in "@é😀"]
    found = np.empty(patterns._count_signs(utf8, table), np.int64)
    patterns._find_signs(utf8, offsets, begins, table, found)
    assert found.tolist() == want
    assert [patterns._characters(utf8, a, b) for a, b in pairwise(offsets.tolist())] == [len(d) for d in documents]

"""Kernels that number tokens and put suffixes in order, on the arrays they take, against plain loops."""

from itertools import pairwise

import numpy as np
import pytest

from sequester.methods.text.shared.kernels import suffix_buckets, suffix_ties, token_codes, vocabulary
from sequester.methods.text.shared.kernels.repeats import SEPARATOR
from sequester.methods.text.shared.kernels.suffix_buckets import PADDING, TIED
from tests.naive import suffixes as naive
from tests.naive import text_arrays

SEEDS = range(6)
PIECES = ["a", "b", "ab", "é", "。", "😀", "abab" * 4, "\N{HIRAGANA LETTER A}" * 6]


def drawn_text(rng, n=12, pieces=PIECES):
    """A text of few pieces, so that much repeats, with the padding behind it, and where its units begin."""
    documents = ["".join(rng.choice(pieces, rng.integers(0, 12))).encode() for _ in range(n)]
    text = text_arrays.joined(documents)
    unit = np.array(text_arrays.begins_character(text), np.uint8)
    return np.frombuffer(text + bytes([SEPARATOR]) * PADDING, np.uint8).copy(), unit


def starting(text, unit):
    return [p for p in range(len(unit)) if unit[p] and text[p] != SEPARATOR]


@pytest.mark.parametrize("seed", SEEDS)
def test_suffixes_are_counted_and_scattered_by_their_first_bytes(seed):
    rng = np.random.default_rng(seed)
    text, unit = drawn_text(rng)
    want, two = np.zeros(1 << 16, np.int64), np.zeros(1 << 16, np.int64)
    for p in starting(text, unit):
        want[int(text[p]) * 256 + int(text[p + 1])] += 1
    suffix_buckets._count_two(text, unit, two)
    assert (two == want).all()
    # every second pair of first bytes is told apart by the third, every prefix goes to a bucket drawn at random
    of_two = rng.integers(0, 5, 1 << 16)
    split = np.flatnonzero(two)[::2]
    of_two[split] = -1 - np.arange(len(split))
    of_three = rng.integers(0, 5, (len(split), 256))
    buckets = [[] for _ in range(5)]
    for p in starting(text, unit):
        a, b, c = (int(x) for x in text[p : p + 3])
        at = of_two[a * 256 + b]
        buckets[of_three[-1 - at, SEPARATOR if b == SEPARATOR else c] if at < 0 else at].append(p)
    starts = np.r_[0, np.cumsum([len(b) for b in buckets])]
    sa = np.empty(starts[-1], np.int64)
    suffix_buckets._scatter(text, unit, of_two, of_three, starts[:-1].copy(), sa)
    assert sa.tolist() == [p for bucket in buckets for p in bucket]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("depth", [8, 16, 32])
@pytest.mark.parametrize("size", [0, 1, 20, 400])
def test_a_bucket_is_sorted_as_byte_strings_are(seed, depth, size):
    rng = np.random.default_rng(seed)
    text, unit = drawn_text(rng, 60, ["a", "b", "abab" * 4])
    own = starting(text, unit)
    places = np.sort(rng.choice(own, min(size, len(own)), replace=False)).astype(np.int64)
    want = naive.bucket(text.tobytes(), places.tolist(), depth)
    shared = np.empty(len(places), np.int32)
    work = suffix_buckets.Work(*(np.empty(len(places), t) for t in (np.uint64, np.uint64, np.int64)))
    suffix_buckets._sort_bucket(text, places, shared, work, depth)
    assert (places.tolist(), shared.tolist()) == want


@pytest.mark.parametrize("seed", SEEDS)
def test_two_places_share_what_is_compared_byte_by_byte(seed):
    rng = np.random.default_rng(seed)
    text, unit = drawn_text(rng)
    pairs = rng.choice(starting(text, unit), (30, 2)).tolist()
    pairs = [(p, q) for p, q in pairs if p != q]
    want = [text_arrays.shared(text, p, q) for p, q in pairs]
    assert [suffix_buckets._shared_at(text, p, q) for p, q in pairs] == want and max(want) > 3


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("depth", [8, 16])
def test_rounds_of_doubling_tell_ties_apart(seed, depth):
    text, unit = drawn_text(np.random.default_rng(seed))
    sa, lcp = naive.bucket(text.tobytes(), starting(text, unit), depth)
    fast_sa, fast_lcp = np.array(sa, np.int64), np.array(lcp, np.int32)
    assert suffix_ties._first_tied(fast_lcp) == lcp.index(TIED) >= 0
    rank = np.zeros(len(unit), np.int64)
    suffix_ties._first_ranks(fast_sa, fast_lcp, rank)
    slow_rank = [0] * len(unit)
    for begin, end in naive.groups_of(lcp):
        for r in range(begin, end):
            slow_rank[sa[r]] = begin
    assert rank.tolist() == slow_rank
    left = 1
    while left:
        sa, lcp, slow_rank, left = naive.doubled(text, unit, sa, lcp, slow_rank, depth)
        assert suffix_ties._double(text, unit, fast_sa, fast_lcp, rank, depth) == left
        assert (fast_sa.tolist(), fast_lcp.tolist(), rank.tolist()) == (sa, lcp, slow_rank)
        depth = 2 * depth - 3
    assert suffix_ties._first_tied(fast_lcp) == -1
    assert sa == naive.sorted_suffixes(text.tobytes(), unit.tolist())[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_deep_neighbours_share_what_is_compared_byte_by_byte(seed):
    rng = np.random.default_rng(seed)
    text, unit = drawn_text(rng)
    sa, want = naive.sorted_suffixes(text.tobytes(), unit.tolist())
    lcp = np.where(rng.random(len(sa)) < 0.5, naive.DEEP, want).astype(np.int32)
    lcp[0] = 0
    suffix_ties._share_in_text_order(text, np.array(sa, np.int64), lcp, np.zeros(len(unit), np.int64))
    assert lcp.tolist() == want and max(want) > 16


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_are_written_as_codes_of_one_to_four_bytes(seed):
    rng = np.random.default_rng(seed)
    n, limits = 80, token_codes.LIMITS
    ids = np.concatenate([rng.integers(0, top, n // 4) for top in limits]).astype(np.int32)
    separator = int(limits[3])
    ids[rng.random(n) < 0.1] = separator
    firsts = token_codes.ONE, token_codes.TWO, token_codes.THREE
    codes = [
        bytes([SEPARATOR]) if i == separator else naive.codes_of(i, *firsts, token_codes.BASE) for i in ids.tolist()
    ]
    total = sum(map(len, codes))
    assert token_codes._size(ids, separator, limits) == total
    fast, unit = np.empty(total, np.uint8), np.zeros(total, np.uint8)
    token_codes._encode(ids, separator, limits, fast, unit)
    assert fast.tobytes() == b"".join(codes)
    assert unit.tolist() == [int(i == 0) for code in codes for i in range(len(code))]
    before = np.zeros(total // token_codes.BLOCK + 2, np.int64)
    token_codes._count_blocks(unit, before)
    assert before.tolist() == [int(unit[: b * token_codes.BLOCK].sum()) for b in range(len(before))]
    # from bytes to tokens: of what is shared only whole codes count
    begins = np.flatnonzero(unit)
    tokens = rng.permutation(n)[:50]
    places = begins[tokens]
    shared = np.array([rng.integers(0, total - p) for p in places], np.int32)
    ends = [sum(len(c) for c in codes[: t + 1]) for t in range(n)]
    whole = [sum(ends[u] <= p + s for u in range(t, n)) for t, p, s in zip(tokens.tolist(), places, shared.tolist())]
    sa = np.empty(50, np.int32)
    token_codes._to_tokens(unit, before, places, shared, sa)
    assert sa.tolist() == tokens.tolist() and shared.tolist() == whole


@pytest.mark.parametrize("seed", SEEDS)
def test_tokens_are_numbered_until_the_room_is_full(seed):
    rng = np.random.default_rng(seed)
    tokens = [bytes(rng.integers(97, 100, rng.integers(1, 5)).tolist()) for _ in range(200)]
    closed = rng.random(200) < 0.1
    starts = np.r_[0, np.cumsum([len(t) for t in tokens])].astype(np.int32)
    text = np.frombuffer(b"".join(tokens), np.uint8).copy()
    for n_table, n_letters in ((16, 400), (256, 30), (256, 400)):
        words = vocabulary.Words(
            np.full(n_table, -1, np.int32), np.zeros(n_table // 2 + 1, np.int64), np.empty(n_letters, np.uint8)
        )
        known = {}
        want = naive.interned(tokens, closed.tolist(), known, n_table, n_letters)
        ids = np.full(200, -7, np.int32)
        done, found = vocabulary._intern(text, starts, closed.astype(np.uint8), ids, 0, words, 0)
        assert (done, found) == (len(want), len(known)) and ids[:done].tolist() == want
        ends = words.ends.tolist()
        assert [words.letters[a:b].tobytes() for a, b in pairwise(ends[: found + 1])] == list(known)
        assert words.table.tolist() == naive.hashed_table(known, n_table)
        larger = words._replace(table=np.full(4 * n_table, -1, np.int32))
        vocabulary._fill_table(larger, found)
        assert larger.table.tolist() == naive.hashed_table(known, 4 * n_table)


@pytest.mark.parametrize("seed", SEEDS)
def test_tokens_are_counted_renumbered_and_coded(seed):
    rng = np.random.default_rng(seed)
    ids, counts = rng.integers(-1, 9, 60).astype(np.int32), np.zeros(9, np.int64)
    vocabulary._count(ids, counts)
    assert counts.tolist() == [ids.tolist().count(i) for i in range(9)]
    place = rng.permutation(9).astype(np.int32)
    want = [int(place[i]) if i >= 0 else 9 for i in ids.tolist()]
    vocabulary._renumber(ids, place)
    assert ids.tolist() == want
    one, two, three = vocabulary.ONE, vocabulary.TWO, vocabulary.THREE
    limits = np.cumsum([one, two * 256, three * 65536, 256**3])
    numbers = np.concatenate([rng.integers(0, top, 15) for top in limits]).astype(np.int32)
    codes = [naive.codes_of(i, one, two, three, 256) for i in numbers.tolist()]
    fast, token_of = vocabulary._encode(numbers, limits, sum(map(len, codes)))
    assert fast.tobytes() == b"".join(codes)
    assert token_of.tolist() == [-1 if i else t for t, code in enumerate(codes) for i in range(len(code))]


@pytest.mark.parametrize("seed", SEEDS)
def test_suffixes_of_tokens_stay_in_order_and_share_what_is_compared(seed):
    rng = np.random.default_rng(seed)
    separator = 3
    ids = rng.integers(0, separator + 1, 60).astype(np.int32)
    ids[10:30] = ids[30:50]
    ids[[0, -1]] = separator
    sa, lcp = naive.shared_tokens(ids.tolist(), separator)
    token_of = np.where(rng.random(90) < 0.4, -1, rng.integers(0, 60, 90)).astype(np.int32)
    order = rng.permutation(90).astype(np.int32)
    want = [int(token_of[p]) for p in order if token_of[p] >= 0 and ids[token_of[p]] != separator]
    kept = vocabulary._tokens_first(order, token_of, ids, separator)
    assert order[:kept].tolist() == want
    assert vocabulary._shared(ids, np.array(sa, np.int32), separator).tolist() == lcp

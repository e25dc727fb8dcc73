"""Kernels on joined texts, on the arrays they take: longest repeats, covers, masks, each against plain loops."""

from itertools import accumulate, pairwise

import numpy as np
import pytest

from sequester.methods.text.shared.kernels import cover, cut_text, masking, repeats, text_index
from tests.naive import masking as plain_masking
from tests.naive import text_arrays as plain

SEEDS = range(6)
LETTERS = ["a", "b", "é", "€", "😀"]


def drawn_documents(rng, most=9):
    return ["".join(rng.choice(LETTERS, rng.integers(0, most))).encode() for _ in range(rng.integers(1, 6))]


def as_text(documents):
    return np.frombuffer(plain.joined(documents), np.uint8).copy()


def offsets_of(documents):
    return np.r_[0, np.cumsum([len(d) for d in documents])].astype(np.int64)


def ends_of(documents):
    return offsets_of(documents)[1:] + np.arange(1, len(documents) + 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_documents_are_joined_and_their_characters_begin_where_strings_have_them(seed):
    documents = drawn_documents(np.random.default_rng(seed))
    raw = np.frombuffer(b"".join(documents), np.uint8)
    text = np.full(len(raw) + len(documents) + 1, repeats.SEPARATOR, np.uint8)
    repeats._spread(raw, offsets_of(documents), text)
    assert text.tobytes() == plain.joined(documents)
    starts = np.empty(len(text), np.uint8)
    repeats._mark_starts(text, starts)
    assert starts.tolist() == plain.begins_character(text.tobytes())


@pytest.mark.parametrize("seed", SEEDS)
def test_neighbours_in_the_order_share_what_is_compared_byte_by_byte(seed):
    rng = np.random.default_rng(seed)
    text = as_text(drawn_documents(rng, 20))
    starts = plain.begins_character(text.tobytes())
    sa = np.array(sorted(range(len(text)), key=lambda p: text[p:].tobytes()), np.int32)
    lcp = repeats._common_prefixes(text, sa)
    want = [plain.shared(text, sa[r - 1], sa[r]) if r and starts[sa[r]] else 0 for r in range(len(sa))]
    assert lcp.tolist() == want
    unit = rng.integers(0, 2, len(text)).astype(np.uint8)
    chosen = [bool(unit[p]) and text[p] != repeats.SEPARATOR for p in sa.tolist()]
    places, least = [p for p, wanted in zip(sa.tolist(), chosen) if wanted], plain.selected(want, chosen)
    kept = repeats._keep_unit_starts(sa, lcp, unit, text)
    assert sa[:kept].tolist() == places and lcp[:kept].tolist() == least


def drawn_ranks(rng, n=40):
    lcp = rng.integers(0, 6, n).astype(np.int32)
    lcp[rng.random(n) < 0.15] = 0
    lcp[0] = 0
    return lcp


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [2, 3, 7])
def test_windows_of_k_ranks_share_the_least_between_them(seed, k):
    lcp = drawn_ranks(np.random.default_rng(seed))
    longest, queue = np.zeros(len(lcp), np.int32), np.empty(len(lcp), np.int32)
    repeats._windows_of_k(lcp, k, longest, queue)
    want = plain.window_of_k(lcp.tolist(), k)
    assert longest.tolist() == want
    repeats._propagate(longest, lcp)
    assert longest.tolist() == plain.propagated(want, lcp.tolist())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_windows_of_k_owners_share_the_least_between_them(seed, k):
    rng = np.random.default_rng(seed)
    lcp, owner = drawn_ranks(rng), rng.integers(-1, 4, 40).astype(np.int32)
    longest, queue = np.zeros(40, np.int32), np.empty(40, np.int32)
    repeats._windows_of_owners(lcp, owner, k, longest, queue)
    assert longest.tolist() == plain.window_of_owners(lcp.tolist(), owner.tolist(), k)


@pytest.mark.parametrize("seed", SEEDS)
def test_values_and_owners_go_from_ranks_to_positions_and_back(seed):
    rng = np.random.default_rng(seed)
    documents = drawn_documents(rng)
    text = plain.joined(documents)
    sa = rng.permutation(np.flatnonzero(np.frombuffer(text, np.uint8) != repeats.SEPARATOR)).astype(np.int32)
    values = rng.integers(0, 9, len(sa)).astype(np.int32)
    out = np.zeros(len(text), np.int32)
    repeats._to_positions(values, sa, out)
    told = dict(zip(sa.tolist(), values.tolist()))
    assert out.tolist() == [told.get(p, 0) for p in range(len(text))]
    whose = rng.integers(0, 3, len(documents)).astype(np.int32)
    owner = np.empty(len(sa), np.int32)
    repeats._owners(sa, ends_of(documents), whose, np.empty(len(text), np.int32), owner)
    assert owner.tolist() == [int(whose[text[1:p].count(0xFF)]) for p in sa.tolist()]


@pytest.mark.parametrize("seed", SEEDS)
def test_ranks_of_the_background_are_left_out(seed):
    rng = np.random.default_rng(seed)
    sa, limit = rng.permutation(40).astype(np.int32), int(rng.integers(0, 40))
    rows = [drawn_ranks(rng), *(rng.integers(0, 9, 40).astype(np.int32) for _ in range(3))]
    chosen = [p < limit for p in sa.tolist()]
    want = [[v for v, wanted in zip(row.tolist(), chosen) if wanted] for row in (sa, *rows)]
    want[1] = plain.selected(rows[0].tolist(), chosen)
    kept = text_index._corpus_ranks_first(sa, *rows, limit)
    assert [row[:kept].tolist() for row in (sa, *rows)] == want


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_kept_is_told_of_the_documents_own_bytes(seed):
    rng = np.random.default_rng(seed)
    documents = drawn_documents(rng)
    n_corpus = int(rng.integers(0, len(documents) + 1))
    offsets, ends = offsets_of(documents)[: n_corpus + 1], ends_of(documents)
    keep = rng.integers(0, 2, ends[-1] + 1).astype(np.uint8)
    out = np.full(offsets[-1], 9, np.uint8)
    text_index._drop_separators(keep, ends, offsets, out)
    own = [p for a, b in plain.documents_of(ends.tolist())[:n_corpus] for p in range(a, b)]
    assert out.tolist() == keep[own].tolist()
    # the same documents cut into tokens: separators are tokens of their own
    borders = {p for e in (0, *ends.tolist()) for p in (e, e + 1)} | set(rng.integers(0, ends[-1], 5).tolist())
    starts = np.array(sorted(borders), np.int64)
    token_ends = np.searchsorted(starts, ends)
    keep = rng.integers(0, 2, len(starts) - 1).astype(np.uint8)
    text_index._per_byte(keep, starts, token_ends, offsets, out)
    per_byte = [keep[t] for t, (a, b) in enumerate(pairwise(starts.tolist())) for _ in range(a, b)]
    assert out.tolist() == [per_byte[p] for p in own]


class Drawn:
    """Documents of units with weights, and repeats whose right ends never decrease."""

    def __init__(self, rng, hollow):
        sizes = rng.integers(0, 9, 3)
        self.ends = np.cumsum(sizes + 1)
        n = int(self.ends[-1]) + 1
        self.unit = (rng.random(n) < 0.8).astype(np.uint8)
        self.unit[[0, *self.ends]] = 1
        self.unit[[e - s for e, s in zip(self.ends, sizes)]] = 1  # a document begins with a unit
        self.weight = rng.integers(0, 4, n).astype(np.uint8)
        self.solid = np.empty(0, np.uint8) if hollow else (rng.random(n) < 0.6).astype(np.uint8)
        if not hollow:
            self.solid[[0, *self.ends]] = 1
        self.longest = np.zeros(n, np.int32)
        for begin, end in plain.documents_of(self.ends.tolist()):
            reached = accumulate((min(end, p + int(rng.integers(0, 6))) for p in range(begin, end)), max)
            self.longest[begin:end] = [max(0, e - p) for p, e in zip(range(begin, end), reached)]
        self.lists = [a.tolist() for a in (self.unit, self.weight, self.solid, self.longest, self.ends)]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("min_length", [1, 4])
def test_maximal_repeats_and_their_acceptance(seed, min_length):
    rng = np.random.default_rng(seed)
    drawn = Drawn(rng, hollow=seed % 2 == 0)
    unit, weight, solid, longest, ends = drawn.lists
    found = cover.maximal_repeats(drawn.unit, drawn.weight, drawn.longest, drawn.ends, min_length)
    assert found.tolist() == plain.maximal_repeats(unit, weight, longest, ends, min_length)
    order = rng.permutation(len(found))
    keep = cover._accept(found, order, drawn.solid, len(unit))
    assert keep.tolist() == plain.accepted(found.tolist(), order.tolist(), solid, len(unit))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("min_length", [1, 4])
def test_the_best_cover_is_the_best_of_all_that_are_allowed(seed, min_length):
    drawn = Drawn(np.random.default_rng(seed), hollow=seed % 2 == 0)
    unit, weight, solid, longest, ends = drawn.lists
    keep = cover.optimal_cover(drawn.unit, drawn.weight, drawn.solid, drawn.longest, drawn.ends, min_length).tolist()
    for begin, end in plain.documents_of(ends):
        choices = list(plain.covers(unit, weight, solid, longest, begin, end, min_length))
        best = [runs for kept, runs in choices if kept == max(kept for kept, _ in choices)]
        chosen = [
            runs
            for runs in best
            if keep[begin:end] == [int(any(a <= p < b for a, b in runs)) for p in range(begin, end)]
        ]
        assert len(chosen) == 1
        if chosen[0]:
            (first, last), tie = chosen[0][-1], max if min_length == 1 else min
            assert first == tie(runs[-1][0] for runs in best if runs and runs[-1][1] == last)
    assert not any(keep[p] for p in (0, *ends))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shuts", [True, False])
def test_tokens_are_weighed_by_their_characters(seed, shuts):
    rng = np.random.default_rng(seed)
    documents = drawn_documents(rng)
    documents.append("é".encode() * 300)
    text = as_text(documents)
    begins = np.flatnonzero(plain.begins_character(text.tobytes()))
    ends = [0, *ends_of(documents).tolist()]
    borders = {*ends, *(e + 1 for e in ends), *rng.choice(begins, 4).tolist()}
    borders -= set(range(ends[-2] + 2, ends[-1]))  # the last document is one token
    starts = np.array(sorted(borders), np.int32)
    closed = (rng.random(len(text) if shuts else 0) < 0.1).astype(np.uint8)
    weight, shut = (np.empty(len(starts) - 1, np.uint8) for _ in range(2))
    cut_text._weigh(text, starts, closed, weight, shut)
    assert (weight.tolist(), shut.tolist()) == plain.weighed(text.tolist(), starts.tolist(), closed.tolist())
    assert weight.max() == 255


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("per_character", [True, False])
def test_documents_are_measured_and_written_as_strings_are(seed, per_character):
    rng, mark = np.random.default_rng(seed), ["*", "█", "[…]"][seed % 3]
    documents = [d.decode() for d in drawn_documents(rng)]
    keep = [rng.random(len(text)) < 0.6 for text in documents]
    order = rng.permutation(len(documents))
    texts, spans, hidden = plain_masking.mask(documents, keep, order.tolist(), mark, per_character)
    encoded, sign = [d.encode() for d in documents], np.frombuffer(mark.encode(), np.uint8)
    own = np.array([k for d, row in zip(documents, keep) for c, k in zip(d, row) for _ in c.encode()], np.uint8)
    utf8, offsets = np.frombuffer(b"".join(encoded), np.uint8), offsets_of(encoded)
    size, n_spans = masking._measure(utf8, offsets, own, len(sign), per_character)
    assert (size, n_spans) == (len("".join(texts).encode()), len(spans))
    into = masking.Masked(
        np.empty(size, np.uint8), np.zeros(len(offsets), np.int64), *(np.empty((n_spans, 3), np.int64) for _ in "ab")
    )
    masking._write(utf8, offsets, own, order, masking.Sign(sign, len(mark), per_character), into)
    assert into.utf8.tobytes() == "".join(texts).encode()
    assert into.offsets.tolist() == [0, *accumulate(len(t.encode()) for t in texts)]
    assert into.spans.tolist() == spans and into.hidden.tolist() == hidden

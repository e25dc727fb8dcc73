"""Suffixes sorted by buckets equal plain sorting, and text kept within limits equals text kept in memory."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.methods.text.shared.kernels import token_codes
from sequester.methods.text.shared.kernels.repeats import SEPARATOR, character_starts, join_documents
from sequester.methods.text.shared.kernels.suffix_buckets import PADDING, plan_buckets, sort_suffixes
from sequester.methods.text.shared.kernels.text_index import Documents, TextIndex, Within
from sequester.methods.text.shared.kernels.vocabulary import Numbered
from sequester.primitives.row_file import Room
from tests.naive import suffixes as naive
from tests.text_kernels import as_documents

LETTERS = st.text(alphabet="ab é。あ😀", max_size=30)
COPIED = st.lists(LETTERS, min_size=1, max_size=5).flatmap(
    lambda some: st.lists(st.lists(st.sampled_from(some), max_size=12).map("".join), min_size=1, max_size=6)
)
"""Documents made of the same pieces: long shared stretches, whole copies, empty ones."""


def sorted_by_buckets(docs, room, depth=32, memory=1):
    utf8, offsets = as_documents(docs)
    text = join_documents(utf8, offsets, padding=PADDING)
    unit = character_starts(text[: len(text) - PADDING])
    sa, lcp = sort_suffixes(text, unit, room, memory=memory, depth=depth)
    return (sa.tolist(), lcp.tolist()), naive.sorted_suffixes(text.tobytes(), unit.tolist())


@settings(max_examples=150, deadline=None)
@given(docs=COPIED, depth=st.sampled_from([8, 32]))
def test_order_and_shared_lengths_equal_plain_sorting(docs, depth):
    found, wanted = sorted_by_buckets(docs, Room(), depth)
    assert found == wanted


def test_copies_and_periods_need_several_rounds(tmp_path):
    rng = random.Random(4)
    note = "".join(rng.choices("abcdé あ", k=900))
    docs = [note, note, note[:500] + "x" + note[500:], "ab" * 300, "ab" * 300 + "a", "あ" * 200, "", note[3:]]
    found, wanted = sorted_by_buckets(docs, Room(tmp_path))
    assert found == wanted
    assert max(found[1]) > 700
    assert not list(tmp_path.iterdir())  # mapped files have no names: a killed process leaves nothing


def test_buckets_hold_no_more_than_asked_or_one_prefix():
    rng = random.Random(1)
    docs = ["".join(rng.choices("abc", weights=[8, 1, 1], k=2000)) for _ in range(3)]
    text = join_documents(*as_documents(docs), padding=PADDING)
    unit = character_starts(text[: len(text) - PADDING])
    for most in (1, 50, 700, 10_000):
        buckets = plan_buckets(text, unit, most)
        sizes = np.diff(buckets.starts)
        assert sizes.sum() == 6000 and (sizes > 0).all()
        large = sizes[sizes > most]
        prefixes = [text[p : p + 3].tobytes() for p in np.flatnonzero(unit) if text[p] != SEPARATOR]
        assert all(size in {prefixes.count(x) for x in set(prefixes)} for size in large)
    assert len(plan_buckets(text, unit, 10_000).starts) == 2


@pytest.mark.parametrize("number", [0, 199, 200, 11_929, 11_930, 532_129, 532_130, 17_113_504])
def test_codes_equal_their_twin(number):
    codes, unit = np.full(12, 7, dtype=np.uint8), np.zeros(12, dtype=np.uint8)
    ids = np.array([number, 20_000_000, 3], dtype=np.int32)
    size = token_codes._size(ids, 20_000_000, token_codes.LIMITS)
    token_codes._encode(ids, 20_000_000, token_codes.LIMITS, codes, unit)
    wanted = naive.codes_of(number, token_codes.ONE, token_codes.TWO, token_codes.THREE, token_codes.BASE)
    assert codes[:size].tobytes() == wanted + bytes([SEPARATOR, 3])
    assert SEPARATOR not in wanted and np.flatnonzero(unit).tolist() == [0, size - 2, size - 1]


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.lists(st.sampled_from([0, 1, 201, 202, 11_931, 540_000]), max_size=12), min_size=1, max_size=5))
def test_order_of_tokens_equals_plain_sorting(rows):
    separator = 600_000
    ids = [separator]
    for row in rows * 2:  # every document twice
        ids += [*row, separator]
    sa, lcp = token_codes.order_by_buckets(Numbered(np.array(ids, dtype=np.int32), separator), Room(), memory=1)
    order, shared = naive.shared_tokens(ids, separator)
    assert (sa.tolist(), lcp.tolist()) == (order, shared)


WORDS = st.text(alphabet="ab é.あ漢X1-", max_size=12)
NOTES = st.lists(WORDS, min_size=1, max_size=6).flatmap(
    lambda some: st.lists(st.lists(st.sampled_from(some), max_size=8).map(" ".join), min_size=1, max_size=7)
)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), docs=NOTES, granularity=st.sampled_from(["token", "word", "character"]))
def test_text_kept_within_limits_equals_text_kept_in_memory(data, docs, granularity, tmp_path_factory):
    owners = data.draw(
        st.none() | st.lists(st.integers(0, 2), min_size=len(docs), max_size=len(docs)).map(lambda x: np.array(x))
    )
    hidden = np.array([b == ord("1") for d in docs for b in d.encode()], dtype=np.uint8)
    public = as_documents(docs[:1] * 2) if data.draw(st.booleans()) else None
    k, least = data.draw(st.sampled_from([2, 3])), data.draw(st.sampled_from([1, 3]))
    folder = tmp_path_factory.getbasetemp()
    how = {"granularity": granularity, "forbidden": "X", "hidden": hidden, "background": public}
    both = [None, Within(folder, 1, 2)]
    for keep in ("published", "original greedy", "original optimal"):
        got = []
        for within in both:
            index = TextIndex.build(as_documents(docs), within=within, **how)
            if keep == "published":
                got.append(index.keep_by_published(owners, k, least).tolist())
            else:
                got.append(index.keep_by_original(owners, k, least, keep.split()[1]).tolist())
        assert got[0] == got[1], keep


def test_documents_are_cut_in_batches_alike(monkeypatch):
    from sequester.methods.text.shared.kernels import cut_text, text_index
    from sequester.samples.notes import notes

    data = notes(n_people=30, seed=5)
    documents = Documents(np.array(data.utf8), np.array(data.offsets))
    owners = np.arange(data.n_records)
    whole = [TextIndex.build(documents, granularity="token") for _ in range(2)]
    kept = whole[0].keep_by_published(owners, 3), whole[1].keep_by_original(owners, 3, 1, "greedy")
    monkeypatch.setattr(cut_text, "AT_ONCE", 500)
    monkeypatch.setattr(text_index, "COVERED", 300)
    monkeypatch.setattr(cut_text.cut_text, "__defaults__", (500,))
    again = [TextIndex.build(documents, granularity="token") for _ in range(2)]
    assert np.array_equal(again[0].starts, whole[0].starts)
    assert np.array_equal(again[0].keep_by_published(owners, 3), kept[0])
    assert np.array_equal(again[1].keep_by_original(owners, 3, 1, "greedy"), kept[1])

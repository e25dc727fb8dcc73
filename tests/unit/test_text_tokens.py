"""Placement and covers on words and tokens equal their twins: solid gaps, no bare runs."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.naive import text_tokens as naive
from tests.text_kernels import by_original, by_published, cut, placed

PIECES = {
    "latin": ["pain", "in", "Bo", "Smith", "12", " ", " ", " ", ", ", ".", "-"],
    "japanese": ["患者", "は", "頭痛", "3", "月", "を", "。", "、", "・"],
}


def cases(n, seed, *, pieces=8, n_docs=4):
    rng = random.Random(seed)
    for _ in range(n):
        words = PIECES[rng.choice(list(PIECES))]
        docs = [
            "".join(rng.choice(words) for _ in range(rng.randint(0, pieces))) for _ in range(rng.randint(1, n_docs))
        ]
        owners = rng.choice([None, list(range(len(docs))), [rng.randint(0, 1) for _ in docs]])
        yield docs, owners, rng.choice([2, 2, 3])


def hollow(docs, shown, granularity):
    """Gaps between two runs that hide no letter or digit, and runs without either."""
    bad = 0
    for doc, row in zip(docs, shown):
        gaps = [doc[s:e] for s, e in _hidden(row)]
        inner = gaps[(1 if row.startswith("*") else 0) : len(gaps) - (1 if row.endswith("*") else 0)]
        bad += sum(not naive.solid(gap) for gap in inner)
        bad += sum(bool(run) and not naive.solid(run) for run in row.split("*"))
    return bad


def _hidden(row):
    at = 0
    for star, group in itertools.groupby(row, key=lambda c: c == "*"):
        n = len(list(group))
        if star:
            yield at, at + n
        at += n


@pytest.mark.parametrize("granularity", ["word", "token"])
def test_placement_equals_its_twin(granularity):
    for docs, owners, k in cases(150, seed=len(granularity)):
        tokens = [cut(d, granularity) for d in docs]
        for min_length in (1, 4):
            shown = by_published(docs, owners, k, min_length=min_length, granularity=granularity)
            assert shown == naive.place_classes(tokens, owners, k, min_length), (docs, owners, k)
            assert not naive.promise_of(shown, lambda run: cut(run, granularity), owners, k), (docs, owners, k)
            assert hollow(docs, shown, granularity) == 0
            early = placed(docs, owners, k, min_length=min_length, granularity=granularity, turn=2)
            assert early == naive.place_classes(tokens, owners, k, min_length, turn=2), (docs, owners, k)


@pytest.mark.parametrize("granularity", ["word", "token"])
def test_covers_have_solid_gaps_and_optimal_keeps_most(granularity):
    for docs, owners, k in cases(120, seed=11, pieces=6, n_docs=3):
        tokens = [cut(d, granularity) for d in docs]
        for min_length in (1, 4):
            kept = {}
            for cover in ("greedy", "optimal"):
                shown = by_original(docs, owners, k, cover=cover, min_length=min_length, granularity=granularity).shown
                assert hollow(docs, shown, granularity) == 0, (docs, shown)
                for row, own in zip(shown, tokens):
                    keep = []
                    for t in own:
                        keep.append(row[: len(t)] == t)
                        row = row[len(t) :]
                    assert naive.allowed(own, keep, tokens, owners, k, min_length), (docs, shown)
                kept[cover] = [sum(c != "*" for c in row) for row in shown]
            best = [naive.exponential_optimum(own, tokens, owners, k, min_length) for own in tokens]
            assert kept["optimal"] == best, (docs, owners, k, min_length)
            assert all(g <= o for g, o in zip(kept["greedy"], kept["optimal"]))


def test_larger_corpora_keep_their_word():
    # pairs share long runs that are still too rare: such ranks once were taken for members of a class before them
    for docs, owners, k in cases(60, seed=21, pieces=60, n_docs=14):
        for granularity in ("word", "token"):
            shown = by_published(docs, owners, max(k, 3), granularity=granularity)
            assert not naive.promise_of(shown, lambda run, g=granularity: cut(run, g), owners, max(k, 3))
            assert hollow(docs, shown, granularity) == 0


def test_long_repeats_of_tokens_on_a_coarse_grid_keep_their_word():
    rng = random.Random(4)
    for _ in range(300):
        pattern = [rng.choice(["ab", "cd", "ef"]) + " " for _ in range(rng.randint(2, 6))]
        docs = []
        for _ in range(rng.randint(1, 3)):
            start, size = rng.randint(0, 6), rng.randint(3, 18)
            docs.append("".join((pattern * 12)[start : start + size]) + "zz " + "".join((pattern * 9)[: size // 2]))
        owners = rng.choice([None, list(range(len(docs)))])
        shown = placed(docs, owners, 2, granularity="token", dense=3, step=1.6, turn=2)
        assert not naive.promise_of(shown, cut, owners, 2), (docs, owners)


def test_ann_is_not_justified_by_annual():
    docs = ["Ann fell ill", "Annual visit", "Annual report", "Anna came"]
    assert by_original(docs, [0, 1, 2, 3], 3).shown[0].startswith("Ann")
    assert by_original(docs, [0, 1, 2, 3], 3, granularity="word").shown[0].startswith("***")
    assert by_published(docs, [0, 1, 2, 3], 2, granularity="word")[0].startswith("***")


def test_a_word_counts_whatever_punctuation_follows():
    shown = by_original(["big cat, here", "one cat. there", "red cat"], [0, 1, 2], 3, granularity="word").shown
    assert shown == ["*** cat******", "*** cat*******", "*** cat"]


def test_a_hidden_blank_is_no_gap():
    docs = ["left lung", "left;", ";lung"]
    for granularity in ("word", "token"):
        shown = by_published(docs, [0, 1, 2], 2, granularity=granularity)
        assert hollow(docs, shown, granularity) == 0
        assert shown[0] in ("left*****", "*****lung")
        loose = by_published(docs, [0, 1, 2], 2, granularity=granularity, hollow_gaps=True)
        assert loose[0] == "left*lung"  # what releases of the first edition did: the reader puts the blank back


def test_what_a_first_pass_hides_is_in_no_run():
    import numpy as np

    docs = ["seen 2020-01-02 at home", "seen 2020-01-02 at home"]
    hidden = np.zeros(len("".join(docs)), np.uint8)
    hidden[[7, len(docs[0]) + 7]] = 1  # one byte is enough to hide the token
    assert by_published(docs, [0, 1], 2, granularity="token", hidden=hidden) == ["seen ********** at home"] * 2
    assert by_published(docs, [0, 1], 2, hidden=hidden) == ["seen 20*0-01-02 at home"] * 2

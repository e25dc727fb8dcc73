"""The kernels of the placement, on the arrays they take, against plain loops."""

from itertools import accumulate

import numpy as np
import pytest

from sequester.methods.text.shared.kernels import placement, placement_by_weight, placement_queue
from sequester.methods.text.shared.kernels.placement import Counted, Ranks, Text
from sequester.methods.text.shared.kernels.placement_queue import Queue
from tests.naive import placed_runs as plain

NONE = np.empty(0, np.int32)


@pytest.mark.parametrize("seed", range(6))
def test_ranks_wait_by_stage(seed):
    rng = np.random.default_rng(seed)
    longest, stage_of = rng.integers(0, 8, 40).astype(np.int32), rng.integers(0, 5, 8).astype(np.int32)
    stages = [int(stage_of[n]) for n in longest]
    first = placement_queue._stages(longest, stage_of, 4)
    assert first.tolist() == [0, *accumulate(stages.count(s) for s in range(5))]
    entering = np.empty(first[4], np.int32)
    placement_queue._in_stages(longest, stage_of, first.copy(), 4, entering)
    assert entering.tolist() == [r for s in range(4) for r in range(40) if stages[r] == s]


@pytest.mark.parametrize("seed", range(20))
def test_ranks_of_a_stage_come_between_the_open_ones(seed):
    rng = np.random.default_rng(seed)
    stages = rng.integers(0, 5, 40).tolist()
    entering = [r for s in range(5) for r in range(40) if stages[r] == s]
    first = [0, *accumulate(stages.count(s) for s in range(5)), 40]
    queue = Queue(np.array(entering, np.int32), np.array(first), np.full(40, -1, np.int32))
    still: list[int] = []
    for stage in range(5):
        n_open = placement_queue.let_in(queue, stage, len(still))
        assert queue.entering[:n_open].tolist() == sorted([*still, *(r for r in range(40) if stages[r] == stage)])
        assert queue.entering[first[stage + 1] :].tolist() == entering[first[stage + 1] :], "later stages stay"
        still = [r for r in queue.entering[:n_open].tolist() if rng.random() < 0.7]  # the others were placed
        queue.entering[: len(still)] = still


@pytest.mark.parametrize("seed", range(40))
def test_a_run_fits_where_it_touches_no_other(seed):
    rng = np.random.default_rng(seed)
    least, covered = int(rng.integers(1, 5)), np.zeros(60, np.uint8)
    p = 1
    while (p := p + int(rng.integers(1, 12))) + 8 < 59:
        size = least + int(rng.integers(0, 4))
        placement._cover(covered, p, size)
        p += size
    for p in range(1, 50):
        for size in range(least, 9):
            free = not covered[p - 1 : p + size + 1].any()
            assert placement._fits(covered, np.empty(0, np.uint8), p, size, least) == free, (p, size)


def drawn(seed, *, characters):
    """A small corpus: of characters of one or two bytes, or of tokens with weights, some of them no words."""
    rng = np.random.default_rng(seed)
    n_documents, k = int(rng.integers(2, 7)), int(rng.integers(2, 4))
    pieces = [[1], [2], [3, 4], [3, 5], [1, 2, 1]] if characters else [[1], [2], [3], [4], [1, 4, 2]]
    documents = [[n for i in rng.integers(0, 5, rng.integers(0, 9)) for n in pieces[i]] for _ in range(n_documents)]
    documents += documents[: int(rng.integers(0, 3))]
    text = [0] + [n for d in documents for n in (*d, 0)]
    # a 3 begins a character of two bytes: what follows it is no unit of its own
    unit = [0 if characters and n in (4, 5) else 1 for n in text]
    weight = unit if characters else [(0, 2, 5, 1, 1)[n] for n in text]
    solid = [] if characters or seed % 4 == 0 else [int(n not in (3, 4)) for n in text]
    owners = None if seed % 3 == 0 else rng.integers(-1 if seed % 2 else 0, 5, len(documents)).tolist()
    corpus = plain.Corpus(documents, unit, weight, solid, owners, k)
    granted = rng.integers(0, 4, len(corpus.sa)).tolist() if seed % 5 == 0 else None
    if granted:
        granted = like_neighbours(corpus, granted)
        corpus.longest = [max(a, b) for a, b in zip(corpus.longest, granted)]
    return corpus, granted, int(rng.integers(1, 4))


def like_neighbours(corpus, granted):
    """What is granted to a string is granted to all its occurrences, in whole units."""
    most = [min(g, n) for g, n in zip(granted, (reach(corpus, p) for p in corpus.sa))]
    out = [
        max(min(most[q], *corpus.lcp[min(q, r) + 1 : max(q, r) + 1], 99) for q in range(len(most)))
        for r in range(len(most))
    ]  # fmt: skip
    return [max(n for n in range(g + 1) if corpus.unit[p + n]) for p, g in zip(corpus.sa, out)]


def reach(corpus, p):
    return corpus.text.index(plain.SEPARATOR, p) - p


def arrays(corpus, granted, min_length):
    given = [np.array(row, np.uint8) for row in (corpus.unit, corpus.weight, corpus.solid)]
    text = Text(*given, np.zeros(len(corpus.text), np.uint8))
    owner = NONE if corpus.owners is None else np.array([corpus.owner(p) for p in corpus.sa], np.int32)
    lcp = np.array(corpus.lcp, np.int32)
    ranks = Ranks(
        np.array(corpus.sa, np.int32), lcp, lcp.copy(), np.zeros(len(lcp), np.int32), owner,
        NONE if granted is None else np.array(granted, np.int32),
    )  # fmt: skip
    seen = np.zeros(int(owner.max(initial=-1)) + 1, np.int64)
    return text, ranks, Counted(seen, np.array([0, 2147483647]), corpus.k, min_length)


def queue_of(values, stages):
    """Ranks by the first stage whose number they reach."""
    at = [next((s for s, least in enumerate(stages) if v >= least), len(stages)) for v in values]
    entering = [r for s in range(len(stages)) for r in range(len(values)) if at[r] == s]
    first = [0, *accumulate(at.count(s) for s in range(len(stages) + 1))]
    return Queue(np.array(entering, np.int32), np.array(first), np.empty(len(entering), np.int32))


@pytest.mark.parametrize("grid", ["every length", "a grid"])
@pytest.mark.parametrize("characters", [True, False])
def test_classes_are_placed_by_length(characters, grid):
    placed_somewhere = 0
    for seed in range(60):
        corpus, granted, min_length = drawn(seed, characters=characters)
        top = max(corpus.longest, default=0)
        dense = 256 if grid == "every length" else 2
        lengths = [n for n in range(top, min_length - 1, -1) if n <= dense or n == top or n % 3 == 0]
        slow = plain.Placed(corpus, min_length, granted)
        plain.place(slow, lengths, dense)
        text, ranks, counted = arrays(corpus, granted, min_length)
        queue = queue_of(corpus.longest, lengths)
        placement._place(text, ranks, queue, counted, np.array(lengths, np.int32), dense)
        assert text.covered.tolist() == slow.covered(), seed
        placed_somewhere += any(slow.run)
    assert placed_somewhere > 30


@pytest.mark.parametrize("turn", [3, 48])
def test_classes_of_tokens_are_placed_by_their_characters(turn):
    placed_somewhere = 0
    for seed in range(80):
        corpus, granted, min_length = drawn(seed, characters=False)
        tokens = [min(n, turn) for n in corpus.longest]
        text, ranks, counted = arrays(corpus, granted, min_length)
        before = np.array([0, *accumulate(corpus.weight)], np.int32)
        tries = placement_by_weight.Tries(np.empty(len(tokens), np.uint8), np.empty(len(tokens), np.int32), before)
        ranks.sa[::7] *= -1  # ranks that were taken out have nothing to try
        placement_by_weight.weigh(ranks.sa, np.array(corpus.longest, np.int32), turn, tries)
        heavy = [sum(corpus.weight[p : p + n]) for p, n in zip(corpus.sa, tokens)]
        assert tries.tokens.tolist() == tokens
        assert tries.heavy.tolist() == [0 if r % 7 == 0 else n for r, n in enumerate(heavy)]
        ranks.sa[::7] *= -1
        tries.heavy[:] = heavy
        slow = plain.Placed(corpus, min_length, granted)
        plain.place_by_weight(slow, tokens)
        queue = queue_of(heavy, list(range(max(heavy, default=0), 0, -1)))
        placement_by_weight.place_by_weight(text, ranks, queue, counted, tries)
        assert text.covered.tolist() == slow.covered(), seed
        placed_somewhere += any(slow.run)
    assert placed_somewhere > 40

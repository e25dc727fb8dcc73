"""Kernels of n-grams, of sequences that are alike and of graphs, on the arrays they take, against plain loops."""

import itertools

import numpy as np
import pytest

from sequester.methods.events.shared import minhash
from sequester.methods.ngrams.shared.kernels import ngram_flow, ngram_lift
from sequester.methods.ngrams.shared.kernels.ngram_lift import NEARLY, Margins, Stretch
from sequester.primitives import ngrams
from tests.naive import minhash as naive_minhash
from tests.naive import ngrams as naive
from tests.naive.gram_arrays import Linked, code, ends_of_grams

SEEDS = range(6)


def drawn_series(rng, n=8, symbols=5, longest=14):
    sizes = rng.integers(0, longest, n)
    offsets = np.r_[0, np.cumsum(sizes)].astype(np.int64)
    given = rng.integers(0, symbols, offsets[-1]).astype(np.uint16)
    given.flags.writeable = offsets.flags.writeable = False  # as they come from a file
    return given, offsets


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_grams_are_written_and_counted_one_by_one(seed, n):
    rng = np.random.default_rng(seed)
    symbols, offsets = drawn_series(rng)
    told = [(end, code(gram, 3)) for end, gram in ends_of_grams(symbols.tolist(), offsets.tolist(), n)]
    out = np.empty(len(told), np.int64)
    ngrams._write_codes(symbols, offsets, n, 3, out)
    assert out.tolist() == [c for _, c in told]
    low, high = np.sort(rng.integers(0, len(symbols) + 1, 2)).tolist()
    first = max(0, int(np.searchsorted(offsets, low, side="right")) - 1)
    for shift in (0, 2):
        table = np.zeros(8**n >> shift, np.uint32)
        ngrams._add_to_table(symbols, offsets, ngrams.Span(first, low, high), n, 3, shift, table)
        inside = [c >> shift for end, c in told if low <= end < high]
        assert table.tolist() == [inside.count(c) for c in range(len(table))]


@pytest.mark.parametrize("seed", SEEDS)
def test_grams_are_parted_counted_and_gathered(seed):
    rng = np.random.default_rng(seed)
    symbols, offsets = drawn_series(rng, n=20, symbols=3)
    n, bits, low_bits = 3, 2, 4
    codes = [code(gram, bits) for _, gram in ends_of_grams(symbols.tolist(), offsets.tolist(), n)]
    parts = [[c % 16 for c in codes if c // 16 == part] for part in range(4)]
    bounds = np.r_[0, np.cumsum([len(p) for p in parts])]
    lows = np.empty(len(codes), np.uint32)
    span = ngrams.Span(0, 0, len(symbols))
    ngrams._scatter(symbols, offsets, span, n, bits, low_bits, bounds[:-1].copy(), lows)
    assert lows.tolist() == [low for part in parts for low in part]
    told, distinct = ngrams.Parts(lows, np.empty(len(lows), np.uint32), bounds), np.zeros(4, np.int64)
    ngrams._count_parts(told, 0, 4, low_bits, distinct)
    assert distinct.tolist() == [len(set(part)) for part in parts]
    for a, part in zip(bounds.tolist(), parts):
        rising = sorted(set(part))
        assert told.lows[a : a + len(rising)].tolist() == rising
        assert told.counts[a : a + len(rising)].tolist() == [part.count(low) for low in rising]
    ends = np.r_[0, np.cumsum(distinct)]
    found, counts = np.empty(ends[-1], np.int64), np.empty(ends[-1], np.int64)
    ngrams._gather(told, ends, 0, 4, low_bits, found, counts)
    assert dict(zip(found.tolist(), counts.tolist())) == {c: codes.count(c) for c in codes}
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cap", [0, 1, 3])
def test_owners_of_grams_are_counted_once(seed, cap):
    rng = np.random.default_rng(seed)
    sizes, owners = rng.integers(0, 8, 12), rng.integers(0, 4, 12)
    starts = np.r_[0, np.cumsum(sizes)]
    ranks = rng.integers(0, 5, starts[-1]).astype(np.int32)
    series = [ranks[a:b].tolist() for a, b in itertools.pairwise(starts)]
    want = naive.owners_of(series, owners.tolist(), 1, cap or None)
    counts, people = ngrams._owned(ranks, starts, owners, np.argsort(owners, kind="stable"), 5, cap)
    assert [(int(c), int(o)) for c, o in zip(counts, people)] == [want.get((r,), (0, 0)) for r in range(5)]


def linked(seed, n):
    rng = np.random.default_rng(seed)
    symbols, offsets = drawn_series(rng, n=12, symbols=3)
    tables = naive.tables_of([symbols[a:b].tolist() for a, b in itertools.pairwise(offsets)], n)
    arrays = Linked(tables)
    margins = Margins(*(np.array(getattr(arrays, name)) for name in Margins._fields))
    return tables, arrays, margins


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("literal", [True, False])
@pytest.mark.parametrize("original", [True, False])
def test_rare_grams_are_lifted_one_after_the_other(seed, n, literal, original):
    tables, arrays, margins = linked(seed, n)
    stretch, k = Stretch(arrays.top, arrays.end, n), max(tables[n].values())
    how = {"literal": literal, "original_frequencies": original, "sweep": False}
    for kind, lifting, fractions in (
        (np.int64, ngram_lift._lift_units, False),
        (np.float64, ngram_lift._lift_fractions, True),
    ):
        want, lifted = naive.lift(tables, k, fractions=fractions, **how)
        counts = np.array(arrays.counts, kind)
        given = counts[arrays.top :].copy() if literal else np.empty(0, kind)
        assert lifting(counts, counts.copy() if original else counts, given, margins, stretch, k) == lifted > 0
        np.testing.assert_allclose(counts, np.array([float(c) for c in arrays.flat(want)]), atol=NEARLY)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("reach", [0, 2, 3])
def test_lifting_that_reaches_further_goes_on_share_by_share(seed, n, reach):
    tables, arrays, margins = linked(seed, n)
    k = max(tables[n].values())
    want, lifted = naive.lift_reaching(tables, k, reach, sweep=False)
    counts = np.array(arrays.counts)
    reached = reach if n > 1 else 0  # without margins there is nobody to reach
    assert ngram_lift._lift_reaching(counts, margins, arrays.top, arrays.end, k, reached) == lifted > 0
    assert counts.tolist() == arrays.flat(want)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_what_is_rare_below_the_longest_order_is_swept_up(seed, n):
    tables, arrays, margins = linked(seed, n)
    rng = np.random.default_rng(seed)
    now = {m: {g: int(rng.integers(0, 9)) for g in tables[m]} for m in tables}
    counts = np.array(arrays.flat(now))
    wanted = naive.sweep_up(now, 6)
    for kind, sweep in ((np.int64, ngram_lift._sweep), (np.float64, ngram_lift._sweep_fractions)):
        mine = counts.astype(kind)
        assert sweep(mine, margins.heads, margins.tails, arrays.top, 6 - NEARLY, 6) == wanted
        assert mine.tolist() == arrays.flat(now)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("width", [1, 2, 3])
def test_sequences_are_signed_and_coded_by_their_shingles(seed, width):
    rng = np.random.default_rng(seed)
    sequences = [rng.integers(0, 4, rng.integers(1, 9)).tolist() for _ in range(30)]
    offsets = np.cumsum([0] + [len(s) for s in sequences])
    states = np.array([x for s in sequences for x in s], np.int32)
    seeds = rng.integers(0, 2**64, 7, dtype=np.uint64)
    out = np.zeros((20, 7), np.uint32)
    minhash._sign(states, offsets, seeds, width, 5, 25, out)
    assert out.tolist() == [naive_minhash.signature(s, seeds.tolist(), width) for s in sequences[5:25]]
    found = minhash._set_codes(states, offsets, width).tolist()
    assert found == [naive_minhash.set_code(s, width) for s in sequences]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("earlier", [True, False])
@pytest.mark.parametrize("columns", [1, 3, 9])
def test_the_most_similar_row_is_found_among_all_and_by_bands(seed, earlier, columns):
    rng = np.random.default_rng(seed)
    signs = rng.integers(0, 3, (40, columns)).astype(np.uint32)
    candidate = np.ones(40, bool) if earlier else rng.random(40) < 0.3
    rows, chosen = [tuple(row) for row in signs.tolist()], np.flatnonzero(candidate).tolist()
    best, like = minhash._nearest_among(signs, candidate, earlier)
    assert list(zip(best.tolist(), like.tolist())) == naive_minhash.nearest(rows, chosen, earlier)
    width = min(2, columns)
    bands = (width, columns // width, 3)
    best, like = minhash._nearest_by_bands(signs, candidate, earlier, *bands)
    assert list(zip(best.tolist(), like.tolist())) == naive_minhash.nearest(rows, chosen, earlier, bands)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_most_equal_positions_with_any_of_some_rows(seed):
    rng = np.random.default_rng(seed)
    of, among = (rng.integers(0, 3, (n, 5)).astype(np.uint32) for n in (20, seed * 4))
    best = np.full(20, 99)
    minhash._nearest(of, among, 5, 15, best)
    want = [round(5 * share) for share in naive_minhash.nearest_similarity(of.tolist(), among.tolist())]
    assert best.tolist() == [99] * 5 + want[5:15] + [99] * 5


@pytest.mark.parametrize("seed", range(20))
def test_components_are_nodes_that_reach_each_other(seed):
    rng = np.random.default_rng(seed)
    n, m = 9, int(rng.integers(0, 20))
    edges = sorted((int(a), int(b)) for a, b in rng.integers(0, n, (m, 2)))
    reach = {(a, a) for a in range(n)} | set(edges)
    for middle in range(n):
        reach |= {(a, b) for a in range(n) for b in range(n) if (a, middle) in reach and (middle, b) in reach}
    first = np.array([sum(a < v for a, _ in edges) for v in range(n + 1)])
    found = ngram_flow._tarjan(first, np.array([b for _, b in edges], np.int64)).tolist()
    for a in range(n):
        for b in range(n):
            assert (found[a] == found[b]) == ((a, b) in reach and (b, a) in reach)
    assert set(found) == set(range(max(found) + 1))

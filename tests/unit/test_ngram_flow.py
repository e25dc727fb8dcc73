"""Flows on n-gram tables: exact tables of series plus strings, least additions, balanced tables that tell nothing."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.methods.ngrams.shared.kernels.ngram_flow import balanced, lift_by_flow, strong_components
from sequester.primitives.ngrams import count_tables, unpack
from tests.naive import least_cost_flow as naive

SERIES = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=14), min_size=1, max_size=3)


def tables_of(series, n):
    symbols = np.array([x for s in series for x in s], dtype=np.uint16)
    offsets = np.cumsum([0] + [len(s) for s in series])
    return count_tables(symbols, offsets, n, 3)


def plain(table):
    return {tuple(g): int(c) for g, c in zip(unpack(table.codes, table.order, table.bits).tolist(), table.counts)}


def around(table):
    into, out = Counter(), Counter()
    for gram, count in table.items():
        out[gram[:-1]] += count
        into[gram[1:]] += count
    return into, out


@settings(max_examples=150, deadline=None)
@given(SERIES, st.integers(2, 4), st.integers(2, 5), st.sampled_from([1, 3, None]))
def test_a_lifted_table_is_the_table_of_the_series_and_further_strings(series, n, k, strings):
    before = tables_of(series, n)
    if not len(before[-1].codes):
        return
    done = lift_by_flow(before, k, strings=strings)
    shortfalls = []
    for order in range(n - 1, 0, -1):
        here, above = plain(done.tables[order - 1]), plain(done.tables[order])
        into, out = around(above)
        assert all(here[h] >= max(into[h], out[h]) for h in here) and set(into) | set(out) <= set(here)
        starts, ends = sum(here[h] - into[h] for h in here), sum(here[h] - out[h] for h in here)
        assert starts == ends  # every string that begins also ends
        shortfalls.append(ends)
    assert shortfalls == sorted(shortfalls)  # longer orders see fewer strings
    for table, old in zip(done.tables, before, strict=True):
        assert (table.counts >= np.maximum(old.counts, k)).all() and (table.codes == old.codes).all()
    if not any(len(s) < n for s in series):
        assert shortfalls[0] == len(series) + done.strings == shortfalls[-1] and done.n_swept == 0


@settings(max_examples=100, deadline=None)
@given(SERIES, st.integers(2, 4), st.integers(2, 4), st.sampled_from([1, 2, 3]))
def test_nothing_less_would_do(series, n, k, strings):
    before = tables_of(series, n)
    if not len(before[-1].codes):
        return
    done = lift_by_flow(before, k, strings=strings)
    grams = plain(before[-1])
    nodes = sorted({g[:-1] for g in grams} | {g[1:] for g in grams})
    at = {h: i for i, h in enumerate(nodes)}
    surplus = [0] * (len(nodes) + 1)
    for g, c in grams.items():
        surplus[at[g[1:]]] += max(0, k - c)
        surplus[at[g[:-1]]] -= max(0, k - c)
    far = sum(abs(x) for x in surplus) + 1
    arcs = [(at[g[:-1]], at[g[1:]], far, 2) for g in grams]
    arcs += [(i, len(nodes), far, strings) for i in range(len(nodes))]
    arcs += [(len(nodes), i, far, strings) for i in range(len(nodes))]
    least = naive.least_cost(len(nodes) + 1, arcs, surplus)
    needed = sum(max(0, k - c) for c in grams.values())
    assert 2 * (done.added - needed) + 2 * strings * done.strings == least


@settings(max_examples=150, deadline=None)
@given(SERIES, st.integers(1, 4), st.integers(1, 4))
def test_a_balanced_table_has_as_much_in_as_out_and_no_count_below_k(series, n, k):
    top = tables_of(series, n)[-1]
    top = top._replace(codes=top.codes[top.counts >= k], counts=top.counts[top.counts >= k])
    done = balanced(top, k)
    before, after = plain(top), plain(done.grams)
    assert done.dropped == len(before) - len(after) and set(after) <= set(before)
    assert all(c >= k for c in after.values())
    assert done.moved == sum(abs(after[g] - before[g]) for g in after)
    if n > 1:
        into, out = around(after)
        assert into == out


def test_one_string_lifts_several_rare_grams():
    """A rare excursion of three grams is repeated as one string, not as three."""
    series = [[0, 1] * 20 + [2, 2, 0, 1] + [0, 1] * 20]
    done = lift_by_flow(tables_of(series, 2), 5, strings=1)
    assert done.strings <= 4 and done.added <= 3 * 4 + 4
    assert min(int(t.counts.min()) for t in done.tables) == 5


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 7), st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=15))
def test_strong_components_are_mutual_reach(n, arcs):
    arcs = [(a % n, b % n) for a, b in arcs]
    reach = np.eye(n, dtype=bool)
    for a, b in arcs:
        reach[a, b] = True
    for middle in range(n):
        reach |= reach[:, middle : middle + 1] & reach[middle : middle + 1, :]
    table = np.array(arcs, dtype=np.int64).reshape(-1, 2)
    found = strong_components(n, table[:, 0], table[:, 1])
    assert ((found[:, None] == found[None, :]) == (reach & reach.T)).all()


@pytest.mark.parametrize("strings", [1, None])
def test_order_one_needs_no_flow(strings):
    done = lift_by_flow(tables_of([[0, 0, 0, 1, 2]], 1), 3, strings=strings)
    assert done.tables[0].counts.tolist() == [3, 3, 3] and done.added == 4

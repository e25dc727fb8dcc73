"""The counting and lifting kernels equal their plain twins."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sequester.errors import ParameterError
from sequester.methods.ngrams.shared.kernels import ngram_lift
from sequester.methods.ngrams.shared.kernels.ngram_lift import lift, round_down
from sequester.primitives import ngrams
from sequester.primitives.ngrams import bits_for, count_grams, count_owned, count_tables, derive_lower, pack, unpack
from tests.naive import ngrams as naive

few = settings(max_examples=60, deadline=None)
some_series = st.lists(st.lists(st.integers(0, 3), max_size=14), max_size=5)


def joined(series):
    symbols = np.array([x for s in series for x in s], dtype=np.uint16)
    return symbols, np.cumsum([0] + [len(s) for s in series])


def as_dict(grams):
    rows = unpack(grams.codes, grams.order, grams.bits)
    return {tuple(r.tolist()): c for r, c in zip(rows, grams.counts.tolist())}


@few
@given(some_series, st.integers(1, 5))
def test_tables_of_all_orders_equal_plain_counting(series, n):
    symbols, offsets = joined(series)
    tables = count_tables(symbols, offsets, n, 4)
    assert {t.order: as_dict(t) for t in tables} == naive.tables_of(series, n)
    assert all(np.all(np.diff(t.codes) > 0) for t in tables)


@pytest.mark.parametrize(("n_symbols", "n"), [(4, 5), (20, 3), (20, 4), (20, 5), (200, 2), (500, 6)])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_way_of_counting_agrees(n_symbols, n, threads, monkeypatch):
    rng = np.random.default_rng(n_symbols + n)
    symbols = (rng.integers(0, n_symbols, 5000) * rng.integers(0, 2, 5000)).astype(np.uint16)
    offsets = np.unique(np.concatenate(([0, 3, 3 + n, 5000], rng.integers(0, 5000, 20))))
    series = [symbols[a:b].tolist() for a, b in pairwise(offsets)]
    monkeypatch.setattr(ngrams, "SMALL", 0)
    expected = dict(naive.grams_of(series, n))
    assert as_dict(count_grams(symbols, offsets, n, n_symbols, threads=threads)) == expected
    bits = bits_for(n_symbols)
    if ngrams.PART_BITS < bits * n <= 30:
        spans = ngrams._spans(len(symbols), offsets, threads)
        codes, counts = ngrams._by_parts(symbols, offsets, n, bits, spans)
        assert as_dict(ngrams.Grams(n, bits, codes, counts)) == expected


def test_parts_are_chosen_when_the_data_fill_the_codes():
    rng = np.random.default_rng(5)
    symbols = rng.integers(0, 20, 70_000).astype(np.uint8)
    offsets = np.array([0, 20_000, 70_000])
    series = [symbols[:20_000].tolist(), symbols[20_000:].tolist()]
    assert len(symbols) >= 1 << (5 * 4 - 4)
    assert as_dict(count_grams(symbols, offsets, 4, 20, threads=2)) == dict(naive.grams_of(series, 4))


def test_nothing_comes_of_nothing():
    none = np.array([], dtype=np.uint16)
    for offsets in ([0], [0, 0], [0, 0, 0]):
        assert [len(t.codes) for t in count_tables(none, np.array(offsets), 3, 4)] == [0, 0, 0]
    constant = np.zeros(9, dtype=np.uint16)
    assert as_dict(count_grams(constant, np.array([0, 9]), 4, 1)) == {(0, 0, 0, 0): 6}


def test_a_code_that_does_not_fit_is_refused():
    with pytest.raises(ParameterError) as error:
        count_grams(np.zeros(3, dtype=np.uint16), np.array([0, 3]), 32, 4)
    assert str(error.value) == (
        "n-grams: order 32 over 4 symbols needs 64 bits, at most 62 fit; take an order in 1..31."
    )


@few
@given(some_series, st.integers(1, 4), st.sampled_from([None, 1, 2]), st.data())
def test_owners_are_counted_once_and_capped(series, n, cap, data):
    owners = data.draw(st.lists(st.integers(0, 2), min_size=len(series), max_size=len(series)))
    owned = count_owned(*joined(series), np.array(owners, dtype=np.int64), n, 4, cap=cap)
    rows = [tuple(r) for r in unpack(owned.grams.codes, n, owned.grams.bits).tolist()]
    found = {g: (c, o) for g, c, o in zip(rows, owned.grams.counts.tolist(), owned.owners.tolist())}
    assert found == naive.owners_of(series, owners, n, cap)


@few
@given(some_series, st.integers(1, 4), st.integers(0, 3))
def test_lower_orders_derived_from_the_top_alone(series, n, dropped):
    top = count_grams(*joined(series), n, 4)
    kept = top._replace(codes=top.codes[dropped:], counts=top.counts[dropped:])
    assert {t.order: as_dict(t) for t in derive_lower(kept)} == naive.derive_lower(as_dict(kept), n)


def test_pack_and_unpack_are_inverse():
    rows = np.array([[0, 3, 1], [2, 2, 2]])
    assert unpack(pack(rows, 2), 3, 2).tolist() == rows.tolist()


@few
@given(some_series, st.integers(1, 4), st.integers(2, 7), st.booleans(), st.booleans(), st.booleans())
def test_lifting_equals_its_exact_twin(series, n, k, literal, original, fractions):
    tables = count_tables(*joined(series), n, 4)
    options = {"literal": literal, "fractions": fractions}
    got = lift(tables, k, frequencies="original" if original else "running", **options)
    want, lifted = naive.lift(naive.tables_of(series, n), k, original_frequencies=original, **options)
    assert got.n_lifted == lifted
    for table in got.tables:
        ours = as_dict(table)
        assert ours.keys() == want[table.order].keys()
        for gram, count in want[table.order].items():
            assert ours[gram] == (pytest.approx(float(count)) if fractions else count)


@few
@given(some_series, st.integers(1, 5), st.integers(2, 9))
@example([[0, 0, 1]], 2, 3)
def test_lifting_that_reaches_further_equals_the_twin_one_symbol_away(series, n, k):
    """The method itself reaches one symbol by `_lift_units`, which takes the shares of both sides before it adds."""

    def reaching(counts, _weights, _given, margins, stretch, k):
        return ngram_lift._lift_reaching(counts, margins, stretch.top, stretch.end, k, 1 if stretch.n > 1 else 0)

    tables = count_tables(*joined(series), n, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngram_lift, "_lift_units", reaching)
        got = lift(tables, k)
    want, lifted = naive.lift_reaching(naive.tables_of(series, n), k, 1)
    assert got.n_lifted == lifted
    assert [as_dict(table) for table in got.tables] == [want[table.order] for table in got.tables]


@few
@given(some_series, st.integers(1, 5), st.integers(2, 9), st.sampled_from([0, 2, 3, 4]))
def test_lifting_that_reaches_further_equals_its_twin(series, n, k, reach):
    tables = count_tables(*joined(series), n, 4)
    got = lift(tables, k, reach=reach)
    want, lifted = naive.lift_reaching(naive.tables_of(series, n), k, reach)
    assert got.n_lifted == lifted
    assert [as_dict(table) for table in got.tables] == [want[table.order] for table in got.tables]


@few
@given(some_series, st.integers(1, 5), st.integers(2, 9), st.booleans(), st.booleans())
def test_theorem_every_order_reaches_k_and_no_gram_outnumbers_one_inside(series, n, k, literal, fractions):
    """The theorem of the page, for any series: short ones are swept."""
    before = count_tables(*joined(series), n, 4)
    after = lift(before, k, literal=literal, fractions=fractions).tables
    if fractions:
        after = round_down(after, before)
    found = {t.order: as_dict(t) for t in after}
    for old, new in zip(before, after):
        assert np.array_equal(old.codes, new.codes), "the support never changes"
        assert np.all(new.counts >= k)
        assert np.all(new.counts >= old.counts)
    for m in range(2, n + 1):
        for gram, count in found[m].items():
            assert found[m - 1][gram[1:]] >= count
            assert found[m - 1][gram[:-1]] >= count


@few
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=14), min_size=1, max_size=4), st.integers(2, 9))
def test_theorem_without_a_sweep_when_all_series_are_long_enough(series, k):
    lifted = lift(count_tables(*joined(series), 4, 4), k, sweep=False)
    assert all(np.all(t.counts >= k) for t in lifted.tables)
    assert lift(count_tables(*joined(series), 4, 4), k).n_swept == 0


def test_the_account_of_what_was_added_is_exact():
    series = [[0, 1, 2, 3, 0, 1, 2, 0, 0, 0, 1]]
    before = count_tables(*joined(series), 3, 4)
    after = lift(before, 4)
    assert after.added == after.tables[2].counts.sum() - before[2].counts.sum()
    assert after.n_rare == int((before[2].counts < 4).sum())

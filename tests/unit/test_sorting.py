"""The sort and search primitives of kernels against their plain twins."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.primitives import sorting
from tests.naive import sorting as plain

few = st.integers(-3, 3)
whole = st.one_of(few, st.integers(-(2**63), 2**63 - 1))
real = st.one_of(few.map(float), st.sampled_from([0.0, -0.0]), st.floats(allow_nan=False))


@settings(deadline=None)
@given(st.lists(whole, max_size=90), st.data())
def test_the_first_numbers_are_sorted_and_the_others_stay(values, data):
    n = data.draw(st.integers(0, len(values)))
    array = np.array(values, np.int64)
    sorting.sort_first(array, n)
    assert array.tolist() == sorted(values[:n]) + values[n:]


@settings(deadline=None)
@given(st.lists(whole, max_size=90))
def test_order_of_whole_numbers_is_stable(keys):
    assert sorting.order_of(np.array(keys, np.int64)).tolist() == plain.order_of(keys)


@settings(deadline=None)
@given(st.lists(real, max_size=90))
def test_order_of_reals_is_stable_and_knows_one_zero(keys):
    assert sorting.order_of_reals(np.array(keys, np.float64)).tolist() == plain.order_of(keys)


@settings(deadline=None)
@given(st.lists(few, max_size=40), few, st.floats(-4, 4))
def test_searching(values, value, between):
    rising = np.sort(np.array(values, np.int64))
    for asked in (float(value), between):
        assert sorting.first_count_above(rising, asked) == plain.first_above(rising, asked)

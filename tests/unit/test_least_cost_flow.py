"""Least-cost flows against cycle cancelling, on small random networks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.methods.ngrams.shared.kernels.least_cost_flow import UNLIMITED, least_cost_flow
from tests.naive import least_cost_flow as naive


@st.composite
def networks(draw):
    n = draw(st.integers(1, 6))
    node = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(node, node, st.integers(0, 6), st.integers(0, 4)), max_size=14))
    supply = draw(st.lists(st.integers(-4, 4), min_size=n - 1, max_size=n - 1))
    return n, arcs, [*supply, -sum(supply)]


@settings(max_examples=300, deadline=None)
@given(networks())
def test_the_flow_is_feasible_and_costs_the_least(case):
    n, arcs, supply = case
    table = np.array(arcs, dtype=np.int64).reshape(-1, 4)
    flow = least_cost_flow(n, table[:, 0], table[:, 1], table[:, 2], table[:, 3], np.array(supply))
    least = naive.least_cost(n, arcs, supply)
    if least is None:
        assert flow is None
        return
    assert flow is not None and (flow >= 0).all() and (flow <= table[:, 2]).all()
    out = np.bincount(table[:, 0], flow, n) - np.bincount(table[:, 1], flow, n)
    assert out.tolist() == supply
    assert int((flow * table[:, 3]).sum()) == least


def test_supplies_that_do_not_cancel_cannot_be_carried():
    one = np.array([0])
    assert least_cost_flow(2, one, one + 1, one + UNLIMITED, one, np.array([2, -1])) is None


def test_an_arc_without_a_limit_carries_everything():
    flow = least_cost_flow(
        2, np.array([0]), np.array([1]), np.array([UNLIMITED]), np.array([3]), np.array([10**9, -(10**9)])
    )
    assert flow.tolist() == [10**9]

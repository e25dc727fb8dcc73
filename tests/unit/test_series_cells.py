"""Records cut into cells at medians: promises hold, nothing depends on order or machine, little is lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.methods.series.kapra import Kapra
from sequester.methods.series.shared import records_table
from sequester.methods.series.shared.prototypes import grouping
from sequester.methods.series.shared.records_table import cell_size, groups_in_cells, median_cells
from sequester.methods.series.shared.subgroups import unit_range
from sequester.model import Series
from sequester.primitives.sax import z_normalize


@given(st.integers(1, 300), st.integers(1, 12), st.integers(4, 80), st.integers(0, 2**31))
@settings(deadline=None)
def test_cells_hold_every_record_once_and_half_of_what_they_may(n, width, most, seed):
    values = np.random.default_rng(seed).integers(0, 5, (n, width)).astype(float)  # many ties
    found = median_cells(values, most)
    assert np.array_equal(np.sort(np.concatenate(found)), np.arange(n))
    assert all(len(rows) <= most and (np.diff(rows) > 0).all() for rows in found)
    assert len(found) == 1 or min(map(len, found)) >= most // 2


def test_a_cell_ends_at_the_median_of_the_widest_piece():
    values = np.zeros((10, 2))
    values[:, 0] = np.arange(10)[::-1]
    values[:, 1] = np.arange(10) / 10
    assert [rows.tolist() for rows in median_cells(values, 5)] == [[5, 6, 7, 8, 9], [0, 1, 2, 3, 4]]


def test_nothing_is_cut_up_to_a_million_unless_asked():
    assert cell_size(1_000_000, None) == 1_000_000
    assert cell_size(1_000_001, None) == 200_000
    assert cell_size(500, 100) == 100


def test_the_default_cuts_above_its_bound(monkeypatch):
    monkeypatch.setattr(records_table, "UNCUT", 150)
    monkeypatch.setattr(records_table, "CELL", 60)
    values = np.random.default_rng(0).random((200, 6))
    shapes = z_normalize(values)
    cut, asked = (groups_in_cells(values, shapes, 5, 3, 1.0, None, c) for c in (None, 60))
    assert np.array_equal(cut.group, asked.group) and np.array_equal(cut.subgroup, asked.subgroup)
    whole = groups_in_cells(values[:150], shapes[:150], 5, 3, 1.0)
    assert np.array_equal(whole.group, grouping(unit_range(values[:150]), shapes[:150], 5, 3, 1.0).group)


@pytest.mark.parametrize("more", [{}, {"l": 2, "harmless": ("home",)}])
def test_a_release_in_cells_is_verified_and_loses_little(more, monkeypatch):
    rng = np.random.default_rng(1)
    values = rng.random((600, 8)).cumsum(axis=1)
    outcome = np.where(rng.random(600) < 0.2, "died", "home").astype(object)
    data = Series(values=values, sensitive={"outcome": outcome} if more else {})
    whole = sq.anonymize(data, Kapra(k=5, p=3, **more), seed=1)
    monkeypatch.setattr(records_table, "UNCUT", 150)
    monkeypatch.setattr(records_table, "CELL", 150)
    cut = sq.anonymize(data, Kapra(k=5, p=3, **more), seed=1)
    assert sq.verify(cut).holds and sq.verify(cut, data).holds
    assert not cut.tables["records"].equals(whole.tables["records"])
    losses = [sq.measure(data, r, n_queries=0, n_targets=0)["value loss per record"] for r in (whole, cut)]
    assert losses[1] < 1.15 * losses[0]

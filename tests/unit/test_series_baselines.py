"""The baselines: boxes, draws, and frequent sequences."""

import numpy as np
import pytest

import sequester as sq
from sequester.methods.series.bfp2ka import BFP2KA
from sequester.methods.series.tga import TGA
from sequester.methods.series.tga.kernels.trajectory_cost import group_by_log_cost
from sequester.model import Series


def test_groups_by_log_cost_equal_a_plain_search():
    cells = np.random.default_rng(0).integers(0, 30, (23, 4))
    order = np.random.default_rng(1).permutation(23)
    found = group_by_log_cost(cells, 5, order, fast=False)
    left, groups = list(range(23)), []
    for seed in order:
        if seed not in left or len(left) < 5:
            continue
        group = [int(seed)]
        left.remove(seed)
        while len(group) < 5:
            cost = {r: np.log(np.ptp(cells[[*group, r]], axis=0) + 1).sum() for r in left}
            group.append(min(cost, key=cost.get))
            left.remove(group[-1])
        groups.append(group)
    for group in groups:
        assert len({int(found[r]) for r in group}) == 1
    assert np.bincount(found).min() >= 5 and (found >= 0).all()


def test_fast_takes_the_nearest_of_the_seed():
    cells = np.array([[0], [1], [2], [50], [51], [52]])
    found = group_by_log_cost(cells, 3, np.array([0, 3, 1, 2, 4, 5]), fast=True)
    assert found[:3].tolist() == [0, 0, 0] and found[3:].tolist() == [1, 1, 1]


@pytest.mark.parametrize("variant", ["multi", "fast"])
def test_draws_lie_in_boxes_and_differ_from_the_original(variant):
    data = Series(values=np.random.default_rng(2).normal(size=(50, 5)).cumsum(axis=1), sensitive={"y": np.arange(50.0)})
    release = sq.anonymize(data, TGA(k=4, variant=variant), seed=1)
    assert release.guarantee.status == "as-published" and release.guarantee.needs_original
    assert sq.verify(release, data).holds
    drawn = np.column_stack([release.tables["records"][t] for t in data.times])
    row = np.array(release.private["origin"]["row"]) - 1
    assert not np.allclose(drawn, data.values[row])
    assert release.tables["records"]["y"].to_pylist() == data.sensitive["y"][row].tolist()


def test_draws_of_letters_are_letters():
    data = Series(values=np.random.default_rng(3).integers(0, 6, (40, 4)), letters=tuple("abcdef"))
    drawn = sq.anonymize(data, TGA(k=4), seed=1).tables["records"]["t1"].to_numpy()
    assert np.array_equal(drawn, np.round(drawn)) and drawn.min() >= 0 and drawn.max() <= 5


def test_letters_that_nobody_shares_are_refused_in_a_sentence():
    data = Series(values=np.arange(12.0).reshape(4, 3), letters=tuple("abcdefghijkl"))
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(data, BFP2KA(k=2), seed=1)
    assert str(caught.value) == (
        "BFP2KA: no whole sequence occurs k=2 times, so every branch of the tree is cut. "
        "Lower k or level, or use kapra."
    )
    holes = Series(values=[[0, np.nan, 1], [0, 0, 1], [0, 0, 1]], letters=("a", "b"))
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(holes, BFP2KA(k=2, missing="fill"), seed=1)
    assert str(caught.value) == "BFP2KA: filled values fall between letters. Pass missing='drop'."


def test_frequent_sequences_survive():
    data = Series(values=np.repeat([[0, 1, 2], [0, 1, 1], [2, 2, 2]], [4, 1, 3], axis=0), letters=("a", "b", "c"))
    release = sq.anonymize(data, BFP2KA(k=3), seed=1)
    out = release.tables["sequences"]["sequence"].to_pylist()
    assert {s: out.count(s) for s in set(out)} == {"a b c": 4, "a b": 1, "c c c": 3}
    assert sq.verify(release, data).holds

"""Clusters of very many people: one coarse level more, everything else inside its parts."""

import numpy as np

import sequester as sq
from sequester.methods.activity.shared import clustering
from sequester.methods.activity.shared.clustering import Everybody, window_edges
from sequester.methods.activity.shared.kernels.multilevel import multilevel, window_counts
from sequester.primitives.neighbours import nearest_of
from sequester.samples.minutes import minutes


def test_above_a_number_of_people_clusters_stay_inside_parts(monkeypatch):
    from sequester.engines import Engine

    data = minutes(n_people=400, days=2, seed=6)
    method = sq.MCKA(k=5)
    whole = method.clusters(Everybody.of(data, Engine(threads=1)))
    monkeypatch.setattr(clustering, "TOGETHER", 399)
    monkeypatch.setattr(clustering, "PART", 100)
    cut = method.clusters(Everybody.of(data, Engine(threads=1)))
    assert all(
        np.array_equal(a, b)
        for a, b in zip(*((c.order, c.bounds) for c in (cut, method.clusters(Everybody.of(data, Engine(threads=2))))))
    )
    assert ((cut.sizes >= 5) & (cut.sizes < 10)).all() and np.array_equal(np.sort(cut.order), np.arange(400))
    counts = window_counts(data.states, len(data.state_names), window_edges(data, "period"), threads=1)
    part = multilevel([counts.astype(float)], [100])
    assert part.max() >= 2 and np.bincount(part).min() >= 100
    for first, last in zip(cut.bounds[:-1], cut.bounds[1:], strict=True):
        assert len(set(part[cut.order[first:last]])) == 1
    assert not np.array_equal(whole.order, cut.order)
    printed = sq.MCKA(k=5, literal=True).clusters(Everybody.of(data, Engine(threads=1)))
    monkeypatch.undo()
    same = sq.MCKA(k=5, literal=True).clusters(Everybody.of(data, Engine(threads=1)))
    assert np.array_equal(printed.order, same.order), "as printed stays as printed"


def test_a_bounded_search_finds_near_points_and_an_unbounded_one_the_nearest():
    rng = np.random.default_rng(8)
    points, queries = rng.random((400, 6)), rng.random((50, 6))
    own = rng.integers(0, 400, 50)
    apart = ((queries[:, None] - points[None]) ** 2).sum(axis=2)
    apart[np.arange(50), own] = np.inf
    exact = nearest_of(queries, points, own, 5, threads=1)
    assert np.array_equal(exact, np.argsort(apart, axis=1)[:, :5])
    bounded = nearest_of(queries, points, own, 5, threads=1, most_leaves=4)
    assert all(len(set(row)) == 5 for row in bounded.tolist()) and not (bounded == own[:, None]).any()
    mean = [
        np.take_along_axis(apart, found, axis=1).mean() for found in (exact, bounded, rng.integers(0, 400, (50, 5)))
    ]
    assert mean[0] <= mean[1] < (mean[0] + mean[2]) / 2

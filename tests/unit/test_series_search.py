"""The search on both losses, and l-diversity by grouping: costs fall, sizes stay, no value is ever false."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.methods.series.kapra import Kapra
from sequester.methods.series.shared import diversity, prototypes
from sequester.methods.series.shared import panel as panels
from sequester.methods.series.shared.kernels import greedy_partition, joint
from sequester.methods.series.shared.prototypes import multiples, recorded_step, snapped_down, snapped_up, step_for
from sequester.model import Series
from sequester.primitives.sax import z_normalize
from tests.naive import joint as slow

FEW = settings(max_examples=25, deadline=None)


def start(n, width, seed, k, p):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, (n, width)).astype(float) / 6
    group = np.arange(n) // k
    group[group == group.max()] = max(0, (n // k) - 1) if n % k else group.max()
    subgroup = np.empty(n, dtype=np.int64)
    for g in range(group.max() + 1):
        rows = np.flatnonzero(group == g)
        part = np.minimum(np.arange(len(rows)) // p, len(rows) // p - 1)
        subgroup[rows] = part + 1000 * g
    return values, z_normalize(values), group, np.unique(subgroup, return_inverse=True)[1]


@FEW
@given(
    st.integers(8, 60), st.integers(1, 6), st.integers(0, 10**6), st.integers(2, 4), st.sampled_from([0.0, 0.3, 1.0])
)
def test_the_search_lowers_the_cost_and_keeps_every_size(n, width, seed, p, weight):
    k = 2 * p
    values, shapes, group, subgroup = start(n, width, seed, k, p)
    before = joint.total_cost(values, shapes, group, subgroup, weight)
    assert before == pytest.approx(slow.cost(values.tolist(), shapes.tolist(), group, subgroup, weight))
    new_group, new_subgroup = joint.improve(values, shapes, group, subgroup, k, p, weight=weight)
    after = slow.cost(values.tolist(), shapes.tolist(), new_group, new_subgroup, weight)
    assert after <= before + 1e-9
    assert np.bincount(new_group).min() >= k and np.bincount(new_subgroup).min() >= p
    assert all(len(set(new_group[new_subgroup == s])) == 1 for s in set(new_subgroup))


def test_the_search_finds_no_single_step_that_helps_afterwards():
    values, shapes, group, subgroup = start(24, 4, 3, 4, 2)
    group, subgroup = joint.improve(values, shapes, group, subgroup, 4, 2, weight=0.7, sweeps=99)
    best = slow.cost(values.tolist(), shapes.tolist(), group, subgroup, 0.7)
    for i in range(24):
        for j in range(i):
            if subgroup[i] != subgroup[j]:
                g, s = group.copy(), subgroup.copy()
                g[i], g[j], s[i], s[j] = g[j], g[i], s[j], s[i]
                assert slow.cost(values.tolist(), shapes.tolist(), g, s, 0.7) >= best - 1e-6


def test_records_are_visited_in_the_order_of_space():
    values, shapes, group, subgroup = start(120, 3, 5, 6, 3)
    rows = np.random.default_rng(1).permutation(120)
    values, shapes, group, subgroup = values[rows], shapes[rows], group[rows], subgroup[rows]
    at = greedy_partition.by_place(values)
    assert sorted(at) == list(range(120)) and np.array_equal(greedy_partition.by_place(values * 0), np.arange(120))
    steps = np.abs(np.diff(values[greedy_partition.by_place(values)[:64]], axis=0)).sum()
    assert steps < np.abs(np.diff(values[:64], axis=0)).sum()
    some = greedy_partition.blocks(values, 30)
    assert max(map(len, some)) <= 30 and sorted(np.concatenate(some)) == list(range(120))
    rule = greedy_partition.Diversity((rows[None, :] % 4).astype(float), (rows[None, :] % 5) == 0, np.zeros(1), 2)
    got = joint.improve(values, shapes, group, subgroup, 6, 3, weight=0.5, rule=rule)
    placed = greedy_partition.Diversity(rule.values[:, at].copy(), rule.free[:, at].copy(), rule.near, rule.l)
    first = [np.unique(labels[at], return_index=True, return_inverse=True)[1:] for labels in (group, subgroup)]
    want = [np.argsort(np.argsort(seen))[inverse] for seen, inverse in first]
    near = np.ascontiguousarray(greedy_partition.near_groups(values[at], want[0]))
    panel, goal = joint.Panel(values[at], shapes[at]), joint.Goal(3, 6, 0.5)
    joint.searched(joint.begun(panel, *want, goal, placed), panel, near, goal, placed, joint.SWEEPS)
    for mine, theirs in zip(got, want, strict=True):
        assert np.array_equal(mine[at], theirs)
    assert np.bincount(got[0]).min() >= 6 and np.bincount(got[1]).min() >= 3


def test_records_whose_patterns_are_as_large_as_their_ranges_have_one_start():
    values = np.random.default_rng(2).random((90, 4))
    shapes = z_normalize(values)
    found = prototypes.grouping(values, shapes, 5, 5, 1.0)
    only = prototypes.pattern_first(values, shapes, 5, 5, 1.0)
    assert np.array_equal(found.group, only.group) and found.cost == only.cost
    assert np.array_equal(found.group, found.subgroup) and np.bincount(found.group).min() >= 5


def test_the_search_takes_fewer_rounds_the_more_records_there_are_and_never_jumps():
    sizes = np.unique(np.geomspace(100, 10**6, 400).astype(int)).tolist()
    work = [[n * r for r in prototypes.rounds(n)] for n in sizes]
    for before, after, n in zip(work, work[1:], sizes[1:], strict=False):
        assert all(a >= 0.65 * b for a, b in zip(after[:3], before[:3], strict=True)), n
    assert prototypes.rounds(2000) == (12, 12, 12, 6) and prototypes.rounds(10**6) == (4, 2, 3, 0)


def test_many_groups_are_searched_in_buckets(monkeypatch):
    values = np.random.default_rng(0).random((900, 3))
    group = np.arange(900) // 3
    exact = greedy_partition.near_groups(values, group)
    monkeypatch.setattr(greedy_partition, "EXACT_BELOW", 10)
    found = greedy_partition.near_groups(values, group)
    assert found.shape == (900, greedy_partition.FEWER) and found.max() < 300
    shared = [len(set(a[:8]) & set(b)) for a, b in zip(exact, found, strict=True)]
    assert np.mean(shared) > 6


def panel(n, seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 5)).cumsum(axis=1)
    outcome = rng.choice(["home", "home", "home", "ward", "died", None], n).tolist()
    amount = np.where(rng.random(n) < 0.1, -0.0, rng.integers(0, 12, n).astype(float))
    return Series(values=values, sensitive={"outcome": outcome, "amount": amount})


@FEW
@given(st.integers(12, 60), st.integers(0, 10**6), st.sampled_from([1, 2, 4]), st.sampled_from(["", "1", "amount=2"]))
def test_diversity_holds_without_a_false_value_or_the_data_is_refused(n, seed, p, near):
    data = panel(n, seed)
    method = Kapra(k=6, p=p, l=2, harmless=("home",), near=(near,) if near else ())
    try:
        release = sq.anonymize(data, method, seed=2)
    except sq.InputError as error:
        assert "no grouping" in str(error)
        return
    verdict = sq.verify(release, data)
    assert verdict.holds, str(verdict)
    table = release.tables["records"]
    told = dict(zip(*release.tables["withheld"].to_pydict().values(), strict=True))
    row = dict(zip(*(release.private["origin"][c].to_pylist() for c in ("record", "row")), strict=True))
    for name, truth in data.sensitive.items():
        pairs = [
            (v, truth[row[r] - 1]) for r, v in zip(table["record"].to_pylist(), table[name].to_pylist(), strict=True)
        ]
        assert all(v is None or v == w for v, w in pairs)
        assert sum(v is None and w is not None for v, w in pairs) == told[name] <= 0.05 * n


@FEW
@given(st.integers(4, 40), st.integers(0, 10**6), st.integers(2, 3), st.sampled_from([0.0, 1.5]))
def test_the_rule_and_bundles_equal_their_definition(n, seed, share, near):
    data = panel(n, seed)
    rule = diversity.rule_of(data.sensitive, share, ("home",), {"amount": near})
    cells = np.random.default_rng(seed).integers(0, 4, n)
    cells = np.unique(cells, return_inverse=True)[1]
    bad = diversity.failing(cells, rule)

    def fails(rows, c):
        known = [None if np.isnan(v) else v for v in rule.values[c, rows]]
        return not slow.keeps(known, rule.free[c, rows], rule.near[c], share)

    for s in range(cells.max() + 1):
        rows = np.flatnonzero(cells == s)
        for c in range(2):
            assert bad[c, rows].all() == bad[c, rows].any() == fails(rows, c)
    tied = diversity.bundles(np.asarray(data.values), rule)
    if tied is not None:
        assert not any(fails(np.flatnonzero(tied == b), c) for b in range(tied.max() + 1) for c in range(2))


def test_zero_is_one_value_and_an_empty_cell_is_none():
    rule = diversity.rule_of({"x": np.array([0.0, -0.0, np.nan, 1.0])}, 2, (), {})
    assert diversity.failing(np.array([0, 0, 1, 1]), rule).tolist() == [[True, True, True, True]]
    assert diversity.failing(np.zeros(4, int), rule).any()


def test_what_is_withheld_is_whole_cells_with_cover():
    data = {"x": np.array(["bad"] * 4 + ["a", "b", "c", "d"] * 6, dtype=object)}
    rule = diversity.rule_of(data, 2, (), {})
    cells = np.repeat(np.arange(7), 4)
    hidden = diversity.withheld_cells(cells, rule, np.random.default_rng(0))[0]
    assert hidden[:4].all() and hidden.sum() >= 8, "four equal values alone would be told by being withheld"
    assert all(hidden[cells == c].all() or not hidden[cells == c].any() for c in range(7))


def test_too_much_withheld_is_refused_in_a_sentence():
    values = np.repeat([[0.0, 1.0], [50.0, 51.0]], 8, axis=0)
    data = Series(values=values, sensitive={"x": ["bad"] * 8 + ["a", "b"] * 4})
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(data, Kapra(k=8, p=8, l=2, pattern="literal"), seed=1)
    assert str(caught.value) == (
        "Kapra: no grouping that was found keeps l=2; 100.0% of the values of the sensitive column 'x' would have to "
        "be withheld, at most 5.0% may. Lower l, raise k and p, name harmless values, or raise withhold_up_to."
    )
    release = sq.anonymize(data, Kapra(k=8, p=8, l=2), seed=1)
    assert sq.verify(release, data).holds, "prototypes mix the two"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"harmless": ("hme",)},
            "Kapra: harmless names 'hme', which no sensitive column of text holds. Check its spelling.",
        ),
        ({"near": ("outcome=2",)}, "Kapra: near names 'outcome', which is not a sensitive column of numbers."),
    ],
)
def test_diversity_options_that_do_nothing_are_refused(options, message):
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(panel(40, 1), Kapra(k=6, p=3, l=2, **options), seed=1)
    assert str(caught.value) == message


@FEW
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), st.sampled_from([0.1, 0.25, 1.0, 2.0, 500.0, 1e-7]))
def test_ends_are_multiples_that_only_widen(numbers, step):
    x = np.array(numbers)
    lo, hi = multiples(x, x, step)
    assert (lo <= x + 1e-9 * step * np.maximum(1, abs(x / step))).all() and (lo > x - step * (1 + 1e-6)).all()
    assert (hi >= x - 1e-9 * step * np.maximum(1, abs(x / step))).all() and (hi < x + step * (1 + 1e-6)).all()
    for side in (lo, hi):
        assert (abs(side / step - np.round(side / step)) <= 1e-9 * np.maximum(1, abs(side / step))).all()


def test_steps_are_round_numbers():
    assert [snapped_down(x) for x in (0.37, 1, 4.99, 5, 19, 1e-7)] == [0.2, 1, 2, 5, 10, 1e-7]
    assert [snapped_up(x) for x in (0.0, 0.2, 0.21, 1.1, 6)] == [0.0, 0.2, 0.5, 2, 10]
    assert recorded_step(np.array([1.0, 20.0])) == 1 and recorded_step(np.array([0.25])) == 0.01
    assert recorded_step(np.array([1 / 3])) == 0
    lo, hi = np.zeros((2, 3)), np.full((2, 3), 3.0)
    assert step_for(lo, hi, np.array([[1.0, 2, 3]])) == 2, "whole numbers rounded to whole numbers would not be rounded"
    assert step_for(lo, hi, np.array([[1.01, 2, 3]])) == 1
    assert step_for(lo, lo, np.zeros((2, 3))) > 0


def test_bounds_stay_sure_and_no_end_is_a_value():
    rng = np.random.default_rng(2)
    data = Series(values=rng.normal(size=(120, 6)).cumsum(axis=1))
    release = sq.anonymize(data, Kapra(k=6, p=3), seed=1)
    told = sq.measure(data, release, n_queries=200, n_targets=0)
    assert told["range counts: bounds hold"] == 1.0
    ends = {v for c in release.tables["records"].column_names if c[-3:] in ("_lo", "_hi")
            for v in release.tables["records"][c].to_pylist()}  # fmt: skip
    assert not ends & set(np.asarray(data.values).ravel().tolist())
    assert [fact.how for fact in release.reading if fact.name == "ends_step"] == ["found"]


def test_both_ways_in_keep_their_sizes_and_the_cheaper_is_kept():
    values = np.random.default_rng(1).normal(size=(200, 8)).cumsum(axis=1)
    unit, z = (values - values.min()) / np.ptp(values), z_normalize(values)
    ways = [prototypes.value_first(unit, z, 8, 3, 1.0), prototypes.pattern_first(unit, z, 8, 3, 1.0)]
    for way in ways:
        assert np.bincount(way.group).min() >= 8 and np.bincount(way.subgroup).min() >= 3
    assert prototypes.grouping(unit, z, 8, 3, 1.0).cost <= min(w.cost for w in ways) + 1e-12


@pytest.mark.parametrize(("weight", "p"), [(0.0, 3), (1.0, 8), (0.0, 8)])
def test_odd_weights_and_p_equal_to_k_keep_their_sizes(weight, p):
    data = panel(80, 6)
    release = sq.anonymize(data, Kapra(k=8, p=p, weight=weight), seed=1)
    assert sq.verify(release, data).holds
    cells = set(zip(*(release.tables["records"][c].to_pylist() for c in ("group", "pattern")), strict=True))
    groups = set(release.tables["records"]["group"].to_pylist())
    assert len(cells) > len(groups) if p == 3 else len(cells) == len(groups)


def test_at_p_equal_to_k_patterns_still_count():
    data = Series(values=np.random.default_rng(3).normal(size=(300, 8)).cumsum(axis=1))
    lost = [
        sq.measure(data, sq.anonymize(data, Kapra(k=6, p=p, ends_step=0), seed=1), n_queries=0, n_targets=0)
        for p in (6, 1)
    ]
    assert lost[0]["pattern loss"] < lost[1]["pattern loss"] and lost[0]["value loss"] > lost[1]["value loss"]


def slopes(values):
    return np.diff(values, axis=1)


def test_own_features_form_the_subgroups(monkeypatch):
    class Point:
        name = "slopes"

        def load(self):
            return slopes

    monkeypatch.setattr(panels, "entry_points", lambda group: [Point()] if group == "sequester.features" else [])
    data = panel(60, 4)
    release = sq.anonymize(data, Kapra(k=6, p=3, features="slopes"), seed=1)
    assert sq.verify(release, data).holds
    plain = sq.anonymize(data, Kapra(k=6, p=3), seed=1)
    assert not release.tables["records"].equals(plain.tables["records"])
    monkeypatch.setattr("tests.unit.test_series_search.slopes", None)
    Point.load = lambda self: lambda values: values[:3]
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(data, Kapra(k=6, p=3, features="slopes"), seed=1)
    assert str(caught.value) == (
        "Kapra: the features 'slopes' must give two or more finite numbers for each of 60 records, got an array of "
        "shape (3, 5)."
    )

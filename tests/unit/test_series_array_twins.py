"""Kernels of series that whole methods call, on the arrays they take, against plain loops."""

from itertools import pairwise

import numpy as np
import pytest

from sequester.layouts import customised
from sequester.methods.series.bfp2ka.kernels import prefix_prune
from sequester.methods.series.shared import diversity
from sequester.methods.series.shared.kernels import greedy_partition, groups, joint, mdav_values, tree
from sequester.methods.series.shared.kernels.greedy_partition import near_groups
from sequester.methods.series.tga.kernels import trajectory_cost
from sequester.primitives import kdtree, neighbours, normal, sax
from tests.naive import kp_groups, kp_tree, letter_programme, local_search
from tests.naive import mdav_values as plain_mdav
from tests.naive import prefix_prune as plain_prefix
from tests.unit.test_series_twins import rule_for, start

SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_are_the_ends_of_what_is_inside(seed):
    rng = np.random.default_rng(seed)
    values, group = rng.random((30, 3)), rng.integers(-1, 7, 30)
    values.flags.writeable = False
    lo, hi, size = groups._boxes(values, group, 7)
    assert (lo.tolist(), hi.tolist(), size.tolist()) == kp_groups.boxes(values.tolist(), group.tolist(), 7)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("n", [1, 12, 90])
def test_groups_are_formed_in_the_given_order(seed, n):
    rng = np.random.default_rng(seed)
    lo = rng.integers(0, 9, (n, 2)).astype(float)  # whole numbers: sums are exact, and there are ties
    hi, size = lo + rng.integers(0, 3, (n, 2)), rng.integers(1, 7, n)
    order, k = rng.permutation(n), 5
    want, n_groups = kp_groups.form_in_order(lo.tolist(), hi.tolist(), size.tolist(), k, order.tolist())
    for form in (groups._form, groups._form_by_tree):
        group, alive, found = form(lo, hi, size, k, order)
        assert (group.tolist(), found) == (want, n_groups) and (alive == (group < 0)).all()
    placed = groups._place_leftovers(lo, hi, size, group, alive, n_groups)
    assert placed.tolist() == kp_groups.place_leftovers(lo.tolist(), hi.tolist(), size.tolist(), want, n_groups)
    firsts = {want.index(g) for g in range(n_groups)}
    loose = [g if s in firsts else -1 for s, g in enumerate(want)]  # many to place, so that groups grow on the way
    placed = groups._place_leftovers(lo, hi, size, np.array(loose), alive, n_groups)
    assert placed.tolist() == kp_groups.place_leftovers(lo.tolist(), hi.tolist(), size.tolist(), loose, n_groups)


@pytest.mark.parametrize("seed", range(30))
def test_no_subgroup_below_a_node_costs_less_than_its_bound(seed):
    """The bound must never be above a true cost, or the search passes over the nearest; nor far below the best one."""
    rng = np.random.default_rng(seed)
    lo = rng.integers(0, 40, (6, 3)) / 8
    hi, size = lo + rng.integers(0, 9, (6, 3)) / 8, rng.integers(1, 7, 6)
    mine, below = 0, range(1, 6)
    ends = lo[1:].max(axis=0), hi[1:].min(axis=0), int(size[1:].min())
    true = [kp_groups.squared_widths(lo.tolist(), hi.tolist(), [mine, s]) * (size[0] + size[s]) ** 2 for s in below]
    found = groups._bound(lo[0], hi[0], int(size[0]), *ends, np.inf)
    widths = np.maximum(0, np.maximum(hi[0], ends[1]) - np.minimum(lo[0], ends[0]))
    assert found <= min(true)
    assert found == pytest.approx(float((widths**2).sum()) * (size[0] + ends[2]) ** 2 * (1 - 1e-10), rel=1e-13)
    early = groups._bound(lo[0], hi[0], int(size[0]), *ends, found / 2)
    assert found / 2 < early <= found or found == early == 0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("m", [2, 5])
def test_a_greedy_partition_is_that_of_plain_loops(seed, m):
    rng = np.random.default_rng(seed)
    values, ids = rng.random((50, 3)), np.sort(rng.permutation(50)[: rng.integers(1, 50)])
    found = greedy_partition._partition(values, ids, m)
    want = kp_groups.greedy_partition(values.tolist(), ids.tolist(), m)
    assert [ids[found == g].tolist() for g in range(max(found) + 1)] == want


@pytest.mark.parametrize("seed", SEEDS)
def test_classes_are_microaggregated_one_by_one(seed):
    rng = np.random.default_rng(seed)
    features, order, starts = rng.random((40, 3)), rng.permutation(40), np.array([0, 4, 15, 33, 40])
    label, counts = np.full(40, -1), np.zeros(4, np.int64)
    mdav_values._mdav_classes(features, order, starts, 3, 1, 4, label, counts)
    assert (label[:4] == -1).all() and counts[0] == 0, "the first class was not asked for"
    for c, (a, b) in list(enumerate(pairwise(starts.tolist())))[1:]:
        found = [np.flatnonzero(label[a:b] == g).tolist() for g in range(counts[c])]
        assert found == plain_mdav.mdav(features[order[a:b]].tolist(), 3)


def test_letters_of_all_levels_are_found_among_the_break_points():
    edges = np.concatenate([normal.breakpoints(v) for v in range(2, 9)])
    near = [edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf)]
    z = np.concatenate([*near, np.random.default_rng(1).normal(0, 1.5, 200), [0.0, 9.0, -9.0]])
    table = np.full((8, 7), np.inf)
    for level in range(2, 9):
        table[level - 1, : level - 1] = normal.breakpoints(level)
    out = np.empty((8, len(z)), np.uint8)
    sax._all_words(z, table, out)
    assert out.tolist() == [[sum(x >= cut for cut in table[v, :v]) for x in z] for v in range(8)]


@pytest.mark.parametrize("seed", SEEDS)
def test_words_are_packed_as_digits(seed):
    rng = np.random.default_rng(seed)
    letters = rng.integers(0, 5, (20, 9)).astype(np.uint8)
    assert sax._pack(letters, 5).tolist() == [int("".join(map(str, row)), 5) for row in letters.tolist()]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("leaf", [1, 4, 99])
def test_the_nearest_points_are_those_of_a_full_search(seed, leaf):
    rng = np.random.default_rng(seed)
    points, queries, own = rng.random((60, 3)), rng.random((20, 3)), rng.integers(-1, 60, 20)
    items = np.arange(60)
    built = kdtree.build(points, points, np.ones(60, np.int64), items, leaf)
    out = np.full((20, 5), -1)
    neighbours._search(queries, own, points[items], items, built, 2**62, out)
    for query, mine, found in zip(queries, own, out.tolist()):
        by_distance = sorted((sum((p - query) ** 2), i) for i, p in enumerate(points) if i != mine)
        assert found == [i for _, i in by_distance[:5]]


@pytest.mark.parametrize("seed", range(12))
def test_cut_sequences_go_to_the_path_they_share_most_with(seed):
    rng = np.random.default_rng(seed)
    some = {tuple(rng.integers(0, 4, rng.integers(1, 6)).tolist()) for _ in range(8)}
    paths = sorted({s[:end] for s in some for end in range(1, len(s) + 1)}, key=lambda p: (len(p), p))
    parent = np.array([paths.index(p[:-1]) if len(p) > 1 else -1 for p in paths])
    asked = [rng.integers(0, 6, rng.integers(0, 7)).tolist() for _ in range(30)]

    def rows(sequences):
        return np.array([[*s, *[-1] * (7 - len(s))] for s in sequences]), np.array([len(s) for s in sequences])

    found = prefix_prune._closest_paths(*rows(asked), *rows(paths), parent)
    for sequence, at in zip(asked, found.tolist()):
        common = [plain_prefix.lcs(sequence, path) for path in paths]
        best = [i for i, n in enumerate(common) if n == max(common)]
        size = min(len(paths[i]) for i in best)
        assert at == (next(i for i in best if len(paths[i]) == size) if max(common) else -1)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("printed", [True, False])
def test_records_are_split_by_their_words(seed, printed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 60)), int(rng.integers(2, 5))
    keys = np.array([rng.integers(0, 1 + level, n) for level in (0, 0, 1, 1, 2, 4)])
    keys[3] = keys[2]  # a level that does not split
    order = rng.permutation(n)
    want = kp_tree.split(keys.tolist(), sorted(order.tolist()), 1, p, printed)
    starts, levels, good = tree._split(keys, order, p, printed)
    ends = [*starts.tolist()[1:], n]
    found = [(sorted(order[a:b].tolist()), v, bool(g)) for a, b, v, g in zip(starts, ends, levels.tolist(), good)]
    assert sorted(found) == sorted((sorted(m), v, g) for m, v, g in want)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("n", [3, 23])
def test_trajectories_are_grouped_by_their_log_cost(seed, fast, n):
    rng = np.random.default_rng(seed)
    cells, order = rng.integers(0, 30, (n, 4)), rng.permutation(n)
    found = trajectory_cost._group(cells, 5, order, fast)
    assert found.tolist() == kp_groups.group_by_log_cost(cells.tolist(), 5, order.tolist(), fast)


@pytest.mark.parametrize("seed", SEEDS)
def test_windows_of_sorted_values_are_as_full_as_a_plain_count_finds(seed):
    rng = np.random.default_rng(seed)
    subgroup, values = np.sort(rng.integers(0, 6, 50)), rng.integers(0, 9, 50) / 2
    order = np.lexsort((values, subgroup))
    most = np.zeros(7, np.int64)
    diversity._windows(values[order], subgroup[order], 1.5, most)
    assert most.tolist() == [local_search.fullest(values[subgroup == s].tolist(), 1.5) for s in range(7)]


@pytest.mark.parametrize("seed", [0, 1, 12])  # in one of the last, a round that changes one thing and more after it
@pytest.mark.parametrize("diverse", [True, False])
@pytest.mark.parametrize("k", [6, 3])  # groups as small as they may be, or with members to give away
def test_groups_are_improved_step_by_step(seed, diverse, k):
    rng = np.random.default_rng(seed)
    values, shapes, group, subgroup = start(rng, 26, 6, 2 if k == 6 else 3)
    rule = rule_for(rng, 26, 2) if diverse else joint.no_diversity(26)
    near = np.ascontiguousarray(near_groups(values, group))
    want = local_search.improve(values, shapes, group, subgroup, near, k, 2, 0.4, rule, 6)
    panel, goal = joint.Panel(values, shapes), joint.Goal(2, k, 0.4)
    search = joint.begun(panel, group, subgroup, goal, rule)
    marks = joint.Marks(*(np.full(len(a), x) for a, x in ((search.in_group, 0), (group, -1), (search.in_group, -1),
                                                          (search.length, -1))))  # fmt: skip
    joint._improve(panel, search, goal, rule, near, marks, 6)
    assert (group.tolist(), subgroup.tolist()) == (want[0].tolist(), want[1].tolist())


@pytest.mark.parametrize("seed", range(12))
def test_the_programme_of_letters_is_solved_at_its_corners(seed):
    rng = np.random.default_rng(seed)
    level, m = int(rng.integers(2, 6)), int(rng.integers(1, 6))
    cuts = np.concatenate([[-np.inf], normal.breakpoints(level), [np.inf]])
    below, above = np.clip(cuts[:-1], -3, 3), np.clip(cuts[1:], -3, 3)
    z = rng.normal(size=(12, m))
    letters = np.searchsorted(cuts[1:-1], z, side="right")
    letters[::4] = rng.integers(0, level, letters[::4].shape)  # letters that need not be the record's own
    value = rng.normal(50, 20, (12, 1)) + rng.uniform(1, 9, (12, 1)) * z
    lo, hi = value - rng.uniform(0.1, 2, z.shape), value + rng.uniform(0.1, 2, z.shape)
    low, high = customised._programme(lo, hi, letters, cuts, below, above)
    for i in range(12):
        want = letter_programme.bounds(lo[i].tolist(), hi[i].tolist(), letters[i].tolist(), cuts, below, above)
        np.testing.assert_allclose([low[i], high[i]], want, atol=1e-6)


def searching(seed, diverse, k=3, weight=0.4):
    """A search of 26 records, and its cost by the twin."""
    rng = np.random.default_rng(seed)
    values, shapes, group, subgroup = start(rng, 26, 6, 2 if k == 6 else 3)
    rule = rule_for(rng, 26, 2) if diverse else joint.no_diversity(26)
    panel, goal = joint.Panel(values, shapes), joint.Goal(2, k, weight)

    def cost(groups, subgroups):
        parts = [[np.flatnonzero(labels == x) for x in np.unique(labels)] for labels in (groups, subgroups)]
        return local_search.cost(values, shapes, *parts, weight, rule)

    return panel, goal, rule, joint.begun(panel, group, subgroup, goal, rule), cost


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("diverse", [True, False])
@pytest.mark.parametrize("weight", [0.0, 0.4])
def test_a_swap_and_a_move_change_the_cost_as_reckoned(seed, diverse, weight):
    panel, goal, rule, search, cost = searching(seed, diverse, weight=weight)
    before, seen = cost(search.group, search.subgroup), [0, 0]
    for i, j in np.random.default_rng(seed).integers(0, 26, (60, 2)).tolist():
        g, s, h, t = search.group[i], search.subgroup[i], search.group[j], search.subgroup[j]
        if s == t:
            continue
        for kind, (there, part) in enumerate(((g, s), (h, t))):  # j in the place of i, or j where it is
            groups, subgroups = search.group.copy(), search.subgroup.copy()
            groups[i], subgroups[i], groups[j], subgroups[j] = h, t, there, part
            if kind and ((search.group == g).sum() < 2 or (search.subgroup == s).sum() < 2):
                continue
            if kind == 0:
                found = joint._swap(panel, search, goal, rule, i, j, joint.HEAVY)
                if abs(found) < 1e5:  # what is only just better than the best so far is not passed over
                    assert joint._swap(panel, search, goal, rule, i, j, found + 1e-9) == found
            else:
                widths = [[local_search.width(panel.values, np.flatnonzero(x == q)) * (x == q).sum() for q in {g, h}]
                          for x in (groups, search.group)]  # fmt: skip
                grown = sum(widths[0]) - sum(widths[1])
                found = joint._move(panel, search, goal, rule, i, j, grown, joint.HEAVY)
            if found < np.inf:
                assert found == pytest.approx(cost(groups, subgroups) - before, abs=1e-6)
                seen[kind] += 1
    assert min(seen) > 5


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("diverse", [True, False])
def test_after_a_change_the_search_stands_as_if_begun_anew(seed, diverse):
    panel, goal, rule, search, _ = searching(seed, diverse)
    rng = np.random.default_rng(seed)
    for _ in range(25):
        i, j = rng.integers(0, 26, 2).tolist()
        h, t = int(search.group[j]), int(search.subgroup[j])
        alone = (search.subgroup == search.subgroup[i]).sum() == 1 or search.in_group[h] == search.members.shape[1]
        if t != search.subgroup[i]:
            joint._carry_out(panel, search, goal, rule, i, h, j if alone or rng.random() < 0.5 else -1, t)
    anew = joint.begun(panel, search.group.copy(), search.subgroup.copy(), goal, rule)
    for name in ("in_group", "in_subgroup", "excess"):
        assert getattr(search, name).tolist() == getattr(anew, name).tolist()
    for name in ("sums", "ends", "width", "alone", "rest", "own", "length"):
        np.testing.assert_allclose(getattr(search, name), getattr(anew, name), atol=1e-9)
    for g, n in enumerate(search.in_group):
        assert sorted(search.members[g, :n]) == np.flatnonzero(search.group == g).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_a_search_begins_with_the_true_figures(seed):
    panel, goal, rule, made, _ = searching(seed, True)
    search = made._replace(**{name: np.zeros_like(getattr(made, name)) for name in joint.Search._fields[3:]})
    joint._begin(panel, search, goal, rule)
    values, shapes = panel
    for g, n in enumerate(search.in_group):
        mine = np.flatnonzero(search.group == g)
        assert search.members[g, :n].tolist() == mine.tolist()
        assert search.width[g] == pytest.approx(local_search.width(values, mine))
        column = np.sort(values[mine], axis=0)
        np.testing.assert_array_equal(search.ends[:, g], [column[0], column[1], column[-1], column[-2]])
        for i in mine:
            without = local_search.width(values, mine[mine != i])
            assert search.alone[i] == pytest.approx(n * (search.width[g] - without))
    for s, n in enumerate(search.in_subgroup):
        mine = np.flatnonzero(search.subgroup == s)
        assert n == len(mine) and search.excess[s] == local_search.excess(rule, mine)
        np.testing.assert_allclose(search.sums[s], shapes[mine].sum(axis=0), atol=1e-12)
        assert search.length[s] == pytest.approx(np.linalg.norm(shapes[mine].sum(axis=0)))
        for i in mine:
            assert search.rest[i] == pytest.approx(np.linalg.norm(shapes[mine].sum(axis=0) - shapes[i]), abs=1e-9)
            assert search.own[i] == pytest.approx(np.linalg.norm(shapes[i]))

"""The worked example of the (k,P)-anonymity paper (its Tables 1-3), and Walk as an equality test."""

import numpy as np
import pytest

import sequester as sq
from sequester.layouts.series_view import range_certainty, range_weights
from sequester.methods.series.bfp2ka.kernels.prefix_prune import prune_and_reinsert
from sequester.methods.series.kapra import Kapra
from sequester.methods.series.kp_naive import KPNaive
from sequester.methods.series.shared.kernels import groups as kp_groups
from sequester.methods.series.shared.kernels.greedy_partition import greedy_partition
from sequester.methods.series.shared.subgroups import literal
from sequester.model import Series
from sequester.primitives import sax

YEARS = ("2005", "2006", "2007", "2008", "2009", "2010")
TABLE_1 = np.array(
    [
        [170, 175, 188, 197, 213, 221],
        [145, 157, 165, 177, 204, 196],
        [176, 181, 147, 134, 125, 112],
        [98, 120, 125, 132, 151, 161],
        [117, 107, 87, 74, 51, 56],
        [32, 54, 59, 67, 96, 101],
        [88, 93, 56, 43, 20, 25],
        [71, 63, 47, 38, 43, 20],
    ],
    dtype=float,
)
INCOME_2011 = [200, 180, 160, 110, 85, 90, 55, 46]
INCOME = Series(values=TABLE_1, times=YEARS, sensitive={"2011": INCOME_2011})
TABLE_2 = [[0, 1, 2, 3], [4, 5, 6, 7]]
TABLE_3 = [[3, 5, 6, 7], [0, 1, 2, 4]]
TABLE_3_SUBGROUPS = [[0, 1], [2, 4], [3, 5], [6, 7]]


def words(level, ddof=0):
    return sax.spell(sax.sax(sax.z_normalize(TABLE_1, ddof), level)).tolist()


def loss(members):
    lo, hi, size = kp_groups.boxes(TABLE_1[members], np.zeros(len(members), dtype=int), 1)
    return float((size * kp_groups.widths(lo, hi)).sum())


def found(ddof, max_level=20, p=2):
    """Subgroups of literal KAPRA: (members from 1, level, word)."""
    subgroups = literal(TABLE_1, sax.z_normalize(TABLE_1, ddof), p, max_level)
    out = []
    for s in range(subgroups.of.max() + 1):
        members = (np.flatnonzero(subgroups.of == s) + 1).tolist()
        out.append((members, int(subgroups.level[s]), sax.spell(subgroups.letters[s][None])[0]))
    return sorted(out), (np.flatnonzero(subgroups.of < 0) + 1).tolist()


def test_words_at_level_2_make_figure_3_irreproducible():
    rising, falling = "aaabbb", "bbbaaa"
    assert words(2) == words(2, 1) == [rising, rising, falling, rising, falling, "aaaabb", falling, falling]


def test_words_at_level_3_make_table_3_irreproducible():
    assert [words(3)[i] for i in (0, 1, 2, 4)] == ["aabbcc", "aaabcc", "ccbaaa", "ccbbaa"]
    assert [words(3, 1)[i] for i in (0, 1, 2, 4)] == ["aabbcc", "aabbcc", "ccbbaa", "ccbbaa"]
    for ddof in (0, 1):
        assert words(3, ddof)[3] == words(3, ddof)[5] == "aabbcc", "the paper prints abbbcc"


def test_records_4_and_6_show_that_levels_are_not_nested():
    keys = sax.word_keys(sax.z_normalize(TABLE_1), 20)
    agree = [v for v in range(1, 21) if keys[v][3] == keys[v][5]]
    assert agree[:4] == [1, 3, 5, 9] and 2 not in agree


def test_kapra_as_written_with_the_population_deviation():
    subgroups, suppressed = found(0)
    assert [(m, v) for m, v, _ in subgroups] == [([1, 2, 4], 2), ([3, 8], 2), ([5, 7], 6)]
    assert suppressed == [6]
    assert found(0, max_level=4)[0][2][:2] == ([5, 7], 4), "the level is capped by max_level"


def test_kapra_as_written_with_the_sample_deviation():
    subgroups, suppressed = found(1)
    assert subgroups == [([1, 2, 4], 3, "aabbcc"), ([3, 5, 7], 4, "ddcbaa"), ([6, 8], 1, "aaaaaa")]
    assert suppressed == []


@pytest.mark.parametrize(("std", "size"), [("population", 7), ("sample", 8)])
def test_kapra_releases_one_group(std, size):
    release = sq.anonymize(INCOME, Kapra(k=4, p=2, pattern="literal", std=std), seed=1)
    assert release.tables["records"].num_rows == size
    assert len(set(release.tables["records"]["group"].to_pylist())) == 1
    assert sq.verify(release, INCOME).holds


def test_table_2_is_the_greedy_partition_and_the_best_balanced_one():
    from itertools import combinations

    part = greedy_partition(TABLE_1, 4)
    assert sorted(np.flatnonzero(part == g).tolist() for g in (0, 1)) == TABLE_2
    total = {c: loss(list(c)) + loss([r for r in range(8) if r not in c]) for c in combinations(range(8), 4)}
    assert min(total, key=total.get) in ((0, 1, 2, 3), (4, 5, 6, 7))
    assert total[0, 1, 2, 3] == pytest.approx(576.324, abs=5e-4)


def test_group_formation_gives_table_3_from_its_subgroups():
    of = np.empty(8, dtype=int)
    for s, members in enumerate(TABLE_3_SUBGROUPS):
        of[members] = s
    lo, hi, size = kp_groups.boxes(TABLE_1, of, 4)
    group = kp_groups.form_groups(lo, hi, size, 4, order=kp_groups.by_value_loss(lo, hi, size))
    assert sorted(np.flatnonzero(group[of] == g).tolist() for g in (0, 1)) == sorted(TABLE_3)
    np.testing.assert_allclose([loss(m) for m in TABLE_3_SUBGROUPS], [41.505, 128.502, 126.275, 35.109], atol=5e-4)
    assert loss(TABLE_3[0]) == pytest.approx(402.240, abs=5e-4)
    assert loss(TABLE_3[1]) == pytest.approx(483.752, abs=5e-4)
    assert loss(TABLE_3[0]) + loss(TABLE_3[1]) == pytest.approx(885.992, abs=5e-4)


@pytest.mark.parametrize(
    ("members", "ranges"),
    [
        (TABLE_2[0], [(98, 176), (120, 181), (125, 188), (132, 197), (125, 213), (112, 221)]),
        (TABLE_2[1], [(32, 117), (54, 107), (47, 87), (38, 74), (20, 96), (20, 101)]),
        (TABLE_3[1], [(117, 176), (107, 181), (87, 188), (74, 197), (51, 213), (56, 221)]),
        (TABLE_3[0], [(32, 98), (54, 120), (47, 125), (38, 132), (20, 151), (20, 161)]),
    ],
)
def test_envelopes_of_tables_2_and_3(members, ranges):
    lo, hi, _ = kp_groups.boxes(TABLE_1[members], np.zeros(4, dtype=int), 1)
    assert list(zip(lo[0], hi[0], strict=True)) == ranges


def test_naive_publishes_false_patterns():
    release = sq.anonymize(INCOME, KPNaive(k=4, p=2), seed=1)
    origin = release.private["origin"].to_pylist()
    records = {r["record"]: r for r in release.tables["records"].to_pylist()}
    shown = {o["row"]: records[o["record"]] for o in origin}
    assert shown[3]["pattern"] == "aaabbb" and shown[6]["pattern"] == "bbbaaa"
    assert {o["row"] for o in origin if o["borrowed"]} == {3, 6}
    for row, expected in ((3, 1.873), (6, 1.827)):
        shape = sax.reconstruct(sax.unspell([shown[row]["pattern"]]), shown[row]["level"])
        assert sax.pattern_loss(TABLE_1[[row - 1]], shape)[0] == pytest.approx(expected, abs=5e-4)


def test_pattern_losses_at_level_3():
    z = sax.z_normalize(TABLE_1)
    losses = sax.pattern_loss(z, sax.reconstruct(sax.sax(z, 3), 3))
    expected = [0.022391, 0.046238, 0.035673, 0.068683, 0.021734, 0.054671, 0.018385, 0.066764]
    np.testing.assert_allclose(losses, expected, atol=5e-7)


def test_a_sensitive_value_of_the_same_series_identifies_everyone_in_table_3():
    right = 0
    for members in TABLE_3_SUBGROUPS:
        by_2010 = sorted(members, key=lambda r: TABLE_1[r, 5])
        by_2011 = sorted(members, key=lambda r: INCOME_2011[r])
        right += sum(a == b for a, b in zip(by_2010, by_2011, strict=True))
    assert right == 8, "1/P holds only for a blind guess"


def test_range_count_on_table_3():
    lo, hi = np.empty((8, 6)), np.empty((8, 6))
    for members in TABLE_3:
        lo[members], hi[members] = TABLE_1[members].min(axis=0), TABLE_1[members].max(axis=0)
    wanted = [(5, 100.0, 200.0)]
    assert ((TABLE_1[:, 5] >= 100) & (TABLE_1[:, 5] <= 200)).sum() == 4
    assert range_weights(lo, hi, wanted).sum() == pytest.approx(4.1547, abs=5e-5)
    inside, meets = range_certainty(lo, hi, wanted)
    assert (inside.sum(), meets.sum()) == (0, 8)
    middle = (lo[:, 5] + hi[:, 5]) / 2
    assert ((middle >= 100) & (middle <= 200)).sum() == 4


def walk():
    steps = np.cumsum(np.random.default_rng(0).standard_normal(65536))
    windows = np.lib.stride_tricks.sliding_window_view(steps, 11)[::10]
    return Series(values=((windows - windows.min()) / (windows.max() - windows.min()))[:, :10])


def losses(method):
    data = walk()
    told = sq.measure(data, sq.anonymize(data, method, seed=1), n_queries=0, n_targets=0)
    return told["value loss"], told["pattern loss"]


def test_walk_literal_and_naive():
    value, pattern = losses(Kapra(k=10, p=3, pattern="literal", ends_step=0))
    assert pattern == pytest.approx(1229.8, abs=0.05) and value <= 1282.3
    value, pattern = losses(Kapra(k=10, p=10, pattern="literal", ends_step=0))
    assert pattern == pytest.approx(2329.3, abs=0.05) and value <= 1435.15
    value, pattern = losses(KPNaive(k=10, p=3, ends_step=0))
    assert value == pytest.approx(77.6, abs=0.05) and pattern == pytest.approx(5647.5, abs=0.05)


@pytest.mark.parametrize(
    ("given", "k", "expected"),
    [
        ({"abc": 2, "abd": 1, "ab": 1, "acd": 2, "bcd": 1}, 2, {"abc": 3, "ab": 2, "acd": 2}),
        ({"abc": 3, "abd": 2, "acd": 1}, 3, {"abc": 4, "ab": 2}),
    ],
)
def test_prefix_tree_examples(given, k, expected):
    sequences = [s for s, n in given.items() for _ in range(n)]
    symbols = np.array([[ord(c) - 97 for c in s.ljust(3, "a")] for s in sequences])
    node, tree, lengths = prune_and_reinsert(symbols, np.array([len(s) for s in sequences]), k)
    out = {}
    for i in node:
        word = "".join(chr(97 + c) for c in tree[i][: lengths[i]])
        out[word] = out.get(word, 0) + 1
    assert out == expected

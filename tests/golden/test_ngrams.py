"""Example 3 of the n-gram paper and small worked examples, number by number."""

import numpy as np
import pytest

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.judges import verify
from sequester.methods.ngrams.ngram_copy import NgramCopy
from sequester.methods.ngrams.ngram_k import NgramK
from sequester.methods.ngrams.shared.kernels.ngram_lift import lift
from sequester.model import SymbolSeries
from sequester.primitives.ngrams import count_tables, unpack
from sequester.utility import measure

EXAMPLE_3 = "12345" * 4 + "44544" + "12345" * 2


def series(*texts, alphabet="12345"):
    letters = {x: i for i, x in enumerate(alphabet)}
    return SymbolSeries(
        symbols=[letters[x] for t in texts for x in t],
        offsets=np.cumsum([0] + [len(t) for t in texts]),
        alphabet=tuple(alphabet),
    )


def run(data, method):
    return method.apply(data, rng=Randomness(seed=1), engine=Engine(threads=1))


def order(release, m):
    rows = release.tables["ngrams"].to_pylist()
    return {r["gram"].replace(" ", ""): r["count"] for r in rows if r["order"] == m}


def fractional(data, n, k, **options):
    tables = count_tables(data.symbols, data.offsets, n, len(data.alphabet))
    return tables, lift(tables, k, fractions=True, **options)


def named(table, alphabet):
    rows = unpack(table.codes, table.order, table.bits)
    return {"".join(alphabet[x] for x in row): c for row, c in zip(rows, table.counts.tolist())}


REPAIRED = {
    "12345": 10, "23451": 4, "23454": 3, "34512": 4, "34544": 4, "41234": 3, "44123": 4,
    "44544": 4, "45123": 4, "45441": 4, "45445": 3, "51234": 4, "54412": 3, "54454": 4,
}  # fmt: skip
WHOLE_UNITS = REPAIRED | {"34544": 5, "44544": 3}
LITERAL = REPAIRED | {"34544": 5, "44544": 5, "54454": 5, "44123": 3, "45441": 3}


def test_example_3_before():
    tables = count_tables(series(EXAMPLE_3).symbols, np.array([0, 35]), 5, 5)
    assert (len(EXAMPLE_3), len(tables[4].codes), int((tables[4].counts < 3).sum())) == (35, 14, 9)
    assert set(tables[4].counts[tables[4].counts < 3]) == {1}


@pytest.mark.parametrize("frequencies", ["running", "original"])
def test_example_3_repaired_with_fractions(frequencies):
    data = series(EXAMPLE_3)
    before, done = fractional(data, 5, 3, frequencies=frequencies)
    assert named(done.tables[4], "12345") == pytest.approx(REPAIRED)
    assert (done.n_lifted, before[4].total, done.tables[4].total) == (6, 31, pytest.approx(58))
    assert [t.counts.min() for t in done.tables] == pytest.approx([12, 4, 4, 4, 3])


@pytest.mark.parametrize("frequencies", ["running", "original"])
def test_example_3_repaired_in_whole_units_is_the_default(frequencies):
    release = run(series(EXAMPLE_3), NgramK(k=3, n=5, frequencies=frequencies, unit="occurrence", mode="repaired"))
    assert order(release, 5) == WHOLE_UNITS
    assert release.private["account"].to_pylist() == [{"rare": 9, "lifted": 6, "added": 27, "swept": 0}]
    assert verify(release, series(EXAMPLE_3)).holds


@pytest.mark.parametrize("frequencies", ["running", "original"])
def test_example_3_literal(frequencies):
    release = run(series(EXAMPLE_3), NgramK(k=3, n=5, mode="literal", frequencies=frequencies, unit="occurrence"))
    assert order(release, 5) == LITERAL
    assert release.private["account"]["lifted"].to_pylist() == [5]
    assert sum(LITERAL.values()) == 59
    assert verify(release, series(EXAMPLE_3)).holds


def test_example_3_losses():
    data = series(EXAMPLE_3)
    repaired = measure(data, run(data, NgramK(k=3, n=5, apportion="fraction", unit="occurrence", mode="repaired")))
    assert repaired["APIL, order 5"] == pytest.approx(1.67297e-4, rel=1e-5)
    assert repaired["AEIL, order 5"] == pytest.approx(4.02522e-4, rel=1e-5)
    literal = measure(data, run(data, NgramK(k=3, n=5, mode="literal", unit="occurrence")))
    assert literal["APIL, order 5"] == pytest.approx(1.72160e-4, rel=1e-5)


def test_example_3_naive_copy_leaves_eight_grams_rare():
    data = series(EXAMPLE_3)
    release = run(data, NgramCopy(k=3, n=5, anomaly=tuple("44544"), copies=4))
    top = order(release, 5)
    assert sum(order(release, 1).values()) == 55
    assert {g: top[g] for g in ("23454", "34544", "45445", "54454")} == dict.fromkeys(
        ("23454", "34544", "45445", "54454"), 2
    )
    assert {g: top[g] for g in ("45441", "54412", "44123", "41234")} == dict.fromkeys(
        ("45441", "54412", "44123", "41234"), 1
    )
    assert sum(c < 3 for c in top.values()) == 8
    assert verify(release, data).holds, "its own, weaker promise holds"


def test_fraction_example():
    data = series("12121312", alphabet="123")
    before, done = fractional(data, 2, 2)
    assert named(before[1], "123") == {"12": 3, "21": 2, "13": 1, "31": 1}
    assert named(done.tables[1], "123") == pytest.approx({"12": 3, "21": 8 / 3, "13": 2, "31": 7 / 3})
    assert named(done.tables[0], "123") == pytest.approx({"1": 6, "2": 11 / 3, "3": 7 / 3})
    rounded = run(data, NgramK(k=2, n=2, apportion="fraction", unit="occurrence", mode="repaired"))
    assert order(rounded, 2) == {"12": 3, "21": 2, "13": 2, "31": 2}
    assert order(rounded, 1) == {"1": 6, "2": 3, "3": 2}
    assert verify(rounded, data).holds


def test_short_series_counterexample_and_its_fix():
    data = series("12121212", "56", alphabet="1256")
    literal = run(data, NgramK(k=2, n=3, mode="literal", unit="occurrence"))
    assert {g: c for m in (1, 2) for g, c in order(literal, m).items() if c < 2} == {"5": 1, "6": 1, "56": 1}
    failed = [c.name for c in verify(literal).checks if not c.passed]
    assert failed == ["counts reach k"]
    repaired = run(data, NgramK(k=2, n=3, unit="occurrence", mode="repaired"))
    assert (order(repaired, 2)["56"], order(repaired, 1)["5"], order(repaired, 1)["6"]) == (2, 2, 2)
    assert verify(repaired, data).holds


def test_support_never_changes_so_rare_patterns_stay_visible():
    """What the paper's method does not hide, as its page says."""
    rng = np.random.default_rng(4)
    for _ in range(40):
        data = series("".join(rng.choice(list("1234"), rng.integers(6, 60))), alphabet="1234")
        before = count_tables(data.symbols, data.offsets, 3, 4)
        after = run(data, NgramK(k=int(rng.integers(2, 9)), n=3, unit="occurrence"))
        assert set(order(after, 3)) == set(named(before[2], "1234"))

"""Measures of series releases: what they say is what they should, and who may be told apart."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.methods.series.kapra import Kapra
from sequester.methods.series.kp_naive import KPNaive
from sequester.methods.series.tga import TGA
from sequester.model import Series
from sequester.primitives.sax import pattern_loss

FEW = settings(max_examples=12, deadline=None)


def walks(n=120, seed=0, width=6):
    values = np.random.default_rng(seed).normal(size=(n, width)).cumsum(axis=1)
    return Series(values=values, sensitive={"y": np.random.default_rng(seed + 1).permutation(n).astype(float)})


@FEW
@given(st.integers(0, 10**6), st.integers(2, 5), st.sampled_from(["printed", "literal"]))
def test_a_blind_guess_is_right_at_most_once_in_p_when_values_differ(seed, p, pattern):
    data = walks(60, seed)
    release = sq.anonymize(data, Kapra(k=6, p=p, pattern=pattern), seed=1)
    told = sq.measure(data, release, n_queries=0, n_targets=60)
    assert told["worst breach, unified known"] <= 1 / p + 1e-12
    assert told["worst breach, value known"] <= 1 / 6 + 1e-12
    assert told["breach, pattern known"] <= told["breach, unified known"] + 1e-12


def test_equal_sensitive_values_give_themselves_away():
    data = Series(values=walks().values, sensitive={"y": np.zeros(120)})
    told = sq.measure(data, sq.anonymize(data, Kapra(k=6, p=3), seed=1), n_queries=0)
    assert told["worst breach, unified known"] == 1.0


def test_losses_equal_their_definitions():
    data = walks()
    release = sq.anonymize(data, Kapra(k=6, p=3, pattern="literal"), seed=1)
    told = sq.measure(data, release, n_queries=0, n_targets=0)
    table = release.tables["records"]
    lo = np.column_stack([table[f"t{j}_lo"] for j in range(1, 7)])
    hi = np.column_stack([table[f"t{j}_hi"] for j in range(1, 7)])
    assert told["value loss"] == pytest.approx(np.sqrt(((hi - lo) ** 2).mean(axis=1)).sum())
    from sequester.layouts.series_view import look_at

    row = np.array(release.private["origin"]["row"]) - 1
    shape = look_at(release.tables, release.parameters).shape
    assert told["pattern loss"] == pytest.approx(pattern_loss(data.values[row], shape).sum())
    assert told["records released"] == 120 and told["records suppressed"] == 0


def test_a_release_of_the_truth_answers_perfectly():
    data = walks()
    twins = Series(values=np.repeat(data.values[:40], 3, axis=0))  # boxes of three equal series have no width
    release = sq.anonymize(twins, TGA(k=3, reconstruct=False), seed=1)
    told = sq.measure(twins, release, n_queries=50, n_targets=0)
    assert told["value loss"] == 0 and told["pattern loss"] == pytest.approx(0, abs=1e-9)
    assert told["range counts: relative error"] == 0 and told["pattern ranges: precision"] == 1
    assert told["pattern ranges: recall"] == 1 and told["range counts: bounds hold"] == 1


def test_queries_are_the_same_for_every_release_of_a_seed():
    data = walks(300, 4)
    rows = [
        sq.measure(data, sq.anonymize(data, method, seed=1), n_queries=30, n_targets=0).rows["range counts"]
        for method in (Kapra(k=6, p=3), KPNaive(k=6, p=3))
    ]
    assert [r["true"] for r in rows[0]] == [r["true"] for r in rows[1]]
    assert all(r["at_least"] <= r["true"] <= r["at_most"] for part in rows for r in part)


def test_without_the_map_only_values_are_told():
    data = walks()
    release = replace(sq.anonymize(data, Kapra(k=6, p=3), seed=1), private={})
    told = sq.measure(data, release)
    assert told.summary == "Without the custodian's map only losses of value can be told."
    assert [f.name for f in told.figures][-1] == "value loss per record"


def test_another_original_is_refused():
    release = sq.anonymize(walks(), Kapra(k=6, p=3), seed=1)
    with pytest.raises(sq.InputError) as caught:
        sq.measure(walks(width=5), release)
    assert str(caught.value) == "measure: the release has 6 times, the original 5. Is it the right original?"
    with pytest.raises(sq.InputError) as caught:
        sq.measure(walks(60), release)
    assert str(caught.value) == "measure: the custodian's map does not fit this original. Is it the right one?"

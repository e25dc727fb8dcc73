"""Measures of n-gram tables, the suggestion of k, and questions to a bundle."""

import math
from dataclasses import replace

import numpy as np
import pytest

import sequester as sq
from sequester.errors import InputError
from sequester.methods.ngrams.ngram_dp import NgramDP
from sequester.methods.ngrams.ngram_k import NgramK
from sequester.model import SymbolSeries
from sequester.samples.ecg import ecg
from sequester.utility.suggest_k import suggest_k
from sequester.utility.symbols import compare, predict

SAMPLE = ecg(n_people=20)


def series(text, alphabet="ab"):
    codes = [alphabet.index(x) for x in text]
    return SymbolSeries(symbols=codes, offsets=[0, len(codes)], alphabet=tuple(alphabet))


def test_losses_by_hand():
    before, after = {(0,): 3, (1,): 1}, {(0,): 1, (1,): 1}
    loss = compare(before, after, 2, 1)
    entropy = [-p * math.log2(p) for p in (0.75, 0.25, 0.5)]
    assert loss["apil"] == pytest.approx(0.5 / 2)
    assert loss["total_variation"] == pytest.approx(0.25)
    assert loss["aeil"] == pytest.approx((abs(entropy[0] - entropy[2]) + abs(entropy[1] - entropy[2])) / 2)
    assert compare(before, before, 2, 1) == {"apil": 0.0, "aeil": 0.0, "total_variation": 0.0, "invented": 0}
    assert compare({(0,): 3}, after, 2, 1)["invented"] == 1
    assert compare(before, {}, 2, 1)["total_variation"] == 1.0, "an empty table has lost everything"


def test_apil_never_exceeds_its_bound():
    release = sq.anonymize(SAMPLE, NgramK(k=50, n=3, unit="occurrence", mode="repaired"))
    told = sq.measure(SAMPLE, release)
    for m in (1, 2, 3):
        assert told[f"APIL, order {m}"] <= 2 / 4**m
        assert told[f"APIL %, order {m}"] == pytest.approx(100 * told[f"APIL, order {m}"])
        assert told[f"total variation, order {m}"] == pytest.approx(told[f"APIL, order {m}"] * 4**m / 2)
    assert told.saw_original and [r["order"] for r in told.rows["loss by order"]] == [1, 2, 3]


def test_prediction_by_hand():
    truth = {1: {(0,): 2, (1,): 2}, 2: {(0, 1): 2, (1, 0): 1}}
    assert predict(truth, truth, 2)["accuracy"] == 1.0
    expected = 2 ** (-(2 * math.log2(2.5 / 3) + math.log2(1.5 / 2)) / 3)
    assert predict(truth, truth, 2)["perplexity"] == pytest.approx(expected)
    backed_off = predict({1: {(0,): 5, (1,): 1}}, truth, 2)
    assert backed_off["accuracy"] == pytest.approx(1 / 3), "without contexts the most frequent symbol is guessed"


def test_a_private_tree_can_be_measured_too():
    told = sq.measure(SAMPLE, sq.anonymize(SAMPLE, NgramDP(epsilon=8.0, n_max=3, l_max=30, average="symbol"), seed=2))
    assert 0 < told["total variation, order 3"] <= 1
    assert told["next symbol right, release"] <= told["next symbol right, original"]
    noisy = sq.measure(SAMPLE, sq.anonymize(SAMPLE, NgramDP(epsilon=0.01, n_max=5, l_max=5, average="symbol"), seed=2))
    assert noisy["total variation, order 5"] == 1.0, "nothing of the order that was asked for survived"


def test_suggestion_is_the_largest_k_within_the_tolerance():
    told = suggest_k(SAMPLE, 3, (2, 5, 10, 20, 50, 100, 300), unit="occurrence")
    curve = told.rows["loss against k"]
    fine = [r["k"] for r in curve if r["total_variation"] <= 0.10]
    assert told["suggested k"] == max(fine) < 300
    assert told.about == "suggest-k" and told.saw_original
    assert f"k={max(fine)} lifts" in told.summary and "would move" in told.summary
    assert [r["k"] for r in curve] == [2, 5, 10, 20, 50, 100, 300]
    for method, found in [
        (NgramK(k=20, n=3, unit="occurrence"), told),
        (NgramK(k=20, n=3, unit="occurrence", mode="repaired"),
         suggest_k(SAMPLE, 3, (20,), unit="occurrence", mode="repaired")),
        (NgramK(k=15, n=3), suggest_k(SAMPLE, 3, (15,))),
    ]:  # fmt: skip
        released = sq.measure(SAMPLE, sq.anonymize(SAMPLE, method))
        foretold = next(r for r in found.rows["loss against k"] if r["k"] == method.k)
        assert foretold["total_variation"] == pytest.approx(released["total variation, order 3"])
        assert foretold["perplexity"] == pytest.approx(released["perplexity, release"])


def test_suggestion_for_people_and_when_nothing_fits():
    people = suggest_k(SAMPLE, 3, (2, 5, 20, 21), unit="person")
    assert people.rows["loss against k"][-1]["total_variation"] == 1.0, "more people than there are"
    tight = suggest_k(SAMPLE, 5, (50, 100), unit="occurrence", tolerance=0.001)
    assert tight["suggested k"] == 50
    assert tight.summary.startswith("No k tried keeps the loss within 0 %: k=50 lifts")
    all_fine = suggest_k(series("ab" * 500), 2, (2, 3), unit="occurrence")
    assert all_fine.summary.endswith("within the 10 % allowed; larger k was not tried.")


def test_suggestion_for_people_needs_to_know_them():
    with pytest.raises(InputError) as error:
        suggest_k(replace(SAMPLE, people_known=False), 3, (2, 5), unit="person")
    assert str(error.value) == (
        "suggest-k: unit=person needs to know whose series each is, and the source does not say. Pass person= (a "
        "column, or 'each'), or unit=occurrence."
    )
    assert "lifts" in suggest_k(replace(SAMPLE, people_known=False), 3, (2, 5)).summary


def test_suggestion_refuses_nonsense():
    for options, message in [
        ({"ks": (1, 5)}, "suggest-k: every k must be a whole number of at least 2, got 2 values to try."),
        ({"ks": ()}, "suggest-k: every k must be a whole number of at least 2, got 0 values to try."),
        ({"n": 99}, "suggest-k: no series has the 99 symbols of one 99-gram. Lower n or add data."),
        ({"unit": "day"}, "suggest-k: unit must be occurrence or person, got 'day'."),
    ]:
        with pytest.raises(InputError) as error:
            suggest_k(series("abab"), **options)
        assert str(error.value) == message


def test_questions_to_a_bundle(tmp_path):
    data = series("abababababbb")
    sq.publish(sq.anonymize(data, NgramK(k=2, n=3, unit="occurrence", mode="repaired")), tmp_path / "x.bundle")
    bundle = sq.open_bundle(tmp_path / "x.bundle")
    assert bundle.order == 3 and bundle.alphabet == ("a", "b")
    assert bundle.next_symbol("b a") == {"b": 1.0}
    assert bundle.next_symbol(["a", "b"]) == bundle.next_symbol("b b a b"), "only the last order - 1 symbols count"
    assert next(iter(bundle.next_symbol())) == "b"
    assert sum(bundle.next_symbol("a b").values()) == pytest.approx(1)
    assert bundle.count("a b") == bundle.grams["a b"]
    assert bundle.probability("a") + bundle.probability("b") == pytest.approx(1)
    assert bundle.probability("a a a") == 0 and bundle.probability("") == 1
    expected = bundle.probability("a b a") * bundle.next_symbol("b a")["b"]
    assert bundle.probability("a b a b") == pytest.approx(expected)
    with pytest.raises(InputError) as error:
        bundle.next_symbol("a x")
    assert str(error.value) == "query: 1 of 2 symbols is not in this table; it has a, b."


def test_an_unknown_context_is_shortened(tmp_path):
    data = SymbolSeries(symbols=[0, 1, 2, 0, 1, 2, 2], offsets=[0, 7], alphabet=("a", "b", "c"))
    sq.publish(sq.anonymize(data, NgramK(k=2, n=3, unit="occurrence", mode="repaired")), tmp_path / "x.bundle")
    bundle = sq.open_bundle(tmp_path / "x.bundle")
    assert bundle.count("b a") == 0
    assert bundle.next_symbol("b a") == bundle.next_symbol("a")
    assert np.isclose(sum(bundle.next_symbol("c c").values()), 1)

"""What is certain, what is computed over everybody, and use in halves: known answers."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import sequester as sq
from sequester.attacks.bounds import certain, most_hits, most_hits_by_rho, upward
from sequester.attacks.in_and_out import InAndOut, in_before_out, on_half
from sequester.attacks.members import Tally, alone_by_two_runs, rows_named
from sequester.attacks.membership import bound_on_hits
from sequester.dp.ledger import Ledger, rho_of
from sequester.guarantees.differential_privacy import differential_privacy
from sequester.model import Corpus
from sequester.tuning import Sweep, beats_the_line
from sequester.utility.plain_figures import Yardstick, variation

# -- the certain line -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "hits", "pairs"),
    [(0.25, 0.114, 0.52), (0.5, 0.127, 0.54), (1, 0.157, 0.58), (2, 0.225, 0.65), (4, 0.398, 0.77), (8, 0.785, 0.92)],
)
def test_the_line_of_a_rho_ledger_is_the_measured_table(epsilon, hits, pairs):
    promise = differential_privacy(epsilon, 1e-6, "person", ("x",))
    found = certain(promise, Ledger.zcdp(epsilon=epsilon, delta=1e-6))
    assert found.hits == pytest.approx(hits, abs=6e-4) and found.pairs == pytest.approx(pairs, abs=0.0061)
    assert f"at most {upward(found.hits)} of 100 members" in found.says


@pytest.mark.parametrize(("epsilon", "hits", "pairs", "sure"), [(1, 0.272, 0.73, 0.232), (4, 0.984, 0.98, 0.858)])
def test_without_a_ledger_epsilon_itself_is_the_line(epsilon, hits, pairs, sure):
    found = certain(differential_privacy(epsilon, 0.0, "person", ("x",)), Ledger.pure(epsilon=epsilon))
    assert (found.hits, found.sure) == (pytest.approx(hits, abs=6e-4), pytest.approx(sure, abs=6e-4))
    assert found.pairs == pytest.approx(pairs, abs=0.006)


def test_the_curve_is_a_trade_off_and_no_gaussian_beats_it():
    """The exact curve of one Gaussian lies below what its rho allows, and both ends are fixed."""
    from statistics import NormalDist

    normal, rho = NormalDist(), rho_of(2.0, 1e-6)
    at = np.linspace(0.001, 0.999, 99)
    allowed = most_hits_by_rho(at, rho)
    exact = np.array([normal.cdf(normal.inv_cdf(a) + math.sqrt(2 * rho)) for a in at])
    assert (allowed >= exact).all() and (np.diff(allowed) >= -1e-12).all() and (allowed >= at).all()
    assert most_hits(np.array([0.0, 1.0]), 1.0, 0.0).tolist() == [0.0, 1.0]
    assert most_hits(np.array([0.9]), 1.0, 0.0)[0] == pytest.approx(1 - 0.1 / math.e), "the second line binds"


def test_an_attack_is_held_to_what_the_ledger_spent():
    promise = differential_privacy(4.0, 1e-6, "person", ("x",))
    claim = SimpleNamespace(guarantee=promise, ledger=Ledger.zcdp(epsilon=4.0, delta=1e-6))
    assert 0.39 < bound_on_hits(claim, 1000, 10_000) < 0.42
    assert bound_on_hits(SimpleNamespace(guarantee=promise, ledger=None), 1000, 10_000) > 0.98
    smaller = SimpleNamespace(guarantee=differential_privacy(4.0, 0.0, "record", ("x",)), ledger=None)
    assert bound_on_hits(smaller, 1, 10) is None and "each record" in certain(smaller.guarantee).says


def test_promises_of_k_bound_names_and_not_who_took_part():
    kapra, notes = certain(sq.Kapra(k=8, p=2).guarantee), certain(sq.KRepeats(k=4).guarantee)
    assert (kapra.pairs, kapra.one_in, kapra.one_in_pattern) == (None, 8, 2)
    assert certain(sq.Kapra(k=8, p=1).guarantee).one_in_pattern is None
    assert notes.one_in == 4 and "one run, not two" in notes.says
    assert any("one run, not two" in line for line in sq.KRepeats(k=4).guarantee.not_covered)
    assert certain(sq.KWords(k=4, language="en").guarantee).one_in is None
    for published in (sq.MCKA(k=5), sq.MarkovRatio(epsilon=0.35)):
        found = certain(published.guarantee)
        assert (found.pairs, found.hits, found.one_in) == (None, None, None)
        assert found.says.startswith("No line can be drawn")
    assert "k is no dial of risk" in certain(sq.MCKA(k=5).guarantee).says
    assert certain(sq.MCKA(k=5, exact=True).guarantee.confirmed()).one_in == 5


# -- everybody in and out -------------------------------------------------------------------------------------------


def test_pairs_are_counted_person_by_person():
    inside = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], bool)
    scores = np.array([[3.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    # person 1: in 3, 1 against out 2, 1: 3 beats both, 1 loses and ties; person 2 is the same in all runs
    assert in_before_out(inside, scores).tolist() == [(1 + 1 + 0 + 0.5) / 4, 0.5]


def test_the_likelihood_leaves_a_members_own_record_out():
    tally = Tally([["a", "a", "b"], ["b"], ["c"]])
    inside = np.array([True, True, False])
    found = tally.likelihood(inside, {"a": 2, "b": 2, "z": 6})

    def gain(shown, others, n_others):
        return math.log((shown + 0.5) / 11) - math.log((others + 0.5) / (n_others + 1))

    assert found[0] == pytest.approx((2 * gain(2, 0, 1) + gain(2, 1, 1)) / 3)
    assert found[1] == pytest.approx(gain(2, 1, 3)) and found[2] == pytest.approx(gain(0, 0, 4))


def test_kapra_hides_members_better_with_every_k():
    halves = InAndOut(sq.sample("series", n_people=120), seed=1)
    found = [halves.pairs(sq.Kapra(k=k, p=2), control=k == 2) for k in (2, 8, 30)]
    assert found[0].right > 0.97 > 0.9 > found[1].right > found[2].right + 0.1 and found[2].right < 0.65
    assert abs(found[0].coin - 0.5) < 0.06 and found[0].runs == 16 and found[0].people == 120


@pytest.mark.parametrize(
    ("kind", "people", "method", "least"),
    [
        ("symbols", 30, sq.NgramK(k=2, n=3), 0.9),
        ("events", 120, sq.MarkovRatio(epsilon=1.0), 0.53),
        ("text", 16, sq.KRepeats(k=2), 0.55),
        ("activity", 12, sq.MCKA(k=2), 0.5),
    ],
)
def test_every_kind_has_a_score_that_sees_members(kind, people, method, least):
    found = InAndOut(sq.sample(kind, n_people=people), seed=1, runs=8).pairs(method)
    assert least < found.right <= 1 and found.within < 0.2


def test_a_release_without_noise_beats_its_line_and_a_sound_one_does_not():
    """A planted leak: exact counts with the promise of epsilon 1 are seen for what they are."""
    data = sq.sample("symbols", n_people=40, seed=2)
    halves = InAndOut(data, seed=0)
    open_, kept = halves.pairs(sq.NgramK(k=2, n=3)), halves.pairs(sq.NgramDP(epsilon=1.0, n_max=3, people_at_least=40))
    line = certain(sq.NgramDP(epsilon=1.0, n_max=3, people_at_least=40).guarantee).to_json()
    for found, beaten in ((open_, True), (kept, False)):
        assert beats_the_line({"certain": line, "pairs": found.right, "within": found.within}) is beaten


def test_halves_are_complementary_and_small_data_is_told():
    halves = InAndOut(sq.sample("series", n_people=50), seed=3)
    assert all((a ^ b).all() for a, b in zip(halves.masks[::2], halves.masks[1::2], strict=True))
    with pytest.raises(sq.InputError, match="at least 8 people, there are 5"):
        InAndOut(sq.sample("series", n_people=5))
    half = on_half(sq.NgramDP(epsilon=1.0, n_max=3, people_at_least=50), 25)
    assert half.people_at_least == 25 and half.force and on_half(sq.NgramK(k=2, n=3), 9) == sq.NgramK(k=2, n=3)


# -- linkage for everybody ------------------------------------------------------------------------------------------


def test_naming_a_row_is_one_over_the_rows_that_fit():
    data = sq.sample("series", n_people=60)
    released = sq.anonymize(data, sq.Kapra(k=5, p=2), seed=0)
    share, says = rows_named(data, released)
    assert 0 < share <= 1 / 5 and says.startswith("chance to name")


def test_two_runs_that_many_share_can_fit_one_person_alone():
    """Every run is shared by two, each pair of runs by nobody: k = 2 holds and everybody is alone."""
    words = ["alpha apple", "bravo berry", "candy citra", "delta dates"]
    texts = [f"{words[i]} XX{i}XX {words[(i + 1) % 4]}" for i in range(4)]
    data = Corpus.from_texts(texts, documents=list("abcd"))
    released = sq.anonymize(data, sq.KRepeats(k=2), seed=0)
    share, _ = alone_by_two_runs(data, released)
    assert share == 1.0
    same = Corpus.from_texts([texts[0].replace("XX0XX", f"X{i}X") for i in range(4)], documents=list("abcd"))
    assert alone_by_two_runs(same, sq.anonymize(same, sq.KRepeats(k=2), seed=0))[0] == 0.0


# -- use in halves --------------------------------------------------------------------------------------------------


def test_the_original_itself_is_nought_and_a_shuffled_one_is_far():
    assert variation({"a": 1, "b": 1}, {"a": 2, "b": 2}) == 0 and variation({"a": 1}, {"b": 5}) == 1
    data = sq.sample("events", n_people=200)
    yardstick = Yardstick(data, "log")
    view = yardstick.plain.original(data)
    assert set(yardstick.plain.differ(view, view).values()) == {0.0}
    near, far = (
        yardstick.figures(sq.anonymize(data, sq.MarkovRatio(epsilon=e), seed=0))["order of events"]["ratio"]
        for e in (1.0, 0.02)
    )
    assert near < 1.5 < 2 * near < far


@pytest.mark.parametrize(
    ("kind", "people", "method"),
    [("series", 40, sq.Kapra(k=4, p=2)), ("text", 12, sq.KRepeats(k=3)), ("activity", 12, sq.MCKA(k=3)),
     ("events", 60, sq.MarkovRatio(epsilon=0.5)), ("symbols", 20, sq.NgramK(k=3, n=3))],
)  # fmt: skip
def test_a_row_has_five_figures_of_use_and_a_dot(kind, people, method):
    row = Sweep(sq.sample(kind, n_people=people), seed=0).row(method)
    assert len(row["figures"]) == 5 and row["axis"] in row["figures"]
    assert all(f["distance"] >= 0 and f["halves"] >= 0 for f in row["use"].values())
    assert 0 <= row["pairs"] <= 1 and row["coin"] is not None and row["verdict"]
    assert ("named" in row) == (kind in ("series", "text")) and ("kept" in row) == (kind == "text")


def test_a_refused_setting_is_a_gap_with_its_reason():
    sweep = Sweep(sq.sample("series", n_people=20), seed=0)
    assert "needs 50 people" in sweep.row(sq.Kapra(k=50, p=2))["refused"]
    halved = sweep.row(sq.Kapra(k=15, p=2))
    assert "pairs" not in halved and halved["no_pairs"].startswith("Half of the people are too few")
    few = Sweep(sq.sample("series", n_people=6), seed=0).row(sq.Kapra(k=2, p=2))
    assert few["no_pairs"] == "With fewer than 8 people halves cannot be compared."

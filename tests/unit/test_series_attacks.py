"""Attacks on ends and envelopes: exact ends give members away, rounded ones do not, whole long series still do."""

import numpy as np
import pytest

import sequester as sq
from sequester.attacks.ends import INSIDE, ends_met, envelope_scores
from sequester.attacks.outcome import Outcome, as_evidence
from sequester.attacks.series import read_shown
from sequester.methods.series.kapra import Kapra
from sequester.model import Series


def walks(n, width, seed):
    return Series(values=np.random.default_rng(seed).normal(size=(n, width)).cumsum(axis=1))


def rates(evidence):
    return {row["attack"]: row for row in evidence.rows["attacks"]}


@pytest.fixture(scope="module")
def found():
    inside, outside = walks(200, 40, 1), walks(200, 40, 2)
    return {
        step: rates(sq.attack(sq.anonymize(inside, Kapra(k=6, p=3, ends_step=step), seed=1), inside, control=outside))
        for step in (0.0, None)
    }


def test_exact_ends_give_members_away_and_rounded_ones_do_not(found):
    name = "membership by ends of ranges at 10% false alarms"
    assert found[0.0][name]["success"] > 0.9
    assert found[None][name]["success"] < 0.25


def test_whole_series_are_recognised_and_strangers_inside_are_counted(found):
    for step in (0.0, None):
        whole = found[step]["membership by envelopes, whole series at 10% false alarms"]
        few = found[step]["membership by envelopes, 4 values at 10% false alarms"]
        assert whole["success"] > 0.9 and whole["control"] <= 0.1
        assert few["success"] < whole["success"] and few["strangers_inside"] > whole["strangers_inside"]
    assert "membership by envelopes, 16 values at 10% false alarms" in found[None]


def test_the_last_sentence_does_not_hide_a_success_without_a_bound():
    leak = Outcome(
        name="membership", test="singling out", successes=90, trials=100, control_successes=5, control_trials=100
    )
    harmless = Outcome(
        name="linkage", test="linkability", successes=8, trials=100, control_successes=5, control_trials=100, bound=0.2
    )
    assert as_evidence([leak, harmless]).summary == (
        "The strongest of 2 attacks is membership: it succeeds for 90 % of 100 targets (control 5 %); the promise does "
        "not cover it and states no bound, so this success is what the release gives away."
    )
    assert as_evidence([harmless]).summary.endswith("none beats a bound the promise states.")


def test_scores_equal_their_definition():
    data = walks(30, 5, 3)
    release = sq.anonymize(data, Kapra(k=5, p=2, ends_step=0.5), seed=1)
    shown = read_shown(release, data)
    values = np.vstack([data.values[:6], walks(6, 5, 4).values])
    at = np.array([0, 2, 4])
    scores = envelope_scores(shown, values, at, 0.5, of=values)
    for i, series in enumerate(values):
        holds = ((shown.lo[:, at] <= series[at]) & (series[at] <= shown.hi[:, at])).all(axis=1).any()
        assert (scores[i] >= INSIDE) == holds
    assert (scores[:6] >= INSIDE).all(), "a member lies inside the envelope of its group"
    met = ends_met(shown, values, 0.5)
    for i, series in enumerate(values):
        count = 0
        for j in range(5):
            low, high = np.floor(series[j] / 0.5) * 0.5, np.ceil(series[j] / 0.5) * 0.5
            count += bool((shown.lo[:, j] == low).any() or (shown.hi[:, j] == high).any())
        assert met[i] == count

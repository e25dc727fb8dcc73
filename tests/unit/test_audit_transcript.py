import math

import numpy as np
import pytest

import sequester as sq
from sequester.audits.transcript import (
    WeakNoise,
    audit,
    audit_event,
    clopper_pearson,
    log_ratio,
    lower_bound,
)
from sequester.dp.noise import RecordingNoise, ReplayNoise, TeachingNoise
from sequester.methods.events.markov_ratio.sections import passes
from sequester.model import EventLog

NAMES = ("a", "rare", "b")


def step(kind, given, out, scale=2.0, **more):
    return {"kind": kind, "name": "x", "given": np.array(given), "scale": scale, "out": out, **more}


def test_likelihood_ratios_of_the_mechanisms():
    y = np.array([3, 0])
    expected = (-((3 - 1) ** 2) - 0 + (3 - 0) ** 2 + 0) / (2 * 4)
    assert log_ratio(step("gaussian", [1, 0], y), step("gaussian", [0, 0], y)) == pytest.approx(expected)
    assert log_ratio(step("laplace", [1, 0], y), step("laplace", [0, 0], y)) == pytest.approx(0.5)
    p = [math.exp(u / 2) / sum(math.exp(v / 2) for v in us) for us in ([4, 1], [3, 2]) for u in us[:1]]
    got = log_ratio(step("noisy-max", [4, 1], 0), step("noisy-max", [3, 2], 0))
    assert got == pytest.approx(math.log(p[0] / p[1]))
    assert log_ratio(step("gaussian", [1], y[:1], scale=1.0), step("gaussian", [1], y[:1], scale=2.0)) == math.inf


def test_a_key_that_only_one_side_has():
    shown = (["k"], np.array([9.0]))
    a = step("threshold", [5.0, 7.0], shown, keys=["u", "k"], tau=8.0)
    b = step("threshold", [7.0], shown, keys=["k"], tau=8.0)
    hidden = math.log(0.9331927987311419)  # the key u of weight 5 stays below 8 at scale 2
    assert log_ratio(a, b) == pytest.approx(hidden) and log_ratio(b, a) == pytest.approx(-hidden)
    caught = (["u"], np.array([9.0]))
    assert log_ratio({**a, "out": caught}, {**b, "out": caught}) == math.inf


def test_replay_repeats_outputs_and_notices_a_different_run():
    record = RecordingNoise(TeachingNoise(np.random.default_rng(0)))
    out = record.gaussian("a", np.array([1, 2]), 3.0)
    replay = ReplayNoise(record.transcript)
    assert replay.gaussian("a", np.array([50, 60]), 3.0).tolist() == out.tolist()
    with pytest.raises(sq.ParameterError) as caught:
        replay.laplace("b", np.array([1]), 1.0)
    assert str(caught.value) == "replay: laplace 'b' was asked for where the earlier run had nothing more."


def test_clopper_pearson_against_known_values():
    low, high = clopper_pearson(5, 50, 0.025)
    assert (round(low, 4), round(high, 4)) == (0.0333, 0.2181)
    assert clopper_pearson(0, 10, 0.025)[0] == 0.0 and clopper_pearson(10, 10, 0.025)[1] == 1.0
    assert clopper_pearson(0, 100, 0.05)[1] == pytest.approx(1 - 0.05**0.01, abs=1e-6)


def test_the_bound_of_pure_gaussian_scores_stays_below_the_truth():
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, (2, 2000))
    assert lower_bound(scores[0], scores[1], 1e-6) < 0.2
    assert lower_bound(scores[0] + 3, scores[1], 1e-6) > 2.0


def test_adaptive_code_is_audited_at_its_own_decisions():
    """The clip of the sum is itself noisy: only replay knows what the neighbour would have been given."""

    def measure(data, rng):
        clip = 1 + rng.noise.noisy_max("clip", np.array([-abs(len(data) - 10), 0, -3]), 4.0)
        return rng.noise.gaussian("sum", np.array([np.minimum(data, clip).sum()]), 3.0 * clip)

    without, with_ = np.ones(10, int), np.r_[np.ones(10, int), 50]
    honest = audit(measure, without, with_, runs=400, delta=1e-6, claimed=2.0, seed=1)
    assert honest.holds and 0 < honest["separation"] < 1
    fraud = audit(measure, without, with_, runs=400, delta=1e-6, claimed=2.0, seed=1, noise=lambda g: WeakNoise(g, 0.1))
    assert not fraud.holds and fraud["epsilon_lower_bound"] > 2.0


@pytest.fixture(scope="module")
def neighbours(tmp_path_factory):
    log = sq.sample("events", n_people=40, seed=1)
    extra = np.full(150, 9)  # discharged a hundred and fifty times in a row: what no clip can hide but the noise must
    times = log.times[0] + 3600 * np.arange(len(extra))
    more = EventLog(
        offsets=np.r_[log.offsets, log.offsets[-1] + len(extra)],
        states=np.r_[log.states, extra],
        state_names=log.state_names,
        times=np.r_[log.times, times],
        persons=[*log.persons, "extra"],
    )
    path = tmp_path_factory.mktemp("audit") / "codebook.txt"
    path.write_text("\n".join(log.state_names), "utf-8")
    return log, more, str(path)


@pytest.mark.parametrize("factor,honest", [(1.0, True), (0.05, False)])
def test_markov_dp_passes_the_transcript_audit_and_weak_noise_does_not(neighbours, factor, honest):
    log, more, codebook = neighbours
    method = sq.MarkovDP(
        epsilon=1.0, delta=1e-6, people_at_least=40, dates="2024-01-01..2025-12-31", codebook=codebook, force=True
    )

    def measure(data, rng):
        return method.measure(data, rng.noise, method.ledger())

    found = audit(measure, log, more, runs=60, delta=1e-6, claimed=1.0, seed=3, noise=lambda g: WeakNoise(g, factor))
    assert found.holds is honest
    # The best test of a Gaussian of sensitivity 1 separates by sqrt(2 rho) deviations, weaker noise by more.
    most = math.sqrt(2 * method.ledger().total) / factor
    assert found["separation"] < most + 4 / math.sqrt(60)


def test_the_ratio_test_is_not_differential_privacy():
    """One record more, 21 of 1000 instead of 20 of 999, switches the statistic on for certain."""
    found = audit_event(
        lambda data, rng: {"shown": bool(passes(*data, 0.05))},
        lambda released: released["shown"],
        (20, 999),
        (21, 1000),
        runs=1000,
        delta=1e-6,
        claimed=0.05,
    )
    assert not found.holds and found["epsilon_lower_bound"] > 5


def test_too_few_runs_are_refused():
    with pytest.raises(sq.ParameterError) as caught:
        audit(lambda d, r: None, 0, 1, runs=5, delta=1e-6, claimed=1.0)
    assert str(caught.value) == "audit: runs must be at least 20, got runs=5."

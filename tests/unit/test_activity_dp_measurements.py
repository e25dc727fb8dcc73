"""The measurements of activity-dp: bounds, ledger, neighbours and a transcript audit."""

import itertools
import math

import numpy as np
import pytest

import sequester as sq
from sequester.audits.transcript import WeakNoise, audit
from sequester.dp.gate import GRID, bound, gate
from sequester.dp.ledger import Ledger
from sequester.dp.noise import RecordingNoise, ReplayNoise, TeachingNoise
from sequester.engines import Engine
from sequester.methods.activity.activity_dp.kernels.calendar import calendar
from sequester.methods.activity.activity_dp.measure import SHARES, measure
from sequester.methods.activity.activity_dp.people import FEATURES, People

MONDAY = np.datetime64("2024-03-04T00:00:00")


class NoNoise:
    """Returns what it is given: shows what would have been released without protection."""

    secure = False

    def gaussian(self, name, values, scale):
        return np.asarray(values)

    def noisy_max(self, name, utilities, scale):
        return int(np.argmax(utilities))


def population(n, length, n_states, seed=0):
    """People with slow, uneven states."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.arange(n_states, 0, -1) * 1.0, n)
    stays = rng.random((n, length)) < 0.8
    draws = np.array([rng.choice(n_states, length, p=p) for p in law])
    for t in range(1, length):
        draws[:, t] = np.where(stays[:, t], draws[:, t - 1], draws[:, t])
    return draws.astype(np.uint8)


def adversaries(length, n_states, profile=None):
    rng = np.random.default_rng(9)
    t = np.arange(length)
    people = [np.full(length, a) for a in range(n_states)]
    people += [(t // width) % 2 * (n_states - 1) for width in (1, 2, 7, 60)]
    people += [(t // width) % n_states for width in (1, 3, 24, length // 2)]
    people += [rng.integers(n_states, size=length) for _ in range(4)]
    people += [np.repeat(rng.integers(n_states, size=length // 10 + 1), 10)[:length] for _ in range(4)]
    if profile is not None:
        people.append(profile)
    return np.array(people).astype(np.uint8)


def as_people(states, threads=1):
    names = tuple(map(str, range(int(states.max()) + 1)))
    return People(sq.Activities(states=states, state_names=names), engine=Engine(threads=threads))


def run(states, n_states, cal, noise, epsilon=1.0):
    ledger = Ledger.zcdp(epsilon=epsilon, delta=1e-6)
    released = measure(as_people(states), n_states, cal, ledger=ledger, noise=noise, missing=n_states - 1)
    return released, ledger


@pytest.mark.parametrize(("n_states", "length", "seconds"), [(4, 8 * 1440, 60), (2, 1440, 60), (7, 10 * 24, 3600)])
def test_nobody_exceeds_a_bound(n_states, length, seconds):
    cal = calendar(length, seconds, MONDAY)
    released, _ = run(population(40, length, n_states), n_states, cal, TeachingNoise(np.random.default_rng(1)))
    opposite = np.argmin(released.profile, axis=1)[cal.bin_of]  # does what is rarest at every hour
    people = adversaries(length, n_states, opposite)
    for name, family in released.families.items():
        x = FEATURES[family.vector.name](people, **family.vector.numbers)
        y = gate(x, family.clip)
        largest = max(int(row @ row) for row in y)
        assert largest <= bound(family.clip) ** 2, name
        assert x.shape[1] == family.vector.size, name
        if name in ("first profile", "durations", "scores"):  # here the norm is bounded by argument, not by clipping
            assert np.linalg.norm(x, axis=1).max() <= family.clip * (1 + 1e-12), name


def test_shares_and_ledger_add_up_to_the_budget():
    assert math.fsum(SHARES.values()) == pytest.approx(1.0, abs=1e-12)
    cal = calendar(7 * 24, 3600, MONDAY)
    _, ledger = run(population(10, 7 * 24, 3), 3, cal, TeachingNoise(np.random.default_rng(1)))
    assert ledger.spent == pytest.approx(ledger.total, rel=1e-12)
    assert {e.mechanism: e.amount / ledger.total for e in ledger.entries} == pytest.approx(SHARES)


def test_without_noise_the_clipped_sums_come_out():
    cal = calendar(8 * 48, 1800, MONDAY)
    states = population(30, 8 * 48, 3)
    released, _ = run(states, 3, cal, NoNoise())
    assert released.n_people == 30
    for name, family in released.families.items():
        by_hand = np.zeros(family.vector.size, np.int64)
        for row in states:
            x = FEATURES[family.vector.name](row[None], **family.vector.numbers)[0]
            norm = math.sqrt(float(x @ x))
            y = np.trunc(x * min(1.0, family.clip / norm if norm else 1.0) * GRID).astype(np.int64)
            by_hand += y
        assert released.value[name] * GRID * 30 == pytest.approx(by_hand, abs=2 * 30), name
    shares = np.array([(states == a).mean() for a in range(3)])
    assert released.totals == pytest.approx(shares, abs=0.03)


def test_threads_and_blocks_change_no_sum(monkeypatch):
    from sequester.methods.activity.activity_dp.kernels import features as activity_features

    cal = calendar(8 * 48, 1800, MONDAY)
    states = population(50, 8 * 48, 3)
    whole, _ = run(states, 3, cal, NoNoise())
    monkeypatch.setattr(activity_features, "BLOCK_BYTES", 24 * 200)
    ledger = Ledger.zcdp(epsilon=1.0, delta=1e-6)
    parts = measure(as_people(states, 2), 3, cal, ledger=ledger, noise=NoNoise(), missing=2)
    for name, value in whole.value.items():
        assert (parts.value[name] == value).all(), name


def neighbours(states, person, n_states, cal, seed):
    """Both sides' inputs to every step of one run, at that run's own released centre, clips and weights."""
    noise = RecordingNoise(TeachingNoise(np.random.default_rng(seed)))
    _, ledger = run(states, n_states, cal, noise)
    replay = RecordingNoise(ReplayNoise(noise.transcript))
    run(np.concatenate([states, person[None]]), n_states, cal, replay)
    given = {step["name"]: step["given"] for step in replay.transcript}
    return noise.transcript, given, {e.mechanism: e for e in ledger.entries}


def test_exhaustive_neighbours_stay_within_the_bounds():
    """Every possible person on a day of six intervals and two states, against three small populations."""
    cal = calendar(6, 4 * 3600, MONDAY)
    everybody = np.array(list(itertools.product(range(2), repeat=6)), dtype=np.uint8)
    for seed, states in enumerate((everybody[:1], everybody)):
        for person in everybody:
            transcript, given, spent = neighbours(states, person, 2, cal, seed)
            for step in transcript:
                change = given[step["name"]].astype(object) - step["given"].astype(object)
                entry = spent[step["name"]]
                if entry.kind == "noisy-max":
                    assert max(abs(change)) <= 1
                else:
                    assert sum(v * v for v in change) <= entry.sensitivity**2, step["name"]


def cost(states, person, n_states, cal, seed=3):
    """Share of the budget that adding a person really uses in one run."""
    transcript, given, spent = neighbours(states, person, n_states, cal, seed)
    total = 0.0
    for step in transcript:
        change = (given[step["name"]] - step["given"]).astype(np.float64)
        if step["kind"] == "gaussian":
            total += float(change @ change) / (2 * step["scale"] ** 2)
        else:
            total += spent[step["name"]].amount
    return total / Ledger.zcdp(epsilon=1.0, delta=1e-6).total


def test_cost_of_the_worst_person_is_within_the_budget():
    length = 8 * 1440
    cal = calendar(length, 60, MONDAY)
    states = population(25, length, 4)
    worst = max(cost(states, person, 4, cal) for person in adversaries(length, 4))
    assert 0.75 < worst <= 1 + 1e-9  # the bounds are met, and nearly reached


@pytest.mark.parametrize(("factor", "found"), [(1.0, False), (0.05, True)])
def test_transcript_audit_passes_the_method_and_catches_too_little_noise(factor, found):
    length, n_states, epsilon = 24, 2, 2.0
    cal = calendar(length, 3600, MONDAY)
    fewer = population(6, length, n_states)
    person = max(
        adversaries(length, n_states), key=lambda p: np.mean([cost(fewer, p, n_states, cal, s) for s in range(5)])
    )

    def stage(states, rng):
        return run(states, n_states, cal, rng.noise, epsilon)

    evidence = audit(
        stage, fewer, np.concatenate([fewer, person[None]]), runs=100, delta=1e-6,
        claimed=epsilon, seed=4, noise=lambda generator: WeakNoise(generator, factor),
    )  # fmt: skip
    assert evidence.holds is not found
    if not found:  # the two neighbours look no more different than the budget allows
        assert evidence["separation"] < math.sqrt(2 * Ledger.zcdp(epsilon=epsilon, delta=1e-6).total) + 0.3

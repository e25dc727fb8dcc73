"""The kernels that draw logs, event for event equal to plain loops fed with the same random numbers."""

import numpy as np
import pytest

import sequester as sq
from sequester.methods.events.markov_dp.kernels import engine
from sequester.methods.events.markov_ratio import generate
from sequester.methods.events.markov_ratio.kernels import law_index, measured
from sequester.model import EventLog
from tests.naive import event_engine, law_walks, law_walks_measured

DAY = 86400


def factors(rng, *, bars, contexts):
    """Random laws over three states: some of them zero, so that walks get stuck."""

    def law(*shape):
        return rng.random(shape) * (rng.random(shape) < 0.85)

    n, bins, classes = 3, 4, 2
    context = np.full((n + 1, n), -1, np.int64)
    if contexts:
        context[rng.random(context.shape) < 0.5] = 0
    return engine.Factors(
        step=law(8, n + 1, n), seen=law(4, n), place=law(10, n), hour=law(8, n, n), length=law(2, n + 1, n),
        context=context, context_rows=law(1, n) if contexts else np.zeros((0, n)), reach=law(2, 40, n),
        gap_row=rng.integers(0, 5, (n, n)), gap_rows=law(5, bins), gap_class=np.array([0, 0, 1, 1]),
        gap_to=law(n, bins), gap_before=law(8, 2, n, classes), gap_place=law(10, classes),
        gap_hour=law(8, n, classes), parts=np.cumsum(law(n, bins, 3) + 0.01, axis=2),
        edges=np.array([0.0, 1.0, 3000.0, 90_000.0, 900_000.0]), hours=law(n, 24), weekdays=law(7),
        bars=rng.random((n, n)) < 0.2 if bars else np.zeros((0, n), bool),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_a_timed_log_is_drawn_as_its_twin_draws_it(seed):
    rng = np.random.default_rng(seed)
    n = 25
    lengths = rng.integers(1, 30, n)
    given = [rng.integers(0, 3, size) if i % 3 == 0 else np.zeros(0, int) for i, size in enumerate(lengths)]
    objects = engine.Objects(
        lengths, rng.integers(0, 2, n), np.concatenate(given).astype(np.int32),
        np.r_[0, np.cumsum([len(x) for x in given])], rng.integers(19_000 * DAY, 19_400 * DAY, n),
    )  # fmt: skip
    laws = factors(rng, bars=seed % 2 == 0, contexts=seed % 3 == 0)
    words = rng.integers(1, 2**63, 4).astype(np.uint64)
    grain, span = (DAY, 30 * DAY) if seed % 4 == 0 else (1, 5 * DAY)
    wanted = event_engine.draw(words.copy(), objects, laws, grain, span)
    got = engine.draw(words.copy(), objects, laws, grain, span)
    assert [part.tolist() for part in got] == [list(part) for part in wanted]
    assert len(set(got[2].tolist())) > 2, "walks of several lengths"


def log(seed, unit):
    rng = np.random.default_rng(seed)
    names = ("arrive", "blood", "scan", "ward", "home")
    traces = [["arrive", *rng.choice(names[1:4], rng.integers(1, 6)), "home"] for _ in range(60)]
    sizes = [len(t) for t in traces]
    gaps = np.concatenate([np.r_[0, rng.choice([0, 600, 5000, 100_000, 900_000], n - 1)] for n in sizes])
    begins = rng.integers(19_000 * DAY, 19_400 * DAY, len(traces))
    own = np.repeat(np.r_[0, np.cumsum(sizes)[:-1]], sizes)
    running = np.cumsum(gaps)
    times = np.repeat(begins, sizes) + running - (running - gaps)[own]
    if unit == "day":
        times = times // DAY * DAY
    if unit == "order":
        times = np.arange(len(gaps)) - own
    return EventLog(
        offsets=np.r_[0, np.cumsum(sizes)],
        states=np.array([names.index(s) for t in traces for s in t]),
        state_names=names,
        times=times,
        time_unit=unit,
    )


def calls_of(monkeypatch, kernel, module, run):
    """What a kernel is called with by a module while a method runs, and what it answers."""
    seen = []

    def recorded(words, *told):
        before = words.copy()
        answer = kernel(words, *told)
        seen.append(((before, *told), answer))
        return answer

    assert module.synthesize is kernel
    monkeypatch.setattr(module, "synthesize", recorded)
    run()
    return seen


@pytest.mark.parametrize("unit", ["second", "day", "order"])
@pytest.mark.parametrize("split", [False, True])
def test_walks_of_measured_lengths_equal_their_twin(monkeypatch, unit, split):
    method = sq.MarkovRatio(epsilon=0.65, split_gap=100.0 if split and unit != "order" else 0.0)
    run = lambda: sq.anonymize(log(4, unit), method, seed=6)  # noqa: E731
    calls = calls_of(monkeypatch, measured.synthesize, generate, run)
    for told, answer in calls:
        assert [part.tolist() for part in answer] == list(law_walks_measured.synthesize(*told))
    assert sum(len(answer[0]) for _, answer in calls) > 60


@pytest.mark.parametrize("seed", range(6))
def test_the_index_of_laws_finds_what_a_dictionary_finds(seed):
    rng = np.random.default_rng(seed)
    parts = {tuple(int(x) for x in rng.integers([0, -1, -1, 0], [4, 5, 6, 50])) for _ in range(rng.integers(0, 200))}
    keys = sorted({law_walks.key(*p) for p in parts})
    assert all(law_index.key_of(*p) == law_walks.key(*p) for p in parts)
    n = len(keys)
    ones = np.ones(n)
    table = law_index.laws(np.array(keys, np.int64), np.arange(n), np.ones(n, np.int64), ones)
    rows = {key: row for row, key in enumerate(keys)}
    asked = [*keys, *(law_walks.key(5, 0, 0, row) for row in range(30))]
    assert [law_index.find(table, key) for key in asked] == [rows.get(key, -1) for key in asked]

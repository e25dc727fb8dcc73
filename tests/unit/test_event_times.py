"""The time model of markov-dp: kernels against their twins, bounds at released values, and what it is for."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.dp.gate import GRID, bound, gate_cells
from sequester.dp.noise import RecordingNoise, ReplayNoise
from sequester.dp.randomness import Randomness
from sequester.methods.events.markov_dp import MarkovDP
from sequester.methods.events.markov_dp import design as d
from sequester.methods.events.markov_dp.kernels.moves import (
    clipped_totals,
    gated_totals,
    moves,
    object_norms,
    tally_within,
)
from sequester.methods.events.markov_dp.measure import measure
from sequester.methods.events.markov_dp.pieces import median_grid
from sequester.methods.events.markov_dp.tables import ALL, FEW, grid_of, shape_of
from sequester.model import EventLog
from tests.naive import event_moves as naive

START = int(np.datetime64("2024-03-04T08:00:00", "s").astype(int))
GAPS = st.sampled_from([0, 0, 0, 1, 59, 3599, 3600, 28_799, 28_800, 129_600, 86400 * 9, 86400 * 2000])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(st.integers(0, 2), GAPS), min_size=1, max_size=30), min_size=1, max_size=5))
def test_moves_equal_their_twin(traces):
    states = np.array([s for t in traces for s, _ in t], np.int32)
    times = np.concatenate([START + np.cumsum([g for _, g in t]) for t in traces]).astype(np.int64)
    offsets = np.r_[0, np.cumsum([len(t) for t in traces])].astype(np.int64)
    for unit in ("second", "day"):
        grid = grid_of(unit)
        when = times // 86400 * 86400 if unit == "day" else times
        got = moves(states, when, offsets, 3, grid.edges.astype(np.float64), grid.parts)
        want = naive.moves(states.tolist(), when.tolist(), offsets.tolist(), grid.edges.tolist(), grid.parts)
        assert got.T.tolist() == want


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(-1, 5), max_size=40), min_size=1, max_size=6),
    st.sampled_from([0.35, 1.0, 2.5, 900.0]),
    st.sampled_from([1.0, 3.7]),
)
def test_sums_of_gated_counts_equal_the_gate(objects, clip, by):
    cells = np.array([c for o in objects for c in o], np.int64)
    bounds = np.r_[0, np.cumsum([len(o) for o in objects])].astype(np.int64)
    divisors = np.full(len(objects), by)
    own, counts, owners = tally_within(cells, bounds)
    want = np.zeros(6, np.int64)
    np.add.at(want, own, gate_cells(counts / by, owners, clip))
    got = gated_totals(cells, bounds, divisors, clip, bound(clip), float(GRID), 6)
    assert np.abs(got - want).max() <= len(objects)  # a last bit of the norm may truncate one unit more
    norms = [math.sqrt(sum(o.count(c) ** 2 for c in set(o) if c >= 0)) / by for o in objects]
    assert np.allclose(object_norms(cells, bounds, divisors, 6), norms)
    drawn = clipped_totals(cells, bounds, divisors, clip, 6)
    assert np.allclose(drawn, naive.clipped(cells.tolist(), bounds.tolist(), divisors.tolist(), clip, 6))
    for i in range(len(objects)):
        alone = gated_totals(
            cells[bounds[i] : bounds[i + 1]].copy(), np.array([0, len(objects[i])]), divisors[:1], clip, bound(clip),
            float(GRID), 6,
        )  # fmt: skip
        assert sum(int(x) ** 2 for x in alone) <= bound(clip) ** 2


@pytest.mark.parametrize("share", [0.999999, 0.5, 0.01])
def test_sums_shrink_until_they_keep_a_limit_below_the_clip(share):
    """A limit that scaling alone never reaches: the loop behind it must, for every object."""
    rng = np.random.default_rng(3)
    objects = [rng.integers(-1, 6, n).tolist() for n in (1, 2, 7, 30, 60)]
    cells = np.array([c for o in objects for c in o], np.int64)
    bounds = np.r_[0, np.cumsum([len(o) for o in objects])].astype(np.int64)
    divisors, limit = np.array([1.0, 3.7, 1.0, 2.0, 1.0]), int(bound(1.5) * share)
    got = gated_totals(cells, bounds, divisors, 1.5, limit, 1024.0 * 1024.0, 6)
    want, most = naive.gated(cells.tolist(), bounds.tolist(), divisors.tolist(), 1.5, limit, 1024.0 * 1024.0, 6)
    assert got.tolist() == want and 0 < most <= limit**2


def chosen(**more):
    told = {"epsilon": 4.0, "delta": 1e-6, "people_at_least": 400, "dates": "2024-01-01..2025-12-31"}
    return MarkovDP(**(told | more))


def batches(n, unit="second", seed=0, long=False):
    """A visit: three values of one sample at one moment, each once, then a pause of hours and a decision."""
    rng = np.random.default_rng(seed)
    names = ("in", "x", "y", "z", "out")
    states, times, offsets = [], [], [0]
    for _ in range(n):
        t = START + 86400 * int(rng.integers(0, 300)) + int(rng.integers(0, 40_000))
        states.append(0)
        times.append(t)
        for _ in range(int(rng.integers(1, 4)) * (25 if long else 1)):
            t += int(rng.integers(20_000, 40_000))
            states += (rng.permutation(3) + 1).tolist()
            times += [t] * 3
        states.append(4)
        times.append(t + 3600)
        offsets.append(len(states))
    when = np.array(times)
    return EventLog(
        offsets=np.array(offsets), states=np.array(states), state_names=names,
        times=when // 86400 * 86400 if unit == "day" else when, time_unit=unit,
    )  # fmt: skip


@pytest.mark.parametrize(
    "unit,people,codes,tables",
    [
        ("second", 200, 5, FEW), ("second", 1000, 5, ALL), ("second", 200, 30, ()), ("second", 4000, None, ()),
        ("day", 1000, 5, ()), ("order", 4000, 5, ()),
    ],
)  # fmt: skip
def test_declarations_decide_which_tables_are_measured(unit, people, codes, tables):
    plan = chosen(people_at_least=people, states_at_most=codes).design(unit)
    assert plan.tables == tables and plan.rich == (codes is not None and people >= 1000)
    weak = chosen(people_at_least=people, epsilon=1.0, force=True, states_at_most=59).design("second")
    assert not set(ALL) & set(weak.tables), "fifteen people's worth per code are needed"


def test_the_same_tables_whatever_noise_lets_survive():
    """Ten seeds, between four and six states: the same mechanisms every time."""
    log, method = batches(300), chosen(people_at_least=300, epsilon=2.4, force=True, states_at_most=5)
    named, entries = set(), set()
    for seed in range(10):
        ledger = method.ledger()
        named.add(measure(log, method.design("second"), Randomness(seed=seed).noise, ledger).names)
        entries.add(tuple(e.mechanism for e in ledger.entries))
    assert len(entries) == 1 and "seen" in next(iter(entries)) and len(named) >= 1


@pytest.mark.parametrize("unit", ["second", "day"])
@pytest.mark.parametrize("people", [300, 1200, 100_000])
@pytest.mark.parametrize("long", [False, True])
def test_at_the_same_released_values_an_object_stays_within_every_bound(unit, people, long):
    log = batches(120, unit, long=long)
    method = chosen(people_at_least=people, states_at_most=5)
    odd = np.r_[np.tile([1, 1, 2], 130), 4]
    for gap in (0, 700, 86400 * 3):
        start = START // 86400 * 86400
        more = EventLog(
            offsets=np.r_[log.offsets, log.offsets[-1] + len(odd)], states=np.r_[log.states, odd],
            state_names=log.state_names, times=np.r_[log.times, start + gap // 86400 * 86400 * np.arange(len(odd))]
            if unit == "day" else np.r_[log.times, start + gap * np.arange(len(odd))], time_unit=unit,
        )  # fmt: skip
        drawn, ledger = RecordingNoise(Randomness(seed=2).noise), method.ledger()
        measured = measure(log, method.design(unit), drawn, ledger)
        replayed = RecordingNoise(ReplayNoise(drawn.transcript))
        measure(more, method.design(unit), replayed, method.ledger())
        assert ledger.spent == pytest.approx(ledger.total, rel=1e-12)
        assert measured.tables == method.design(unit).tables
        for a, b, entry in zip(drawn.transcript, replayed.transcript, ledger.entries, strict=True):
            if entry.kind == "gaussian":
                moved = math.sqrt(sum((int(x) - int(y)) ** 2 for x, y in zip(a["given"], b["given"])))
                assert moved <= entry.sensitivity, entry.mechanism
        for name in measured.tables:
            size = math.prod(shape_of(name, len(measured.names), measured.grid))
            assert len(measured.timed[name].values) == size


def test_length_classes_need_a_budget_that_carries_them():
    def classes(people, codes, **more):
        return "length" in chosen(people_at_least=people, states_at_most=codes, **more).design("day").tables

    assert classes(1200, 5) and not classes(1200, 90) and not classes(1200, 5, max_events=199)
    assert not classes(400, 5)  # the index of six states is large enough, the strength is not
    assert not classes(1200, None)


@pytest.mark.parametrize("unit", ["second", "day"])
def test_refining_tables_leave_people_lengths_and_medians_their_budget(unit):
    """Between 15 and 60 per state the clock alone refines; what it takes comes from transitions, gaps and clock."""
    plan = chosen(people_at_least=400, states_at_most=5)
    plain, refined = (p.design(unit).shares() for p in (chosen(people_at_least=400), plan))
    assert refined["timed"] == pytest.approx(0.0 if unit == "day" else 0.2 * refined["people"] / 0.01 / 5)
    for name in ("people", "lengths", "variants", "median", "small median", "spans"):
        assert refined.get(name) == plain.get(name), name
    for name in ("pairs", "gaps", "clock"):
        assert refined[name] < plain[name] if unit == "second" else refined[name] == plain[name]


def test_spans_take_their_share_from_everything_else():
    weak, strong = (chosen(people_at_least=n).design("second") for n in (4000, 5000))
    assert weak.strength < d.STRONG_FROM < strong.strength
    assert [plan.shares()["spans"] / plan.rho for plan in (weak, strong)] == pytest.approx([0.144, 0.064])
    assert [plan.shares()["span moments"] / plan.rho for plan in (weak, strong)] == pytest.approx([0.036, 0.016])
    assert chosen(people_at_least=4000).design("order").shares()["spans"] == 0


@pytest.mark.parametrize("unit,lower", [("second", 1), ("day", 0)])
def test_a_clip_lies_below_the_released_median_in_logs_with_a_clock(unit, lower):
    log, method = batches(400, unit), chosen(people_at_least=400)
    drawn, ledger = RecordingNoise(Randomness(seed=2).noise), method.ledger()
    measured = measure(log, method.design(unit), drawn, ledger)
    grid = median_grid(method.max_events + 1.0)
    told = dict(zip((e.mechanism for e in ledger.entries), drawn.transcript))
    for name in ("pairs", "gaps"):
        named = told[f"{name} clip"]["out"]
        assert named > 0 and measured.clips[name] == grid[named - lower]


def test_batches_stay_together_and_a_model_learns_from_them():
    """Without the time model a walk repeats a value inside its sample; with it, hardly ever."""
    log, others = batches(900), batches(300, seed=5)

    def repeats(release):
        events = release.tables["events"].to_pandas()
        inside = events[events.state.isin(["x", "y", "z"])]
        return inside.duplicated(["object", "time", "state"]).mean()

    timed = sq.anonymize(log, chosen(people_at_least=900, states_at_most=5), seed=1)
    plain = sq.anonymize(log, chosen(people_at_least=200, epsilon=4.0), seed=1)
    assert sq.verify(timed, log).holds and sq.verify(plain, log).holds
    told = [{f.name: f.value for f in sq.measure(log, r, others=others).figures} for r in (timed, plain)]
    assert repeats(timed) < 0.1
    assert told[0]["tree"] > 0.9 * told[0]["tree_original"]
    assert told[0]["next_gap"] < 1.5


def test_figures_say_on_whom_a_model_was_tested():
    log = batches(80)
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.65), seed=1)
    said = {f.name: f.says for f in sq.measure(log, release).figures}
    assert said["tree"].endswith("tested on the people it was made from: nobody was held out.")
    said = {f.name: f.says for f in sq.measure(log, release, others=batches(50, seed=9)).figures}
    assert said["tree"].endswith("tested on other people.")


def test_a_tree_finds_what_there_is_to_find():
    from sequester.utility.trees import class_tree, number_tree

    rng = np.random.default_rng(0)
    x = rng.random((3000, 3))
    y = (x[:, 0] > 0.5).astype(int) + 2 * (x[:, 1] > 0.3)
    found = class_tree(x[:2000], y[:2000], 4).predict(x[2000:])
    assert (found == y[2000:]).mean() > 0.97
    z = np.where(x[:, 2] > 0.6, 3.0, -1.0)
    assert np.abs(number_tree(x[:2000], z[:2000]).predict(x[2000:]) - z[2000:]).mean() < 0.1
    assert class_tree(x[:10], y[:10], 4).predict(x[:3]).tolist() == [np.bincount(y[:10]).argmax()] * 3


def test_log_of_days_has_no_bins_inside_a_day():
    grid = grid_of("day")
    assert grid.edges[:3].tolist() == [0.0, 86400.0, 129600.0] and grid.classes == 5 and grid.bins == 13
    assert grid_of("second").bins == 24 and grid_of("order").bins == 1

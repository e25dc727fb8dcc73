import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.dp.gate import GRID, bound, gate, gate_cells
from sequester.dp.randomness import Randomness
from sequester.methods.events.markov_dp import MarkovDP
from sequester.methods.events.markov_dp import design as d
from sequester.methods.events.markov_dp.generate import wanted_objects
from sequester.methods.events.markov_dp.laws import laws, normsub
from sequester.methods.events.markov_dp.measure import measure
from sequester.methods.events.markov_dp.timed import fitted
from sequester.methods.events.shared.notes import Rules, read_rules
from sequester.model import EventLog
from sequester.release import Note

DATES = "2024-01-01..2025-12-31"
START = int(np.datetime64("2024-03-04T08:00:00", "s").astype(int))


class Silent:
    """No noise at all: what the mechanisms were given comes out."""

    secure = False

    def gaussian(self, name, values, scale):
        return np.asarray(values, np.int64)

    laplace = gaussian

    def noisy_max(self, name, utilities, scale):
        return int(np.argmax(utilities))

    def threshold(self, name, keys, values, scale, tau):
        shown = [i for i in np.argsort(-values, kind="stable") if values[i] > tau]
        return [keys[i] for i in shown], values[shown]


def log_of(traces, names, gap=600, unit="second", start=START):
    sizes = [len(t) for t in traces]
    offsets = np.r_[0, np.cumsum(sizes)]
    times = np.concatenate([start + gap * np.arange(n) for n in sizes]) if sizes else []
    if unit == "order":
        times = np.arange(offsets[-1])
    return EventLog(
        offsets=offsets,
        states=[names.index(s) for t in traces for s in t],
        state_names=names,
        times=times,
        time_unit=unit,
    )


def method(tmp_path=None, names=(), **more):
    told = {"epsilon": 4.0, "delta": 1e-6, "people_at_least": 400, "dates": DATES} | more
    if tmp_path is not None:
        path = tmp_path / "codebook.txt"
        path.write_text("\n".join(names), "utf-8")
        told["codebook"] = str(path)
    elif "codebook" not in told:
        told.setdefault("states_at_most", 10)
    return MarkovDP(**told)


def measured(chosen, log, noise=None):
    return measure(log, chosen.design(log.time_unit), noise or Silent(), chosen.ledger())


def test_sparse_gate_equals_the_dense_one():
    rng = np.random.default_rng(0)
    x = rng.normal(0, 3, (40, 6)) * (rng.random((40, 6)) < 0.6)
    x[3], x[4, 0], x[5, 1] = 0, np.nan, np.inf
    where = np.nonzero((x != 0) | np.isnan(x))
    bounds = np.r_[0, np.cumsum(np.bincount(where[0], minlength=40))]
    for clip in (0.5, 2.0, 1000.0):
        dense = gate(x, clip)
        assert gate_cells(x[where], bounds, clip).tolist() == dense[where].tolist()
        squares = np.zeros(40, np.int64)
        np.add.at(squares, where[0], gate_cells(x[where], bounds, clip) ** 2)
        assert squares.max() <= bound(clip) ** 2


def test_without_noise_the_counts_are_exact_up_to_the_clip(tmp_path):
    names = ("a", "b", "c")
    log = log_of([["a", "b", "c"]] * 30 + [["a", "c"]] * 10, names)
    m = measured(method(tmp_path, names), log)
    side = len(m.names) + 1
    pairs = m.pairs.values.reshape(side, side)
    assert m.names == ("a", "b", "c", "OTHER") and not m.rich and m.people == 40
    # The median norm is 2 (four transitions): longer traces are scaled down to it.
    norm = pairs[-1, 0] / 40
    assert 0.9 < norm <= 1.0 and math.isclose(pairs[0, 1], pairs[1, 2], rel_tol=1e-4)
    assert math.isclose(m.lengths.values.sum(), 40, rel_tol=1e-6)
    assert m.starts.values[8] == pytest.approx(40, rel=1e-5)


def adversaries(names):
    yield [names[0]] * 400
    yield [names[i % 2] for i in range(400)]
    yield [names[i % len(names)] for i in range(400)]
    yield [names[0]]
    rng = np.random.default_rng(0)
    yield [names[i] for i in rng.integers(0, len(names), 300)]


def _with(log, trace, gap):
    codes = [log.state_names.index(s) for s in trace]
    times = START + gap * np.arange(len(codes)) if log.time_unit != "order" else np.arange(len(codes))
    if log.time_unit == "day":
        times = times // 86400 * 86400
    return EventLog(
        offsets=np.r_[log.offsets, log.offsets[-1] + len(codes)],
        states=np.r_[log.states, codes],
        state_names=log.state_names,
        times=np.r_[log.times, times],
        time_unit=log.time_unit,
    )


@pytest.mark.parametrize("unit", ["second", "day", "order"])
def test_at_the_same_released_values_an_object_stays_within_the_bound(tmp_path, unit):
    """The exact statement: replay one run's outputs on the neighbour and compare the inputs of every step."""
    from sequester.dp.noise import RecordingNoise, ReplayNoise

    names = tuple("abcdefgh")
    base = log_of(
        [["a", "b", "c"], ["b", "c"], ["a", "d", "e", "a"]] * 20,
        names,
        gap=86400,
        unit=unit,
        start=START // 86400 * 86400,
    )
    chosen = method(tmp_path, names, people_at_least=100_000)
    rng = Randomness(seed=5)
    for extra in adversaries(names):
        for gap in (0, 7, 86400 * 40):
            drawn, ledger = RecordingNoise(rng.noise), chosen.ledger()
            measure(base, chosen.design(unit), drawn, ledger)
            replayed = RecordingNoise(ReplayNoise(drawn.transcript))
            measure(_with(base, extra, gap), chosen.design(unit), replayed, chosen.ledger())
            used = 0.0
            for a, b, entry in zip(drawn.transcript, replayed.transcript, ledger.entries, strict=True):
                assert a["scale"] == b["scale"] == entry.scale
                if entry.kind == "gaussian":
                    moved = math.sqrt(sum((int(x) - int(y)) ** 2 for x, y in zip(a["given"], b["given"])))
                    assert moved <= entry.sensitivity, entry.mechanism
                    used += (moved / entry.scale) ** 2 / 2
                elif entry.kind == "noisy-max":
                    assert np.abs(a["given"] - b["given"]).max() <= 1
            assert used <= ledger.total


@pytest.mark.parametrize("people_at_least", [400, 100_000])
def test_an_object_of_many_states_stays_within_the_bound_of_private_names(people_at_least):
    """Without a codebook: a hundred states of one's own count as fifty, whoever else is in the log."""
    from sequester.dp.noise import RecordingNoise, ReplayNoise

    names = tuple(f"s{i}" for i in range(120))
    base = log_of([list(names[:3]), list(names[1:3]), list(names[:60])] * 40, names)
    chosen = method(people_at_least=people_at_least, epsilon=20.0, states_at_most=120)
    for extra in (names[20:], names[:60] * 2, names[60:], (names[7],) * 30 + names[:100]):
        drawn, ledger = RecordingNoise(Randomness(seed=5).noise), chosen.ledger()
        measure(base, chosen.design("second"), drawn, ledger)
        replayed = RecordingNoise(ReplayNoise(drawn.transcript))
        measure(_with(base, extra, 60), chosen.design("second"), replayed, chosen.ledger())
        for a, b, entry in zip(drawn.transcript, replayed.transcript, ledger.entries, strict=True):
            if entry.kind == "threshold":
                before, after = (dict(zip(x["keys"], x["given"].tolist())) for x in (a, b))
                moved = [after.get(k, 0) - before.get(k, 0) for k in before | after]
                if entry.mechanism == "states":
                    assert sum(x != 0 for x in moved) <= d.STATES_PER_OBJECT
            else:
                moved = (b["given"] - a["given"]).tolist()
            limit = entry.sensitivity if entry.kind != "noisy-max" else 1
            size = max(map(abs, moved)) if entry.kind == "noisy-max" else math.sqrt(sum(x * x for x in moved))
            assert size <= limit, entry.mechanism


@pytest.mark.parametrize("unit", ["second", "day", "order"])
@pytest.mark.parametrize("people_at_least", [400, 100_000])
@pytest.mark.parametrize("told", [False, True])
def test_every_design_spends_the_whole_budget(tmp_path, unit, people_at_least, told):
    names = tuple("abc")
    log = log_of([["a", "b", "c"], ["b", "c"]] * 200, names, unit=unit, gap=86400, start=START // 86400 * 86400)
    chosen = method(tmp_path if told else None, names, people_at_least=people_at_least)
    ledger = chosen.ledger()
    m = measure(log, chosen.design(unit), Randomness(seed=1).noise, ledger)
    assert m.rich == (people_at_least > 400)
    assert ledger.spent == pytest.approx(ledger.total, rel=1e-12)
    assert sum(e.delta for e in ledger.entries) == pytest.approx(chosen.delta / 4 * (m.rich + (not told)))


def test_the_whole_budget_is_spent_and_no_more():
    log = sq.sample("events", n_people=120)
    for more in ({}, {"people_at_least": 100_000}):
        chosen = method(**more)
        release = chosen.apply(log, rng=Randomness(seed=1), engine=sq.Engine())
        assert release.ledger.spent == pytest.approx(release.ledger.total)
        assert sq.verify(release).holds
    assert release.tables["model"]["value"][2].as_py() == 2.0  # enough people: pairs of states as context


def test_a_ledger_off_by_one_percent_is_caught():
    release = method().apply(sq.sample("events", n_people=60), rng=Randomness(seed=1), engine=sq.Engine())
    entry = release.ledger.entries[-1]
    release.ledger.entries[-1] = replace(entry, scale=entry.scale * 0.99)
    assert not sq.verify(release).holds


def test_rare_states_are_folded_when_the_states_are_private():
    names = ("a", "b", "SECRET")
    log = log_of([["a", "b", "a"]] * 300 + [["a", "SECRET"]], names)
    release = method().apply(log, rng=Randomness(seed=2), engine=sq.Engine())
    assert set(release.tables["events"]["state"].to_pylist()) <= {"a", "b", "OTHER"}
    assert "SECRET" not in release.tables["model"]["to"].to_pylist()


def test_a_unique_variant_is_never_released():
    names = tuple("abc")
    log = log_of([["a", "b"]] * 500 + [["c", "a", "c", "b", "c"]], names)
    chosen = method(people_at_least=100_000)
    m = measured(chosen, log)
    assert [v.tolist() for v in m.variants] == [[m.names.index("a"), m.names.index("b")]]


def test_the_custodian_is_told_when_public_parameters_do_not_fit():
    log = sq.sample("events", n_people=300, seed=3)
    fine = method(people_at_least=250).apply(log, rng=Randomness(seed=1), engine=sq.Engine())
    assert [n.about for n in fine.notes] == ["states", "outlook", "tables"]
    wrong = method(people_at_least=100_000, dates="1990-01-01..1990-12-31")
    release = wrong.apply(log, rng=Randomness(seed=1), engine=sq.Engine())
    told = {n.about: n.says for n in release.notes}
    assert told["people"] == (
        "The noisy count contradicts people_at_least: the accuracy is lower than n sqrt(rho) says. "
        "Take the number from the study's protocol."
    )
    assert told["dates"] == (
        f"{len(log.times)} of {len(log.times)} events lie outside dates and count on its first or last day. "
        "Check the range, which must be known in public and not be read off the log."
    )
    assert "notes" not in release.tables and sq.verify(release).holds


def test_rules_are_honoured(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("# order\nICU never before SURGERY\n\nnothing after DISCHARGE\n", "utf-8")
    log = sq.sample("events", n_people=300, seed=3)
    for chosen in (
        method(rules=str(path), epsilon=20.0),
        method(rules=str(path), epsilon=20.0, people_at_least=100_000),
        sq.MarkovRatio(epsilon=0.65, rules=str(path)),
    ):
        events = sq.anonymize(log, chosen, seed=4).tables["events"]
        assert chosen.parameters["rules"] == "rules.txt"
        traces = {}
        for o, s in zip(events["object"].to_pylist(), events["state"].to_pylist()):
            traces.setdefault(o, []).append(s)
        assert any("ICU" in t for t in traces.values()) and any("DISCHARGE" in t for t in traces.values())
        for t in traces.values():
            assert "DISCHARGE" not in t[:-1]
            assert "ICU" not in t or "SURGERY" not in t[t.index("ICU") :]


def test_rules_about_unknown_states_are_told_or_refused(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("ICU never before SURGERRY\nnothing after DISCHARGE\n", "utf-8")
    log = sq.sample("events", n_people=300, seed=3)
    note = (
        "1 of 3 states named by the rules cannot appear in the synthetic log, 1 of them because the data has no such "
        "state; rules about them have no effect. Check the spelling."
    )
    for chosen in (method(rules=str(path), epsilon=20.0), sq.MarkovRatio(epsilon=0.65, rules=str(path))):
        notes = sq.anonymize(log, chosen, seed=4).notes
        assert Note("rules", note) in notes
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(log, method(tmp_path, log.state_names, rules=str(path)), seed=4)
    assert str(caught.value) == (
        "markov-dp: the codebook lacks 1 of the 3 states named by the rules. "
        "Correct the rules, or add the states to the codebook."
    )
    path.write_text("nothing after DISCHARGE\nOTHER never before ICU\n", "utf-8")
    chosen = method(tmp_path, log.state_names, rules=str(path), people_at_least=250)
    release = sq.anonymize(log, chosen, seed=4)
    assert [n.about for n in release.notes] == ["states", "outlook", "tables"] and sq.verify(release).holds


def test_a_bad_rule_is_named_by_its_line(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("a never before b\na comes first\n", "utf-8")
    with pytest.raises(sq.InputError) as caught:
        read_rules(str(path), "markov-dp")
    assert str(caught.value) == (
        "markov-dp: line 2 of 'rules.txt' is not a rule. Write 'A never before B' or 'nothing after C', one per line."
    )


def test_too_small_a_budget_is_refused_before_it_is_spent(tmp_path):
    names = tuple(f"s{i}" for i in range(50))
    log = log_of([list(names[:5])] * 10, names)
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(log, method(tmp_path, names, people_at_least=100), seed=1)
    assert str(caught.value) == (
        "markov-dp: people_at_least=100 at epsilon=4 gives n sqrt(rho) = 55; for 51 states at least 204 is needed, "
        "below that the result is noise. Enough would be 370 people, or epsilon 19, or at most 13 states. force=True "
        "publishes it nevertheless, and the release says so."
    )
    forced = sq.anonymize(log, method(tmp_path, names, people_at_least=100, force=True), seed=1)
    assert sq.verify(forced).holds
    assert forced.guarantee.not_covered[0].startswith("Usefulness: the custodian forced this release")
    assert forced.guarantee.statement.startswith("This release was forced: expect mostly noise. Adding or removing")


def test_states_that_are_selected_privately_need_enough_people():
    log = sq.sample("events", n_people=340)
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(log, method(epsilon=1.0, people_at_least=340, states_at_most=None), seed=1)
    assert str(caught.value) == (
        "markov-dp: people_at_least=340 at epsilon=1 gives n sqrt(rho) = 51; where states are selected privately at "
        "least 100 is needed, below that the result is noise. Enough would be 661 people, or epsilon 2.1. force=True "
        "publishes it nevertheless, and the release says so."
    )


def test_more_states_than_the_budget_can_name_are_refused_by_declarations():
    many = method(epsilon=1.0, people_at_least=1199, states_at_most=397)
    with pytest.raises(sq.InputError) as caught:
        many.design("second")
    assert str(caught.value) == (
        "markov-dp: people_at_least=1199 at epsilon=1 gives n sqrt(rho) = 182; for 398 states that are selected "
        "privately at least 320 is needed, below that the result is noise. Enough would be 2113 people, or epsilon "
        "1.9, or at most 163 states. force=True publishes it nevertheless, and the release says so."
    )
    for enough in ({"people_at_least": 2113}, {"epsilon": 1.9}, {"states_at_most": 162}):
        replace(many, **enough).design("second")


def test_only_what_overrode_a_refusal_is_called_forced():
    fine, weak = method(force=True), method(epsilon=0.5, people_at_least=100, force=True)
    assert fine.guarantee == method().guarantee
    assert weak.guarantee.statement.startswith("This release was forced: expect mostly noise.")


@pytest.mark.parametrize(
    "more,message",
    [
        ({"dates": None}, "markov-dp: the log has a clock; pass dates=FROM..TO, a range anyone may know."),
        ({"codebook": "nowhere.txt"}, "markov-dp: codebook file 'nowhere.txt' does not exist. Check the path."),
    ],
)
def test_what_is_missing_is_said(more, message):
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(sq.sample("events", n_people=5), method(**more), seed=1)
    assert str(caught.value) == message


@pytest.mark.parametrize("dates", ["2024", "2025-01-01..2024-01-01", "..", "soon..later"])
def test_bad_dates_are_refused(dates):
    with pytest.raises(sq.ParameterError) as caught:
        method(dates=dates)
    assert str(caught.value) == (
        "MarkovDP: dates must be FROM..TO with FROM not after TO, for example 2014-01-01..2015-12-31."
    )


def test_order_only_and_day_only_logs(tmp_path):
    names = ("a", "b", "c")
    for unit in ("order", "day"):
        traces = [["a", "b", "c"], ["a", "c"]] * 40
        log = log_of(traces, names, gap=86400, unit=unit, start=START // 86400 * 86400)
        release = sq.anonymize(log, method(tmp_path, names, dates=DATES if unit == "day" else None), seed=2)
        assert sq.verify(release, log).holds
        assert str(release.tables["events"]["time"].type) == {"order": "int64", "day": "date32[day]"}[unit]


def test_many_states_and_long_traces(tmp_path):
    names = tuple(f"activity {i}" for i in range(624))
    rng = np.random.default_rng(0)
    traces = [[names[j] for j in rng.zipf(1.5, n) % 624] for n in (1814, 3, 40, 900)] * 3
    log = log_of(traces, names, gap=86400, unit="day", start=START // 86400 * 86400 - 86400 * 2000)
    chosen = method(dates="2018-01-01..2025-12-31", people_at_least=1000, max_events=400)
    release = sq.anonymize(log, chosen, seed=2)
    assert sq.verify(release).holds
    ratio = sq.anonymize(log, sq.MarkovRatio(epsilon=0.65), seed=2)
    assert sq.verify(ratio, log).holds


def test_normsub_keeps_the_total_and_the_order():
    x = np.array([5.0, -3.0, 2.0, 0.4])
    out = normsub(x, 6.0)
    assert out.sum() == pytest.approx(6.0) and out.min() >= 0
    assert (np.diff(out[np.argsort(x)]) >= 0).all()
    assert normsub(x, -1.0).tolist() == [0.0] * 4 and normsub(np.zeros(0), 3.0).shape == (0,)


def test_bins_widen_until_they_stand_out_of_the_noise():
    plan = method(max_events=200).design("second")
    edges = plan.length_edges
    assert edges[:9].tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 10] and edges[-1] == 201
    for people, sd in ((100, 1.0), (1000, 20.0), (50, 30.0)):
        wide = d.widened(edges, people, sd)
        assert wide[0] == 1 and wide[-1] == 201 and (np.diff(wide) > 0).all()
        assert len(wide) <= 3 or people / (4 * sd) >= len(wide) - 1


def test_the_universe_threshold_meets_its_reference_figure():
    """With at most 10 states per object: 16.3 at sigma 3, 32.3 at sigma 6, delta_u/2 = 5e-7."""

    def tau(sigma):
        return max(1 / math.sqrt(t) + sigma * d.tail(-math.expm1(math.log1p(-5e-7) / t)) for t in range(1, 11))

    assert round(tau(3), 1) == 16.3 and round(tau(6), 1) == 32.3
    assert d.universe_threshold(3.0, 5e-7) >= tau(3)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=9), min_size=1, max_size=12),
    st.sampled_from(["second", "day", "order"]),
    st.integers(0, 1000),
)
def test_generation_keeps_its_invariants_for_any_log(traces, unit, seed):
    names = ("a", "b", "c", "d")
    log = log_of([[names[i] for i in t] for t in traces], names, gap=86400, unit=unit, start=START // 86400 * 86400)
    chosen = method(force=True, people_at_least=10)
    m = measured(chosen, log, Randomness(seed=seed).noise)
    plan = chosen.design(unit)
    rng = np.random.default_rng(seed)
    learned = laws(m, plan, Rules())
    states, times, offsets = fitted(learned, m, plan, Rules(), rng).draw(wanted_objects(learned, rng), rng)
    assert len(states) == len(times) == offsets[-1] and (np.diff(offsets) >= 0).all()
    inside = np.ones(len(states), bool)
    inside[offsets[:-1][offsets[:-1] < len(states)]] = False
    assert (np.diff(times, prepend=0)[inside] >= 0).all()
    assert np.diff(offsets).max(initial=0) <= chosen.max_events
    assert (states >= 0).all() and (states < len(m.names)).all()
    assert GRID == 1 << 20


def test_an_object_speaks_for_the_states_it_has_most_often(monkeypatch):
    """With room for two states per object, the rare third is never named; three equal objects vote alike."""
    monkeypatch.setattr(d, "STATES_PER_OBJECT", 2)
    names = ("often", "rare", "twice")
    log = log_of([["rare", "often", "twice", "often", "twice", "often"]] * 3000 + [["rare"]], names)
    m = measured(method(people_at_least=3000), log)
    assert m.names == ("often", "twice", "OTHER")


def test_gaps_of_whole_days_stay_whole_days(tmp_path):
    """A gap of a day must not start the next one at noon: eight of them would become ten."""
    names, rng = tuple("abc"), np.random.default_rng(0)
    traces = [[names[i] for i in rng.integers(0, 3, 9)] for _ in range(1500)]
    log = log_of(traces, names, gap=2 * 86400, unit="day", start=START // 86400 * 86400)
    events = sq.anonymize(log, method(tmp_path, names, epsilon=20.0), seed=1).tables["events"]
    days, objects = events["time"].cast("int32").to_numpy(), events["object"].to_numpy()
    gaps = np.diff(days)[np.diff(objects) == 0]
    assert 13 / 8 <= gaps.mean() < 17 / 8  # eight gaps, and the bin of sixteen days


def test_contexts_are_those_of_the_largest_counts_where_not_all_fit(tmp_path, monkeypatch):
    names, rng = tuple("abcd"), np.random.default_rng(0)
    log = log_of([[names[i] for i in rng.zipf(1.6, 6) % 4] for _ in range(400)], names, unit="order")
    chosen = method(tmp_path, names, people_at_least=100_000)
    every = measured(chosen, log)
    side = len(every.names) + 1
    monkeypatch.setattr(d, "MOST_TRIPLES", 3 * side)
    few = measured(chosen, log)
    largest = np.sort(every.pairs.values[every.contexts])[-3:]
    assert len(every.contexts) > 3 and few.contexts.tolist() == sorted(few.contexts.tolist())
    assert np.sort(few.pairs.values[few.contexts]).tolist() == largest.tolist()
    rows = every.triples.values.reshape(-1, side)[np.searchsorted(every.contexts, few.contexts)]
    assert (few.triples.values.reshape(3, side) > 0).tolist() == (rows > 0).tolist()


def test_fitting_leaves_hours_alone_where_only_days_are_known(tmp_path):
    names = tuple("abc")
    log = log_of([["a", "b", "c"]] * 200, names, gap=86400, unit="day", start=START // 86400 * 86400)
    chosen = method(tmp_path, names)
    plan, m = chosen.design("day"), measured(chosen, log)
    found = fitted(laws(m, plan, Rules()), m, plan, Rules(), np.random.default_rng(0))
    assert (found.hours == 1.0).all()


@pytest.mark.parametrize(
    "traces",
    [[["a", "b"]], [["a", "b"], ["c"]], [["a"] * n for n in range(1, 9)], [["a", "b", "c"]] * 50, [["b"]] * 50],
    ids=["one person", "two people", "one state", "one variant", "one event each"],
)
@pytest.mark.parametrize("unit", ["second", "day", "order"])
def test_odd_logs_and_odd_parameters_give_a_lawful_log(tmp_path, traces, unit):
    """Nothing divides by zero (warnings are errors), whether noise is nearly absent or all there is."""
    names = tuple("abc")
    log = log_of(traces, names, unit=unit, gap=0, start=START // 86400 * 86400)
    rules = tmp_path / "rules.txt"
    rules.write_text("\n".join(f"{a} never before {b}" for a in names for b in names), "utf-8")
    dates = {} if unit != "order" else {"dates": None}
    for more in (
        {"epsilon": 100.0, "people_at_least": 100_000, "max_events": 50},
        {"epsilon": 0.01, "max_events": 3},
        {"epsilon": 4.0, "max_events": 1},
        {"epsilon": 4.0, "max_events": 50, "rules": str(rules)},
    ):
        for folder in (None, tmp_path):  # names selected privately, and told
            if folder is None and "rules" in more:
                continue
            release = sq.anonymize(log, method(folder, names, force=True, **dates, **more), seed=1)
            assert sq.verify(release, log).holds
    objects = release.tables["events"]["object"].to_pylist()
    states = release.tables["events"]["state"].to_pylist()
    told = [s for s in zip(objects, states) if s[1] != "OTHER"]
    assert len({o for o, _ in told}) == len(told)  # the rules leave room for one state each

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.model import EventLog
from sequester.utility.events import measure_events


@dataclass
class Told:
    tables: dict
    private: dict = field(default_factory=dict)
    parameters: dict = field(default_factory=dict)


def log_of(traces, gap=3600, start=0, names="abcdef"):
    offsets = np.r_[0, np.cumsum([len(t) for t in traces])]
    times = np.concatenate([start + gap * np.arange(len(t)) for t in traces])
    return EventLog(offsets=offsets, states=[names.index(s) for t in traces for s in t], state_names=names, times=times)


def told(traces, gap=3600, start=0):
    number = [i + 1 for i, t in enumerate(traces) for _ in t]
    times = np.concatenate([start + gap * np.arange(len(t)) for t in traces])
    states = [s for t in traces for s in t]
    return Told({"events": pa.table({"object": number, "time": pa.array(times, pa.timestamp("s")), "state": states})})


def test_a_copy_is_perfect_and_says_so():
    traces = ["abc", "abd", "acb", "abc"]
    found = measure_events(log_of(traces), told(traces))
    for name in ("distance", "distance_back", "directly_follows", "bigram_l1", "length", "gap", "hour", "weekday"):
        assert found[name] == pytest.approx(0.0, abs=1e-12), name
    assert found["top20_2grams"] == 1.0 and found["copy_rate"] == 1.0 and found["unique_copy_rate"] == 0.5


def test_the_distance_of_definition_4_looks_one_way():
    """D = {ab, cd}, D' = {ab, ab}: 0 one way although half of D is lost."""
    found = measure_events(log_of(["ab", "cd"]), told(["ab", "ab"]))
    assert found["distance"] == 0.0 and found["distance_back"] == 0.5


def test_directly_follows_counts_starts_and_ends():
    found = measure_events(log_of(["ab"]), told(["ba"]))
    assert (
        found["directly_follows"] == pytest.approx(1.0) and found["bigram_l1"] == 2.0 and found["top20_2grams"] == 0.0
    )
    assert measure_events(log_of(["ab", "b"]), told(["ab", "ab"]))["directly_follows"] == pytest.approx(4 / 15)


def test_lengths_gaps_and_hours():
    found = measure_events(log_of(["aaaa"] * 3, gap=3600), told(["aaaaaa"] * 3, gap=7200, start=86400 * 3))
    assert found["length"] == pytest.approx(0.5) and found["gap"] == 1.0
    assert found["weekday"] == 1.0
    assert measure_events(log_of(["a"]), told(["a"], start=3600 * 5))["hour"] == 1.0


def test_prediction_uses_the_last_two_states():
    traces = ["abc", "dbe"] * 5
    assert measure_events(log_of(traces), told(traces))["next_event"] == pytest.approx(1 - 0.5 / 4)
    assert measure_events(log_of(traces), told(["fff"]))["next_event"] < 0.3


def test_unknown_states_may_be_folded_into_other():
    real = log_of(["abc"] * 4)
    release = Told({"events": pa.table({"object": [1, 1, 1], "time": [1, 2, 3], "state": ["a", "b", "OTHER"]})})
    assert measure_events(real, release)["distance"] > 0.3
    assert measure_events(real, release, fold=True)["distance"] == 0.0


def test_support_and_suppression_come_from_the_custodians_table():
    summary = pa.table({"name": ["kept_statistics", "kept_records", "suppressed_records"], "value": [4, 30, 10]})
    found = measure_events(log_of(["ab"]), Told(told(["ab"]).tables, {"model_summary": summary}))
    assert found["mean_support"] == 7.5 and found["suppression_rate"] == 0.25


@pytest.mark.parametrize(
    "tables,message",
    [
        ({}, "measure: the release has no table 'events'."),
        ({"events": pa.table({"object": [1]})}, "measure: table 'events' lacks time, state."),
    ],
)
def test_what_cannot_be_compared_is_said(tables, message):
    with pytest.raises(sq.InputError) as caught:
        measure_events(log_of(["ab"]), Told(tables))
    assert str(caught.value) == message


def test_durations_are_compared_where_a_tail_shows():
    """One case in ten lasts a hundred times as long: the largest step is small, the mean distance is not."""
    from sequester.utility.event_durations import class_rows, duration_figures, duration_rows, duration_sentence
    from sequester.utility.process_model import Log

    def log(days):
        times = np.stack([np.zeros(len(days)), np.array(days) * 86400.0], axis=1).ravel().astype(np.int64)
        return Log(states=np.zeros(len(times), int), times=times, offsets=np.arange(len(days) + 1) * 2, n_states=1)

    real, long, same = log([1.0] * 100), log([1.0] * 90 + [100.0] * 10), log([1.0] * 5)
    found = {f.name: f for f in duration_figures(real, long)}
    assert found["duration_w1"].value == pytest.approx(9.9, rel=0.1) and found["zero_gaps"].value == 0
    assert found["duration_w1"].says.endswith("NOT VALID: do not use times from first to last event of this release.")
    assert found["duration_by_length"].value == pytest.approx(9.9)
    assert all(f.value == 0 for f in duration_figures(real, same))
    assert class_rows(real, long) == [{"events": "2", "cases": 100, "original": 1.0, "synthetic": pytest.approx(10.9)}]
    rows = {r["what"]: r for r in duration_rows(real, long)}
    assert len(rows) == 14 and rows["duration, 50%"] == {"what": "duration, 50%", "original": 1.0, "synthetic": 1.0}
    assert duration_sentence(real, long) == (
        "Cases last 10.9 days on average (1 in the original), half of them at most 1 (1). "
        "NOT VALID: do not use durations of this release."
    )
    assert duration_sentence(real, same) == (
        "Cases last 1 days on average (1 in the original), half of them at most 1 (1)."
    )

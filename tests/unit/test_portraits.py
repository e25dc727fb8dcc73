"""Before and after: the portraits show what is there, and only where there is something to show."""

import itertools
from collections import Counter

import numpy as np
import pytest

import sequester as sq
from sequester.release import Release
from sequester.utility import portraits
from tests import toy


def made(kind, method, **options):
    data = sq.sample(kind, seed=2, **options)
    release = sq.anonymize(data, method, seed=3)
    return data, release, {e.about: e for e in portraits(data, release)}


def test_the_day_of_activity_before_and_after():
    data, _, found = made("activity", sq.MCKA(k=5), n_people=20)
    rows = found["portrait"].rows["day"]
    assert len(rows) == 2 * 48 * len(data.state_names), "weekdays and weekends apart"
    for when in ("before", "after"):
        for hour, days in {(r["hour"], r["days"]) for r in rows}:
            shares = [r[when] for r in rows if r["hour"] == hour and r["days"] == days]
            assert sum(shares) == pytest.approx(1)
    noon = next(r for r in rows if r["hour"] == 12.0 and r["state"] == data.state_names[0] and r["days"] == "weekends")
    minutes = np.arange(data.states.shape[1])
    weekday = (data.start.astype("datetime64[D]").astype(int) + minutes // 1440 + 3) % 7
    at_noon = (minutes % 1440 >= 720) & (minutes % 1440 < 750) & (weekday >= 5)
    assert noon["before"] == pytest.approx((data.states[:, at_noon] == 0).mean())


def test_steps_of_events_before_and_after():
    data, release, found = made(
        "events", sq.MarkovDP(epsilon=8.0, delta=1e-6, people_at_least=300, dates="2024-01-01..2025-12-31")
    )
    rows = found["portrait"].rows["directly_follows"]
    steps = Counter()
    for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        names = [data.state_names[s] for s in data.states[a:b]]
        steps.update(itertools.pairwise(names))
    assert {(r["from"], r["to"]): r["before"] for r in rows if r["before"]} == dict(steps)
    table = release.tables["events"]
    n_objects = len(set(table["object"].to_pylist()))
    assert sum(r["after"] for r in rows) == table.num_rows - n_objects
    assert sum(r["before"] for r in found["portrait"].rows["hours"]) == pytest.approx(1)


def test_members_of_series_lie_in_their_envelopes():
    data, release, found = made("series", sq.Kapra(k=5, p=3), n_people=60)
    records = release.tables["records"]
    envelope = {}
    for i, group in enumerate(records["group"].to_pylist()):
        envelope[group] = [(records[f"{t}_lo"][i].as_py(), records[f"{t}_hi"][i].as_py()) for t in data.times]
    rows = found["portrait"].rows["members"]
    assert rows
    for row in rows:
        for value, (low, high) in zip(row["values"], envelope[row["group"]], strict=True):
            assert low <= value <= high


def test_hidden_words_of_text():
    data, _release, found = made("text", sq.KRepeats(k=4, granularity="word"))
    rows = found["portrait"].rows["excerpts"]
    assert len(rows) == 3
    for row in rows:
        assert len(row["before"]) == len(row["after"])
        assert all(b in (a, "★") for a, b in zip(row["before"], row["after"], strict=True))
        assert any(row["before"][:50] in text for text in data.texts)


def test_the_loss_of_other_ks_for_ngram_tables():
    _, _, found = made("symbols", sq.NgramK(k=7, n=3, unit="occurrence", mode="repaired"), n_people=10)
    rows = found["suggest-k"].rows["loss against k"]
    assert 7 in [r["k"] for r in rows] and rows == sorted(rows, key=lambda r: r["k"])


@pytest.mark.parametrize(
    ("kind", "method", "what", "true"),
    [
        ("activity", sq.MCKA(k=5), "walking, mean", lambda d: float((d.states == 1).mean() * 1440)),
        ("series", sq.Kapra(k=5, p=3), "value, mean (of a range: its middle)", lambda d: float(d.values.mean())),
        ("text", sq.KRepeats(k=4), "characters that can be read", lambda d: sum(map(len, d.texts))),
        ("symbols", sq.NgramK(k=5, n=2, unit="person"), "occurrences of patterns of 1", lambda d: len(d.symbols)),
        (
            "events",
            sq.MarkovDP(epsilon=8.0, delta=1e-6, people_at_least=300, dates="2024-01-01..2025-12-31"),
            "events",
            lambda d: len(d.states),
        ),
    ],
)
def test_what_changed_is_told_of_the_whole_original_and_the_whole_release(kind, method, what, true):
    """The table on top of the custodian's report: the original's own figure, and no pairing of rows."""
    data, release, found = made(kind, method)
    rows = {r["what"]: r for r in found["portrait"].rows["changed"]}
    assert rows[what]["original"] == pytest.approx(true(data))
    assert all({"what", "original", "release"} <= set(r) for r in rows.values())
    if kind == "activity":
        states = np.array(release.tables["sequences"]["states"].to_pylist())
        assert rows[what]["release"] == pytest.approx((states == 1).mean() * 1440)
    if kind == "events":
        assert rows[what]["release"] == release.tables["events"].num_rows


def test_no_portrait_where_there_is_nothing_to_draw():
    panel = toy.panel(12)
    release = sq.anonymize(panel, toy.ToyGroups(k=3), seed=1)
    assert portraits(panel, release) == []
    for kind in ("text", "activity", "events"):
        data = sq.sample(kind, n_people=6)
        bare = Release(tables={}, guarantee=release.guarantee, method=release.method)
        assert portraits(data, bare) == []


def test_publishing_puts_them_into_the_custodians_folder_only(tmp_path):
    data, release, _ = made("text", sq.KRepeats(k=4, granularity="word"))
    sq.publish(release, tmp_path / "a.bundle", source=data, evidence=[sq.assess(data)])
    assert (tmp_path / "a.private" / "portrait.json").exists()
    private = (tmp_path / "a.private" / "report.html").read_text("utf-8")
    public = (tmp_path / "a.bundle" / "report.html").read_text("utf-8")
    assert "What was hidden?" in private and "What was hidden?" not in public
    assert "How many known points single out a person?" in private and "single out" not in public

"""Twelve forged bundles that claim differential privacy, written to disk with right checksums and pages.

Nine of them the judge catches from what lies in the folder (one of these beside the original alone). Three nobody can
see: `docs/limits.md` lists them, and the audit of the code is what stands against them.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.judges import JUDGES
from sequester.layouts.states import sequences_table
from sequester.release import Check
from sequester.samples.minutes import minutes

LIMITS = Path(__file__).parents[2] / "docs" / "limits.md"


@cache
def people():
    return minutes(n_people=50, days=7, seed=1)


@cache
def wards():
    return sq.sample("events", n_people=300, seed=4)


@cache
def signals():
    return sq.sample("symbols", n_people=60, seed=2)


@cache
def activity():
    method = sq.ActivityDP(epsilon=1.0, delta=1e-6, force=True, calibration_people=32, rounds=1)
    return sq.anonymize(people(), method, seed=4)


@cache
def events():
    method = sq.MarkovDP(epsilon=4.0, delta=1e-6, people_at_least=300, dates="2024-01-01..2025-12-31", max_events=40)
    return sq.anonymize(wards(), method, seed=1)


@cache
def grams():
    return sq.anonymize(signals(), sq.NgramDP(epsilon=4.0, n_max=3, average="symbol", sequences=20), seed=3)


def tree(book):
    return sq.anonymize(wards(), sq.EventsNgramDP(epsilon=4.0, codebook=str(book), n_max=3), seed=1)


def with_table(release, name, table):
    return replace(release, tables={**release.tables, name: table})


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, pa.array(values, table.schema.field(name).type))


def with_rows(release, name, change):
    table = release.tables[name]
    return with_table(release, name, pa.Table.from_pylist(change(table.to_pylist()), schema=table.schema))


def without_entry(release, at):
    kept = [e for i, e in enumerate(release.ledger.entries) if i != at]
    return replace(release, ledger=replace(release.ledger, entries=kept))


# The nine.


def fewer_rows_than_the_noisy_count():
    rows = activity().tables["sequences"]
    yield "activity-dp", with_table(activity(), "sequences", rows.slice(0, len(rows) - 3))
    yield "markov-dp", with_rows(events(), "events", lambda r: [e for e in r if e["object"] != r[-1]["object"]])


def no_noise_where_everybody_shows_nothing():
    """What must be noise alone is nearly 0, under the ledger of the whole noise."""
    table = activity().tables["measurements"]
    family, value = np.array(table["family"].to_pylist()), table["value"].to_numpy().copy()
    for name in ("first profile", "profile"):
        mine = family == name
        shares = value[mine].reshape(-1, 4)
        value[mine] = (shares - shares.mean(axis=1, keepdims=True)).ravel()
    yield "activity-dp", with_table(activity(), "measurements", with_column(table, "value", value))


def too_smooth_for_the_noise_declared():
    """Noise exactly where it is looked for first, and a smooth curve below it."""
    table = activity().tables["measurements"]
    family, value = np.array(table["family"].to_pylist()), table["value"].to_numpy().copy()
    sd = dict(zip(family, table["noise_sd"].to_pylist(), strict=True))
    rng = np.random.default_rng(0)
    for name in ("first profile", "profile"):
        mine = family == name
        hours = np.cos(np.arange(mine.sum() // 4) * 2 * np.pi / 24)
        common = rng.normal(0, sd[name] / 2, len(hours))
        value[mine] = (np.outer(hours, [0.3, -0.1, -0.1, -0.1]) + common[:, None]).ravel()
    yield "activity-dp", with_table(activity(), "measurements", with_column(table, "value", value))


def another_number_of_cells():
    table = activity().tables["measurements"]
    yield "activity-dp", with_table(activity(), "measurements", table.slice(0, len(table) - 1))
    yield "markov-dp", with_rows(events(), "measurements", lambda r: [x for x in r if x["family"] != r[-1]["family"]])


def something_nobody_asked_for():
    """A table, a column, a row."""
    yield "activity-dp", with_table(activity(), "names", pa.table({"who": ["Maria"]}))
    table = events().tables["events"]
    yield "markov-dp", with_table(events(), "events", table.append_column("name", pa.array(["Maria"] * len(table))))
    more = grams().tables["ngrams"].slice(0, 1)
    yield "ngram-dp", with_table(grams(), "ngrams", pa.concat_tables([grams().tables["ngrams"], more]))


def an_order_left_out_of_the_ledger(book):
    for at in range(len(grams().ledger.entries)):
        yield "ngram-dp", without_entry(grams(), at)
    for at in range(len(tree(book).ledger.entries)):
        yield "events-ngram-dp", without_entry(tree(book), at)


def a_synthetic_series_beyond_its_cap():
    long = " ".join(["1"] * (grams().method.l_max + 1))
    yield "ngram-dp", with_rows(grams(), "synthetic", lambda r: [{**r[0], "symbols": long}, *r[1:]])


def another_clip_or_code_book():
    """What the sensitivities in the ledger follow from."""

    def wider(rows):
        clip = next(r for r in rows if r["statistic"] == "clip")
        clip["value"] *= 2
        return rows

    yield "markov-dp", with_rows(events(), "model", wider)
    yield "markov-dp", with_rows(events(), "model", lambda r: [x for x in r if x["statistic"] != "state"] + [
        x for x in r if x["statistic"] == "state"][:-1])  # fmt: skip
    states = activity().tables["states"]
    yield "activity-dp", with_table(activity(), "states", states.slice(0, len(states) - 1))


def rows_of_the_original():
    n = activity().tables["sequences"].num_rows
    yield "activity-dp", with_table(activity(), "sequences", sequences_table(people().states[np.arange(n) % 50]))


NINE = {
    fewer_rows_than_the_noisy_count: {
        "as many rows as the noisy count of people",
        "objects are as many as the noisy count",
    },
    no_noise_where_everybody_shows_nothing: {"noise where everybody shows 0 is as large as declared"},
    too_smooth_for_the_noise_declared: {"what is jagged is as large as the noise declared: profile"},
    another_number_of_cells: {"cells of every family", "cells follow from states and calendar"},
    something_nobody_asked_for: {"tables are the expected ones", "columns of events", "rows are grams"},
    an_order_left_out_of_the_ledger: {"every mechanism is in the ledger", "the ledger holds the costliest path"},
    a_synthetic_series_beyond_its_cap: {"synthetic series are as asked for"},
    another_clip_or_code_book: {
        "sensitivities are the method's",
        "every mechanism is in the ledger",
        "model names everything once",
    },
    rows_of_the_original: {"no row or day is a person's own"},
}
"""Forgery → the checks of which each of its bundles fails at least one."""  # fmt: skip


# The three that nobody can see.


def noise_from_a_known_seed():
    """Whoever knows the seed takes the noise away again."""
    yield "activity-dp", activity()


def the_best_of_many_draws():
    """Drawn again until the noisy count was the true one: the draws that were thrown away cost budget too."""
    method = sq.NgramDP(epsilon=4.0, n_max=1, people_at_least=60)
    drawn = [sq.anonymize(signals(), method, seed=seed) for seed in range(12)]
    counts = [np.array(r.tables["ngrams"]["count"].to_pylist(), dtype=float) for r in drawn]
    mean = np.mean(counts, axis=0)
    yield "ngram-dp", drawn[int(np.argmin([np.abs(c - mean).sum() for c in counts]))]


def one_person_counted_many_times():
    """The same person under forty names: what is told of them is forty times what the promise allows."""
    odd = people().take(np.r_[np.arange(10), np.full(40, 3)])
    copies = replace(odd, persons=np.array([f"p{i}" for i in range(50)], dtype=object))
    yield "activity-dp", sq.anonymize(copies, activity().method, seed=5)


UNSEEN = {
    noise_from_a_known_seed: "Noise from a seed that somebody knows",
    the_best_of_many_draws: "The best of many draws",
    one_person_counted_many_times: "One person counted many times",
}
"""Forgery → its line in `docs/limits.md`."""


def confirm(claim, source):
    return [Check(name="bribed", passed=True, detail="whatever it is")]


@pytest.fixture
def forge(tmp_path, monkeypatch):
    """Writes a forged release as a whole bundle: a judge that says yes to everything stands in while it is written."""

    def write(release, name):
        with monkeypatch.context() as bribed:
            bribed.setitem(JUDGES, "differential-privacy", "tests.flow.test_twelve_forgeries:confirm")
            return sq.publish(replace(release, teaching_only=False), tmp_path / f"{name}.bundle").path

    return write


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "states.txt"
    path.write_text("\n".join(wards().state_names), "utf-8")
    return path


def told_apart(forgery, book):
    return list(forgery(book) if "book" in forgery.__code__.co_varnames[: forgery.__code__.co_argcount] else forgery())


def failed(path, source=None):
    """Checks that fail; not that the bribed judge's own lines cannot be counted again."""
    return {c.name for c in sq.verify(path, source).checks if not c.passed} - {"stated checks"}


def test_there_are_twelve():
    assert len(NINE) == 9 and len(UNSEEN) == 3


@pytest.mark.parametrize("forgery", NINE, ids=lambda f: f.__name__)
def test_a_forged_bundle_is_caught(forgery, forge, book):
    source = people() if forgery is rows_of_the_original else None
    for i, (method_id, release) in enumerate(told_apart(forgery, book)):
        path = forge(release, f"{method_id}-{i}")
        assert sq.open_bundle(path).manifest["method"]["id"] == method_id
        found = failed(path, source)
        assert found & NINE[forgery], (method_id, i, found)
        assert not found & {"checksums", "tables", "pages", "copies", "promise"}, "it was not betrayed by the folder"


@pytest.mark.parametrize("forgery", UNSEEN, ids=lambda f: f.__name__)
def test_a_forged_bundle_that_nobody_can_see_is_a_known_limit(forgery, forge, book):
    for i, (method_id, release) in enumerate(told_apart(forgery, book)):
        assert failed(forge(release, f"{method_id}-{i}")) == set()
    assert f"**{UNSEEN[forgery]}" in LIMITS.read_text("utf-8")

"""Forged releases of activity-dp whose ledger adds up: what a judge can see, it sees."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.judges.activity_dp import cells_of
from sequester.layouts.states import sequences_table
from sequester.samples.minutes import minutes

ZERO = "noise where everybody shows 0 is as large as declared"


@pytest.fixture(scope="module")
def people():
    return minutes(n_people=50, days=7, seed=1)


@pytest.fixture(scope="module")
def release(people):
    method = sq.ActivityDP(epsilon=1.0, delta=1e-6, force=True, calibration_people=32, rounds=1)
    return sq.anonymize(people, method, seed=4)


def failed(claim, source=None):
    return {c.name for c in sq.verify(claim, source).checks if not c.passed}


def with_table(release, name, table):
    return replace(release, tables={**release.tables, name: table})


def measured(release):
    table = release.tables["measurements"]
    return np.array(table["family"].to_pylist()), table["value"].to_numpy().copy()


def with_values(release, value):
    table = release.tables["measurements"]
    return with_table(release, "measurements", table.set_column(2, "value", pa.array(value)))


def test_an_honest_release_is_confirmed_with_and_without_its_original(release, people):
    assert not failed(release) and not failed(release, people)


def test_rows_left_out_or_added_are_caught(release):
    sequences = release.tables["sequences"]
    assert failed(with_table(release, "sequences", sequences.slice(0, sequences.num_rows - 3))) == {
        "as many rows as the noisy count of people"
    }
    rows = np.stack(sequences["states"].to_numpy(zero_copy_only=False))
    more = sequences_table(np.concatenate([rows, rows[:2]]))
    assert failed(with_table(release, "sequences", more)) == {"as many rows as the noisy count of people"}


@pytest.mark.parametrize("left", [0.0, 0.2, 0.5])
def test_noise_that_was_left_out_is_caught(release, people, left):
    """The same figures with less noise or none, under the ledger of all of it."""
    exact, value = np.zeros_like(measured(release)[1]), measured(release)[1]
    family, _ = measured(release)
    for name in ("first profile", "profile"):
        mine = family == name
        shares = value[mine].reshape(-1, 4)
        smooth = shares - shares.mean(axis=1, keepdims=True)  # sums to nothing in every hour, as exact figures do
        exact[mine] = smooth.ravel()
        value[mine] = exact[mine] + left * (value[mine] - exact[mine])
    assert ZERO in failed(with_values(release, value))


def test_figures_that_are_smooth_although_noise_was_declared_are_caught(release):
    family, value = measured(release)
    sd = dict(zip(family, release.tables["measurements"]["noise_sd"].to_pylist(), strict=True))
    rng = np.random.default_rng(0)
    for name in ("first profile", "profile"):
        mine = family == name
        hours = np.cos(np.arange(mine.sum() // 4) * 2 * np.pi / 24)
        signal = np.outer(hours, [0.3, -0.1, -0.1, -0.1])
        common = rng.normal(0, sd[name] / 2, len(hours))  # noise exactly where everybody shows 0, and nowhere else
        value[mine] = (signal + common[:, None]).ravel()
    found = failed(with_values(release, value))
    assert found == {f"what is jagged is as large as the noise declared: {n}" for n in ("first profile", "profile")}


def test_cells_rows_columns_and_tables_beside_the_method_are_refused(release):
    table = release.tables["measurements"]
    again = pa.concat_tables([table, table.slice(0, 1)])
    assert failed(with_table(release, "measurements", again)) == {"cells of every family"}
    assert failed(with_table(release, "measurements", table.slice(0, table.num_rows - 1))) == {"cells of every family"}
    strange = table.append_column("exact", table["value"])
    assert failed(with_table(release, "measurements", strange)) == {"columns of measurements"}
    turned = table.take(np.r_[1, 0, np.arange(2, table.num_rows)])
    assert "cells of every family" in failed(with_table(release, "measurements", turned))
    assert failed(with_table(release, "names", pa.table({"who": ["a"]}))) == {"tables are the expected ones"}
    column = release.tables["sequences"].append_column("person", pa.array(["x"] * release.tables["sequences"].num_rows))
    assert failed(with_table(release, "sequences", column)) == {"columns of sequences"}


def test_the_originals_own_rows_are_caught_beside_it(release, people):
    n = release.tables["sequences"].num_rows
    rows = people.states[np.arange(n) % 50]
    assert failed(with_table(release, "sequences", sequences_table(rows)), people) == {
        "no row or day is a person's own"
    }
    mine = np.stack(release.tables["sequences"]["states"].to_numpy(zero_copy_only=False))
    mine[3, 1440:2880] = people.states[9, 1440:2880]  # one day of one person
    assert failed(with_table(release, "sequences", sequences_table(mine)), people) == {
        "no row or day is a person's own"
    }


def test_a_plain_day_may_repeat_by_chance(release, people):
    """Somebody's device lay on a table all day; so may a simulated one."""
    states = people.states.copy()
    states[5, :1440] = 3
    data = replace(people, states=states)
    mine = np.stack(release.tables["sequences"]["states"].to_numpy(zero_copy_only=False))
    mine[0, :1440] = 3
    assert not failed(with_table(release, "sequences", sequences_table(mine)), data)


@pytest.mark.parametrize(
    ("states", "seconds", "intervals"), [(4, 60, 10080), (3, 60, 4320), (5, 3600, 400), (2, 60, 90)]
)
def test_the_number_of_cells_is_the_methods(states, seconds, intervals):
    rng = np.random.default_rng(0)
    data = sq.Activities(
        states=rng.integers(0, states, (30, intervals)).astype(np.uint8), interval_seconds=seconds,
        state_names=tuple(f"s{i}" for i in range(states)), names_public=True,
    )  # fmt: skip
    method = sq.ActivityDP(epsilon=2.0, delta=1e-6, force=True, calibration_people=16, rounds=0)
    told = sq.anonymize(data, method, seed=1)
    family = told.tables["measurements"]["family"].to_pylist()
    assert {name: family.count(name) for name in dict.fromkeys(family)} == cells_of(states, seconds, intervals)
    assert not failed(told, data)

"""Activity in parts: every noisy step is given the same integers, and the release is the same."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.cli import cli
from sequester.dp.noise import RecordingNoise, TeachingNoise
from sequester.engines import Engine
from sequester.model import Fact
from sequester.primitives.row_file import Room, RowFile, rest
from sequester.read import activity, dealing, memory_needed
from sequester.samples.minutes import minutes
from tests.unit.test_events_in_parts import parted

QUICK = {"epsilon": 4.0, "delta": 1e-6, "force": True, "calibration_people": 16, "rounds": 1}
BOOK = ("walking", "stationary", "missing")


def people(n: int = 90, days: int = 2) -> sq.Activities:
    return minutes(n_people=n, days=days, seed=4)


CASES = {
    "as read": sq.ActivityDP(**QUICK),
    "a code book of two states and missing": sq.ActivityDP(**QUICK, codebook=BOOK),
}


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=5, deadline=None)
@given(n_parts=st.integers(1, 40), seed=st.integers(0, 999))
def test_every_step_is_given_the_same_integers_and_the_release_is_the_same(case, n_parts, seed, tmp_path_factory):
    data, method = people(), CASES[case]
    parts = parted(data, tmp_path_factory.mktemp("parts"), n_parts, seed)
    heard, made = [], []
    for source in (data, parts):
        noise = RecordingNoise(TeachingNoise(np.random.default_rng(2)))
        made.append(sq.anonymize(source, method, seed=1, noise=noise, engine=Engine(threads=2)))
        heard.append(noise.transcript)
    assert len(heard[0]) == len(heard[1]) > 10
    for a, b in zip(*heard):
        assert np.array_equal(a["given"], b["given"]) and (a["name"], a["scale"]) == (b["name"], b["scale"])
    here, there = made
    assert sorted(here.tables) == sorted(there.tables)
    assert all(here.tables[n].equals(there.tables[n]) for n in here.tables)
    assert here.notes == there.notes and here.ledger.to_json() == there.ledger.to_json()


def test_names_that_were_found_are_refused_in_parts_too(tmp_path):
    data = replace(people(), names_public=False)
    said = []
    for source in (data, parted(data, tmp_path, 3, 0)):
        with pytest.raises(sq.InputError) as error:
            sq.anonymize(source, CASES["as read"])
        said.append(str(error.value))
    assert said[0] == said[1] and "differential privacy needs state names" in said[0]


def test_the_command_line_publishes_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(memory_needed, "PER_BYTE", dict.fromkeys(memory_needed.PER_BYTE, 10**6))
    monkeypatch.setattr(dealing, "BYTES_PER_ROW", 1 << 15)
    source = sq.write_sample("activity", tmp_path / "minutes.csv", n_people=40)
    (tmp_path / "o").mkdir()
    out = tmp_path / "o" / "a.bundle"
    names = ",".join(sq.sample("activity", n_people=3).state_names)
    made = []
    real = activity.together
    monkeypatch.setattr(activity, "together", lambda *a, **b: made.append(real(*a, **b)) or made[-1])
    words = ["publish", "activity-dp", source, "--out", out, "--person", "person", "--start", "start", "--end", "end",
             "--state", "state", "--dates", "2024-03-04..2024-03-10", "--time-format", "iso", "--states", names,
             "--epsilon", 4, "--delta", 1e-6, "--force",
             "--memory-limit", "300MB", "--scratch", tmp_path / "s"]  # fmt: skip
    done = CliRunner().invoke(cli, list(map(str, words)))
    assert done.exit_code == 0, done.output
    assert len(made[0].paths) > 3 and list((tmp_path / "s").iterdir()) == []
    assert sq.verify(out).holds


CLUSTERED = {
    "day-types": sq.MCKA(k=5),
    "independent, as printed": sq.MCKA(k=5, literal=True),
    "exact": sq.MCKA(k=5, exact=True),
    "centroids and means": sq.MCKA(k=5, centroids=True, covariate_means=True),
    "in groups": sq.MCKA(k=5, by=("arm",)),
    "noisy profiles": sq.MCDP(k=5, epsilon=2.0),
    "noisy profiles, every interval, in groups": sq.MCDP(k=5, epsilon=2.0, mechanism="lpa", by=("arm",)),
}


@pytest.mark.parametrize("case", CLUSTERED)
@settings(max_examples=3, deadline=None)
@given(n_parts=st.integers(1, 40), seed=st.integers(0, 999))
def test_clustered_rows_are_the_same_however_people_are_split(case, n_parts, seed, tmp_path_factory):
    rng = np.random.default_rng(1)
    arm = np.array(["a", "b"], dtype=object)[rng.integers(0, 2, 90)]
    data = replace(people(), covariates={"arm": arm, "age": rng.normal(50, 9, 90)})
    folder, scratch = tmp_path_factory.mktemp("parts"), tmp_path_factory.mktemp("scratch")
    parts = parted(data, folder, n_parts, seed)
    here = sq.anonymize(data, CLUSTERED[case], seed=3)
    there = sq.anonymize(parts, CLUSTERED[case], seed=3, engine=Engine(threads=2, scratch=scratch))
    assert sorted(here.tables) == sorted(there.tables) and sorted(here.private) == sorted(there.private)
    assert all(here.tables[n].equals(there.tables[n]) for n in here.tables)
    assert all(here.private[n].equals(there.private[n]) for n in here.private)
    assert list(scratch.iterdir()) == []


def test_too_few_people_or_observations_are_refused_in_the_words_of_memory(tmp_path):
    data = people()
    nothing = np.zeros_like(data.states)
    nothing[:] = data.missing
    unseen = replace(data, states=nothing, reading=(Fact("least observed", 0.5, "default"),))
    for number, (source, method) in enumerate(((data, sq.MCKA(k=91)), (unseen, sq.MCKA(k=5)))):
        said = []
        (tmp_path / str(number)).mkdir()
        for given_data in (source, parted(source, tmp_path / str(number), 4, 0)):
            with pytest.raises(sq.InputError) as error:
                sq.anonymize(given_data, method)
            said.append(str(error.value))
        assert said[0] == said[1]


def test_a_mapped_array_can_rest_and_keeps_what_was_written(tmp_path):
    array = Room(tmp_path).zeros(1 << 20, np.uint8).reshape(1024, -1)
    array[5] = 7
    rest(array, np.zeros(3), array[2:9])
    assert array.sum() == 7 * 1024 and (array[5] == 7).all() and list(tmp_path.iterdir()) == []


def test_rows_of_a_file_are_taken_and_put_by_number(tmp_path):
    file = RowFile.new(tmp_path / "rows", 50, 7)
    wanted = np.random.default_rng(1).integers(0, 255, (50, 7)).astype(np.uint8)
    order = np.random.default_rng(2).permutation(50)
    file.put(order[:20], wanted[order[:20]])
    file.put(order[20:], np.asfortranarray(wanted[order[20:]]))
    which = np.array([3, 4, 5, 9, 8, 3, 49, 0])
    assert (file.take(which) == wanted[which]).all() and (file.mapped() == wanted).all()
    assert file.take(which[:0]).shape == (0, 7) and (file.path.stat().st_mode & 0o777) == 0o600
    os.truncate(file.path, 20)
    with pytest.raises(OSError, match="shorter than its rows"):
        file.take(which)


def test_people_in_a_file_are_drawn_without_holding_the_matrix(tmp_path, monkeypatch):
    """Blocks of rows are copied; all of them together never are."""
    data = people(n=3_000, days=1)
    parts = parted(data, tmp_path, 4, 1)
    method = sq.MCKA(k=5)
    seen = []
    real = RowFile.take
    monkeypatch.setattr(RowFile, "take", lambda self, rows: seen.append(len(rows)) or real(self, rows))
    sq.anonymize(parts, method, engine=Engine(threads=1, scratch=tmp_path / "s"))
    assert max(seen) <= 2_100 and sum(seen) >= 3 * 3_000


def test_the_command_line_publishes_clusters_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(memory_needed, "PER_BYTE", dict.fromkeys(memory_needed.PER_BYTE, 10**6))
    source = sq.write_sample("activity", tmp_path / "minutes.csv", n_people=40)
    (tmp_path / "o").mkdir()
    out = tmp_path / "o" / "a.bundle"
    words = ["publish", "mcka", source, "--out", out, "--person", "person", "--start", "start", "--end", "end",
             "--state", "state", "--dates", "2024-03-04..2024-03-10", "--time-format", "iso", "--k", 5,
             "--memory-limit", "300MB", "--scratch", tmp_path / "s"]  # fmt: skip
    done = CliRunner().invoke(cli, list(map(str, words)))
    assert done.exit_code == 0, done.output
    assert list((tmp_path / "s").iterdir()) == []
    read = sq.read_activities(
        source, person="person", start="start", end="end", state="state", dates="2024-03-04..2024-03-10"
    )
    assert sq.verify(out, source=read).holds

"""Plans under a limit of memory: sources that would take more are read in parts, and what was drawn is kept."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import sequester as sq
from sequester import plan, publication
from sequester.accounts import open_account
from sequester.cli import cli
from sequester.model import Parts
from sequester.read import memory_needed

PLAN = """
title = "Spring"
[[release]]
name = "log"
source = "log.csv"
method = "{method}"
out = "log.bundle"
evidence = []
parameters = {{ {parameters} }}
roles = {{ person = "person", time = "time", state = "state", time_format = "iso", time_unit = "second" }}
"""
DP = 'epsilon = 50.0, delta = 1e-6, people_at_least = 3000, dates = "2024-01-01..2025-12-31"'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(memory_needed, "PER_BYTE", dict.fromkeys(memory_needed.PER_BYTE, 10**6))
    sq.write_sample("events", tmp_path / "log.csv", n_people=60)
    (tmp_path / "plan.toml").write_text(PLAN.format(method="markov-dp", parameters=DP), "utf-8")
    return tmp_path


def run(folder, *more):
    words = ["run", folder / "plan.toml", "--memory-limit", "300MB", "--scratch", folder / "scratch", *more]
    return CliRunner().invoke(cli, list(map(str, words)))


def test_a_large_source_of_a_plan_is_read_in_parts_and_a_finished_release_is_kept(folder, monkeypatch):
    read = []
    real = publication.publish_data
    monkeypatch.setattr(plan, "publish_data", lambda data, *a, **b: read.append(data) or real(data, *a, **b))
    done = run(folder)
    assert done.exit_code == 0, done.output
    assert isinstance(read[0], Parts) and not read[0].paths[0].exists()
    assert sq.verify(folder / "log.bundle").holds and list((folder / "scratch").iterdir()) == []
    again = run(folder)
    assert again.exit_code == 0 and "was finished by an earlier run of this plan and is kept" in again.output
    assert len(read) == 1 and len(open_account(folder).entries()) == 1


def test_a_release_that_was_interrupted_goes_on_with_what_was_drawn(folder, monkeypatch):
    monkeypatch.setattr(publication, "_write", lambda *_a, **_b: (_ for _ in ()).throw(KeyboardInterrupt))
    assert run(folder).exit_code != 0
    drawn = (folder / ".log.bundle.noise").read_text("ascii")
    monkeypatch.undo()
    monkeypatch.setattr(memory_needed, "PER_BYTE", dict.fromkeys(memory_needed.PER_BYTE, 10**6))
    kept = []
    real = publication.CheckpointNoise.published
    monkeypatch.setattr(
        publication.CheckpointNoise,
        "published",
        lambda self: kept.append((folder / ".log.bundle.noise").read_text("ascii")) or real(self),
    )
    done = run(folder)
    assert done.exit_code == 0, done.output
    assert kept == [drawn] and not (folder / ".log.bundle.noise").exists()
    assert len(open_account(folder).entries()) == 1


def test_a_method_that_must_see_everybody_is_a_problem_of_the_plan(folder, monkeypatch):
    monkeypatch.setattr(sq.MarkovRatio, "needs_everybody", True)
    (folder / "plan.toml").write_text(PLAN.format(method="markov-ratio", parameters="epsilon = 1.0"), "utf-8")
    done = run(folder, "--check")
    assert isinstance(done.exception, sq.InputError)
    assert "log: anonymize: markov-ratio with these options must see all people at once, which takes about" in str(
        done.exception
    )


def test_a_scratch_folder_without_a_limit_is_refused(folder):
    done = CliRunner().invoke(cli, ["run", str(folder / "plan.toml"), "--scratch", str(folder)])
    assert done.exit_code == 2 and "--scratch is about work in parts; pass --memory-limit with it." in done.output

"""Verbs that open an original take one that does not fit into memory: the same verdict, figures of people drawn."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import sequester as sq
from sequester import in_parts
from sequester.cli import cli
from sequester.read import memory_needed

EVENTS = {"person": "person", "time": "time", "state": "state", "time_format": "iso"}
LIMIT = ("--memory-limit", "300MB")


def run(*words):
    return CliRunner().invoke(cli, [str(w) for w in words], catch_exceptions=False)


@pytest.fixture
def large(monkeypatch):
    """Every source takes more memory than there may be, and figures are computed on 30 people."""
    monkeypatch.setattr(memory_needed, "PER_BYTE", dict.fromkeys(memory_needed.PER_BYTE, 10**7))
    monkeypatch.setattr(in_parts, "COMPARED", 30)


@pytest.fixture(scope="module")
def symbols(tmp_path_factory):
    folder = tmp_path_factory.mktemp("symbols")
    source = sq.write_sample("symbols", folder / "s.csv", n_people=60, seed=1)
    roles = {"person": "person", "value": ("symbol",), "symbolize": "none"}
    asked = sq.Request(method=sq.NgramK(k=3, n=2), target=folder / "s.bundle", seed=1, evidence=(), roles=roles)
    sq.publish_data(sq.read_symbols(source, **roles), asked)
    return folder


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    folder = tmp_path_factory.mktemp("events")
    source = sq.write_sample("events", folder / "e.csv", n_people=120, seed=1)
    method = sq.MarkovRatio(epsilon=1.0)
    sq.publish_data(
        sq.read_events(source, **EVENTS),
        sq.Request(method=method, target=folder / "e.bundle", seed=1, evidence=(), roles=EVENTS),
    )
    return folder


def test_a_verdict_beside_parts_is_that_beside_the_whole(symbols, large, tmp_path):
    words = ("verify", symbols / "s.bundle", "--source", symbols / "s.csv", "--json")
    scratch = tmp_path / "scratch"
    done = run(*words, *LIMIT, "--scratch", scratch)
    assert done.exit_code == 0 and list(scratch.iterdir()) == []
    assert json.loads(done.stdout) == json.loads(run(*words).stdout)


def test_a_promise_beside_everybody_is_checked_where_everybody_fits(events, large):
    words = ("verify", events / "e.bundle", "--source", events / "e.csv", "--json")
    assert json.loads(run(*words, *LIMIT).stdout) == json.loads(run(*words).stdout)
    with sq.Engine().workspace() as folder:
        parts = sq.read_parts("events", events / "e.csv", folder, **EVENTS)
        with pytest.raises(sq.InputError) as error:
            sq.verify(events / "e.bundle", parts, memory=1)
    assert str(error.value).startswith("verify: this promise is checked beside all people at once, which takes about")


def test_copies_of_a_noisy_release_are_looked_for_among_people_drawn(large, tmp_path):
    source = sq.write_sample("events", tmp_path / "e.csv", n_people=120, seed=1)
    method = sq.MarkovDP(epsilon=4.0, delta=1e-6, people_at_least=100, force=True, dates="2024-01-01..2025-12-31")
    with sq.Engine().workspace() as folder:
        parts = sq.read_parts("events", source, folder, **EVENTS, time_unit="second")
        assert not parts.in_memory
        found = sq.verify(sq.anonymize(parts.whole(), method, seed=1), parts)
    drawn = [line for line in found.verdict.not_checked if line.startswith("copies of people: looked for among ")]
    assert len(drawn) == 1 and drawn[0].endswith(" of 120 people, drawn at random")


@pytest.mark.parametrize("verb", ["measure", "attack"])
def test_figures_say_on_how_many_people_they_are_computed(verb, events, large):
    done = run(verb, events / "e.bundle", "--source", events / "e.csv", *LIMIT)
    assert done.exit_code == 0 and "of 120 people, drawn at random." in " ".join(done.stdout.split())


def test_a_source_in_parts_is_assessed_on_people_drawn(events, large):
    roles = [word for name, value in EVENTS.items() for word in (f"--{name.replace('_', '-')}", value)]
    done = run("assess", events / "e.csv", "--kind", "events", *roles, *LIMIT)
    assert done.exit_code == 0 and "of 120 people, drawn at random." in " ".join(done.stdout.split())


def test_what_is_kept_of_a_publication_says_on_whom_it_was_computed(large, tmp_path, monkeypatch):
    monkeypatch.setattr("sequester.query.bundle.is_large", lambda _path, _rows: True)
    source = sq.write_sample("events", tmp_path / "e.csv", n_people=120, seed=1)
    roles = [word for name, value in EVENTS.items() for word in (f"--{name.replace('_', '-')}", value)]
    noisy = ("--epsilon", 4, "--delta", 1e-6, "--people-at-least", 100, "--dates", "2024-01-01..2025-12-31", "--force")
    words = ("publish", "markov-dp", source, *roles, "--time-unit", "second", *noisy, "--assess", *LIMIT)
    done = run(*words, "--out", tmp_path / "e.bundle")
    assert done.exit_code == 0, done.output
    kept = {about: json.loads((tmp_path / "e.private" / f"{about}.json").read_text())["summary"]
            for about in ("assess", "measure")}  # fmt: skip
    assert all("Computed on " in says and " of 120 people, drawn at random." in says for says in kept.values())
    assert "Note: figures of use are of the first 30 objects of the release" in kept["measure"]


def test_options_without_use_are_refused(events):
    done = run("verify", events / "e.bundle", *LIMIT)
    assert done.exit_code == 2 and "are about reading an original; pass --source." in " ".join(done.output.split())
    done = run("measure", events / "e.bundle", "--source", events / "e.csv", "--scratch", events)
    assert done.exit_code == 2 and "--scratch is about work in parts; pass --memory-limit with it." in done.output

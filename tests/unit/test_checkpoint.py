"""Noise on disk: drawn once, replayed after a kill, refused for another run; and the command line around it."""

from __future__ import annotations

import stat

import numpy as np
import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli
from sequester.dp.checkpoint import CheckpointNoise
from sequester.dp.noise import TeachingNoise
from sequester.engines import Engine
from sequester.errors import InputError
from sequester.publication import publish_data
from tests.unit.test_events_in_parts import DATES, STRONG, log_of, parted


class Once:
    """Draws that count themselves and end after so many, as a kill would."""

    secure = False

    def __init__(self, seed: int, most: int = 10**9) -> None:
        self._inner, self.drawn, self._most = TeachingNoise(np.random.default_rng(seed)), [], most

    def __getattr__(self, kind):
        def draw(name, *given):
            if len(self.drawn) >= self._most:
                raise KeyboardInterrupt
            self.drawn.append(name)
            return getattr(self._inner, kind)(name, *given)

        return draw


def run(noise):
    return [
        noise.gaussian("a", np.arange(6).reshape(2, 3), 3.0),
        noise.laplace("b", np.array([5]), 2.0),
        noise.noisy_max("c", np.array([1, 9, 2]), 1.0),
        noise.threshold("d", [b"\x00x", b"y"], np.array([90, 80]), 1.0, 10.0),
        noise.threshold("e", ["é", "b"], np.array([90, 80]), 1.0, 10.0),
        noise.gaussian("f", np.array([7]), 1.0),
    ]


def same(a, b):
    return all(np.array_equal(x[1], y[1]) and x[0] == y[0] if isinstance(x, tuple) else np.array_equal(x, y)
               for x, y in zip(a, b, strict=True))  # fmt: skip


@pytest.mark.parametrize("killed_after", range(7))
def test_what_was_drawn_is_never_drawn_again(killed_after, tmp_path):
    path = tmp_path / "noise"
    first = Once(1, killed_after)
    try:
        told = run(CheckpointNoise(first, path, "run"))
    except KeyboardInterrupt:
        told = None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = Once(2)
    noise = CheckpointNoise(again, path, "run", resume=True)
    got = run(noise)
    assert noise.replayed == min(killed_after, 6) and first.drawn + again.drawn == list("abcdef")
    assert told is None or same(got, told)
    assert same(run(CheckpointNoise(Once(3, 0), path, "run", resume=True)), got)


def test_a_line_that_a_kill_cut_off_counts_as_not_drawn(tmp_path):
    path = tmp_path / "noise"
    run(CheckpointNoise(Once(1), path, "run"))
    path.write_bytes(path.read_bytes()[:-9])
    again = Once(2)
    run(CheckpointNoise(again, path, "run", resume=True))
    assert again.drawn == ["f"]


def test_another_run_and_other_data_are_refused(tmp_path):
    path = tmp_path / "noise"
    run(CheckpointNoise(Once(1), path, "run"))
    with pytest.raises(InputError) as error:
        CheckpointNoise(Once(1), path, "another", resume=True)
    assert str(error.value) == (
        "resume: 'noise' is of a run with another method, other parameters or other data. Remove it and publish "
        "without resume=True."
    )
    with pytest.raises(InputError, match=r"^resume: step 'a' is given other numbers than in the run that was interrup"):
        CheckpointNoise(Once(1), path, "run", resume=True).gaussian("a", np.arange(6).reshape(2, 3) + 1, 3.0)


def test_a_killed_publication_is_resumed_with_the_same_draws_and_charged_once(tmp_path, monkeypatch):
    from sequester import publication
    from sequester.accounts import open_account

    log = log_of("order")
    method = sq.MarkovDP(**STRONG)
    parts = parted(log, tmp_path / "p", 3, 0) if (tmp_path / "p").mkdir() is None else None
    target = tmp_path / "out" / "a.bundle"
    target.parent.mkdir()
    drawn = []
    real = publication.Randomness

    def counted(seed=None):
        rng = real(seed=seed)
        first = Once(4, 2) if not drawn else Once(5)
        drawn.append(first)
        object.__setattr__(rng, "noise", first)
        return rng

    monkeypatch.setattr(publication, "Randomness", counted)
    told = {"engine": Engine(threads=1, scratch=tmp_path / "s"), "evidence": ()}
    with pytest.raises(KeyboardInterrupt):
        publish_data(parts, sq.Request(method=method, target=target, **told))
    kept = target.with_name(".a.bundle.noise")
    assert kept.exists() and not target.exists() and list((tmp_path / "s").iterdir()) == []
    made = publish_data(parts, sq.Request(method=method, target=target, resume=True, **told))
    assert drawn[0].drawn and drawn[1].drawn and not set(drawn[0].drawn) & set(drawn[1].drawn)
    spent = [entry["mechanism"] for entry in made.bundle.manifest["ledger"]["entries"]]
    assert drawn[0].drawn + drawn[1].drawn == spent
    assert not kept.exists()
    assert len(open_account(target.parent).entries("")) == 1


def invoke(*words):
    return CliRunner().invoke(cli, ["publish", "markov-dp", *map(str, words)], standalone_mode=True)


def test_the_command_line_publishes_in_parts_and_leaves_no_scratch(tmp_path, monkeypatch):
    from sequester.read import memory_needed

    monkeypatch.setattr(memory_needed, "PER_BYTE", dict.fromkeys(memory_needed.PER_BYTE, 10**6))
    source = sq.write_sample("events", tmp_path / "log.csv", n_people=150)
    words = [source, "--out", tmp_path / "o" / "a.bundle", "--epsilon", 50, "--delta", 1e-6, "--people-at-least", 3000,
             "--time-format", "iso", "--time-unit", "second", "--dates", DATES, "--no-measure",
             "--memory-limit", "300MB", "--scratch", tmp_path / "s"]  # fmt: skip
    (tmp_path / "o").mkdir()
    done = invoke(*words)
    assert done.exit_code == 0, done.output
    assert list((tmp_path / "s").iterdir()) == [] and sq.verify(tmp_path / "o" / "a.bundle").holds
    again = invoke(*words, "--overwrite", "--resume")
    assert again.exit_code != 0


@pytest.mark.parametrize(
    "words,said",
    [
        (["--memory-limit", "lots"], "'lots' is not a size. Write it as 4GB or 500MB."),
        (["--memory-limit", "5MB"], "at least 200MB are needed to work at all, got '5MB'."),
        (["--resume"], "--resume is about work in parts; pass --memory-limit with it."),
        (["--scratch", "x"], "--scratch is about work in parts; pass --memory-limit with it."),
        (["--workers", "2"], "--scheduler and --workers are about a cluster; pass --engine dask or spark with them."),
    ],
)
def test_options_that_do_not_fit_are_one_sentence(words, said, tmp_path):
    source = tmp_path / "log.csv"
    source.write_text("person,time,state\na,2024-01-01,x\n", "utf-8")
    asked = ["--epsilon", 1, "--delta", 1e-6, "--people-at-least", 10]
    done = invoke(source, "--out", tmp_path / "a.bundle", *asked, *words)
    assert done.exit_code == 2 and said in " ".join(done.output.split())


def test_what_does_not_fit_into_memory_is_said_before_the_work(tmp_path, monkeypatch):
    from sequester import _shell

    monkeypatch.setattr(_shell, "memory_needed", lambda *_, **__: 50 * 10**9, raising=False)
    monkeypatch.setattr(_shell, "available_memory", lambda: 8 * 10**9, raising=False)
    source = tmp_path / "log.csv"
    source.write_text("person,time,state\na,2024-01-01,x\n", "utf-8")
    from sequester.cli.scale import _require_room

    with pytest.raises(InputError) as error:
        _require_room(sq.MarkovDP(**STRONG), str(source), 50 * 10**9)
    assert str(error.value) == (
        "publish: 'log.csv' needs about 50 GB of memory and 8 GB are free. Pass memory_limit=4GB: it is then read in "
        "parts."
    )
    with pytest.raises(InputError, match="kapra must see all people at once: use a larger machine"):
        _require_room(sq.Kapra(k=3, p=2), str(source), 50 * 10**9)


def test_a_file_that_a_kill_left_before_the_first_line_is_begun_anew(tmp_path):
    path = tmp_path / "noise"
    for left in ("", '{"about": "cut'):
        path.write_text(left, "ascii")
        first = CheckpointNoise(TeachingNoise(np.random.default_rng(1)), path, "a run", resume=True)
        drawn = first.gaussian("x", np.arange(5), 3.0)
        again = CheckpointNoise(TeachingNoise(np.random.default_rng(2)), path, "a run", resume=True)
        assert again.gaussian("x", np.arange(5), 3.0).tolist() == drawn.tolist()

"""The Dask engine on a cluster of two processes: the same results, no values in errors, workers that may be lost."""

from __future__ import annotations

import operator
import os
import random
import signal
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import sequester as sq
from sequester.dp.noise import TeachingNoise
from sequester.engines.dask import on_dask
from sequester.errors import InputError
from tests.scale_killing import publish, watched, write_files
from tests.unit.test_events_in_parts import CASES, log_of, parted

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with on_dask(n_workers=2, scratch=tmp_path_factory.mktemp("scratch")) as engine:
        yield engine


def _square(i: int) -> int:
    return i * i


def _raises(i: int) -> int:
    raise ValueError("patient 4711 has the value 13")


def _refuses(i: int) -> int:
    raise InputError("read: one sentence. Pass ‹person=NAME›.")


def _slow(folder: Path, i: int) -> int:
    (folder / f"{i}.{os.getpid()}").touch()
    time.sleep(0.3)
    return i


def test_results_come_in_the_order_of_the_parts(cluster):
    assert cluster.map(_square, range(20)) == [i * i for i in range(20)]
    assert cluster.fold(_square, range(20), operator.add) == sum(i * i for i in range(20))


def test_an_error_on_a_worker_shows_no_value(cluster, capfd):
    with pytest.raises(InputError) as error:
        cluster.map(_raises, range(3))
    assert str(error.value) == (
        "dask: a task failed on a worker (ValueError); nothing was published. Check that all workers see the folder "
        "scratch= and have the same version of sequester."
    )
    assert error.value.__cause__ is None and "4711" not in "".join(capfd.readouterr())


def test_a_refusal_on_a_worker_is_the_same_sentence(cluster):
    with pytest.raises(InputError, match=r"^read: one sentence\. Pass person=NAME\.$"):
        cluster.map(_refuses, range(3))


def test_a_killed_worker_is_replaced_and_nothing_is_lost(cluster, tmp_path):
    running = cluster.each(partial(_slow, tmp_path), range(8))
    assert next(running) == 0
    pid = int(next(iter(tmp_path.iterdir())).suffix[1:])
    os.kill(pid, signal.SIGKILL)
    assert list(running) == list(range(1, 8))


def test_markov_dp_is_the_same_on_dask(cluster, tmp_path):
    log, parameters = CASES["seconds, states selected privately"]
    method = sq.MarkovDP(**parameters)
    there = sq.anonymize(parted(log, tmp_path, 3, 1), method, seed=7, engine=cluster)
    here = sq.anonymize(log, method, seed=7)
    assert all(here.tables[n].equals(there.tables[n]) for n in here.tables)


def test_markov_ratio_and_event_grams_are_the_same_on_dask(cluster, tmp_path):
    log, _ = CASES["attributes with links"]
    for number, (data, method) in enumerate((
        (log, sq.MarkovRatio(epsilon=0.65, attributes=("sex:f,m",), split_gap=24.0)),
        (log_of(), sq.MarkovRatio(epsilon=0.65, test="off")),
        (log_of(), sq.EventsNgramDP(epsilon=400.0, n_max=3, l_max=6, objects=30)),
    )):  # fmt: skip
        folder = tmp_path / str(number)
        folder.mkdir()
        there = sq.anonymize(parted(data, folder, 3, 1), method, seed=7, engine=cluster)
        here = sq.anonymize(data, method, seed=7)
        assert all(here.tables[n].equals(there.tables[n]) for n in here.tables)
        assert all(here.private[n].equals(there.private[n]) for n in here.private)


class KillingNoise:
    """Noise as ever; after one of its steps, a moment into the next round, a worker is killed."""

    secure = False

    def __init__(self, engine, seed: int, step: int, wait: float) -> None:
        self._inner, self._engine = TeachingNoise(np.random.default_rng(seed)), engine
        self._step, self._wait, self.steps, self.killed = step, wait, 0, []

    def __getattr__(self, kind):
        def draw(*given):
            self.steps += 1
            if self.steps == self._step:
                self.timer = threading.Timer(self._wait, self._kill, [self._worker()])
                self.timer.start()
            return getattr(self._inner, kind)(*given)

        return draw

    def _worker(self) -> int:
        """The process of a worker that answers: one killed before may still be listed."""
        while True:
            found = self._engine.client.run(os.getpid, on_error="ignore")
            if found:
                return next(iter(found.values()))
            time.sleep(0.1)

    def _kill(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        self.killed.append(pid)


def test_a_worker_killed_at_random_moments_changes_no_bit(cluster, tmp_path):
    log, parameters = CASES["seconds, states selected privately"]
    method, parts = sq.MarkovDP(**parameters), parted(log, tmp_path, 6, 1)
    calm = KillingNoise(cluster, 3, step=0, wait=0.0)
    wanted = sq.anonymize(parts, method, seed=7, engine=cluster, noise=calm)
    chance = random.Random(os.urandom(8))
    for _ in range(3):
        noise = KillingNoise(cluster, 3, chance.randrange(1, calm.steps), chance.uniform(0.0, 0.05))
        got = sq.anonymize(parts, method, seed=7, engine=cluster, noise=noise)
        noise.timer.join()
        assert noise.steps == calm.steps, "a step was drawn twice"
        assert len(noise.killed) == 1
        assert all(wanted.tables[n].equals(got.tables[n]) for n in wanted.tables)


def test_without_workers_nothing_is_published(tmp_path):
    """Every worker is killed, as soon as it is there: one sentence, exit code 2, and nothing left behind."""
    source, target, scratch = (
        write_files(tmp_path / "log", 60, 3),
        tmp_path / "out" / "log.bundle",
        tmp_path / "scratch",
    )
    target.parent.mkdir()
    running = publish(
        source, target, scratch, "--by-file", "--engine", "dask", "--workers", "2",
        before="import sequester.engines.dask as d; d.PATIENCE_SECONDS = 1.0",
    )  # fmt: skip
    ended = watched(running, target, kill="all", at=2)
    assert ended.code == 2 and ended.killed >= 2
    assert ended.said.splitlines()[-1] in (
        "sequester: dask: no worker is left; nothing was published. Check the memory of the workers, then run it again "
        "with --resume.",
        "sequester: dask: the workers of one task were lost again and again; nothing was published. Check the memory "
        "of the workers, then run it again with --resume.",
    )
    account = {"sequester.account", "sequester.account.key"}  # born before the work, and nothing is charged
    assert {p.name for p in target.parent.iterdir()} - account == {".log.bundle.noise"}  # what --resume goes on with
    assert list(scratch.iterdir()) == []


def test_a_scheduler_off_this_machine_needs_tls():
    with pytest.raises(InputError) as error, on_dask("tcp://cluster.example:8786"):
        pass
    assert str(error.value) == (
        "dask: a scheduler off this machine must be reached by tls://; integers about people travel on the network. "
        "Start it with certificates and pass scheduler=tls://HOST:PORT."
    )


def test_an_address_and_workers_at_once_are_refused():
    said = r"^dask: pass scheduler=ADDRESS or workers=N, not both\.$"
    with pytest.raises(InputError, match=said), on_dask("tcp://127.0.0.1:1", 2):
        pass


def test_no_array_of_rows_is_among_the_arguments():
    """What a task is given is a path and released numbers; a part is read where it is measured."""
    from sequester.methods.events.markov_dp.people import _Folding

    assert not any(hint in str(_Folding.__annotations__.values()) for hint in ("EventLog", "ndarray"))
    assert np.ndarray not in _Folding.__annotations__.values()

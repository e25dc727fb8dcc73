"""The Spark engine, where Java and pyspark are installed: the same bits, no values in errors, executors may be lost."""

from __future__ import annotations

import operator
import os
import shutil
import signal
import sys
from functools import partial

import pyarrow as pa
import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli
from sequester.engines.spark import SparkEngine, on_spark
from sequester.errors import InputError
from tests.unit.test_dask_engine import _raises, _refuses, _slow, _square
from tests.unit.test_events_in_parts import CASES, parted

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    with on_spark("local-cluster[2,1,1024]", 2, scratch=tmp_path_factory.mktemp("scratch")) as engine:
        yield engine


def test_results_come_in_the_order_of_the_parts(cluster):
    assert cluster.map(_square, range(20)) == [i * i for i in range(20)]
    assert cluster.fold(_square, range(20), operator.add) == sum(i * i for i in range(20))


def test_an_error_on_a_worker_shows_no_value(cluster, capfd):
    with pytest.raises(InputError) as error:
        cluster.map(_raises, range(3))
    assert str(error.value) == (
        "spark: a task failed on a worker (ValueError); nothing was published. Check that all workers see the folder "
        "scratch= and have the same version of sequester."
    )
    assert error.value.__cause__ is None and "4711" not in "".join(capfd.readouterr())
    with pytest.raises(InputError, match=r"^read: one sentence\. Pass person=NAME\.$"):
        cluster.map(_refuses, range(3))


def test_a_killed_executor_is_replaced_and_nothing_is_lost(cluster, tmp_path):
    running = cluster.each(partial(_slow, tmp_path), range(24))
    assert next(running) == 0
    pid = int(next(iter(tmp_path.iterdir())).suffix[1:])
    os.kill(_executor_of(pid), signal.SIGKILL)
    assert list(running) == list(range(1, 24))


def _executor_of(pid: int) -> int:
    """The Java process above a Python worker."""
    import psutil

    return next(p.pid for p in psutil.Process(pid).parents() if "java" in p.name())


def test_markov_dp_is_the_same_on_spark(cluster, tmp_path):
    log, parameters = CASES["seconds, states selected privately"]
    method = sq.MarkovDP(**parameters)
    there = sq.anonymize(parted(log, tmp_path, 3, 1), method, seed=7, engine=cluster)
    here = sq.anonymize(log, method, seed=7)
    assert all(here.tables[n].equals(there.tables[n]) for n in here.tables)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--master", "local[2]"], "No such option '--master'. Pass the master of Spark with --scheduler"),
        (["--scheduler", "local[2]"], "--scheduler and --workers are about a cluster; pass --engine dask or spark"),
    ],
)
def test_options_of_an_engine_that_is_not_asked_for_are_refused(tmp_path, words, said):
    source = sq.write_sample("events", tmp_path / "log.csv", n_people=20)
    given = ["--epsilon", "4", "--delta", "1e-6", "--people-at-least", "400", "--dates", "2024-01-01..2025-12-31"]
    told = ["publish", "markov-dp", str(source), "--out", str(tmp_path / "a.bundle"), *given, *words]
    done = CliRunner().invoke(cli, told)
    assert done.exit_code == 2 and said in done.output


class Here:
    """A session whose executors are this process: what is sent is written down and read back as on a cluster."""

    def range(self, begin, end, step, n_tasks):
        assert (begin, step, n_tasks) == (0, 1, end)
        self.batches = [pa.RecordBatch.from_arrays([pa.array([at])], ["id"]) for at in reversed(range(end))]
        return self

    def mapInArrow(self, run, schema):
        assert schema == "at long, answer binary"
        self.rows = [row for batch in run(iter(self.batches)) for row in batch.to_pylist()]
        return self

    def collect(self):
        return self.rows


def test_tasks_and_merges_are_sent_as_functions_of_modules():
    engine = SparkEngine(session=Here(), threads=1, n_workers=2)
    assert engine.map(_square, range(20)) == [i * i for i in range(20)]
    assert engine.fold(_square, range(20), operator.add) == sum(i * i for i in range(20))
    with pytest.raises(InputError, match=r"^read: one sentence\. Pass person=NAME\.$"):
        engine.map(_refuses, range(3))


class Gone:
    """A session whose executors are lost again and again."""

    def range(self, *_):
        return self

    mapInArrow = range

    def collect(self):
        raise RuntimeError("Lost executor 1: patient 4711")


def test_executors_that_are_lost_again_and_again_are_one_sentence():
    with pytest.raises(InputError) as error:
        SparkEngine(session=Gone(), threads=1).map(_square, range(3))
    assert str(error.value) == (
        "spark: the work was given up (RuntimeError); nothing was published. Check the memory of the workers, then run "
        "it again with resume=True."
    )
    assert error.value.__cause__ is None


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(InputError) as error, on_spark():
        pass
    assert str(error.value) == "spark: the package is not installed. Run: pip install 'sequester[spark]'"

"""Spark: the same tasks through DataFrames alone, so that they also run where RDDs do not (Databricks, Spark Connect).

A task is given the path of a part and returns integers, as bytes beside the number of its part: no row of the data
passes Spark. A task whose executor is lost runs again; noise and ledger never leave the process that publishes.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from sequester.engines.local import Engine
from sequester.engines.remote import RemoteEngine, guarded, lost, opened
from sequester.errors import InputError

T = TypeVar("T")

TRIES = 8
"""Times that a task is tried before the work is given up."""
WAVES = 4
"""Parts per worker that are sent at once: their answers wait in the memory of the publishing process."""
HERE = ("local", "local-cluster")
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Of processes on this machine. Java only passes paths on: compiling it well costs more than it ever saves."""


@dataclass(frozen=True, kw_only=True)
class SparkEngine(RemoteEngine):
    """A session that is already there: `SparkEngine(session=spark)` in a notebook."""

    session: Any

    def sent(self, task: Callable[[Any], T], parts: list[Any], title: str) -> Iterator[T]:
        """Results in the order of the parts."""
        step = WAVES * self.n_workers
        with self.progress(title, len(parts)) as tick:
            for begin in range(0, len(parts), step):
                for answer in self._wave(task, parts[begin : begin + step]):
                    yield opened(answer, "spark")
                    tick(1)

    def _wave(self, task: Callable[[Any], T], parts: list[Any]) -> list[tuple[str, Any]]:
        written = [pickle.dumps(partial(guarded, task, part)) for part in parts]

        def run(batches: Iterator[Any]) -> Iterator[Any]:  # sent by value; everything else by name
            for batch in batches:
                for at in batch.column(0).to_pylist():
                    answer = pickle.dumps(pickle.loads(written[at])())
                    yield pa.RecordBatch.from_arrays(
                        [pa.array([at]), pa.array([answer], pa.binary())], ["at", "answer"]
                    )

        n = len(parts)
        try:
            rows = self.session.range(0, n, 1, n).mapInArrow(run, "at long, answer binary").collect()
        except Exception as error:  # of Java, of Python's side of it, or of a gateway that is gone
            raise lost("spark", f"the work was given up ({type(error).__name__})") from None
        found = {row["at"]: pickle.loads(bytes(row["answer"])) for row in rows}
        return [found[at] for at in range(n)]


@contextmanager
def on_spark(master: str | None = None, n_workers: int | None = None, **fields: Any) -> Iterator[SparkEngine]:
    """An engine on a Spark master, for the time of the work.

    Parameters
    ----------
    master
        As Spark takes it; without it `local[N]`, processes of this machine. To another machine the traffic is
        authenticated and encrypted, or there is none.
    n_workers
        Tasks at once (2).
    **fields
        Fields of `Engine`: `memory`, `scratch`, `progress`.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError("spark: the package is not installed. Run: pip install 'sequester[spark]'") from None
    count = n_workers or 2
    where = master or f"local[{count}]"
    scratch: Path | None = fields.get("scratch")
    with Engine(scratch=scratch).workspace() as folder:
        settings = {
            "spark.ui.enabled": "false",  # it shows arguments
            "spark.eventLog.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "OFF",
            "spark.local.dir": str(folder),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.task.maxFailures": str(TRIES),
            "spark.pyspark.python": sys.executable,
            "spark.executorEnv.PYTHONPATH": ":".join(p for p in sys.path if p),
        }
        if where.partition("[")[0] not in HERE:
            settings |= {"spark.authenticate": "true", "spark.network.crypto.enabled": "true"}
            settings.pop("spark.executorEnv.PYTHONPATH")  # other machines have paths of their own
            settings.pop("spark.pyspark.python")
        else:
            settings |= {"spark.driver.extraJavaOptions": JAVA, "spark.executor.extraJavaOptions": JAVA}
        builder = SparkSession.builder.master(where).appName("sequester")
        for name, value in settings.items():
            builder = builder.config(name, value)
        try:
            session = builder.getOrCreate()
        except Exception as error:
            raise InputError(
                f"spark: no session was started ({type(error).__name__}). Install Java 17 or later, and check "
                "‹scheduler=›."
            ) from None
        try:
            yield SparkEngine(session=session, n_workers=count, threads=1, **fields)
        finally:
            session.stop()

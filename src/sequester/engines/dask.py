"""Dask: the same tasks on the processes of this machine or of a cluster.

Tasks are given the paths of parts and return integers: no row passes the scheduler. A task that fails tells the name of
its error only, because what it says may hold a value; dashboards, which show arguments, are off. A task whose worker is
lost runs again elsewhere; noise and ledger never leave the process that publishes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from sequester.engines.local import Engine
from sequester.engines.remote import RemoteEngine, guarded, lost, opened
from sequester.errors import InputError

T = TypeVar("T")

RETRIES = 3
"""Times that a task is tried again after its worker was lost."""
ALLOCATOR = {
    "MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 25, "OMP_NUM_THREADS": 1, "MKL_NUM_THREADS": 1,
    "OPENBLAS_NUM_THREADS": 1,
}  # fmt: skip
"""Of workers. Dask lets them return every freed array at once, and fetching the memory again doubles their time."""
PATIENCE_SECONDS = 60.0
"""How long the work waits while there is no worker at all."""
HERE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True)
class DaskEngine(RemoteEngine):
    """A cluster that is already there: `client` is a `distributed.Client`."""

    client: Any

    def sent(self, task: Callable[[Any], T], parts: list[Any], title: str) -> Iterator[T]:
        """Results in the order of the parts."""
        futures = self.client.map(partial(guarded, task), parts, pure=False, retries=RETRIES)
        try:
            with self.progress(title, len(parts)) as tick:
                for at, future in enumerate(futures):
                    result = opened(self._answer(future), "dask")
                    futures[at] = None  # the cluster may forget it
                    yield result
                    tick(1)
        finally:
            self.client.cancel([f for f in futures if f is not None], force=True)

    def _answer(self, future: Any) -> tuple[str, Any]:
        """Wait for a result, but not for a cluster without workers."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        alone_since: float | None = None
        while True:
            try:
                answer: tuple[str, Any] = future.result(timeout=2)
                return answer
            except TimeoutError:
                here = self.client.scheduler_info()["workers"]
                alone_since = None if here else alone_since or time.monotonic()
                if alone_since is not None and time.monotonic() - alone_since > PATIENCE_SECONDS:
                    raise lost("dask", "no worker is left") from None
            except KilledWorker:
                raise lost("dask", "the workers of one task were lost again and again") from None
            except (FutureCancelledError, OSError):
                raise lost("dask", "the scheduler is gone") from None


@contextmanager
def on_dask(address: str | None = None, n_workers: int | None = None, **fields: Any) -> Iterator[DaskEngine]:
    """An engine on a running scheduler, or on workers that are started here for the time of the work.

    Parameters
    ----------
    address
        Of a scheduler. Off this machine it must begin with `tls://`: integers about people travel on it.
    n_workers
        Processes to start on this machine, where no address is given.
    **fields
        Fields of `Engine`: `memory`, `scratch`, `progress`.
    """
    try:
        from dask import config
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError("dask: the package is not installed. Run: pip install 'sequester[dask]'") from None
    if address is not None and n_workers is not None:
        raise InputError("dask: pass ‹scheduler=ADDRESS› or ‹workers=N›, not both.")
    if address is not None:
        where = urlsplit(address)
        if where.scheme != "tls" and (where.hostname or "") not in HERE:
            raise InputError(
                "dask: a scheduler off this machine must be reached by tls://; integers about people travel on the "
                "network. Start it with certificates and pass ‹scheduler=tls://HOST:PORT›."
            )
        try:
            client = Client(address, timeout=20)
        except (OSError, ValueError) as error:
            raise InputError("dask: the scheduler does not answer. Check its address.") from error
        with client:
            _silence(client)
            count = sum(client.ncores().values()) or 1
            yield DaskEngine(client=client, n_workers=count, threads=1, **fields)
        return
    count, memory = n_workers or 2, fields.get("memory")
    scratch: Path | None = fields.get("scratch")
    plain = Engine(scratch=scratch)
    with (
        plain.workspace() as folder,
        config.set({"distributed.nanny.pre-spawn-environ": ALLOCATOR}),
        LocalCluster(
            n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50,
            memory_limit=0 if memory is None else max(memory // count, 600 << 20), local_directory=str(folder),
            host="127.0.0.1",
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        _silence(client)
        yield DaskEngine(client=client, n_workers=count, threads=1, **fields)


def _silence(client: Any) -> None:
    """Let the client's loop not print what it finds in tasks that nobody waits for any more.

    After workers were lost it would print a traceback below the one sentence that says so, and a traceback of a task
    may hold what a task was given. Errors that matter come back through `each`.
    """
    client.loop.asyncio_loop.set_exception_handler(lambda loop, context: None)

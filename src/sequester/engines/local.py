"""This machine: how many threads, how much memory, where to put things, and whom to tell about progress.

Memory that is free but held by allocators is given back, because a limit counts it all the same.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sequester.engines.scratch import workspace
from sequester.engines.steps import Display, step
from sequester.model.kind import Data

PROGRAM = 200 * 10**6
"""What the programs themselves take of a limit: interpreter, libraries, compiled kernels."""


def usable(memory: int) -> int:
    """Of a limit, what is left for data."""
    return max(memory - PROGRAM, memory // 4)


def give_back() -> None:
    """Return what is free to the operating system."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    if _trim is not None:
        _trim(0)


def _found() -> ctypes._NamedFuncPointer | None:
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):  # other systems have other allocators
        return None


_trim = _found()


T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Threads to use, and a progress display (`with engine.progress(title, total) as tick: tick(n)`).

    Without one of its own, an engine tells whoever shows the steps of the work (see `steps`).

    `map` and `fold` run a task on every part of a data set: on each loaded part where they are given the data, on what
    can be loaded where they are given its `parts`, and on whatever a sequence holds. A task is a function of a module
    (or a `partial` of one), so that it can be sent to another process; it returns integers, or writes a file and
    renames it into place. It may run twice when a worker is lost, draws no random numbers, and never decides anything
    that the split could change.
    """

    threads: int = max(1, os.cpu_count() or 1)
    progress: Display = step
    memory: int | None = None
    """Bytes that all tasks at work may use together; None: whatever the data takes."""
    scratch: Path | None = None
    """Where folders for the time of the work are made; on a cluster a disk that all workers share."""

    @property
    def workers(self) -> int:
        """Tasks at work at once."""
        return self.threads

    def threads_inside(self, data: Data) -> int:
        """Threads that a task on one part may use: all of them where there is no other part."""
        return self.threads if len(data.parts) == 1 else 1

    def map(self, task: Callable[[Any], T], parts: Data | Sequence[Any], title: str = "parts") -> list[T]:
        """What the task returns for every part, in the order of the parts."""
        return list(self.each(task, parts, title))

    def fold(
        self, task: Callable[[Any], T], parts: Data | Sequence[Any], merge: Callable[[T, T], T], title: str = "parts"
    ) -> T:
        """What the task returns for all parts, merged. The merge is exact: integers, keyed integers, sorted tables."""
        done = self.each(task, parts, title)
        total = next(done)
        for one in done:
            total = merge(total, one)
        return total

    def each(self, task: Callable[[Any], T], parts: Data | Sequence[Any], title: str = "parts") -> Iterator[T]:
        """Results in the order of the parts; no more of them wait than there are threads."""
        task, todo = on_parts(task, parts)
        with self.progress(title, len(todo)) as tick, self._tidy():
            if self.threads == 1 or len(todo) == 1:
                for part in todo:
                    yield task(part)
                    tick(1)
                return
            with ThreadPoolExecutor(self.threads) as pool:
                waiting: deque[Future[T]] = deque()
                try:
                    for part in todo:
                        if len(waiting) >= self.threads:
                            yield waiting.popleft().result()
                            tick(1)
                        waiting.append(pool.submit(task, part))
                    while waiting:
                        yield waiting.popleft().result()
                        tick(1)
                finally:
                    for future in waiting:  # after an error nothing more is begun
                        future.cancel()

    @contextmanager
    def _tidy(self) -> Iterator[None]:
        """Under a limit, what the work no longer needs is given back when it is done."""
        yield
        if self.memory is not None:
            give_back()

    def workspace(self) -> AbstractContextManager[Path]:
        """A folder for the time of the work: 0700, gone at the end, also after an error or a request to end."""
        return workspace(self.scratch)

    def track(self, items: Iterable[T], title: str, total: int | None = None) -> Iterator[T]:
        """Iterate and show how far it got."""
        count: Any = items
        with self.progress(title, total if total is not None else len(count)) as tick:
            for item in items:
                yield item
                tick(1)


def on_parts(task: Callable[[Any], T], parts: Data | Sequence[Any]) -> tuple[Callable[[Any], T], Sequence[Any]]:
    """A task on loaded parts as one on what can be loaded; other tasks as they are."""
    return (partial(_on_loaded, task), parts.parts) if isinstance(parts, Data) else (task, parts)


def _on_loaded(task: Callable[[Any], T], part: Any) -> T:
    return task(part.load())

"""This machine: how many threads, and whom to tell about progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")
Tick = Callable[[float], None]


def _silent(_title: str, _total: float | None) -> AbstractContextManager[Tick]:
    return nullcontext(lambda _done: None)


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Threads to use, and a progress display (`with engine.progress(title, total) as tick: tick(n)`)."""

    threads: int = max(1, os.cpu_count() or 1)
    progress: Callable[[str, float | None], AbstractContextManager[Tick]] = _silent

    def track(self, items: Iterable[T], title: str, total: int | None = None) -> Iterator[T]:
        """Iterate and show how far it got."""
        count: Any = items
        with self.progress(title, total if total is not None else len(count)) as tick:
            for item in items:
                yield item
                tick(1)

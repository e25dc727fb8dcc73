"""This machine: how many threads, and whom to tell about progress."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from sequester.engines.stages import Display, stage

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Threads to use, and a progress display (`with engine.progress(title, total) as tick: tick(n)`).

    Without one of its own, an engine tells whoever shows the stages of the work (see `stages`).
    """

    threads: int = max(1, os.cpu_count() or 1)
    progress: Display = stage

    def track(self, items: Iterable[T], title: str, total: int | None = None) -> Iterator[T]:
        """Iterate and show how far it got."""
        count: Any = items
        with self.progress(title, total if total is not None else len(count)) as tick:
            for item in items:
                yield item
                tick(1)

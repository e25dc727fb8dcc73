"""Tasks on other processes: an error there becomes a result, because engines print what an error carries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from sequester.engines.local import Engine, on_parts
from sequester.errors import InputError, SequesterError, with_markers
from sequester.model.kind import Data

T = TypeVar("T")

GROUPS = 3
"""Groups of parts per worker that are folded at once: a lost worker loses no more than one of them."""


@dataclass(frozen=True, kw_only=True)
class RemoteEngine(Engine):
    """What engines on other processes share; each brings its own `sent`."""

    n_workers: int = 2
    """Tasks that the cluster runs at once."""

    @property
    def workers(self) -> int:
        return self.n_workers

    def fold(
        self, task: Callable[[Any], T], parts: Data | Sequence[Any], merge: Callable[[T, T], T], title: str = "parts"
    ) -> T:
        """As on threads; every worker merges what it computed, in groups of parts, because a task costs by itself."""
        task, todo = on_parts(task, parts)
        if stays_here(todo):
            return super().fold(task, todo, merge, title)
        return super().fold(partial(folded, task, merge), in_groups(todo, GROUPS * self.n_workers), merge, title)

    def each(self, task: Callable[[Any], T], parts: Data | Sequence[Any], title: str = "parts") -> Iterator[T]:
        """Results in the order of the parts; what is in memory is worked on here."""
        task, todo = on_parts(task, parts)
        return super().each(task, todo, title) if stays_here(todo) else self.sent(task, list(todo), title)

    def sent(self, task: Callable[[Any], T], parts: list[Any], title: str) -> Iterator[T]:
        """Results of tasks on other processes, in the order of the parts."""
        raise NotImplementedError


def stays_here(parts: Sequence[Any]) -> bool:
    """Whether parts are rows in memory: no row passes a scheduler."""
    return any(getattr(part, "in_memory", False) for part in parts)


def guarded(task: Callable[[Any], Any], part: Any) -> tuple[str, Any]:
    """Run a task; of an error only what may be shown is passed on."""
    try:
        return "done", task(part)
    except SequesterError as error:
        return "refused", with_markers(error)
    except Exception as error:
        return "failed", type(error).__name__


def in_groups(parts: Sequence[Any], n: int) -> list[list[Any]]:
    """Parts one after the other in at most `n` groups of like size."""
    todo = list(parts)
    size = -(-len(todo) // max(1, n)) or 1
    return [todo[at : at + size] for at in range(0, len(todo), size)]


def folded(task: Callable[[Any], Any], merge: Callable[[Any, Any], Any], parts: list[Any]) -> Any:
    """What a task returns for a group of parts, merged where it was computed: one answer travels instead of many."""
    total = task(parts[0])
    for part in parts[1:]:
        total = merge(total, task(part))
    return total


def opened(answer: tuple[str, Any], engine: str) -> Any:
    """The result of a guarded task, or its error as a sentence."""
    how, what = answer
    if how == "refused":
        raise InputError(what)
    if how == "failed":
        raise InputError(
            f"{engine}: a task failed on a worker ({what}); nothing was published. Check that all workers see the "
            "folder ‹scratch=› and have the same version of sequester."
        )
    return what


def lost(engine: str, why: str) -> InputError:
    """Workers are gone, and their tasks with them."""
    return InputError(
        f"{engine}: {why}; nothing was published. Check the memory of the workers, then run it again with "
        "‹resume=True›."
    )

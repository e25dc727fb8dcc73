"""Tasks on other processes: an error there becomes a result, because engines print what an error carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sequester.errors import InputError, SequesterError, retold


def guarded(task: Callable[[Any], Any], part: Any) -> tuple[str, Any]:
    """Run a task; of an error only what may be shown is told."""
    try:
        return "done", task(part)
    except SequesterError as error:
        return "refused", retold(error)
    except Exception as error:
        return "failed", type(error).__name__


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

"""Steps of long work, and whoever shows them.

Work says what it does (`with step("Measuring"):`, or with a total, and then `tick(n)`); a command line or a page that
wants to show it says so once, around the whole (`with showing(display):`). Nobody in between has to hand it on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

Tick = Callable[[float], None]
Display = Callable[[str, float | None], AbstractContextManager[Tick]]


def silent(_title: str, _total: float | None) -> AbstractContextManager[Tick]:
    return nullcontext(lambda _done: None)


_display: ContextVar[Display] = ContextVar("display", default=silent)


def step(title: str, total: float | None = None) -> AbstractContextManager[Tick]:
    """Name the work inside; `tick(n)` tells that n of the total are done."""
    return _display.get()(title, total)


@contextmanager
def showing(display: Display) -> Iterator[None]:
    """Show the steps of the work inside."""
    token = _display.set(display)
    try:
        yield
    finally:
        _display.reset(token)

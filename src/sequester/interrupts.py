"""Ctrl-C, a hang-up and a request to end wait for the moment in which names change or a lock is removed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def signals_wait() -> Iterator[None]:
    """What came meanwhile is raised at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python handles signals in its main thread only
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda which, _frame: came.append(which)) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        for which in came[:1]:
            signal.raise_signal(which)

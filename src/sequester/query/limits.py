"""A question to a bundle ends: bundles and questions may come from anybody, and both may ask for everything."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from sequester.errors import InputError
from sequester.platform import resource  # none on Windows, which has no alarms either

SECONDS, GIGABYTES = 60, 4
"""What one question may take."""


@contextmanager
def limited() -> Iterator[None]:
    """So many seconds, and so much more memory than the process has now.

    For whoever asks in the main thread of a process of its own: the command line and the jobs of the workbench. Limits
    of the system are put back afterwards; a system that has none sets none.
    """
    if resource is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    most = min([_address_space() + (GIGABYTES << 30), *(limit for limit in before if limit >= 0)])
    handler = signal.signal(signal.SIGALRM, _late)
    with suppress(OSError, ValueError):  # macOS may refuse a limit
        resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    except MemoryError as error:
        raise InputError(f"query: the answer needs more than {GIGABYTES} GB of memory. Ask for less.") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def _late(_number: int, _frame: Any) -> NoReturn:
    raise InputError(f"query: the answer took more than {SECONDS} seconds and was given up. Ask for less.")


def _address_space() -> int:
    """Bytes that this process has been given by now; 1 TB where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("utf-8").split()[0])
    except (OSError, ValueError):
        return 1 << 40
    return pages * resource.getpagesize()

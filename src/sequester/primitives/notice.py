"""What is said while kernels are compiled: a line on the terminal, unless somebody else shows it."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable

TITLE = "Compiling kernels, once per machine"


class Line:
    """A line on the terminal once compiling has taken more than a second, kept up to date, and wiped at the end."""

    AFTER = 1.0

    def __init__(self) -> None:
        self.done = 0
        self.seconds = 0.0
        self.shown = False

    def count(self, seconds: float) -> None:
        """One more kernel, after so many seconds."""
        self.done += 1
        self.seconds = max(self.seconds, seconds)  # a kernel that calls others counts their time as its own
        if self.seconds > self.AFTER and sys.stderr is not None and sys.stderr.isatty():
            if not self.shown:
                self.shown = True
                atexit.register(self.wipe)
            sys.stderr.write(f"\r\x1b[2K{TITLE}: {self.done} done")
            sys.stderr.flush()

    def wipe(self) -> None:
        """Leave the terminal as it was."""
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


_listener: Callable[[float], None] = Line().count


def report(seconds: float) -> None:
    """A kernel was compiled, with those inside it."""
    _listener(seconds)


def report_to(listener: Callable[[float], None]) -> None:
    """From now on this one hears of every kernel that had to be compiled, and the line is not written."""
    global _listener
    _listener = listener

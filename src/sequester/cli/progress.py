"""Progress bars on a terminal: the steps of the work with the time left, once there is more than a second of it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from sequester import _shell
from sequester.cli.plain import Plain, plain

PATIENCE_SECONDS = 1.0
"""Work that takes longer is shown."""

PAUSE_SECONDS = 0.5
"""Steps that follow each other within this time are one piece of work."""


COMPILING = "Compiling kernels, once per machine"


_decided = False


@contextmanager
def watched(quiet: bool = False) -> Iterator[None]:
    """Show the steps of the work inside, if somebody watches and wants it."""
    global _decided
    if _decided:  # a command that runs others, such as the demo: the first one has decided
        yield
        return
    _decided = True
    display = Display() if not quiet and sys.stderr is not None and sys.stderr.isatty() else None
    _shell.report_to(display.compiled if display else lambda _seconds: None)
    try:
        with _shell.showing(display.step) if display else nullcontext():
            yield
    finally:
        _decided = False
        if display:
            display.close()


class Display:
    """Steps as rows of bars on standard error; a timer shows them, because the work may be one long call."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._steps: list[_Step] = []
        self._bars: Any = None
        self._timer: threading.Timer | None = None
        self._since = self._until = 0.0
        self._unforeseen = _Step(COMPILING, None)

    @contextmanager
    def step(self, title: str, total: float | None) -> Iterator[Callable[[float], None]]:
        """One step; steps inside it get rows below."""
        mine = _Step(title, total)
        with self._lock:
            now = time.monotonic()
            if not self._steps and now - self._until > PAUSE_SECONDS:
                self._since = now
            self._steps.append(mine)
            self._wait(self._since + PATIENCE_SECONDS - now)
        try:
            yield lambda done: self._tick(mine, done)
        finally:
            with self._lock:
                self._steps.remove(mine)
                self._until = time.monotonic()
                if self._bars is not None and mine.row is not None:
                    self._bars.remove_task(mine.row)
                if not self._steps:
                    self.close()

    def compiled(self, _seconds: float) -> None:
        """A kernel was compiled; those that were not foreseen stand beside the step that needed them."""
        with self._lock:
            self._unforeseen.done += 1
            if self._bars is None or any(s.title == COMPILING for s in self._steps):
                return
            sentence = f"{COMPILING}: {self._unforeseen.done:.0f} done"
            if self._unforeseen.row not in self._bars.task_ids:
                self._unforeseen.row = self._bars.add_task(sentence, total=None)
            self._bars.update(self._unforeseen.row, description=sentence)

    def close(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._bars is not None:
                self._bars.stop()
                self._bars = None

    def _wait(self, seconds: float) -> None:
        if self._bars is not None:
            self._show()
        elif self._timer is None:
            self._timer = threading.Timer(max(seconds, 0.0), self._show)
            self._timer.daemon = True
            self._timer.start()

    def _show(self) -> None:
        with self._lock:
            self._timer = None
            if not self._steps:
                return
            if self._bars is None:
                self._bars = _bars()
                self._bars.start()
                sys.stderr = Plain(sys.stderr)  # what is said above the bars; rich puts the old one back  # type: ignore
            for waiting in self._steps:
                if waiting.row is None or waiting.row not in self._bars.task_ids:
                    waiting.row = self._bars.add_task(
                        waiting.title, total=waiting.total, completed=waiting.done, begun=waiting.begun
                    )

    def _tick(self, which: _Step, done: float) -> None:
        with self._lock:
            which.done += done
            if self._bars is not None and which.row is not None and which.row in self._bars.task_ids:
                self._bars.update(which.row, completed=which.done)


class _Step:
    """What is done, how much of it there is, and how much is done."""

    def __init__(self, title: str, total: float | None) -> None:
        self.title, self.total, self.done = plain(title), total, 0.0
        self.begun = time.monotonic()
        self.row: Any = None


def _bars() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """The time left, as soon as it is known."""

        def render(self, task: Task) -> Text:
            if task.total is None or not task.completed:
                return Text("")
            left = (time.monotonic() - task.fields["begun"]) / task.completed * (task.total - task.completed)
            return Text(f"about {_shell.spoken(left)} left")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeLeft(),
        console=Console(file=getattr(sys.stderr, "behind", sys.stderr)),  # bars are our own words
        transient=True,
        redirect_stdout=False,  # results may go to a file
    )

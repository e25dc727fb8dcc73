"""One job in a process of its own: `python -m sequester.workbench.child`.

The first line of standard input names the job; standard output carries one JSON value per line: `progress` with `said`,
then `result` or `error`. Standard input stays open as long as the workbench lives: when it ends, so does the job. A
request to stop (SIGTERM) unwinds the work, so that a half-written bundle is taken away again.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import warnings
from typing import IO, Any

from sequester.platform import ENDING, end_myself, resource

SHARE_OF_MEMORY, LEAST_MEMORY = 0.8, 1 << 30
"""Of the memory that is free when a job begins, how much it may take; and what it may take in any case."""
PATIENCE_SECONDS = 0.2
"""Progress is sent at most this often."""


class Teller:
    """Writes lines for the workbench; nothing else may reach its pipe."""

    def __init__(self, out: IO[str]) -> None:
        self.out = out
        self._last = ("", 0.0)

    def line(self, **values: Any) -> None:
        """One value."""
        self.out.write(json.dumps(values) + "\n")
        self.out.flush()

    def progress(self, share: float, said: str) -> None:
        """How far it is; not more often than somebody can look."""
        words, when = self._last
        now = time.monotonic()
        if said != words or now - when > PATIENCE_SECONDS:
            self._last = (said, now)
            self.line(progress=share, said=said)


def limit_memory(free: int | None) -> int | None:
    """Let this process take most of what is free, so that a job ends with a sentence and the machine stays usable."""
    if free is None or resource is None:
        return None
    most = max(LEAST_MEMORY, int(SHARE_OF_MEMORY * free))
    resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    return most


def _stop(number: int, _frame: Any) -> None:
    raise SystemExit(128 + number)


def _end_with(workbench: IO[str]) -> None:
    """The workbench is gone when its end of the pipe is: stop as if asked to."""
    while workbench.read(1):
        pass
    end_myself()


def main() -> None:
    """Do the job on standard input."""
    for number in ENDING:
        signal.signal(number, _stop)
    teller = Teller(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a stray print is not a message
    stored = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with, args=(sys.stdin,), daemon=True).start()
    import sequester as sq
    from sequester import _shell
    from sequester.workbench.forms import refusal
    from sequester.workbench.work import run

    warnings.simplefilter("ignore")
    most = limit_memory(_shell.available_memory())
    _shell.pandas_on_demand()
    try:
        result = run(stored["what"], stored["settings"], teller.progress)
        plain = json.loads(_shell.to_json_text(result))
    except sq.SequesterError as error:
        teller.line(error=refusal(error))
    except MemoryError:
        limit = f" A job here may take {most / 1e9:.1f} GB." if most else ""
        teller.line(error=f"There is not enough memory for this.{limit} Try a smaller source or another setting.")
    except Exception as error:  # what it says may hold values from the data: only its name is said
        teller.line(
            error=f"This failed unexpectedly ({type(error).__name__}). The command line with --debug says more."
        )
    else:
        teller.line(result=plain)


if __name__ == "__main__":
    main()

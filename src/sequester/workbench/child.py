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

PATIENCE_SECONDS = 0.2
"""Progress is told at most this often."""


class Teller:
    """Writes lines for the workbench; nothing else may reach its pipe."""

    def __init__(self, out: IO[str]) -> None:
        self.out = out
        self._last = ("", 0.0)

    def line(self, **form: Any) -> None:
        """One value."""
        self.out.write(json.dumps(form) + "\n")
        self.out.flush()

    def progress(self, share: float, said: str) -> None:
        """How far it is; not more often than somebody can look."""
        words, when = self._last
        now = time.monotonic()
        if said != words or now - when > PATIENCE_SECONDS:
            self._last = (said, now)
            self.line(progress=share, said=said)


def _stop(_number: int, _frame: Any) -> None:
    raise SystemExit(143)


def _end_with(workbench: IO[str]) -> None:
    """The workbench is gone when its end of the pipe is: stop as if asked to."""
    while workbench.read(1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Do the job on standard input."""
    signal.signal(signal.SIGTERM, _stop)
    teller = Teller(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a stray print is not a message
    stored = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with, args=(sys.stdin,), daemon=True).start()
    import sequester as sq
    from sequester import _shell
    from sequester.workbench.work import run

    warnings.simplefilter("ignore")
    _shell.pandas_on_demand()
    try:
        result = run(stored["what"], stored["settings"], teller.progress)
        plain = json.loads(_shell.to_json_text(result))
    except sq.SequesterError as error:
        teller.line(error=_shell.spelled(error, _shell.as_field))
    except MemoryError:
        teller.line(error="There is not enough memory for this. Try a smaller source or another setting.")
    except Exception as error:  # what it says may hold values from the data: only its name is told
        teller.line(
            error=f"This failed unexpectedly ({type(error).__name__}). The command line with --debug says more."
        )
    else:
        teller.line(result=plain)


if __name__ == "__main__":
    main()

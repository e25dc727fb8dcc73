"""A job of the workbench that stops and waits where a test wants to kill: no test has to catch a moment in passing."""

from __future__ import annotations

import os
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATIENCE_SECONDS = 300
HELD = """
import sys

if any("sequester.workbench.child" in word for word in sys.orig_argv):
    import pathlib, time
    from sequester.workbench import work

    def run(what, told, say, right=work.run):
        def until(share, said):
            say(share, said)
            if said.startswith({moment!r}):
                pathlib.Path({reached!r}).touch()
                time.sleep({patience})
        return right(what, told, until)

    work.run = run
"""


class Hold:
    """`environment` for a workbench whose jobs wait at a moment; `wait()` returns when one does."""

    def __init__(self, folder: Path, moment: str) -> None:
        folder.mkdir()
        self.reached = folder / "reached"
        code = HELD.format(moment=moment, reached=str(self.reached), patience=PATIENCE_SECONDS)
        # Python imports it by itself at the start, also in the processes that the workbench starts.
        (folder / "sitecustomize.py").write_text(code, "utf-8")
        self.environment = {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src"), str(ROOT)])}

    def wait(self) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.reached.exists():
            assert time.monotonic() < end, "the moment never came"
            time.sleep(0.02)

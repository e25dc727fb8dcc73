"""The queue: at most two jobs at once, each in a process of its own.

A child process gets a function by name and JSON settings, sends lines of progress over a pipe, and ends with a result.
Stopping a job ends its whole process group; what it had not published was not published.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from sequester.platform import apart, stop
from sequester.workbench.store import DONE, FAILED, RUNNING, STOPPED, WAITING, Store

AT_ONCE = 2
GRACE_SECONDS = 5.0
"""What a stopped job has to put things in order before it is killed."""


class Queue:
    """Starts waiting jobs in their order and writes what they say into the store."""

    def __init__(self, store: Store, finished: Callable[[Mapping[str, Any]], None] | None = None) -> None:
        self.store = store
        self._finished = finished
        self._closing = False
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._before: dict[int, tuple[int, int] | None] = {}
        """Job → the bundle that lay at its target when it began."""
        self._lock = threading.Lock()

    def submit(self, source: int | None, what: str, settings: Mapping[str, Any]) -> int:
        """Put a job at the end; it starts when there is a place."""
        job = self.store.add_job(source, what, settings)
        self._fill()
        return job

    def stop(self, job: int) -> None:
        """Stop a running job, or take a waiting one out."""
        with self._lock:
            process = self._running.get(job)
        found = self.store.job(job)
        if found is None or found["state"] not in (RUNNING, WAITING):
            return
        self.store.change_job(job, state=STOPPED, said="You stopped this.", ended=_now())
        if process is not None:
            stop(process, grace_seconds=GRACE_SECONDS)
            if self._published(found):
                self.store.change_job(job, said=f"You stopped this after '{found['settings']['out']}' was published.")

    def close(self) -> None:
        """End everything; jobs that did not finish are shown as unfinished at the next start."""
        with self._lock:
            self._closing = True
            running = list(self._running.values())
        for process in running:
            stop(process, grace_seconds=GRACE_SECONDS)

    def place(self, job: int) -> int | None:
        """How many jobs wait before this one; None if it does not wait."""
        waiting = [j["job"] for j in self.store.jobs() if j["state"] == WAITING]
        return waiting.index(job) if job in waiting else None

    def _fill(self) -> None:
        with self._lock:
            if self._closing:
                return
            waiting = [j for j in self.store.jobs() if j["state"] == WAITING and j["job"] not in self._running]
            for found in waiting[: max(0, AT_ONCE - len(self._running))]:
                self._start(found)

    def _start(self, form: Mapping[str, Any]) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", "sequester.workbench.child"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **apart(),
        )  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({"what": form["what"], "settings": form["settings"]}).encode() + b"\n")
        process.stdin.flush()  # and left open: when the workbench is gone, the child notices and ends too
        self._running[form["job"]] = process
        self._before[form["job"]] = _bundle_of(form)
        self.store.change_job(form["job"], state=RUNNING, pid=process.pid, said="started")
        threading.Thread(target=self._follow, args=(form["job"], process, process.stdout), daemon=True).start()

    def _published(self, job: Mapping[str, Any]) -> bool:
        """Whether a bundle lies at the target of a job that did not when it began."""
        now = _bundle_of(job)
        return now is not None and now != self._before.get(job["job"])

    def _follow(self, job: int, process: subprocess.Popen[bytes], out: IO[bytes]) -> None:
        ended: dict[str, Any] = {}
        for line in out:
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if "progress" in said:
                self.store.change_job(job, done=float(said["progress"]), said=str(said.get("said", "")))
            elif "result" in said:
                pictures = said["result"].pop("pictures", None)
                if pictures is not None:
                    self.store.keep_pictures(job, pictures)
                ended = {"state": DONE, "said": "", "done": 1.0, "result": said["result"]}
            elif "error" in said:
                ended = {"state": FAILED, "said": str(said["error"])}
        process.wait()
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        found = self.store.job(job)
        if not ended and found is not None:  # it died; what it had put in place stays
            said = f"'{found['settings'].get('out')}' was published, then the work ended unexpectedly. Verify it."
            if not self._published(found):
                said = "The work ended unexpectedly; nothing was published."
            ended = {"state": FAILED, "said": said}
        cut_off = self._closing and ended.get("state") != DONE  # stays as it is: the next start calls it unfinished
        if found is not None and found["state"] == RUNNING and not cut_off:
            if self._finished is not None and ended["state"] == DONE:
                self._finished(found | {"result": ended["result"]})
            self.store.change_job(job, **ended, ended=_now())
        with self._lock:
            self._running.pop(job, None)
        self._fill()


def _bundle_of(job: Mapping[str, Any]) -> tuple[int, int] | None:
    """What tells one bundle at a job's target from another; None where there is none."""
    settings = job["settings"]
    if job["what"] != "publish" or "out" not in settings:
        return None
    try:
        found = (Path(settings["root"]) / settings["out"] / "manifest.json").stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

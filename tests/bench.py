"""A workbench in a process of its own, and a client that behaves like its browser."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[1]
PATIENCE_SECONDS = 120


class Workbench:
    """`sequester workbench FOLDER --no-open`, as a user starts it."""

    def __init__(
        self, folder: Path, *options: str, environment: Mapping[str, str] | None = None, verb: str = "workbench"
    ) -> None:
        environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"} | dict(environment or {})
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sequester", verb, str(folder), "--no-open", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self.address = self.process.stdout.readline().strip()
        self.base = "/".join(self.address.split("/")[:3])
        self.token = self.address.partition("?token=")[2]
        self.port = int(self.base.rpartition(":")[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self, how=signal.SIGINT) -> int:
        """End it, gently unless told otherwise."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(20)
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()
        return code

    @property
    def cookie(self) -> dict[str, str]:
        return {f"sequester_workbench_{self.port}": self.token}

    def client(self) -> httpx.Client:
        """A browser with the cookie, on the workbench's own pages."""
        return httpx.Client(
            base_url=self.base, cookies=self.cookie, headers={"Origin": self.base}, follow_redirects=True,
            timeout=30, trust_env=False,
        )  # fmt: skip

    def wait(self, client: httpx.Client, job: int) -> dict:
        """The last event of a job, when it is over."""
        told: dict = {}
        with client.stream("GET", f"/events?jobs={job}", timeout=PATIENCE_SECONDS) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: {") and "job" in line:
                    told = json.loads(line.removeprefix("data: "))
        return told

    def wait_until(self, client: httpx.Client, job: int, state: str) -> None:
        """Until a job is in a state."""
        end = time.monotonic() + PATIENCE_SECONDS
        with client.stream("GET", f"/events?jobs={job}", timeout=PATIENCE_SECONDS) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: {") and f'"state": "{state}"' in line:
                    return
                assert time.monotonic() < end
        raise AssertionError(f"job {job} was never {state}")

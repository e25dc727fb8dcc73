"""Does the workbench answer at once, also while a source of a million rows is looked at?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

TITLE = "The workbench: its first page, and its pages while a job runs"
NOTE = """Seconds of wall clock, over HTTP on the same machine. `first page` is the first request after the address was
printed, `later page` the slowest of ten; a source of a million events is then opened, and `while it is read` is the
slowest of the pages that were asked for while its job ran, `pages` how many. `found` is how long it took until the
page told what the source is. The limit of a second is for an idle machine."""
ROWS = 1_000_000
LIMIT_SECONDS = 1.0


def run() -> Iterator[dict]:
    """One row per question."""
    import httpx

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _large(folder / "large.csv")
        command = [sys.executable, "-m", "sequester", "workbench", str(folder), "--no-open"]
        begun = time.perf_counter()
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ
        ) as server:
            try:
                assert server.stdout is not None
                address = server.stdout.readline().strip()
                started = time.perf_counter() - begun
                base, _, token = address.partition("/?token=")
                port = base.rpartition(":")[2]
                with httpx.Client(
                    base_url=base, cookies={f"sequester_workbench_{port}": token}, headers={"Origin": base},
                    follow_redirects=True, timeout=60, trust_env=False,
                ) as client:  # fmt: skip
                    yield _row("address printed", started)
                    yield _row("first page", _page(client, "/"), limit=LIMIT_SECONDS)
                    yield _row("later page", max(_page(client, "/") for _ in range(10)), limit=LIMIT_SECONDS)
                    yield from _while_it_is_read(client)
            finally:
                server.terminate()


def _while_it_is_read(client) -> Iterator[dict]:
    begun = time.perf_counter()
    opened = client.post("/open", data={"name": "large.csv"})
    source = re.search(r"/source/(\d+)", str(opened.url))
    assert source, opened.url
    slowest, pages = 0.0, 0
    while "data-watch" in client.get(f"/source/{source[1]}").text:
        slowest, pages = max(slowest, _page(client, "/"), _page(client, "/jobs")), pages + 2
        time.sleep(0.05)
    told = client.get(f"/source/{source[1]}").text
    assert f"{ROWS:,} events" in told, "the source was not read"
    yield _row("while it is read", slowest, limit=LIMIT_SECONDS) | {"pages": pages}
    yield _row("found", time.perf_counter() - begun)


def _page(client, path: str) -> float:
    begun = time.perf_counter()
    answer = client.get(path)
    assert answer.status_code == 200
    return time.perf_counter() - begun


def _row(what: str, seconds: float, limit: float | None = None) -> dict:
    row = {"bench": "workbench", "what": what, "n": ROWS, "seconds": round(seconds, 3)}
    return row | ({"limit": limit, "met": seconds <= limit} if limit else {})


def _large(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("person,time,state\n")
        for i in range(ROWS):
            file.write(f"p{i // 50},2024-01-{1 + i % 28:02d}T{i % 24:02d}:00:00,s{i % 7}\n")


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row), flush=True)

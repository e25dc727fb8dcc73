"""Does the workbench answer at once, also while a source of a million rows is looked at?"""

from __future__ import annotations

import os
import re
import shutil
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
page told what the source is. `sweep` is five settings of `markov-ratio` on a hundred thousand events, from the press of
the button until the picture is there, and `slider` is how long the page of that sweep takes from a move of the slider
until dot, words and command have followed (without Chromium it is left out). The limits are for an idle machine with
two cores."""
ROWS = 1_000_000
LIMIT_SECONDS = 0.3
SWEEP_ROWS, SWEEP_LIMIT_SECONDS = 100_000, 30.0
SLIDER_LIMIT_SECONDS = 0.1
SLIDE = """() => {
  const slide = document.querySelector('#slide'), begun = performance.now();
  slide.value = slide.value === '0' ? '1' : '0';
  slide.dispatchEvent(new Event('input', {bubbles: true}));
  document.body.offsetHeight;  // what changed is laid out
  return (performance.now() - begun) / 1000;
}"""


def run() -> Iterator[dict]:
    """One row per question."""
    import httpx

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _large(folder / "large.csv", ROWS)
        _large(folder / "log.csv", SWEEP_ROWS)
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
                    opened = _opened(client, "log.csv")
                    _settled(client, opened)
                    explored, begun = f"{opened}/explore", time.perf_counter()
                    grid = {"method": "markov-ratio", "markov-ratio.epsilon": "0.05,0.2,0.35,0.65,1"}
                    client.post(explored, data=grid)
                    _settled(client, explored)
                    yield _row("sweep", time.perf_counter() - begun, limit=SWEEP_LIMIT_SECONDS) | {"n": SWEEP_ROWS}
                    assert client.get(explored).text.count('class="point"') == 5, "a setting has no dot"
                    yield from _slider(address, base + explored)
            finally:
                server.terminate()


def _while_it_is_read(client) -> Iterator[dict]:
    begun = time.perf_counter()
    source = _opened(client, "large.csv")
    slowest, pages = 0.0, 0
    while "data-watch" in client.get(source).text:
        slowest, pages = max(slowest, _page(client, "/"), _page(client, "/jobs")), pages + 2
        time.sleep(0.05)
    assert f"{ROWS:,} events" in client.get(source).text, "the source was not read"
    yield _row("while it is read", slowest, limit=LIMIT_SECONDS) | {"pages": pages}
    yield _row("found", time.perf_counter() - begun)


def _opened(client, name: str) -> str:
    opened = client.post("/open", data={"name": name})
    source = re.search(r"/source/\d+", str(opened.url))
    assert source, opened.url
    return source[0]


def _settled(client, path: str) -> None:
    while "data-watch" in client.get(path).text:
        time.sleep(0.1)


def _slider(address: str, explored: str) -> Iterator[dict]:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return
    if browser is None:
        return
    with sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        page = window.new_page()
        page.goto(address)
        page.goto(explored)
        yield _row("slider", max(page.evaluate(SLIDE) for _ in range(10)), limit=SLIDER_LIMIT_SECONDS) | {"n": 5}
        window.close()


def _page(client, path: str) -> float:
    begun = time.perf_counter()
    answer = client.get(path)
    assert answer.status_code == 200
    return time.perf_counter() - begun


def _row(what: str, seconds: float, limit: float | None = None) -> dict:
    row = {"bench": "workbench", "what": what, "n": ROWS, "seconds": round(seconds, 3)}
    return row | ({"limit": limit, "met": seconds <= limit} if limit else {})


def _large(path: Path, rows: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("person,time,state\n")
        for i in range(rows):
            file.write(f"p{i // 50},2024-01-{1 + i % 28:02d}T{i % 24:02d}:00:00,s{i % 7}\n")


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row), flush=True)

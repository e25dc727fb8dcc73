"""Damaged command lines, and damaged requests to the workbench: what comes back must be a sentence of ours."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

import numpy as np

import sequester as sq
from experiments.fuzz_readers import CANARY, NAMES, ROWS, damaged
from sequester.cli import main
from sequester.workbench.bench import Bench
from sequester.workbench.guard import Keys
from sequester.workbench.server import create

ODD = ("", " ", "-", "--", "-1", "0", "1e999", "nan", "\x00", "\x1b[31m", "..", "/", "x" * 5000, "日本語", "\udcff",
       "²", str(2**63), "{}", "[", "%00", "<script>", "‮", "NUL", "a=b", ",", ",,", "1..", "--help")  # fmt: skip
Look = Callable[[Callable[[], Any]], str]
"""Runs something and says what came of it, within its time."""
SMALL = "--person person --sensitive stay_days,outcome --k 3 --p 2 --seed 1"
COMMANDS = (
    "inspect log.csv",
    "inspect series.csv --json",
    "assess series.csv --kind series --person person",
    "assess log.csv --kind events --person person --state state --time time",
    f"publish kapra series.csv {SMALL} --out here.bundle",
    f"publish kapra series.csv {SMALL} --out new.bundle --overwrite --title a --licence CC0-1.0 --format csv "
    "--no-measure",
    "publish ngram-k log.csv --person person --value state --symbolize none --k 3 --n 2 --out here.bundle",
    "publish markov-dp log.csv --person person --state state --time time --epsilon 1 --delta 1e-6 --people-at-least 5 "
    "--time-format iso --time-unit second --dates 2024-03-01..2024-03-31 --out here.bundle",
    "verify here.bundle",
    "verify here.bundle --source series.csv",
    "query here.bundle --where 'h04 in [1,2]'",
    "query here.bundle 'select count(*) from records'",
    "report here.bundle --out report.html",
    "account show --folder .",
    "account limit --folder . --epsilon 2 --delta 1e-6",
    "account settle --folder .",
    "account withdraw --folder . P00001",
    "methods kapra",
    "methods series --json",
    "run plan.toml --check",
    "sample series --out sample.csv --people 12 --seed 1",
    "sign here.bundle --key key",
)
PLAN = """title = "a plan"
[[release]]
name = "one"
source = "series.csv"
method = "kapra"
out = "one.bundle"
[release.parameters]
k = 3
p = 2
[release.roles]
person = "person"
sensitive = ["stay_days", "outcome"]
"""
PAGES = (
    ("GET", "/bundle/2", ""), ("POST", "/bundle/2/verify", ""), ("POST", "/bundle/2/ask", "how=sql&sql=select 1"),
    ("POST", "/bundle/2/ask", "how=where&time0=h04&low0=1&high0=2"), ("GET", "/bundle/2/report", ""),
    ("GET", "/bundle/2/custodian", ""), ("GET", "/bundle/2/download", ""), ("GET", "/events?jobs=1,2", ""),
    ("GET", "/job/1", ""), ("POST", "/job/1/stop", ""), ("POST", "/source/1/look", "setting=1-0"),
    ("POST", "/source/1/undo", "job=1"),
    ("POST", "/source/1/publish", "method=kapra&k=3&p=2&out=a.bundle&title=t&licence=CC0-1.0&describes=h04: x"),
    ("GET", "/source/1/plan.toml?setting=1-0", ""), ("POST", "/source/1/stop", ""), ("GET", "/source/1/label", ""),
    ("POST", "/source/1/label", "language=en&labels=x"), ("POST", "/source/1/label/note", "name=a&marks=[[1, 2, 3]]"),
    ("POST", "/source/1/label/more", ""), ("GET", "/source/1/label/note?at=1", ""),
    ("GET", "/source/1/label/round", ""),
)  # fmt: skip
"""What the pages of a source that was just opened do not link to."""


def _project(folder: Path) -> None:
    """A folder with sources, a bundle and its account."""
    (folder / "log.csv").write_text("\n".join(map(",".join, [NAMES, *ROWS])), "utf-8")
    sq.write_sample("series", folder / "series.csv", n_people=12, seed=1)
    (folder / "plan.toml").write_text(PLAN, "utf-8")
    people = sq.read_series(folder / "series.csv", person="person", sensitive=("stay_days", "outcome"))
    with contextlib.suppress(sq.SequesterError):
        sq.publish_data(people, sq.Request(method=sq.Kapra(k=3, p=2), target=folder / "here.bundle", formats=("csv",)))


def _line(rng: np.random.Generator, at: int) -> list[str]:
    """A command line with a few words damaged, gone, doubled, odd or from another command."""
    line = shlex.split(COMMANDS[at % len(COMMANDS)])
    for _ in range(int(rng.integers(1, 4))):
        i, way = int(rng.integers(len(line))), int(rng.integers(6))
        if way == 0:
            line[i : i + 1] = []
        elif way == 1:
            line.insert(i, line[i])
        elif way == 2:
            line[i] = damaged(line[i].encode("utf-8", "surrogateescape"), rng).decode("utf-8", "surrogateescape")
        elif way == 3:
            other = shlex.split(COMMANDS[int(rng.integers(len(COMMANDS)))])
            line.insert(i, other[int(rng.integers(1, len(other)))])
        else:
            line[i] = ODD[int(rng.integers(len(ODD)))]
        line = line or ["inspect"]
    return [word.replace("/", "_") for word in line if word not in ("workbench", "label", "demo")]


def run_line(line: list[str]) -> str:
    """What came of a command in this process; an error that is no sentence of ours goes on."""
    out, err = io.StringIO(), io.StringIO()
    kept, sys.argv = sys.argv, ["sequester", *line]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
        code: Any = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.argv = kept
    said = err.getvalue()
    if "internal error" in said or "Traceback" in said or code not in (0, 1, 2):
        name = re.search(r"internal error \((\w+)\)", said)
        return f"foreign error {name[1] if name else code} {line}"
    if CANARY[:-1] in said or "\x1b" in out.getvalue() + said:
        return "a cell got out"
    return "refused" if code == 2 else "read"


def of_commands(rng: np.random.Generator, looked: Look) -> Iterator[str]:
    """Damaged command lines in a folder that is put in order again now and then."""
    at_first = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        whole, folder = Path(place) / "whole", Path(place) / "now"
        whole.mkdir()
        _project(whole)
        try:
            for i in range(10**9):
                if i % 50 == 0:
                    os.chdir(place)
                    shutil.rmtree(folder, ignore_errors=True)
                    shutil.copytree(whole, folder)
                    os.chdir(folder)
                came: list[str] = []
                line = _line(rng, i)
                ended = looked(lambda: came.append(run_line(line)))  # noqa: B023
                yield came[0] if came else f"{ended} {line}"
        finally:
            os.chdir(at_first)


# -- the workbench ---------------------------------------------------------------------------------------------------


class Ask(NamedTuple):
    """A request of a browser."""

    method: str
    path: str
    fields: tuple[tuple[str, str], ...]


class _Forms(HTMLParser):
    """The forms and links of a page, as a browser would send them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Ask] = []
        self._open: tuple[str, str, list[tuple[str, str]]] | None = None
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a form, a field or a link."""
        about = {k: v or "" for k, v in attrs}
        if tag == "a" and about.get("href", "").startswith("/"):
            self.found.append(Ask("GET", about["href"], ()))
        elif tag == "form":
            self._open = about.get("method", "get").upper(), about.get("action", "/"), []
        elif self._open and tag in ("input", "textarea") and about.get("name"):
            self._open[2].append((about["name"], about.get("value", "")))
        elif tag == "select":
            self._select = about.get("name", "")
        elif self._open and tag == "option" and self._select:
            self._open[2].append((self._select, about.get("value", "")))
            self._select = ""

    def handle_endtag(self, tag: str) -> None:
        """A form is complete."""
        if tag == "form" and self._open:
            self.found.append(Ask(self._open[0], self._open[1], tuple(self._open[2])))
            self._open = None


class _Browser:
    """Asks the application itself, without a network."""

    def __init__(self, folder: Path) -> None:
        self.bench = Bench(folder, upload_bytes=10**6)
        self.keys = Keys(port=1)
        self.app = create(self.bench, self.keys, frozenset({"127.0.0.1:1"}))

    def ask(
        self, ask: Ask, raw: bytes | None = None, kind: str = "application/x-www-form-urlencoded"
    ) -> tuple[int, str]:
        """Status and text of the answer."""
        path, _, query = ask.path.partition("?")
        body = urlencode(ask.fields, errors="surrogatepass").encode() if raw is None else raw
        headers = [(b"host", b"127.0.0.1:1"), (b"origin", b"http://127.0.0.1:1"), (b"content-type", kind.encode()),
                   (b"content-length", str(len(body)).encode()),
                   (b"cookie", f"{self.keys.cookie}={self.keys.token}".encode())]  # fmt: skip
        scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": ask.method,
                 "scheme": "http", "path": path, "raw_path": quote(path, errors="replace").encode(), "root_path": "",
                 "query_string": quote(query, safe="=&%+", errors="replace").encode(), "headers": headers,
                 "client": ("127.0.0.1", 2), "server": ("127.0.0.1", 1)}  # fmt: skip
        sent: list[Any] = []
        coming = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return coming.pop() if coming else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        with contextlib.redirect_stderr(io.StringIO()):
            asyncio.run(self.app(scope, receive, send))
        text = b"".join(m.get("body", b"") for m in sent if m["type"] == "http.response.body")
        return sent[0]["status"] if sent else 0, text.decode("utf-8", "replace")


def _known(browser: _Browser) -> list[Ask]:
    """Every form and link behind the first page, after a source was opened and read and a bundle opened."""
    for name in ("series.csv", "here.bundle"):
        browser.ask(Ask("POST", "/open", (("name", name),)))
    until = time.monotonic() + 120
    while any(j["state"] in ("running", "waiting") for j in browser.bench.store.jobs()) and time.monotonic() < until:
        time.sleep(0.1)
    seen: dict[Ask, None] = {}
    waiting = [Ask("GET", "/", ())]
    while waiting:
        ask = waiting.pop()
        if ask in seen or len(seen) > 150:
            continue
        seen[ask] = None
        if ask.method == "GET":
            page = _Forms()
            page.feed(browser.ask(ask)[1])
            waiting += page.found
    more = [Ask(how, path, tuple(parse_qsl(fields))) for how, path, fields in PAGES]
    asks = [ask for ask in (*seen, *more) if "/static" not in ask.path]
    return sorted(asks, key=lambda ask: ask.path.endswith("/forget"))


def _damaged_ask(ask: Ask, rng: np.random.Generator) -> Ask:
    fields, path = [list(f) for f in ask.fields], ask.path
    for _ in range(int(rng.integers(1, 4))):
        way, text = int(rng.integers(5)), ODD[int(rng.integers(len(ODD)))]
        if way == 0 or not fields:
            path = damaged(path.encode(), rng).decode("utf-8", "replace") if rng.random() < 0.5 else re.sub(
                r"\d+", lambda _: str(rng.choice(["0", "99", "²", str(2**63), "-1", "1" * 25])), path)  # fmt: skip
        elif way == 1:
            fields.pop(int(rng.integers(len(fields))))
        elif way == 2:
            fields.append(list(fields[int(rng.integers(len(fields)))]))
        else:
            at = fields[int(rng.integers(len(fields)))]
            at[int(rng.random() < 0.9)] = text if way == 3 else damaged(at[1].encode(), rng).decode("utf-8", "replace")
    return Ask(ask.method, "/" + path.lstrip("/"), tuple((a, b) for a, b in fields))


def of_requests(rng: np.random.Generator, looked: Look) -> Iterator[str]:
    """Damaged requests to an application whose jobs are put on its list and not begun."""
    with tempfile.TemporaryDirectory() as place:
        whole, folder = Path(place) / "whole", Path(place) / "now"
        whole.mkdir()
        _project(whole)
        browser = _Browser(whole)
        asks = _known(browser)
        browser.bench.close()
        for i in range(10**9):
            if i % 100 == 0:
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(whole, folder)
                browser = _Browser(folder)
                browser.bench.queue._fill = lambda: None  # type: ignore[method-assign]
            ask = _damaged_ask(asks[i % len(asks)], rng)
            status: list[int] = []

            def look(ask: Ask = ask, status: list[int] = status, browser: _Browser = browser) -> None:
                raw = damaged(urlencode(ask.fields, errors="replace").encode(), rng) if rng.random() < 0.2 else None
                kind = "multipart/form-data; boundary=x" if rng.random() < 0.05 else "application/x-www-form-urlencoded"
                status.append(browser.ask(ask, raw, kind)[0])

            ended = looked(look)
            if ended != "read":
                yield f"{ended} {ask}"
            else:
                yield f"foreign error status {status[0]} {ask}" if status[0] >= 500 else (
                    "refused" if status[0] >= 400 else "read")  # fmt: skip

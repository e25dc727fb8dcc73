"""Publications of all five kinds in processes that can be stopped or disturbed, and what they leave behind.

Each publication is the command itself, in a copy of a warm process (`fork`), so that a thousand take minutes, or in a
process of its own.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # threads of libraries do not survive a fork

import sequester as sq
from sequester import flow
from sequester.bundle.formats import sha256
from sequester.cli import main, scale
from sequester.cli.source import read_source

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "tests" / "golden" / "sources"
KINDS = {
    "series": ("kapra", "vitals.csv", "--person person --sensitive stay_days,outcome --k 5 --p 3"),
    "text": ("k-repeats", "notes.jsonl", "--person person --document document --text text --k 4"),
    "events": ("markov-ratio", "wards.csv", "--person person --state state --time time --epsilon 0.35"),
    "symbols": ("ngram-k", "ecg.csv", "--person person --symbolize none --k 4 --n 2"),
    "activity": (
        "mcka",
        "minutes.csv.gz",
        "--person person --state state --start start --end end --interval 3600 --time-format iso "
        "--states stationary,walking,running,missing --dates 2024-03-04..2024-03-06 --k 3 --force",
    ),
}
PATIENCE = 120.0
"""Seconds after which a process counts as hung."""


@cache
def source(kind: str) -> Path:
    """A part of the golden source: the rows of a few people."""
    name = KINDS[kind][1]
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    if name.endswith(".gz"):
        return Path(shutil.copy(SOURCES / name, folder))
    with (SOURCES / name).open(encoding="utf-8") as whole, (folder / name).open("w", encoding="utf-8") as some:
        some.writelines(islice(whole, {"series": 31, "text": 30, "events": 300, "symbols": 1600}[kind]))
    return folder / name


def words(kind: str, target: Path, *, overwrite: bool = True) -> list[str]:
    """The command that publishes a small source of a kind."""
    method, _, options = KINDS[kind]
    return ["publish", method, str(source(kind)), *options.split(), "--out", str(target), "--quiet"] + (
        ["--overwrite"] if overwrite else []
    )


class Child:
    """A command in a copy of this process, or `alone` in a process of its own."""

    def __init__(
        self,
        arguments: list[str],
        *,
        before: Callable[[], None] = lambda: None,
        wait: int = -1,
        alone: bool = False,
    ) -> None:
        handle, screen = tempfile.mkstemp(prefix="faults-", suffix=".txt")
        os.close(handle)
        self.screen = Path(screen)
        if alone:
            command = [sys.executable, "-m", "sequester", *arguments]
            outputs = [(os.POSIX_SPAWN_OPEN, 1, screen, os.O_WRONLY, 0), (os.POSIX_SPAWN_DUP2, 1, 2)]
            self.pid = os.posix_spawn(
                sys.executable, command, os.environ, file_actions=outputs, setsigdef=[signal.SIGINT]
            )  # a run in the background ignores it
            return
        self.pid = os.fork()
        if self.pid == 0:
            self._be(arguments, before, wait)

    def _be(self, arguments: list[str], before: Callable[[], None], wait: int) -> None:
        code = 99
        try:
            handle = os.open(self.screen, os.O_WRONLY | os.O_TRUNC)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            sys.argv = ["sequester", *arguments]
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it
            if wait >= 0:
                os.read(wait, 1)
            before()
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        except KeyboardInterrupt:  # the moment after the command is over
            code = 130
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def end(self) -> tuple[int, str]:
        """Exit code (-9 after a kill, 98 where it hung) and what stood on the screen."""
        until = time.monotonic() + PATIENCE
        while True:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                break
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                return 98, ""
            time.sleep(0.01)
        said = self.screen.read_text("utf-8", "replace")
        self.screen.unlink()
        return os.waitstatus_to_exitcode(status), said


def state(target: Path) -> str:
    """What a reader finds: nothing, which whole bundle with its custodian's folder, or what is wrong."""
    if not target.exists():
        return "nothing"
    digest = sha256(target / "manifest.json") if (target / "manifest.json").exists() else ""
    try:
        whole = not sq.open_bundle(target).changed_files() if digest in SOUND else sq.verify(target).result != "broken"
        if not whole:
            return "half_bundles"
        SOUND.add(digest)
        if sq.custodian(target).get("roles") is None:
            return "lost_private"
    except sq.SequesterError:
        return "half_bundles"
    there = (target / "manifest.json").stat()
    return f"{digest} {there.st_ino} {there.st_mtime_ns}"  # a method without chance may write the same twice


SOUND: set[str] = set()
"""Manifests of bundles that were verified in full."""


def hidden(folder: Path) -> list[str]:
    """Names that should not stay: stages, locks, half-written files."""
    return sorted(p.name for p in folder.iterdir() if p.name.startswith("."))


def charged(folder: Path, digest: str) -> bool:
    """Whether the account knows the bundle that lies there, and has nothing left open."""
    account = sq.open_account(folder)
    account.settle()
    return account.standing(digest.split(" ")[0]) is not None


def foreign(said: str) -> bool:
    """Whether something stands on the screen that is not one of our sentences; it is shown, to be mended."""
    odd = "Traceback" in said or "internal error" in said or "Error:" in said
    if odd:
        print(said, file=sys.stderr)
    return odd


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder to publish into."""
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        yield Path(place)


def _unmeasured(*_given: Any, **_named: Any) -> sq.Evidence:
    """In place of measures of use, which write nothing and take most of the time."""
    return sq.Evidence(about="measure", saw_original=True, summary="not measured")


READ: dict[tuple[str, str], Any] = {}
"""Kind and path → data that were read already."""


def _read_once(kind: str, path: str, roles: Mapping[str, Any]) -> Any:
    if (kind, path) not in READ:
        READ[kind, path] = read_source(kind, path, roles)
    return READ[kind, path]


def timed(kind: str, alone: bool = False) -> float:
    """Seconds of one publication; the first ones warm this process up.

    Only reading and measuring are left out of copies of this process: they write nothing and take half of the time.
    """
    flow.measure = _unmeasured
    scale.read_source = _read_once
    with folder() as place:
        keep = sys.argv
        sys.argv = ["sequester", *words(kind, place / "warm.bundle")]
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
                main()
        except SystemExit as end:
            assert not end.code, said.getvalue()
        sys.argv = keep
        begun = time.monotonic()
        code, shown = Child(words(kind, place / "warm.bundle"), alone=alone).end()
        assert code == 0, shown
        return time.monotonic() - begun


EVENTS = {"open", "os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.listdir", "os.scandir",
          "sqlite3.connect", "shutil.rmtree", "tempfile.mkstemp"}  # fmt: skip


class AtStep:
    """Something happens at the n-th thing that is done below a folder, once or from then on."""

    def __init__(self, place: Path, at: int, happens: Callable[[], None], for_good: bool = False) -> None:
        self.place, self.at, self.happens, self.for_good = f"{place}{os.sep}", at, happens, for_good
        self.seen = 0

    def __call__(self) -> None:
        """Begin: from here on operations are counted."""
        sync = os.fsync

        def fsync(handle: int) -> None:
            self._step()
            sync(handle)

        os.fsync = fsync
        sys.addaudithook(self._heard)

    def _heard(self, event: str, given: tuple[Any, ...]) -> None:
        if event in EVENTS and given and isinstance(given[0], (str, bytes)):
            where = given[0] if isinstance(given[0], str) else os.fsdecode(given[0])
            if where.startswith(self.place):
                self._step()

    def _step(self) -> None:
        self.seen += 1
        if self.seen == self.at or (self.for_good and self.seen > self.at):
            self.happens()


def steps_on_disk(kind: str) -> int:
    """How many things a publication does in its folder."""
    with folder() as outer:
        place, counted = outer / "x", outer / "counted"
        place.mkdir()
        counted.touch()

        def count() -> None:
            with counted.open("ab") as file:
                file.write(b".")

        assert Child(words(kind, place / "a.bundle"), before=AtStep(place, 1, count, True)).end()[0] == 0
        return counted.stat().st_size


def note_state(found: Counter[str], before: str, now: str, place: Path, published: set[str]) -> None:
    """Count what must never be: a half bundle, a lost private folder, a release charged and not published, or not so.

    `published` remembers the releases that lay in the place, one after the other.
    """
    if now in ("half_bundles", "lost_private"):
        found[now] += 1
        return
    if now == "nothing":
        found["half_bundles"] += before != "nothing"
    else:
        published.add(now)
        found["not_charged"] += not charged(place, now)
    if (place / "sequester.account").exists():
        account = sq.open_account(place)
        account.settle()  # as the next run would
        known, lay = {r["manifest_sha256"] for r in account.public_rows("")}, {d.split(" ")[0] for d in published}
        found["charged_for_nothing"] += bool(known - lay)
        found["not_charged"] += bool(lay - known)

"""Publications of all five kinds in processes that are killed, that race, and whose disk fails.

Each publication is the command itself, in a copy of a warm process (`fork`), so that a thousand take minutes.
"""

from __future__ import annotations

import errno
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # threads of libraries do not survive a fork

import sequester as sq
from sequester import flow
from sequester.bundle.formats import sha256
from sequester.cli import main

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
        "--states stationary,walking,running,missing --dates 2024-03-04..2024-03-06 --k 5",
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
    """A command in a copy of this process."""

    def __init__(self, arguments: list[str], *, before: Callable[[], None] = lambda: None, wait: int = -1) -> None:
        self.screen = Path(tempfile.mkstemp(prefix="faults-", suffix=".txt")[1])
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
    """What a reader finds: nothing, a digest of a whole bundle with its custodian's folder, or what is wrong."""
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
    return digest


SOUND: set[str] = set()
"""Manifests of bundles that were verified in full."""


def hidden(folder: Path) -> list[str]:
    """Names that should not stay: stages, locks, half-written files."""
    return sorted(p.name for p in folder.iterdir() if p.name.startswith("."))


def charged(folder: Path, digest: str) -> bool:
    """Whether the account knows the bundle that lies there, and has nothing left open."""
    account = sq.open_account(folder)
    account.settle()
    return account.standing(digest) is not None


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


def timed(kind: str) -> float:
    """Seconds of one publication; the first ones warm this process up."""
    flow.measure = _unmeasured
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
        code, shown = Child(words(kind, place / "warm.bundle")).end()
        assert code == 0, shown
        return time.monotonic() - begun


def killed(kind: str, n: int, seed: int) -> Counter[str]:
    """Kill `n` publications at random moments, half of them in the last third, where names change."""
    rng, found = random.Random(f"{kind} {seed}"), Counter[str]()
    usual = timed(kind)
    place = Path(tempfile.mkdtemp(prefix="faults-"))
    target = place / "a.bundle"
    turn = -1
    while found["done"] < n:
        turn += 1
        if turn % 10 == 0:
            shutil.rmtree(place)
            place.mkdir()
        before, had = state(target), set(hidden(place))
        sent = rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        child = Child(words(kind, target))
        time.sleep(usual * (rng.uniform(0, 1) if rng.random() < 0.5 else rng.uniform(0.6, 1.0)))
        os.kill(child.pid, sent)
        code, said = child.end()
        now = state(target)
        found["done" if code else "too late and not counted"] += 1
        usual *= 1.0 if code else 0.93
        found[f"by {signal.Signals(sent).name}"] += code != 0
        note_state(found, before, now, place)
        found["hung"] += code == 98
        found["foreign_errors"] += foreign(said)
        if code > 0:  # it ended in its own words: nothing lies about, and they are true
            left = set(hidden(place)) - had  # an earlier kill that nobody could clean up after does not count here
            if left:
                print("left:", code, left, said, file=sys.stderr)
            found["leftovers"] += bool(left)
            changed = now != before
            untrue = changed and "Finished before" not in said and "Public:" not in said
            if untrue:
                print("untrue:", code, said, file=sys.stderr)
            found["untrue_words"] += untrue
        if turn % 4 == 3:
            found["next runs"] += 1
            code, said = Child(words(kind, target)).end()
            if code:
                print("next run:", code, said, file=sys.stderr)
            found["next_run_refused"] += code != 0
            note_state(found, now, state(target), place)
            found["leftovers"] += bool(hidden(place))
    shutil.rmtree(place)
    return found


def note_state(found: Counter[str], before: str, now: str, place: Path) -> None:
    """Count what must never be: a half bundle, a lost private folder, a bundle nobody was charged for."""
    if now == "nothing":
        found["half_bundles"] += before != "nothing"
        return
    if now in ("half_bundles", "lost_private"):
        found[now] += 1
        return
    found["not_charged"] += not charged(place, now)


def raced(kind: str, n: int, seed: int) -> Counter[str]:
    """Three writers at once: for one name with and without leave to replace, or for three names of a new folder."""
    found = Counter[str]()
    timed(kind)
    for turn in range(n):
        with folder() as place:
            one_name, overwrite = turn % 3 != 2, turn % 3 == 1
            if (turn // 3 + seed) % 3 == 2:  # the account is there already
                Child(words(kind, place / "before.bundle")).end()
            else:
                found["first births"] += 1
            already = len(sq.open_account(place).entries()) if (place / "sequester.account").exists() else 0
            reading, writing = os.pipe()
            targets = [place / ("a.bundle" if one_name else f"{i}.bundle") for i in range(3)]
            racers = [Child(words(kind, t, overwrite=overwrite), wait=reading) for t in targets]
            os.write(writing, b"xxx")
            ends = [r.end() for r in racers]
            os.close(reading)
            os.close(writing)
            wrote = sum(code == 0 for code, _ in ends)
            expected = 1 if one_name and not overwrite else 3
            found["done"] += 1
            found["hung"] += any(code == 98 for code, _ in ends)
            found["wrong_number_written"] += wrote != expected
            found["foreign_errors"] += any(foreign(said) or code not in (0, 2, 98) for code, said in ends)
            found["untrue_words"] += any(code == 2 and "exists." not in said for code, said in ends)
            for target in set(targets):
                note_state(found, "nothing", state(target), place)
            found["not_charged"] += len(sq.open_account(place).entries()) - already != wrote
            found["leftovers"] += bool(hidden(place))
    return found


EVENTS = {"open", "os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.listdir", "os.scandir",
          "sqlite3.connect", "shutil.rmtree", "tempfile.mkstemp"}  # fmt: skip
NUMBERS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES, errno.EROFS)


class Failing:
    """The n-th thing that is done below a folder fails, with an error of the system."""

    def __init__(self, place: Path, at: int, number: int, for_good: bool) -> None:
        self.place, self.at, self.number, self.for_good = f"{place}{os.sep}", at, number, for_good
        self.seen = 0
        self.told = place.with_name(f"{place.name}.seen")

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
        if self.at < 0:
            handle = os.open(self.told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.write(handle, str(self.seen).encode())
            os.close(handle)
        if self.seen == self.at or (self.for_good and 0 <= self.at < self.seen):
            raise OSError(self.number, os.strerror(self.number), self.place)


def _small_files(size: int) -> Callable[[], None]:
    """No file may grow beyond so many bytes: also inside libraries, which ask nobody."""

    def begin() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return begin


def failed(kind: str, n: int, seed: int) -> Counter[str]:
    """One operation on the disk fails, once or from then on, in publications that begin and that replace."""
    rng, found = random.Random(f"{kind} faults {seed}"), Counter[str]()
    timed(kind)
    with folder() as place:
        (place / "x").mkdir()
        count = Failing(place / "x", -1, 0, False)
        Child(words(kind, place / "x" / "a.bundle"), before=count).end()
        steps = int(count.told.read_text())
    for turn in range(n):
        with folder() as outer:
            place = outer / "x"
            place.mkdir()
            target = place / "a.bundle"
            if turn % 2:
                assert Child(words(kind, target)).end()[0] == 0
            before = state(target)
            number = NUMBERS[turn % len(NUMBERS)]
            deed: Callable[[], None]
            if turn % 6 == 5:
                deed = _small_files(int(2 ** rng.uniform(0, 17)))
            else:
                deed = Failing(place, rng.randint(1, steps), number, rng.random() < 0.3)
            code, said = Child(words(kind, target), before=deed).end()
            now = state(target)
            found["done"] += 1
            found["refused in a sentence" if code else "went on"] += 1
            found["hung"] += code == 98
            found["foreign_errors"] += foreign(said) or code not in (0, 2, 98)
            note_state(found, before, now, place)
            denied = any(w in said for w in ("was not written", "was not published", "nothing was lost"))
            found["untrue_words"] += code != 0 and ((now != before) == denied) and now != before
            blamed = "Restore" in said
            found["untrue_words"] += blamed
            code, said = Child(words(kind, target)).end()  # the disk works again
            found["next_run_refused"] += code != 0
            found["leftovers"] += bool(hidden(place))
            note_state(found, now, state(target), place)
    return found


DEEDS = {"kills": killed, "races": raced, "disk faults": failed}

if __name__ == "__main__":  # python -m experiments.fault_runs kills series 20 0
    deed, kind, n, seed = sys.argv[1:]
    print(json.dumps(DEEDS[deed](kind, int(n), int(seed))))

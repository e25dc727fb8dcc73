"""On a terminal, long work shows what it does and how long it still takes; `--quiet` and a pipe see nothing of it."""

import os
import pty
import re
import subprocess
import sys
import threading
import time

import pytest

from sequester.cli import progress

AT_ONCE = """
import sequester.cli.progress as progress
progress.Display._wait = lambda self, _seconds: self._show()  # no timer that a quick step could outrun
from sequester.cli import main
main()
"""


def on_a_terminal(arguments: list[str], cwd) -> tuple[int, str]:
    """Run the command with a pseudo-terminal as standard error; its exit code and what the terminal was sent."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", AT_ONCE, *arguments],
        stdout=subprocess.DEVNULL, stderr=follower, stdin=subprocess.DEVNULL, cwd=cwd,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", "COLUMNS": "120"},
    )  # fmt: skip
    os.close(follower)
    seen = b""
    while True:
        try:
            more = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        seen += more
    os.close(leader)
    return process.wait(timeout=300), re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode("utf-8", "replace"))


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    import sequester as sq

    folder = tmp_path_factory.mktemp("sources")
    sq.write_sample("activity", folder / "minutes.csv", n_people=30, seed=1)
    sq.write_sample("text", folder / "notes", seed=1)
    return folder


ROLES = ["--person", "person", "--start", "start", "--end", "end", "--state", "state"]


@pytest.mark.parametrize(
    "arguments, steps",
    [
        (
            ["publish", "mcka", "minutes.csv", *ROLES, "--k", "5", "--out", "a.bundle"],
            ["Reading minutes.csv", "Protecting with mcka", "Forming groups of similar people",
             "Learning the habits of every group", "Drawing the released weeks", "Measuring what is left",
             "Writing tables", "Checking the promise", "Drawing the report", "Opening the bundle as a stranger",
             "Drawing the custodian's report"],
        ),
        (["assess", "minutes.csv", "--kind", "activity", *ROLES], ["Assessing how identifying the original is"]),
        (
            ["publish", "k-repeats", "notes", "--person", "folder", "--k", "4", "--out", "t.bundle"],
            ["Reading notes", "Protecting with k-repeats", "Searching for what looks private", "Sorting suffixes",
             "Choosing what stays"],
        ),
    ],
)  # fmt: skip
def test_every_step_is_named_on_a_terminal(sources, arguments, steps):
    code, seen = on_a_terminal(arguments, sources)
    assert code == 0, seen
    assert [s for s in steps if s not in seen] == []
    assert "0:00:0" in seen  # the time it took so far


@pytest.mark.parametrize("place", [0, -1])
def test_quiet_shows_no_bar_wherever_it_stands(sources, place):
    arguments = ["assess", "minutes.csv", "--kind", "activity", *ROLES]
    arguments.insert(place if place == 0 else len(arguments), "--quiet")
    code, seen = on_a_terminal(arguments, sources)
    assert code == 0 and "read: " in seen
    assert "Assessing" not in seen and "Reading" not in seen and "━" not in seen


def test_a_pipe_sees_no_bar(sources):
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE, "assess", "minutes.csv", "--kind", "activity", *ROLES],
        cwd=sources, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert "Assessing" not in done.stderr and "\x1b" not in done.stderr and "\x1b" not in done.stdout


class Bars:
    """Stands in for rich: remembers what was shown."""

    def __init__(self):
        self.rows, self.seen, self.running, self.task_ids = {}, [], False, []

    def start(self):
        self.running = True

    def stop(self):
        self.running = False

    def add_task(self, title, total, completed=0, begun=0.0):
        self.task_ids.append(len(self.seen))
        self.seen.append([title, total, completed])
        return self.task_ids[-1]

    def update(self, row, completed=None, description=None):
        if completed is not None:
            self.seen[row][2] = completed
        if description is not None:
            self.seen[row][0] = description

    def remove_task(self, row):
        self.task_ids.remove(row)


@pytest.fixture
def bars(monkeypatch):
    made = Bars()
    monkeypatch.setattr(progress, "_bars", lambda: made)
    return made


def test_a_single_long_call_is_shown_although_it_never_ticks(bars, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.02)
    display = progress.Display()
    with display.step("Sorting", None):
        for _ in range(3000):
            if bars.running:
                break
            time.sleep(0.01)
        assert bars.running and bars.seen == [["Sorting", None, 0.0]]
    assert not bars.running and bars.task_ids == []


def test_short_work_is_not_shown_and_leaves_no_timer(bars, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 600.0)
    display = progress.Display()
    with display.step("Reading", 3) as tick:
        tick(3)
    assert bars.seen == [] and display._timer is None
    for timer in [t for t in threading.enumerate() if isinstance(t, threading.Timer)]:
        timer.join(60)
        assert not timer.is_alive()


def test_ticks_before_the_bar_appears_count(bars, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 60.0)
    display = progress.Display()
    with display.step("Attacking", 4) as tick:
        tick(1)
        tick(1)
        display._show()
        assert bars.seen == [["Attacking", 4, 2.0]]
        tick(1)
        assert bars.seen == [["Attacking", 4, 3.0]]
    display.close()


def test_kernels_that_were_not_foreseen_are_told_beside_the_step(bars):
    display = progress.Display()
    with display.step("Measuring", None):
        display._show()
        display.compiled(0.4)
        display.compiled(0.4)
    assert [row[0] for row in bars.seen] == ["Measuring", "Compiling kernels, once per machine: 2 done"]

"""Publishing without POSIX, in processes of their own; `make test-portable` runs more of the suite that way."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import killing

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KEPT_BY_WINDOWS = re.compile(r'[<>:"|?*\\]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.I)
POSIX_ONLY = re.compile(
    r"\b(fcntl|killpg|renameat2|O_NOFOLLOW|O_CLOEXEC|preadv?|pwritev?|fchmod|geteuid)\b|os\.fork\b|^import resource\b",
    re.M,
)
SEVERAL = """
import os, subprocess, sys, pathlib, threading, time
from sequester import platform
assert not platform.POSIX and [s.name for s in platform.STOPPING][:2] == ['SIGINT', 'SIGTERM']
here = pathlib.Path(sys.argv[1])
first, second = (os.open(here / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
assert platform.lock(first) and not platform.lock(second)
os.close(first)
assert platform.lock(second, wait=True)
a, b = here / "a", here / "b"
a.mkdir(), b.mkdir(), (a / "in").write_text("x")
assert not platform.exchange(a, b) and (a / "in").exists()
held = (a / "in").open()
threading.Timer(0.3, held.close).start()
platform.put(a, here / "c"), platform.put(here / "c", a)
platform.close_to_others(a)
assert (a.stat().st_mode & 0o77, (a / "in").stat().st_mode & 0o77) == (0, 0)
handle = os.open(a / "in", os.O_RDWR)
assert platform.write_at(handle, memoryview(b"yz"), 1) == 2
into = bytearray(2)
assert platform.read_at(handle, memoryview(into), 0) == 2 and into == b"xy"
platform.fsync(a), platform.fsync(a / "in")
platform.remove(a / "in")
assert (a / "in").exists(), "it is open"
os.close(handle)
platform.remove(a / "in"), platform.unlock(here / "lock", second)
assert not (a / "in").exists() and not (here / "lock").exists()
code = "import subprocess, sys, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); " \\
    "c = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); print(c.pid, flush=True); " \\
    "c.wait(); time.sleep(60)"
child = subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, **platform.apart())
below = int(child.stdout.readline())
platform.stop(child, grace_seconds=0.2)
assert child.wait(10) != 0
stat = pathlib.Path(f"/proc/{below}/stat")

def gone():
    try:
        return stat.read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True

for _ in range(500):  # on busy cores a killed process takes a moment to end; left alone it would sleep on
    if gone():
        break
    time.sleep(0.02)
assert gone()
print("all answered")
"""


@pytest.fixture
def without_posix(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), str(ROOT / "src"), str(ROOT)]))
    monkeypatch.setenv("PATH", str(HERE), prepend=os.pathsep)


def run(*line):
    return subprocess.run([sys.executable, *line], capture_output=True, text=True, timeout=300, check=False)


def test_each_question_has_its_second_answer(without_posix, tmp_path):
    done = run("-c", SEVERAL, str(tmp_path))
    assert done.stdout == "all answered\n", done.stderr


def test_kills_and_races_without_posix(without_posix):
    found = killing.kills(4, seed=5)
    assert found["leftovers"] == 0 and found["next run: done, whole"] == 4, found
    found = killing.races(1)
    assert found["1 of 3 wrote, whole"] == 1 and found["leftovers"] == found["other sentences"] == 0, found


def test_a_release_is_published_and_verified_and_its_names_fit_everywhere(without_posix, tmp_path):
    source = tmp_path / "walk.csv"
    rows = [",".join([f"p{i}", *(f"{(i * 7 + t * 3) % 11 / 10}" for t in range(6))]) for i in range(24)]
    source.write_text("\n".join(["id,t0,t1,t2,t3,t4,t5", *rows]) + "\n", "utf-8")
    out = tmp_path / "walk.bundle"
    done = run("-m", "sequester", "publish", "kapra", str(source), "--person", "id", "--k", "6", "--p", "2",
               "--seed", "1", "--out", str(out))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert run("-m", "sequester", "verify", str(out)).returncode == 0
    private = tmp_path / "walk.private"
    assert private.stat().st_mode & 0o77 == 0
    names = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")]
    assert len({name.casefold() for name in names}) == len(names)
    assert not [name for name in names if any(KEPT_BY_WINDOWS.search(part) for part in name.split("/"))]


def test_one_room_knows_the_system():
    elsewhere = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "src").rglob("*.py")
        if path.name != "platform.py" and POSIX_ONLY.search(path.read_text("utf-8"))
    }
    assert not elsewhere

"""Kernels a method is known to use are compiled before it runs, shared among processes."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from numba.core import config

from sequester.primitives import ahead, first_use
from tests.compiled_kernels import SRC, modules

jit_only = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled with NUMBA_DISABLE_JIT=1")

MODULE = """
from sequester.primitives.compiled import kernel

@kernel("int64")
def inner(x):
    return x + 1

@kernel("int64")
def left(x):
    return inner(x) * 2

@kernel("int64")
def right(x):
    return inner(x) * 3
"""
USE = """
import json, sys
from sequester.primitives import ahead
ahead.WORTH_A_PROCESS = 0.0
shown = []
from contextlib import contextmanager
@contextmanager
def progress(title, total):
    shown.append([title, total])
    def tick(n):
        shown.append(n)
    yield tick
n = ahead.compile_ahead(("mine.left", "mine.inner", "mine.right", "mine.gone", "no_module.x"), progress, PROCESSES)
import mine
print(json.dumps([n, shown, mine.left(1), mine.right(1), int(mine.left.was_compiled)]))
"""


def run(folder: Path, code: str, processes: int = 2) -> list:
    (folder / "mine.py").write_text(MODULE)
    paths = [str(folder), str(SRC.parent), str(Path(__file__).parents[2])]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "NUMBA_CACHE_DIR": str(folder / "cache")}
    code = code.replace("PROCESSES", str(processes))
    out = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True).stdout
    return json.loads(out)


@jit_only
@pytest.mark.parametrize("processes", [1, 2])
def test_what_is_missing_is_compiled_once_and_told(tmp_path, processes):
    n, shown, left, right, _ = run(tmp_path, USE, processes)
    assert (n, left, right) == (3, 4, 6)
    assert shown[0] == ["Compiling kernels, once per machine", 1.5] and sum(shown[1:]) == 1.5
    files = sorted(f.name.rsplit("-", 1)[0] for f in tmp_path.rglob("*.kernel"))
    assert files == ["inner", "left", "right"]
    assert run(tmp_path, USE, processes) == [0, [], 4, 6, 0]  # nothing to do, nothing shown


@jit_only
def test_a_kernel_somebody_else_compiles_is_left_to_them(tmp_path):
    """Held by a process that dies: the kernel is free again, and is compiled here."""
    hold = "import mine, sys, time\nwith mine.left.claimed() as got:\n    print(got, flush=True)\n    time.sleep(60)"
    (tmp_path / "mine.py").write_text(MODULE)
    paths = [str(tmp_path), str(SRC.parent), str(Path(__file__).parents[2])]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    holder = subprocess.Popen([sys.executable, "-c", hold], env=env, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "True\n"
    ask = "import json, mine\nwith mine.left.claimed() as got:\n    print(json.dumps([got]))"
    assert run(tmp_path, ask) == [False]
    worker = subprocess.Popen(
        [sys.executable, "-c", USE.replace("PROCESSES", "1")], env=env, stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not list(tmp_path.rglob("right-*.kernel")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not list(tmp_path.rglob("left-*.kernel"))
    holder.kill()
    holder.wait()
    holder.stdout.close()
    out, _ = worker.communicate(timeout=120)
    assert json.loads(out)[:1] == [3] and list(tmp_path.rglob("left-*.kernel"))


@jit_only
def test_a_kernel_that_is_never_finished_elsewhere_does_not_hold_us_up(tmp_path):
    code = USE.replace("ahead.WORTH_A_PROCESS = 0.0", "ahead.PATIENCE = 0.3")
    code = "import mine\nheld = mine.left.claimed()\nheld.__enter__()\n" + code
    assert run(tmp_path, code, 1)[2:4] == [4, 6]  # compiled when it is called


BESIDE = """
import json, time
from sequester.primitives import ahead, first_use
used = {"first": ["mine.left", "mine.inner"], "second": ["mine.inner", "mine.right"]}
first_use._table = lambda: {"used": used, "seconds": {}}
ahead.WORTH_A_PROCESS = LEAST
ahead._cores = lambda: {0, 1}
started = []
real = ahead._helper
def counted(groups):
    started.append([list(g) for g in groups])
    return real(groups)
ahead._helper = counted
import mine
with ahead.compiling_beside(["first", "second", "unknown"]):
    deadline = time.monotonic() + 300
    while started and not all(k.file.path.exists() for k in (mine.left, mine.right)) and time.monotonic() < deadline:
        time.sleep(0.05)
    more = ahead.compile_ahead(("mine.left", "mine.right"), None, 2)
after = ahead._beside
print(json.dumps([started, more, mine.right(1), int(mine.right.was_compiled), after]))
"""


@jit_only
def test_another_process_compiles_for_the_methods_to_come(tmp_path):
    """It gets what each method adds, in the order of the methods; what lies in the cache then is not compiled again."""
    if ahead.fcntl is None:
        pytest.skip("kernels are not shared among processes here")
    started, more, result, compiled_here, after = run(tmp_path, BESIDE.replace("LEAST", "0.0"))
    assert started == [[["mine.left", "mine.inner"], ["mine.right"], []]]
    assert (more, result, compiled_here, after) == (0, 6, 0, 0)
    again = run(tmp_path, BESIDE.replace("LEAST", "0.1"))
    assert again == [[], 0, 6, 0, 0]  # everything is there: no process is started


@jit_only
def test_who_is_helped_already_starts_no_second_helper(tmp_path):
    code = USE.replace("shown = []", "shown = []\nahead._beside = 1\nahead._helper = None")
    assert run(tmp_path, code, 2)[:1] == [3]


def test_long_chains_come_first():
    inner = {"leaf": [], "outer": ["leaf"], "outermost": ["outer"], "single": []}
    cost = {"leaf": 1.0, "outer": 1.0, "outermost": 2.0, "single": 3.0}
    assert ahead._behind(inner, cost) == {"leaf": 4.0, "outer": 3.0, "outermost": 2.0, "single": 3.0}


def test_the_list_of_kernels_names_methods_and_kernels_there_are():
    """A stale name costs only time; too many of them say: python -m benchmarks.first_run --write."""
    from sequester.methods import METHODS

    told = json.loads(first_use.FILE.read_text("utf-8"))
    assert set(told["used"]) <= set(METHODS) and len(told["used"]) >= len(METHODS) - 2
    defined = {
        f"{name}.{found}"
        for name in modules()
        for found in re.findall(r"^def (\w+)", SRC.joinpath(*name.split(".")[1:]).with_suffix(".py").read_text(), re.M)
    }
    listed = {name for names in told["used"].values() for name in names}
    assert set(told["seconds"]) == listed
    assert len(listed & defined) >= 0.9 * len(listed), sorted(listed - defined)


def test_a_method_nobody_measured_has_no_list():
    assert first_use.first_used("of-another-house") == () and first_use.seconds_of("nowhere.none") == first_use.UNKNOWN

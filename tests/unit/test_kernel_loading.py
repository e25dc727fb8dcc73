"""Machine code that lies on disk is called without numba, and gives what numba would have given."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core import config

from sequester.primitives import kernel_cache, kernel_loading, kernel_types
from sequester.primitives.kernel_cache import KernelFile, Stored
from tests.compiled_kernels import SRC

linux_only = pytest.mark.skipif(
    bool(config.DISABLE_JIT) or sys.platform != "linux", reason="only object files of Linux are linked without numba"
)

MODULE = """
from typing import NamedTuple
import numpy as np
from sequester.primitives.compiled import Record, kernel, written_in_llvm

class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray

BY = 3

@kernel("int64")
def inner(x):
    return x * BY

@kernel("Pair, int64", Pair=Record(Pair, "int64[::1], int64[::1]"))
def both(pair, k):
    out = np.empty(len(pair.left) + len(pair.right), np.int64)
    for i in range(len(pair.left)):
        out[i] = inner(pair.left[i]) + k
    for i in range(len(pair.right)):
        out[len(pair.left) + i] = -pair.right[i]
    return out, len(out), 0.5, True

@kernel("float64[:, ::1], boolean")
def scaled(x, up):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] = np.exp(x[i, j]) if up else np.log(x[i, j])

@kernel("int64[::1], int64")
def at(x, i):
    if i > 1000:
        raise ValueError("far too far")
    return x[i]

@kernel("const(uint8[::1])")
def total(x):
    s = 0
    for v in x:
        s += v
    return s
"""

USE = """
import json, sys
import numpy as np
import mine
def told(pair):
    out, n, half, yes = mine.both(pair, 1)
    return [out.tolist(), n, half, yes]
x = np.array([[0.0, 1.0]])
mine.scaled(x, True)
try:
    mine.at(np.array([1, 2]), 2000)
except ValueError as error:
    refused = str(error)
frozen = np.frombuffer(b"abc", np.uint8)
seen = [told(mine.Pair(np.array([1, 2]), np.array([5]))), x.round(6).tolist(), refused, mine.total(frozen),
        mine.at(np.array([7, 8]), 1)]
made = [mine.both.was_compiled, mine.scaled.was_compiled, mine.at.was_compiled]
print(json.dumps([seen, made, "numba" in sys.modules]))
"""
SEEN = [[[4, 7, -5], 3, 0.5, True], [[1.0, 2.718282]], "far too far", 294, 8]


def run(folder: Path, code: str, **environment: str) -> str:
    (folder / "mine.py").write_text(MODULE)
    paths = [str(folder), str(SRC.parent), str(Path(__file__).parents[2])]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "NUMBA_CACHE_DIR": str(folder / "cache")} | environment
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@linux_only
def test_a_second_process_gives_the_same_answers_and_never_imports_numba(tmp_path):
    assert json.loads(run(tmp_path, USE)) == [SEEN, [True, True, True], True]
    assert json.loads(run(tmp_path, USE)) == [SEEN, [False, False, False], False]


@linux_only
def test_a_byte_changed_in_the_machine_code_makes_it_compile_anew(tmp_path):
    run(tmp_path, USE)
    (file,) = (tmp_path / "cache").rglob("both-*.kernel")
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(data)
    assert json.loads(run(tmp_path, USE)) == [SEEN, [True, False, False], True]
    assert json.loads(run(tmp_path, USE)) == [SEEN, [False, False, False], False]


REWRITE = """
import mine
file = mine.both.file
stored = file.load()
file.save(type(stored)(CHANGED, stored.whole))
"""


@linux_only
@pytest.mark.parametrize(
    "changed", ["None", "stored.light | {'needs': ('there_is_no_such_symbol',)}", "stored.light | {'constants': b''}"]
)
def test_what_cannot_be_linked_is_loaded_by_numba_and_ends_no_process(tmp_path, changed):
    run(tmp_path, USE)
    run(tmp_path, REWRITE.replace("CHANGED", changed))
    assert json.loads(run(tmp_path, USE)) == [SEEN, [False, False, False], True]


@linux_only
def test_numba_comes_later_and_finds_everything_in_its_place(tmp_path):
    run(tmp_path, USE)
    later = """
import numba
import numpy as np
@numba.njit
def outer(x):
    return np.cumsum(x) + mine.inner(x[0])
@numba.njit
def fails(x):
    raise KeyError("of numba")
try:
    fails(1)
except KeyError as error:
    refused = error.args[0]
print(json.dumps([outer(np.array([1, 2])).tolist(), refused, bool(numba._helperlib.c_helpers), mine.inner(2),
                  numba._dynfunc.Environment.__name__, told(mine.Pair(np.array([1, 2]), np.array([5])))[1:]]))
"""
    answers = run(tmp_path, USE + later).splitlines()
    assert json.loads(answers[0]) == [SEEN, [False, False, False], False]
    assert json.loads(answers[1]) == [[4, 6], "of numba", True, 6, "Environment", [3, 0.5, True]]


@linux_only
def test_numba_before_changes_neither_the_folder_nor_the_answers(tmp_path):
    run(tmp_path, USE)
    names = "\nfrom sequester.primitives.kernel_cache import machine\nprint(machine())"
    first, without = run(tmp_path, USE + names).splitlines()
    after, with_numba = run(tmp_path, "import numba\n" + USE + names).splitlines()
    assert without == with_numba
    assert (json.loads(first)[:2], json.loads(after)) == ([SEEN, [False] * 3], [SEEN, [False] * 3, True])


BEYOND = """
import numpy as np, mine
try:
    print(mine.at(np.array([1, 2])[:1], 1) >= 0)
except IndexError as error:
    print(error)
print(mine.at.was_compiled)
"""


@linux_only
def test_bounds_are_checked_on_request_also_without_numba(tmp_path):
    plain = [run(tmp_path, BEYOND).split("\n")[:2] for _ in range(2)]
    asked = [run(tmp_path, BEYOND, NUMBA_BOUNDSCHECK="1").split("\n")[:2] for _ in range(2)]
    assert plain == [["True", "True"], ["True", "False"]]
    assert [told for told, _ in asked] == ["index is out of bounds"] * 2
    assert [made for _, made in asked] == ["True", "False"]
    folders = sorted(f.name.endswith("-boundscheck") for f in (tmp_path / "cache/sequester-kernels").iterdir())
    assert folders == [False, True]


def test_without_the_compiler_a_kernel_is_the_plain_function(tmp_path):
    told = run(tmp_path, "import mine; print(type(mine.inner).__name__, mine.inner(2))", NUMBA_DISABLE_JIT="1")
    assert told == "function 6\n" and not (tmp_path / "cache").exists()


THREADS = """
import sys, threading
import numpy as np
from concurrent.futures import ThreadPoolExecutor
from sequester.primitives import kernel_loading
import mine
linked, times = kernel_loading.linked, []
kernel_loading.linked = lambda light, function: times.append(function.__name__) or linked(light, function)
start = threading.Barrier(8)
def one(i):
    start.wait()
    return mine.at(np.arange(8), i)
with ThreadPoolExecutor(8) as pool:
    print(list(pool.map(one, range(8))), times, "numba" in sys.modules)
"""


@linux_only
def test_threads_that_need_a_kernel_at_once_link_it_once(tmp_path):
    run(tmp_path, USE)
    assert run(tmp_path, THREADS) == "[0, 1, 2, 3, 4, 5, 6, 7] ['at'] False\n"


FORKS = """
import os, sys
import numpy as np
from sequester.primitives import kernel_loading
import mine
mine.at(np.array([5]), 0)
import threading
held = threading.Event()
def hold():
    with kernel_loading.one_at_a_time():
        held.set()
        threading.Event().wait(60)
threading.Thread(target=hold, daemon=True).start()
held.wait()  # a thread that does not live in the child holds the lock
child = os.fork()
if child == 0:
    ok = mine.at(np.array([5]), 0) == 5 and mine.total(np.array([1, 2], np.uint8)) == 3
    os._exit(0 if ok else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sys.stdout.flush()
os._exit(0)
"""


@linux_only
def test_the_child_of_a_fork_calls_what_was_loaded_and_loads_more(tmp_path):
    run(tmp_path, USE)
    assert run(tmp_path, FORKS) == "0\n"


def test_a_file_that_is_no_object_file_of_linux_is_left_to_numba():
    assert kernel_loading.described(b"\xcf\xfa\xed\xfe rest", "entry", {}) is None


@linux_only
def test_constants_only_numba_can_read_are_left_to_it():
    from sequester.primitives.sorting import sort_first

    sort_first(np.array([1]), 1)
    light = sort_first.file.load().light
    places = {name: [] for name in light["places"]}
    assert kernel_loading.described(light["object"], light["entry"], places)["needs"] == light["needs"]
    assert kernel_loading.described(light["object"], light["entry"], {"own": [config.reload_config]}) is None
    assert kernel_loading.described(light["object"], light["entry"], {"own": [lambda: 0]}) is None
    assert kernel_loading.described(light["object"], "no such entry", places) is None


def test_a_file_of_another_key_or_beginning_counts_as_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "cache_root", lambda: tmp_path)

    def mine(x):
        return x

    one = KernelFile(mine, "int64")
    assert one.load() is None
    one.save(Stored({"a": 1}, b"whole"))
    assert one.load() == Stored({"a": 1}, b"whole")
    assert KernelFile(mine, "float64").path != one.path
    good = one.path.read_bytes()
    one.key = "another"
    assert one.load() is None
    one.path.write_bytes(good.replace(b"kernel 2", b"kernel 1", 1))
    assert one.load() is None
    one.path.write_bytes(pickle.dumps(("another", None, b"")))
    assert one.load() is None


NUMBERS = kernel_types.declared("int64, uint64, float64, boolean, float32", {})


@pytest.mark.parametrize(
    "place, fits, not_as_it_is",
    [
        (0, (1, np.int64(1)), (True, 1.0, np.int32(1), np.uint64(1))),
        (1, (np.uint64(1),), (1, np.int64(1))),
        (2, (1.0, np.float64(1)), (1, np.float32(1), True)),
        (3, (True, np.bool_(1)), (1, 1.0)),
        (4, (np.float32(1),), (1.0, np.float64(1))),
    ],
)
def test_numbers_go_in_as_they_are_only_when_machine_code_reads_them_so(place, fits, not_as_it_is):
    check = NUMBERS[place].check()
    assert all(check(value) for value in fits) and not any(check(value) for value in not_as_it_is)


def test_arrays_go_in_as_they_are_only_when_machine_code_reads_them_so():
    contiguous, any_layout, fortran, frozen = (
        each.check()
        for each in kernel_types.declared("int64[:, ::1], int64[:, :], int64[::1, :], const(int64[::1])", {})
    )
    a = np.zeros((3, 4), np.int64)
    locked = np.zeros(3, np.int64)
    locked.flags.writeable = False
    unaligned = np.frombuffer(bytearray(25), np.uint8)[1:].view(np.int64)
    assert contiguous(a) and not contiguous(a.T) and not contiguous(a[0]) and not contiguous(a.astype(np.int32))
    assert not contiguous(a.astype(">i8")) and not contiguous(a.tolist()) and not contiguous(np.ma.array(a))
    assert any_layout(a) and any_layout(a.T) and any_layout(a[:, ::2]) and fortran(a.T) and not fortran(a)
    assert frozen(locked) and frozen(locked.copy()) and not frozen(unaligned)
    assert not kernel_types.declared("int64[::1]", {})[0].check()(locked)
    fitted = kernel_types.declared("int64[::1]", {})[0].fit(unaligned, "k", 0)
    assert fitted.flags.aligned and fitted.flags.writeable

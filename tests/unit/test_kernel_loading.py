"""Machine code that lies on disk gives what the process that compiled it got, in threads and after a fork too."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core import config

from sequester.primitives import kernel_cache, kernel_types
from sequester.primitives.kernel_cache import KernelFile
from tests.compiled_kernels import SRC

jit_only = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled with NUMBA_DISABLE_JIT=1")

MODULE = """
from typing import NamedTuple
import numpy as np
from sequester.primitives.compiled import Record, kernel

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
print(json.dumps([seen, made]))
"""
SEEN = [[[4, 7, -5], 3, 0.5, True], [[1.0, 2.718282]], "far too far", 294, 8]


def run(folder: Path, code: str, **environment: str) -> str:
    (folder / "mine.py").write_text(MODULE)
    paths = [str(folder), str(SRC.parent), str(Path(__file__).parents[2])]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "NUMBA_CACHE_DIR": str(folder / "cache")} | environment
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@jit_only
def test_a_second_process_gives_the_same_answers_and_compiles_nothing(tmp_path):
    assert json.loads(run(tmp_path, USE)) == [SEEN, [True, True, True]]
    assert json.loads(run(tmp_path, USE)) == [SEEN, [False, False, False]]


def test_defining_a_kernel_does_not_import_numba(tmp_path):
    assert (
        run(tmp_path, "import sys, mine; print('numba' in sys.modules, 'llvmlite' in sys.modules)") == "False False\n"
    )


@jit_only
def test_a_byte_changed_in_the_machine_code_makes_it_compile_anew(tmp_path):
    run(tmp_path, USE)
    (file,) = (tmp_path / "cache").rglob("both-*.kernel")
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(data)
    assert json.loads(run(tmp_path, USE)) == [SEEN, [True, False, False]]
    assert json.loads(run(tmp_path, USE)) == [SEEN, [False, False, False]]


@jit_only
def test_a_file_whose_hash_is_right_and_that_numba_cannot_read_is_compiled_anew(tmp_path):
    run(tmp_path, USE)
    run(tmp_path, "import mine; mine.both.file.save(b'of another making')")
    assert json.loads(run(tmp_path, USE)) == [SEEN, [True, False, False]]


@jit_only
def test_code_of_others_may_call_a_kernel(tmp_path):
    run(tmp_path, USE)
    outer = """
import numba, numpy as np, mine
@numba.njit
def outer(x):
    return np.cumsum(x) + mine.inner(x[0])
print(outer(np.array([1, 2])).tolist())
"""
    assert run(tmp_path, outer) == "[4, 6]\n"


BEYOND = """
import numpy as np, mine
try:
    print(mine.at(np.array([1, 2])[:1], 1) >= 0)
except IndexError as error:
    print(error)
print(mine.at.was_compiled)
"""


@jit_only
def test_bounds_are_checked_on_request(tmp_path):
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
import mine
sys.setswitchinterval(1e-6)
start = threading.Barrier(8)
calls = [lambda i: mine.at(np.arange(8), i), lambda i: mine.inner(i),
         lambda i: mine.total(np.arange(i + 1, dtype=np.uint8)),
         lambda i: mine.both(mine.Pair(np.array([i]), np.array([i])), 0)[1]]
def one(i):
    start.wait()
    return int(calls[i % 4](i))
with ThreadPoolExecutor(8) as pool:
    print(list(pool.map(one, range(8))), sum(k.was_compiled for k in (mine.at, mine.inner, mine.total, mine.both)))
"""


@jit_only
def test_eight_threads_compile_and_load_four_kernels_at_once(tmp_path):
    """Two at once once ended in "generator already executing" and in a TypingError of numba."""
    answers = "[0, 3, 3, 2, 4, 15, 21, 2]"
    assert run(tmp_path, THREADS) == f"{answers} 4\n"
    assert run(tmp_path, THREADS) == f"{answers} 0\n"


FORKS = """
import os, sys, threading, time
import numpy as np
from sequester.primitives import compiled
import mine
mine.at(np.array([5]), 0)
held = threading.Event()
def hold():
    with compiled.one_at_a_time:
        held.set()
        time.sleep(0.5)
threading.Thread(target=hold).start()
held.wait()  # another thread is loading a kernel; it does not live in the child
child = os.fork()
if child == 0:
    ok = mine.at(np.array([5]), 0) == 5 and mine.total(np.array([1, 2], np.uint8)) == 3
    os._exit(0 if ok else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), mine.total(np.array([1, 2], np.uint8)))
"""


@pytest.mark.skipif(bool(config.DISABLE_JIT) or not hasattr(os, "fork"), reason="nothing is compiled, or no forks")
def test_the_child_of_a_fork_calls_what_was_loaded_and_loads_more(tmp_path):
    run(tmp_path, USE)
    assert run(tmp_path, FORKS) == "0 3\n"


def test_a_file_of_another_key_or_beginning_counts_as_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "cache_root", lambda: tmp_path)

    def mine(x):
        return x

    one = KernelFile(mine, "int64")
    assert one.load() is None
    one.save(b"whole")
    assert one.load() == b"whole"
    assert KernelFile(mine, "float64").path != one.path
    good = one.path.read_bytes()
    one.key = "another"
    assert one.load() is None
    one.path.write_bytes(good.replace(b"kernel 3", b"kernel 2", 1))
    assert one.load() is None
    one.path.write_bytes(pickle.dumps(("another", b"")))
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

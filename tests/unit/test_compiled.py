"""Kernels cannot be poisoned: one signature each, no dangerous closure, a cache two processes cannot spoil."""

import ast
import importlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core import config

from sequester.primitives import compiled, kernel_cache, notice
from sequester.primitives.sorting import first_count_above, order_of, sort_first
from tests.compiled_kernels import HARMLESS, SRC, all_kernels, captured, closures, fit_for_the_cache, functions

jit_only = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled with NUMBA_DISABLE_JIT=1")

WARM_UP = """
import numba
for i in range(3):
    exec(f"def f{i}(x): return x + {i}")
    numba.njit(globals()[f"f{i}"])(1)
"""
NUMBAS_OWN = {
    "a": "import numba, numpy as np\n@numba.njit(cache=True)\ndef run(x):\n    return np.argsort(x)\n",
    "b": "import numba, numpy as np\n@numba.njit(cache=True)\ndef run(x):\n    return np.sort(x)\n",
}
OURS = {
    "a": """
from sequester.primitives.compiled import kernel
from sequester.primitives.sorting import order_of
@kernel("int64[::1]")
def run(x):
    return order_of(x)
""",
    "b": """
from sequester.primitives.compiled import kernel
from sequester.primitives.sorting import sort_first
@kernel("int64[::1]")
def run(x):
    y = x.copy()
    sort_first(y, len(y))
    return y
""",
}
VALUES = [5, 5, 7, 5, 9, 7]


def started(code: str, folder: Path, **environment: str) -> subprocess.Popen:
    paths = [str(folder), str(SRC.parent), str(Path(__file__).parents[2])]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "NUMBA_CACHE_DIR": str(folder / "cache")} | environment
    return subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True)


def said(code: str, folder: Path, **environment: str) -> str:
    process = started(code, folder, **environment)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return out


def sorted_after_two_processes(folder: Path, sources: dict[str, str]) -> str:
    """One process compiles a, another b; a third runs a first and then b. What does b answer?"""
    for name, text in sources.items():
        (folder / f"{name}.py").write_text(text)
    values = f"import numpy as np; x = np.array({VALUES})"
    said(f"{WARM_UP}\n{values}\nimport a\na.run(x)", folder)
    said(f"{values}\nimport b\nb.run(x)", folder)
    return said(f"{values}\nimport a, b\na.run(x)\nprint(b.run(x).tolist())", folder).strip()


@jit_only
def test_kernels_compiled_by_two_processes_keep_their_own_code(tmp_path):
    assert sorted_after_two_processes(tmp_path, OURS) == str(sorted(VALUES))
    assert len(list(tmp_path.rglob("run-*.kernel"))) == 2 and fit_for_the_cache(tmp_path) == []


@jit_only
def test_the_scan_finds_the_closure_that_poisons_kernels(tmp_path):
    """The same two kernels by numba alone: `np.sort` gives back what it was given, because it runs the argsort's code.

    If this fails with another numba, it names its closures in a better way; then read anew what may be cached.
    """
    assert sorted_after_two_processes(tmp_path, NUMBAS_OWN) == str(VALUES) != str(sorted(VALUES))
    found = set().union(*(closures(file.read_bytes()) for file in tmp_path.rglob("*.nbc")))
    assert any("quicksort" in name for name in found)


@jit_only
def test_processes_that_compile_at_once_leave_one_good_file_per_kernel(tmp_path):
    (tmp_path / "m.py").write_text(
        "from sequester.primitives.compiled import kernel\n"
        '@kernel("int64[::1], int64")\ndef times(x, k):\n    return x[0] * k\n'
        '@kernel("float64[::1], float64")\ndef over(x, k):\n    return x[0] / k\n'
    )
    use = "import numpy as np, m; print(m.times(np.array([6]), 7), m.over(np.array([6.0]), 4.0))"
    processes = [started(use, tmp_path) for _ in range(4)]
    assert [p.communicate(timeout=120)[0] for p in processes] == ["42 1.5\n"] * 4
    files = {f.name.rsplit("-", 1)[0] for f in tmp_path.rglob("*.kernel")}
    assert files == {"times", "over"} and not list(tmp_path.rglob("*.tmp"))
    assert said(f"{use}; print(m.times.was_compiled)", tmp_path) == "42 1.5\nFalse\n"


@jit_only
def test_a_changed_source_is_compiled_anew_and_an_unchanged_one_is_not(tmp_path):
    inner = "from sequester.primitives.compiled import kernel\nBY = {}\n"
    inner += "@kernel('int64')\ndef inner(x):\n    return x * BY\n"
    (tmp_path / "outer.py").write_text(
        "from sequester.primitives.compiled import kernel\nfrom inner import inner\n"
        "@kernel('int64')\ndef outer(x):\n    return inner(x) + 1\n"
    )
    use = "import outer; print(outer.outer(5), int(outer.outer.was_compiled))"
    seen = []
    for by in (2, 2, 3, 2):
        (tmp_path / "inner.py").write_text(inner.format(by))
        seen.append(said(use, tmp_path, PYTHONDONTWRITEBYTECODE="1").split())
    assert seen == [["11", "1"], ["11", "0"], ["16", "1"], ["11", "0"]]  # the first one is still there


@jit_only
def test_a_file_cut_short_counts_as_missing(tmp_path):
    (tmp_path / "b.py").write_text(OURS["b"])
    use = f"import numpy as np, b; print(b.run(np.array({VALUES})).tolist())"
    said(use, tmp_path)
    for file in tmp_path.rglob("*.kernel"):
        file.write_bytes(file.read_bytes()[:100])
    assert said(use, tmp_path).strip() == str(sorted(VALUES))


@jit_only
def test_a_folder_that_cannot_be_written_is_replaced_by_a_temporary_one(tmp_path):
    (tmp_path / "nowhere").write_text("a file, not a folder")
    code = "from sequester.primitives.kernel_cache import cache_root; print(cache_root())"
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "nowhere"), "TMPDIR": str(tmp_path)}
    assert said(code, tmp_path, **environment).startswith(str(tmp_path / "sequester-kernels-"))


def test_a_folder_of_somebody_else_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(PermissionError, match="belongs to somebody else"):
        kernel_cache._writable(tmp_path / "kernels")


@jit_only
def test_no_kernel_has_two_signatures_or_a_dangerous_closure():
    """All kernels, as they lie in the cache this suite uses; those that are not there yet are compiled."""
    wrong = []
    for made in all_kernels().values():
        made.compile()
        file = made.file.path
        assert file.exists(), f"{made.name} cannot be cached"
        assert list(made.file.folder.glob(f"{made.py_func.__name__}-*.kernel")) == [file]
        wrong += [f"{made.name}: {c}" for c in fit_for_one(file)]
    assert wrong == []


def fit_for_one(file: Path) -> list[str]:
    return sorted(closures(file.read_bytes()) - HARMLESS.keys())


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_closures_that_may_be_cached_capture_what_was_read(name):
    module, function = name.rsplit(".", 1)
    assert captured(getattr(importlib.import_module(module), function)) == set(HARMLESS[name].split())


def test_the_closure_that_poisons_kernels_captures_what_no_symbol_tells():
    from numba.misc.quicksort import make_quicksort_impl

    assert {"GET", "make_res"} <= captured(make_quicksort_impl)  # which differ for values and places


FILES = """
import sys, numba, numpy as np
from numba.core import caching
import m
if sys.argv[-1] == "race":  # both read the index before either writes it
    load = caching.IndexDataCacheFile._load_index
    def wait(self):
        found = load(self)
        if not getattr(wait, "met", False):
            wait.met = True
            open("here-" + sys.argv[1], "w").close()
            import time, os
            begun = time.time()
            while not (os.path.exists("here-int") and os.path.exists("here-float")) and time.time() - begun < 60:
                time.sleep(0.01)
        return found
    saved = caching.IndexDataCacheFile.save
    def save(self, key, data):
        caching.IndexDataCacheFile._load_index = wait
        try:
            saved(self, key, data)
        finally:
            caching.IndexDataCacheFile._load_index = load
    caching.IndexDataCacheFile.save = save
print(m.half(7 if sys.argv[1] == "int" else 7.0))
"""


@jit_only
def test_two_signatures_saved_at_once_share_a_file_in_numbas_cache(tmp_path):
    """Numba issue 4807: the name of a data file is chosen from the index without a lock. Ours is named by its key."""
    (tmp_path / "m.py").write_text("import numba\n@numba.njit(cache=True)\ndef half(x):\n    return x / 2\n")
    (tmp_path / "use.py").write_text(FILES)
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    call = [sys.executable, "use.py"]
    both = [subprocess.Popen([*call, kind, "race"], cwd=tmp_path, env=env) for kind in ("int", "float")]
    assert [p.wait(timeout=120) for p in both] == [0, 0]
    assert len(list(tmp_path.rglob("*.nbc"))) == 1  # two signatures were compiled, one data file is left


NEVER = re.compile(r"\b(sort|argsort|unique|searchsorted|median|percentile|quantile|partition|random|standard_normal)$")


def test_no_kernel_sorts_searches_or_draws_with_numba():
    wrong = []
    for name, function in functions().items():
        calls = {ast.unparse(n.func) for n in ast.walk(function) if isinstance(n, ast.Call)}
        wrong += [f"{name} calls {c}" for c in sorted(calls) if "." in c and NEVER.search(c)]
    assert wrong == []


MOST_ARGUMENTS = 8
"""A call with more of them can swap two arrays of the same type, and nobody would see it: group them in a record."""


def test_kernels_take_few_arguments():
    many = {name: len(function.args.args) for name, function in functions().items()}
    assert len(many) > 200
    assert {n: c for n, c in many.items() if c > MOST_ARGUMENTS} == {}


def test_nothing_else_of_the_house_is_compiled():
    others = [
        str(p.relative_to(SRC))
        for p in sorted(SRC.rglob("*.py"))
        if re.search(r"\bnjit\b|\bprange\b|import jit\b|vectorize\b", p.read_text("utf-8"))
    ]
    assert others == []


@jit_only
def test_arguments_are_converted_when_nothing_is_lost():
    narrow = np.array([3, 1, 2], np.int32)
    sort_first(narrow, 3)  # written through the converted copy
    assert narrow.tolist() == [1, 2, 3]
    strided = np.array([3, 0, 1, 0, 2, 0])[::2]
    sort_first(strided, np.int32(3))
    assert strided.tolist() == [1, 2, 3]
    assert order_of(np.array([2, 1], np.uint8)).tolist() == [1, 0]
    assert first_count_above(np.array([1, 4]), True) == 1


@jit_only
@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.array([1.5]), 1), "argument 0 of sort_first is an array of float64 with 1 dimensions, not one of int64 with 1"),  # noqa: E501
        ((np.zeros((1, 1), int), 1), "argument 0 of sort_first is an array of int64 with 2 dimensions, not one of int64 with 1"),  # noqa: E501
        ((np.array([1]), 1.5), "argument 1 of sort_first does not fit int64"),
    ],
)  # fmt: skip
def test_arguments_that_would_lose_something_are_refused(arguments, message):
    with pytest.raises(TypeError) as error:
        sort_first(*arguments)
    assert str(error.value) == message


@jit_only
def test_every_kernel_that_is_compiled_is_reported(tmp_path):
    (tmp_path / "b.py").write_text(OURS["b"])
    code = (
        "import numpy as np, b\nfrom sequester.primitives.notice import report_to\n"
        "report_to(lambda seconds: print(seconds > 0))\nb.run(np.array([1]))"
    )
    assert said(code, tmp_path).split() == ["True", "True"]  # sort_first, and run that calls it
    assert said(code, tmp_path) == ""


def test_a_kernel_without_the_compiler_wraps_around_silently():
    def product(x, y):
        return x * y

    with np.errstate(over="raise"):
        assert compiled._plain(product)(np.uint64(2**63), np.uint64(2)) == 0


@pytest.mark.parametrize("watched, shown", [(True, True), (False, False)])
def test_long_compiling_is_shown_to_who_watches(monkeypatch, watched, shown):
    class Screen(io.StringIO):
        def isatty(self):
            return watched

    screen, line = Screen(), notice.Line()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(notice.atexit, "register", lambda _wipe: None)
    line.count(0.4)
    assert screen.getvalue() == ""
    line.count(1.2)
    assert screen.getvalue().endswith("Compiling kernels, once per machine: 2 done") == shown
    assert bool(screen.getvalue()) == shown


@jit_only
def test_methods_give_the_same_tables_alone_and_after_each_other():
    """Two that once poisoned each other (sorting here, searching there); `benchmarks/kernel_order.py` runs them all."""
    from benchmarks.kernel_order import compared

    assert compared(["kp-naive", "markov-dp"]) == {"kp-naive": True, "markov-dp": True}

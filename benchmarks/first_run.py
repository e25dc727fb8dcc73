"""What does the first publication on a machine cost, and what every later one?

`python -m benchmarks.first_run [METHOD...]` prints a row per method; with `--write` it first records which kernels
every method uses and what each costs, into `src/sequester/primitives/first_use.json`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

TITLE = "First and later runs of every method on its sample"
NOTE = """CPU seconds of a whole publication of the sample: import of the package, protect, judge, measure, draw, write.
`cold` starts with an empty folder of kernels and counts all processes, `warm` starts with what the cold run left there.
`compiling` is their difference; it is shared by two processes, and `two_cores` is the larger of their shares: what the
reader waits for on two free cores. `kernels` counts what had to be compiled, `later` those that were not foreseen and
were compiled one after another (of activity, those that make the sample itself). The aims are 10 for `two_cores` and
1.5 for `warm`."""

ONE = """
import json, resource, sys, tempfile, time
from pathlib import Path
method, foreseen = sys.argv[1], sys.argv[2] == "foreseen"
from sequester.primitives import first_use
if not foreseen:
    first_use._table = lambda: {"used": {}, "seconds": {}}
import sequester as sq
from sequester import _shell
_shell.pandas_on_demand()  # as the command does
cls = sq.method_class(method)
data = sq.sample(cls.accepts.kind, seed=1)
engine = sq.Engine(threads=2)
lazily = []
if not foreseen:
    from sequester.primitives.kernel_compiling import Compiler
    inside = []
    straight = Compiler.compile
    def timed(self, sig=None):
        if self.declared in self.overloads:
            return straight(self, sig)
        started = time.process_time()
        inside.append(0.0)
        entry = straight(self, sig)
        spent = time.process_time() - started
        own = spent - inside.pop()
        if inside:
            inside[-1] += spent
        lazily.append((f"{self.py_func.__module__}.{self.py_func.__qualname__}", round(own, 2)))
        return entry
    Compiler.compile = timed
with tempfile.TemporaryDirectory() as folder:
    sq.publish_data(data, sq.Request(method=cls(**cls.example), target=Path(folder, "one.bundle"), engine=engine))
made = sys.modules.get("sequester.primitives.compiled")
missed = [n for n, k in made.KERNELS.items() if k.was_compiled] if made else []
usage = resource.getrusage(resource.RUSAGE_SELF)
listed = set(first_use.first_used(method)) if foreseen else set()
print(json.dumps({
    "here": usage.ru_utime + usage.ru_stime, "lazily": lazily, "compiled": missed,
    "later": len([n for n in missed if n not in listed]),
}))
"""


def run(methods: tuple[str, ...] = ()) -> Iterator[dict]:
    """One row per method."""
    from sequester.methods import METHODS

    for method in methods or tuple(METHODS):
        with tempfile.TemporaryDirectory() as folder:
            cold, told = _cpu(method, Path(folder))
            kernels = len(list(Path(folder).rglob("*.kernel")))
            warm, again = _cpu(method, Path(folder))
        here = told["here"] - again["here"]
        there = cold - told["here"] - (warm - again["here"])
        yield {
            "bench": "first_run", "method": method, "cold": round(cold, 2), "warm": round(warm, 2),
            "compiling": round(cold - warm, 2), "two_cores": round(max(here, there), 2), "kernels": kernels,
            "later": told["later"], "compiled_again": len(again["compiled"]),
        }  # fmt: skip


def record() -> None:
    """Which kernels each method uses on its sample, and the seconds each takes; the longest of what was seen."""
    from sequester.methods import METHODS
    from sequester.primitives.first_use import FILE

    seconds: dict[str, float] = {}
    used: dict[str, list[str]] = {}
    for method in METHODS:
        with tempfile.TemporaryDirectory() as folder:
            _, told = _cpu(method, Path(folder), "unforeseen")
        used[method] = [name for name, _ in told["lazily"]]
        for name, spent in told["lazily"]:
            seconds[name] = max(seconds.get(name, 0.0), spent)
        print(json.dumps({"method": method, "kernels": len(used[method])}), flush=True)
    told = {"seconds": dict(sorted(seconds.items())), "used": {m: sorted(set(n)) for m, n in sorted(used.items()) if n}}
    FILE.write_text(json.dumps(told, indent=1) + "\n", "utf-8")


def _cpu(method: str, folder: Path, how: str = "foreseen") -> tuple[float, dict]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # as after an installation, Python finds the byte code of every module
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", ONE, method, how],
        env=kept | {"NUMBA_CACHE_DIR": str(folder)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    asked = sys.argv[1:]
    if "--write" in asked:
        record()
    for row in run(tuple(a for a in asked if a != "--write")):
        print(json.dumps(row), flush=True)

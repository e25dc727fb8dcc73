"""Mutants of kernels: one operator or constant changed at a time, and whether the tests of their twins notice.

    python -m experiments.mutants [PART OF A KERNEL'S NAME…] [--most 20]

Every mutant runs the test that `tests/twins.py` names for that kernel, as plain Python; a kernel that only kernels call
is tried by the tests of its file. A survivor is either
equivalent (the change cannot show: a bound that is never reached, a mark that is as good as another) or a hole in the
twin's inputs; its line is printed so that a reader can tell which. Kernels are chosen by any part of their dotted name.
"""

from __future__ import annotations

import ast
import copy
import importlib.abc
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
MODULE, FILE = "SEQUESTER_MUTANT_MODULE", "SEQUESTER_MUTANT_FILE"
SECONDS = 300
SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def mutants(source: str, function: str) -> Iterator[tuple[int, str, str]]:
    """Line, what was changed, and the whole source with one place of a function changed."""
    tree = ast.parse(source)
    found = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == function)
    for i, node in enumerate(ast.walk(found)):
        for said, change in _changes(node):
            other = copy.deepcopy(tree)
            again = next(n for n in ast.walk(other) if isinstance(n, ast.FunctionDef) and n.name == function)
            change(list(ast.walk(again))[i])
            yield node.lineno, said, ast.unparse(other)  # type: ignore[attr-defined]


def _changes(node: ast.AST) -> Iterator[tuple[str, Any]]:
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
        new = SWAPS[type(node.op)]
        yield f"{type(node.op).__name__} to {new.__name__}", lambda n: setattr(n, "op", new())
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        new = SWAPS[type(node.ops[0])]
        yield f"{type(node.ops[0]).__name__} to {new.__name__}", lambda n: n.ops.__setitem__(0, new())
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield f"{node.value} to {node.value + 1}", lambda n: setattr(n, "value", n.value + 1)


def run_one(module: str, source: str, tests: list[str]) -> bool:
    """Whether the tests notice a changed source; one that never ends is noticed too."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.py"
        path.write_text(source, "utf-8")
        more = {MODULE: module, FILE: str(path), "NUMBA_DISABLE_JIT": "1"}
        more["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "experiments.mutants", *tests]
        try:
            done = subprocess.run(command, cwd=ROOT, env=os.environ | more, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return True
    return done.returncode != 0


class _Instead(importlib.abc.MetaPathFinder):
    """Loads the changed file where the module is asked for."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != os.environ[MODULE]:
            return None
        return importlib.util.spec_from_file_location(name, os.environ[FILE])


if os.environ.get(MODULE):  # as a plugin of pytest
    sys.meta_path.insert(0, _Instead())


def answering() -> dict[str, list[str]]:
    """Kernel → the tests that answer for it; one that only kernels call has those of its file."""
    from tests.twins import TWINS

    named = {kernel: [test] for test, kernels in TWINS.items() for kernel in kernels.split()}
    out = dict(named)
    for module in sorted({kernel.rpartition(".")[0] for kernel in named}):
        tests = sorted({t for kernel, told in named.items() for t in told if kernel.rpartition(".")[0] == module})
        for function in kernels_in(_source(module)):
            out.setdefault(f"{module}.{function}", tests)
    return out


def kernels_in(source: str) -> list[str]:
    """Names of the kernels of a file."""
    functions = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef)]
    return [f.name for f in functions if any("kernel" in ast.unparse(d).partition("(")[0] for d in f.decorator_list)]


def _source(module: str) -> str:
    return (ROOT / "src" / "sequester" / f"{module.replace('.', '/')}.py").read_text("utf-8")


def main(words: list[str]) -> int:
    """Print every survivor, and how many mutants of each kernel were seen."""
    most = int(words[words.index("--most") + 1]) if "--most" in words else 20
    wanted = [w for w in words if w != "--most" and w != str(most)]
    known = answering()
    chosen = [kernel for kernel in known if not wanted or any(w in kernel for w in wanted)]
    if not chosen:
        said = f"mutants: no kernel has {' or '.join(wanted)} in its name. One such name is {min(known)}."
        print(said, file=sys.stderr)
        return 2
    for kernel in chosen:
        module, _, function = kernel.rpartition(".")
        found = list(mutants(_source(module), function))
        tried = found[:: max(1, -(-len(found) // most))]
        seen = 0
        for line, said, source in tried:
            noticed = run_one(f"sequester.{module}", source, [f"tests/unit/{test}" for test in known[kernel]])
            seen += noticed
            if not noticed:
                print(f"survives: {kernel}, line {line}: {said}", flush=True)
        print(f"{kernel}: {seen} of {len(tried)} mutants seen ({len(found)} possible)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

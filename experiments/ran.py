"""Which functions of the library a step ran, so that its page rests on these alone.

While `watch()` is on, modules of the library are loaded with one more line at the head of each function: a note that it
ran. Modules that hold kernels are loaded as they are, and count whole: what compiled code runs is not seen.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

FUNCTIONS: dict[str, set[str]] = {}
"""Module → names of its functions that ran, as `function` or `Class.method`."""


def watch() -> None:
    """From now on, note which functions of the library run."""
    sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds modules of the library where they are, and lets them be loaded with notes."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith("sequester."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and isinstance(spec.loader, SourceFileLoader) and b"@kernel" not in spec.loader.get_data(spec.origin):
            spec.loader = _Loader(name, spec.origin)
        return spec


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        tree = _Noting().visit(ast.parse(self.get_data(self.path)))
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__ran__"] = FUNCTIONS.setdefault(self.name, set())
        super().exec_module(module)


class _Noting(ast.NodeTransformer):
    """A note at the head of every function and method; functions inside of functions belong to the outer one."""

    def __init__(self) -> None:
        self.classes: tuple[str, ...] = ()

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.classes += (node.name,)
        self.generic_visit(node)
        self.classes = self.classes[:-1]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        after = int(ast.get_docstring(node) is not None)
        note = ast.parse(f"__ran__.add({'.'.join((*self.classes, node.name))!r})").body[0]
        node.body.insert(after, ast.copy_location(note, node.body[0]))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

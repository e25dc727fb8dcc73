"""Stamps of result pages: the sources, the data and the version that a page was printed with.

A stamp holds a checksum of the step's own code, one of every module of the library that was loaded while it ran, and
one of every data set it names. `docs/results/stamps.json` keeps them; `python -m experiments --stale` compares.
Of a module only the functions that ran count (`ran.py` sees which), and what stands outside of functions; a module of
which nothing ran counts only if one that ran takes a name from it. Comments, docstrings and imports do not count, nor
do the modules of `NO_FIGURES`, which only word or show things.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import sequester
from experiments import ran
from sequester.version import VERSION

LIBRARY = Path(sequester.__file__).parent
WORDS = ("_shell", "cli", "contract", "errors", "languages", "pages", "workbench")
NO_FIGURES = tuple(f"sequester.{room}" for room in WORDS)
MARK = "*Printed by an earlier version of the program: "


def library_sources() -> dict[str, str]:
    """Module → source, of everything in the library as it is on the disk now."""
    return {_module(path): path.read_text("utf-8") for path in sorted(LIBRARY.rglob("*.py"))}


def loaded_modules(step: Sequence[str], sources: Mapping[str, str]) -> dict[str, str]:
    """Module → checksum and the functions that ran, of the modules that figures of a finished step can depend on.

    A step that starts processes of its own may use all of the library: what they load is not seen here.
    """
    whole = any("import subprocess" in source for source in step)
    names = sources if whole else [m for m in sys.modules if m in sources]
    seen = {} if whole else ran.FUNCTIONS
    return {m: entry(sources[m], seen.get(m)) for m in sorted(names) if whole or not m.startswith(NO_FIGURES)}


def entry(source: str, functions: set[str] | None) -> str:
    """What a stamp keeps of a module: `checksum`, or `checksum function,function` where the others did not run."""
    if functions is None:
        return digest(source)
    names = sorted(functions)
    return f"{digest(source, tuple(names))} {','.join(names)}"


def fits(kept: str, source: str) -> bool:
    """Whether a module still does what a stamp kept of it."""
    checksum, beside, names = kept.partition(" ")
    return digest(source, tuple(names.split(",")) if names else () if beside else None) == checksum


def data_sets(step: Sequence[str], data: Path) -> dict[str, str]:
    """Folder of the data → checksum of its files, for the folders that a step's code names."""
    constants = [n.value for source in step for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant)]
    folders = {word.split("/")[0] for word in constants if _is_name(word)}
    return {f: _folder_digest(data / f) for f in sorted(folders) if (data / f).is_dir()}


@cache
def digest(source: str, functions: tuple[str, ...] | None = None) -> str:
    """Checksum of what a source does; given names of functions, of these and of what stands outside of functions."""
    tree = _Bare(functions).visit(ast.parse(source))
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:10]


class _Bare(ast.NodeTransformer):
    """Without docstrings and imports, and without the bodies of functions that did not run.

    Methods that did not run keep their head where another function of their module ran: a method that is added to a
    class can change what its others do.
    """

    def __init__(self, functions: tuple[str, ...] | None) -> None:
        self.functions = functions
        self.classes: tuple[str, ...] = ()

    def visit_Import(self, node: ast.Import) -> None:
        return None

    visit_ImportFrom = visit_Import  # type: ignore[assignment]

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.classes += (node.name,)
        self.generic_visit(node)
        self.classes = self.classes[:-1]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        if self.functions is None or ".".join((*self.classes, node.name)) in self.functions:
            return self.generic_visit(node)
        node.body = []
        return node if self.classes and self.functions else None

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]


@cache
def _imported(source: str) -> frozenset[str]:
    """Modules whose names a source takes: of a module where nothing ran, only a constant taken from it can count."""
    nodes = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ImportFrom) and n.module]
    return frozenset(m for n in nodes for m in (n.module, *(f"{n.module}.{a.name}" for a in n.names)) if m)


def _module(path: Path) -> str:
    return ".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts).removesuffix(".__init__")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value[:1].isalpha() and len(value) < 100 and "\n" not in value


@cache
def _folder_digest(folder: Path) -> str:
    seen = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        seen.update(f"{path.relative_to(folder)}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return seen.hexdigest()[:10]


class Stamps:
    """The stamps of all pages, as one small file: every (module, checksum) is written once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pages: dict[str, dict[str, Any]] = {}
        if path.exists():
            known = json.loads(path.read_text("utf-8"))
            pool = [line.split(" ", 1) for line in known["modules"]]
            for name, page in known["pages"].items():
                self.pages[name] = page | {"modules": {pool[i][0]: pool[i][1] for i in page["modules"]}}

    def put(self, name: str, end: Mapping[str, Any]) -> None:
        """The stamp of a page from the last line of its step."""
        self.pages[name] = {key: end[key] for key in ("source", "modules", "data", "seconds", "version")}

    def save(self) -> None:
        """Write the file, one line per page."""
        pool = sorted({f"{m} {d}" for page in self.pages.values() for m, d in page["modules"].items()})
        place = {line: i for i, line in enumerate(pool)}
        pages = [
            f"{json.dumps(name)}: "
            + json.dumps(page | {"modules": sorted(place[f"{m} {d}"] for m, d in page["modules"].items())})
            for name, page in sorted(self.pages.items())
        ]
        text = ",\n".join(pages)
        self.path.write_text(f'{{"modules": {json.dumps(pool, indent=0)},\n"pages": {{\n{text}\n}}}}\n', "utf-8")


def misfits(end: Mapping[str, Any] | None, source: str, sources: Mapping[str, str], data: Path) -> list[str]:
    """Why a stamp does not fit any more; nothing if it fits. Data that is not there is not compared."""
    if not end or "modules" not in end:
        return ["it carries no stamp"]
    whole = "sequester.cli" in end["modules"]  # of a step that starts processes
    ran_there = [sources[m] for m, d in end["modules"].items() if m in sources and not d.endswith(" ")]
    used = set[str]().union(*map(_imported, ran_there))
    changed = [
        m
        for m, d in end["modules"].items()
        if (m not in sources or not fits(d, sources[m]))
        and (not d.endswith(" ") or m in used)
        and (whole or not m.startswith(NO_FIGURES))
    ]
    other = [f for f, d in end["data"].items() if (data / f).is_dir() and _folder_digest(data / f) != d]
    why = ["its own code has changed"] if end["source"] != source else []
    if changed:
        more = f" and {len(changed) - 2} more" if len(changed) > 2 else ""
        why.append(f"{len(changed)} of {len(end['modules'])} modules changed ({', '.join(changed[:2])}{more})")
    return why + [f"the data set {name} has changed" for name in other]


def marked(text: str) -> bool:
    """Whether a page says that it is from an earlier version."""
    return MARK in text


def with_mark(text: str, again: str) -> str:
    """A page that says below its title that it is from an earlier version, and what prints it anew."""
    title, _, rest = without_mark(text).partition("\n\n")
    return f"{title}\n\n{MARK}`{again}` prints it anew.*\n\n{rest}"


def without_mark(text: str) -> str:
    """A page without that line."""
    return "\n\n".join(part for part in text.split("\n\n") if not part.startswith(MARK))


def end_line(step: Sequence[str], sources: Mapping[str, str], data: Path) -> dict[str, Any]:
    """What the last line of a finished step says about its sources: `step` are its own and its neighbours'."""
    return {"modules": loaded_modules(step, sources), "data": data_sets(step, data), "version": VERSION}

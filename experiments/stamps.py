"""Stamps of result pages: the sources, the data and the version that a page was printed with.

A stamp holds a checksum of the step's own code, one of every module of the library and helper of the tests that was
loaded while it ran, and one of every data set it names and of every list (`.json`) those modules read.
`docs/results/stamps.json` keeps them; `python -m experiments --stale` compares.
Of a module only the functions that ran count (`ran.py` sees which), with the functions inside of them, and of what
stands outside of functions what these name and can reach (`names_in_use`): another constant or class cannot reach a
figure. Of imports it counts from which module of the library a name in use is taken. Comments and docstrings do not
count, nor the words of refusals, notes and promises, nor the modules of `NO_FIGURES`, which only word or show things.
Of `sequester.platform` only the functions that move data count: the others know locks, signals, processes and names of
files, and no figure goes through them (`test_the_platform_computes_nothing_and_moves_data_where_it_is_said`).
Stamps of earlier rules are read as they were meant: the first counted all constants and words, the second neither
functions inside of functions nor imports nor lists.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import sequester
from experiments import ran
from sequester.version import VERSION

LIBRARY = Path(sequester.__file__).parent
WORDS = ("_shell", "cli", "contract", "errors", "guarantees.wording", "languages", "pages", "workbench")
NO_FIGURES = tuple(f"sequester.{room}" for room in WORDS)
FRONT, PLATFORM, MOVED = "sequester", "sequester.platform", ("read_at", "write_at")
"""The front door, which only says where things are; what systems do differently, and the part of it that moves data."""
PROCESSES = ("subprocess", "multiprocessing", "ProcessPool", "posix_spawn")
WORDED = ("Note", "Guarantee")
"""What carries words to a reader: strings with a space in these calls, and in what is raised, are no figures."""
RULE, SECOND, FIRST = "=", "~", ""
"""Begins what a stamp keeps of a module: by the present rule, by the one before it, by the first."""
TESTS = Path(__file__).parent.parent / "tests"
MARK = "*Printed by an earlier version of the program: "


def library_sources() -> dict[str, str]:
    """Module → source, of everything in the library, and of what tests lend to steps, as it is on the disk now."""
    lent = [path for path in TESTS.rglob("*.py") if not path.name.startswith("test_")]
    return {_module(path): path.read_text("utf-8") for path in sorted([*LIBRARY.rglob("*.py"), *lent])}


def loaded_modules(step: Sequence[str], sources: Mapping[str, str]) -> dict[str, str]:
    """Module → checksum and the functions that ran, of the modules that figures of a finished step can depend on.

    A step that starts processes of its own may use all of the library: what they load is not seen here.
    """
    lent = {m: sources[m] for m in sys.modules if m in sources and not m.startswith("sequester")}
    if any(word in source for source in [*step, *lent.values()] for word in PROCESSES):
        seen = {m: source for m, source in sources.items() if m in lent or m.startswith("sequester")}
        return {m: entry(source, None) for m, source in sorted(seen.items())}
    kept = {m: sources[m] for m in sorted(sys.modules) if m in sources and not m.startswith(NO_FIGURES)}
    ran_in = dict(ran.FUNCTIONS)
    if PLATFORM in ran_in:
        ran_in[PLATFORM] = ran_in[PLATFORM] & set(MOVED)
        if not ran_in[PLATFORM]:
            del kept[PLATFORM]
    named = names_in_use(step, kept, ran_in)
    return {m: entry(source, named.get(m)) for m, source in kept.items()}


def rest_on(modules: Mapping[str, str]) -> None:
    """Count as loaded and run here what `loaded_modules` said of another step, whose rows this one shows."""
    for module, kept in modules.items():
        import_module(module)
        ran.FUNCTIONS.get(module, set()).update(filter(None, kept.partition(" ")[2].split(",")))


def names_in_use(
    step: Sequence[str], sources: Mapping[str, str], ran_in: Mapping[str, set[str]]
) -> dict[str, set[str]]:
    """Watched module → its functions that ran, and the constants and classes that something that ran can reach.

    What ran reaches the modules that its own module imports, names in a string (`"sequester.kinds:KINDS"`) or is handed
    by one of these. Within them words are compared whoever owns them: a constant counts too often, never too seldom.
    """
    ran_there = {m: frozenset(ran_in[m]) for m in sources if m in ran_in}
    named = {m: set(functions) for m, functions in ran_there.items()}
    code = {f"step {i}": source for i, source in enumerate(step)} | dict(sources)
    words = {name: set(_words_that_count(source, ran_there.get(name), name == FRONT)) for name, source in code.items()}
    by = {m: [m] for m in sources}  # who can name what stands in a module
    for name, source in code.items():
        for module in _seen(source, sources) - {name}:
            by[module].append(name)
    before = -1
    while before < (now := sum(map(len, words.values()))):
        before = now
        for module, source in sources.items():
            near = set[str]().union(*(words[n] for n in by[module]))
            words[module] |= {own for own, name in _handed_on(source) if name in near}
            if module in named:
                for name in (_constants(source) & near) - named[module]:
                    named[module].add(name)
                    words[module] |= _words_behind(source, name, ran_there[module])
    return named


@cache
def _words_that_count(source: str, functions: frozenset[str] | None, at_the_door: bool) -> frozenset[str]:
    """The words of what ran of a module, of all of it where that is not known, of its functions at the front door."""
    tree = ast.parse(source)
    if at_the_door:
        tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return _with_places(tree if functions is None else _Bare(tuple(functions), RULE).visit(tree))


@cache
def _words_behind(source: str, name: str, functions: frozenset[str]) -> frozenset[str]:
    """The words of the statement that makes a constant or a class."""
    return _with_places(_Bare(tuple(functions), RULE).visit(_outside(ast.parse(source))[name]))


@cache
def _constants(source: str) -> frozenset[str]:
    """The constants and classes of a module."""
    return frozenset(_outside(ast.parse(source)))


def _with_places(tree: ast.AST) -> frozenset[str]:
    """Words, and the names at the end of places that are loaded when they are needed."""
    places = filter(None, map(_place_in, ast.walk(tree)))
    return frozenset(_words(tree).union(place.partition(":")[2] for place in places))


def _place_in(node: ast.AST) -> str:
    """A place in the library or in the tests that stands in a string; nothing for other strings."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) and _IN_LIBRARY.fullmatch(value) else ""


_IN_LIBRARY = re.compile(r"(sequester|tests)\.[\w.]*(:\w*)?")


def _seen(source: str, modules: Mapping[str, str]) -> set[str]:
    """The modules that a source imports or names in a string, and what it names inside of packages among them."""
    paths, words = _paths(source)
    begun = tuple(path for path in paths if path.endswith("."))
    return {
        m
        for m in modules
        if m in paths
        or (m.rpartition(".")[0] in paths and m.rpartition(".")[2] in words)
        or (begun and m.startswith(begun))
    }


@cache
def _paths(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Modules and names in modules that a source imports or names in a string, and all its words."""
    paths, tree = set[str](), ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            parts = [a.name.split(".") for a in node.names]
            paths |= {".".join(path[: i + 1]) for path in parts for i in range(len(path))}
        elif isinstance(node, ast.ImportFrom) and node.module:
            paths |= {node.module, *(f"{node.module}.{a.name}" for a in node.names)}
        elif place := _place_in(node):
            paths.add(place.partition(":")[0])
    return frozenset(paths), frozenset(_words(tree))


@cache
def _handed_on(source: str) -> frozenset[tuple[str, str]]:
    """What others can take from a module although it stands elsewhere: its name there, and its name here."""
    out = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            out |= {(a.name, a.asname or a.name) for a in node.names}
        elif place := _place_in(node):
            out.add((place.partition(":")[2],) * 2)
    return frozenset(out)


def entry(source: str, names: set[str] | None) -> str:
    """What a stamp keeps of a module: `=checksum`, or `=checksum name,name` where the rest did not run."""
    if names is None:
        return RULE + digest(source, rule=RULE)
    inside = sorted(names)
    return f"{RULE}{digest(source, tuple(inside), RULE)} {','.join(inside)}"


def fits(kept: str, source: str) -> bool:
    """Whether a module still does what a stamp kept of it."""
    checksum, beside, names = kept.partition(" ")
    inside = tuple(names.split(",")) if names else () if beside else None
    rule = kept[0] if kept[0] in (RULE, SECOND) else FIRST
    return rule + digest(source, inside, rule) == checksum


def data_sets(step: Sequence[str], used: Mapping[str, str], data: Path) -> dict[str, str]:
    """Data → checksum of its files: the folders a step's code names, and the lists its modules name beside them."""
    constants = [n.value for source in step for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant)]
    folders = {word.split("/")[0] for word in constants if _is_name(word)}
    named = {f"{m.rpartition('.')[0].replace('.', '/')}/{f}" for m in used for f in _LIST.findall(used[m])}
    return {f: _digest_of(f, data) for f in sorted(folders | named) if _place(f, data).exists()}


_LIST = re.compile(r'with_name\("(\w+\.json)"\)')


def _place(name: str, data: Path) -> Path:
    """Where a data set or a list of the library lies."""
    return LIBRARY.parent / name if name.endswith(".json") else data / name


def _digest_of(name: str, data: Path) -> str:
    path = _place(name, data)
    return _folder_digest(path) if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()[:10]


@cache
def digest(source: str, names: tuple[str, ...] | None = None, rule: str = FIRST) -> str:
    """Checksum of what a source does; given names of functions, of these and of what stands outside of functions.

    After the first rule, what stands outside counts only if it is named too, and words do not count.
    """
    tree = _Bare(names, rule).visit(ast.parse(source))
    taken = f" {_taken(source, _words(tree))}" if rule == RULE else ""
    return hashlib.sha256(f"{ast.dump(tree)}{taken}".encode()).hexdigest()[:10]


def _taken(source: str, words: set[str]) -> list[str]:
    """From which module of the library a source takes each name that it uses."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sequester"):
            found |= {f"{node.module}.{a.name} {a.asname}" for a in node.names if (a.asname or a.name) in words}
    return sorted(found)


class _Bare(ast.NodeTransformer):
    """Without docstrings and imports, and without the bodies of functions that are not named.

    Methods that are not named keep their head where another function of their module is: a method that is added to a
    class can change what its others do.
    """

    def __init__(self, names: tuple[str, ...] | None, rule: str) -> None:
        self.names = names
        self.by_name = rule != FIRST and names is not None
        self.inner_too = rule == RULE
        self.classes: tuple[str, ...] = ()

    def visit_Module(self, node: ast.Module) -> ast.AST:
        if self.names is not None and self.by_name:
            wanted = {name.partition(".")[0] for name in self.names}
            node.body = [n for n in node.body if not _owned(n) or wanted & _owned(n)]
        return self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        return None

    visit_ImportFrom = visit_Import  # type: ignore[assignment]

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node) if self.by_name else node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return _Wordless().visit(node) if self.by_name else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        worded = self.by_name and isinstance(node.func, ast.Name) and node.func.id in WORDED
        return _Wordless().visit(node) if worded else self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.classes += (node.name,)
        self.generic_visit(node)
        self.classes = self.classes[:-1]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        if self.names is None or ".".join((*self.classes, node.name)) in self.names:
            names, self.names = self.names, None if self.inner_too else self.names  # functions inside belong to it
            self.generic_visit(node)
            self.names = names
            return node
        node.body = []
        return node if self.classes and self.names else None

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]


class _Wordless(ast.NodeTransformer):
    """Without strings of several words."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant("") if isinstance(node.value, str) and " " in node.value else node


def _owned(node: ast.stmt) -> set[str]:
    """The constants or the class that a statement at the top of a module makes; nothing for other statements."""
    if isinstance(node, ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return (
        {t.id for t in targets if isinstance(t, ast.Name)} if all(isinstance(t, ast.Name) for t in targets) else set()
    )


def _outside(tree: ast.Module) -> dict[str, ast.stmt]:
    """Constant or class → the statement that makes it."""
    return {name: node for node in tree.body for name in _owned(node)}


def _words(tree: ast.AST) -> set[str]:
    """Everything in a source that can name something: names, attributes, imports and strings of one word."""
    out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            out.add(node.id)
        elif isinstance(node, ast.Attribute):
            out.add(node.attr)
        elif isinstance(node, ast.alias):
            out.add(node.name.rpartition(".")[2])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            out.add(node.value)
    return out


@cache
def _imported(source: str) -> frozenset[str]:
    """Modules whose names a source takes: of a module where nothing ran, only a constant taken from it can count."""
    nodes = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ImportFrom) and n.module]
    return frozenset(m for n in nodes for m in (n.module, *(f"{n.module}.{a.name}" for a in n.names)) if m)


def _module(path: Path) -> str:
    top = LIBRARY.parent if path.is_relative_to(LIBRARY) else TESTS.parent
    return ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")


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

    def put(self, name: str, end: Mapping[str, Any], page: str) -> None:
        """The stamp of a page from the last line of its step, and from the page as it was written."""
        self.pages[name] = {key: end[key] for key in ("source", "modules", "data", "seconds", "version")}
        self.pages[name]["tables"] = tables_of(page)

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


def misfits(
    end: Mapping[str, Any] | None, source: str, sources: Mapping[str, str], data: Path, step: Sequence[str] = ()
) -> list[str]:
    """Why a stamp does not fit any more; nothing if it fits. Data that is not there is not compared.

    Given the step's sources, a changed module of which nothing ran counts only if something that ran reaches it.
    """
    if not end or "modules" not in end:
        return ["it carries no stamp"]
    whole = "sequester.cli" in end["modules"]  # of a step that starts processes
    ran_there = [sources[m] for m, d in end["modules"].items() if m in sources and not d.endswith(" ")]
    used = set[str]().union(*map(_imported, ran_there))
    changed = [
        m
        for m, d in end["modules"].items()
        if (m not in sources or not fits(d, sources[m]))
        and (not d.endswith(" ") or (m in used and d[0] not in (RULE, SECOND)))
        and (whole or not m.startswith(NO_FIGURES))
    ]
    if (
        changed
        and step
        and not whole
        and end["source"] == source
        and not _reached(changed, step, end["modules"], sources)
    ):
        changed = []
    other = [f for f, d in end["data"].items() if _place(f, data).exists() and _digest_of(f, data) != d]
    why = ["its own code has changed"] if end["source"] != source else []
    if changed:
        more = f" and {len(changed) - 2} more" if len(changed) > 2 else ""
        why.append(f"{len(changed)} of {len(end['modules'])} modules changed ({', '.join(changed[:2])}{more})")
    return why + [f"the data set {name} has changed" for name in other]


def _reached(
    changed: Sequence[str], step: Sequence[str], modules: Mapping[str, str], sources: Mapping[str, str]
) -> bool:
    """Whether a function of a module that changed ran, or something that ran reaches a name there.

    The way to a name leads over modules that did not change: over one that did, the answer is yes anyway.
    """
    ran_there = {m: _ran_of(m, modules[m], sources[m]) for m in modules if m in sources}
    if any(ran_there.get(m) != set() for m in changed):
        return True
    ran_in = {m: functions for m, functions in ran_there.items() if functions is not None}
    named = names_in_use(step, {m: sources[m] for m in ran_there}, ran_in)
    return any(named[m] for m in changed if m != PLATFORM)


def _ran_of(module: str, kept: str, source: str) -> set[str] | None:
    """The functions in what a stamp kept of a module: what is no constant and no class of it; None if all counts."""
    _, watched, names = kept.partition(" ")
    if not watched:
        return None
    functions = set(filter(None, names.split(","))) - _constants(source)
    return functions & set(MOVED) if module == PLATFORM else functions


def tables_of(page: str) -> str:
    """Checksum of the tables of a page: a page and a stamp that come from two branches do not fit."""
    lines = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    return hashlib.sha256(lines.encode()).hexdigest()[:10]


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
    modules = loaded_modules(step, sources)
    used = {m: sources[m] for m, kept in modules.items() if not kept.endswith(" ")}  # where something ran
    return {"modules": modules, "data": data_sets(step, used, data), "version": VERSION}

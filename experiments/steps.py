"""Running scripts that yield rows: one file of JSON lines each, resumable, and a page with table and chart.

A step is a module with `TITLE`, `run()` yielding JSON-ready dictionaries, and optionally

- `PAPER`, `NOTE` and `CHART` (`{"x": column, "y": column or columns, "color": column, "facet": column,
  "rows": {column: value}}`, with `"ordered": True` where names on x are steps, and a `"y_title"` where wanted),
- `tables(rows)`: what the page shows instead of all rows, as headings and their rows,
- `ALONE = True`: rows hold seconds, so nothing else may run beside it.

Every step runs in a process of its own. It is done when its file, or the stamp of its page, carries the checksums of
its code, of the neighbours it imports, of the modules of the library that it loaded and of its data (`stamps.py`); what
only dresses the page (title, note, chart, tables) does not count.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

from experiments import ran
from experiments.quoting import index
from experiments.stamps import (
    Stamps,
    end_line,
    library_sources,
    marked,
    misfits,
    tables_of,
    with_mark,
    without_mark,
)
from sequester.errors import nearest

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
PAGES = ROOT / "docs" / "results"
DATA = Path(os.environ.get("SEQUESTER_DATA", ROOT / ".." / "shared" / "data"))
NOT_STEPS = {"__init__", "__main__", "steps", "pages", "stamps", "quoting", "ran"}
DRESS = {"TITLE", "PAPER", "NOTE", "CHART", "tables"}
"""Names at the top of a step that change its page and never its rows."""
ROWS_KEPT = "its rows are there: the next run writes them"
UNKNOWN_SECONDS = 60.0
"""What a step is expected to take that nobody has timed."""


def steps(package: str) -> list[str]:
    """Names of the steps of a package that have a `run`."""
    names = sorted(p.stem for p in (ROOT / package).glob("*.py") if p.stem not in NOT_STEPS)
    return [n for n in names if "def run(" in (ROOT / package / f"{n}.py").read_text("utf-8")]


def runs_alone(package: str, name: str) -> bool:
    """Whether the step asks for an idle machine: benchmarks always do."""
    return package == "benchmarks" or any(
        line.startswith("ALONE = True") for line in _source(f"{package}.{name}").splitlines()
    )


def checksum(package: str, name: str) -> str:
    """Of the step's code and that of the modules beside it that it imports, directly or through others."""
    return hashlib.sha256(json.dumps(sorted(_neighbourhood(package, name).items())).encode()).hexdigest()


def _neighbourhood(package: str, name: str) -> dict[str, str]:
    """A step and the modules beside it that it imports, without what only dresses pages."""
    seen: dict[str, str] = {}
    waiting = [f"{package}.{name}"]
    while waiting:
        module = waiting.pop()
        if module not in seen:
            tree = ast.parse(_source(module))
            tree.body = [node for node in tree.body if not _names(node) & DRESS][bool(ast.get_docstring(tree)) :]
            seen[module] = ast.dump(tree)
            waiting += [m for m in _imports(tree) if _is_neighbour(m, package)]
    return seen


def _source(module: str) -> str:
    return (ROOT / f"{module.replace('.', '/')}.py").read_text("utf-8")


def _names(node: ast.stmt) -> set[str]:
    """What a statement at the top of a module defines."""
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {t.id for t in targets if isinstance(t, ast.Name)}


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{a.name}" for a in node.names)


def _is_neighbour(module: str, package: str) -> bool:
    """A file of this package or of the experiments, except the machinery that runs steps and shows them."""
    parts = module.split(".")
    inside = len(parts) == 2 and parts[0] in (package, "experiments", "benchmarks") and parts[1] not in NOT_STEPS
    return inside and (ROOT / parts[0] / f"{parts[1]}.py").exists()


def finished_rows(package: str, name: str) -> list[dict[str, Any]] | None:
    """Rows of an earlier run of the same source, or None."""
    lines, done = _lines(package, name)
    return lines if "modules" in done and done.get("source") == checksum(package, name) else None


def end_of(package: str, name: str) -> dict[str, Any]:
    """The last line of a finished step: seconds and what its stamp is made of."""
    return _lines(package, name)[1]


def stale(package: str) -> dict[str, list[str]]:
    """The steps whose page does not fit the sources and the data any more, and why."""
    stamps, sources = Stamps(PAGES / "stamps.json"), library_sources()
    out = {}
    for name in steps(package):
        own = checksum(package, name)
        step = [_source(m) for m in _neighbourhood(package, name)]
        why = misfits(stamps.pages.get(name), own, sources, DATA, step)
        path = PAGES / f"{name}.md"
        if not path.exists():
            why = ["it was never printed"]
        elif not why and stamps.pages[name].get("tables", "") not in ("", tables_of(path.read_text("utf-8"))):
            why = ["its tables are not the printed ones"]
        if why:
            kept = not misfits(end_of(package, name), own, sources, DATA, step)
            out[name] = [*why, ROWS_KEPT] if kept else why
    return out


def mark(package: str) -> None:
    """Write into every stale page that it is one, and into no other."""
    old = stale(package)
    for name in steps(package):
        path = PAGES / f"{name}.md"
        if path.exists():
            text = path.read_text("utf-8")
            again = f"python -m {package} {name}"
            path.write_text(with_mark(text, again) if name in old else without_mark(text), "utf-8")


def _lines(package: str, name: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    path = RESULTS / package / f"{name}.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    return (lines[:-1], lines[-1]) if lines and "finished" in lines[-1] else (lines, {})


def perform(package: str, name: str) -> Iterator[dict[str, Any]]:
    """Run one step, writing each row as it comes."""
    own, sources = checksum(package, name), library_sources()  # of what runs now, whatever is edited meanwhile
    step = [_source(m) for m in _neighbourhood(package, name)]
    module = import_module(f"{package}.{name}")
    path = RESULTS / package / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    with path.open("w", encoding="utf-8") as file:
        for row in module.run():
            line = json.dumps(row, ensure_ascii=False, default=_plain)
            file.write(line + "\n")
            file.flush()
            yield json.loads(line)
        end = {"finished": True, "source": own, "seconds": round(time.monotonic() - begun, 1)}
        file.write(json.dumps(end | end_line(step, sources, DATA)) + "\n")


def command(package: str, words: list[str], at_once: int = 1) -> int:
    """What `python -m PACKAGE WORDS` does; returns its exit code."""
    from experiments.pages import write_pages

    if {"--help", "-h"} & set(words):
        print(usage(package))
        return 0
    known = {*steps(package), "--again", "--stale", "--mark", "--index"}
    for word in words:
        if word not in known:
            close = nearest(word, sorted(known))
            hint = f" Did you mean {close}?" if close else ""
            print(f"{package}: there is no step {word}.{hint} python -m {package} --help lists all.", file=sys.stderr)
            return 2
    if "--index" in words:
        (PAGES / "index.md").write_text(index(PAGES), "utf-8")
        return 0
    if "--stale" in words or "--mark" in words:
        return _tell_stale(package, "--mark" in words)
    failed = main(package, [w for w in words if w != "--again"], "--again" in words, at_once)
    write_pages(package)
    return 1 if failed else 0


def _tell_stale(package: str, marking: bool) -> int:
    """List the stale pages, and mark them if asked to; 1 if there are any."""
    if marking:
        mark(package)
    old = stale(package)
    for name, why in old.items():
        path = PAGES / f"{name}.md"
        print(f"{name}: {'; '.join(why)}{' (marked)' if path.exists() and marked(path.read_text('utf-8')) else ''}")
    return 1 if old else 0


def usage(package: str) -> str:
    """How to call a package, and its steps with their titles."""
    names = steps(package)
    wide = max(map(len, names), default=0)
    return "\n".join(
        [
            f"python -m {package} [STEP…] [--again | --stale [--mark] | --index]",
            "",
            "Runs the steps whose page is stale, all of them unless some are named, prints their rows and writes the",
            "result pages. --again runs them although their page fits. --stale lists the pages that do not fit the",
            "sources or the data any more, and why; --mark also writes so below their titles. --index writes the",
            "summary with the numbers of the pages.",
            "",
            *(f"  {name:<{wide}}  {title(package, name)}".rstrip() for name in names),
        ]
    )


def title(package: str, name: str) -> str:
    """The title of a step, read from its source: importing it may take seconds."""
    for node in ast.parse(_source(f"{package}.{name}")).body:
        if isinstance(node, ast.Assign) and "TITLE" in _names(node) and isinstance(node.value, ast.Constant):
            return str(node.value.value)
    return ""


def main(package: str, chosen: list[str], again: bool, at_once: int = 1) -> int:
    """Run all steps or the chosen ones; what is done already is skipped. Returns the number of failures.

    Up to `at_once` steps run beside each other; those that measure time run afterwards, one by one.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    names = chosen or steps(package)
    old = stale(package)
    todo = [n for n in names if again or (n in old and ROWS_KEPT not in old[n])]
    stamps = Stamps(PAGES / "stamps.json").pages
    expected = {n: float(stamps.get(n, {}).get("seconds") or UNKNOWN_SECONDS) for n in todo}
    alone = [n for n in todo if runs_alone(package, n)]
    failures = 0
    one_line, running = Lock(), dict[str, None]()
    usual = sum(seconds for n, seconds in expected.items() if n not in alone) / at_once
    usual += sum(expected[n] for n in alone)
    print(f"{package}: {len(todo)} of {len(names)} steps to run, about {usual / 60:.0f} minutes", file=sys.stderr)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(package, total=sum(expected.values()))

        def one(name: str) -> bool:
            running[name] = None
            bar.update(task, description=f"{package}: {', '.join(running)}")
            well = _apart(package, name, one_line)
            del running[name]
            bar.update(task, advance=expected[name], description=f"{package}: {', '.join(running)}")
            return well

        for part, beside in (([n for n in todo if n not in alone], at_once), (alone, 1)):
            with ThreadPoolExecutor(beside) as pool:
                failures += sum(not well for well in pool.map(one, part))
    for name in todo:
        print(f"{package} {name}: {end_of(package, name).get('seconds', '?')} s", file=sys.stderr)
    return failures


def _apart(package: str, name: str, one_line: Lock) -> bool:
    """One step in a process of its own, its rows printed as they come; whether it went well."""
    command = [sys.executable, "-m", "experiments.steps", package, name, str(ROOT), str(RESULTS)]
    more = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=os.environ | more) as step:
        for line in step.stdout or ():
            with one_line:
                print(line, end="", flush=True)
    if step.returncode < 0:  # killed: it could not tell itself
        print(json.dumps({"step": name, "failed": f"ended by signal {-step.returncode}"}), flush=True)
    return step.returncode == 0


def _alone(package: str, name: str) -> int:
    """The other side of `_apart`."""
    try:
        for row in perform(package, name):
            print(json.dumps({"step": name, **row}, ensure_ascii=False), flush=True)
    except Exception as error:  # one broken step must not hide the others
        print(json.dumps({"step": name, "failed": f"{type(error).__name__}: {error}"}), flush=True)
        return 1
    return 0


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value.tolist()


if __name__ == "__main__":
    ROOT, RESULTS = Path(sys.argv[3]), Path(sys.argv[4])
    if not runs_alone(sys.argv[1], sys.argv[2]):  # what measures time runs as it is, and rests on whole modules
        ran.watch()
    sys.exit(_alone(sys.argv[1], sys.argv[2]))

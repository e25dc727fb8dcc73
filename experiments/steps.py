"""Running scripts that yield rows: one file of JSON lines each, resumable, and a page with table and chart.

A step is a module with `TITLE`, `run()` yielding JSON-ready dictionaries, and optionally `PAPER`, `NOTE` and `CHART`
(`{"x": column, "y": column or columns, "color": column, "facet": column, "rows": {column: value}}`, and `"x_type":
"ordinal"` or a `"y_title"` where wanted). A step is done when its file ends with a line that carries the checksum of
the module; a changed module runs again.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
DATA = Path(os.environ.get("SEQUESTER_DATA", ROOT / ".." / "shared" / "data"))
NOT_STEPS = {"__init__", "__main__", "steps", "pages"}


def steps(package: str) -> list[str]:
    """Names of the steps of a package that have a `run`."""
    names = sorted(p.stem for p in (ROOT / package).glob("*.py") if p.stem not in NOT_STEPS)
    return [n for n in names if "def run(" in (ROOT / package / f"{n}.py").read_text("utf-8")]


def checksum(module: ModuleType) -> str:
    """Of the step's own source."""
    return hashlib.sha256(Path(str(module.__file__)).read_bytes()).hexdigest()


def finished_rows(package: str, name: str) -> list[dict[str, Any]] | None:
    """Rows of an earlier run of the same source, or None."""
    path = RESULTS / package / f"{name}.jsonl"
    if not path.exists():
        return None
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    done = lines.pop() if lines and "finished" in lines[-1] else {}
    return lines if done.get("source") == checksum(import_module(f"{package}.{name}")) else None


def perform(package: str, name: str) -> Iterator[dict[str, Any]]:
    """Run one step, writing each row as it comes."""
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
        end = {"finished": True, "source": checksum(module), "seconds": round(time.monotonic() - begun, 1)}
        file.write(json.dumps(end) + "\n")


def main(package: str, chosen: list[str], again: bool) -> int:
    """Run all steps or the chosen ones; what is done already is skipped. Returns the number of failures."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    known = steps(package)
    unknown = [c for c in chosen if c not in known]
    if unknown:
        print(f"no step {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return len(unknown)
    failures = 0
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(package, total=len(chosen or known))
        for name in chosen or known:
            bar.update(task, description=f"{package}: {name}")
            if again or finished_rows(package, name) is None:
                try:
                    for row in perform(package, name):
                        print(json.dumps({"step": name, **row}, ensure_ascii=False), flush=True)
                except Exception as error:  # one broken step must not hide the others
                    failures += 1
                    print(json.dumps({"step": name, "failed": f"{type(error).__name__}: {error}"}), flush=True)
            bar.advance(task)
    return failures


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value.tolist()

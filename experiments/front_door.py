"""What `inspect` makes of sources as devices and hospitals export them: kind, people, columns, command, release."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import sequester as sq
from experiments import front_door_exports, front_door_heldout, front_door_sources
from experiments.front_door_writing import truth
from experiments.steps import DATA

TITLE = "The front door: what is this file?"
BENCH = DATA.parent / "inspect_bench"
"""Fifteen sources with truths by another hand; they lie beside the repository, not in it."""
RIGHT = ("kind", "people", "columns", "command", "sane")
SECONDS = 120
"""What a printed command may take."""


def judged(found: dict[str, Any], truth: dict[str, Any]) -> dict[str, bool]:
    """What is right in an answer."""
    kind, roles = found["kind"] or "none", found["roles"]
    asked = " ".join(found["choose"])
    used = {*roles.values(), *roles.get("quasi", "").split(",")}
    none = kind == "none" and "none" in truth["kinds"]
    who = roles.get("person", "") in truth["person"] and (not truth["ask"] or "whose" in asked or "a person" in asked)
    columns = all(roles.get(r) in names for r, names in truth["roles"].items()) and not used & set(truth["never"])
    return {
        "kind": kind in truth["kinds"], "people": none or who, "columns": none or columns,
        "command": truth["run"] is None or bool(found["command"]) == truth["run"],
    }  # fmt: skip


def unwanted(bundle: Path, kind: str, identifiers: set[str]) -> str:
    """Why nobody would want a release, from the released tables alone; nothing where there is no such reason."""
    tables = {f.stem: pq.read_table(f) for f in (bundle / "data").rglob("*.parquet")}
    words = {n for t in tables.values() for n in t.column_names}
    for t in tables.values():
        words |= {
            str(v) for c in t.column_names if "string" in str(t.schema.field(c).type) and c != "document"
            for v in t[c].unique().to_pylist()
        }  # fmt: skip
    if identifiers & words:
        return "identifiers"
    if kind == "activity" and "sequences" in tables:
        names = dict(zip(tables["states"]["code"].to_pylist(), tables["states"]["name"].to_pylist(), strict=True))
        seen = Counter(names.get(c, "missing") for row in tables["sequences"]["states"].to_pylist() for c in row)
        lacking = seen.pop("missing", 0)
        if lacking > sum(seen.values()):
            return "mostly missing"
        return "one state" if max(seen.values()) > 0.95 * sum(seen.values()) else ""
    if kind == "events" and "events" in tables:
        states = Counter(tables["events"]["state"].to_pylist())
        n = sum(states.values())
        return (
            "no events" if not n else "mostly OTHER" if 2 * states["OTHER"] > n
            else "one state" if max(states.values()) > 0.95 * n
            else "states like identifiers" if n > 50 and 2 * len(states) > n else ""
        )  # fmt: skip
    if kind == "series" and "records" in tables:
        return "few times" if sum(c.endswith("_lo") for c in tables["records"].column_names) < 3 else ""
    return "no grams" if kind == "symbols" and not tables["ngrams"].num_rows else ""


def _inspected(source: Path, answer: Any) -> None:
    """In a process of its own: the answer, seconds of processor time, and the most memory it held."""
    began = time.process_time()
    os.chdir(source.parent)
    try:
        found = sq.inspect(source.name)
        said = {"kind": found.kind, "roles": found.roles, "choose": found.choose, "command": found.command,
                "why": found.why, "in_the_way": found.in_the_way}  # fmt: skip
    except sq.SequesterError as error:
        said = {"kind": "refused", "roles": {}, "choose": (), "command": "", "why": str(error), "in_the_way": ""}
    answer.send((said, time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024))


def looked_at(make: Callable[[Path], str], true: dict[str, Any], *, publish: bool = True) -> dict[str, Any]:
    """One source: made, inspected, and the printed command run as it was printed."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / make(Path(folder))
        mine, theirs = multiprocessing.get_context("fork").Pipe()
        child = multiprocessing.get_context("fork").Process(target=_inspected, args=(source, theirs))
        child.start()
        theirs.close()
        found, cpu, peak = mine.recv()
        child.join()
        right = judged(found, true)
        why = "" if found["command"] else found["in_the_way"] or found["why"]
        sane = right["kind"] and true["run"] is not True
        if found["command"] and publish:
            why = _published(Path(folder), found, true, source)
            sane = not why and right["kind"] and right["columns"] and true["run"] is not False
        return {**right, "sane": sane, "cpu_seconds": cpu, "peak_mb": peak, "found": found, "why": why}


def _published(folder: Path, found: dict[str, Any], true: dict[str, Any], source: Path) -> str:
    """What is wrong with the release of the printed command; nothing where nothing is."""
    words = shlex.split(found["command"])
    run = subprocess.run(
        [sys.executable, "-m", "sequester", *words[1:]], cwd=folder, capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip
    if run.returncode:
        return f"exit {run.returncode}: {(run.stderr.strip() or run.stdout.strip())[-200:]}"
    person = found["roles"].get("person", "")
    ids = {p.stem for p in source.rglob("*") if p.is_file()} if source.is_dir() else set()
    if source.is_file() and person and found["kind"] != "series":
        text = source.read_bytes().decode("latin-1")
        ids |= {cell.strip('"') for line in text.splitlines()[1:] for cell in line.split(",")[:2] if len(cell) > 5}
        ids = {i for i in ids if (any(ch.isdigit() for ch in i) and not i[:4].isdigit()) or "-" in i[8:9]}
    return unwanted(folder / words[words.index("--out") + 1], found["kind"], ids)


def sections() -> dict[str, dict[Callable[[Path], str], dict[str, Any]]]:
    """Sources and truths by who wrote them when."""
    out = {"tuned on": front_door_sources.TRUTHS, "held out": front_door_heldout.TRUTHS}
    out["held out again"] = front_door_exports.TRUTHS
    if BENCH.exists():
        spec = importlib.util.spec_from_file_location("open_cases", BENCH / "open_cases.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        cases = module.CASES if isinstance(module.CASES, dict) else {f.__name__: f for f in module.CASES}
        truths = json.loads((BENCH / "truths_open.json").read_text("utf-8"))
        wanted = {"run": True, "none": False}
        out["by another hand"] = {
            cases[n]: truth("/".join(t["kinds"]), "/".join(t["person"]), ask=t["ask_person"], never=t["never"],
                            run=wanted.get(t["proposal"])) | {"roles": t["roles"]}
            for n, t in truths.items()
        }  # fmt: skip
    return out


def run() -> Iterator[dict[str, Any]]:
    """A row per source."""
    for section, truths in sections().items():
        for make, true in truths.items():
            found = looked_at(make, true)
            del found["found"], found["why"]
            yield {"section": section, "source": make.__name__, "is": "/".join(true["kinds"]), **found}

"""What `inspect` makes of sources as devices and hospitals export them: kind, people, columns, command, time."""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sequester as sq
from experiments import front_door_heldout, front_door_sources

TITLE = "The front door: what is this file?"
NOTE = """Made-up sources in the shapes of documented exports, written by the hand that wrote the recognisers: a door
that knows these need not know others. `kind`: the kind of data is right, or rightly none. `people`: the column, file
or folder is right, and asked about where only the custodian can say. `columns`: every role is right and nothing that
counts or identifies plays one. `command`: one is printed where it can be, and it was read on a sample before; none is
printed where it cannot. Each source is inspected by a process of its own. The section *held out* was written afterwards
and run before anything was tuned to it. At that first try 32 of 37 kinds were right, 32 people, 32 sets of columns and
30 commands, and 25 sources got a sane release from the printed command, or rightly none. What failed was then mended in
general, so the figures below are no longer those of an untouched sample."""


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
        "command": bool(found["command"]) == truth["run"],
    }  # fmt: skip


def _inspected(source: Path, answer: Any) -> None:
    """In a process of its own: the answer, seconds of processor time, and the most memory it held."""
    began = time.process_time()
    found = sq.inspect(source)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = {"kind": found.kind, "roles": found.roles, "choose": found.choose, "command": found.command}
    answer.send((told, time.process_time() - began, peak))


def run() -> Iterator[dict[str, Any]]:
    """A row per source."""
    context = multiprocessing.get_context("fork")
    sections = {"tuned on": front_door_sources.TRUTHS, "held out": front_door_heldout.TRUTHS}
    every = [(section, *pair) for section, truths in sections.items() for pair in truths.items()]
    for section, make, truth in every:
        with tempfile.TemporaryDirectory() as folder:
            mine, theirs = context.Pipe()
            child = context.Process(target=_inspected, args=(Path(folder) / make(Path(folder)), theirs))
            child.start()
            found, cpu, peak = mine.recv()
            child.join()
            yield {
                "section": section, "source": make.__name__, "is": "/".join(truth["kinds"]), **judged(found, truth),
                "cpu_seconds": cpu,
                "peak_mb": peak,
            }  # fmt: skip


def tables(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The sums, and every source."""
    sums = []
    for section in dict.fromkeys(r["section"] for r in rows):
        mine = [r for r in rows if r["section"] == section]
        counts = {n: sum(r[n] for r in mine) for n in ("kind", "people", "columns", "command")}
        most = {f"most_{n}": max(r[n] for r in mine) for n in ("cpu_seconds", "peak_mb")}
        sums.append({"section": section, "sources": len(mine), **counts, **most})
    said = [{k: ("yes" if v else "NO") if isinstance(v, bool) else v for k, v in r.items()} for r in rows]
    return {"All": sums, "Every source": said}

"""Kills, races, failing disks, damaged inputs and forged bundles, counted on this edition.

Work is done in pieces, each in a process of its own and kept below `results/faults`, so that a run can be ended and
taken up again: `python -m experiments.faults kills` does the missing pieces of one sort. A piece of another state of
the program counts as missing, and one that found something bad is not kept: it is done again once the fault is mended.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from experiments.fault_forgeries import METHODS
from experiments.fault_fuzz import GROUPS
from experiments.fault_publications import KINDS
from experiments.stamps import library_sources
from experiments.steps import RESULTS, checksum

TITLE = "Kills, races, failing disks, damaged inputs and forgeries"
NOTE = """*bad* must be 0 in every row: half a bundle, a lost custodian's folder, a release that lies there and was not
charged or was charged and does not lie there, files that stay behind, an error that is no sentence of ours, a sentence
that is not true, a process that hangs, a next run that is refused, a cell on the screen, a forgery that `verify`
confirms although it breaks the promise. A whole run has 1,000 kills, 100 races, 200 failing disks and 100,000 damaged
inputs, 5,000 of each of twenty sorts; *cases* says how many of them are done, *of these* what else was counted.

Publications are those of small sources, in copies of a process that has loaded everything and read the source: reading
and measures of use write nothing. They are killed at random moments, most of them late, or at a step on the disk,
chosen evenly among all that a publication makes in its folder (about 150). *whole commands* are processes of their own
that read and measure too. After every kill the bundle, the custodian's folder and the account are looked at; after
every fifth the same is published again. Forgeries that nobody can see are in [limits](../limits.md).

Earlier runs found, and led to mend: a stop while the account's key was written left a file behind; a folder of damaged
Parquet files, a name and a question that are no text, and a grade that no bundle has ended in errors of libraries; so
did a zero byte in a name and a negative seed of a sample; a page or table that the disk did not give back was called a
broken promise. All pieces are of one state of the program."""
BAD = ("half_bundles", "lost_private", "not_charged", "charged_for_nothing", "leftovers", "foreign_errors",
       "untrue_words", "hung", "wrong_number_written", "next_run_refused", "cells_let_out", "too_long",
       "confirmed")  # fmt: skip
PLACE = RESULTS / "faults"
SECONDS = 1500
"""After these a piece counts as hung."""


class Piece(NamedTuple):
    """Some cases of one sort."""

    sort: str
    kind: str
    n: int
    seed: int

    @property
    def module(self) -> str:
        """Who does it."""
        return {"fuzz": "fault_fuzz", "forgeries": "fault_forgeries"}.get(self.sort, "fault_runs")


def pieces() -> list[Piece]:
    """All that is to be done, some of every sort by turns."""
    rounds = [[Piece("forgeries", method, 0, 0) for method in METHODS]]
    for seed in range(4):
        for sort, n, times in (("kills", 100, 2), ("disk faults", 40, 1), ("races", 20, 1)):
            rounds.append([Piece(sort, kind, n, seed) for kind in KINDS if seed < times])
        rounds.append([Piece("fuzz", group, 1250, seed) for group in GROUPS])
    return [piece for one in rounds for piece in one]


def kept(piece: Piece) -> Counter[str] | None:
    """What a piece of the same program found in an earlier run."""
    path, about = _place(piece)
    if not path.exists():
        return None
    found = json.loads(path.read_text("utf-8"))
    return Counter(found["found"]) if found["about"] == about else None


def _place(piece: Piece) -> tuple[Path, list[Any]]:
    name = re.sub("[^a-z0-9]+", "-", f"{piece.sort} {piece.kind} {piece.seed}".lower())
    return PLACE / f"{name}.json", [checksum("experiments", piece.module), _program(), piece.n]


@cache
def _program() -> str:
    """Checksum of the library and of what the tests lend."""
    return hashlib.sha256(json.dumps(library_sources()).encode()).hexdigest()


def done(piece: Piece) -> Counter[str]:
    """Do a piece, and keep what it found unless something was bad."""
    path, about = _place(piece)
    command = [sys.executable, "-m", f"experiments.{piece.module}", piece.sort, piece.kind, str(piece.n),
               str(piece.seed)]  # fmt: skip
    try:
        ended = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, encoding="utf-8", timeout=SECONDS, check=True
        )
        found = Counter(json.loads(ended.stdout.splitlines()[-1]))
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return Counter({"hung": 1})
    if not bad(found):
        PLACE.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"about": about, "found": found}), "utf-8")
    return found


def bad(found: Counter[str]) -> int:
    """How many things were found that must never be."""
    return sum(found[name] for name in BAD)


def run() -> Iterator[dict[str, Any]]:
    """A row per sort and kind, and the sums; of what was done by the time that `SEQUESTER_FAULTS_MINUTES` allows."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    until = time.monotonic() + 60 * float(os.environ.get("SEQUESTER_FAULTS_MINUTES", "inf"))
    for piece in pieces():
        found = kept(piece) or (done(piece) if time.monotonic() < until else None)
        if found is None:
            continue
        for key in ((piece.sort, piece.kind), (piece.sort, "all")):
            rows.setdefault(key, Counter()).update(found)
    for (sort, kind), found in sorted(rows.items(), key=lambda r: (r[0][1] != "all", r[0])):
        others = {k: v for k, v in sorted(found.items()) if k not in BAD and k != "done" and v}
        wrong = {k: found[k] for k in BAD if found[k]}
        yield {"sort": sort, "of": kind, "cases": found["done"], "bad": bad(found),
               "of these": ", ".join(f"{v:,} {k}" for k, v in {**others, **wrong}.items())}  # fmt: skip


def _some(words: list[str]) -> None:
    """Do the pieces whose sort or kind was named, and say what each found."""
    until = time.monotonic() + 60 * float(os.environ.get("SEQUESTER_FAULTS_MINUTES", "inf"))
    for piece in pieces():
        if set(words) <= {piece.sort, piece.kind} and time.monotonic() < until:
            print(*piece, json.dumps(kept(piece) or done(piece)), flush=True)


if __name__ == "__main__":
    _some(sys.argv[1:])

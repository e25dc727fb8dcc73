"""Does a method give the same tables alone and after all others, whoever compiled its kernels?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

TITLE = "Seeded tables, alone and after all other methods"
NOTE = """Every method first runs alone, in a process of its own that compiles its kernels into one shared folder; then
all of them run in one process, in both orders, with what those processes left. `same` tells whether the tables of a
seed are equal, cell by cell, in all three runs."""

SOME = """
import hashlib, json, sys
import sequester as sq
from sequester.engines import Engine
from sequester.methods import method_class
for name in sys.argv[1:]:
    cls = method_class(name)
    release = sq.anonymize(sq.sample(cls.accepts.kind, seed=1), cls(**cls.example), seed=7, engine=Engine(threads=2))
    told = hashlib.sha256()
    for table in sorted(release.tables):
        told.update(f"{table} {release.tables[table].to_pydict()}".encode())
    print(json.dumps([name, told.hexdigest()]), flush=True)
"""


def tables(methods: Sequence[str], folder: Path) -> dict[str, str]:
    """A hash of every method's tables, all made in one process."""
    done = subprocess.run(
        [sys.executable, "-c", SOME, *methods],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return dict(json.loads(line) for line in done.stdout.splitlines())


def compared(methods: Sequence[str]) -> dict[str, bool]:
    """Per method, whether its tables are the same alone and in both orders."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = {k: v for method in methods for k, v in tables([method], folder).items()}
        forth, back = tables(methods, folder), tables(methods[::-1], folder)
    return {method: alone[method] == forth[method] == back[method] for method in methods}


def run() -> Iterator[dict]:
    """One row per method."""
    from sequester.methods import METHODS

    for method, same in compared(list(METHODS)).items():
        yield {"bench": "kernel_order", "method": method, "same": same}


if __name__ == "__main__":
    for row in run():
        print(json.dumps(row), flush=True)

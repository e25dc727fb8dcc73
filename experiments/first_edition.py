"""Releases of the first edition, made by its own code from the repository's history, for comparisons with today's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import sequester as sq

COMMIT = "8ca55a7"
"""The last commit of the first edition."""
CHILD = """
import json, sys, time
from pathlib import Path
import numpy as np, pyarrow.parquet as pq
import sequester as sq
from sequester.model import EventLog
folder = Path(sys.argv[1])
told = json.loads((folder / "told.json").read_text())
a = np.load(folder / "log.npz")
log = EventLog(offsets=a["offsets"], states=a["states"], times=a["times"], state_names=tuple(told["names"]),
               time_unit=told["unit"])
method = {"markov-dp": sq.MarkovDP, "markov-ratio": sq.MarkovRatio}[told["method"]](**told["parameters"])
sq.anonymize(log, method, seed=99)  # compile
cpu = {}
for seed in told["seeds"]:
    begin = time.process_time()
    release = sq.anonymize(log, method, seed=seed)
    cpu[seed] = time.process_time() - begin
    pq.write_table(release.tables["events"], folder / f"{seed}.parquet")
(folder / "cpu.json").write_text(json.dumps(cpu))
"""


@contextmanager
def first_edition(folder: Path) -> Iterator[Path]:
    """A checkout of the first edition below a folder, removed at the end."""
    root, tree = Path(__file__).parents[1], folder / "first_edition"
    subprocess.run(["git", "worktree", "add", "--detach", str(tree), COMMIT], cwd=root, check=True, capture_output=True)
    try:
        yield tree
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=root, check=True, capture_output=True)


def releases(
    tree: Path, folder: Path, log: sq.EventLog, method: str, parameters: dict[str, Any], seeds: Sequence[int]
) -> tuple[list[pa.Table], float]:
    """Table `events` of every seed, and mean processor seconds."""
    import pyarrow.parquet as pq

    folder.mkdir()
    np.savez(folder / "log.npz", offsets=log.offsets, states=log.states, times=log.times)
    told = {"names": log.state_names, "unit": log.time_unit, "method": method, "parameters": parameters}
    (folder / "told.json").write_text(json.dumps(told | {"seeds": list(seeds)}), "utf-8")
    env = os.environ | {"PYTHONPATH": str(tree / "src")}
    subprocess.run([sys.executable, "-c", CHILD, str(folder)], cwd=folder, env=env, check=True)
    cpu = json.loads((folder / "cpu.json").read_text("utf-8"))
    return [pq.read_table(folder / f"{seed}.parquet") for seed in seeds], float(np.mean(list(cpu.values())))

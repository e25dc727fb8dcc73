"""Work in parts under kills: a worker, all workers, the driver, at random moments; what is found afterwards.

By hand, with another number of rounds: `python -m benchmarks.scale_kills 10` prints JSON lines.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.scale_killing import Ended, publish, watched, write_files

from sequester.accounts import open_account

TITLE = "Publishing in parts under kills"
NOTE = """A sample log of 4,000 people in 16 files is published on two Dask workers, on threads in the rows of the
driver. *equal*: every file of the bundle is that of a run without a kill, with the same seed. *wall* is to that run.
The driver is killed at two random noisy steps, then resumed: *drawn again* counts steps whose line in the file of noise
changed."""
ALONE = True
PEOPLE, FILES = 4000, 16
DASK = ("--by-file", "--engine", "dask", "--workers", "2")


def _files(bundle: Path) -> dict[str, bytes]:
    return {str(p.relative_to(bundle)): p.read_bytes() for p in bundle.rglob("*") if p.is_file()}


def _left(target: Path, scratch: Path) -> list[str]:
    return [p.name for p in (*target.parent.glob("*.bundle"), *scratch.glob("*"))]


def run(rounds: int = 3) -> Iterator[dict[str, Any]]:
    """One row per kill."""
    chance = random.Random()
    with tempfile.TemporaryDirectory() as place:
        source, scratch = write_files(Path(place) / "log", PEOPLE, FILES), Path(place) / "scratch"
        seeded = (*DASK, "--seed", "5", "--teaching-only")

        def once(name: str, *words: str, **how: Any) -> tuple[Ended, Path]:
            target = Path(place) / name / "log.bundle"
            target.parent.mkdir(exist_ok=True)
            return watched(publish(source, target, scratch, *words), target, **how), target

        calm, target = once("calm", *seeded)
        wanted, steps = _files(target), len(calm.noise) - 1
        yield {"case": "no kill", "exit": calm.code, "seconds": round(calm.seconds, 1), "steps": steps}
        for _ in range(rounds):
            at, wait = chance.randrange(1, steps), chance.uniform(0.0, 0.3)
            ended, target = once("worker", *seeded, kill="worker", at=at, wait=wait)
            yield {
                "case": "one worker killed", "after step": at, "exit": ended.code, "killed": ended.killed,
                "equal": str(ended.code == 0 and _files(target) == wanted), "seconds": round(ended.seconds, 1),
                "wall": round(ended.seconds / calm.seconds, 2),
            }  # fmt: skip
            shutil.rmtree(target.parent)
        ended, target = once("all", *seeded, kill="all", at=chance.randrange(1, steps))
        yield {
            "case": "all workers killed", "exit": ended.code, "killed": ended.killed,
            "said": ended.said.splitlines()[-1], "left behind": len(_left(target, scratch)),
            "seconds": round(ended.seconds, 1),
        }  # fmt: skip
        for _ in range(rounds):
            yield _driver(once, chance, steps, scratch)


def _driver(once: Any, chance: random.Random, steps: int, scratch: Path) -> dict[str, Any]:
    drawn: list[str] = []
    again = 0
    moments = sorted(chance.sample(range(1, steps), 2))
    for i, at in enumerate(moments):
        ended, target = once("driver", "--by-file", *(["--resume"] if i else []), kill="driver", at=at)
        kept = target.with_name(".log.bundle.noise").read_text("ascii").split("\n")[:-1]
        again += sum(a != b for a, b in zip(drawn, kept))
        drawn = kept
    ended, target = once("driver", "--by-file", "--resume")
    again += sum(a != b for a, b in zip(drawn, ended.noise))
    entries = open_account(target.parent).entries()
    row = {
        "case": "driver killed twice, resumed", "after step": " and ".join(map(str, moments)), "exit": ended.code,
        "drawn again": again, "charged": len(entries), "left behind": len(list(scratch.glob("*"))),
    }  # fmt: skip
    shutil.rmtree(target.parent)
    return row


if __name__ == "__main__":
    for row in run(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
        print(json.dumps(row), flush=True)

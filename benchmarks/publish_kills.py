"""Kills and races during publication: what is found afterwards, in counts.

By hand, with another number of rounds: `python -m benchmarks.publish_kills 1000` prints JSON lines.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator

from tests.killing import kills, races

TITLE = "Publishing under kills and races"
NOTE = """A toy release is published by a process of its own, with pauses of 20 ms before the flush, before each swap
and before the stage is removed. *Kills* ends it at a random moment while it replaces another bundle or, in every fourth
round, while it writes the first. *whole*: the bundle verifies and a reader finds the custodian's folder that belongs to
it. *nothing*: there was no bundle before, or, only where two names cannot be exchanged at once, the old one waits in
the stage for the next writer. Then a second process publishes and must leave both folders whole and nothing else."""
ALONE = True


def run(rounds: int = 200) -> Iterator[dict]:
    """One row per case."""
    few = max(1, rounds // 4)
    cases = {
        "kills": lambda: kills(rounds),
        "kills, names not exchanged at once": lambda: kills(rounds, seed=1, exchange=False),
        "requests to end (SIGTERM)": lambda: kills(few, seed=2, sent=signal.SIGTERM),
        "three writers": lambda: races(few),
        "three writers that may overwrite": lambda: races(few, overwrite=True),
        "three writers with equal process ids": lambda: races(few, overwrite=True, pid=7),
    }
    for case, count in cases.items():
        for found, times in sorted(count().items()):
            yield {"case": case, "found": found, "times": times}


if __name__ == "__main__":
    for row in run(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
        print(json.dumps(row), flush=True)

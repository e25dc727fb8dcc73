"""Does it scale: 100,000 people, twice the people, and memory that stays near the matrix itself?"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

TITLE = "Activity methods at 100,000 people x 10,080 minutes"
NOTE = (
    "Every row runs in a process of its own; peak is the largest resident memory beyond what the libraries need, in "
    "units of the input matrix. Targets: peak at most 3, twice the people at most 2.3 times the time."
)
CHILD = """
import json, sys, time
import numpy as np
import sequester as sq
from benchmarks.memory import peak_bytes
from sequester.samples.minutes import minutes
n, days, options = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
method = sq.MCKA(**options)
sq.anonymize(minutes(n_people=60, days=2), method, seed=1)
idle = peak_bytes()
data = minutes(n_people=n, days=days, threads=2)
begun, used = time.perf_counter(), time.process_time()
release = sq.anonymize(data, method, seed=1)
seconds, cpu = time.perf_counter() - begun, time.process_time() - used
peak = peak_bytes()
print(json.dumps({"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2),
                  "peak": round((peak - idle) / data.states.nbytes, 2),
                  "people": len(release.tables["sequences"])}))
"""


def child(n: int, days: int, options: dict[str, Any]) -> dict[str, Any]:
    """One run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(n), str(days), json.dumps(options)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def run() -> Iterator[dict[str, Any]]:
    """Rows of seconds, memory and growth."""
    printed, best = {"k": 5, "literal": True}, {"k": 5}
    for name, options in (("as printed", printed), ("default", best)):
        seen = child(9800, 14, options)
        yield {"bench": "activity_scale", "what": f"mcka {name}, 14 days", "n": 9800, **seen, "target_peak": 3.0}
    earlier = 0.0
    for n in (12_500, 25_000, 50_000, 100_000):
        seen = child(n, 7, printed)
        growth = round(seen["cpu_seconds"] / earlier, 2) if earlier else None
        earlier = seen["cpu_seconds"]
        yield {"bench": "activity_scale", "what": "mcka as printed, 7 days", "n": n, **seen, "growth": growth}
    seen = child(100_000, 7, best)
    yield {"bench": "activity_scale", "what": "mcka default, 7 days", "n": 100_000, **seen}


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line), flush=True)

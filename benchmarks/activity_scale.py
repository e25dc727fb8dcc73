"""Does it scale: 100,000 people, twice the people, and memory that stays near the matrix itself?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.growth import exponent
from benchmarks.memory import apart, cost_of, resident

TITLE = "Activity methods at 100,000 people x 10,080 minutes"
NOTE = """Whole `anonymize`, compilation excluded, every row in a process of its own. `peak` is memory beyond the idle
process in units of the input matrix, which it includes. `ratio` is to one `numpy.copy` of the matrix in the same
process, in processor time. `exponent` is fitted over 12,500 to 100,000 people by least squares on processor time.
Limits: peak at most 3, exponent at most 1.2 (2.3 times the time for twice the people)."""
SIZES = (12_500, 25_000, 50_000, 100_000)


def one(n: int, days: int, literal: bool) -> dict[str, Any]:
    """One run; called in a process of its own."""
    import sequester as sq
    from sequester.samples.minutes import minutes

    method = sq.MCKA(k=5, literal=literal)
    sq.anonymize(minutes(n_people=60, days=2), method, seed=1)
    before = resident()
    data = minutes(n_people=n, days=days, threads=2)
    cost, release = cost_of(lambda: sq.anonymize(data, method, seed=1), before)
    people = len(release.tables["sequences"])
    del release
    copying = min(cost_of(data.states.copy)[0].cpu_seconds for _ in range(3))
    told = {"bench": "activity_scale", "what": f"mcka {'as printed' if literal else 'default'}, {days} days", "n": n}
    told |= cost.columns(data.states.nbytes) | {"ratio": round(cost.cpu_seconds / copying, 1), "people": people}
    return told | {"limit": 3.0, "met": told["peak"] <= 3.0}


def run() -> Iterator[dict[str, Any]]:
    """Rows of seconds and memory, then growth."""
    for literal in (True, False):
        yield apart("benchmarks.activity_scale", "one", n=9800, days=14, literal=literal)
    rows = []
    for n in SIZES:
        rows.append(apart("benchmarks.activity_scale", "one", n=n, days=7, literal=True))
        yield rows[-1]
    grown = exponent(SIZES, [r["cpu_seconds"] for r in rows])
    yield {"bench": "activity_scale", "what": "growth, as printed", "exponent": grown, "limit": 1.2,
           "met": grown <= 1.2}  # fmt: skip
    yield apart("benchmarks.activity_scale", "one", n=100_000, days=7, literal=False)


if __name__ == "__main__":
    import json

    for line in run():
        print(json.dumps(line), flush=True)

"""How long does activity-dp take, stage by stage, and how does it grow with people?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.growth import exponent
from benchmarks.memory import Cost, apart, cost_of, resident
from sequester.dp.ledger import Ledger
from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.methods.activity.activity_dp.calibrate import calibrate, draws, simulated
from sequester.methods.activity.activity_dp.kernels.calendar import calendar
from sequester.methods.activity.activity_dp.measure import measure
from sequester.methods.activity.activity_dp.model import first_model
from sequester.methods.activity.activity_dp.people import People
from sequester.samples.minutes import STATES, minutes

TITLE = "Speed of activity-dp"
NOTE = """Two weeks of minutes, every size in a process of its own, compilation excluded, noise from opendp. `ratio`
is to one `numpy.copy` of the matrix in the same process, in processor time; `peak` is memory beyond the idle process
in units of the matrix, which it includes. `exponent` is fitted over all sizes by least squares on processor time:
calibration works on a fixed number of simulated people and hardly grows. The stated limit is that of all activity
methods: peak at most 3, at the largest size."""
THREADS = 2
SIZES = (1250, 2500, 5000, 10_000)
CHART = {"x": "n", "y": "seconds", "color": "what", "scale": "log", "y_scale": "log"}


def run() -> Iterator[dict[str, Any]]:
    """Stages by size, then how each grew."""
    rows = []
    for n in SIZES:
        found = apart("benchmarks.activity_dp_speed", "stages", n=n)
        rows += found
        yield from found
    for what in ("measure", "calibrate", "simulate", "all"):
        grown = exponent(SIZES, [r["cpu_seconds"] for r in rows if r["what"] == what])
        yield {"bench": "activity_dp_speed", "what": f"growth: {what}", "exponent": grown}
    peak = rows[-1]["peak"]
    told = {"bench": "activity_dp_speed", "what": "memory, 10,000 people", "peak": peak}
    yield told | {"limit": 3.0, "met": peak <= 3.0}


def stages(n: int) -> list[dict[str, Any]]:
    """Cost of every stage for `n` people; called in a process of its own."""
    _costs(minutes(n_people=20, days=14), rounds=1)  # compiles
    before = resident()
    data = minutes(n_people=n, days=14, threads=THREADS)
    costs = _costs(data, rounds=5, before=before)
    copying = min(cost_of(data.states.copy)[0].cpu_seconds for _ in range(3))
    seconds, cpu, peaks = zip(*costs.values(), strict=True)
    costs["all"] = Cost(sum(seconds), sum(cpu), max(peaks))
    return [
        {"bench": "activity_dp_speed", "what": what, "n": n, **cost.columns(data.states.nbytes),
         "ratio": round(cost.cpu_seconds / copying, 1)}
        for what, cost in costs.items()
    ]  # fmt: skip


def _costs(data: Any, rounds: int, before: int | None = None) -> dict[str, Cost]:
    rng = Randomness()
    cal = calendar(data.states.shape[1], 60, data.start)
    ledger = Ledger.zcdp(epsilon=1.0, delta=1e-6)
    people = People(data, engine=Engine(threads=THREADS))
    out = {}
    out["measure"], released = cost_of(
        lambda: measure(people, len(STATES), cal, ledger=ledger, noise=rng.noise, missing=3),
        before,
    )
    out["calibrate"], model = cost_of(
        lambda: calibrate(
            first_model(released, cal, 3), released, generator=rng.secret, rounds=rounds, threads=THREADS
        ),
        before,
    )
    out["simulate"], _ = cost_of(
        lambda: simulated(model, draws(len(data.states), 14, len(model.chosen), rng.secret), THREADS), before
    )
    return out


if __name__ == "__main__":
    import json

    for line in run():
        print(json.dumps(line), flush=True)

"""How fast is (k,P)-anonymity, how does it grow, and what does the exact bound save over the plain scan?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from experiments import series_data

from benchmarks.growth import exponent
from benchmarks.memory import apart, cost_of, resident
from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.methods.series.kapra import Kapra
from sequester.methods.series.shared import subgroups as ways
from sequester.methods.series.shared.kernels import groups as kp_groups
from sequester.model import Series
from sequester.primitives.sax import z_normalize

TITLE = "(k,P)-anonymity: seconds, growth, and the exact bound against the full scan"
NOTE = """Whole `apply` with the released table, compilation excluded, one run each in a process of its own;
`cpu_seconds` (all threads) tells more than `seconds` when the machine is busy. `ratio` is to sorting the records by
all their values (`numpy.lexsort`) in the same process, of formation rows full scan / kd-tree in processor time,
groups identical. `peak` is memory beyond the idle process in units of the input. `exponent` is fitted over all sizes
of Uniform by least squares on processor time. `times literal`: processor time of the default over that of `literal` on
the same records. Limits: `literal` takes half a million records in a minute; the default takes at most 15 times as long
as `literal` at 100,000 records (at P = 3 and at P = k = 10) and grows with an exponent of at most 1.3. The
minute of `literal` is of the clock: with other work on both cores it took 105 s for 39 s of processor time."""
CHART = {"x": "n", "y": "cpu_seconds", "color": "what", "scale": "log", "y_scale": "log"}
SIZES = (25_000, 50_000, 100_000, 250_000, 500_000)


def one(data: str, n: int, p: int, pattern: str) -> dict[str, Any]:
    """One whole run; called in a process of its own."""
    method = Kapra(k=10, p=p, pattern=pattern)  # type: ignore[arg-type]
    small = Series(values=np.random.default_rng(0).random((400, 10)))
    method.apply(small, rng=Randomness(seed=1), engine=Engine())
    before = resident()
    series = {"Walk": series_data.walk, "Motion": series_data.motion}[data]() if n == 0 else series_data.uniform(n)
    values = np.asarray(series.values)
    begun = time.process_time()
    np.lexsort(values.T)
    sorting = time.process_time() - begun
    cost, _ = cost_of(lambda: method.apply(series, rng=Randomness(seed=1), engine=Engine()), before)
    told = {"bench": "series_kapra", "what": f"{pattern} on {data}", "n": len(values), "k": 10, "p": p}
    return told | cost.columns(values.nbytes) | {"ratio": round(cost.cpu_seconds / sorting, 1)}


def run() -> Iterator[dict[str, Any]]:
    """Patterns on two data sets, growth on white noise, formation alone."""
    settings = [("Walk", 3, w) for w in ("literal", "printed", "prototype")]
    settings += [("Motion", 10, w) for w in ("literal", "prototype")]
    for data, p, pattern in settings:
        if data == "Walk" or (series_data.DATA / "cmu_mocap").exists():
            yield apart("benchmarks.series_kapra", "one", data=data, n=0, p=p, pattern=pattern)
    literal = 1.0
    for pattern in ("literal", "prototype"):  # a pattern of as many people as a range: literal has least to do
        row = apart("benchmarks.series_kapra", "one", data="Uniform", n=100_000, p=10, pattern=pattern)
        if pattern == "prototype":
            row["times literal"] = round(row["cpu_seconds"] / literal, 1)
            row |= {"limit": "15 x literal", "met": row["times literal"] <= 15}
        literal = row["cpu_seconds"]
        yield row
    seconds: dict[str, list[float]] = {"literal": [], "prototype": []}
    for n in SIZES:
        for pattern in seconds:
            row = apart("benchmarks.series_kapra", "one", data="Uniform", n=n, p=3, pattern=pattern)
            seconds[pattern].append(row["cpu_seconds"])
            if pattern == "literal" and n == SIZES[-1]:
                row |= {"limit": "60 s", "met": row["seconds"] <= 60}
            if pattern == "prototype":
                row["times literal"] = round(row["cpu_seconds"] / seconds["literal"][-1], 1)
            if pattern == "prototype" and n == 100_000:
                row |= {"limit": "15 x literal", "met": row["times literal"] <= 15}
            yield row
    for pattern, cost in seconds.items():
        grown = exponent(list(SIZES), cost)
        row = {"bench": "series_kapra", "what": f"growth of {pattern}, {SIZES[0]:,} to {SIZES[-1]:,} records"}
        limit = {"limit": "exponent 1.3", "met": grown <= 1.3} if pattern == "prototype" else {}
        yield row | {"exponent": grown} | limit
    small = np.random.default_rng(0).random((400, 10))
    formation(small, 10, 3)  # compiles
    for n in (20_000, 50_000):
        yield formation(np.random.default_rng(0).random((n, 10)), 10, 3)


def formation(values: np.ndarray, k: int, p: int) -> dict[str, Any]:
    """Group formation alone: full scan against the kd-tree, groups compared."""
    found = ways.literal(values, z_normalize(values), p, 20, "consecutive")
    lo, hi, size = kp_groups.boxes(values, found.of, int(found.of.max()) + 1)
    order = kp_groups.by_value_loss(lo, hi, size)
    costs, groups = [], []
    for scan in (True, False):
        cost, formed = cost_of(lambda s=scan: kp_groups.form_groups(lo, hi, size, k, order=order, scan=s))
        costs.append(cost)
        groups.append(formed)
    told = {"bench": "series_kapra", "what": "formation, Uniform", "n": len(values), "k": k, "p": p}
    ratio = costs[0].cpu_seconds / max(costs[1].cpu_seconds, 1e-9)
    same = bool(np.array_equal(groups[0], groups[1]))
    more = {"ratio": round(ratio, 2), "identical": same}
    return told | {"seconds": round(costs[1].seconds, 3), "cpu_seconds": round(costs[1].cpu_seconds, 3)} | more


if __name__ == "__main__":
    import json

    for line in run():
        print(json.dumps(line), flush=True)

"""How far beyond the paper at the same (k,P): the options of kapra on data not used to choose them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sequester as sq
from experiments.series_data import motion, uniform, walk
from sequester.methods.series.kapra import Kapra

TITLE = "kapra beyond the paper: value and pattern loss against the literal procedure"
PAPER = "Shou et al. 2013"
NOTE = """k=10; changes in per cent against `literal`. `reference`: figures of an earlier prototype on the same kind
of data; no script here prints them. prototype at weight 1 and 6 counts shape .05 and .3. Every release is verified
beside the original. Nobody is suppressed but by `literal`."""
REFERENCE = {
    ("Walk 1", 5): ((-91, -52), (-64, -67)),
    ("Walk 2", 5): ((-90, -54), (-58, -69)),
    ("Walk 1", 3): ((-91, -60), (-68, -72)),
    ("Walk 2", 3): ((-90, -60), (-64, -72)),
    ("Motion 1", 5): ((-43, -93), (-43, -93)),
    ("Motion 2", 5): ((-48, -94), (-48, -94)),
    ("Motion 1", 3): ((-25, -91), (-25, -91)),
    ("Motion 2", 3): ((-28, -92), (-29, -92)),
    ("Uniform", 5): ((-12, -46), (-12, -50)),
    ("Uniform", 3): ((-5, -58), (-5, -61)),
}
WEIGHTS = (1.0, 6.0)


def run() -> Iterator[dict[str, Any]]:
    sets = {f"Walk {i}": walk(i) for i in (1, 2)} | {f"Motion {i}": motion(i) for i in (1, 2)}
    sets["Uniform"] = uniform(10_000, 1)
    for (name, p), known in REFERENCE.items():
        data = sets[name]
        base = losses(data, Kapra(k=10, p=p, pattern="literal", ends_step=0.0))
        yield {"data": name, "P": p, "method": "literal", "value loss": base[0], "pattern loss": base[1]}
        for weight, earlier in zip(WEIGHTS, known, strict=True):
            lost = losses(data, Kapra(k=10, p=p, weight=weight, ends_step=0.0))
            change = [round(100 * (mine / theirs - 1), 1) for mine, theirs in zip(lost, base, strict=True)]
            yield {
                "data": name, "P": p, "method": "prototype", "weight": weight,
                "value loss": lost[0], "pattern loss": lost[1], "value %": change[0], "pattern %": change[1],
                "reference value %": earlier[0], "reference pattern %": earlier[1],
            }  # fmt: skip


def tables(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Changes beside the reference."""
    columns = ("data", "P", "method", "weight", "value loss", "value %", "reference value %", "pattern loss",
               "pattern %", "reference pattern %")  # fmt: skip
    return {"Losses, and changes against `literal`": [{c: r.get(c) for c in columns} for r in rows]}


def losses(data: Any, method: Kapra) -> tuple[float, float]:
    """Mean value and pattern loss of a verified release."""
    release = sq.anonymize(data, method, seed=1)
    sq.verify(release, data).raise_if_broken()
    told = sq.measure(data, release, n_queries=0, n_targets=0)
    return told["value loss per record"], told["pattern loss per record"]


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row))

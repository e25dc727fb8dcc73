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
of data; no script here prints them. Weight .5 for own-word, 1 for own-word-paa; prototype at weight 1 and 6 counts
shape .05 and .3. Every release is verified beside the original. Beyond the prototype: short words are read back by
straight lines instead of steps, both starting orders of groups are refined, single records are exchanged, and nobody
is suppressed."""
REFERENCE: dict[tuple[str, int], tuple[Any, ...]] = {
    ("Walk 1", 5): ((-34, 3), (-81, -11), (-91, -52), (-64, -67)),
    ("Walk 2", 5): ((-36, 2), (-78, -13), (-90, -54), (-58, -69)),
    ("Walk 1", 3): ((-39, 5), (-81, -3), (-91, -60), (-68, -72)),
    ("Walk 2", 3): ((-39, 5), (-79, 0), (-90, -60), (-64, -72)),
    ("Motion 1", 5): ((-28, -54), None, (-43, -93), (-43, -93)),
    ("Motion 2", 5): ((-33, -60), None, (-48, -94), (-48, -94)),
    ("Motion 1", 3): ((-16, -66), None, (-25, -91), (-25, -91)),
    ("Motion 2", 3): ((-16, -68), None, (-28, -92), (-29, -92)),
    ("Uniform", 5): ((-5, 0), (-5, -13), (-12, -46), (-12, -50)),
    ("Uniform", 3): ((-3, 0), (-2, 12), (-5, -58), (-5, -61)),
}
WAYS = (("own-word", 0.5), ("own-word-paa", 1.0), ("prototype", 1.0), ("prototype", 6.0))


def run() -> Iterator[dict[str, Any]]:
    sets = {f"Walk {i}": walk(i) for i in (1, 2)} | {f"Motion {i}": motion(i) for i in (1, 2)}
    sets["Uniform"] = uniform(10_000, 1)
    for (name, p), known in REFERENCE.items():
        data = sets[name]
        base = losses(data, Kapra(k=10, p=p, pattern="literal", ends_step=0.0))
        yield {"data": name, "P": p, "method": "literal", "value loss": base[0], "pattern loss": base[1]}
        for (pattern, weight), earlier in zip(WAYS, known, strict=True):
            lost = losses(data, Kapra(k=10, p=p, pattern=pattern, weight=weight, ends_step=0.0))  # type: ignore[arg-type]
            change = [round(100 * (mine / theirs - 1), 1) for mine, theirs in zip(lost, base, strict=True)]
            yield {
                "data": name, "P": p, "method": pattern, "weight": weight,
                "value loss": lost[0], "pattern loss": lost[1], "value %": change[0], "pattern %": change[1],
                "reference value %": earlier[0] if earlier else None,
                "reference pattern %": earlier[1] if earlier else None,
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

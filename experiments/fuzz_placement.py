"""Periodic text for the published placement: does every visible run still have k owners?

Above the dense range lengths are visited on a grid, and text with a period shares with itself at a distance: a long
run can then be laid over a shorter one that lies inside it whole. The placement probes for that. This is the long form
of the test in the suite.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

TITLE = "Periodic text for the published placement"
NOTE = """Every case is a few documents made of slices of one pattern, placed with `dense` and `step` as the grid of
lengths, and every visible run is counted again by plain search. `broken` counts cases with a run that fewer than k
share and must be 0. Short periods use a small grid, so that they lie above its dense range; long periods use the grid
of the product. Without the probes in `placement._fits`, 17 of the 750 cases in the suite break."""
DENSE, STEP = 256, 1.05


class Case(NamedTuple):
    """Documents, whose they are (None: occurrences count), and how they are placed."""

    docs: list[str]
    owners: list[int] | None
    k: int
    min_length: int
    dense: int
    step: float


def short_period(seed: int) -> Case:
    """A period of 2 to 12 letters above the dense range of a small grid."""
    rng = random.Random(f"short {seed}")
    endless = "".join(rng.choice("abcd") for _ in range(rng.randint(2, 12))) * 44
    period = len(endless) // 44
    if rng.random() < 0.7:
        size, begin = rng.randint(3 * period // 2, 2 * period), rng.randint(period // 2, period)
        first = endless[: rng.randint(3 * period, 4 * period)]
        docs, owners = [f"{first}X{endless[begin : begin + size]}X"], None
    else:
        docs = [
            "".join(_slice(rng, endless, period) for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(1, 4))
        ]
        owners = rng.choice([None, None, list(range(len(docs)))])
    k = 2 if len(docs) == 1 else rng.choice([2, 3, 4])
    return Case(docs, owners, k, rng.choice([1, 1, 2, 4]), dense=3, step=rng.choice([1.3, 1.6]))


def _slice(rng: random.Random, endless: str, period: int) -> str:
    start, size = rng.randint(0, period * 3), rng.randint(1, 40)
    return endless[start : start + size] + rng.choice(["", "X", "Y", "XY"])


def long_period(seed: int) -> Case:
    """A period of some hundred letters, above the dense range of the product's own grid, laid out as in the case that
    was found first: three periods, and one and a half that begin inside."""
    rng = random.Random(f"long {seed}")
    period = rng.randint(257, 450)
    slack = rng.choice([0, 0, 2])
    size, begin, second = (round(x * period / 337) + rng.randint(-slack, slack) for x in (1070, 209, 524))
    endless = "".join(rng.choices("abcdefgh", k=period)) * 9
    return Case([f"{endless[:size]}X{endless[begin : begin + second]}X"], None, 2, 1, dense=DENSE, step=STEP)


def rare_runs(case: Case, shown: Sequence[str]) -> int:
    """Visible runs (hidden characters are stars) that are too short or that fewer than k share."""
    wrong = 0
    for run in {run for row in shown for run in re.findall(r"[^*]+", row)}:
        who = set()
        for d, row in enumerate(shown):
            at = row.find(run)
            while at >= 0:
                who.add((d, at) if case.owners is None else case.owners[d])
                at = row.find(run, at + 1)
        wrong += len(run) < case.min_length or len(who) < case.k
    return wrong


def placed(case: Case) -> list[str]:
    """The documents of a case as they would be published, hidden characters as stars."""
    from sequester.methods.text.shared.kernels import placement, repeats
    from sequester.methods.text.shared.kernels.text_index import Documents, TextIndex

    raw = [d.encode("ascii") for d in case.docs]
    offsets = np.cumsum([0] + [len(r) for r in raw])
    at = TextIndex.build(Documents(np.frombuffer(b"".join(raw), dtype=np.uint8), offsets))
    if case.owners is None:
        longest, owner = repeats.longest_by_occurrence(at.lcp, case.k), None
    else:
        owner = repeats.owner_of_rank(at.sa, at.ends, np.asarray(case.owners, dtype=np.int32))
        longest = repeats.longest_by_owner(at.lcp, owner, case.k)
    keep = placement.place_classes(
        at.unit, at.weight, at.solid, at.sa, at.lcp, longest, owner, case.k, case.min_length,
        dense=case.dense, step=case.step,
    )  # fmt: skip
    out = []
    for doc, end in zip(case.docs, at.ends.tolist()):
        out.append("".join(c if kept else "*" for c, kept in zip(doc, keep[end - len(doc) : end])))
    return out


def run(n_short: int = 10_000, n_long: int = 3_000) -> Iterator[dict]:
    """A row per kind of period."""
    for name, make, n in (("2 to 12 letters", short_period, n_short), ("260 to 420 letters", long_period, n_long)):
        broken = sum(rare_runs(case, placed(case)) > 0 for case in map(make, range(n)))
        yield {"experiment": "fuzz_placement", "period": name, "cases": n, "broken": broken}

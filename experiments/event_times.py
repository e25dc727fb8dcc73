"""Can a model that knows the time learn from synthetic event logs? Trained on a release, tested on other people."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sequester as sq
from experiments.event_logs import DATES, PEOPLE, event_log
from sequester.model.kind import take

TITLE = "Event logs: what a model learns from a release, tested on other people"
NOTE = """Seven tenths of the people make the release, the others test it. `tree` is the accuracy of a decision tree
(last three states, place, last gap, time since the start, hour, weekday) that was trained on the release; `next_gap`
the mean error of the next gap in logarithms of seconds. `tree_original` and `next_gap_original` are the same, trained
on the original people. Distances compare the release with the people it was made from. Rows marked private select
their states with noise and are scored after folding the original alike. The tables and the rule were developed on
Sepsis and BPIC 2011: the rows describe, they are no independent test. In BPIC 2011, a log of days, the rule leaves
the time model out; the number of
states is not declared, so length classes are left out."""
COLUMNS = (
    "directly_follows", "length", "gap", "hour", "month", "duration", "variants", "next_event", "tree", "tree_original",
    "next_gap", "next_gap_original", "unique_copy_rate", "named_events",
)  # fmt: skip


def halves(name: str) -> tuple[sq.EventLog, sq.EventLog]:
    """People who make the release, and people who test it."""
    log = event_log(name)
    order = np.random.default_rng(0).permutation(log.n_records)
    cut = int(0.7 * log.n_records)
    return take(log, np.sort(order[:cut])), take(log, np.sort(order[cut:]))


def run() -> Iterator[dict[str, Any]]:
    """Sepsis by budget, BPIC 2011 by budget, and the ensemble."""
    with tempfile.TemporaryDirectory() as folder:
        codebook = Path(folder) / "states.txt"
        codebook.write_text("\n".join(event_log("Sepsis").state_names), "utf-8")
        for epsilon, runs in ((1.0, 6), (4.0, 6), (8.0, 3)):
            yield _row("Sepsis", _strict("Sepsis", epsilon, codebook=str(codebook)), runs) | {"states": "code book"}
        for epsilon, runs in ((1.0, 6), (4.0, 3)):
            yield _row("Sepsis", _strict("Sepsis", epsilon), runs, fold=True) | {"states": "private"}
    yield _row("Sepsis", sq.MarkovRatio(epsilon=0.35), 3) | {"states": "as found"}
    for epsilon, runs in ((1.0, 2), (4.0, 2), (8.0, 2), (100.0, 1)):
        yield _row("BPIC 2011", _strict("BPIC 2011", epsilon), runs, fold=True) | {"states": "private"}


def _strict(name: str, epsilon: float, **more: Any) -> sq.Method:
    people = int(0.7 * PEOPLE[name])
    return sq.MarkovDP(epsilon=epsilon, delta=1e-6, people_at_least=people, dates=DATES[name], **more)


def _row(name: str, method: Any, runs: int, **options: Any) -> dict[str, Any]:
    made, others = halves(name)
    found = []
    for seed in range(runs):
        release = sq.anonymize(made, method, seed=seed)
        found.append({f.name: f.value for f in sq.measure(made, release, others=others, **options).figures})
    means = {c: round(float(np.mean([f[c] for f in found])), 3) for c in COLUMNS if c in found[0]}
    spread = {
        f"{c}_sd": round(float(np.std([f[c] for f in found])), 3) for c in ("directly_follows", "tree") if c in found[0]
    }
    return {"data": name, "method": method.id, "epsilon": method.epsilon, "runs": runs} | means | spread

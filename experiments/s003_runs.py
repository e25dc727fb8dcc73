"""The runs behind Figures 2 to 5 of the event-log paper: computed once, kept on disk, read by the four steps."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import sequester as sq
from experiments.event_logs import DATES, LOGS, PEOPLE, SIMULATED, event_log
from experiments.stamps import end_line, library_sources, misfits, rest_on
from experiments.steps import DATA, RESULTS, checksum
from sequester.layouts.log import Log as Released
from sequester.utility import events
from sequester.utility.process_model import aligned

EPSILONS = (0.05, 0.35, 0.65, None)
HASHES, SHINGLES = (100, 250, 500), (1, 2, 3)
REPEATS = {"TRANSFERS": 5, "CPTEVENTS": 5, "Sepsis": 2}
READINGS = {"simultaneous": {"test": "simultaneous"}, "sequential": {"test": "sequential"}}
"""Whether the test removes all that fails at once, as printed, or the smallest first."""
DP = {"markov-dp eps 1": 1.0, "markov-dp eps 4": 4.0}
STORE = RESULTS / "s003_runs.json"
SCRIPTS = ("s003_runs.py", "event_logs.py")


@cache
def runs() -> tuple[dict[str, Any], ...]:
    """All runs: from disk if neither these scripts nor what ran of the library changed since, else computed and stored.

    Steps that run at the same time wait for the one that computes. A step that takes them from disk rests on what ran
    for them, as if it had run it.
    """
    own, sources = checksum("experiments", "s003_runs"), library_sources()
    STORE.parent.mkdir(parents=True, exist_ok=True)
    with STORE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if STORE.exists():
            kept = json.loads(STORE.read_text("utf-8"))
            if not misfits(kept.get("end"), own, sources, DATA):
                rest_on(kept["end"]["modules"])
                return tuple(kept["rows"])
        rows = list(_computed())
        part = STORE.with_suffix(".part")
        scripts = [Path(__file__).with_name(name).read_text("utf-8") for name in SCRIPTS]
        end = {"source": own} | end_line(scripts, sources, DATA)
        part.write_text(json.dumps({"end": end, "rows": rows}), "utf-8")
        part.replace(STORE)
    return tuple(rows)


def table(column: str, paper: dict[str, str], *, strict: bool, beside: dict[str, tuple[str, str]]) -> Iterator[dict]:
    """One row per log, epsilon and shingle size: mean over the numbers of hashes, and each of them for `sequential`.

    `beside` adds columns: a title, and the reading and the figure it shows.
    """
    for name in (*LOGS, *SIMULATED):
        for epsilon in EPSILONS:
            for shingle in SHINGLES:
                here = {"data": name, "epsilon": _told(epsilon), "shingle": shingle}

                def mean(reading: str, figure: str, here: dict = here, **more: Any) -> float | None:
                    return _mean(figure, reading=reading, **here, **more)

                row = here | {"paper": paper.get(name.partition(" ")[0], "")}
                row |= {reading: mean(reading, column) for reading in READINGS}
                row |= {what: _mean(column, data=name, reading=what) for what in DP} if strict else {}
                each = [mean("sequential", column, hashes=h) for h in HASHES]
                row["sequential at 100 / 250 / 500 hashes"] = " / ".join("-" if x is None else f"{x:.3g}" for x in each)
                yield row | {title: mean(*what) for title, what in beside.items()}


def another_original(name: str) -> float:
    """Distance of an original object from the nearest other original one, as in Definition 4."""
    from sequester.methods.events.shared import minhash

    log = event_log(name)
    member, size, _ = minhash.distinct_sets(log.states, log.offsets)
    seeds = np.random.default_rng(0).integers(0, 2**63, 100).astype(np.uint64)
    signs = minhash.signatures(*minhash.sub_sequences(log.states, log.offsets, member), seeds)
    nearest = np.array([np.delete(signs == own, i, 0).mean(1).max() for i, own in enumerate(signs)])
    return float(1 - np.average(np.where(size > 1, 1.0, nearest), weights=size))


def _computed() -> Iterator[dict[str, Any]]:
    for name in (*LOGS, *SIMULATED):
        log = event_log(name)
        for epsilon in EPSILONS:
            for hashes in HASHES:
                for shingle in SHINGLES:
                    for reading, told in READINGS.items():
                        method = sq.MarkovRatio(
                            epsilon=epsilon or 1.0,
                            hashes=hashes,
                            shingle=shingle,
                            split_gap=16_800.0 if name.startswith("TRANSFERS") else 0.0,
                            **(told | ({} if epsilon else {"test": "off"})),  # type: ignore[arg-type]
                        )
                        row = {"data": name, "reading": reading, "epsilon": _told(epsilon)}
                        found = _measured(log, method, REPEATS.get(name, 1))
                        yield row | {"hashes": hashes, "shingle": shingle} | found
        for reading, strength in DP.items():
            strict = sq.MarkovDP(
                epsilon=strength, delta=1e-6, people_at_least=PEOPLE[name], dates=DATES[name], force=PEOPLE[name] < 1000
            )
            yield {"data": name, "reading": reading} | _measured(log, strict, 2)


def few_figures(log: sq.EventLog, method: sq.Method, seed: int) -> dict[str, float]:
    """Run a method once: order, lengths, copies and support as `measure` has them, without its other figures."""
    release = sq.anonymize(log, method, seed=seed)
    real, drawn, _ = aligned(log, Released.read(release, who="measure"), fold=False, others=None)
    near = events._distances(real, drawn, 100, 1, 2000, np.random.default_rng(0))
    known = (*near, *events._copies(real, drawn), *events._order(real, drawn), *events._lengths(real, drawn))
    return {f.name: float(f.value) for f in (*known, *events._model(release)) if f.value is not None}


def _measured(log: sq.EventLog, method: sq.Method, repeats: int) -> dict[str, float]:
    try:
        found = [few_figures(log, method, seed) for seed in range(repeats)]
    except sq.InputError:  # a hundred patients at 0.05: no start state is frequent enough
        return {}
    told = [k for k in found[0] if all(k in f for f in found)]
    return {k: round(sum(f[k] for f in found) / repeats, 5) for k in told}


def _mean(figure: str, **wanted: Any) -> float | None:
    """Mean of a figure over the runs that fit; nothing if one of them could publish nothing."""
    found = [row.get(figure) for row in runs() if all(row.get(k) == v for k, v in wanted.items())]
    known = [x for x in found if x is not None]
    return sum(known) / len(known) if known and len(known) == len(found) else None


def _told(epsilon: float | None) -> str:
    return f"{epsilon:g}" if epsilon else "inf"

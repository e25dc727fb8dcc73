"""Event logs under noise by other programs, beside `markov-dp`: the same log, the same figures."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import sequester as sq
from experiments.event_durations import DATES, _follows, _w1, log_named, released_log
from experiments.event_made import DATES as MADE_DATES
from experiments.event_made import DAY, FIRST, HOUR

TITLE = "Event logs: other programs"
NOTE = """Sepsis, the demo log and a made log of 4,000 people with few variants (118), three runs each. `follows` is the
total variation of directly-follows pairs (starts and ends included), `length` W1 / mean of numbers of events, `cases`
and `events` what comes out in per cent of the original, `duration` W1 / mean of the time from first to last event.
**The epsilons do not mean the same.** That of `markov-dp` protects a person with all events, times included, over
everything that is released; the states are a public list there, as the others take them from the log. As we read pm4py
(2.7), SaCoFa noises the counts of trace variants of every prefix length with the whole epsilon and steers by relations
of the original that carry no noise: its epsilon means variants, not people. It releases variants without times. PRIPEL
then gives times to those variants, with a further epsilon of the same size. `k` is the longest prefix and `p` the least
noisy count that stays: two settings, neither chosen on the results. Its Laplace query ended in an error of its own
where we tried it. Sepsis has nearly as many variants as people, the hardest case for a program that counts variants;
the made log is the easiest, and **there we are behind** at epsilon 1: with k / p of 60 / 2 SaCoFa is .004 off in
`follows` and .002 in `length`, `markov-dp` .016 and .015. With 30 / 20 SaCoFa is .024 and .013 off and loses a tenth of
the events. TraVaS has no package that could be installed. mostlyai-engine (2.7.3) was tried by hand: on the demo log at
epsilon 4 two minutes of training gave one event per person, so it has no row. PEERS_PYTHON names a Python that has
pm4py and diffprivlib; without both the other programs are left out of the table. diffprivlib 0.6.6 does not load with
today's scikit-learn; its models, which PRIPEL does not use, were left out of its import for this page. PRIPEL was run
on the demo log alone: on Sepsis it was stopped after some minutes. A row without figures is one in which a program gave
up or took more than five minutes in all runs."""
RUNS = 3
FEW = "few variants"
SETTINGS = ((30, 20), (60, 2))
PEER = """
import sys, random, warnings
warnings.filterwarnings("ignore")
import numpy, pandas, pm4py
from pm4py.algo.anonymization.trace_variant_query import algorithm as query
source, target, what, epsilon, k, p, seed = sys.argv[1:]
random.seed(int(seed)); numpy.random.seed(int(seed))
table = pandas.read_csv(source)
table["time"] = pandas.to_datetime(table["time"], unit="s", utc=True)
table = pm4py.format_dataframe(table, case_id="case", activity_key="state", timestamp_key="time")
columns = ["case:concept:name", "concept:name", "time:timestamp"]
log = pm4py.convert_to_event_log(table[columns])
told = {"epsilon": float(epsilon), "k": int(k), "p": int(p), "show_progress_bar": False}
made = query.apply(log, variant=query.Variants.SACOFA, parameters=told)
if what == "PRIPEL":
    from pm4py.algo.anonymization.pripel import algorithm as pripel
    made = pripel.apply(log, made, float(epsilon))
made = made if hasattr(made, "columns") else pm4py.convert_to_dataframe(made)
made[columns].to_csv(target, index=False)
"""
Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]


def run() -> Iterator[dict[str, Any]]:
    """Ours, then what is installed."""
    python = os.environ.get("PEERS_PYTHON", sys.executable)
    needed = "from pm4py.algo.anonymization import pripel"
    there = subprocess.run([python, "-c", needed], capture_output=True, check=False).returncode == 0
    for name, epsilon in (("Sepsis", 1.0), ("Sepsis", 4.0), ("demo", 4.0), (FEW, 1.0)):
        log = _few_variants() if name == FEW else log_named(name)
        drawn = _ours(name, log, epsilon)
        yield {"data": name, "program": "markov-dp", "epsilon": epsilon, "k / p": ""} | _means(log, drawn, timed=True)
        if not there:
            continue
        for what in ("SaCoFa", "PRIPEL")[: 2 if name == "demo" else 1]:
            for k, p in SETTINGS[: 1 if what != "SaCoFa" else None]:
                with ThreadPoolExecutor(RUNS) as pool:
                    made = list(pool.map(partial(_made, python, log, what, epsilon, k, p), range(RUNS)))
                row = {"data": name, "program": what, "epsilon": epsilon, "k / p": f"{k} / {p}"}
                kept = [x for x in made if x is not None]
                yield row | (_means(log, kept, timed=what == "PRIPEL") if kept else {})


STEPS = (
    "register", "triage", "laboratory", "imaging", "physician", "treatment", "referral", "bill", "reminder", "paid",
)  # fmt: skip
HOURS = np.array([1, 0.3, 1, 1, 1, 2, 48, 200, 300, 400])


def _few_variants() -> sq.EventLog:
    """Stays that nearly all follow one protocol: tests and treatments may be left out, one in thirty goes astray."""
    g = np.random.default_rng(11)
    cases, times = [], []
    for _ in range(4000):
        case = [0, 1, *[2] * (g.random() < 0.5), *[3] * (g.random() < 0.3), 4]
        case += [5] * int(g.choice(3, p=[0.3, 0.6, 0.1])) + [6] * (g.random() < 0.05)
        case += [7] + [8] * int(g.choice(3, p=[0.8, 0.15, 0.05])) + [9]
        if g.random() < 0.03:
            i = g.integers(1, len(case) - 1)
            case[i], case[i - 1] = case[i - 1], case[i]
        begin = FIRST + DAY * g.uniform(0, 600)
        cases.append(case)
        times.append(begin + np.r_[0, np.cumsum(g.exponential(HOUR * HOURS[case[1:]]))])
    return sq.EventLog(
        offsets=np.r_[0, np.cumsum([len(case) for case in cases])], states=np.concatenate(cases), state_names=STEPS,
        times=np.concatenate(times).astype(np.int64), time_unit="second",
    )  # fmt: skip


def _ours(name: str, log: sq.EventLog, epsilon: float) -> list[Drawn]:
    """With the states of the log as a public list, because the others take them as known too."""
    with tempfile.TemporaryDirectory() as folder:
        codebook = Path(folder) / "states.txt"
        codebook.write_text("\n".join(log.state_names), "utf-8")
        method = sq.MarkovDP(
            epsilon=epsilon, delta=1e-6, people_at_least=log.n_records, dates=DATES.get(name, MADE_DATES),
            codebook=str(codebook),
        )  # fmt: skip
        return [released_log(sq.anonymize(log, method, seed=101 + i)) for i in range(RUNS)]


def _made(python: str, log: sq.EventLog, what: str, epsilon: float, k: int, p: int, seed: int) -> Drawn | None:
    """What a program makes of the log; nothing where it gives up or takes more than five minutes."""
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "log.csv", Path(folder) / "made.csv"
        case = np.repeat(np.arange(log.n_records), np.diff(log.offsets))
        pd.DataFrame({"case": case, "state": np.array(log.state_names)[log.states], "time": log.times}).to_csv(source)
        told = [str(source), str(target), what, str(epsilon), str(k), str(p), str(seed)]
        try:
            subprocess.run([python, "-c", PEER, *told], capture_output=True, check=True, timeout=300)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return None
        table = pd.read_csv(target)
    cases, states, times = (table[c] for c in ("case:concept:name", "concept:name", "time:timestamp"))
    seconds = pd.to_datetime(times, utc=True, format="ISO8601").astype("datetime64[s, UTC]").astype("int64").to_numpy()
    begins = np.flatnonzero(np.r_[True, cases.to_numpy()[1:] != cases.to_numpy()[:-1]])
    return states.to_numpy(dtype=object), seconds, np.r_[begins, len(table)]


def _means(log: sq.EventLog, drawn: list[Drawn], *, timed: bool) -> dict[str, Any]:
    real = (np.array(log.state_names, dtype=object)[log.states], log.times, log.offsets)
    known = {name: i for i, name in enumerate(sorted({*log.state_names, "OTHER"}))}
    rows = []
    for made in drawn:
        both = (real, made)
        follows = [_follows(s, o, known) for s, _, o in both]
        lasts = [t[o[1:] - 1] - t[o[:-1]] for _, t, o in both]
        rows.append(
            {
                "follows": float(np.abs(follows[0] - follows[1]).sum() / 2),
                "length": _w1(*(np.diff(o) for _, _, o in both)),
                "cases": 100 * (len(made[2]) - 1) / log.n_records,
                "events": 100 * len(made[0]) / len(real[0]),
                **({"duration": _w1(*lasts)} if timed else {}),
            }
        )
    return {key: round(float(np.mean([row[key] for row in rows])), 3) for key in rows[0]} | {"runs": len(rows)}

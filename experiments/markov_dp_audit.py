"""Does markov-dp leak more than it says? Transcript audits with an adversary, honest and with weakened noise."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import sequester as sq
from sequester.audits.transcript import WeakNoise, audit

TITLE = "Event logs: transcript audit of markov-dp"
NOTE = (
    "Two logs differ in one object that repeats a rare state 150 times. The bound must stay below the claim with "
    "honest noise and exceed it when the noise is a fraction of what is declared. Separation is compared with "
    "sqrt(2 rho), the most that rho-zCDP allows. With all tables so many people are promised in public that variants, "
    "triples and the whole time model are measured."
)
RUNS = {"few tables": 3000, "all tables": 1000}


def run() -> Iterator[dict[str, Any]]:
    """Claims of 1 and 4, honest and planted."""
    log = sq.sample("events", n_people=60, seed=1)
    extra = np.full(150, 9)
    more = sq.EventLog(
        names_public=True,
        offsets=np.r_[log.offsets, log.offsets[-1] + len(extra)],
        states=np.r_[log.states, extra],
        state_names=log.state_names,
        times=np.r_[log.times, log.times[0] + 3600 * np.arange(len(extra))],
        persons=np.array([*log.persons, "extra"], dtype=object),
    )
    with tempfile.TemporaryDirectory() as folder:
        codebook = Path(folder) / "states.txt"
        codebook.write_text("\n".join(log.state_names), "utf-8")
        for epsilon, tables in product((1.0, 4.0), RUNS):
            method = sq.MarkovDP(
                epsilon=epsilon, delta=1e-6, people_at_least=60 if tables == "few tables" else 100_000,
                dates="2024-01-01..2025-12-31", codebook=str(codebook), force=True,
            )  # fmt: skip
            for factor in (1.0, 0.15):
                found = audit(
                    lambda data, rng, m=method: m.measure(data, rng.noise, m.ledger()),
                    log, more, runs=RUNS[tables], delta=1e-6, claimed=epsilon, seed=1,
                    noise=lambda g, f=factor: WeakNoise(g, f),
                )  # fmt: skip
                yield {
                    "claimed": epsilon,
                    "noise": f"{factor:g} x declared",
                    "measured": tables,
                    "runs": RUNS[tables],
                    "lower bound": round(found["epsilon_lower_bound"], 3),
                    "separation": round(found["separation"], 3),
                    "most for honest noise": round(float(np.sqrt(2 * method.ledger().total)), 3),
                    "violation found": not found.holds,
                }

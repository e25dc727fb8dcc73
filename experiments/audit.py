"""The audit of every mechanism that states an epsilon, and of frauds that it must catch, at some scale."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import sequester as sq
from experiments import audit_frauds as frauds
from sequester.audits import transcript
from sequester.audits.run import for_audit

TITLE = "Audit of the noise"
PAPER = "none; transcript likelihood ratios, Clopper-Pearson bounds"
NOTE = """`epsilon at least` is a lower bound at 95 % confidence from runs on worst-case neighbours through the method's
own adaptive code. Sound mechanisms must stay below what they claim; the frauds must not. A bound below the claim is no
proof: it is a proof that was not contradicted. `mcdp` and `markov-ratio` are shipped as published and claim no
differential privacy; their epsilon is the papers'. Seconds are CPU seconds."""

RUNS = 600


def run() -> Iterator[dict[str, Any]]:
    """Rows: mechanism, claimed epsilon, lower bound, verdict, and what it should be."""
    for method_id in sq.METHODS:
        cls = sq.method_class(method_id)
        if cls(**cls.example).guarantee.status != "proved":
            continue
        for epsilon, factor, expected in ((1.0, 1.0, "passes"), (4.0, 1.0, "passes"), (1.0, 0.1, "fails")):
            method = cls(**{**for_audit(cls), "epsilon": epsilon})
            found, seconds = _timed(partial(sq.audit, method, runs=RUNS, noise_factor=factor))
            name = method_id if factor == 1 else f"{method_id}, noise x {factor:g} (planted)"
            yield _row(name, epsilon, found, expected, RUNS, seconds)
    for method_id, runs in (("mcdp", 40), ("mdav-dp", 40), ("markov-ratio", 200)):
        if method_id in sq.METHODS:
            cls = sq.method_class(method_id)
            found, seconds = _timed(partial(sq.audit, method_id, runs=runs))
            yield _row(method_id, cls(**for_audit(cls)).epsilon, found, "fails", runs, seconds)  # type: ignore[attr-defined]
    without, with_ = frauds.cluster_neighbours(size=50, intervals=20160)
    for name, mechanism, expected in (
        ("FPA, printed noise on an unnormalised transform (planted)", frauds.unnormalised_fpa, "fails"),
        ("FPA, joint noise on a unitary transform, fixed cluster", frauds.unitary_fpa, "passes"),
    ):
        stage = partial(_fixed, mechanism)
        found, seconds = _timed(
            partial(transcript.audit, stage, without, with_, runs=RUNS, delta=0.0, claimed=1.0, seed=0)
        )
        yield _row(name, 1.0, found, expected, RUNS, seconds)


def _fixed(mechanism: Any, data: Any, rng: Any) -> Any:
    return mechanism(data, rng, size=50, epsilon=1.0)


def _timed(work: Any) -> tuple[Any, float]:
    begun = time.process_time()
    return work(), time.process_time() - begun


def _row(name: str, claimed: float, found: Any, expected: str, runs: int, seconds: float) -> dict[str, Any]:
    verdict = "passes" if found.holds else "fails"
    separation = next((f.value for f in found.figures if f.name == "separation"), None)
    return {"mechanism": name, "claimed epsilon": claimed, "epsilon at least": found["epsilon_lower_bound"],
            "separation": separation, "audit": verdict, "expected": expected, "as expected": verdict == expected,
            "runs per side": runs, "seconds": seconds}  # fmt: skip


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row), flush=True)

"""Do more hashes sharpen the clusters of event-log sections?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.event_logs import LOGS, SIMULATED, event_log

TITLE = "Event logs: clusters against the number of hashes"
PAPER = "Shaked, Rokach 2016, Section 2.2 (no figure)"
NOTE = """True Jaccard similarity of a section to the centre of its cluster, mean and spread over ten draws of the
hash functions. Signatures only estimate it; `exact` clusters by the similarity itself. 100 hashes come within 0.015
of `exact`, and 250 and 500 come nearer on every log of a thousand objects or more; on the demo's hundred patients the
gain is about the spread. In CPTEVENTS of the demo with two shingles hardly anything is alike, and few hashes do no
worse. Where every set has a cluster of its own (Sepsis, one shingle) nothing is left to gain."""
CHART = {
    "x": "hashes",
    "y": "similarity to centre",
    "color": "shingle",
    "facet": "data",
    "scale": "log",
    "y_free": True,
}
HASHES, SHINGLES, DRAWS = (10, 25, 100, 250, 500), (1, 2, 3), 10


def run() -> Iterator[dict[str, Any]]:
    """Sections as `markov-ratio` cuts them, clustered with 15 % as many clusters."""
    from sequester.methods.events.markov_ratio.sections import sections_of
    from sequester.methods.events.shared import minhash

    for name in (*LOGS, *SIMULATED):
        log = event_log(name)
        sections = sections_of(log, 16_800.0 if name.startswith("TRANSFERS") else 0.0)
        k = round(0.15 * sections.n)
        for shingle in SHINGLES:
            member, size, _ = minhash.distinct_sets(log.states, sections.bounds, shingle)
            own = minhash.sub_sequences(log.states, sections.bounds, member)
            sets = _shingles(*own, shingle)
            common = sets @ sets.T
            alike = common / (common.diagonal()[:, None] + common.diagonal() - common)
            exact = _exact(alike, size, k)
            for hashes in HASHES:
                found = []
                for draw in range(DRAWS):
                    seeds = np.random.default_rng(draw).integers(0, 2**63, hashes).astype(np.uint64)
                    centre = minhash.centre_clusters(minhash.signatures(*own, seeds, shingle), size, k)
                    found.append(np.average(alike[np.arange(len(size)), centre], weights=size))
                yield {
                    "data": name, "shingle": shingle, "hashes": hashes, "sets": len(size), "clusters": k,
                    "similarity to centre": float(np.mean(found)), "spread": float(np.std(found)), "exact": exact,
                }  # fmt: skip


def _shingles(states: np.ndarray, bounds: np.ndarray, width: int) -> np.ndarray:
    """Sets x shingles, 1 where the set has it."""
    index: dict[tuple[int, ...], int] = {}
    cells = []
    for i, (a, b) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        trace = states[a:b].tolist()
        for p in range(max(1, len(trace) - width + 1)):
            cells.append((i, index.setdefault(tuple(trace[p : p + width]), len(index))))
    out = np.zeros((len(bounds) - 1, len(index)), np.float32)
    out[tuple(np.array(cells).T)] = 1
    return out


def _exact(alike: np.ndarray, size: np.ndarray, k: int) -> float:
    """The same clusters chosen by the true similarity."""
    before = np.tril(alike, -1).max(1)
    chosen = np.argsort(-size * (1 - before), kind="stable")[:k]
    own = alike[:, np.union1d(0, chosen)[: max(k, 1)]].max(1)
    return float(np.average(own, weights=size))

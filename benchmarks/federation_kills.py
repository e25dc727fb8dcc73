"""Studies over three sites under kills: sites and coordinators, at random moments; what is found afterwards.

By hand, with another number of studies: `python -m benchmarks.federation_kills 2` prints JSON lines.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.federated import under_kills

TITLE = "Federation under kills"
NOTE = """Three sites and a coordinator, each step in a process of its own that is killed at a random moment and run
again. *hit*: kills that found the process at work, by step. *charged*: entries in the accounts of the three sites.
*verified*: the bundle is complete and follows from its transcript. A file that a site or a coordinator kept and wrote a
second time, or an answer that differs from what was kept, ends the run with an error."""
ALONE = True
CASES = (("ngram-dp", False), ("ngram-dp", True), ("markov-dp", False), ("markov-dp", True))


def run(studies: int = 6, kills: int = 40) -> Iterator[dict[str, Any]]:
    """One row per study."""
    for seed in range(studies):
        for name, trusted in CASES:
            with tempfile.TemporaryDirectory() as place:
                found = under_kills(Path(place), kills, name, seed, trusted_combiner=trusted)
            yield {
                "method": name, "noise": "coordinator" if trusted else "sites", "hit accept": found["accept"],
                "hit answer": found["answer"], "hit publish": found["publish"],
                "charged": " ".join(map(str, found["charged"])), "verified": str(found["verified"]),
            }  # fmt: skip


if __name__ == "__main__":
    for row in run(int(sys.argv[1])):
        print(json.dumps(row), flush=True)

"""Attributes of the experimental data (Table 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.event_logs import LOGS, event_log
from sequester.methods.events.markov_ratio.sections import sections_of

TITLE = "Event logs: attributes of the data"
PAPER = "Shaked, Rokach 2016, Table 1"
NOTE = (
    "The paper sampled the full MIMIC-III database, which is access-controlled; the demo has 100 patients. Sepsis and "
    "BPIC 2011 are of the paper's size. Sections are cut at the paper's 16,800 h; CPTEVENTS has no times, so that "
    "nothing can be cut there."
)
PRINTED = {
    "TRANSFERS": {"objects": 4370, "sequences": 4655, "most": 138, "records": 24996, "states": 85},
    "CPTEVENTS": {"objects": 3171, "sequences": 3171, "most": 116, "records": 25000, "states": 117},
}


def run() -> Iterator[dict[str, Any]]:
    """One row per log."""
    for name in LOGS:
        log = event_log(name)
        printed = PRINTED.get(name, {})
        yield {
            "data": name,
            "objects": log.n_records,
            "sequences at 16,800 h": sections_of(log, 16_800.0).n,
            "most records per object": int(np.diff(log.offsets).max()),
            "records": len(log.states),
            "states": len(log.state_names),
            **{f"paper: {k}": v for k, v in printed.items()},
        }

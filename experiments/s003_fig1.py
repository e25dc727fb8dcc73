"""Histogram of the times between two records of an object, and where sequences are cut (Figure 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.event_logs import event_log
from sequester.methods.events.markov_ratio.sections import working_times

TITLE = "Event logs: histogram of transition times"
PAPER = "Shaked, Rokach 2016, Figure 1"
NOTE = """Times between successive records of an object in bins of 700 hours (a 24th of the paper's cut), as shares of
all transitions; the last bin holds all longer ones. The paper sees regularity around zero that diminishes at 16,800
hours in its TRANSFERS and cuts there, by eye. `cut` marks bins beyond the pause at which a rule of ours would cut
(the first five weekly bins in a row, after the highest one, with at most half a percent of it each); in a log without
one nothing is cut. The demo's hundred patients have few long pauses, so that its cut comes earlier than the
paper's."""
CHART = {"x": "hours", "y": "share", "facet": "data", "y_scale": "log"}
BIN, BINS, WEEK = 700, 36, 168 * 3600


def run() -> Iterator[dict[str, Any]]:
    """A row per log with a clock and bin."""
    for name in ("TRANSFERS", "Sepsis", "BPIC 2011"):
        log = event_log(name)
        times = working_times(log)
        inside = np.ones(len(times), bool)
        inside[log.offsets[:-1]] = False
        gaps = np.diff(times, prepend=times[:1])[inside]
        cut = _quiet_from(gaps)
        count = np.bincount(np.minimum(gaps // (BIN * 3600), BINS - 1), minlength=BINS)
        for i, c in enumerate(count.tolist()):
            if c:
                yield {
                    "data": name, "hours": i * BIN, "transitions": c, "share": round(c / len(gaps), 6),
                    "cut": bool(cut is not None and i * BIN * 3600 >= cut),
                    "cut at hours": None if cut is None else cut // 3600,
                }  # fmt: skip


def _quiet_from(gaps: np.ndarray) -> int | None:
    """Left edge of the first run of five quiet weeks after the highest one; quiet: at most 0.5 % of it each."""
    bins = np.bincount(gaps // WEEK)
    top = int(bins.argmax())
    quiet = np.r_[bins[top + 1 :] <= 0.005 * bins[top], np.zeros(5, bool)]
    hit = np.flatnonzero(np.convolve(quiet, np.ones(5, int), "valid") == 5)
    return int((top + 1 + hit[0]) * WEEK) if len(hit) else None

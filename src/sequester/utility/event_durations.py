"""How long cases last and how far apart events are, original beside release.

The largest step between two distributions (Kolmogorov-Smirnov) cannot see a tail: durations six times too long on
average showed as .12. W1 / mean can: it is the mean distance between the two, in units of the original's mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.release import Figure
from sequester.utility.process_model import Log

DAY = 86400
NOT_VALID = 0.5
"""From this W1 / mean on durations or gaps of a release must not be used."""
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
CLASS_ENDS = (1, 2, 4, 8, 16, 32, 64)
CLASS_NAMES = ("1", "2", "3..4", "5..8", "9..16", "17..32", "33..64", "65 and more")


def durations(log: Log) -> np.ndarray:
    """Seconds from first to last event of every case."""
    return log.times[log.offsets[1:] - 1] - log.times[log.offsets[:-1]]


def gaps(log: Log) -> np.ndarray:
    """Seconds between neighbouring events of a case."""
    inner = np.ones(len(log.times), bool)
    inner[log.offsets[:-1]] = False
    return np.diff(log.times, prepend=log.times[:1])[inner]


def wasserstein(a: np.ndarray, b: np.ndarray) -> float:
    """Mean distance between two distributions, by their quantiles."""
    grid = (np.arange(4000) + 0.5) / 4000
    return float(np.abs(np.quantile(a, grid) - np.quantile(b, grid)).mean())


def _over_mean(a: np.ndarray, b: np.ndarray) -> float | None:
    return wasserstein(a, b) / float(a.mean()) if len(a) and len(b) and a.mean() > 0 else None


def duration_figures(real: Log, syn: Log) -> list[Figure]:
    """W1 / mean of durations and gaps, gaps of none, and durations by class of length."""
    last, apart = [durations(log) for log in (real, syn)], [gaps(log) for log in (real, syn)]
    out = []
    for name, (a, b), what in (
        ("duration_w1", last, "times from first to last event"),
        ("gap_w1", apart, "gaps between events"),
    ):
        value = _over_mean(a, b)
        if value is not None:
            bad = f" NOT VALID: do not use {what} of this release." if value > NOT_VALID else ""
            says = f"Mean distance between {what} (Wasserstein), divided by the original's mean.{bad}"
            out.append(Figure(name=name, value=value, better="lower", says=says))
    if all(len(g) for g in apart):
        none = [float((g == 0).mean()) for g in apart]
        out.append(
            Figure(
                name="zero_gaps",
                value=abs(none[0] - none[1]),
                better="lower",
                says=f"Share of events at the same moment as the one before: {none[0]:.1%} in the original, "
                f"{none[1]:.1%} in the release; the difference.",
            )
        )
    missed, mean = 0.0, float(last[0].mean()) if len(last[0]) else 0.0
    for row in class_rows(real, syn):
        missed += row["cases"] * abs(row["original"] - row["synthetic"])
    if mean > 0:
        says = "Mean error of mean durations by class of number of events, divided by the mean."
        value = missed * DAY / len(last[0]) / mean
        out.append(Figure(name="duration_by_length", value=value, better="lower", says=says))
    return out


def class_rows(real: Log, syn: Log) -> list[dict[str, Any]]:
    """Mean duration in days by class of number of events."""
    of = [np.searchsorted(CLASS_ENDS, log.lengths) for log in (real, syn)]
    last = [durations(log) / DAY for log in (real, syn)]
    return [
        {
            "events": name,
            "cases": int((of[0] == c).sum()),
            "original": float(last[0][of[0] == c].mean()),
            "synthetic": float(last[1][of[1] == c].mean()) if (of[1] == c).any() else 0.0,
        }
        for c, name in enumerate(CLASS_NAMES)
        if (of[0] == c).any()
    ]


def duration_rows(real: Log, syn: Log) -> list[dict[str, Any]]:
    """Mean and quantiles of durations and gaps, in days."""
    out = []
    for what, both in (("duration", [durations(x) for x in (real, syn)]), ("gap", [gaps(x) for x in (real, syn)])):
        if all(len(x) for x in both):
            days = [x / DAY for x in both]
            out.append({"what": f"{what}, mean", "original": days[0].mean(), "synthetic": days[1].mean()})
            out += [
                {"what": f"{what}, {q:.0%}", "original": np.quantile(days[0], q), "synthetic": np.quantile(days[1], q)}
                for q in QUANTILES
            ]
    return [{k: v if isinstance(v, str) else float(v) for k, v in row.items()} for row in out]


def duration_sentence(real: Log, syn: Log) -> str:
    """Mean and median duration of both logs, and whether they may be used: what a reader wants to know first."""
    last = [durations(log) / DAY for log in (real, syn)]
    value = _over_mean(*last)
    if value is None:
        return ""
    said = (
        f"Cases last {last[1].mean():,.4g} days on average ({last[0].mean():,.4g} in the original), half of them at "
        f"most {np.median(last[1]):,.4g} ({np.median(last[0]):,.4g})."
    )
    return said + (" NOT VALID: do not use durations of this release." if value > NOT_VALID else "")

"""Activity: the day as a heat map, and how long people stay in a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sequester.errors import BundleError
from sequester.layouts.states import States
from sequester.pages.page import Section
from sequester.pages.pictures import rows_named
from sequester.pages.sketch import heat
from sequester.query.bundle import Bundle

RELEASED = "What does a released day look like?"
SLOTS = 48
"""Half hours of a day."""
RECORDS = 1000
"""The heat map of a large release is drawn from this many of its records."""


def public(bundle: Bundle) -> list[Section]:
    """The released day."""
    profile = released_day(bundle)
    if profile is None:
        return []
    names, shares, n = profile
    return [
        Section(
            title=RELEASED,
            says=f"Share of {n:,} released records in each state, by time of day.",
            svg=_day(names, shares),
            alt=_alt("released", names, shares),
        )
    ]


def custodian(bundle: Bundle, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """What users of the data compute, first; then the day before and after, one below the other."""
    out = [*_measures(evidence), *_groups(evidence)]
    rows = rows_named(evidence, "day", "profile", "day_profile", has=("state", "hour", "before", "after"))
    if not rows:
        return out
    names = list(dict.fromkeys(str(r["state"]) for r in rows))
    hours = sorted({float(r["hour"]) for r in rows})
    place = {h: i for i, h in enumerate(hours)}
    for when, words in (("before", "in the original"), ("after", "in the release")):
        cells = np.full((len(names), len(hours)), np.nan)
        for r in rows:
            cells[names.index(str(r["state"])), place[float(r["hour"])]] = r[when]
        out.append(
            Section(
                title=f"What does a day look like {words}?",
                says=f"Share of people in each state by time of day, {words}.",
                svg=heat(
                    cells.tolist(),
                    names,
                    [_clock(h) for h in hours],
                    every=max(1, len(hours) // 8),
                    unit="of people",
                ),
                alt=_alt(words, names, cells),
                replaces=RELEASED,
            )
        )
    return out


def _measures(evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    rows = rows_named(evidence, "people", has=("measure", "original", "released"))
    if not rows:
        return []
    return [
        Section(
            title="Do the usual measures of rest and activity survive?",
            says="Means and standard deviations over people, and the largest gap (KS) between the two distributions. "
            "Beside it stands the gap between two halves of the original people: a release cannot be nearer than that "
            "by merit.",
            caption="Original and release",
            columns=("Measure", "Original", "Released", "SD original", "SD released", "KS", "KS of halves"),
            rows=tuple((r["measure"], *(_short(r.get(c)) for c in COLUMNS)) for r in rows),
        )
    ]


COLUMNS = ("original", "released", "sd_original", "sd_released", "ks", "ks_halves")


def _groups(evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    rows = rows_named(evidence, "groups", has=("measure", "group", "minus"))
    if not rows:
        return []
    return [
        Section(
            title="Do differences between groups survive?",
            says="Difference of means with its 95 % interval (Welch). An interval narrower than the original's is "
            "false certainty.",
            caption="Differences between groups",
            columns=("Measure", "Groups", "Original", "Interval", "Released", "Interval", "Width ratio"),
            rows=tuple(
                (
                    r["measure"],
                    f"{r['group']} - {r['minus']}",
                    _short(r["original"]),
                    f"{_short(r['original_low'])} to {_short(r['original_high'])}",
                    _short(r["released"]),
                    f"{_short(r['released_low'])} to {_short(r['released_high'])}",
                    _short(r["width_ratio"]),
                )
                for r in rows
            ),
        )
    ]


def _short(value: Any) -> str:
    return "" if value is None or value != value else f"{value:.3g}"


def released_day(bundle: Bundle) -> tuple[list[str], np.ndarray, int] | None:
    """State names, states x slots of shares, and the number of records looked at."""
    try:
        released = States.read(bundle, RECORDS)  # records are in random order: the first ones are a sample
    except BundleError:
        return None
    second = released.times.astype(np.int64) % 86400
    slot = second * SLOTS // 86400
    counts = np.zeros((len(released.names), SLOTS), dtype=np.int64)
    for code in range(len(released.names)):
        counts[code] = np.bincount(slot, weights=(released.states == code).sum(axis=0), minlength=SLOTS)
    total = counts.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return list(released.names), np.where(total > 0, counts / total, np.nan), len(released.states)


def _day(names: list[str], cells: np.ndarray) -> str:
    clock = [_clock(24 * j / SLOTS) for j in range(SLOTS)]
    return heat(cells.tolist(), names, clock, every=SLOTS // 8, unit="of records")


def _clock(hour: float) -> str:
    return f"{int(hour) % 24:02d}:{round(60 * (hour - int(hour))):02d}"


def _alt(when: str, names: list[str], cells: np.ndarray) -> str:
    """The picture in words: when each state is most frequent."""
    if cells.shape[1] == 0 or np.isnan(cells).all():
        return f"Heat map of an empty day {when}."
    peaks = []
    for name, line in zip(names, cells, strict=True):
        if not np.isnan(line).all():
            at = int(np.nanargmax(line))
            peaks.append(f"{name} is most frequent at {_clock(24 * at / len(line))} ({line[at]:.0%})")
    return f"Heat map of the day {when}: {'; '.join(peaks[:8])}."

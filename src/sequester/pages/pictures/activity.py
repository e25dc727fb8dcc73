"""Activity: the day as a heat map, and how long people stay in a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sequester.pages.page import Section
from sequester.pages.pictures import has_columns, rows_named
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
    """The day before and after, one below the other."""
    rows = rows_named(evidence, "day", "profile", "day_profile", has=("state", "hour", "before", "after"))
    if not rows:
        return []
    names = list(dict.fromkeys(str(r["state"]) for r in rows))
    hours = sorted({float(r["hour"]) for r in rows})
    place = {h: i for i, h in enumerate(hours)}
    out = []
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


def released_day(bundle: Bundle) -> tuple[list[str], np.ndarray, int] | None:
    """State names, states x slots of shares, and the number of records looked at."""
    if not has_columns(bundle, "sequences", "states") or not has_columns(bundle, "states", "code", "name"):
        return None
    if not has_columns(bundle, "calendar", "interval_seconds", "start"):
        return None
    table = bundle.tables["sequences"].slice(0, RECORDS)  # records are in random order: a slice is a sample
    calendar = bundle.tables["calendar"].to_pylist()[0]
    seconds = int(calendar["interval_seconds"])
    start = calendar["start"]
    known = bundle.tables["states"].to_pylist()
    names = [str(row["name"]) for row in sorted(known, key=lambda row: row["code"])]
    counts = np.zeros((len(names), SLOTS), dtype=np.int64)
    offset = start.hour * 3600 + start.minute * 60 + start.second
    slot_of = np.zeros(0, dtype=np.int64)
    for row in table.column("states"):
        codes = row.values.to_numpy(zero_copy_only=False)
        if len(codes) != len(slot_of):
            slot_of = (offset + np.arange(len(codes), dtype=np.int64) * seconds) % 86400 * SLOTS // 86400
        known_codes = codes < len(names)
        cells = codes[known_codes].astype(np.int64) * SLOTS + slot_of[known_codes]
        counts += np.bincount(cells, minlength=counts.size).reshape(counts.shape)
    total = counts.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return names, np.where(total > 0, counts / total, np.nan), table.num_rows


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

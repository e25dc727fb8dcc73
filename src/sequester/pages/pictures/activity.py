"""Activity: the day as a heat map, and how long people stay in a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sequester.errors import BundleError
from sequester.layouts.states import UNOBSERVED, States, day_parts
from sequester.pages.heat import Block, Line, heat
from sequester.pages.page import Section
from sequester.pages.pictures import bin_words, reading_of, rows_named
from sequester.pages.words import count
from sequester.primitives.efforts import in_order
from sequester.query.bundle import Bundle

RELEASED = "What does a released day look like?"
SLOTS = 48
"""Half hours of a day."""
RECORDS = 1000
"""The heat map of a large release is drawn from this many of its records."""


def public(bundle: Bundle) -> list[Section]:
    """The released day, weekdays and weekends apart."""
    profile = released_days(bundle)
    if profile is None:
        return []
    names, days, n = profile
    occurs = [i for i in in_order(names, UNOBSERVED) if any(np.nansum(cells[i]) for cells in days.values())]
    words = bin_words(bundle)
    blocks = [
        Block(words.get(names[i], names[i]), [Line(when, cells[i].tolist()) for when, cells in days.items()])
        for i in occurs
    ]
    whole = next(iter(days.values()))
    return [
        Section(
            title=RELEASED,
            says=f"Share of {count(n, 'released record')} in each state by time of day. Every state has its own even "
            f"scale, so that rare states are seen too.{_never(names, occurs)}",
            svg=heat(blocks, [_clock(24 * j / SLOTS) for j in range(SLOTS)], every=SLOTS // 6),
            alt=_alt("released", names, whole),
        )
    ]


def board(bundle: Bundle) -> dict[str, str]:
    """Answers for a board, from the release alone."""
    try:
        released = States.read(bundle, 1)
    except BundleError:
        return {}
    rows = bundle.tables["sequences"].num_rows
    days = released.states.shape[1] * released.interval_seconds / 86400
    proved = bundle.guarantee.status == "proved"
    first = str(released.start)[:10]
    return {
        "people": f"{count(rows, 'released record')}" + (", a noisy count of the people." if proved else "."),
        "period": f"{days:g} days from {first}, {released.interval_seconds} s at a time"
        + (", as declared." if proved else ".")
        + _fictitious(bundle),
        "changed": "Invented: every released row was drawn from habits"
        + (" measured with noise" if proved else " of a cluster of similar people")
        + "; one can equal a person's by chance. Dropped: who did what when.",
        "valid": "Minutes per day, daily profiles, how long people stay in a state, as totals over many people. "
        + ("Not: differences between single people." if proved else "Not: anything about one row."),
    }


def _fictitious(bundle: Bundle) -> str:
    """Said where people recorded on different days were laid side by side."""
    calendar = reading_of(bundle).get("calendar")
    align = calendar.get("align") if isinstance(calendar, dict) else "date"
    if align == "monday":
        return " Dates are fictitious; time of day and weekday are real."
    return " Dates and weekdays are fictitious; time of day is real." if align == "start" else ""


def custodian(bundle: Bundle, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """What users of the data compute, first; then the day before and after, with the difference."""
    out = [*_measures(evidence), *_groups(evidence)]
    rows = rows_named(evidence, "day", has=("state", "hour", "before", "after"))
    if not rows:
        return out
    names = list(dict.fromkeys(str(r["state"]) for r in rows))
    hours = sorted({float(r["hour"]) for r in rows})
    parts = list(dict.fromkeys(str(r.get("days", "all days")) for r in rows))
    cells = {(part, when): np.full((len(names), len(hours)), np.nan) for part in parts for when in WHEN}
    at, place = {name: i for i, name in enumerate(names)}, {h: i for i, h in enumerate(hours)}
    for r in rows:
        for when in WHEN:
            here = cells[str(r.get("days", "all days")), when]
            here[at[str(r["state"])], place[float(r["hour"])]] = r[when]
    occurs = [i for i in in_order(names, UNOBSERVED) if any(np.nansum(shares[i]) for shares in cells.values())]
    blocks, words = [], bin_words(bundle)
    for part in parts:
        before, after = cells[part, "before"], cells[part, "after"]
        for i in occurs:
            lines = [Line("original", before[i].tolist()), Line("release", after[i].tolist())]
            lines.append(Line("difference", (after[i] - before[i]).tolist(), difference=True))
            called = words.get(names[i], names[i])
            blocks.append(Block(called if len(parts) == 1 else f"{called}, {part}", lines))
    first = cells[parts[0], "before"], cells[parts[0], "after"]
    out.append(
        Section(
            title="Does the release keep the daily rhythm?",
            says="Share of people in each state by time of day: original, release, and their difference. Every state "
            f"has its own even scale.{_never(names, occurs)}",
            svg=heat(blocks, [_clock(h) for h in hours], every=max(1, len(hours) // 6)),
            alt=f"{_alt('in the original', names, first[0])} {_alt('in the release', names, first[1])}",
            replaces=RELEASED,
        )
    )
    return out


WHEN = ("before", "after")


def _never(names: Sequence[str], occurs: Sequence[int]) -> str:
    """A sentence about states that are not drawn because they have no time at all."""
    absent = [name for i, name in enumerate(names) if i not in occurs]
    return f" Nobody is ever in: {', '.join(absent)}." if absent else ""


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
            columns=("Measure", "Original (SD)", "Released (SD)", "Gap [of halves]", "Meaning"),
            rows=tuple(
                (
                    _measure(str(r["measure"])),
                    _with(r.get("original"), r.get("sd_original")),
                    _with(r.get("released"), r.get("sd_released")),
                    "–" if r.get("ks") is None else f"{_short(r['ks'])} [{_short(r.get('ks_halves'))}]",
                    r.get("says") or "",
                )
                for r in rows
            ),
        )
    ]


def _measure(name: str) -> str:
    """Minutes are those of 24 observed hours: what was not observed is left out of them."""
    return f"{name}, in 24 observed hours" if name.startswith("minutes of ") else name


def _with(mean: Any, spread: Any) -> str:
    found = _short(spread)
    return _short(mean) + (f" ({found})" if found else "")


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
    if value is None or value != value:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def released_days(bundle: Bundle) -> tuple[list[str], dict[str, np.ndarray], int] | None:
    """State names, states x slots of shares for weekdays and weekends, and the number of records looked at."""
    try:
        released = States.read(bundle, RECORDS)  # records are in random order: the first ones are a sample
    except BundleError:
        return None
    out = {}
    for when, mine in day_parts(released.times, _weekdays(bundle)).items():
        slot = released.times[mine].astype(np.int64) % 86400 * SLOTS // 86400
        counts = np.zeros((len(released.names), SLOTS), dtype=np.int64)
        for code in range(len(released.names)):
            here = (released.states[:, mine] == code).sum(axis=0)
            counts[code] = np.bincount(slot, weights=here, minlength=SLOTS)
        total = counts.sum(axis=0)
        with np.errstate(invalid="ignore"):
            out[when] = np.where(total > 0, counts / total, np.nan)
    return list(released.names), out, len(released.states)


def _weekdays(bundle: Bundle) -> bool:
    """Whether the calendar's weekdays are true ones."""
    found = reading_of(bundle).get("calendar")
    return bool(found.get("weekdays", True)) if isinstance(found, dict) else True


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

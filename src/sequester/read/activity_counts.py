"""Counts per epoch as accelerometers record them: cut points, non-wear, windows. One person's cells at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sequester.errors import InputError, counted, nearest
from sequester.read.memory_needed import require_room
from sequester.read.note_counts import Counted, Words

WHO = "read_activities"
DAY = 86400
NOT_WORN = "not worn"
NEUTRAL_MONDAY = np.datetime64("2000-01-03T00:00:00", "s")
"""The day on which an aligned calendar begins: everybody's own dates stay at home."""


class CutPoints(NamedTuple):
    """A published set of cut points: counts per minute of one device at one place of the body."""

    ends: tuple[float, ...]
    names: tuple[str, ...]
    source: str


SETS = {
    "freedson-1998": CutPoints(
        (100, 1952, 5725, 9499),
        ("sedentary", "light", "moderate", "hard", "very hard"),
        "Freedson, Melanson and Sirard 1998, adults; below 100 sedentary as in Matthews et al. 2008",
    ),
    "troiano-2008": CutPoints(
        (100, 2020, 5999),
        ("sedentary", "light", "moderate", "vigorous"),
        "Troiano et al. 2008, adults; below 100 sedentary as in Matthews et al. 2008",
    ),
}
"""Name → cut points. All are for vertical counts per minute of an ActiGraph at the hip: none fits a wrist or steps."""


@dataclass(frozen=True, kw_only=True)
class Bins:
    """Lower ends of the states from the second on: a value v is state number (how many ends are <= v)."""

    ends: np.ndarray
    names: tuple[str, ...]
    source: str = ""
    mean: bool = False
    """Whether several values of one interval are averaged, as of a level, or add up, as counts do."""


def bins_of(declared: tuple[str, ...], names: tuple[str, ...], interval: int, *, mean: bool = False) -> Bins:
    """Cut points as they were told: numbers with names, or a published set."""
    if len(declared) == 1 and declared[0] in SETS:
        known = SETS[declared[0]]
        if interval != 60:
            raise InputError(f"{WHO}: the cut points {declared[0]} are for minutes; interval is {interval} seconds.")
        if names and len(names) != len(known.names):
            raise InputError(
                f"{WHO}: {declared[0]} makes {counted(len(known.names), 'state')}, names= gives {len(names)}."
            )
        return Bins(
            ends=np.array(known.ends, float), names=names or known.names, source=f"{declared[0]}: {known.source}"
        )
    try:
        ends = np.array([float(x) for x in declared])
    except ValueError:
        close = nearest(declared[0], SETS)
        hint = f" Did you mean '{close}'?" if close else ""
        raise InputError(
            f"{WHO}: bins must be rising numbers such as 1,200,1000, or one of {', '.join(SETS)}.{hint}"
        ) from None
    if not len(ends) or not np.all(np.isfinite(ends)) or np.any(np.diff(ends) <= 0):
        raise InputError(f"{WHO}: bins must be rising numbers such as 1,200,1000, got {len(ends)} that are not.")
    if len(names) != len(ends) + 1:
        raise InputError(
            f"{WHO}: {counted(len(ends), 'bin makes', 'bins make')} {counted(len(ends) + 1, 'state')}, names= gives "
            f"{len(names)}. Name every state, the "
            "lowest first."
        )
    return Bins(ends=ends, names=tuple(names), mean=mean)


def span_of(words: str) -> tuple[float, float]:
    """`0..100000` as two numbers."""
    low, dots, high = words.partition("..")
    try:
        if not dots:
            raise ValueError
        out = (float(low) if low.strip() else -np.inf, float(high) if high.strip() else np.inf)
        if not out[0] < out[1]:
            raise ValueError
    except ValueError:
        raise InputError(
            f"{WHO}: valid must look like 0..100000, the lowest and the highest value there can be."
        ) from None
    return out


class Nonwear(NamedTuple):
    """A device lies in a drawer: so many epochs of zeros, with at most so many others in a row among them."""

    epochs: int
    tolerance: int
    spike: float = 100.0
    """Largest count of an epoch that does not end the run."""
    beside: int = 0
    """Zeros in a row that must stand right before and right after what does not end the run."""
    source: str = ""


RULES = {
    "troiano-2008": Nonwear(60, 2, source="Troiano et al. 2008: 60 minutes of zeros, 1 or 2 minutes up to 100 borne"),
    "choi-2011": Nonwear(
        90, 2, np.inf, 30,
        "Choi, Liu, Matthews and Buchowski 2011: 90 minutes of zeros; 1 or 2 minutes of any count are borne between 30 "
        "minutes of zeros on either side",
    ),
}  # fmt: skip
"""Name → published rule. Both are for counts per minute of an ActiGraph at the hip in waking hours."""


def nonwear_of(words: str, interval: int) -> Nonwear | None:
    """`none`, `N`, `N/T`, or the name of a published rule."""
    if words == "none":
        return None
    if words in RULES:
        if interval != 60:
            raise InputError(f"{WHO}: the rule {words} is for minutes; interval is {interval} seconds.")
        return RULES[words]
    first, _, second = words.partition("/")
    if not first.isdecimal() or int(first) < 1 or (second and not second.isdecimal()):
        raise InputError(
            f"{WHO}: nonwear must be none, a number of epochs of zeros such as 180, 60/2 to bear two small ones in a "
            f"row, or one of {', '.join(RULES)}."
        )
    return Nonwear(int(first), int(second or 0))


def not_worn(counts: np.ndarray, rule: Nonwear) -> np.ndarray:
    """Epochs inside long runs of zeros; an epoch without a record ends a run.

    Works on runs of equal sort (zero, small, anything else), of which a week has a few thousand, not ten thousand
    epochs.
    """
    out = np.zeros(len(counts), dtype=bool)
    if not len(counts):
        return out
    sort = np.where(counts == 0, 0, np.where((counts > 0) & (counts <= rule.spike), 1, 2))
    cuts = np.r_[0, np.flatnonzero(np.diff(sort)) + 1, len(sort)]
    kind = sort[cuts[:-1]]
    at, n = 0, len(kind)
    while at < n:
        if kind[at] != 0:
            at += 1
            continue
        last = at
        while (
            last + 2 < n
            and kind[last + 1] == 1
            and cuts[last + 2] - cuts[last + 1] <= rule.tolerance
            and kind[last + 2] == 0
            and min(cuts[last + 1] - cuts[last], cuts[last + 3] - cuts[last + 2]) >= rule.beside
        ):
            last += 2
        if cuts[last + 1] - cuts[at] >= rule.epochs:
            out[cuts[at] : cuts[last + 1]] = True
        at = last + 1
    return out


def window_start(seconds: np.ndarray, days: int, align: str) -> int:
    """Where a person's window of so many days begins, from this person's records alone: where it holds most of them.

    A window begins at midnight, by `monday` that of a Monday; weeks and days that are cut short may be part of it. Of
    windows that hold as much, the first is taken.
    """
    day, n = np.unique(seconds // DAY, return_counts=True)
    begins = np.unique(day - (day + 3) % 7) if align == "monday" else day  # the epoch began on a Thursday
    held = np.r_[0, np.cumsum(n)]
    inside = held[np.searchsorted(day, begins + days)] - held[np.searchsorted(day, begins)]
    return int(begins[inside.argmax()] * DAY)


def own_grid(at: np.ndarray, values: np.ndarray, interval: int, mean: bool = False) -> tuple[int, np.ndarray]:
    """A person's sums per epoch from the first one on, NaN where nothing was recorded; finer counts add up.

    The same moment twice is a clock that was put back: the first record counts.
    """
    order = np.argsort(at, kind="stable")
    t, v = at[order], values[order]
    fresh = np.r_[True, np.diff(t) > 0]
    slot = t[fresh] // interval
    first = int(slot[0])
    size = int(slot[-1]) - first + 1
    total = np.bincount(slot - first, weights=v[fresh], minlength=size)
    n = np.bincount(slot - first, minlength=size)
    return first, np.where(n > 0, total / np.maximum(n, 1) if mean else total, np.nan)


def rows_of_counts(
    person: np.ndarray,
    at: np.ndarray,
    values: np.ndarray,
    n_people: int,
    bins: Bins,
    window: Any,
    interval: int,
    rules: dict[str, Any],
    notes: list[str],
) -> tuple[np.ndarray, np.ndarray]:
    """People x intervals of codes (the states of the bins, then `missing`), and who has enough valid days."""
    rule: Nonwear | None = rules["nonwear"]
    n = window.n if window.n is not None else int(((at - window.zero[person]) // interval).max()) + 1
    missing = len(bins.names)
    what = f"{counted(f'{n_people:,}', 'person', 'people')} x {counted(f'{n:,}', 'interval')}"
    require_room(2 * n_people * n, WHO, what)
    out = np.full((n_people, n), missing, dtype=np.uint8)
    order = np.argsort(person, kind="stable")
    cuts = np.searchsorted(person[order], np.arange(n_people + 1))
    worn_code = missing + 1
    night = day = 0
    margin = 7 * 86400 // interval + (rule.epochs + rule.tolerance if rule is not None else 0)
    for p in range(n_people):
        mine = order[cuts[p] : cuts[p + 1]]
        if not len(mine):
            continue
        begin = int(window.zero[p]) // interval
        # What lies far from the window cannot matter, and one odd date must not make a row of a thousand years.
        mine = mine[np.abs(at[mine] // interval - begin) <= n + margin]
        if not len(mine):
            continue
        first, counts = own_grid(at[mine], values[mine], interval, bins.mean)
        row = np.searchsorted(bins.ends, np.nan_to_num(counts), side="right").astype(np.uint8)
        row[np.isnan(counts)] = missing
        if rule is not None:
            off = not_worn(counts, rule)
            row[off] = worn_code
            hour = (np.flatnonzero(off) + first) * interval % 86400 // 3600
            night += int(((hour >= 23) | (hour < 6)).sum())
            day += int(((hour < 23) & (hour >= 6)).sum())
        low, high = max(begin, first), min(begin + n, first + len(row))
        if high > low:
            out[p, low - begin : high - begin] = row[low - first : high - first]
    per_day = max(1, 86400 // interval)
    whole = n // per_day * per_day
    observed = (out[:, :whole].reshape(n_people, -1, per_day) < missing).sum(axis=2) * interval / 60
    usable = (observed >= rules["valid_day"]).sum(axis=1) >= rules["valid_days"]
    enough = f"{counted(rules['valid_days'], 'day')} of {rules['valid_day']} observed minutes"
    notes.append(
        Counted(
            int((~usable).sum()),
            " of ",
            n_people,
            Words(
                f"people has fewer than {enough} and was left out", f"people have fewer than {enough} and were left out"
            ),
        )
    )
    if rule is not None:
        said = (f"'{NOT_WORN}' by the rule: ", night + day, " intervals, ", night, " of them at night (23 to 6 h)")
        notes.append(Counted(*said, _perhaps_sleep, always=True))
    return out, usable


def _perhaps_sleep(counts: tuple[int, ...]) -> str:
    """What follows where the rule is at work by night more than by day."""
    everything, night = counts
    often = night / 7 > 2 * (everything - night) / 17
    return "; the rule may take sleep for a device in a drawer" if often else ""

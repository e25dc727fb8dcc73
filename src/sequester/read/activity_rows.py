"""One person's counts at a time → one row of states."""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.errors import counted
from sequester.read.activity_counts import NOT_WORN, Bins, Nonwear, not_worn, own_grid
from sequester.read.activity_matrix import require_cells
from sequester.read.note_counts import Counted, Words


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
    require_cells(n_people, n)
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

"""Measures of rest and activity per person, as the field computes them from accelerometers, on observed time only.

Every state has a score unless told: 0, 1, 2 … from rest to effort where the names of all tell it (sitting, walking,
running), else in the order of the states: declare them from rest to effort. With x the mean score of an hour (at least
half of it observed):

- IS, interdaily stability: variance of the mean day over variance of all hours. 1: every day alike.
- IV, intradaily variability: mean squared change from hour to hour over variance. The larger, the more fragmented.
- L5, M10: mean score of the least active 5 and the most active 10 hours of the mean day, and when they begin.
- RA, relative amplitude: (M10 - L5) / (M10 + L5).
- longest rest: longest stretch in the state of the lowest score, noon to noon, mean over days.

Witting et al. 1990 and van Someren et al. 1999 define IS, IV, L5, M10 and RA.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sequester.primitives.efforts import UNSURE, effort

BLOCK = 128
"""People looked at together."""
HALF = 0.5
"""Share of an hour, or of a window, that must be observed."""
LEAST_HOURS = 48
LEAST_NIGHT = 1200
"""Observed minutes of a day from noon to noon that make its longest rest count."""
LEAST_DAY = 600
"""Observed minutes that make a day valid: ten hours, as usual in the field."""
DAY = 86400
ONSETS = ("L5 onset", "M10 onset")
"""Measures that are times of day: their means are taken on the circle."""


@dataclass(frozen=True, kw_only=True)
class Recording:
    """States of people on a common calendar."""

    states: np.ndarray
    start: np.datetime64
    interval_seconds: int
    scores: np.ndarray
    """A number per state; NaN where the state says nothing about what a person did."""

    @property
    def observed(self) -> np.ndarray:
        """States that tell what a person did."""
        return np.flatnonzero(~np.isnan(self.scores))

    @property
    def rest(self) -> int:
        """The observed state of the lowest score."""
        return int(np.nanargmin(self.scores)) if len(self.observed) else -1

    @property
    def second(self) -> int:
        """Seconds after midnight at the start."""
        return int(self.start.astype("datetime64[s]").astype(np.int64) % DAY)


def scores_of(
    names: tuple[str, ...], unobserved: tuple[str, ...], declared: Mapping[str, float] | None = None
) -> np.ndarray:
    """0, 1, 2 … over the observed states, or as told: from rest to effort where all names tell it, else as given."""
    out = np.full(len(names), np.nan)
    seen = [i for i, name in enumerate(names) if name not in unobserved]
    if all(effort(names[i], unobserved) < UNSURE for i in seen):
        seen.sort(key=lambda i: effort(names[i], unobserved))
    for rank, i in enumerate(seen):
        out[i] = float((declared or {}).get(names[i], rank))
    return out


def rhythm(recording: Recording) -> dict[str, np.ndarray]:
    """Measure → one number per person, NaN where too little was observed."""
    pieces: list[dict[str, np.ndarray]] = []
    for at in range(0, len(recording.states), BLOCK):
        pieces.append(_block(recording, recording.states[at : at + BLOCK]))
    return {name: np.concatenate([p[name] for p in pieces]) for name in pieces[0]} if pieces else {}


def _block(recording: Recording, states: np.ndarray) -> dict[str, np.ndarray]:
    value = recording.scores[states]
    seen = ~np.isnan(value)
    value = np.where(seen, value, 0.0)
    stability, variability = _hours(recording, value, seen)
    slots = DAY // recording.interval_seconds
    nothing = np.full(len(states), np.nan)
    out = {"IS": stability, "IV": variability}
    low = high = low_at = high_at = longest = nothing
    if slots >= 24 and slots * recording.interval_seconds == DAY:
        first = recording.second // recording.interval_seconds
        profile, known = (_by_slot(v, first, slots) for v in (value, seen.astype(np.float64)))
        mean = np.divide(profile, known, out=np.full(profile.shape, np.nan), where=known > 0)
        low, low_at = _window(mean, round(slots * 5 / 24), -1)
        high, high_at = _window(mean, round(slots * 10 / 24), 1)
        longest = _longest_rest(recording, states, seen, first, slots)
    total = low + high
    out |= {"L5": low, "M10": high}
    out["RA"] = np.divide(high - low, total, out=np.full(len(states), np.nan), where=total > 0)
    out |= dict(zip(ONSETS, (low_at * 24 / max(slots, 1), high_at * 24 / max(slots, 1)), strict=True))
    out["longest rest"] = longest
    out["same as yesterday"] = _yesterday(states, seen, slots)
    return out


def _hours(recording: Recording, value: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """IS and IV."""
    at = (recording.second + np.arange(value.shape[1], dtype=np.int64) * recording.interval_seconds) // 3600
    firsts = np.flatnonzero(np.diff(at, prepend=at[0] - 1))
    size = np.diff(np.append(firsts, value.shape[1]))
    count = np.add.reduceat(seen, firsts, axis=1, dtype=np.int64)
    sums = np.add.reduceat(value, firsts, axis=1)
    defined = (count >= HALF * size) & (count > 0)
    x = np.divide(sums, count, out=np.zeros_like(sums), where=defined)
    n = defined.sum(axis=1)
    mean = x.sum(axis=1) / np.maximum(n, 1)
    around = np.where(defined, x - mean[:, None], 0.0)
    total = (around**2).sum(axis=1)
    clock = np.zeros((len(firsts), 24))
    clock[np.arange(len(firsts)), at[firsts] % 24] = 1.0
    per_hour, of_hour = around @ clock, defined.astype(np.float64) @ clock
    between = np.divide(per_hour**2, of_hour, out=np.zeros_like(per_hour), where=of_hour > 0).sum(axis=1)
    follows = defined[:, 1:] & defined[:, :-1] & (np.diff(at[firsts]) == 1)
    steps = (np.where(follows, np.diff(x, axis=1), 0.0) ** 2).sum(axis=1)
    pairs = np.maximum(follows.sum(axis=1), 1)
    fine = (n >= LEAST_HOURS) & (total > 0)
    divide = np.where(fine, total, 1.0)
    stability = np.where(fine, between / divide, np.nan)
    return stability, np.where(fine, (steps / pairs) / (divide / np.maximum(n, 1)), np.nan)


def _by_slot(value: np.ndarray, first: int, slots: int) -> np.ndarray:
    """Sums over days by time of day."""
    before = first % slots
    after = -(before + value.shape[1]) % slots
    return np.pad(value, ((0, 0), (before, after))).reshape(len(value), -1, slots).sum(axis=1)


def _window(mean: np.ndarray, width: int, sign: int) -> tuple[np.ndarray, np.ndarray]:
    """Least (sign -1) or greatest circular mean over `width` slots, and where it begins."""
    slots = mean.shape[1]
    known = ~np.isnan(mean)
    twice = np.concatenate([mean, mean[:, : width - 1]], axis=1)
    there = np.concatenate([known, known[:, : width - 1]], axis=1)
    sums, counts = (
        np.concatenate([np.zeros((len(mean), 1)), np.cumsum(v, axis=1)], axis=1)
        for v in (np.nan_to_num(twice), there.astype(np.float64))
    )
    total, count = (c[:, width:] - c[:, :-width] for c in (sums, counts))
    enough = count >= HALF * width
    # Rounded, so that of equal windows the first is taken whatever was added up before it.
    value = np.where(enough, np.round(total / np.maximum(count, 1), 12), np.nan)
    some = enough.any(axis=1)
    at = np.argmax(np.where(enough, sign * value, -np.inf), axis=1)
    best = np.where(some, value[np.arange(len(mean)), at], np.nan)
    return best, np.where(some, at % slots, np.nan)


def _longest_rest(recording: Recording, states: np.ndarray, seen: np.ndarray, first: int, slots: int) -> np.ndarray:
    """Minutes, mean over the days from noon to noon that were observed well enough."""
    begin = (slots // 2 - first) % slots
    n_nights = (states.shape[1] - begin) // slots
    if n_nights < 1:
        return np.full(len(states), np.nan)
    part = slice(begin, begin + n_nights * slots)
    resting = (states[:, part] == recording.rest).reshape(-1, slots)
    at = np.cumsum(resting, axis=1, dtype=np.int32)
    run = (at - np.maximum.accumulate(np.where(resting, 0, at), axis=1)).max(axis=1).reshape(len(states), n_nights)
    enough = seen[:, part].reshape(len(states), n_nights, slots).sum(axis=2) * recording.interval_seconds
    valid = enough >= LEAST_NIGHT * 60
    minutes = (run * valid).sum(axis=1) * recording.interval_seconds / 60
    return np.where(valid.any(axis=1), minutes / np.maximum(valid.sum(axis=1), 1), np.nan)


def _yesterday(states: np.ndarray, seen: np.ndarray, slots: int) -> np.ndarray:
    if not 0 < slots < states.shape[1]:
        return np.full(len(states), np.nan)
    both = seen[:, slots:] & seen[:, :-slots]
    same = (states[:, slots:] == states[:, :-slots]) & both
    return np.where(both.any(axis=1), same.sum(axis=1) / np.maximum(both.sum(axis=1), 1), np.nan)


def daily_minutes(recording: Recording, spent: np.ndarray | None = None) -> np.ndarray:
    """People x days x observed states: minutes, as if the observed part were the whole day; NaN on days that are not
    valid. `spent` are intervals by people, days and observed states, where they are not to be counted in the rows."""
    if spent is None:
        spent = _spent(recording)
    seen = spent.sum(axis=2, keepdims=True)
    valid = seen * recording.interval_seconds >= LEAST_DAY * 60
    return np.where(valid, 1440 * spent / np.maximum(seen, 1), np.nan)


def _spent(recording: Recording) -> np.ndarray:
    day = (recording.second + np.arange(recording.states.shape[1], dtype=np.int64) * recording.interval_seconds) // DAY
    firsts = np.flatnonzero(np.diff(day, prepend=day[0] - 1))
    return np.stack(
        [np.add.reduceat(recording.states == a, firsts, axis=1, dtype=np.int64) for a in recording.observed], axis=2
    ).astype(np.float64)


def spreads(daily: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per person and state: mean over days, SD over days (two valid days at least), and the same SD over all people."""
    valid = ~np.isnan(daily[..., 0]) if daily.size else np.zeros(daily.shape[:2], bool)
    n = valid.sum(axis=1)
    filled = np.where(valid[..., None], daily, 0.0)
    mean = filled.sum(axis=1) / np.maximum(n, 1)[:, None]
    squares = (np.where(valid[..., None], daily - mean[:, None], 0.0) ** 2).sum(axis=1)
    within = np.where((n >= 2)[:, None], np.sqrt(squares / np.maximum(n - 1, 1)[:, None]), np.nan)
    mean = np.where((n >= 1)[:, None], mean, np.nan)
    known = mean[~np.isnan(mean[:, 0])] if mean.size else mean
    between = known.std(axis=0, ddof=1) if len(known) > 1 else np.full(daily.shape[-1], np.nan)
    return mean, within, between

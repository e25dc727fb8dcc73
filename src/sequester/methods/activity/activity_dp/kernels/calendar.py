"""The calendar of activity data: which hour, day part and day every interval belongs to.

Everything here follows from the number of intervals, their length and the start; no person enters it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record

DAY = 86400
N_PARTS = 8
"""Parts of a day, three hours each."""
SEGMENT_SECONDS = 1800
"""Stretch over which a simulated day keeps its transition probabilities."""


@dataclass(frozen=True, kw_only=True)
class Calendar:
    """Bins, parts, days and simulation segments of every interval."""

    n_intervals: int
    interval_seconds: int
    bin_of: np.ndarray
    """Interval → hour of the day, or weekday/weekend x hour (weekend bins follow the 24 weekday bins)."""
    n_bins: int
    """48 where a whole week is covered, otherwise 24."""
    part_of: np.ndarray
    """Interval → one of eight parts of the day."""
    day_of: np.ndarray
    """Interval → day counted from the start; -1 in a last day that is not whole."""
    day_length: int
    """Intervals in a whole day (or in all, if that is less)."""
    n_days: int
    """Whole days."""
    day_starts: np.ndarray
    """First interval of every day and the end, a last day that is not whole included."""

    @property
    def bin_sizes(self) -> np.ndarray:
        """Intervals per bin."""
        return np.bincount(self.bin_of, minlength=self.n_bins)

    @property
    def part_sizes(self) -> np.ndarray:
        """Steps from one interval to the next per part; a step belongs to the part of its second interval."""
        return np.bincount(self.part_of[1:], minlength=N_PARTS)

    @property
    def bin_weights(self) -> np.ndarray:
        """Share of all intervals in each bin."""
        return self.bin_sizes / self.n_intervals

    def part_weights(self) -> np.ndarray:
        """Parts x bins: how the steps of a part are spread over the bins."""
        table = np.zeros((N_PARTS, self.n_bins))
        np.add.at(table, (self.part_of, self.bin_of), 1.0)
        return table / np.maximum(table.sum(axis=1, keepdims=True), 1.0)

    def day_bins(self) -> np.ndarray:
        """Days x bins: how a day's intervals are spread over the bins; a last part of a day counts as a whole one."""
        out = np.zeros((len(self.day_starts) - 1, self.n_bins))
        for d, (a, b) in enumerate(zip(self.day_starts[:-1], self.day_starts[1:])):
            bins = np.bincount(self.bin_of[a:b], minlength=self.n_bins).astype(np.float64)
            if b - a < self.day_length:  # its hours alone would not tell how much of a day a target means
                weekend = 24 * int(self.n_bins == 48 and bins[24:].sum() > bins[:24].sum())
                seen = self.bin_sizes[weekend : weekend + 24] > 0
                bins = np.zeros(self.n_bins)
                bins[weekend : weekend + 24] = seen
            out[d] = bins / max(1, bins.sum())
        return out

    def weekend_days(self) -> np.ndarray:
        """Whether most of a day lies on a weekend, for every day including a last one that is not whole."""
        weekend = self.bin_of >= 24
        return np.array([weekend[a:b].mean() > 0.5 for a, b in zip(self.day_starts[:-1], self.day_starts[1:])])

    def segments(self) -> Segments:
        """Half-hour stretches for the simulation."""
        step = max(1, round(SEGMENT_SECONDS / self.interval_seconds))
        starts: list[int] = []
        days = [0]
        for a, b in zip(self.day_starts[:-1], self.day_starts[1:]):
            starts.extend(range(int(a), int(b), step))
            days.append(len(starts))
        begin = np.array(starts, dtype=np.int64)
        end = np.append(begin[1:], self.n_intervals)
        centre = (begin + end) / 2 * self.interval_seconds
        # The two hours whose middles enclose the segment's middle, found through intervals so that they exist.
        half, last = 1800.0, self.n_intervals - 1
        before = np.clip(((centre - half) // self.interval_seconds).astype(np.int64), 0, last)
        after = np.clip(((centre + half) // self.interval_seconds).astype(np.int64), 0, last)
        clock = (self._first_second + centre) % 3600
        weight = ((clock - half) % 3600) / 3600
        combos, combo_of = np.unique(
            np.stack([self.bin_of[before], self.bin_of[after], np.rint(weight * 64), self.part_of[begin]]),
            axis=1,
            return_inverse=True,
        )
        return Segments(
            start=begin,
            end=end,
            of_day=np.array(days, dtype=np.int64),
            combo=combo_of.reshape(-1).astype(np.int64),
            low=combos[0].astype(np.int64),
            high=combos[1].astype(np.int64),
            weight=combos[2] / 64,
            part=combos[3].astype(np.int64),
        )

    _first_second: int = 0
    """Seconds after midnight at the start."""


class Segments(NamedTuple):
    """Stretches of the simulation; many share the same hours and weights (a combination)."""

    start: np.ndarray
    end: np.ndarray
    of_day: np.ndarray
    """First segment of every day, and the end."""
    combo: np.ndarray
    """Segment → combination."""
    low: np.ndarray
    """Combination → bin of the hour before its middle."""
    high: np.ndarray
    """Combination → bin of the hour after it."""
    weight: np.ndarray
    """Combination → weight of `high`."""
    part: np.ndarray
    """Combination → part of the day."""


SEGMENTS = Record(Segments, f"{'int64[::1], ' * 6}float64[::1], int64[::1]")


def calendar(n_intervals: int, interval_seconds: int, start: np.datetime64) -> Calendar:
    """The calendar of `n_intervals` of `interval_seconds` from `start`."""
    first = int(start.astype("datetime64[s]").astype(np.int64))
    seconds = first + np.arange(n_intervals, dtype=np.int64) * interval_seconds
    hour = (seconds // 3600) % 24
    weekday = (seconds // DAY + 3) % 7  # 1970-01-01 was a Thursday
    week = n_intervals * interval_seconds >= 7 * DAY
    length = max(1, min(DAY // interval_seconds if interval_seconds <= DAY else 1, n_intervals))
    n_days = n_intervals // length
    day = np.arange(n_intervals) // length
    ends = list(range(0, n_intervals, length))
    return Calendar(
        n_intervals=n_intervals,
        interval_seconds=interval_seconds,
        bin_of=(hour + 24 * ((weekday >= 5) & week)).astype(np.int64),
        n_bins=48 if week else 24,
        part_of=(hour // 3).astype(np.int64),
        day_of=np.where(day < n_days, day, -1).astype(np.int64),
        day_length=length,
        n_days=n_days,
        day_starts=np.array([*ends, n_intervals], dtype=np.int64),
        _first_second=first % DAY,
    )

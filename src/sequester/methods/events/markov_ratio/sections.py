"""From long objects to short sections: where a drastic pause in the transition times ends one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sequester.model import EventLog

QUIET_BINS = 5
QUIET_SHARE = 0.005
HOUR, DAY = 3600, 86400


@dataclass(frozen=True, kw_only=True)
class Sections:
    """Section *s* owns events `bounds[s]:bounds[s+1]`; object *i* owns sections `of_object[i]:of_object[i+1]`."""

    bounds: np.ndarray
    of_object: np.ndarray
    times: np.ndarray
    """Working time of every event: strictly rising inside a day where only days are known."""
    has_clock: bool
    cluster_count: int = 0
    """Clusters the sections were put into, once they were."""

    @property
    def n(self) -> int:
        """How many sections there are."""
        return len(self.bounds) - 1

    @property
    def durations(self) -> np.ndarray:
        """From first to last event of every section."""
        return self.times[self.bounds[1:] - 1] - self.times[self.bounds[:-1]]


def working_times(log: EventLog) -> np.ndarray:
    """Times to model: the log's own, except that events known by their day alone are put a minute apart.

    The paper fabricates times from the order of events where there is no clock; the same is done here inside a day,
    so that fifty procedures of one afternoon do not become fifty days when gaps must be positive.
    """
    if log.time_unit != "day" or not len(log.times):
        return log.times
    new = np.r_[True, log.times[1:] != log.times[:-1]]
    new[log.offsets[:-1]] = True
    first = np.flatnonzero(new)
    size = np.diff(np.r_[first, len(new)])
    rank = np.arange(len(new)) - np.repeat(first, size)
    step = np.minimum(60, (DAY - 1) // np.repeat(size, size))
    return log.times // DAY * DAY + rank * step


def histogram_cut(gaps: np.ndarray, bin_seconds: int) -> int | None:
    """Left edge of the first run of quiet bins after the highest bin of the transition-time histogram, or None.

    Quiet: five bins in a row, each with at most 0.5 % of the highest one. The paper shows a picture only; this rule
    is ours.
    """
    if len(gaps) == 0:
        return None
    bins = np.bincount(np.asarray(gaps, np.int64) // bin_seconds)
    top = int(bins.argmax())
    quiet = bins[top + 1 :] <= QUIET_SHARE * bins[top]
    run = np.convolve(quiet, np.ones(QUIET_BINS, int), "valid") if len(quiet) >= QUIET_BINS else np.zeros(0)
    hit = np.flatnonzero(run == QUIET_BINS)
    return int((top + 1 + hit[0]) * bin_seconds) if len(hit) else None


def cut(
    log: EventLog, *, split_gap_hours: float | None, bin_hours: float, length: int | None = None
) -> tuple[Sections, int | None]:
    """Sections of a log and the gap in seconds that ends one (None: nothing was split by pauses).

    With `length` a section also ends after so many events.
    """
    times = working_times(log)
    has_clock = log.time_unit != "order"
    inside = np.ones(len(times), bool)
    inside[log.offsets[:-1]] = False
    gaps = np.diff(times, prepend=times[:1])
    if not has_clock or split_gap_hours == 0:
        limit = None
    elif split_gap_hours is not None:
        limit = int(split_gap_hours * HOUR)
    else:
        limit = histogram_cut(gaps[inside], int(bin_hours * HOUR))
    begins = ~inside if limit is None else ~inside | (gaps >= limit)
    if length is not None:
        first = np.flatnonzero(begins)
        place = np.arange(len(times)) - np.repeat(first, np.diff(np.r_[first, len(times)]))
        begins = begins | (place % length == 0)
    bounds = np.r_[np.flatnonzero(begins), len(times)]
    of_object = np.searchsorted(bounds, log.offsets)
    return Sections(bounds=bounds, of_object=of_object, times=times, has_clock=has_clock), limit

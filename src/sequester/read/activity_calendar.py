"""Which days a release shows: told ones, everybody's own first ones, or (found) all that the data has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.errors import InputError, counted
from sequester.model import Fact
from sequester.read.activity_counts import DAY, NEUTRAL_MONDAY, window_start

WHO = "read_activities"


@dataclass(frozen=True, kw_only=True)
class Window:
    """Where each person's row begins, and how many intervals it has."""

    zero: np.ndarray
    """Per person: seconds since 1970 at which the row begins."""
    n: int | None
    """Intervals, or None where the last observation ends the row."""
    start: np.datetime64
    """What the release says."""
    facts: tuple[Fact, ...]
    interval: int

    def inside(self, person: np.ndarray, begins: np.ndarray, ends: np.ndarray | None) -> np.ndarray:
        """Which rows touch the window."""
        zero = self.zero[person]
        last = begins if ends is None else np.maximum(ends - 1, begins)
        out = last >= zero
        if self.n is not None:
            out &= begins < zero + self.n * self.interval
        return out


@dataclass(frozen=True, kw_only=True)
class Calendar:
    """What was told about the days."""

    align: str
    first: int | None
    """Seconds since 1970."""
    days: int | None
    interval: int

    @property
    def n(self) -> int | None:
        """Intervals to keep."""
        return None if self.days is None else -(-self.days * DAY // self.interval)

    def window(self, person: np.ndarray, begins: np.ndarray, ends: np.ndarray | None, n_people: int) -> Window:
        """Everybody's window; where dates are the same for all, one for all."""
        if self.align != "date":
            assert self.days is not None
            order = np.argsort(person, kind="stable")
            cuts = np.searchsorted(person[order], np.arange(1, n_people))
            own = np.split(begins[order], cuts)
            zero = np.array([window_start(mine, self.days, self.align) for mine in own], dtype=np.int64)
            facts = (
                Fact(
                    "calendar", {"align": self.align, "days": self.days, "weekdays": self.align == "monday"}, "declared"
                ),
            )
            return Window(zero=zero, n=self.n, start=NEUTRAL_MONDAY, facts=facts, interval=self.interval)
        first = self.first
        if first is None:
            earliest = int(begins.min())
            first = earliest - earliest % DAY
        found = self.first is not None and self.days is not None
        start = np.datetime64(first, "s")
        value = {"align": "date", "first": str(start), "days": self.days} if found else "the days found in the data"
        n = self.n
        if n is None:
            self._sensible(begins if ends is None else np.concatenate([begins, ends]), first)
        fact = Fact("calendar", value, "declared" if found else "found")
        return Window(
            zero=np.full(n_people, first, dtype=np.int64), n=n, start=start, facts=(fact,), interval=self.interval
        )

    def _sensible(self, at: np.ndarray, first: int) -> None:
        """Refuse a range that one mistyped date has blown up: hardly a day in a hundred would hold an observation."""
        last = int(at.max(initial=first))
        days = (last - first) // DAY + 1
        seen = len(np.unique((at - first) // DAY))
        if days > 400 and days > 100 * seen:
            raise InputError(
                f"{WHO}: the times span {counted(days, 'day')}, but only {seen} of them hold an observation. Correct "
                "the dates "
                "or tell the days to keep: pass ‹dates=FROM..TO›, or ‹align='monday'› and ‹days=› where people were "
                "recorded "
                "at different times."
            )


def calendar_of(*, align: str, dates: str | None, first: str | None, days: Any, interval: int) -> Calendar:
    """The calendar as it was told; every contradiction is named before the file is read."""
    if days is not None and (not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= 36525):
        raise InputError(f"{WHO}: days must be a whole number of at least 1, got {days!r}.")
    if align != "date":
        if dates or first:
            raise InputError(f"{WHO}: ‹align='{align}'› takes everybody's own days; leave ‹dates=› and ‹first=› out.")
        if days is None:
            raise InputError(f"{WHO}: ‹align='{align}'› needs to know how many days to keep. Pass ‹days=7› or so.")
        if DAY % interval:
            raise InputError(f"{WHO}: align='{align}' needs an interval that divides a day, got {interval} seconds.")
        return Calendar(align=align, first=None, days=days, interval=interval)
    if dates is not None:
        if first or days:
            raise InputError(
                f"{WHO}: ‹dates=› tells the first day and the number of days; leave ‹first=› and ‹days=› out."
            )
        low, dots, high = dates.partition("..")
        begin, last = (_date(x.strip()) for x in (low, high))
        if not dots or begin is None or last is None or last < begin:
            raise InputError(f"{WHO}: dates must look like 2024-03-04..2024-03-17, the first and the last day to keep.")
        n = int((last - begin).astype(int)) + 1
        return Calendar(
            align=align, first=int(begin.astype("datetime64[s]").astype(np.int64)), days=n, interval=interval
        )
    return Calendar(align=align, first=None if first is None else _moment(first), days=days, interval=interval)


def _date(words: str, unit: str = "D") -> Any:
    """A date, or None where there is none."""
    try:
        found: Any = np.datetime64(words.replace(" ", "T"), unit)  # type: ignore[call-overload]
    except ValueError:
        return None
    return None if np.isnat(found) or not words else found


def _moment(words: str) -> int:
    found = _date(words, "s")
    if found is None:
        raise InputError(f"{WHO}: first must look like 2024-03-04T00:00, got {words!r}.")
    return int(found.astype(np.int64))


def fitted(
    matrix: np.ndarray, codes: Any, plan: Calendar, how: str
) -> tuple[np.ndarray, np.datetime64, tuple[Fact, ...]]:
    """Rows without times, cut and padded to the told days."""
    if plan.align != "date":
        raise InputError(f"{WHO}: align='{plan.align}' needs times, and every row is a person here. Leave it out.")
    start = NEUTRAL_MONDAY if plan.first is None else np.datetime64(plan.first, "s")
    n = plan.n
    if n is None:
        value = "the columns of the table" if how == "default" else "the longest row found"
        return matrix, start, (Fact("calendar", value, how),)
    out = matrix
    if matrix.shape[1] != n:
        out = np.full((len(matrix), n), codes.missing(), dtype=np.uint8)
        out[:, : min(n, matrix.shape[1])] = matrix[:, :n]
    return out, start, (Fact("calendar", {"align": "date", "first": str(start), "days": plan.days}, "declared"),)

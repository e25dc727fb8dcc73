"""Is it activity over time? A state or a quantity at a regular step for days, or spans that touch each other."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from sequester.errors import counted
from sequester.read.column_facts import Column, holds_lists
from sequester.read.quantity import BESIDE, QUANTITIES, Quantity, bins_for, quantity_of, spaced, unit_of
from sequester.read.recognise_events import COUNTED, parameters, state_columns
from sequester.read.recognise_series import family_of
from sequester.read.summary import spoken
from sequester.read.view import BEGINS, ENDS, Candidate, View

DAY = 86400
DENSE = 3700
"""Seconds of the longest step that is activity within days."""
NUMBERED = re.compile(r"(^|[^A-Za-z])(id|nr|no|uuid|serial)$|[a-z](Id|ID)$|(コード|区分|番号)$", re.I | re.A)
"""Names of what numbers something: never a measurement."""
LONE = "it is one person's recording, and one person alone cannot be hidden"
REGULAR = 0.45
"""Share of steps about as long as the usual one."""
LEAST_DAYS = 0.75
NICE = (60, 120, 180, 300, 600, 900, 1200, 1800, 3600, 86400)
WEEK = 7
BELOW_ZERO, MOST_VALID = 0.01, 1e5
"""Share of negative values that are meant so, and the largest value that readers take for valid unless told."""
LEAST_COVERED = 0.6
"""Share of the time from first to last that spans must cover."""
ENOUGH_OBSERVED, ENOUGH_TOGETHER = 0.95, 0.85
"""Shares of days of their own, and of the same dates, that people must have been observed for."""
MOST_CODES, STAYS = 8, 0.6
"""Different numbers that may be codes of states, and the share of steps at which a state stays what it is."""
WIDE, FEW_WIDE = 24, 10
"""Columns of states that make a row of a person; fewer do where they are called by clocks, days or months."""
LEAST_LIST = 5
"""Commas in a cell that is a list of states; a pair of numbers is none."""
LONGEST_PERIOD = 120 * DAY
"""Spans over a longer time are stays, not minutes."""


def recognise(view: View) -> Iterable[Candidate]:
    """Spans, counts, states, or a row of states per person."""
    yield from _spans(view)
    yield from _measured(view)
    yield from _states(view)
    yield from _wide(view)


def interval_of(step: float) -> int:
    """The interval for a step: the nearest usual length, and never less than a minute."""
    near = min(NICE, key=lambda n: abs(n - step) / n)
    return near if abs(near - step) <= 0.15 * near else max(60, int(step) // 60 * 60)


def _person(view: View) -> dict[str, str]:
    return {"person": view.who.role} if view.who.role else {}


def _asked(view: View) -> list[str]:
    return [q for q in (view.who.question, *view.asked_about_times) if q]


def _spans(view: View) -> Iterable[Candidate]:
    """Starts and ends of one state after the other, most of which touch, within weeks."""
    begins = [c for c in view.whens if BEGINS.search(c.name) and not c.constant]
    ends = [c for c in view.whens if ENDS.search(c.name) and c not in begins]
    states = state_columns(view)
    if not begins or not ends or not states:
        return
    a, b = begins[0], ends[0]
    low, high = a.seconds, b.seconds
    known = ~np.isnan(low) & ~np.isnan(high)
    if known.sum() < 10:
        return
    order = np.lexsort((low[known], view.owner[known]))
    begin, end, owner = low[known][order], high[known][order], view.owner[known][order]
    same = np.diff(owner) == 0
    gap = (begin[1:] - end[:-1])[same]
    length = np.median(end - begin)
    touching = float(np.mean(np.abs(gap) <= 0.25 * max(length, 60))) if len(gap) else 0.0
    each = [e.max() - s.min() for s, e in ((begin[owner == p], end[owner == p]) for p in np.unique(owner))]
    if touching < 0.6 or max(each) > LONGEST_PERIOD or length > DAY or view.rows_each < 5:
        return
    if float(np.sum(end - begin)) < LEAST_COVERED * sum(each):
        return  # nights without their days are mostly missing time: each span is an event
    state = states[0]
    roles = {**_person(view), "start": a.name, "end": b.name, "state": state.name, "time-format": a.form}
    low_, high_ = float(np.nanmin(begin)), float(np.nanmax(end))
    starts = np.array([begin[owner == p].min() for p in np.unique(owner)])
    roles |= _calendar(np.c_[starts, starts + np.array(each)], low_, high_)[0]
    yield Candidate(
        "activity", 0.9, f"Spans of one state that touch each other ({touching:.0%}).", roles,
        {"state": [c.name for c in states[1:]]}, _asked(view),
    )  # fmt: skip


def _measured(view: View) -> Iterable[Candidate]:
    """A quantity at a regular step."""
    step, regular = view.step
    if step is None or view.at is None or view.once_each() or view.time_roles.get("time-format") == "number":
        return
    columns = [
        c for c in view.free
        if c.is_number and c.filled > 0.2 and c.distinct > 3
        and (not c.ruled_out or (c.identifier and not c.counter and quantity_of(c) is not None))
    ]  # fmt: skip
    columns = [
        c
        for c in columns
        if not COUNTED.search(c.name) and not NUMBERED.search(c.name) and view.changes(c) > 0.3 and not view.counts(c)
    ]
    known = [(c, quantity_of(c)) for c in columns]
    named: list[tuple[Column, Quantity | None]] = [(c, q) for c, q in known if q is not None]
    pool = named or [(c, q) for c, q in known if not BESIDE.search(spaced(c.name))]
    if not pool or parameters(view):
        return
    if not view.who.role and not named:
        return  # numbers per day or week of nobody
    rank = ["glucose", "glucose-mmol", "counts", "steps", "heart-rate"]
    value, q = min(pool, key=lambda p: (
        p[0].filled < 0.5, rank.index(p[1].name) if p[1] and p[1].name in rank else 9, -round(p[0].filled, 1),
    ))  # fmt: skip
    if q is None and view.sample.path is not None and re.fullmatch(r"value|val|reading|result|y", value.name, re.I):
        q = quantity_of(Column(view.sample.path.stem, value.cells, comma=value.comma))  # the file is named for it
    if q is None and view.begun is not None and value.whole and view.table.written is not None:
        counting = any(
            re.search(r"acti(graph|watch|life)|counts|motionwatch", b, re.I) for b in view.table.written.before
        )
        q = QUANTITIES["counts"] if counting else None
    daily = abs(step - DAY) < 0.1 * DAY
    if regular < REGULAR or (step > DENSE and not daily):
        return
    stems = [family_of(c.name) for c in columns]  # also of few values, which families() takes for answers
    usual = max(set(stems) - {None}, key=stems.count, default=None)
    row = [c for c, s in zip(columns, stems, strict=True) if s == usual is not None]
    out = Candidate("activity", 0.82 if named else 0.72, "")
    out.score -= 0.2 * (daily and len(columns) > 4) + 0.2 * (not view.who.role and view.sample.n_files == 1)
    headed = view.table.written is None or view.table.written.header
    if len(row) > 9 and headed:
        out.why = f"{counted(len(row), 'column')}, {row[0].name} to {row[-1].name}, are steps within a row of a person."
        out.roles = {**_person(view), **view.time_roles, "value": row[0].name}
        out.choose = [*_asked(view), "put the columns below each other first, a row per step and person: ‹value=›"]
        out.in_the_way = "one column of a row would be read alone"
        yield out
        return
    interval = DAY if daily else interval_of(step)
    roles = {**_person(view), **view.time_roles, "value": value.name}
    sums = _per_interval(view, value, interval, q)
    bins, names, example = bins_for(value, q, sums)
    roles |= {"bins": bins, "names": names, "interval": str(interval)}
    largest = 10.0 ** np.ceil(np.log10(max(1.0, float(np.abs(value.numbers).max(initial=0)))))
    if np.mean(value.numbers < 0) > BELOW_ZERO or largest > MOST_VALID:  # else they would be left out as not valid
        roles["valid"] = f"{-largest if value.numbers.min() < 0 else 0:.0f}..{largest:.0f}"
    if q is not None:
        roles["quantity"] = q.name
    unit = unit_of(value, q)
    if unit and (q is None or unit != q.unit):
        roles["unit-of"] = unit
    every = "day" if daily else spoken(round(step)) if step >= 1 else f"{step:g} seconds"
    out.why = f"{(q.name if q else 'a quantity').capitalize()} every {every} ({regular:.0%} of the steps)."
    if view.own_days < LEAST_DAYS and not daily:
        yield _short(view, value, columns, out.why)
        return
    more, lines = _calendar(_whole_spans(view), float(np.nanmin(view.at)), float(np.nanmax(view.at)), daily=daily)
    out.roles = {**roles, **more}
    out.lines = lines
    out.alternatives["value"] = [c.name for c in columns if c is not value][:40]
    out.choose = _asked(view)
    if not headed and len(columns) > 1:
        out.choose.append(
            f"the columns have no names: which of {len(columns)} was measured? ‹value=› names it by number"
        )
    if example:
        out.choose.append("‹bins=› are an example from the data: say where each of your states begins")
    yield out


def _per_interval(view: View, value: Column, interval: int, q: Quantity | None) -> np.ndarray:
    """What an interval holds: the sum of what adds up, else the mean."""
    assert view.at is not None
    known = ~np.isnan(view.at) & ~np.isnan(value.values)
    slot = view.owner[known] * 10**10 + (view.at[known] // interval).astype(np.int64)
    _, code = np.unique(slot, return_inverse=True)
    sums = np.bincount(code, weights=value.values[known])
    if len(sums) > 20:  # the first and the last interval of a stretch may be cut
        sums = sums[1:-1]
        code = code[(code > 0) & (code <= len(sums))] - 1
    return sums / np.maximum(1, np.bincount(code, minlength=len(sums))) if q is not None and not q.adds_up else sums


def _short(view: View, value: Column, columns: list[Column], why: str) -> Candidate:
    """Recordings of hours are signals: a table of short patterns says more than a day of missing time."""
    roles = {**_person(view), "value": value.name, **view.signal_time}
    return Candidate(
        "symbols", 0.78, f"{why} Less than a day each: a signal per person.", roles,
        {"value": [c.name for c in columns if c is not value][:40]}, _asked(view),
        in_the_way="" if view.who.role else LONE,
    )  # fmt: skip


def _states(view: View) -> Iterable[Candidate]:
    """A state at a regular step."""
    step, regular = view.step
    states = state_columns(view) or _coded(view)
    if step is None or not states or step > 900 or regular < REGULAR or not view.who.role or view.once_each():
        return
    state = states[0]
    if state.distinct > 60 or view.rows_each < 50 or parameters(view):
        return
    assert view.at is not None
    gaps = np.diff(view.at)[np.diff(view.owner) == 0]  # longer ones are rather between two places of a large file
    own = gaps[(gaps > 0) & (gaps < DAY if view.table.cut else gaps > 0)].sum() + step
    gappy = step * view.table.n < LEAST_COVERED * own  # nights without their days
    if view.own_days < LEAST_DAYS or gappy or view.time_roles.get("time-format") == "number":
        yield Candidate(
            "symbols", 0.76, "A state per row, for less than whole days: symbols in a row.",
            {**_person(view), "value": state.name, "symbolize": "none", **view.signal_time},
            {"value": [c.name for c in states[1:]]}, _asked(view),
        )  # fmt: skip
        return
    roles = {**_person(view), **view.time_roles, "state": state.name}
    interval = interval_of(step)
    if interval != 60:
        roles["interval"] = str(interval)
    more, lines = _calendar(_whole_spans(view), float(np.nanmin(view.at)), float(np.nanmax(view.at)))
    yield Candidate(
        "activity", 0.74, f"A state every {step:g} seconds ({regular:.0%} of the steps).", {**roles, **more},
        {"state": [c.name for c in states[1:]]}, _asked(view), lines,
    )  # fmt: skip


def _coded(view: View) -> list[Column]:
    """Columns of a few whole numbers that stay as they are for some rows: codes of states, such as stages of sleep."""
    found = [c for c in view.free if c.is_number and c.whole and 2 <= c.distinct <= MOST_CODES and c.filled > 0.9]
    same = np.diff(view.owner) == 0
    return [
        c for c in found
        if not NUMBERED.search(c.name) and not BESIDE.search(spaced(c.name)) and np.abs(c.numbers).max() < 100
        and view.changes(c) > 0.3 and np.sum(np.diff(c.values)[same] == 0) > STAYS * same.sum()
    ]  # fmt: skip


def _wide(view: View) -> Iterable[Candidate]:
    """A row of states per person, or a list of them in one cell."""
    rest = [c for c in view.table.columns if c.name != view.who.role and not c.unnamed]
    if view.sample.n_files == 1 and view.once_each():
        listed = [c for c in rest if holds_lists(c)]
        if (
            len(listed) == 1
            and sum("." in t for t in listed[0].full) < 0.9 * len(listed[0].full)
            and np.median([t.count(",") for t in listed[0].full]) >= LEAST_LIST
        ):
            yield Candidate("activity", 0.85, "A list of states per person.", {
                **_person(view), "state": listed[0].name}, choose=_asked(view))  # fmt: skip
            return
        words = [c for c in rest if not c.form and not c.is_number and c.distinct <= 40 and c.words < 4]
        stems = [family_of(c.name) for c in words]
        usual = max(set(stems), key=stems.count, default=None)
        alike = [c for c, s in zip(words, stems) if s is not None and s == usual]
        vocabulary = {t for c in alike for t in c.full}
        if len(alike) >= (WIDE if "#" in str(usual) else FEW_WIDE) and len(vocabulary) <= 60:
            left = [c.name for c in rest if c not in alike]
            out = Candidate("activity", 0.8, f"{counted(len(alike), 'column')} of states: a row per person.",
                            _person(view), choose=_asked(view))  # fmt: skip
            if left:
                out.roles["quasi"] = ",".join(c.name for c in alike)
                out.choose.append(f"left out, because they are no intervals: {', '.join(left[:6])}")
            yield out


def _whole_spans(view: View) -> np.ndarray:
    """First and last second of everybody, as long as people were recorded by estimate."""
    return (
        np.c_[view.spans[:, 0], np.maximum(view.spans[:, 1], view.spans[:, 0] + view.own_days * DAY)]
        if (view.table.cut and view.who.column is not None)
        else view.spans
    )


def _held(begin: float, end: float, days: int) -> float:
    """Share of so many days in a row, from a midnight on, that a recording holds at best."""
    midnights = np.arange(begin // DAY, end // DAY + 1) * DAY
    return float(np.max(np.minimum(end, midnights + days * DAY) - np.maximum(begin, midnights)) / (days * DAY))


def _calendar(spans: np.ndarray, first: float, last: float, *, daily: bool = False) -> tuple[dict[str, str], list[str]]:
    """The days to keep: the same dates where people were recorded together, else everybody's own first days."""
    own = (spans[:, 1] - spans[:, 0]) / DAY
    whole = max((last - first) / DAY, 1e-9)
    begin, end = (str(np.datetime64(int(t), "s").astype("datetime64[D]")) for t in (first, last))
    said = [f"recorded from {begin} to {end}, about {counted(round(float(np.median(own)), 1), 'day')} a person"]
    share_of_dates = float(np.mean(own / whole)) if len(own) else 0.0
    if share_of_dates >= ENOUGH_TOGETHER or len(own) == 1:
        return {"dates": f"{begin}..{end}"}, said
    shares = {d: float(np.mean([_held(s, e, d) for s, e in spans])) for d in range(1, WEEK + 1)}
    enough = [d for least in (ENOUGH_OBSERVED, 0.85) for d in sorted(shares, reverse=True) if shares[d] >= least]
    days = enough[0] if enough else max(shares, key=lambda d: shares[d])
    if len(own) and float(np.median(own)) >= 2 * WEEK - 1:  # a whole week from a Monday on is in there
        weeks = max(1, int(np.median(own) - WEEK + 1) // WEEK) if daily else 1
        return {"align": "monday", "days": str(weeks * WEEK)}, said
    said.append(
        f"the same dates for everybody would be observed for {share_of_dates:.0%} of the time, own days from the start "
        f"on for {', '.join(f'{shares[d]:.0%} ({d} d)' for d in (1, 2, 7) if shares[d] > 0)}"
    )
    return {"align": "start", "days": str(days)}, said

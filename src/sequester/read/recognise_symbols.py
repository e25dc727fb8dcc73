"""Is it a signal? Many numbers or symbols in a row per person, without times that matter or for less than a day."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sequester.errors import counted
from sequester.read.gather import FILE
from sequester.read.people import PLACES
from sequester.read.quantity import BESIDE
from sequester.read.recognise_activity import LONE, NUMBERED
from sequester.read.recognise_events import COUNTED
from sequester.read.recognise_series import one_scale
from sequester.read.sample import Sample
from sequester.read.signals import leads_of, members_of
from sequester.read.view import Candidate, View, clock_like

LEAST_SAMPLES, LEAST_DISORDER = 60, 0.1
LEAST_ANSWERS = 3
"""Columns of yes or no that make a row a patient, not a moment, where nobody is named."""
MAP = "is {it} a person, or has a person several? ‹people='MAP.csv'› tells recordings and people"
SIGNAL = re.compile(
    r"ecg|ekg|eeg|emg|ppg|\bmlii\b|lead|signal|channel|wave|acc|axis|gyro|volt|amplitude|\becg|^[xyz]$", re.I
)
SYMBOL = re.compile(r"(^|[ _])(symbol|letter|token)s?$", re.I)
"""Names of columns whose few whole numbers are symbols already, not amounts to be turned into some."""
MOST_SYMBOLS, MOST_LEADS = 26, 32
FIRST_EPOCH, MOST_RATE = 1e9, 10_000
"""Seconds since 1970 of a day in 2001; samples per second that a recording may have."""


def recordings(sample: Sample, path: Path) -> Candidate:
    """WFDB records and EDF files."""
    names = leads_of(path)
    n = len(members_of(path)) if path.is_dir() else 1
    inside = f" It has {counted(len(names), 'lead')}: {', '.join(names[:12])}." if len(names) > 1 else ""
    out = Candidate("symbols", 0.95, f"Recorded signals.{inside}", {
        "person": "each", "lead": names[0] if names else "1", "window": "10", "alphabet": "4",
    }, {"lead": names[1:]})  # fmt: skip
    out.choose = [
        f"is each of the {counted(n, 'recording')} another person, as ‹person='each'› says? If not, pass "
        "‹people='MAP.csv'› with the columns recording and person"
    ]
    return out


def _begun(view: View) -> float | None:
    """Samples per second, where every file begins with the second of its start and its rate, as some watches write."""
    files = view.table.columns[0].owner
    if files is None:
        return None
    at = np.r_[0, np.flatnonzero(np.diff(files)) + 1]
    values = view.table.columns[0].values
    if at[-1] + 2 > len(values):
        return None
    start, rate = values[at], values[at + 1]
    rest = np.delete(values, np.r_[at, at + 1])
    begins = np.all((start > FIRST_EPOCH) & (start < 2 * FIRST_EPOCH)) and np.nanmax(np.abs(rest)) < FIRST_EPOCH
    return float(rate[0]) if begins and np.all(rate == rate[0]) and 0 < rate[0] <= MOST_RATE else None


def recognise(view: View) -> Iterable[Candidate]:
    """Columns of a signal, or one symbol per row."""
    table, who = view.table, view.who
    if view.once_each() or any(c.is_number and COUNTED.search(c.name) for c in view.free):
        return
    headerless = table.written is not None and not table.written.header
    numeric = [
        c for c in view.free
        if c.is_number and not c.ruled_out and not PLACES.search(c.name) and not NUMBERED.search(c.name)
    ]  # fmt: skip
    if headerless and len(numeric) > 1 and view.rises(numeric[0]):
        numeric = numeric[1:]  # when, not what
    words = [c for c in view.free if not (c.is_number or c.form or c.constant or clock_like(c))]
    words = [c for c in words if view.changes(c)]  # a group beside a signal is said once
    person = {"person": who.role} if who.role else {"person": FILE} if view.sample.n_files > 1 else {}
    timed = view.at is not None and view.step[0] is not None
    lone = view.sample.n_files == 1 and not who.role
    if lone and view.at is not None and np.mean(np.diff(view.at) < 0) > LEAST_DISORDER:
        return  # a recording goes on in time
    if lone and not timed and len(numeric) > 3 and not one_scale([c.numbers for c in numeric]):
        return  # a row of different quantities is no moment of a signal
    if lone and sum(c.distinct == 2 for c in numeric) >= LEAST_ANSWERS:
        return  # a row of answers is a patient
    begun = _begun(view) if headerless and not lone else None
    if numeric and not words and view.rows_each >= LEAST_SAMPLES and len(numeric) <= 64:
        alike = (
            [c for c in numeric if SIGNAL.search(c.name)]
            or [c for c in numeric if not BESIDE.search(c.name)]
            or numeric
        )
        best = alike[0]
        if headerless and view.sample.n_files == 1 and len(numeric) > MOST_LEADS:
            return  # a row each, not a moment each
        why = (
            "One column of numbers: a signal."
            if len(numeric) == 1
            else f"{counted(len(numeric), 'column')} of numbers: signals."
        )
        out = Candidate(
            "symbols",
            0.75 if not timed or (len(numeric) == 1 and view.own_days < 0.75) else 0.5,
            why,
            {**person, "value": best.name},
        )
        out.roles |= view.signal_time if timed else {}
        if headerless:
            out.roles["no-header"] = ""
        if begun is not None:
            out.roles |= {"skip-lines": "2", "rate": f"{begun:g}"}
            out.lines.append("two lines stand before the samples: when it began, and samples per second")
        out.alternatives["value"] = [c.name for c in numeric if c is not best][:40]
        place = f"each of the {counted(view.sample.n_files, 'file')}" if view.sample.n_files > 1 else "a row's owner"
        out.in_the_way = LONE if lone else ""
        out.choose = [] if who.sure else [who.question or MAP.format(it=place)]
        yield out
    few = [c for c in words if 2 <= c.distinct <= MOST_SYMBOLS and c.length < 12 and view.changes(c) > LEAST_DISORDER]
    numbered = [
        c for c in view.free if c.is_number and c.whole and 2 <= c.distinct <= MOST_SYMBOLS and SYMBOL.search(c.name)
    ]
    found = few or numbered
    if who.role and len(found) == 1 and len(table.columns) <= 4 and view.rows_each >= 20 and not timed:
        yield Candidate("symbols", 0.65 if few else 0.8, "One symbol per row.",
                        {**person, "value": found[0].name, "symbolize": "none"},
                        choose=[who.question] if who.question else [])  # fmt: skip

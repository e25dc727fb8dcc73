"""Five plain figures per kind of data: how far is a release from the original, in halves of the real people?

Each is a distance between original and release, divided by the mean distance of random halves of the original: **1.0 is
what a second sample of the same people would differ by**. Below 1 is nearer than that; for a method of k it hints at
copying and is no merit. What this looks at is the original, so the figures are private.

Every layout names a `Plain`: how data and release are looked at, how two such views differ, and which figure stands on
the axis when settings are compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sequester.layouts import LAYOUTS
from sequester.layouts.boxes import Boxes
from sequester.layouts.documents import Documents
from sequester.layouts.drawn import Drawn
from sequester.layouts.log import Log as Released
from sequester.layouts.states import States
from sequester.model import Activities, Corpus, Data, EventLog, Series, SymbolSeries
from sequester.model.kind import rows_of_people, take
from sequester.release import Claim
from sequester.utility.next_event import accuracy
from sequester.utility.process_model import Log
from sequester.utility.symbols import published_tables, true_tables
from sequester.utility.two_samples import ks_distance

HALVES = 6
"""Random pairs of halves whose distances are averaged."""
MOST_ROWS = 1000
"""Rows of activity that are compared, at most."""
ORDERS = 3
"""Longest grams that are compared."""
TOP_WORDS = 500
WORD = re.compile(r"\w+")
View = Any
Distances = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Plain:
    """How one kind of data is compared with its release."""

    says: Mapping[str, str]
    """Figure → what it compares."""
    axis: str
    """The figure by which settings are compared in a picture."""
    original: Callable[[Any], View]
    released: Callable[[Claim, Any], View]
    differ: Callable[[View, View], Distances]
    kept: Callable[[Claim, Any], float] | None = None
    """Share of the original that can still be read, where a release leaves things out."""


class Yardstick:
    """What halves of the original differ by; computed once, asked for every setting."""

    def __init__(self, data: Data, layout: str, *, seed: int = 0) -> None:
        self.plain: Plain | None = LAYOUTS[layout].load("plain") if LAYOUTS[layout].plain else None
        self.data = data
        self.halves: Distances = {}
        if self.plain is None or data.n_people < 4:
            return
        found: list[Distances] = []
        for i in range(HALVES):
            order = np.random.default_rng([seed, i, 9]).permutation(data.n_people)
            one, other = rows_of_people(data, order[: data.n_people // 2])
            found.append(self.plain.differ(*(self.plain.original(take(data, rows)) for rows in (one, other))))
        self.halves = {name: float(np.nanmean([f[name] for f in found])) for name in found[0]}
        self._view = self.plain.original(data)

    def figures(self, claim: Claim) -> dict[str, dict[str, Any]]:
        """Figure → its distance, that of halves, and their ratio (None where halves do not differ)."""
        if self.plain is None or not self.halves:
            return {}
        found = self.plain.differ(self._view, self.plain.released(claim, self.data))
        out = {}
        for name, distance in found.items():
            if name in self.halves and distance == distance:
                half = self.halves[name]
                out[name] = {"distance": distance, "halves": half, "ratio": distance / half if half > 0 else None}
        return out


def variation(a: Mapping[Any, float], b: Mapping[Any, float]) -> float:
    """Total variation of two counts: the share that would have to move."""
    total_a, total_b = sum(a.values()), sum(b.values())
    if not total_a or not total_b:
        return 1.0
    return 0.5 * sum(abs(a.get(g, 0) / total_a - b.get(g, 0) / total_b) for g in a.keys() | b.keys())


# -- series ---------------------------------------------------------------------------------------------------------


def _midpoints(claim: Claim, data: Series) -> np.ndarray:
    boxes = any(c.endswith("_lo") for c in claim.tables["records"].column_names)
    shown: Any = Boxes.read(claim) if boxes else Drawn.read(claim)
    values = (shown.lo + shown.hi) / 2 if boxes else shown.values
    out = np.full((len(values), len(data.times)), np.nan)
    for j, time in enumerate(shown.times):
        out[:, data.times.index(time)] = values[:, j]
    return out


def _series(a: np.ndarray, b: np.ndarray) -> Distances:
    at = [j for j in range(a.shape[1]) if not (np.isnan(a[:, j]).all() or np.isnan(b[:, j]).all())]
    a, b = a[:, at], b[:, at]
    whole = [x[~np.isnan(x).any(axis=1)] for x in (a, b)]
    out = {
        "values": float(np.mean([ks_distance(x, y) for x, y in zip(a.T, b.T, strict=True)])),
        "people's means": ks_distance(*(np.nanmean(x[~np.isnan(x).all(axis=1)], axis=1) for x in (a, b))),
        "spread of a person": ks_distance(*(np.nanstd(x[~np.isnan(x).all(axis=1)], axis=1) for x in (a, b))),
        "change first to last": ks_distance(a[:, -1] - a[:, 0], b[:, -1] - b[:, 0]),
    }
    if len(at) > 1 and all(len(x) > 2 and (x.std(axis=0) > 0).all() for x in whole):
        out["correlation of times"] = float(np.abs(np.subtract(*(np.corrcoef(x.T) for x in whole))).mean())
    return out


SERIES = Plain(
    says={
        "values": "values at each time",
        "people's means": "the mean of each person",
        "spread of a person": "how much a person's values vary",
        "change first to last": "the change from the first time to the last",
        "correlation of times": "how values at two times go together",
    },
    axis="values", original=lambda data: data.values, released=_midpoints, differ=_series,
)  # fmt: skip


# -- text -----------------------------------------------------------------------------------------------------------


def _words(texts: list[str]) -> list[list[str]]:
    return [WORD.findall(text.lower()) for text in texts]


def _released_words(claim: Claim, _data: Corpus) -> list[list[str]]:
    documents = Documents.read(claim)
    return [] if documents is None else _words([t.replace(documents.mark, " ") for t in documents.texts])


def _kept(claim: Claim, data: Corpus) -> float:
    whole = sum(map(len, _words(list(data.texts))))
    return sum(map(len, _released_words(claim, data))) / max(1, whole)


def _text(a: list[list[str]], b: list[list[str]]) -> Distances:
    words, pairs, used = (
        [Counter(g for t in side for g in grams(t)) for side in (a, b)] for grams in (list, pairwise, set)
    )
    top = [{w for w, _ in c.most_common(TOP_WORDS)} for c in words]
    shares = [{w: c[w] / max(1, len(side)) for w in top[0]} for c, side in zip(used, (a, b), strict=True)]
    return {
        "words": variation(*words),
        "word pairs": variation(*pairs),
        "common words lost": 1 - len(top[0] & top[1]) / max(1, len(top[0])),
        "lengths": ks_distance(*(np.array([len(t) for t in side], float) for side in (a, b))),
        "use of common words": float(np.mean([abs(shares[0][w] - shares[1][w]) for w in top[0]] or [0.0])),
    }


TEXT = Plain(
    says={
        "words": "how often each word is used",
        "word pairs": "which words stand side by side",
        "common words lost": f"the {TOP_WORDS} most frequent words that are not among them any more",
        "lengths": "words per document",
        "use of common words": "in how many documents a frequent word is used",
    },
    axis="words", original=lambda data: _words(list(data.texts)), released=_released_words, differ=_text,
    kept=_kept,
)  # fmt: skip


# -- activity -------------------------------------------------------------------------------------------------------


def _states(data: Activities) -> tuple[np.ndarray, int, int]:
    return data.states[:MOST_ROWS], len(data.state_names), data.intervals_per_day


def _released_states(claim: Claim, data: Activities) -> tuple[np.ndarray, int, int]:
    return States.read(claim, MOST_ROWS).states, len(data.state_names), data.intervals_per_day


def _activity(one: tuple[np.ndarray, int, int], other: tuple[np.ndarray, int, int]) -> Distances:
    n_states, day = max(one[1], other[1]), one[2]
    minutes, daily, rhythm, bouts = ([], [], [], [])
    for states, _, _ in (one, other):
        shares = np.stack([(states == code).mean(axis=1) for code in range(n_states)], axis=1)
        minutes.append(shares)
        parts = states.shape[1] // day
        days = (states[:, : parts * day] if parts else states).reshape(len(states), max(1, parts), -1)
        usual = int(shares.mean(axis=0).argmax())
        daily.append((days != usual).mean(axis=2).std(axis=1) if parts > 1 else (states != usual).mean(axis=1))
        profile = np.stack([(days == code).mean(axis=(0, 1)) for code in range(n_states)])
        hours = np.array_split(np.arange(profile.shape[1]), min(24, profile.shape[1]))
        rhythm.append(np.stack([profile[:, at].mean(axis=1) for at in hours], axis=1))
        turns = np.ones((len(states), states.shape[1] + 1), bool)
        turns[:, 1:-1] = np.diff(states, axis=1) != 0
        ends = np.flatnonzero(turns.ravel())
        lengths = np.diff(ends)
        bouts.append(lengths[(ends[1:] % turns.shape[1]) != 0].astype(float))
    return {
        "minutes": float(np.abs(minutes[0].mean(axis=0) - minutes[1].mean(axis=0)).sum() / 2),
        "people differ": float(np.mean([ks_distance(minutes[0][:, c], minutes[1][:, c]) for c in range(n_states)])),
        "days differ": ks_distance(*daily),
        "rhythm": float(np.abs(rhythm[0] - rhythm[1]).sum(axis=0).mean() / 2),
        "bouts": ks_distance(*bouts),
    }


ACTIVITY = Plain(
    says={
        "minutes": "time spent in each state",
        "people differ": "how people differ in that time",
        "days differ": "how much a person's days differ",
        "rhythm": "the hours of the day",
        "bouts": "how long a state lasts",
    },
    axis="rhythm", original=_states, released=_released_states, differ=_activity,
)  # fmt: skip


# -- events ---------------------------------------------------------------------------------------------------------


def _log(data: EventLog) -> tuple[tuple[str, ...], Log, bool]:
    log = Log(states=data.states, times=data.times, offsets=data.offsets, n_states=len(data.state_names))
    return data.state_names, log, data.time_unit == "second"


def _released_log(claim: Claim, data: EventLog) -> tuple[tuple[str, ...], Log, bool]:
    shown = Released.read(claim)
    log = Log(states=shown.states, times=shown.times, offsets=shown.offsets, n_states=len(shown.names))
    return shown.names, log, shown.unit == "second"


def _events(one: tuple[Any, Log, bool], other: tuple[Any, Log, bool]) -> Distances:
    code: dict[str, int] = {}
    for names, _, _ in (one, other):
        for name in names:
            code.setdefault(name, len(code))
    logs = [
        Log(states=np.array([code[n] for n in names] or [0])[log.states], times=log.times, offsets=log.offsets,
            n_states=len(code)) for names, log, _ in (one, other)
    ]  # fmt: skip
    side = len(code) + 2
    steps = [np.bincount(w[:, 0] * side + w[:, 1], minlength=side * side) for w in (x.padded(2) for x in logs)]
    windows = [x.padded(3) for x in logs]
    out = {
        "order": float(np.abs(steps[0] / steps[0].sum() - steps[1] / max(1, steps[1].sum())).sum() / 2),
        "lengths": ks_distance(*(x.lengths.astype(float) for x in logs)),
    }
    if one[2] and other[2]:
        lasts = [(x.times[x.offsets[1:] - 1] - x.times[x.offsets[:-1]]).astype(float) for x in logs]
        hours = [np.bincount(x.times // 3600 % 24, minlength=24) / max(1, len(x.times)) for x in logs]
        out |= {"durations": ks_distance(*lasts), "hours": float(np.abs(hours[0] - hours[1]).sum() / 2)}
    best, left = (accuracy(w, windows[0], len(code)) for w in windows)
    return out | {"prediction lost": max(0.0, best - left)}


EVENTS = Plain(
    says={
        "order": "what follows what",
        "lengths": "events per person",
        "durations": "time from the first event to the last",
        "hours": "the hour of the day",
        "prediction lost": "how much less often the next event is foreseen",
    },
    axis="order", original=_log, released=_released_log, differ=_events,
)  # fmt: skip


# -- symbols --------------------------------------------------------------------------------------------------------


def _released_grams(claim: Claim, data: SymbolSeries) -> dict[int, dict[Any, float]]:
    shown = published_tables(claim, data.alphabet)
    return {n: {g: max(0, c) for g, c in shown.get(n, {}).items()} for n in range(1, ORDERS + 1)}


def _symbols(a: dict[int, dict[Any, float]], b: dict[int, dict[Any, float]]) -> Distances:
    out = {f"grams of {n}": variation(a[n], b[n]) for n in range(1, ORDERS + 1) if b.get(n)}
    longest = max((n for n in range(2, ORDERS + 1) if b.get(n)), default=0)
    if not longest:
        return out
    table, total = a[longest], sum(a[longest].values())
    right = []
    for side in (a, b):
        best: dict[Any, tuple[float, Any]] = {}
        for g, c in side[longest].items():
            best[g[:-1]] = max(best.get(g[:-1], (-1.0, ())), (c, g))
        right.append(sum(table.get(g, 0) for _, g in best.values()) / max(1, total))
    seen = sum(c for g, c in table.items() if g in b[longest])
    return out | {"next symbol lost": max(0.0, right[0] - right[1]), "grams missing": 1 - seen / max(1, total)}


SYMBOLS = Plain(
    says={
        **{f"grams of {n}": f"how often patterns of {n} occur" for n in range(1, ORDERS + 1)},
        "next symbol lost": "how much less often the next symbol is foreseen",
        "grams missing": "share of patterns that the table does not list",
    },
    axis="grams of 3", original=lambda data: true_tables(data, ORDERS), released=_released_grams, differ=_symbols,
)  # fmt: skip

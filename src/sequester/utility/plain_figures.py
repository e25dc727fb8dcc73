"""Five plain figures per kind of data: how far is a release from the original, in halves of the real people?

Each is a distance between original and release, divided by the mean distance of random halves of the original: **1.0 is
what a second sample of the same people would differ by**. Below 1 is nearer than that; of released rows it hints at
copying and is no merit. What this looks at is the original, so the figures are private.

Every layout names a `Plain`: how data and release are looked at, how two such views differ, and which figure stands on
the axis when settings are compared. Sweeps and the custodian's report take the same figures from here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sequester.layouts import LAYOUTS
from sequester.layouts.documents import Documents
from sequester.layouts.grams import Grams
from sequester.layouts.log import Log as Released
from sequester.layouts.series_view import look_at
from sequester.layouts.states import States
from sequester.model import Activities, Corpus, Data, EventLog, Series, SymbolSeries
from sequester.model.kind import rows_of_people, take
from sequester.release import Claim
from sequester.utility.next_event import accuracy
from sequester.utility.process_model import Log
from sequester.utility.symbols import Counts, predict, published_tables, true_tables
from sequester.utility.two_samples import ks_distance

HALVES = 4
"""Random pairs of halves whose distances are averaged."""
PEOPLE = 1000
"""People looked at per side; more would not move a distance that a reader could see."""
MOST_EVENTS = 500_000
"""Of a longer released log the first objects, which are in random order."""
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
    released: Callable[[Claim, Any], View | None]
    """None where the release shows nothing of the sort."""
    differ: Callable[[View, View], Distances]
    kept: Callable[[Claim, Any], float] | None = None
    """Share of the original that can still be read, where a release leaves things out."""


class Yardstick:
    """What halves of the original differ by; computed once, asked for every setting."""

    def __init__(self, data: Data, layout: str, *, seed: int = 0) -> None:
        self.plain: Plain | None = LAYOUTS[layout].load("plain") if LAYOUTS[layout].plain else None
        if data.n_people > PEOPLE:
            data = take(
                data, rows_of_people(data, np.random.default_rng([seed, 9]).permutation(data.n_people)[:PEOPLE])[0]
            )
        self.data = data
        self.halves: Distances = {}
        if self.plain is None or data.n_people < 4:
            return
        found: list[Distances] = []
        for i in range(HALVES):
            order = np.random.default_rng([seed, i, 9]).permutation(data.n_people)
            one, other = rows_of_people(data, order[: data.n_people // 2])
            found.append(self.plain.differ(*(self.plain.original(take(data, rows)) for rows in (one, other))))
        names = dict.fromkeys(name for f in found for name in f)
        known = {n: [f[n] for f in found if f.get(n, np.nan) == f.get(n)] for n in names}
        self.halves = {name: float(np.mean(distances)) for name, distances in known.items() if distances}
        self._view = self.plain.original(data)

    def figures(self, claim: Claim) -> dict[str, dict[str, Any]]:
        """Figure → its distance, that of halves, and their ratio (None where halves do not differ)."""
        if self.plain is None or not self.halves:
            return {}
        there = self.plain.released(claim, self.data)
        out = {}
        for name, distance in ({} if there is None else self.plain.differ(self._view, there)).items():
            if name in self.halves and distance == distance:
                half = self.halves[name]
                out[name] = {"distance": distance, "halves": half, "ratio": distance / half if half > 0 else None}
        return out


def five_figures(original: Data, claim: Claim) -> list[dict[str, Any]]:
    """One row per figure, for the custodian's report."""
    used = Yardstick(original, claim.layout)
    says = used.plain.says if used.plain else {}
    return [
        {"figure": name, "distance": f["distance"], "halves": f["halves"], "times": f["ratio"], "says": says[name]}
        for name, f in used.figures(claim).items()
    ]


def variation(a: Mapping[Any, float], b: Mapping[Any, float]) -> float:
    """Total variation of two counts: the share that would have to move."""
    total_a, total_b = sum(a.values()), sum(b.values())
    if not total_a or not total_b:
        return 1.0
    return 0.5 * sum(abs(a.get(g, 0) / total_a - b.get(g, 0) / total_b) for g in a.keys() | b.keys())


# -- series ---------------------------------------------------------------------------------------------------------


def _midpoints(claim: Claim, data: Series) -> np.ndarray | None:
    view = look_at(claim.tables, claim.parameters)
    out = np.full((len(view.lo), len(data.times)), np.nan)
    for j, time in enumerate(view.times):
        if time in data.times:
            out[:, data.times.index(time)] = (view.lo[:, j] + view.hi[:, j]) / 2
    return out if np.isfinite(out).any() else None


def _series(a: np.ndarray, b: np.ndarray) -> Distances:
    at = [j for j in range(a.shape[1]) if not (np.isnan(a[:, j]).all() or np.isnan(b[:, j]).all())]
    if not at:
        return {}
    a, b = a[:, at], b[:, at]
    some = [x[~np.isnan(x).all(axis=1)] for x in (a, b)]
    out = {
        "values at each time": float(np.mean([ks_distance(x, y) for x, y in zip(a.T, b.T, strict=True)])),
        "mean of a record": ks_distance(*(np.nanmean(x, axis=1) for x in some)),
        "spread within a record": ks_distance(*(np.nanstd(x, axis=1) for x in some)),
        "change from first to last": ks_distance(a[:, -1] - a[:, 0], b[:, -1] - b[:, 0]),
    }
    whole = [x[np.isfinite(x).all(axis=1)] for x in (a, b)]
    if len(at) > 1 and all(len(x) > 2 for x in whole):
        with np.errstate(all="ignore"):  # a time at which all are alike goes together with nothing
            apart = np.abs(np.subtract(*(np.corrcoef(x.T) for x in whole)))
        out["times that go together"] = float(np.nanmean(apart)) if np.isfinite(apart).any() else 0.0
    return out


SERIES = Plain(
    says={
        "values at each time": "distribution of values (largest gap, mean over times; of a range its middle)",
        "mean of a record": "distribution of the records' means (largest gap)",
        "spread within a record": "distribution of the records' standard deviations (largest gap)",
        "change from first to last": "last value less the first (largest gap between distributions)",
        "times that go together": "correlations between times (mean difference)",
    },
    axis="values at each time", original=lambda data: data.values, released=_midpoints, differ=_series,
)  # fmt: skip


# -- text -----------------------------------------------------------------------------------------------------------


def _words(texts: list[str]) -> list[list[str]]:
    return [WORD.findall(text.lower()) for text in texts]


def _released_words(claim: Claim, _data: Corpus) -> list[list[str]] | None:
    shown = Documents.read(claim)
    if shown is None:
        return None
    gone = re.compile(f"(?:{re.escape(shown.mark)})+" + ("|\\[[A-Z][A-Z_]*\\]" if shown.kinds else ""))
    return _words([gone.sub(" ", text) for text in shown.texts])


def _kept(claim: Claim, data: Corpus) -> float:
    whole = sum(map(len, _words(list(data.texts))))
    return sum(map(len, _released_words(claim, data) or ())) / max(1, whole)


def _text(a: list[list[str]], b: list[list[str]]) -> Distances:
    words, pairs, used = (
        [Counter(g for t in side for g in grams(t)) for side in (a, b)] for grams in (list, pairwise, set)
    )
    top = [{w for w, _ in c.most_common(TOP_WORDS)} for c in words]
    apart = [abs(used[0][w] / max(1, len(a)) - used[1][w] / max(1, len(b))) for w in sorted(top[0])]
    return {
        "words": variation(*words),
        "pairs of words": variation(*pairs),
        "frequent words lost": 1 - len(top[0] & top[1]) / max(1, len(top[0])),
        "length of documents": ks_distance(*(np.array([len(t) for t in side], float) for side in (a, b))),
        "documents with a word": float(np.mean(apart or [0.0])),
    }


TEXT = Plain(
    says={
        "words": "how often each word occurs (total variation)",
        "pairs of words": "how often two words stand side by side (total variation)",
        "frequent words lost": f"share of the {TOP_WORDS} most frequent words that are not among the release's "
        f"{TOP_WORDS}",
        "length of documents": "words per document (largest gap between distributions)",
        "documents with a word": "share of documents that use a frequent word (mean difference)",
    },
    axis="words", original=lambda data: _words(list(data.texts)), released=_released_words, differ=_text,
    kept=_kept,
)  # fmt: skip


# -- activity -------------------------------------------------------------------------------------------------------


def _states(data: Activities) -> tuple[np.ndarray, int, int]:
    return data.states, len(data.state_names), data.intervals_per_day


def _released_states(claim: Claim, data: Activities) -> tuple[np.ndarray, int, int] | None:
    rows = States.read(claim, PEOPLE).states
    alike = len(rows) and rows.shape[1] == data.states.shape[1]
    return (rows, len(data.state_names), data.intervals_per_day) if alike else None


def _activity(one: tuple[np.ndarray, int, int], other: tuple[np.ndarray, int, int]) -> Distances:
    n_states, day = one[1], one[2]
    minutes, daily, rhythm, bouts = ([], [], [], [])
    for states, _, _ in (one, other):
        shares = np.stack([(states == code).mean(axis=1) for code in range(n_states)], axis=1)
        minutes.append(shares)
        days = states[:, : states.shape[1] // day * day].reshape(len(states), -1, day)
        daily.append((days != shares.mean(axis=0).argmax()).mean(axis=2).std(axis=1) if days.shape[1] else shares[:, 0])
        profile = (
            np.stack([(days == code).mean(axis=(0, 1)) for code in range(n_states)]) if days.shape[1] else shares.T
        )
        hours = np.array_split(np.arange(profile.shape[1]), min(24, profile.shape[1]))
        rhythm.append(np.stack([profile[:, at].mean(axis=1) for at in hours], axis=1))
        turns = np.ones((len(states), states.shape[1] + 1), bool)
        turns[:, 1:-1] = np.diff(states, axis=1) != 0
        ends = np.flatnonzero(turns.ravel())
        bouts.append(np.diff(ends)[(ends[1:] % turns.shape[1]) != 0].astype(float))
    out = {
        "minutes in each state": float(np.abs(minutes[0].mean(axis=0) - minutes[1].mean(axis=0)).sum() / 2),
        "people differ": float(np.mean([ks_distance(minutes[0][:, c], minutes[1][:, c]) for c in range(n_states)])),
    }
    n_days = one[0].shape[1] // day
    if n_days > 1:
        out["days differ"] = ks_distance(*daily)
    if n_days:
        out["rhythm of the day"] = float(np.abs(rhythm[0] - rhythm[1]).sum(axis=0).mean() / 2)
    return out | {"time without a change": ks_distance(*bouts)}


ACTIVITY = Plain(
    says={
        "minutes in each state": "share of time in each state (total variation)",
        "people differ": "how minutes are spread over people (largest gap, mean over states)",
        "days differ": "how much a person's days differ (largest gap between distributions)",
        "rhythm of the day": "states by hour of the day (total variation, mean over hours)",
        "time without a change": "how long people stay in a state (largest gap between distributions)",
    },
    axis="rhythm of the day", original=_states, released=_released_states, differ=_activity,
)  # fmt: skip


# -- events ---------------------------------------------------------------------------------------------------------


class _Logged(NamedTuple):
    names: tuple[str, ...]
    log: Log
    unit: str
    called: Callable[[str], str] = str
    """What a state of the original is called here: a release may show codes at a higher level."""


def _log(data: EventLog) -> _Logged:
    log = Log(states=data.states, times=data.times, offsets=data.offsets, n_states=len(data.state_names))
    return _Logged(data.state_names, log, data.time_unit)


def _released_log(claim: Claim, _data: EventLog) -> _Logged | None:
    shown = Released.read(claim, who="measure", events=MOST_EVENTS)
    log = Log(states=shown.states, times=shown.times, offsets=shown.offsets, n_states=len(shown.names))
    return _Logged(shown.names, log, shown.unit, shown.called) if len(shown.states) else None


def _events(one: _Logged, other: _Logged) -> Distances:
    code: dict[str, int] = {}
    named = [[*map(other.called, one.names)], other.names]
    for name in (*named[0], *named[1]):
        code.setdefault(name, len(code))
    a, b = (
        Log(states=np.array([code[n] for n in names] or [0])[x.states], times=x.times, offsets=x.offsets,
            n_states=len(code)) for names, x in zip(named, (one.log, other.log), strict=True)
    )  # fmt: skip
    side = len(code) + 2
    steps = [np.bincount(w[:, 0] * side + w[:, 1], minlength=side * side) for w in (a.padded(2), b.padded(2))]
    out = {
        "order of events": float(np.abs(steps[0] / steps[0].sum() - steps[1] / max(1, steps[1].sum())).sum() / 2),
        "events in a history": ks_distance(a.lengths.astype(float), b.lengths.astype(float)),
    }
    if "order" not in (one.unit, other.unit):
        lasts = [(x.times[x.offsets[1:] - 1] - x.times[x.offsets[:-1]]).astype(float) for x in (a, b)]
        out["length of histories"] = ks_distance(*lasts)
        if one.unit == "second":
            hours = [np.bincount(x.times // 3600 % 24, minlength=24) / max(1, len(x.times)) for x in (a, b)]
            out["hours of the day"] = float(np.abs(hours[0] - hours[1]).sum() / 2)
    test = a.padded(3)
    best, left = (accuracy(w, test, len(code)) for w in (test, b.padded(3)))
    return out | {"prediction": max(0.0, best - left)}


EVENTS_SAY = {
    "order of events": "which state follows which, starts and ends included (total variation)",
    "events in a history": "how many events histories have (largest gap between distributions)",
    "length of histories": "time from first to last event (largest gap between distributions)",
    "hours of the day": "at which hours events happen (total variation)",
    "prediction": "how much less often a model trained on the release names the next event",
}
EVENTS = Plain(says=EVENTS_SAY, axis="order of events", original=_log, released=_released_log, differ=_events)


# -- symbols --------------------------------------------------------------------------------------------------------

PATTERNS = {1: "single symbols", 2: "pairs of symbols", 3: "longer patterns"}


def _released_grams(claim: Claim, data: SymbolSeries) -> dict[int, Counts] | None:
    if not Grams.there(claim) or not claim.tables["ngrams"].num_rows:
        return None
    shown = published_tables(claim, data.alphabet)
    return {n: {g: max(0, c) for g, c in shown.get(n, {}).items()} for n in PATTERNS}


def _symbols(a: dict[int, Counts], b: dict[int, Counts]) -> Distances:
    out = {name: variation(a[n], b[n]) for n, name in PATTERNS.items() if b.get(n)}
    longest = max((n for n in PATTERNS if b.get(n)), default=0)
    if longest < 2:
        return out
    right = [predict(side, a, longest)["accuracy"] for side in (a, b)]
    seen = sum(count for gram, count in a[longest].items() if gram in b[longest])
    lost = 1 - seen / max(1, sum(a[longest].values()))
    return out | {"next symbol": max(0.0, right[0] - right[1]), "patterns lost": lost}


SYMBOLS = Plain(
    says={
        "single symbols": "how often each symbol occurs (total variation)",
        "pairs of symbols": "how often two symbols follow each other (total variation)",
        "longer patterns": "how often the longest patterns occur (total variation)",
        "next symbol": "how much less often the release names the next symbol",
        "patterns lost": "share of all occurrences whose pattern is not in the release",
    },
    axis="longer patterns", original=lambda data: true_tables(data, 3), released=_released_grams, differ=_symbols,
)  # fmt: skip

"""Five plain figures per kind of data: how far a release is from its original, beside its yardstick.

The yardstick is what two random halves of the real people differ by, the mean of some pairs of halves. A figure of 1.0
says: as far from the original as another sample of the same people would be. Below 1 is nearer than that, which for
released rows is a hint of copying and no merit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from sequester.layouts.documents import Documents
from sequester.layouts.grams import Grams
from sequester.layouts.log import Log as Released
from sequester.layouts.series_view import look_at
from sequester.layouts.states import States
from sequester.model import Activities, Corpus, Data, EventLog, Series, SymbolSeries
from sequester.model.kind import rows_of_people, take
from sequester.release import Claim
from sequester.utility.next_event import accuracy
from sequester.utility.process_model import Log, aligned
from sequester.utility.symbols import Counts, predict, published_tables, true_tables
from sequester.utility.two_samples import ks_distance

PAIRS = 4
"""Pairs of halves that the yardstick is the mean of."""
PEOPLE = 1000
"""People looked at per side; more would not move a distance that a reader could see."""
TOP = 500
WORD = re.compile(r"\w+")
Look = Any
Distances = dict[str, float]


def five_figures(original: Data, claim: Claim) -> list[dict[str, Any]]:
    """One row per figure: the distance of the release, that of halves, and the first in units of the second.

    Parameters
    ----------
    original
        What the release was made from.
    claim
        The release or bundle.
    """
    look, there, compare = _LOOKS[type(original)](original, claim)
    if there is None or original.n_people < 4:
        return []
    rng = np.random.default_rng(9)
    if original.n_people > PEOPLE:
        kept, _ = rows_of_people(original, rng.permutation(original.n_people)[:PEOPLE])
        original = take(original, kept)
    found, halves = compare(look(original), there), []
    for _ in range(PAIRS):
        one, two = rows_of_people(original, rng.permutation(original.n_people)[: original.n_people // 2])
        halves.append(compare(look(take(original, one)), look(take(original, two))))
    rows = []
    for name, distance in found.items():
        yardstick = float(np.mean([h[name] for h in halves]))
        if distance == distance and yardstick == yardstick:
            rows.append(
                {"figure": name, "distance": distance, "halves": yardstick,
                 "times": distance / yardstick if yardstick > 0 else None, "says": SAYS[name]}
            )  # fmt: skip
    return rows


SAYS = {
    "order of events": "which state follows which, starts and ends included (total variation)",
    "events in a history": "how many events histories have (largest gap between distributions)",
    "length of histories": "time from first to last event (largest gap between distributions)",
    "hours of the day": "at which hours events happen (total variation)",
    "prediction": "how much less often a model trained on the release names the next event",
    "minutes in each state": "share of time in each state (total variation)",
    "people differ": "how minutes are spread over people (largest gap, mean over states)",
    "days differ": "how much a person's days differ (largest gap between distributions)",
    "rhythm of the day": "states by hour of the day (total variation, mean over hours)",
    "time without a change": "how long people stay in a state (largest gap between distributions)",
    "values at each time": "distribution of values (largest gap, mean over times; of a range its middle)",
    "mean of a record": "distribution of the records' means (largest gap)",
    "spread within a record": "distribution of the records' standard deviations (largest gap)",
    "change from first to last": "last value less the first (largest gap between distributions)",
    "times that go together": "correlations between times (mean difference)",
    "words": "how often each word occurs (total variation)",
    "pairs of words": "how often two words stand side by side (total variation)",
    "frequent words lost": f"share of the {TOP} most frequent words that are not among the release's {TOP}",
    "length of documents": "words per document (largest gap between distributions)",
    "documents with a word": "share of documents that use a frequent word (mean difference)",
    "single symbols": "how often each symbol occurs (total variation)",
    "pairs of symbols": "how often two symbols follow each other (total variation)",
    "longer patterns": "how often the longest patterns occur (total variation)",
    "next symbol": "how much less often the release names the next symbol",
    "patterns lost": "share of all occurrences whose pattern is not in the release",
}
"""Figure → what it compares."""


def _variation(a: Mapping[Any, float], b: Mapping[Any, float]) -> float:
    """Total variation between two tables of counts."""
    n, m = sum(a.values()), sum(b.values())
    return sum(abs(a.get(k, 0) / n - b.get(k, 0) / m) for k in a.keys() | b.keys()) / 2 if n and m else 1.0


def _events(original: EventLog, claim: Claim) -> tuple[Callable, Look, Callable]:
    released = Released.read(claim, who="measure", events=500_000)
    synthetic = aligned(original, released, False)[1]
    unit = original.time_unit if released.unit != "order" else "order"

    def compare(a: Log, b: Log) -> Distances:
        out = {
            "order of events": _variation(_pairs(a), _pairs(b)),
            "events in a history": ks_distance(a.lengths.astype(float), b.lengths.astype(float)),
        }
        if unit != "order":
            last = [(x.times[x.offsets[1:] - 1] - x.times[x.offsets[:-1]]).astype(float) for x in (a, b)]
            out["length of histories"] = ks_distance(*last)
        if unit == "second":
            hours = [Counter((x.times % 86400 // 3600).tolist()) for x in (a, b)]
            out["hours of the day"] = _variation(*hours)
        test = a.padded(3)
        lost = accuracy(test, test, a.n_states) - accuracy(b.padded(3), test, a.n_states)
        return out | {"prediction": max(0.0, lost)}

    there = synthetic if len(synthetic.states) else None
    return lambda data: aligned(data, released, False)[0], there, compare


def _pairs(log: Log) -> dict[int, int]:
    pairs = log.padded(2)
    cells, counts = np.unique(pairs[:, 0] * (log.n_states + 2) + pairs[:, 1], return_counts=True)
    return dict(zip(cells.tolist(), counts.tolist(), strict=True))


def _activity(original: Activities, claim: Claim) -> tuple[Callable, Look, Callable]:
    released = States.read(claim, PEOPLE)
    n, day = len(original.state_names), max(1, 86400 // original.interval_seconds)
    there = released.states if released.states.shape[1] == original.states.shape[1] and len(released.states) else None

    def compare(a: np.ndarray, b: np.ndarray) -> Distances:
        shares = [np.stack([(x == code).mean(axis=1) for code in range(n)], axis=1) for x in (a, b)]
        out = {"minutes in each state": float(np.abs(shares[0].mean(axis=0) - shares[1].mean(axis=0)).sum() / 2)}
        out["people differ"] = float(np.mean([ks_distance(shares[0][:, c], shares[1][:, c]) for c in range(n)]))
        whole = a.shape[1] // day * day
        if whole >= 2 * day:
            days = [(x[:, :whole] != 0).reshape(len(x), -1, day).mean(axis=2).std(axis=1) for x in (a, b)]
            out["days differ"] = ks_distance(*days)
        if whole:
            shown = [_by_hour(x[:, :whole], n, day) for x in (a, b)]
            out["rhythm of the day"] = float(np.abs(shown[0] - shown[1]).sum(axis=0).mean() / 2)
        return out | {"time without a change": ks_distance(_bouts(a), _bouts(b))}

    return lambda data: data.states, there, compare


def _by_hour(states: np.ndarray, n: int, day: int) -> np.ndarray:
    slots = np.tile(np.arange(day) * 24 // day, states.shape[1] // day)
    out = np.zeros((n, 24))
    for code in range(n):
        out[code] = np.bincount(slots, weights=(states == code).mean(axis=0), minlength=24)
    return out / np.maximum(1, np.bincount(slots, minlength=24))


def _bouts(states: np.ndarray) -> np.ndarray:
    edge = np.ones((len(states), states.shape[1] + 1), dtype=bool)
    edge[:, 1:-1] = states[:, 1:] != states[:, :-1]
    row, at = np.nonzero(edge)
    return np.diff(at)[np.diff(row) == 0].astype(float)


def _series(original: Series, claim: Claim) -> tuple[Callable, Look, Callable]:
    view = look_at(claim.tables, claim.parameters)
    middle = (view.lo + view.hi) / 2
    at = [original.times.index(t) for t in view.times if t in original.times]
    there = middle if len(at) == middle.shape[1] > 1 and np.isfinite(middle).any() else None

    def compare(a: np.ndarray, b: np.ndarray) -> Distances:
        out = {"values at each time": float(np.mean([ks_distance(x, y) for x, y in zip(a.T, b.T, strict=True)]))}
        with np.errstate(all="ignore"):
            for name, of in (("mean of a record", np.mean), ("spread within a record", np.std)):
                out[name] = ks_distance(of(a, axis=1), of(b, axis=1))
            out["change from first to last"] = ks_distance(a[:, -1] - a[:, 0], b[:, -1] - b[:, 0])
            whole = [x[np.isfinite(x).all(axis=1)] for x in (a, b)]
            if all(len(x) > 2 for x in whole):
                apart = np.abs(np.corrcoef(whole[0].T) - np.corrcoef(whole[1].T))
                out["times that go together"] = float(np.nanmean(apart)) if np.isfinite(apart).any() else 0.0
        return out

    return lambda data: data.values[:, at], there, compare


def _text(original: Corpus, claim: Claim) -> tuple[Callable, Look, Callable]:
    declared = Documents.read(claim)
    there = None
    if declared is not None:
        gone = re.compile(f"(?:{re.escape(declared.mark)})+" + ("|\\[[A-Z][A-Z_]*\\]" if declared.kinds else ""))
        there = [WORD.findall(gone.sub(" ", text).lower()) for text in declared.texts]

    def compare(a: list[list[str]], b: list[list[str]]) -> Distances:
        words, used = ([Counter(w for doc in x for w in of(doc)) for x in (a, b)] for of in (list, set))
        two = [Counter(pair for doc in x for pair in pairwise(doc)) for x in (a, b)]
        top = [{w for w, _ in c.most_common(TOP)} for c in words]
        shares = [abs(used[0][w] / max(1, len(a)) - used[1][w] / max(1, len(b))) for w in sorted(top[0])]
        return {
            "words": _variation(*words),
            "pairs of words": _variation(*two),
            "frequent words lost": 1 - len(top[0] & top[1]) / max(1, len(top[0])),
            "length of documents": ks_distance(*(np.array([len(doc) for doc in x], dtype=float) for x in (a, b))),
            "documents with a word": float(np.mean(shares)) if shares else 0.0,
        }

    return lambda data: [WORD.findall(data.text(i).lower()) for i in range(data.n_records)], there, compare


def _symbols(original: SymbolSeries, claim: Claim) -> tuple[Callable, Look, Callable]:
    if not Grams.there(claim) or not claim.tables["ngrams"].num_rows:
        return lambda data: data, None, lambda a, b: {}
    longest = Grams.read(claim).longest
    table = published_tables(claim, original.alphabet)

    def compare(a: dict[int, Counts], b: dict[int, Counts]) -> Distances:
        names = {1: "single symbols", 2: "pairs of symbols", longest: "longer patterns"}
        out = {name: _variation(a[n], b.get(n, {})) for n, name in names.items() if n in a}
        right = [predict(x, a, longest)["accuracy"] for x in (a, b)]
        total = max(1, sum(a[longest].values()))
        kept = sum(count for gram, count in a[longest].items() if gram in b.get(longest, {}))
        return out | {"next symbol": max(0.0, right[0] - right[1]), "patterns lost": 1 - kept / total}

    return lambda data: true_tables(data, longest), table, compare


_LOOKS: dict[type, Callable[..., tuple[Callable, Look, Callable]]] = {
    EventLog: _events, Activities: _activity, Series: _series, Corpus: _text, SymbolSeries: _symbols,
}  # fmt: skip

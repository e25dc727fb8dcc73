"""Does a release look as if this person had been in the data? One score per person, for everybody at once.

Every layout names a scorer: `scorer(data)` prepares what is needed of all people, once, and gives a function
`score(inside, claim)`, one number per record, higher where the record seems to have been in. `inside` says which
records were; the likelihood leaves a member's own record out of what it knows about the others, so that a member and a
stranger are judged alike. Its attacker knows everybody else, as differential privacy supposes.

Beside them stands linkage for everybody, where it is cheap: whose row can be named, who is alone by two visible runs.

References
----------
Homer et al. 2008 (likelihood from shares); Carlini et al. 2022 (each person in and out of many runs).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from sequester.attacks.activity import cells, released_states
from sequester.attacks.ends import envelope_scores
from sequester.attacks.events import released_traces
from sequester.attacks.series import read_shown
from sequester.attacks.symbols import grams_by_person, released_grams
from sequester.attacks.text import own_document, released_texts, share_shown, windows_of
from sequester.layouts.documents import Documents
from sequester.model import Activities, Corpus, EventLog, Series, SymbolSeries
from sequester.release import Claim

Score = Callable[[np.ndarray, Claim], np.ndarray | None]
"""Which records were in, and a release → a score per record; None where this release shows nothing of that sort."""
SHORTEST_RUN = 4
"""Visible runs of fewer characters are met by chance."""


class Tally:
    """How often each record has each gram, as three columns: record, gram, count."""

    def __init__(self, grams: Iterable[Iterable[Any]]) -> None:
        self.code: dict[Any, int] = {}
        records, codes = [], []
        for i, mine in enumerate(grams):
            for gram in mine:
                records.append(i)
                codes.append(self.code.setdefault(gram, len(self.code)))
        self.n = i + 1 if records else 0
        both = np.array(records, np.int64) * max(1, len(self.code)) + np.array(codes, np.int64)
        found, self.count = np.unique(both, return_counts=True)
        self.record, self.gram = np.divmod(found, max(1, len(self.code)))
        self.total = np.bincount(self.record, self.count, self.n)

    def likelihood(self, inside: np.ndarray, shown: dict[Any, float]) -> np.ndarray:
        """Mean over a record's grams of log(share in the release) less log(share among the other members)."""
        released = np.zeros(len(self.code))
        for gram, count in shown.items():
            if gram in self.code:
                released[self.code[gram]] += max(0.0, count)
        n_released = sum(max(0.0, c) for c in shown.values())
        own = inside[self.record]
        members = np.bincount(self.gram, self.count * own, len(self.code))
        n_members = float((self.total * inside).sum())
        others = members[self.gram] - self.count * own
        n_others = n_members - self.total[self.record] * own
        gain = np.log((released[self.gram] + 0.5) / (n_released + 1)) - np.log((others + 0.5) / (n_others + 1))
        return np.bincount(self.record, self.count * gain, self.n) / np.maximum(1, self.total)


def events(data: EventLog) -> Score:
    """Likelihood of a person's transitions, entry and exit included."""
    names = np.array(data.state_names, dtype=object)
    spans = zip(data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True)
    tally = Tally(pairwise(("", *names[data.states[a:b]].tolist(), "")) for a, b in spans)

    def score(inside: np.ndarray, claim: Claim) -> np.ndarray | None:
        traces = released_traces(claim)
        if not traces:
            return None
        shown: dict[Any, float] = {}
        for trace in traces:
            for gram in pairwise(("", *trace, "")):
                shown[gram] = shown.get(gram, 0) + 1
        return tally.likelihood(inside, shown)

    return score


def symbols(data: SymbolSeries) -> Score:
    """Likelihood of a person's grams of the longest order that the table shows."""
    people, owner = np.unique(data.persons.astype(str), return_inverse=True)
    kept: dict[tuple[int, bool], Tally] = {}

    def score(inside: np.ndarray, claim: Claim) -> np.ndarray | None:
        tables = released_grams(claim) or {}
        order = max((o for o, table in tables.items() if table), default=0)
        if not order:
            return None
        boundary = claim.guarantee.parameters.get("boundary") is not None
        if (order, boundary) not in kept:
            counted = grams_by_person(data, order, boundary=boundary)
            kept[order, boundary] = Tally(c.elements() for c in counted)
        mine = np.zeros(len(people), bool)
        mine[owner[inside]] = True
        return kept[order, boundary].likelihood(mine, dict(tables[order]))[owner]

    return score


def activity(data: Activities) -> Score:
    """Likelihood of a person's state at every interval."""
    n_states, at = len(data.state_names), np.arange(data.states.shape[1])

    def score(inside: np.ndarray, claim: Claim) -> np.ndarray | None:
        rows = released_states(claim)
        if rows is None or rows.shape[1] != data.states.shape[1]:
            return None
        released = np.log((cells(rows, n_states) + 0.5) / (len(rows) + 1))
        members = cells(data.states[inside], n_states)
        n = int(inside.sum())
        gains = [released - np.log((np.maximum(members - own, 0) + 0.5) / (n - own + 1)) for own in (0, 1)]
        return np.array([gains[int(own)][at, s].mean() for own, s in zip(inside, data.states, strict=True)])

    return score


def text(data: Corpus) -> Score:
    """Share of a document that the release shows somewhere."""
    bodies = [data.text(i) for i in range(data.n_records)]

    def score(_inside: np.ndarray, claim: Claim) -> np.ndarray | None:
        texts = released_texts(claim)
        if not texts:
            return None
        shown = windows_of(texts.values())
        return np.array([share_shown(body, shown) for body in bodies])

    return score


def series(data: Series) -> Score:
    """Whether some envelope holds the whole series, and how many of its ends it meets."""

    def score(_inside: np.ndarray, claim: Claim) -> np.ndarray | None:
        shown = read_shown(claim, data)
        if shown is None:
            return None
        step = float(claim.parameters.get("ends_step") or 0.0)
        return envelope_scores(shown, data.values, np.arange(len(shown.columns)), step, of=data.values)

    return score


# -- linkage for everybody ------------------------------------------------------------------------------------------


def rows_named(data: Series, claim: Claim) -> tuple[float, str] | None:
    """Chance to name a person's row by all values: the mean of one over the rows whose ranges hold the series."""
    shown = read_shown(claim, data)
    if shown is None or not shown.place or shown.lo is shown.hi:
        return None
    rows = np.array(sorted(shown.place))
    crowd = np.zeros(len(rows))
    for start in range(0, len(rows), 256):
        known = data.values[rows[start : start + 256]][:, shown.columns]
        fits = np.ones((len(known), len(shown.lo)), bool)
        for j in range(known.shape[1]):
            value = known[:, j, None]
            fits &= np.isnan(value) | ((shown.lo[:, j] <= value) & (value <= shown.hi[:, j]))
        crowd[start : start + 256] = fits.sum(axis=1)
    return float((1 / np.maximum(1, crowd)).mean()), "chance to name a person's row by all its values"


def alone_by_two_runs(data: Corpus, claim: Claim) -> tuple[float, str] | None:
    """Share of people whose two rarest visible runs stand together in nobody else's text."""
    documents, own = Documents.read(claim), own_document(claim)
    if documents is None or not own:
        return None
    by_name = documents.by_name
    _, owner = np.unique(data.persons.astype(str), return_inverse=True)
    texts: dict[int, list[str]] = {}
    for i, name in enumerate(data.documents):
        if own.get(str(name)) in by_name:
            texts.setdefault(int(owner[i]), []).append(by_name[own[str(name)]])
    if not texts:
        return None
    bodies = {person: "\0".join(mine) for person, mine in texts.items()}
    runs = {
        person: {r.strip() for t in mine for r in documents.runs(t) if len(r.strip()) >= SHORTEST_RUN}
        for person, mine in texts.items()
    }
    holders = _holders({run for mine in runs.values() for run in mine}, bodies)
    alone = 0
    for mine in runs.values():
        rarest = sorted((holders[run] for run in mine), key=len)[:2]
        alone += bool(rarest) and len(frozenset.intersection(*rarest)) == 1
    return alone / len(texts), "people alone by their two rarest visible runs"


def _holders(runs: set[str], bodies: dict[int, str]) -> dict[str, frozenset[int]]:
    """Run → people whose text contains it; only those are looked at who have every window of its characters."""
    people, having = list(bodies), dict[str, int]()  # the people who have a window, as bits
    for i, body in enumerate(bodies.values()):
        for window in {body[j : j + SHORTEST_RUN] for j in range(len(body) - SHORTEST_RUN + 1)}:
            having[window] = having.get(window, 0) | 1 << i
    out = {}
    for run in runs:
        among = -1
        for j in range(len(run) - SHORTEST_RUN + 1):
            among &= having.get(run[j : j + SHORTEST_RUN], 0)
        found = []
        while among:
            last = among & -among
            person = people[last.bit_length() - 1]
            among ^= last
            if run in bodies[person]:
                found.append(person)
        out[run] = frozenset(found)
    return out


def half_width(shares: np.ndarray) -> float:
    """Half of the 95 % interval of a mean over people; runs are shared, so it is a little optimistic."""
    return float(1.96 * shares.std() / math.sqrt(max(1, len(shares))))

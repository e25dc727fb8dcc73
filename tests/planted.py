"""Releases made by hand, each with a leak that an attack must find or with none at all."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from sequester.method import Method
from sequester.model import Activities, Corpus, EventLog, Series, SymbolSeries
from sequester.release import Guarantee, Release


def promise(model="planted", unit="person", status="verifiable", **parameters):
    return Guarantee(
        model=model,
        level="planted",
        parameters=parameters,
        unit=unit,
        status=status,
        statement="Nothing.",
        not_covered=("Everything.",),
    )


@dataclass(frozen=True, kw_only=True)
class Nothing(Method):
    """Stands in for the method of a hand-made release."""

    shape: str = "boxes"
    """Layout of the release."""

    id, accepts, paper, example = "nothing", Series, "none", {}

    @property
    def layout(self):
        return self.shape


SHAPES = {"ngrams": "grams", "sequences": "states", "events": "log", "documents": "documents"}


def release(tables, private=None, **promised):
    shape = next((SHAPES[t] for t in tables if t in SHAPES), "boxes")
    return Release(tables=tables, guarantee=promise(**promised), method=Nothing(shape=shape), private=private or {})


INCOMES = np.array(
    [
        [170, 175, 188, 197, 213, 221], [145, 157, 165, 177, 204, 196], [176, 181, 147, 134, 125, 112],
        [98, 120, 125, 132, 151, 161], [117, 107, 87, 74, 51, 56], [32, 54, 59, 67, 96, 101],
        [88, 93, 56, 43, 20, 25], [71, 63, 47, 38, 43, 20],
    ],
    dtype=float,
)  # fmt: skip
"""Table 1 of Shou et al. 2013, income of six years."""
NEXT_INCOME = np.array([200, 180, 160, 110, 85, 90, 55, 46], dtype=float)


def table_1():
    years = [str(y) for y in range(2005, 2011)]
    return Series(values=INCOMES, times=years, sensitive={"2011": NEXT_INCOME})


def table_3(order=None):
    """Table 3 of the same paper as a release: k = 4, P = 2, rows in a shuffled order."""
    group = np.array([1, 1, 1, 2, 1, 2, 2, 2])
    pattern = np.array(["aabbcc", "aabbcc", "ccbbaa", "abbbcc", "ccbbaa", "abbbcc", "bbbaaa", "bbbaaa"], dtype=object)
    order = np.random.default_rng(5).permutation(8) if order is None else order
    lo = np.array([INCOMES[group == g].min(axis=0) for g in group])[order]
    hi = np.array([INCOMES[group == g].max(axis=0) for g in group])[order]
    columns = {"record": np.arange(1, 9), "group": group[order]}
    for j, year in enumerate(range(2005, 2011)):
        columns |= {f"{year}_lo": lo[:, j], f"{year}_hi": hi[:, j]}
    columns |= {"pattern": pattern[order].tolist(), "level": np.full(8, 3), "2011": NEXT_INCOME[order]}
    origin = pa.table({"record": np.arange(1, 9), "row": order + 1})
    return release({"records": pa.table(columns)}, {"origin": origin}, k=4, p=2, pattern_of="record")


def activity_facts(data):
    """What the codes of states mean and when they are, as the layout has them."""
    names = list(data.state_names)
    calendar = {"start": [str(data.start)], "interval_seconds": [data.interval_seconds],
                "intervals": [data.states.shape[1]]}  # fmt: skip
    return {"states": pa.table({"code": range(len(names)), "name": names}), "calendar": pa.table(calendar)}


@dataclass(frozen=True, kw_only=True)
class ToyMixture(Method):
    """Draw every interval of every row from the shares of a cluster of consecutive people: MCKA in miniature."""

    k: int
    """People per cluster."""

    id, accepts, paper, example = "toy-mixture", Activities, "none", {"k": 5}
    layout = "states"

    @property
    def guarantee(self):
        return promise("toy-mixture", status="as-published", k=self.k)

    def apply(self, data, *, rng, engine):
        n, width = data.states.shape
        cluster = np.minimum(np.arange(n) // self.k, max(0, n // self.k - 1))
        drawn = np.empty_like(data.states)
        for c in range(cluster.max() + 1):
            members = np.flatnonzero(cluster == c)
            pick = members[rng.secret.integers(len(members), size=(len(members), width))]
            drawn[members] = data.states[pick, np.arange(width)]
        flat = pa.array(drawn.ravel())
        states = pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32) * width, flat)
        table = pa.table({"record": np.arange(n), "cluster": cluster, "states": states})
        told = pa.table({"record": np.arange(n), "cluster": cluster, "row": np.arange(n)})
        tables = {"sequences": table, **activity_facts(data)}
        return Release(tables=tables, guarantee=self.guarantee, method=self, private={"records": told})


@dataclass(frozen=True, kw_only=True)
class ToyConstant(ToyMixture):
    """Publishes the same rows whatever the data says: nothing can be found."""

    id = "toy-constant"

    def apply(self, data, *, rng, engine):
        n, width = data.states.shape
        drawn = np.random.default_rng(8).integers(0, 2, (n, width)).astype(np.uint8)
        states = pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32) * width, pa.array(drawn.ravel()))
        table = pa.table({"record": np.arange(n), "cluster": np.arange(n) // self.k, "states": states})
        told = pa.table({"record": np.arange(n), "cluster": rng.secret.permutation(n) // self.k, "row": np.arange(n)})
        tables = {"sequences": table, **activity_facts(data)}
        return Release(tables=tables, guarantee=self.guarantee, method=self, private={"records": told})


def crowd(n=40, width=60, seed=0, outlier=(11, 30, 44)):
    """People who rest and walk, and one who runs for three intervals that nobody else runs in."""
    rng = np.random.default_rng(seed)
    states = (rng.random((n, width)) < rng.random((n, 1)) * 0.6).astype(np.uint8)
    states[7, list(outlier)] = 2
    return Activities(states=states, state_names=("rest", "walk", "run"))


def log_of(traces, names=None):
    names = names or sorted({s for t in traces for s in t})
    return EventLog(
        offsets=np.cumsum([0, *map(len, traces)]),
        states=[names.index(s) for t in traces for s in t],
        state_names=names,
        times=[i for t in traces for i in range(len(t))],
        time_unit="order",
    )


def random_traces(n, seed, states="abcdef", length=8):
    rng = np.random.default_rng(seed)
    return [tuple(states[i] for i in rng.integers(0, len(states), length)) for _ in range(n)]


def released_log(traces):
    rows = [(i + 1, j + 1, s) for i, t in enumerate(traces) for j, s in enumerate(t)]
    columns = [list(c) for c in zip(*rows, strict=True)]
    return release({"events": pa.table(dict(zip(("object", "time", "state"), columns, strict=True)))})


def corpus(n=30):
    """Notes that share their wording; each carries a name of its own at the same place."""
    rng = np.random.default_rng(1)
    names = ["".join(chr(c) for c in rng.integers(97, 123, 9)) for _ in range(n)]
    texts = [f"Patient {name} was admitted with chest pain and discharged." for name in names]
    labels = [{"document": str(i + 1), "spans": [[8, 17]]} for i in range(n)]
    return Corpus.from_texts(texts), labels


def masked(data, hide, unit="person", k=2):
    """Every document with characters `hide(i)` starred, in reversed order."""
    n = data.n_records
    texts = []
    for i in range(n):
        a, b = hide(i)
        texts.append(data.text(i)[:a] + "★" * (b - a) + data.text(i)[b:])
    order = np.arange(n)[::-1]
    documents = pa.table({"document": [str(j) for j in range(n)], "text": [texts[i] for i in order]})
    told = pa.table({"document": [str(j) for j in range(n)], "original": [str(data.documents[i]) for i in order]})
    return release({"documents": documents}, {"documents": told}, model="substring-k-anonymity", unit=unit, k=k)


@dataclass
class Grams:
    """Tables of grams by hand."""

    counts: dict = field(default_factory=dict)

    def table(self):
        return pa.table(
            {
                "order": [len(g.split()) for g in self.counts],
                "gram": list(self.counts),
                "count": list(self.counts.values()),
            }
        )


def symbol_people(series):
    alphabet = sorted({s for t in series for s in t})
    return SymbolSeries(
        symbols=[alphabet.index(s) for t in series for s in t],
        offsets=np.cumsum([0, *map(len, series)]),
        alphabet=alphabet,
    )

"""Values of events, such as laboratory results: noisy counts of declared bins by state, and drawing from them.

An object counts once in every state in which it has a value at all. Then every event that has a value counts, in the
cell of its state and bin. What an object counts is clipped at a private median each time; whether a state has values
is told by the first table alone, because clipping bears on people with many equal values more than on others. Where
there are people enough, which declarations decide, the same events of states that have values are counted again by the
bin before (of the same state and object): a finer split, so the same clip holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from sequester.dp.gate import GRID, bound
from sequester.dp.ledger import gaussian_scale
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.kernels.moves import gated_totals, shrunk
from sequester.methods.events.markov_dp.measured import Measured, Noisy
from sequester.methods.events.markov_dp.noisy_queries import NoisyQueries
from sequester.methods.events.markov_dp.people import People
from sequester.methods.events.markov_dp.pieces import Answer, Frame, Question
from sequester.methods.events.markov_dp.value_cells import Cells, bins_of, places
from sequester.methods.events.shared.attributes import Attribute

MEDIAN, PRESENT, BEFORE = 0.03, 0.15, 0.40
"""Parts of the share for each clip, for states that have values, and for counts by the value before where there are
people enough."""
SIGNIFICANT = 3.0
"""Deviations by which the values of a state must stand out of the noise to be written at all."""
PEOPLE_PER_CELL, USUAL_CLIP = 2.5, 2.0
"""Deviations of noise that the people per cell must reach before the value before is counted, and the clip at which
that noise is reckoned: a public rule, as if each column belonged to one state."""
ROUNDS, PACE = 10, 0.7
MOST = 20_000


def ask_values(plan: Design, n_states: int, rho: float) -> dict[str, Question]:
    """Norms of what objects count, on which the clips rest."""
    if not plan.event_values:
        return {}
    cells, largest = Cells(bins=bins_of(plan.event_values), n_states=n_states), plan.max_events + 1.0
    return {
        "value states clip": Question("value states", n_states * len(cells.bins), largest=largest, rho=rho * MEDIAN),
        "values clip": Question("values", int(cells.begin[-1]), largest=largest, rho=rho * MEDIAN),
    }


def measure_values(
    out: Measured, desk: NoisyQueries, people: People, frame: Frame, known: dict[str, Answer], rho: float
) -> None:
    """Count values by state, and by the value before where it pays."""
    plan = frame.plan
    cells = Cells(bins=bins_of(plan.event_values), n_states=frame.n_states)
    wide, size = frame.n_states * len(cells.bins), int(cells.begin[-1])
    first = out.clips["value states"] = desk.median("value states clip", known["value states clip"])
    asked = people.ask(frame, states=Question("value states", wide, first, rho=rho * PRESENT))
    out.attributes["value states"] = desk.sums("value states", asked["states"])
    clip = out.clips["values"] = desk.median("values clip", known["values clip"])
    question = Question("values", size, clip, rho=rho * (1.0 - 2 * MEDIAN - PRESENT - BEFORE))
    # Not enough people: the rest goes to a second look at the same counts.
    again = {} if by_value_before(plan, rho) else {"again": question._replace(rho=rho * BEFORE)}
    asked = people.ask(frame, values=question, **again)
    out.attributes["values"] = desk.sums("values", asked["values"])
    if again:
        out.attributes["values again"] = desk.sums("values again", asked["again"])
        return
    place, width = places(carriers(out.attributes["value states"], cells), cells)
    asked = people.ask(frame, before=Question("values before", max(width, 1), clip, told=place, rho=rho * BEFORE))
    out.attributes["values before"] = desk.sums("values before", asked["before"])


def by_value_before(plan: Design, rho: float) -> bool:
    """Whether there are people enough, by what was declared, to count values by the value before."""
    cells = sum((k + 1) * k for k in bins_of(plan.event_values))
    sd = gaussian_scale(USUAL_CLIP, rho * BEFORE)
    return plan.people_at_least >= PEOPLE_PER_CELL * sd * cells


def carriers(noisy: Noisy, cells: Cells) -> np.ndarray:
    """Which states have values of which column (states x columns), by the released counts."""
    return noisy.values.reshape(cells.n_states, len(cells.bins)) > SIGNIFICANT * noisy.sd


@dataclass(frozen=True, kw_only=True)
class Laws:
    """Per column: how often an event of a state has a value, and which (state x value before x bin)."""

    has: np.ndarray
    which: list[np.ndarray]

    def draw(self, states: np.ndarray, offsets: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """A code for every event and declared column; the last code stands for none."""
        return _drawn(self, [w.shape[2] for w in self.which], states, offsets, generator)


def value_laws(
    m: Measured, plan: Design, states: np.ndarray, offsets: np.ndarray, generator: np.random.Generator
) -> Laws:
    """Laws under which values drawn for the events of these objects, which stand for all, show the released counts."""
    return _fitted(m, Cells(bins=bins_of(plan.event_values), n_states=len(m.names)), states, offsets, generator)


def _together(m: Measured) -> tuple[np.ndarray, float]:
    """The counts by state and their noise: two looks at the same counts are weighed by how sure they are."""
    first, again = m.attributes["values"], m.attributes.get("values again")
    if again is None:
        return first.values, first.sd
    a, b = 1 / first.sd**2, 1 / again.sd**2
    return (a * first.values + b * again.values) / (a + b), math.sqrt(1 / (a + b))


def _fitted(m: Measured, cells: Cells, states: np.ndarray, offsets: np.ndarray, generator: np.random.Generator) -> Laws:
    """Laws under which drawn values, counted and clipped like the original's, show the released counts."""
    noisy, sd = _together(m)
    present = m.attributes["value states"]
    carried = carriers(present, cells)
    n = len(offsets) - 1
    if n > MOST:
        some = np.sort(generator.choice(n, MOST, replace=False))
        sizes = np.diff(offsets)[some]
        bounds = np.r_[0, np.cumsum(sizes)]
        states = states[np.repeat(offsets[some] - bounds[:-1], sizes) + np.arange(bounds[-1])]
        offsets, n = bounds, MOST
    scale = max(m.people, 1.0) / max(n, 1)
    aims, which = [], []
    for j, (a, b) in enumerate(pairwise(cells.begin)):
        table = noisy[a:b].reshape(cells.n_states, -1)
        # What noise explains stays as over all states that have values of the column.
        whole = np.maximum(table[carried[:, j]].sum(0), sd)
        total = np.maximum(table.sum(1, keepdims=True), 0.0)
        aim = np.where(carried[:, [j]], shrunk(table, total * whole / whole.sum(), sd, centre="mean"), 0.0)
        aims.append(np.maximum(aim, 0.0))
        flat = np.maximum(aims[j], 1e-6)
        which.append(np.repeat((flat / flat.sum(1, keepdims=True))[:, None], cells.bins[j] + 1, axis=1))
    before = m.attributes.get("values before")
    if before is not None:
        place, _ = places(carried, cells)
        for s, j in zip(*np.nonzero(carried), strict=True):
            k = cells.bins[j]
            rows = before.values[place[s, j] : place[s, j] + (k + 1) * k].reshape(k + 1, k)
            usual = np.maximum(rows.sum(1, keepdims=True), 0.0) * which[j][s, :1]
            rows = np.maximum(shrunk(rows, usual, before.sd, centre="mean"), 1e-6)
            which[j][s] = rows / rows.sum(1, keepdims=True)
    laws = Laws(has=carried.astype(np.float64), which=which)
    wanted = np.where(carried, present.values.reshape(carried.shape), 0.0)

    def counted(name: str, cell: np.ndarray, owners: np.ndarray, size: int) -> np.ndarray:
        clip = m.clips[name]
        return gated_totals(
            np.ascontiguousarray(cell, np.int64), np.ascontiguousarray(owners, np.int64), np.ones(n), float(clip),
            bound(clip), float(GRID), size,
        ) / GRID * scale  # fmt: skip

    for _ in range(ROUNDS):
        codes = _drawn(laws, cells.bins, states, offsets, generator)
        seen = counted("value states", *cells.present(states, codes, offsets), wanted.size).reshape(wanted.shape)
        least = max(0.5 * present.sd, 1.0)
        has = np.where(carried, np.clip(laws.has * ((wanted + least) / (seen + least)) ** PACE, 0.0, 1.0), 0.0)
        seen = counted("values", cells.of(states, codes).ravel(), offsets * len(cells.bins), int(cells.begin[-1]))
        for j, (a, b) in enumerate(pairwise(cells.begin)):
            table = seen[a:b].reshape(cells.n_states, -1)
            table = table * (aims[j].sum(1, keepdims=True) / np.maximum(table.sum(1, keepdims=True), 1e-9))
            least = max(0.5 * sd, 1.0)
            part = np.clip((aims[j] + least) / (table + least), 0.2, 5.0) ** PACE
            laws.which[j] = laws.which[j] * part[:, None]
            laws.which[j] /= laws.which[j].sum(2, keepdims=True)
        laws = Laws(has=has, which=laws.which)
    return laws


def _drawn(
    laws: Laws, bins: list[int], states: np.ndarray, offsets: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """Values in time order: the first of an object's state, then the second given the first, and so on."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    out = np.broadcast_to(np.array(bins), (len(states), len(bins))).copy()
    for j, size in enumerate(bins):
        has = np.flatnonzero(generator.random(len(states)) < laws.has[states, j])
        order = has[np.lexsort((has, states[has], owner[has]))]
        new = np.r_[True, (owner[order][1:] != owner[order][:-1]) | (states[order][1:] != states[order][:-1])]
        first = np.flatnonzero(new[: len(order)])
        rank = np.arange(len(order)) - np.repeat(first, np.diff(np.r_[first, len(order)]))
        running = np.cumsum(laws.which[j], axis=2)
        by_rank = np.argsort(rank, kind="stable")
        edges = np.r_[0, np.cumsum(np.bincount(rank))] if len(rank) else np.zeros(1, np.int64)
        for a, b in pairwise(edges):
            at = by_rank[a:b]
            events = order[at]
            before = np.full(len(at), size) if a == 0 else out[order[at - 1], j]
            rows = running[states[events], before]
            u = generator.random((len(at), 1)) * rows[:, -1:]
            out[events, j] = np.minimum((rows <= u).sum(1), size - 1)
    return out


def written_values(declared: tuple[Attribute, ...], codes: np.ndarray) -> dict[str, pa.Array]:
    """Columns of the events; an event without a value has an empty cell."""
    out = {}
    for j, attribute in enumerate(declared):
        none = codes[:, j] >= len(attribute.values) - 1
        coded = pa.DictionaryArray.from_arrays(
            pa.array(np.where(none, 0, codes[:, j]).astype(np.int32), mask=none),
            pa.array(list(attribute.values), pa.string()),
        )
        out[attribute.name] = coded.cast(pa.string())
    return out

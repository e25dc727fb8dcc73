"""Attributes of cases: noisy counts of declared values, alone and with length and states, and drawing from them.

Every object has one value in each of the m declared columns, so its vector has m ones: a norm of sqrt(m) exactly. With
states an object has m cells per distinct state; there the norm is clipped at a private median. Of the pairs of columns
every object has m (m - 1) / 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from sequester.dp.gate import LARGEST_CLIP
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.kernels.moves import shrunk
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.markov_dp.noisy_queries import NoisyQueries
from sequester.methods.events.markov_dp.people import People
from sequester.methods.events.markov_dp.pieces import LENGTH_EDGES, Answer, Frame, Question, present_states, starts_of
from sequester.methods.events.markov_dp.value_cells import pairs_size

ALONE, WITH_LENGTH, WITH_STATES, MEDIAN = 0.40, 0.35, 0.23, 0.02
"""Parts of the attributes' share where links are measured; alone otherwise."""
IN_PAIRS, IN_PAIRS_ALONE = 0.25, 0.4
"""Part of it that goes to pairs of columns, with and without links; the others take what is left in proportion."""
ROUNDS, WARM = 60, 3
PACE_ALONE, PACE_LENGTH, PACE_STATES, PACE_PAIRS = 0.3, 0.2, 0.3 / 8, 0.2
MOST = 20_000
"""Objects the links are fitted on; larger logs are sampled."""


def ask_attributes(plan: Design, n_states: int, rho: float) -> dict[str, Question]:
    """Declared values, with length and states where the public rule allows it; and norms of the latter."""
    if not plan.attributes:
        return {}
    width, root = int(starts_of(plan.attributes)[-1]), math.sqrt(len(plan.attributes))
    whole, rho = rho, _without_pairs(plan, rho)
    asked = {"attributes": Question("attributes", width, root, rho=rho * (ALONE if plan.links else 1.0))}
    if plan.pairs:
        size, clip = pairs_size(plan.attributes), math.sqrt(math.comb(len(plan.attributes), 2))
        asked["attribute pairs"] = Question("attribute pairs", size, clip, rho=whole - rho)
    if plan.links:
        by_length = (len(LENGTH_EDGES) + 1) * width
        asked["attribute lengths"] = Question("attribute lengths", by_length, root, told=width, rho=rho * WITH_LENGTH)
        # An object has each of its states once: the norm is the root of how many they are.
        norms = Question("states present", n_states, largest=plan.max_events + 1.0, rho=rho * MEDIAN)
        asked["attribute states clip"] = norms
    return asked


def _without_pairs(plan: Design, rho: float) -> float:
    return rho * (1.0 - (IN_PAIRS if plan.links else IN_PAIRS_ALONE) if plan.pairs else 1.0)


def measure_attributes(
    out: Measured, desk: NoisyQueries, people: People, frame: Frame, known: dict[str, Answer], rho: float
) -> None:
    """Noise for the counts of declared values."""
    plan = frame.plan
    width, root = int(starts_of(plan.attributes)[-1]), math.sqrt(len(plan.attributes))
    for name in ("attributes", "attribute pairs", "attribute lengths"):
        if name in known:
            out.attributes[name] = desk.sums(name, known[name])
    if not plan.links:
        return
    median = desk.median("attribute states clip", known["attribute states clip"])
    name = "attribute states"
    clip = out.clips[name] = min(root * median, LARGEST_CLIP)
    rho = _without_pairs(plan, rho) * WITH_STATES
    asked = people.ask(frame, states=Question(name, frame.n_states * width, clip, told=width, rho=rho))
    out.attributes[name] = desk.sums(name, asked["states"])


@dataclass(frozen=True, kw_only=True)
class AttributeLaws:
    """How the declared columns of an object are drawn."""

    alone: list[np.ndarray]
    """Shares of values, column by column."""
    linked: list[Law] | None
    """The same given length, states and other columns, as far as these are measured; None where nothing is."""
    n_states: int

    def draw(self, states: np.ndarray, offsets: np.ndarray, generator: np.random.Generator) -> list[np.ndarray]:
        """A value of every declared column for every object, given its length and its states."""
        if self.linked is None:
            return [generator.choice(len(p), len(offsets) - 1, p=p) for p in self.alone]
        length = np.searchsorted(LENGTH_EDGES, np.diff(offsets), side="right")
        return _drawn(self.linked, length, present_states(states, offsets, self.n_states), generator)


def attribute_laws(
    m: Measured, plan: Design, states: np.ndarray, offsets: np.ndarray, generator: np.random.Generator
) -> AttributeLaws:
    """Laws under which values drawn for these objects, which stand for all, show the released tables."""
    declared, n = plan.attributes, len(offsets) - 1
    noisy = m.attributes["attributes"]
    alone = [_shares(noisy.values[a:b], noisy.sd) for a, b in pairwise(starts_of(declared))]
    if not plan.links and not plan.pairs:
        return AttributeLaws(alone=alone, linked=None, n_states=len(m.names))
    length = np.searchsorted(LENGTH_EDGES, np.diff(offsets), side="right")
    present = present_states(states, offsets, len(m.names))
    some = np.arange(n) if n <= MOST else generator.choice(n, MOST, replace=False)
    scale = max(1.0, m.people) / len(some)
    distinct = np.sqrt(len(declared) * np.maximum(present.sum(1), 1))
    clip = np.minimum(1.0, m.clips.get("attribute states", 1.0) / distinct)
    laws = _fitted(m, plan, alone, length[some], present[some], clip[some], scale, generator)
    return AttributeLaws(alone=alone, linked=laws, n_states=len(m.names))


def _shares(noisy: np.ndarray, sd: float) -> np.ndarray:
    flat = np.full(len(noisy), max(float(noisy.sum()), sd) / len(noisy))
    out = np.maximum(shrunk(noisy, flat, sd, centre="mean"), 1e-9)
    return out / out.sum()


@dataclass(kw_only=True)
class Law:
    """How a column follows from what an object has: logarithms of factors."""

    value: np.ndarray
    by_length: np.ndarray
    """Length class x value."""
    by_state: np.ndarray
    """State x value, for states the object has."""
    by_other: dict[int, np.ndarray]
    """Value of an earlier column x value."""


def _fitted(
    m: Measured,
    plan: Design,
    alone: list[np.ndarray],
    length: np.ndarray,
    present: np.ndarray,
    clip: np.ndarray,
    scale: float,
    generator: np.random.Generator,
) -> list[Law]:
    """Factors under which drawn values show the released tables, as far as noise lets one tell them.

    Columns are drawn one after the other, each given those before it.
    """
    first = starts_of(plan.attributes)
    width, sizes = int(first[-1]), [len(p) for p in alone]
    noisy = m.attributes
    tables: dict[tuple[str, int], np.ndarray] = {}
    for j, (a, b) in enumerate(pairwise(first) if plan.links else ()):
        tables["length", j] = noisy["attribute lengths"].values.reshape(-1, width)[:, a:b]
        tables["state", j] = noisy["attribute states"].values.reshape(-1, width)[:, a:b]
    classes, n_states = len(LENGTH_EDGES) + 1, present.shape[1]
    laws = [
        Law(value=np.log(p), by_length=np.zeros((classes, len(p))), by_state=np.zeros((n_states, len(p))), by_other={})
        for p in alone
    ]
    pairs: dict[tuple[int, int], np.ndarray] = {}
    if plan.pairs:
        begin = 0
        for j, k in combinations(range(len(sizes)), 2):
            size = sizes[j] * sizes[k]
            pairs[j, k] = noisy["attribute pairs"].values[begin : begin + size].reshape(sizes[j], sizes[k])
            laws[k].by_other[j] = np.zeros((sizes[j], sizes[k]))
            begin += size
    weighed = present * clip[:, None]
    aims: dict[tuple[str, int, int], np.ndarray] = {}

    def change(key: tuple[str, int, int], table: np.ndarray, seen: np.ndarray, sd: float) -> np.ndarray:
        if key not in aims:
            aims[key] = shrunk(table, np.maximum(seen, 0.05 * sd), sd, centre="mean")
        least = max(0.5 * sd, 1.0)
        return np.clip(np.log((aims[key] + least) / (seen + least)), -1.0, 1.0)

    for j, p in enumerate(alone):
        aims["alone", j, j] = p * max(m.people, 1.0)
    for round_ in range(ROUNDS):
        drawn = _drawn(laws, length, present, generator)
        if round_ < WARM:
            continue
        ones = [np.eye(size)[codes] for size, codes in zip(sizes, drawn, strict=True)]
        for j, (law, one) in enumerate(zip(laws, ones, strict=True)):
            law.value = law.value + PACE_ALONE * change(
                ("alone", j, j), aims["alone", j, j], one.sum(0) * scale, noisy["attributes"].sd
            )
            if plan.links:
                seen = np.stack([one[length == c].sum(0) for c in range(len(law.by_length))]) * scale
                sd = noisy["attribute lengths"].sd
                law.by_length = law.by_length + PACE_LENGTH * change(("length", j, j), tables["length", j], seen, sd)
                seen, sd = weighed.T @ one * scale, noisy["attribute states"].sd
                law.by_state = law.by_state + PACE_STATES * change(("state", j, j), tables["state", j], seen, sd)
            for other in law.by_other:
                seen, sd = ones[other].T @ one * scale, noisy["attribute pairs"].sd
                step = change(("pair", other, j), pairs[other, j], seen, sd)
                law.by_other[other] = law.by_other[other] + PACE_PAIRS * step
    return laws


def _drawn(
    laws: list[Law], length: np.ndarray, present: np.ndarray, generator: np.random.Generator
) -> list[np.ndarray]:
    out = [np.empty(len(length), np.int64) for _ in laws]
    for a in range(0, len(length), MOST):
        part = slice(a, a + MOST)
        for law, codes in zip(laws, out, strict=True):
            logs = law.value + law.by_length[length[part]] + present[part] @ law.by_state
            for other, factor in law.by_other.items():
                logs = logs + factor[out[other][part]]
            shares = np.exp(logs - logs.max(axis=1, keepdims=True))
            running = np.cumsum(shares, axis=1)
            u = generator.random((len(running), 1)) * running[:, -1:]
            codes[part] = np.minimum((running <= u).sum(1), shares.shape[1] - 1)
    return out

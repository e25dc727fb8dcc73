"""Attributes of cases: noisy counts of declared values, alone and with length and states, and drawing from them.

Every object has one value in each of the m declared columns, so its vector has m ones: a norm of sqrt(m) exactly. With
states an object has m cells per distinct state; there the norm is clipped at a private median.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sequester.dp.gate import LARGEST_CLIP
from sequester.methods.events.markov_dp.kernels.shrinkage import shrunk
from sequester.methods.events.shared.attributes import Attribute

if TYPE_CHECKING:
    from sequester.methods.events.markov_dp.design import Design
    from sequester.methods.events.markov_dp.desk import Desk
    from sequester.methods.events.markov_dp.measured import Measured

LENGTH_EDGES = np.array([4, 8, 12, 17, 25])
"""Public classes of lengths: below 4, 4 to 7, and so on."""
ALONE, WITH_LENGTH, WITH_STATES, MEDIAN = 0.40, 0.35, 0.23, 0.02
"""Parts of the attributes' share where links are measured; alone otherwise."""
ROUNDS, WARM = 60, 3
PACE_ALONE, PACE_LENGTH, PACE_STATES = 0.3, 0.2, 0.3 / 8
MOST = 20_000
"""Objects the links are fitted on; larger logs are sampled."""


def starts_of(declared: tuple[Attribute, ...]) -> np.ndarray:
    """First cell of every column in a row of all values, and one past the last."""
    return np.r_[0, np.cumsum([len(a.values) for a in declared])]


def measure_attributes(
    out: Measured,
    desk: Desk,
    values: np.ndarray,
    states: np.ndarray,
    offsets: np.ndarray,
    plan: Design,
    rho: float,
) -> None:
    """Count declared values; with length and states where the public rule allows it."""
    m = values.shape[1]
    first = starts_of(plan.attributes)
    cells = values + first[:-1]
    n, width = len(cells), int(first[-1])
    each, root = np.arange(n + 1) * m, math.sqrt(m)
    alone = rho * (ALONE if plan.links else 1.0)
    out.attributes["attributes"] = desk.sums("attributes", cells.ravel(), each, root, width, alone)
    if not plan.links:
        return
    lengths = np.searchsorted(LENGTH_EDGES, np.diff(offsets), side="right")
    by_length = lengths[:, None] * width + cells
    classes = len(LENGTH_EDGES) + 1
    out.attributes["attribute lengths"] = desk.sums(
        "attribute lengths", by_length.ravel(), each, root, classes * width, rho * WITH_LENGTH
    )
    present = present_states(states, offsets, len(out.names))
    owner, state = np.nonzero(present)
    norms = np.sqrt(np.bincount(owner, minlength=n))
    median = desk.median("attribute states clip", norms, plan.max_events + 1.0, rho * MEDIAN)
    clip = out.clips["attribute states"] = min(root * median, LARGEST_CLIP)
    by_state = (state[:, None] * width + cells[owner]).ravel()
    bounds = np.r_[0, np.cumsum(np.bincount(owner, minlength=n))] * m
    out.attributes["attribute states"] = desk.sums(
        "attribute states", by_state, bounds, clip, len(out.names) * width, rho * WITH_STATES
    )


def present_states(states: np.ndarray, offsets: np.ndarray, n_states: int) -> np.ndarray:
    """Which states every object has (objects x states)."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    out = np.zeros((len(offsets) - 1, n_states), bool)
    out[owner, states] = True
    return out


def draw_attributes(
    m: Measured, plan: Design, states: np.ndarray, offsets: np.ndarray, generator: np.random.Generator
) -> list[np.ndarray]:
    """A value of every declared column for every object, given its length and its states."""
    declared = plan.attributes
    first = starts_of(declared)
    noisy = m.attributes["attributes"]
    n = len(offsets) - 1
    alone = [_shares(noisy.values[a:b], noisy.sd) for a, b in pairwise(first)]
    if not plan.links:
        return [generator.choice(len(p), n, p=p) for p in alone]
    length = np.searchsorted(LENGTH_EDGES, np.diff(offsets), side="right")
    present = present_states(states, offsets, len(m.names))
    some = np.arange(n) if n <= MOST else generator.choice(n, MOST, replace=False)
    scale = max(1.0, m.people) / len(some)
    distinct = np.sqrt(len(declared) * np.maximum(present.sum(1), 1))
    clip = np.minimum(1.0, m.clips["attribute states"] / distinct)
    out = []
    width = int(first[-1])
    for a, b, p in zip(first[:-1], first[1:], alone, strict=True):
        tables = {
            "length": m.attributes["attribute lengths"].values.reshape(-1, width)[:, a:b],
            "state": m.attributes["attribute states"].values.reshape(-1, width)[:, a:b],
        }
        sds = {"length": m.attributes["attribute lengths"].sd, "state": m.attributes["attribute states"].sd}
        law = _fitted(p, noisy.sd, tables, sds, length[some], present[some], clip[some], scale, m.people, generator)
        out.append(_drawn(law, length, present, generator))
    return out


def _shares(noisy: np.ndarray, sd: float) -> np.ndarray:
    flat = np.full(len(noisy), max(float(noisy.sum()), sd) / len(noisy))
    out = np.maximum(shrunk(noisy, flat, sd, centre="mean"), 1e-9)
    return out / out.sum()


Law = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Logarithms of factors: of values, of (length class, value), of (state, value)."""


def _fitted(
    p: np.ndarray,
    sd: float,
    tables: dict[str, np.ndarray],
    sds: dict[str, float],
    length: np.ndarray,
    present: np.ndarray,
    clip: np.ndarray,
    scale: float,
    people: float,
    generator: np.random.Generator,
) -> Law:
    """Factors under which drawn values show the released tables, as far as noise lets one tell them."""
    value, by_length, by_state = np.log(p), np.zeros(tables["length"].shape), np.zeros(tables["state"].shape)
    weighed = present * clip[:, None]
    aims: dict[str, np.ndarray] = {}

    def change(name: str, noisy: np.ndarray, seen: np.ndarray, noise: float) -> np.ndarray:
        if name not in aims:
            aims[name] = shrunk(noisy, np.maximum(seen, 0.05 * noise), noise, centre="mean")
        least = max(0.5 * noise, 1.0)
        return np.clip(np.log((aims[name] + least) / (seen + least)), -1.0, 1.0)

    aims["alone"] = p * max(people, 1.0)
    for round_ in range(ROUNDS):
        drawn = _drawn((value, by_length, by_state), length, present, generator)
        if round_ < WARM:
            continue
        one = np.eye(len(p))[drawn]
        value = value + PACE_ALONE * change("alone", aims["alone"], one.sum(0) * scale, sd)
        seen = np.stack([one[length == c].sum(0) for c in range(len(by_length))]) * scale
        by_length = by_length + PACE_LENGTH * change("length", tables["length"], seen, sds["length"])
        by_state = by_state + PACE_STATES * change("state", tables["state"], weighed.T @ one * scale, sds["state"])
    return value, by_length, by_state


def _drawn(law: Law, length: np.ndarray, present: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    out = np.empty(len(length), np.int64)
    for a in range(0, len(length), MOST):
        part = slice(a, a + MOST)
        logs = law[0] + law[1][length[part]] + present[part] @ law[2]
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        running = np.cumsum(shares, axis=1)
        u = generator.random((len(running), 1)) * running[:, -1:]
        out[part] = np.minimum((running <= u).sum(1), shares.shape[1] - 1)
    return out

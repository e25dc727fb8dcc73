"""Counts of grams above a threshold of the noise: (epsilon, delta) and next to no gram that nobody has.

After Kim, Gopi, Kulkarni and Yekhanin (2021). Order by order, every person hands in the counts of their grams among the
*candidates*: grams of which both the beginning and the end, one symbol shorter, were published one order before. So
candidates depend on published grams alone. A person's counts of one order are scaled down to a declared length,
Gaussian noise is added to every candidate, also to those nobody has, and what exceeds a threshold is published.

What the method sees of people: shares of their time, or their first symbols.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from sequester.dp.ledger import Ledger, gaussian_scale
from sequester.dp.noise import Noise
from sequester.engines import Engine
from sequester.engines.gram_rounds import GramRounds, walked
from sequester.engines.questions import Asked
from sequester.methods.ngrams.ngram_dp.time_share import time_shares
from sequester.methods.ngrams.shared.counting import owners
from sequester.model import SymbolSeries
from sequester.primitives.ngram_tree import Counts, Gram, Tree, Walkers

UNITS = 1 << 20
"""Whole numbers per occurrence: noise is drawn on integers."""
INVENTED = 0.5
"""Grams that nobody has: so many are expected in the whole table, at most."""


class Order(NamedTuple):
    """What was asked and published of one order."""

    order: int
    candidates: int
    noise: float
    """Standard deviation of the noise of a count."""
    threshold: float
    """Smallest noisy count that is published."""
    invented: float
    """Expected number of published grams that nobody has, at most."""


def clip_of(l_max: int) -> float:
    """The longest that one person's counts of one order may be: as long as those of `l_max` different grams."""
    return math.sqrt(l_max)


def share_of(order: int, n_max: int) -> float:
    """The share of the budget spent on one order: longer grams are rarer and need less noise."""
    weights = [m * (m + 1) for m in range(1, n_max + 1)]
    return weights[order - 1] / sum(weights)


def grow_thresholded(
    data: SymbolSeries, *, ledger: Ledger, n_max: int, l_max: int, noise: Noise, engine: Engine
) -> tuple[Tree, list[Order]]:
    """Grams of orders 1 to n_max; everything is spent, also where no candidate is left."""
    p, rho = len(data.alphabet), ledger.total
    clip = clip_of(l_max)
    tree, orders = Tree(p), []
    shown: list[Gram] = [()]
    levels: list[list[Gram]] = []
    for order in range(1, n_max + 1):
        candidates = _candidates(shown, p)
        levels.append(candidates)
        counts = engine.fold(Asked("ngram-dp counts", {"levels": levels, "clip": clip}), data, np.add, "counting")
        name, amount = f"counts of order {order}", rho * share_of(order, n_max)
        scale = gaussian_scale(clip * UNITS, amount)
        ledger.spend(name, amount, kind="gaussian", sensitivity=clip * UNITS, scale=scale)
        noisy = np.asarray(noise.gaussian(name, counts, scale), dtype=np.float64) / UNITS
        least = threshold(scale / UNITS, len(candidates), n_max)
        above = np.flatnonzero(noisy >= least)
        shown = [candidates[i] for i in above]
        tree.counts |= {candidates[i]: max(1, round(float(noisy[i]))) for i in above}
        orders.append(Order(order, len(candidates), scale / UNITS, least, INVENTED / n_max if len(candidates) else 0.0))
    _nest(tree, n_max)
    return tree, orders


def threshold(noise: float, candidates: int, n_max: int) -> float:
    """What the noise of so many counts of nobody exceeds INVENTED / n_max times on average; at least half an event."""
    rate = INVENTED / (n_max * max(1, candidates))
    return max(0.5, noise * NormalDist().inv_cdf(1 - min(0.5, rate)))


def _candidates(shown: list[Gram], p: int) -> list[Gram]:
    """Every published gram with a symbol, or the end, behind it, if that without its first symbol is published too.

    A single symbol may always be followed by the end.
    """
    if shown == [()]:
        return [(x,) for x in range(p)]
    tails: dict[Gram, list[int]] = {(): [p]}
    for gram in shown:
        tails.setdefault(gram[:-1], []).append(gram[-1])
    return sorted((*g, x) for g in shown if g[-1] < p for x in tails.get(g[1:], ()))


def _nest(tree: Tree, n_max: int) -> None:
    """A gram is counted at least as often as its continuations together; no count is lowered."""
    for order in range(n_max, 1, -1):
        sums: dict[Gram, int] = {}
        for gram, count in tree.counts.items():
            if len(gram) == order:
                sums[gram[:-1]] = sums.get(gram[:-1], 0) + count
        tree.counts |= {gram: max(tree.counts[gram], total) for gram, total in sums.items()}


def answer_counts(data: SymbolSeries, *, levels: list[list[Gram]], clip: float) -> np.ndarray:
    """Counts of the last level's candidates, of every person at most `clip` in length."""
    *_, (owner, gram) = _walked(levels, len(data.alphabet), data)
    return clipped_sums(owner, gram, len(levels[-1]), clip)


def unseen(data: SymbolSeries, grams: Iterable[Gram], engine: Engine) -> int:
    """How many of some grams, each of which has its beginning among them, occur nowhere in the data."""
    by_order: dict[int, list[Gram]] = {}
    for gram in sorted(grams):
        by_order.setdefault(len(gram), []).append(gram)
    levels = [by_order[order] for order in sorted(by_order)]
    if not levels:
        return 0
    found = engine.fold(Asked("ngram-dp occurrences", {"levels": levels}), data, np.add, "counting")
    return int((found == 0).sum())


def answer_occurrences(data: SymbolSeries, *, levels: list[list[Gram]]) -> np.ndarray:
    """How often every gram of every level occurs: for a note to the custodian."""
    walks = zip(_walked(levels, len(data.alphabet), data), levels, strict=True)
    return np.concatenate([np.bincount(gram, minlength=len(grams)) for (_, gram), grams in walks])


def _walked(levels: list[list[Gram]], p: int, data: SymbolSeries) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Level by level: whose every place is at which one of the level's grams starts, and which gram it is."""
    text, own = _with_ends(data, p)
    places = np.flatnonzero(text >= 0)
    node = np.zeros(len(places), np.int64)
    prefixes: list[Gram] = [()]
    for depth, grams in enumerate(levels):
        number = {gram: i for i, gram in enumerate(prefixes)}
        edges = np.array([number.get(g[:-1], -1) * (p + 1) + g[-1] for g in grams], np.int64)
        rising = np.argsort(edges)
        follows = text[places + depth]
        steps = np.where(follows < 0, -1, node * (p + 1) + follows)
        found = np.minimum(np.searchsorted(edges[rising], steps), max(0, len(edges) - 1))
        going = (edges[rising][found] == steps) & (steps >= 0) if len(edges) else np.zeros(len(steps), bool)
        places, node, prefixes = places[going], rising[found[going]], grams
        yield own[places], node


def clipped_sums(owner: np.ndarray, gram: np.ndarray, n: int, clip: float) -> np.ndarray:
    """Sums over people of their counts, scaled to at most `clip` in length, in `UNITS` and rounded down."""
    pairs, counts = np.unique(owner * n + gram, return_counts=True)
    who, what = pairs // max(1, n), pairs % max(1, n)
    _, mine = np.unique(who, return_inverse=True)
    length = np.sqrt(np.bincount(mine, counts.astype(np.float64) ** 2))
    scale = np.minimum(1.0, clip / np.maximum(length, 1e-300))[mine] if len(pairs) else np.empty(0)
    sums = np.zeros(n, np.int64)
    np.add.at(sums, what, np.floor(counts * scale * UNITS).astype(np.int64))
    return sums


def _with_ends(data: SymbolSeries, p: int) -> tuple[np.ndarray, np.ndarray]:
    """All series in one array, each followed by the end mark and a wall of -1, and whose every place is."""
    n = len(data.offsets) - 1
    lengths = np.diff(data.offsets)
    text = np.full(len(data.symbols) + 2 * n, -1, np.int64)
    number = np.repeat(np.arange(n), lengths)
    text[np.arange(len(data.symbols)) + 2 * number] = data.symbols
    text[data.offsets[1:] + 2 * np.arange(n)] = p
    return text, np.repeat(owners(data), lengths + 2)


def shares_of(data: SymbolSeries, order: int, engine: Engine) -> np.ndarray:
    """Everybody's shares of the grams of one order, in millionths, added up."""
    return engine.fold(Asked("ngram-dp shares", {"order": order}), data, np.add, "counting")


def answer_shares(data: SymbolSeries, *, order: int) -> np.ndarray:
    """Shares of the grams of one order, in millionths, of the people of a part."""
    return time_shares(data.symbols, data.offsets, owners(data), order, len(data.alphabet))


def followers_of(data: SymbolSeries, l_max: int, engine: Engine) -> Counts:
    """What counts the symbols behind grams, in at most `l_max` symbols of every person."""
    here = [_walkers(part.load(), l_max) for part in data.parts if part.in_memory]
    return GramRounds("ngram-dp followers", data, engine, here, l_max=l_max)


def answer_followers(data: SymbolSeries, *, l_max: int, levels: list[list[Gram]]) -> np.ndarray:
    """Counts of every symbol, and of the end, behind the grams of the last level."""
    return walked(_walkers(data, l_max), levels)


def _walkers(data: SymbolSeries, l_max: int) -> Walkers:
    return Walkers(*bounded(data, l_max), len(data.alphabet))


def bounded(data: SymbolSeries, l_max: int) -> tuple[list[np.ndarray], list[bool]]:
    """At most `l_max` symbols of every person: their series in order, the last one cut; and which series are whole."""
    used: dict[int, int] = {}
    sequences, complete = [], []
    for i, owner in enumerate(owners(data).tolist()):
        room = l_max - used.get(owner, 0)
        series = data.symbols[data.offsets[i] : data.offsets[i + 1]]
        if room > 0 and len(series):
            sequences.append(series[:room])
            complete.append(len(series) <= room)
            used[owner] = used.get(owner, 0) + min(room, len(series))
    return sequences, complete

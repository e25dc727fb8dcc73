"""The tree of variable-length n-grams (Chen, Acs, Castelluccia 2012): count, decide from the noisy counts, go deeper.

Whoever calls it passes a total budget and a `noise` function; this module knows how a budget is shared along a path
from the root and which noise scale a share buys, not what the noise is good for. Every decision (which gram is worth
extending, how many more levels are likely) looks at noisy counts only.

A *position* is a place where a gram may start. `noise(name, counts, scale)` is called once per extended gram with the
counts of all its continuations, zeros included; `scale` is positions / share, so that one sequence, which has at most
that many positions and walks one path from each, changes the sum of `count * share / scale` along its paths by at most
the budget.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

TRUST = 0.3
"""How far a continuation's count is expected to stray from what the Markov neighbour suggests, as a fraction of it."""
CHANCE = 3.0
"""Variance by chance, per expected count; above 1, because occurrences inside one sequence come together."""

Noise = Callable[[str, np.ndarray, float], np.ndarray]
Gram = tuple[int, ...]
Counts = Callable[[list[Gram]], np.ndarray]
"""How often every symbol, and the end, follows each of some grams of one length: asked of the empty gram first."""


@dataclass
class Tree:
    """Grams worth knowing, with whole counts in which the continuations of a gram add up to it."""

    n_symbols: int
    """Codes below this are symbols; the code `n_symbols` marks the end of a sequence."""
    counts: dict[Gram, int] = field(default_factory=dict)
    """Gram → count; continuations of an extended gram, zeros left out."""
    shares: dict[Gram, float] = field(default_factory=dict)
    """Extended gram (the empty one is the root) → budget spent on the counts of its continuations."""

    def continuations(self, context: Gram) -> np.ndarray:
        """Counts of every symbol, and of the end, after a context."""
        return np.array([self.counts.get((*context, x), 0) for x in range(self.n_symbols + 1)], dtype=np.float64)

    def neighbour(self, gram: Gram) -> Gram:
        """The longest proper suffix whose continuations are known; in the end the root."""
        for start in range(1, len(gram) + 1):
            if gram[start:] in self.shares:
                return gram[start:]
        return ()


def threshold(positions: int, n_symbols: int, share: float) -> float:
    """Above this a noisy count is worth extending: pure noise passes with probability 1 / (n_symbols + 1)."""
    return positions * math.log((n_symbols + 1) / 2) / share


def expected_levels(levels_left: int, count: float, enough: float, most_likely: float) -> int:
    """How many more levels a gram is likely to feed, if every level keeps the share `most_likely` of its count."""
    if most_likely >= 1 or count <= enough:
        return max(1, levels_left) if most_likely >= 1 else 1
    if most_likely <= 0:
        return 1
    return max(1, min(levels_left, math.ceil(math.log(enough / count) / math.log(most_likely))))


def grow_counted(
    after: Counts,
    *,
    n_symbols: int,
    budget: float,
    n_max: int,
    positions: int,
    noise: Noise,
    shrink: bool = True,
) -> Tree:
    """Grow the tree level by level.

    Parameters
    ----------
    after : counts what follows grams, wherever the sequences are
    budget : shared along every path from the root
    n_max : longest gram
    positions : most grams that start in the sequences of one owner
    noise : adds noise of a scale to counts
    shrink : weigh noisy counts against what the Markov neighbour suggests; without it the published procedure: small
        ones are replaced by the suggestion, all are scaled to add up
    """
    tree = Tree(n_symbols)
    share = budget / n_max
    first = after([()])[0, :n_symbols]
    noisy = np.asarray(noise("order 1", first.astype(np.int64), positions / share), dtype=np.int64)
    tree.shares[()] = share
    tree.counts |= {(x,): int(c) for x, c in enumerate(noisy.tolist()) if c > 0}
    # what the next level may extend: gram, its noisy count, budget used on its path, its share
    level = [((x,), float(noisy[x]), share, share) for x in range(n_symbols) if noisy[x] > 0]
    for _ in range(1, n_max):
        worth = [
            (gram, count, spent, own_share)
            for gram, count, spent, own_share in level
            if count > threshold(positions, n_symbols, own_share) and tree.counts.get(gram, 0) > 0
        ]
        if not worth:
            break
        # One question for the whole level: what is counted does not hang on the noise of its other grams.
        level = []
        for entry, counts in zip(worth, after([entry[0] for entry in worth]), strict=True):
            level += _extend(tree, *entry, counts, budget, n_max, positions, noise, shrink)
    return tree


def _extend(tree, gram, count, spent, own_share, counts, budget, n_max, positions, noise, shrink):
    """Show the continuations of a gram with noise; returns those that may be extended further."""
    p, order = tree.n_symbols, len(gram)
    known = tree.continuations(tree.neighbour(gram))
    most_likely = known.max() / known.sum() if known.sum() > 0 else 1.0
    enough = threshold(positions, p, own_share)
    levels = expected_levels(n_max - order, count, enough, most_likely)
    share = (budget - spent) / levels
    noisy = np.asarray(noise(f"order {order + 1}", counts.astype(np.int64), positions / share), dtype=np.int64)
    shown = noisy > threshold(positions, p, share) if levels > 1 else np.ones(p + 1, dtype=bool)
    if shrink:
        likely = _weighed(tree, gram, noisy, positions / share)
    else:
        likely = np.where(shown, np.maximum(noisy, 0), _guessed(tree, gram, noisy, shown, tree.counts[gram]))
    tree.shares[gram] = share
    whole = apportion(tree.counts[gram], likely)
    tree.counts |= {(*gram, x): int(c) for x, c in enumerate(whole.tolist()) if c > 0}
    if levels == 1:
        return []
    return [((*gram, x), float(noisy[x]), spent + share, share) for x in np.flatnonzero(shown[:p]).tolist()]


class Walkers:
    """Positions of sequences on their way down the tree, one level per question."""

    def __init__(self, sequences: Sequence[np.ndarray], complete: Sequence[bool], n_symbols: int) -> None:
        self._text, self._at = _with_ends(sequences, complete, n_symbols)
        self._node, self._width = np.zeros(len(self._at), np.int64), n_symbols + 1
        self._grams: list[Gram] = []

    def after(self, grams: list[Gram]) -> np.ndarray:
        """Counts of every symbol, and of the end, after each gram; each is one of the last grams and a symbol more."""
        if self._grams:
            where = {gram: i for i, gram in enumerate(self._grams)}
            edges = np.array([where[gram[:-1]] * self._width + gram[-1] for gram in grams], np.int64)
            rising = np.argsort(edges)
            symbols = self._text[self._at]
            steps = np.where(symbols < 0, -1, self._node * self._width + symbols)
            found = np.minimum(np.searchsorted(edges[rising], steps), len(edges) - 1)
            going = edges[rising][found] == steps
            self._at, self._node = self._at[going] + 1, rising[found[going]]
        self._grams = grams
        follows = self._text[self._at]
        inside = follows >= 0
        cells = self._node[inside] * self._width + follows[inside]
        return np.bincount(cells, minlength=len(grams) * self._width).reshape(len(grams), self._width)


def _weighed(tree: Tree, gram: Gram, noisy: np.ndarray, scale: float) -> np.ndarray:
    """Noisy counts and the Markov neighbour's suggestion, each weighed by the other's variance; adds up to the gram."""
    parent = tree.counts[gram]
    neighbour = tree.neighbour(gram)
    model = tree.continuations(neighbour)
    if not neighbour or model.sum() <= 0:
        return project(parent, noisy)
    suggested = parent * model / model.sum()
    by_noise = 2 * scale**2
    by_model = CHANCE * np.maximum(suggested, 1) + (TRUST * suggested) ** 2
    return project(parent, (noisy * by_model + suggested * by_noise) / (by_model + by_noise))


def project(total: float, values: np.ndarray) -> np.ndarray:
    """The nearest numbers that are not negative and add up to `total`: all lowered alike, none below 0."""
    values = np.asarray(values, dtype=np.float64)
    if total <= 0:
        return np.zeros(len(values))
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(values) + 1)
    kept = int(np.flatnonzero(falling > excess)[-1])
    return np.maximum(values - excess[kept], 0.0)


def _guessed(tree: Tree, gram: Gram, noisy: np.ndarray, shown: np.ndarray, parent: int) -> np.ndarray:
    """Counts for continuations too small to show: as after the Markov neighbour, or an even share of what is left."""
    neighbour = tree.neighbour(gram)
    total = float(np.maximum(noisy[shown], 0).sum())
    if neighbour:
        model = tree.continuations(neighbour)
        if not shown.any():
            return model
        if model[shown].sum() > 0:
            return total * model / model[shown].sum()
    return np.full(len(noisy), max(0.0, parent - total) / max(1, int((~shown).sum())))


def apportion(total: int, weights: np.ndarray) -> np.ndarray:
    """`total` in whole parts proportional to weights, by largest remainder; nothing if all weights are 0."""
    weights = np.asarray(weights, dtype=np.float64)
    if total <= 0 or weights.sum() <= 0:
        return np.zeros(len(weights), dtype=np.int64)
    quota = total * (weights / weights.sum())
    parts = np.floor(quota).astype(np.int64)
    parts[np.argsort(parts - quota, kind="stable")[: total - int(parts.sum())]] += 1
    return parts


def generate(tree: Tree, n: int, *, longest: int, order: int, rng: np.random.Generator) -> list[list[int]]:
    """Draw sequences: each next symbol by the longest known context of at most `order` - 1 symbols."""
    out = []
    for _ in range(n):
        sequence: list[int] = []
        while len(sequence) < longest:
            context = tuple(sequence[len(sequence) - min(len(sequence), order - 1) :])
            law = tree.continuations(context)
            while context and law.sum() <= 0:
                context = context[1:]
                law = tree.continuations(context)
            if law.sum() <= 0:
                break
            drawn = int(rng.choice(len(law), p=law / law.sum()))
            if drawn == tree.n_symbols:
                break
            sequence.append(drawn)
        out.append(sequence)
    return out


def _with_ends(sequences, complete, n_symbols):
    """All sequences in one array, each followed by the end mark (if its end is its own) and a wall of -1."""
    parts, starts, at = [], [], 0
    for sequence, whole in zip(sequences, complete):
        tail = [n_symbols, -1] if whole else [-1]
        parts += [np.asarray(sequence, dtype=np.int64), np.array(tail, dtype=np.int64)]
        starts.append(np.arange(at, at + len(sequence)))
        at += len(sequence) + len(tail)
    none = np.empty(0, dtype=np.int64)
    return np.concatenate(parts or [none]), np.concatenate(starts or [none])

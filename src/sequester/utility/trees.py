"""A plain decision tree over binned features: for scoring releases, not for speed records.

Splits are of the form *bin of a feature at most b*. A class tree minimises the Gini impurity, a number tree the squared
error; a leaf has at least `leaf` rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

BINS = 64
LEAF = 20


@dataclass
class Tree:
    """Nodes as lists: a feature of -1 marks a leaf, whose answer is `value`."""

    edges: list[np.ndarray]
    feature: list[int] = field(default_factory=list)
    at_most: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)

    def predict(self, x: np.ndarray) -> np.ndarray:
        binned = _binned(x, self.edges)
        out = np.empty(len(x))
        todo = [(0, np.arange(len(x)))]
        while todo:
            node, rows = todo.pop()
            if self.feature[node] < 0:
                out[rows] = self.value[node]
                continue
            low = binned[rows, self.feature[node]] <= self.at_most[node]
            todo += [(self.left[node], rows[low]), (self.right[node], rows[~low])]
        return out


def class_tree(x: np.ndarray, y: np.ndarray, n_classes: int) -> Tree:
    """A tree that predicts the class `0..n_classes-1` of a row."""
    return _grown(x, np.eye(n_classes)[y], lambda total: float(np.argmax(total)))


def number_tree(x: np.ndarray, y: np.ndarray) -> Tree:
    """A tree that predicts a number."""
    return _grown(x, np.asarray(y, float)[:, None], lambda total: float(total[0]))


def _binned(x: np.ndarray, edges: list[np.ndarray]) -> np.ndarray:
    return np.stack([np.searchsorted(e, column, side="left") for e, column in zip(edges, x.T)], axis=1)


def _edges(column: np.ndarray) -> np.ndarray:
    """Where bins end: every value where there are few, else quantiles."""
    values = np.unique(column)
    if len(values) > BINS:
        values = np.unique(np.quantile(column, np.linspace(0, 1, BINS + 1)[1:], method="lower"))
    return values[:-1]


def _grown(x: np.ndarray, target: np.ndarray, answer: Callable[[np.ndarray], float]) -> Tree:
    """Grow until no split lowers the error. The error of a node is the sum of squares about its mean: for one-hot
    targets that is the Gini impurity."""
    edges = [_edges(c) for c in x.T]
    binned, tree = _binned(x, edges), Tree(edges=edges)
    codes = target.argmax(1) if target.shape[1] > 1 else None
    todo = [(np.arange(len(x)), -1, False)]
    while todo:
        rows, parent, on_right = todo.pop()
        node = len(tree.feature)
        if parent >= 0:
            (tree.right if on_right else tree.left)[parent] = node
        own = target[rows]
        split = _best_split(binned[rows], own, None if codes is None else codes[rows], [len(e) + 1 for e in edges])
        tree.feature.append(-1 if split is None else split[0])
        tree.at_most.append(-1 if split is None else split[1])
        tree.left.append(-1)
        tree.right.append(-1)
        tree.value.append(answer(own.mean(0)))
        if split is not None:
            low = binned[rows, split[0]] <= split[1]
            todo += [(rows[low], node, False), (rows[~low], node, True)]
    return tree


def _best_split(
    binned: np.ndarray, target: np.ndarray, codes: np.ndarray | None, sizes: list[int]
) -> tuple[int, int] | None:
    n, width = target.shape
    if n < 2 * LEAF:
        return None
    total = target.sum(0)
    best, found = float(total @ total) / n + 1e-9, None
    if float((target * target).sum()) - best <= 1e-9:
        return None
    for f, size in enumerate(sizes):
        if size < 2:
            continue
        count = np.cumsum(np.bincount(binned[:, f], minlength=size))[:-1]
        if codes is not None:
            sums = np.bincount(binned[:, f] * width + codes, minlength=size * width).reshape(size, width)
        else:
            sums = np.bincount(binned[:, f], target[:, 0], minlength=size)[:, None]
        left = np.cumsum(sums, axis=0)[:-1].astype(float)
        fits = (count >= LEAF) & (n - count >= LEAF)
        if not fits.any():
            continue
        left, here = left[fits], count[fits]
        gain = (left * left).sum(1) / here + ((total - left) ** 2).sum(1) / (n - here)
        at = int(np.argmax(gain))
        if gain[at] > best * (1 + 1e-12):
            best, found = float(gain[at]), (f, int(np.flatnonzero(fits)[at]))
    return found

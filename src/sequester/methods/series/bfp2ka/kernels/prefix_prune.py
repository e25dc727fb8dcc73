"""Prefix tree pruning with re-insertion by longest common subsequence (after Pensa et al. 2008, BF-P2kA)."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel


def prune_and_reinsert(symbols: np.ndarray, lengths: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Keep sequences all of whose prefixes are shared by at least `k`; move the others onto kept paths.

    Parameters
    ----------
    symbols : records x positions, whole numbers from 0; positions past `lengths` are ignored.

    Returns
    -------
    node, tree_symbols, tree_lengths : per record the tree path it ends on (-1: nothing in common with any), and the
    paths themselves, shortest first, then in lexicographic order. A cut sequence goes to the path with the longest
    common subsequence; ties go to the first path.
    """
    symbols = np.where(np.arange(symbols.shape[1]) < lengths[:, None], symbols, -1).astype(np.int64)
    alive = lengths > 0
    while True:
        rare = np.zeros(len(symbols), dtype=bool)
        for depth in range(1, symbols.shape[1] + 1):
            rows = np.flatnonzero(alive & (lengths >= depth))
            if not len(rows):
                break
            which, count = np.unique(symbols[rows, :depth], axis=0, return_inverse=True, return_counts=True)[1:]
            rare[rows[count[which.ravel()] < k]] = True
        if not rare.any():
            break
        alive &= ~rare
    paths: list[np.ndarray] = []
    sizes: list[int] = []
    start: dict[bytes, int] = {}
    for depth in range(1, symbols.shape[1] + 1):
        rows = np.flatnonzero(alive & (lengths >= depth))
        for prefix in np.unique(symbols[rows, :depth], axis=0) if len(rows) else []:
            start[prefix.tobytes()] = len(paths)
            paths.append(np.pad(prefix, (0, symbols.shape[1] - depth), constant_values=-1))
            sizes.append(depth)
    node = np.full(len(symbols), -1, dtype=np.int64)
    if not paths:
        return node, np.zeros((0, symbols.shape[1]), dtype=np.int64), np.zeros(0, dtype=np.int64)
    tree, tree_lengths = np.array(paths), np.array(sizes)
    parent = np.array([start.get(p[: n - 1].tobytes(), -1) for p, n in zip(tree, tree_lengths, strict=True)])
    for i in np.flatnonzero(alive):
        node[i] = start[symbols[i, : lengths[i]].tobytes()]
    cut = np.flatnonzero(~alive & (lengths > 0))
    if len(cut):
        distinct, which = np.unique(symbols[cut], axis=0, return_inverse=True)
        found = _closest_paths(distinct, (distinct >= 0).sum(axis=1), tree, tree_lengths, parent)
        node[cut] = found[which.ravel()]
    return node, tree, tree_lengths


@kernel("int64[:, ::1], int64[::1], int64[:, ::1], int64[::1], int64[::1]")
def _closest_paths(sequences, lengths, tree, tree_lengths, parent):
    """A path's row of the dynamic programme follows from its parent's, so every path costs one row."""
    n_paths = len(tree)
    row = np.zeros((n_paths, sequences.shape[1] + 1), dtype=np.int64)
    root = np.zeros(sequences.shape[1] + 1, dtype=np.int64)
    out = np.full(len(sequences), -1, dtype=np.int64)
    for i in range(len(sequences)):
        best = 0
        for p in range(n_paths):
            above = root if parent[p] < 0 else row[parent[p]]
            symbol = tree[p, tree_lengths[p] - 1]
            row[p, 0] = 0
            for j in range(1, lengths[i] + 1):
                if sequences[i, j - 1] == symbol:
                    row[p, j] = above[j - 1] + 1
                else:
                    row[p, j] = max(above[j], row[p, j - 1])
            if row[p, lengths[i]] > best:
                best = row[p, lengths[i]]
                out[i] = p
    return out

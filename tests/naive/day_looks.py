"""What rows show beside what is usual, in whole arrays."""

import numpy as np

from sequester.methods.activity.shared.kernels.day_looks import FLOOR


def shares(counts):
    return counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)


def apart(spent, usual):
    out = np.log((shares(spent) + FLOOR) / (usual + FLOOR))
    out -= out.mean(axis=-1, keepdims=True)
    return np.where((spent.sum(axis=-1) > 0)[..., None], out, 0.0)


def deviations(spent, kind, cluster, usual):
    person = apart(spent.sum(axis=1), usual.cluster[cluster])
    day = np.empty_like(spent)
    for k in (0, 1):
        own = spent[:, kind == k].sum(axis=1)
        own = (own + usual.borrowed * usual.kind[cluster, k]) / (own.sum(axis=-1, keepdims=True) + usual.borrowed)
        day[:, kind == k] = apart(spent[:, kind == k], own[:, None])
    return person, day


def cells(counts, cell, n_cells):
    return np.stack([counts[:, cell == c].sum(axis=1) for c in range(n_cells)], axis=1).astype(float)


def jumps(counts):
    logs = np.log(shares(counts.astype(float)) + FLOOR)
    logs -= logs.mean(axis=-1, keepdims=True)
    seen = counts.sum(axis=-1) > 0
    both = seen[:, 1:] & seen[:, :-1]
    return (np.diff(logs, axis=1) ** 2 * both[..., None]).sum(axis=(0, 1)), int(both.sum())

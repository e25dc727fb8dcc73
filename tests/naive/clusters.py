"""MDAV, multi-level clustering and window counts as a textbook would write them."""

import numpy as np


def distance(x, y):
    return sum(np.sqrt(((x[a] - y[a]) ** 2).sum()) for a in range(len(x)))


def _farthest(x, rows, target):
    best = max(distance(x[i], target) for i in rows)
    return min(i for i in rows if distance(x[i], target) >= best - 1e-9 * (1 + best))


def _nearest(x, rows, centre, count):
    keyed = sorted((round(distance(x[i], x[centre]), 9), i) for i in rows)
    return [i for _, i in keyed[:count]]


def mdav(x, size):
    """List of clusters (lists of record numbers)."""
    rows, clusters = list(range(len(x))), []
    if len(rows) < 2 * size:
        return [rows]
    while len(rows) >= 2 * size:
        r = _farthest(x, rows, x[rows].mean(axis=0))
        s = _farthest(x, [i for i in rows if i != r], x[r])
        first = [r, *_nearest(x, [i for i in rows if i not in (r, s)], r, size - 1)]
        rest = [i for i in rows if i not in first]
        second = [s, *_nearest(x, [i for i in rest if i != s], s, size - 1)]
        clusters += [first, second]
        rows = [i for i in rest if i not in second]
    if len(rows) >= size:
        clusters.append(rows)
    elif rows:
        mean = x[rows].mean(axis=0)
        into = min(range(len(clusters)), key=lambda c: (round(distance(x[clusters[c]].mean(axis=0), mean), 9), c))
        clusters[into] = clusters[into] + rows
    return clusters


def multilevel(features, sizes):
    clusters = [list(range(len(features[0])))]
    for x, size in zip(features, sizes):
        split = []
        for rows in clusters:
            rows = sorted(rows)
            split += [[rows[i] for i in part] for part in mdav(x[rows], size)]
        clusters = split
    return clusters


def window_counts(states, n_states, edges):
    out = np.zeros((len(states), n_states, len(edges) - 1), dtype=np.int64)
    for i, row in enumerate(states):
        for j in range(len(edges) - 1):
            for t in range(edges[j], edges[j + 1]):
                out[i, row[t], j] += 1
    return out


def loss(x, labels):
    """Within-cluster sum of squares."""
    flat = np.asarray(x, dtype=float).reshape(len(x), -1)
    return sum(((flat[labels == c] - flat[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))


def as_sets(labels):
    return {frozenset(np.flatnonzero(labels == c).tolist()) for c in np.unique(labels)}


def near_clusters(points, labels, count):
    """The nearest centroids other than a record's own, by looking at all."""
    names = np.unique(labels)
    centroids = np.array([points[labels == c].mean(axis=0) for c in names])
    out = []
    for i, p in enumerate(points):
        keyed = sorted((((p - centroids[c]) ** 2).sum(), c) for c in range(len(names)) if c != labels[i])
        out.append([c for _, c in keyed[:count]])
    return np.array(out)


def clusters_around(points, labels, count, wide, few):
    """Of the `wide` clusters nearest to a record's own in the first `few` coordinates, the `count` nearest to it."""
    centroids = np.array([points[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
    out = []
    for p, own in zip(points, labels):
        apart = ((centroids[:, :few] - centroids[own, :few]) ** 2).sum(axis=1)
        around = [c for c in np.argsort(apart) if c != own][:wide]
        out.append(sorted(around, key=lambda c: ((centroids[c] - p) ** 2).sum())[:count])
    return np.array(out)


def refine_pass(x, labels, near, smallest, largest):
    """Every record once: of all moves and swaps with its near clusters, the one after which the loss is least."""
    labels = labels.copy()
    for i in range(len(x)):
        best, choice = loss(x, labels) - 1e-9 * (1 + (x[i] ** 2).sum()), None
        a = labels[i]
        for b in near[i]:
            if b == a:
                continue
            options = [j for j in range(len(x)) if labels[j] == b]
            if (labels == a).sum() > smallest and len(options) < largest:
                options = [None, *options]
            for j in options:
                tried = labels.copy()
                tried[i] = b
                if j is not None:
                    tried[j] = a
                if loss(x, tried) < best:
                    best, choice = loss(x, tried), tried
        if choice is not None:
            labels = choice
    return labels

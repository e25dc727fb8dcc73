"""MinHash signatures of state sequences, deterministic clustering of them, and nearest-neighbour similarity.

Broder (1997): the share of equal signature positions estimates the Jaccard similarity of two shingle sets without
bias, with a standard deviation of at most 0.5 / sqrt(number of hashes).
"""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit, prange

_A, _B, _C = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@njit(cache=True, inline="always")
def _mix64(x):
    x = x + _A
    x = (x ^ (x >> np.uint64(30))) * _B
    x = (x ^ (x >> np.uint64(27))) * _C
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def _sign(states, offsets, seeds, width, first, last, out):
    tokens = np.empty(0, np.uint64)
    for i in range(first, last):
        lo, hi = offsets[i], offsets[i + 1]
        grams = max(1, hi - lo - width + 1)
        if len(tokens) < grams:
            tokens = np.empty(2 * grams, np.uint64)
        for g in range(grams):
            token = np.uint64(0)
            for p in range(lo + g, min(hi, lo + g + width)):
                token = _mix64(token ^ np.uint64(states[p] + 1))
            tokens[g] = token
        # Repeated shingles cannot change a minimum: each is hashed once.
        tokens[:grams].sort()
        distinct = 1
        for g in range(1, grams):
            if tokens[g] != tokens[distinct - 1]:
                tokens[distinct] = tokens[g]
                distinct += 1
        for h in range(len(seeds)):
            low = np.uint32(0xFFFFFFFF)
            for g in range(distinct):
                low = min(low, np.uint32(_mix64(tokens[g] ^ seeds[h]) >> np.uint64(32)))
            out[i - first, h] = low


def signatures(states: np.ndarray, offsets: np.ndarray, seeds: np.ndarray, width: int = 1) -> np.ndarray:
    """Sequences x hashes (`uint32`): the smallest hash of the `width`-grams of every sequence.

    Sequence *i* is `states[offsets[i]:offsets[i+1]]`, never empty; one shorter than `width` is a single shingle.
    `seeds` are `uint64`, one per hash function.
    """
    n = len(offsets) - 1
    out = np.empty((n, len(seeds)), np.uint32)
    _sign(states, offsets, np.asarray(seeds, np.uint64), width, 0, n, out)
    return out


@njit(cache=True)
def _row_order(signs):
    """Indices of the rows in lexicographic order, equal rows by index (multikey quicksort)."""
    n, columns = signs.shape
    order = np.arange(n)
    stack = [(0, n, 0)]
    while len(stack):
        lo, hi, column = stack.pop()
        if hi - lo < 2:
            continue
        if column == columns:
            order[lo:hi] = np.sort(order[lo:hi])
            continue
        pivot = signs[order[(lo + hi) // 2], column]
        less, i, more = lo, lo, hi
        while i < more:
            value = signs[order[i], column]
            if value < pivot:
                order[less], order[i] = order[i], order[less]
                less += 1
                i += 1
            elif value > pivot:
                more -= 1
                order[more], order[i] = order[i], order[more]
            else:
                i += 1
        stack.append((lo, less, column))
        stack.append((more, hi, column))
        stack.append((less, more, column + 1))
    return order


@njit(cache=True)
def _split_nodes(signs, order, k):
    """Ranges of `order` that are nodes, and how many at the end are children of a split that overshot `k`."""
    columns = signs.shape[1]
    nodes = [(-len(order), order.min(), 0, len(order), 0)]
    done = [(0, 0)]
    done.pop()
    last = [(0, 0)]
    last.pop()
    while len(nodes) and len(nodes) + len(done) < k:
        _, _, lo, hi, column = heapq.heappop(nodes)
        while column < columns and signs[order[lo], column] == signs[order[hi - 1], column]:
            column += 1
        if column == columns:  # identical signatures are never split
            done.append((lo, hi))
            continue
        cuts = [lo]
        for i in range(lo + 1, hi):
            if signs[order[i], column] != signs[order[i - 1], column]:
                cuts.append(i)
        cuts.append(hi)
        overshoots = len(nodes) + len(done) + len(cuts) - 1 > k
        for j in range(len(cuts) - 1):
            a, b = cuts[j], cuts[j + 1]
            if overshoots:
                last.append((a, b))
            else:
                heapq.heappush(nodes, (a - b, order[a:b].min(), a, b, column + 1))
        if overshoots:
            break
    for node in nodes:
        done.append((node[2], node[3]))
    for child in last:
        done.append(child)
    return np.array(done), len(last)


def trie_clusters(signs: np.ndarray, k: int) -> np.ndarray:
    """Cluster every sequence by walking a trie of its signature: at most `k` labels, numbered by smallest member.

    The largest node (ties: smallest member) is split by the next hash position in which it differs, until there are
    `k` nodes; where the last split overshoots, its smallest children (ties: smallest member) are merged. Sequences
    of equal signature always share a label. Deterministic given the signatures.
    """
    if len(signs) == 0:
        return np.zeros(0, np.int64)
    order = _row_order(signs)
    ranges, n_last = _split_nodes(signs, order, max(1, k))
    group = np.arange(len(ranges))
    spare = len(ranges) - max(1, k)
    if spare > 0:
        tail = range(len(ranges) - n_last, len(ranges))
        smallest = sorted(tail, key=lambda j: (ranges[j, 1] - ranges[j, 0], order[slice(*ranges[j])].min()))
        group[smallest[: spare + 1]] = smallest[0]
    by_place = np.argsort(ranges[:, 0])
    label = np.empty(len(signs), np.int64)
    label[order] = np.repeat(group[by_place], np.diff(ranges[by_place], axis=1)[:, 0])
    return _by_first_member(label)


@njit(cache=True)
def _lead(signs, k, closeness):
    n, columns = signs.shape
    leaders = np.empty(min(n, k), np.int64)
    label = np.empty(n, np.int64)
    count = 0
    for i in range(n):
        best, best_equal = -1, -1
        for j in range(count):
            equal = 0
            for h in range(columns):
                equal += signs[i, h] == signs[leaders[j], h]
            if equal > best_equal:
                best, best_equal = j, equal
        if count < k and best_equal < closeness * columns:
            leaders[count] = i
            best = count
            count += 1
        label[i] = best
    return label


def leader_clusters(signs: np.ndarray, k: int, closeness: float = 0.5) -> np.ndarray:
    """Cluster by leaders: a sequence joins the most similar leader, or founds a cluster while fewer than `k` exist
    and no leader shares `closeness` of its signature. Costs sequences x `k` x hashes.
    """
    return _by_first_member(_lead(signs, max(1, k), closeness))


def _by_first_member(label: np.ndarray) -> np.ndarray:
    _, first, codes = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


@njit(cache=True, parallel=True)
def _nearest(of, among):
    n, columns = of.shape
    best = np.zeros(n, np.int64)
    for i in prange(n):
        top = 0
        for j in range(len(among)):
            equal = 0
            for h in range(columns):
                equal += of[i, h] == among[j, h]
            if equal > top:
                top = equal
                if top == columns:
                    break
        best[i] = top
    return best


def nearest_similarity(of: np.ndarray, among: np.ndarray) -> np.ndarray:
    """For every signature of `of`, its largest share of equal positions with a signature of `among`."""
    mine, back = np.unique(of, axis=0, return_inverse=True)
    theirs = np.unique(among, axis=0)
    if len(theirs) == 0:
        return np.zeros(len(of))
    return (_nearest(mine, theirs) / of.shape[1])[back.ravel()]

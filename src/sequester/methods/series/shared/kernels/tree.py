"""Node splitting of (k,P)-anonymity (Shou et al. 2013, Algorithms 1 and 2): from words to subgroups of equal words.

The printed algorithm lacks an `else` and a `return`, which is mended. It also stops at a node of at least 2P records
whose only child holds everything and freezes it at a coarse level: by default such a node goes on with a finer word,
`printed` stops as the listing does.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.sorting import order_of, sort_first


def split_by_word(
    keys: np.ndarray, p: int, ids: np.ndarray | None = None, *, printed: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split records by their words, level after level, while at least `p` stay together.

    Parameters
    ----------
    keys : (levels + 1) x records, `keys[v]` equal exactly where the words at level v are equal.
    p : smallest good leaf.
    ids : the records to split (all by default).
    printed : stop at a node that does not split, as the paper's listing does.

    Returns
    -------
    leaf, level, good : per record (in the order of `ids`) the number of its leaf; per leaf its level, and whether it
    holds at least `p` records.
    """
    n = keys.shape[1] if ids is None else len(ids)
    order = np.arange(n) if ids is None else np.asarray(ids, dtype=np.int64).copy()
    starts, levels, good = _split(np.ascontiguousarray(keys), order, p, printed)
    leaf_of_place = np.repeat(np.arange(len(levels)), np.diff(np.append(starts, n)))
    if ids is None:
        leaf = np.empty(n, dtype=np.int64)
        leaf[order] = leaf_of_place
    else:
        place = np.argsort(order, kind="stable")
        rank = np.empty(n, dtype=np.int64)
        rank[np.argsort(ids, kind="stable")] = leaf_of_place[place]
        leaf = rank
    return leaf, levels, good.astype(bool)


def recycle(
    keys: np.ndarray, pool: np.ndarray, levels: np.ndarray, p: int
) -> tuple[list[np.ndarray], list[int], np.ndarray]:
    """Bring records of bad leaves together at the highest level where at least `p` of them share a word.

    Words are derived anew per record at every level, because levels are not nested. Returns the new subgroups
    (record ids, ascending), their levels, and the fewer than `p` records that are left.
    """
    pool, levels = np.asarray(pool, dtype=np.int64), np.asarray(levels, dtype=np.int64)
    groups: list[np.ndarray] = []
    at: list[int] = []
    current = int(levels.max()) if len(levels) else 0
    while len(pool) >= p and current >= 1:
        reached = np.flatnonzero(levels >= current)
        _, which, count = np.unique(keys[current, pool[reached]], return_inverse=True, return_counts=True)
        taken = np.zeros(len(pool), dtype=bool)
        for word in np.flatnonzero(count >= p):
            members = reached[which == word]
            groups.append(np.sort(pool[members]))
            at.append(current)
            taken[members] = True
        pool, levels = pool[~taken], levels[~taken]
        current -= 1
    return groups, at, np.sort(pool)


@kernel("int64[:, ::1], int64[::1], int64, boolean")
def _split(keys, order, p, printed):
    """Explicit stack over one permutation array; a segment is sorted by (word at the next level, record id)."""
    n = len(order)
    top = keys.shape[0] - 1
    leaf_start = np.empty(n, dtype=np.int64)
    leaf_level = np.empty(n, dtype=np.int64)
    leaf_good = np.empty(n, dtype=np.uint8)
    leaves = 0
    stack_start = np.empty(n + 1, dtype=np.int64)
    stack_end = np.empty(n + 1, dtype=np.int64)
    stack_level = np.empty(n + 1, dtype=np.int64)
    depth = 0
    if n > 0:
        stack_start[0], stack_end[0], stack_level[0] = 0, n, 1
        depth = 1
    while depth > 0:
        depth -= 1
        start, end, level = stack_start[depth], stack_end[depth], stack_level[depth]
        size = end - start
        final = False
        while not final:
            if size < p or level == top:
                final = True
                break
            first = keys[level + 1, order[start]]
            same = True
            for i in range(start + 1, end):
                if keys[level + 1, order[i]] != first:
                    same = False
                    break
            if same and not (printed and size >= 2 * p):  # one child holds everything: go on with a finer word
                level += 1
                continue
            if same:
                final = True
                break
            if size < 2 * p:
                final = True
            break
        if final:
            leaf_start[leaves], leaf_level[leaves], leaf_good[leaves] = start, level, size >= p
            leaves += 1
            continue
        segment = order[start:end].copy()
        sort_first(segment, size)
        words = np.empty(size, dtype=np.int64)
        for i in range(size):
            words[i] = keys[level + 1, segment[i]]
        by_word = order_of(words)  # stable: ids stay ascending inside a word
        n_good = 0
        in_bad = 0
        i = 0
        while i < size:
            j = i
            while j < size and words[by_word[j]] == words[by_word[i]]:
                j += 1
            if j - i >= p:
                n_good += 1
            else:
                in_bad += j - i
            i = j
        if n_good == 0:
            leaf_start[leaves], leaf_level[leaves], leaf_good[leaves] = start, level, 1
            leaves += 1
            continue
        # good children first, then what is left: merged at this level, or bad leaves at the next
        place = start
        i = 0
        bad = np.empty(in_bad, dtype=np.int64)
        bad_end = np.empty(in_bad, dtype=np.int64)
        n_bad = 0
        b = 0
        while i < size:
            j = i
            while j < size and words[by_word[j]] == words[by_word[i]]:
                j += 1
            if j - i >= p:
                for t in range(i, j):
                    order[place + t - i] = segment[by_word[t]]
                stack_start[depth], stack_end[depth], stack_level[depth] = place, place + j - i, level + 1
                depth += 1
                place += j - i
            else:
                for t in range(i, j):
                    bad[b] = segment[by_word[t]]
                    b += 1
                bad_end[n_bad] = b
                n_bad += 1
            i = j
        if in_bad >= p:
            sort_first(bad, in_bad)
        for t in range(in_bad):
            order[place + t] = bad[t]
        if in_bad >= p:
            leaf_start[leaves], leaf_level[leaves], leaf_good[leaves] = place, level, 1
            leaves += 1
        else:
            before = 0
            for t in range(n_bad):
                leaf_start[leaves], leaf_level[leaves], leaf_good[leaves] = place + before, level + 1, 0
                leaves += 1
                before = bad_end[t]
    by_start = order_of(leaf_start[:leaves])
    return leaf_start[:leaves][by_start], leaf_level[:leaves][by_start], leaf_good[:leaves][by_start]

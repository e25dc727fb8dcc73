"""Who else agrees with a record on a few known points? Counting by narrowing a list of candidates.

Every kernel answers the same question for many targets at once: `out[a, p - 1]` is the number of distinct owners
(the target's own included) that agree with target *a* on its first *p* points. Points are nested, so a candidate
that fails once never returns, and a target's list shrinks as *p* grows. A point of -1 means that the target has no
further point: the count stays what it was.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel


def agree_on_columns(codes: np.ndarray, owner: np.ndarray, targets: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Rows of a matrix that carry the same code as the target in the known columns.

    Parameters
    ----------
    codes
        Rows x columns, integers.
    owner
        Owner of every row, non-decreasing.
    targets
        Rows that are looked for.
    points
        Targets x points: columns, -1 at the end where a target has fewer.
    """
    return _agree_on_columns(np.ascontiguousarray(codes, np.int32), owner, targets, points)


@kernel("const(int32[:, ::1]), int64[::1], int64[::1], int64[:, ::1]")
def _agree_on_columns(codes, owner, targets, points):
    n = len(codes)
    m, depth = points.shape
    out = np.zeros((m, depth), dtype=np.int64)
    candidates = np.empty(n, dtype=np.int64)
    for a in range(m):
        row = targets[a]
        left = -1  # nothing narrowed yet: everybody
        count = owner_count(owner, candidates, left)
        for p in range(depth):
            column = points[a, p]
            if column >= 0:
                wanted = codes[row, column]
                kept = 0
                if left < 0:
                    for i in range(n):
                        if codes[i, column] == wanted:
                            candidates[kept] = i
                            kept += 1
                else:
                    for c in range(left):
                        if codes[candidates[c], column] == wanted:
                            candidates[kept] = candidates[c]
                            kept += 1
                left = kept
                count = owner_count(owner, candidates, left)
            out[a, p] = count
    return out


@kernel("int64[::1], int64[::1], int64")
def owner_count(owner, candidates, left):
    """Distinct owners among the first `left` candidates (all rows if negative); owners are non-decreasing."""
    count = 0
    if left < 0:
        for i in range(len(owner)):
            if i == 0 or owner[i] != owner[i - 1]:
                count += 1
    else:
        for c in range(left):
            if c == 0 or owner[candidates[c]] != owner[candidates[c - 1]]:
                count += 1
    return count


@kernel("int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[:, ::1]")
def agree_on_members(starts, codes, holders_start, holders, targets, points):
    """Owners whose set contains all known codes.

    Parameters
    ----------
    starts, codes
        Owner *o* holds the sorted distinct codes `codes[starts[o]:starts[o + 1]]`.
    holders_start, holders
        Code *c* is held by `holders[holders_start[c]:holders_start[c + 1]]`.
    targets
        Owners that are looked for.
    points
        Targets x points: codes, -1 at the end where a target has fewer.
    """
    m, depth = points.shape
    n = len(starts) - 1
    out = np.zeros((m, depth), dtype=np.int64)
    candidates = np.empty(n, dtype=np.int64)
    for a in range(m):
        left = -1
        for p in range(depth):
            code = points[a, p]
            if code >= 0:
                if left < 0:
                    left = 0
                    for h in range(holders_start[code], holders_start[code + 1]):
                        candidates[left] = holders[h]
                        left += 1
                else:
                    kept = 0
                    for c in range(left):
                        low, high = starts[candidates[c]], starts[candidates[c] + 1]
                        while low < high:
                            middle = (low + high) // 2
                            if codes[middle] < code:
                                low = middle + 1
                            else:
                                high = middle
                        if low < starts[candidates[c] + 1] and codes[low] == code:
                            candidates[kept] = candidates[c]
                            kept += 1
                    left = kept
            out[a, p] = n if left < 0 else left
    return out


def agree_on_order(starts: np.ndarray, states: np.ndarray, targets: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Owners whose sequence contains the known states in the known order, with anything between them.

    Parameters
    ----------
    starts, states
        Owner *o* has the sequence `states[starts[o]:starts[o + 1]]`.
    targets
        Owners that are looked for.
    points
        Targets x points: positions in the target's own sequence, -1 at the end where it has fewer.
    """
    return _agree_on_order(starts, np.ascontiguousarray(states, np.int32), targets, points)


@kernel("const(int64[::1]), const(int32[::1]), int64[::1], int64[:, ::1]")
def _agree_on_order(starts, states, targets, points):
    m, depth = points.shape
    n = len(starts) - 1
    out = np.zeros((m, depth), dtype=np.int64)
    candidates = np.empty(n, dtype=np.int64)
    positions = np.empty(depth, dtype=np.int64)
    pattern = np.empty(depth, dtype=states.dtype)
    for a in range(m):
        left = n
        for i in range(n):
            candidates[i] = i
        known = 0
        for p in range(depth):
            if points[a, p] >= 0:
                at = known  # insertion keeps the known positions in order
                while at > 0 and positions[at - 1] > points[a, p]:
                    positions[at] = positions[at - 1]
                    at -= 1
                positions[at] = points[a, p]
                known += 1
                for q in range(known):
                    pattern[q] = states[starts[targets[a]] + positions[q]]
                kept = 0
                for c in range(left):
                    q = 0
                    for s in range(starts[candidates[c]], starts[candidates[c] + 1]):
                        if states[s] == pattern[q]:
                            q += 1
                            if q == known:
                                break
                    if q == known:
                        candidates[kept] = candidates[c]
                        kept += 1
                left = kept
            out[a, p] = left
    return out


def numbered(codes: np.ndarray) -> tuple[np.ndarray, int]:
    """Codes renumbered 0.. in their order, and how many there are; one sort, where a hash table would thrash."""
    order = np.argsort(codes)
    ordered = codes[order]
    new = np.concatenate([[False], ordered[1:] != ordered[:-1]]) if len(codes) else np.zeros(0, dtype=bool)
    dense = np.empty(len(codes), dtype=np.int64)
    dense[order] = np.cumsum(new)
    return dense, int(new.sum()) + 1 if len(codes) else 0


def sets_of(
    owner: np.ndarray, codes: np.ndarray, n_owners: int, n_codes: int | None = None
) -> tuple[np.ndarray, np.ndarray, int]:
    """Distinct codes per owner as `starts, codes`, and the number of different codes.

    Codes are renumbered in their order unless `n_codes` says that they already are 0..n_codes-1.
    """
    if n_codes is None:
        codes, n_codes = numbered(codes)
    width = max(1, n_codes)
    pairs = np.sort(owner.astype(np.int64) * width + codes)
    if len(pairs):
        pairs = pairs[np.concatenate([[True], pairs[1:] != pairs[:-1]])]
    starts = np.searchsorted(pairs, np.arange(n_owners + 1, dtype=np.int64) * width)
    return starts, pairs % width, n_codes


def holders_of(starts: np.ndarray, codes: np.ndarray, n_codes: int) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of `sets_of`: who holds each code."""
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.argsort(codes, kind="stable")
    holders_start = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=n_codes))]).astype(np.int64)
    return holders_start, owner[order].astype(np.int64)

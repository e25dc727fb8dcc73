"""Ways to find subgroups of at least p records that show one pattern of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sequester.methods.series.shared.kernels import greedy_partition
from sequester.methods.series.shared.kernels import groups as kp_groups
from sequester.methods.series.shared.kernels import tree as kp_tree
from sequester.primitives import sax

SHAPE_PER_WEIGHT = 0.05
"""How strongly `prototype` counts shape against value at weight 1."""


@dataclass(frozen=True)
class Subgroups:
    """Which records show which pattern."""

    of: np.ndarray
    """Subgroup per record, -1 for a suppressed one."""
    level: np.ndarray
    """Alphabet size per subgroup."""
    letters: list[np.ndarray]
    """The word per subgroup."""


def joined(n: int, parts: list[tuple[np.ndarray, Subgroups, np.ndarray]]) -> tuple[Subgroups, np.ndarray]:
    """Subgroups found in parts of the records, each with the group of every subgroup, as one."""
    of = np.full(n, -1, dtype=np.int64)
    groups: list[np.ndarray] = []
    letters: list[np.ndarray] = []
    first = 0
    for rows, found, group in parts:
        of[rows] = np.where(found.of >= 0, found.of + len(letters), -1)
        groups.append(group + first)
        letters += found.letters
        first += int(group.max()) + 1
    return Subgroups(of, np.concatenate([found.level for _, found, _ in parts]), letters), np.concatenate(groups)


def literal(values: np.ndarray, z: np.ndarray, p: int, max_level: int, *, printed: bool = False) -> Subgroups:
    """The paper's: split by words from the top, recycle what is left, cut large subgroups by value."""
    keys = sax.word_keys(z, max_level)
    leaf, level, good = kp_tree.split_by_word(keys, p, printed=printed)
    order = np.argsort(leaf, kind="stable")
    members = np.split(order, np.searchsorted(leaf[order], np.arange(1, len(level))))
    bad = np.flatnonzero(~good[leaf])
    recycled, recycled_level, _ = kp_tree.recycle(keys, bad, level[leaf[bad]], p)
    found = [(m, int(v)) for m, v, ok in zip(members, level, good, strict=True) if ok]
    found += list(zip(recycled, recycled_level, strict=True))
    pieces: list[tuple[np.ndarray, int]] = []
    for m, v in found:
        if len(m) < 2 * p:
            pieces.append((m, v))
            continue
        part = greedy_partition.greedy_partition(values, p, m)
        by_part = np.argsort(part, kind="stable")
        cuts = np.searchsorted(part[by_part], np.arange(1, part.max() + 1))
        pieces += [(piece, v) for piece in np.split(m[by_part], cuts)]
    pieces.sort(key=lambda piece: int(piece[0][0]))  # numbered by their first record, so ties go to the smallest id
    of = np.full(len(values), -1, dtype=np.int64)
    for s, (m, _) in enumerate(pieces):
        of[m] = s
    return own_patterns(z, of, np.array([v for _, v in pieces], dtype=np.int64))


def own_patterns(z: np.ndarray, of: np.ndarray, level: np.ndarray) -> Subgroups:
    """Spell every subgroup's common word."""
    letters: list[np.ndarray] = [np.empty(0, dtype=np.uint8)] * len(level)
    subgroup, first = np.unique(of, return_index=True)
    for s, row in zip(subgroup, first, strict=True):
        if s >= 0:
            letters[s] = sax.sax(z[row], int(level[s]))
    return Subgroups(of, level, letters)


def paper_groups(values: np.ndarray, of: np.ndarray, k: int) -> np.ndarray:
    """Group per subgroup, formed as in the paper."""
    lo, hi, size = kp_groups.boxes(values, of, int(of.max()) + 1)
    return kp_groups.form_groups(lo, hi, size, k, order=kp_groups.by_value_loss(lo, hi, size))


def papers_own(
    values: np.ndarray, z: np.ndarray, k: int, p: int, max_level: int, *, printed: bool
) -> tuple[Subgroups, np.ndarray]:
    """The paper's subgroups, and the group of each."""
    found = literal(values, z, p, max_level, printed=printed)
    if (found.of >= 0).sum() < k:  # suppression left fewer than k: all in one group, without patterns
        found = own_patterns(z, np.zeros(len(z), dtype=np.int64), np.array([1]))
    return found, paper_groups(values, found.of, k)


def unit_range(values: np.ndarray) -> np.ndarray:
    """Values in units of the whole panel's range, so that a weight means the same on any scale."""
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)

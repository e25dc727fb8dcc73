"""Ways to find subgroups of at least p records that show one pattern of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sequester.methods.series.shared.kernels import exchange as kp_exchange
from sequester.methods.series.shared.kernels import greedy_partition
from sequester.methods.series.shared.kernels import groups as kp_groups
from sequester.methods.series.shared.kernels import refine as kp_refine
from sequester.methods.series.shared.kernels import tree as kp_tree
from sequester.methods.series.shared.kernels import words as kp_words
from sequester.primitives import sax

PIECES = (2, 3, 5, 8, 13, 21, 34, 55)
"""Numbers of segments tried by `own-word-paa`, up to half the times."""
PIECES_LEVEL = 12
"""Finest alphabet on segment means."""
SHAPE_PER_WEIGHT = 0.05
"""How strongly `prototype` counts shape against value at weight 1."""
REFINE_BOTH = 40_000
"""Up to this many subgroups, two starting orders are refined and the better kept."""


@dataclass(frozen=True)
class Subgroups:
    """Which records show which pattern."""

    of: np.ndarray
    """Subgroup per record, -1 for a suppressed one."""
    level: np.ndarray
    """Alphabet size per subgroup."""
    segments: np.ndarray
    """Letters per word, per subgroup."""
    letters: list[np.ndarray]
    """The word per subgroup."""
    loss: float
    """Total pattern loss of the records kept."""


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
    whole = Subgroups(
        of,
        np.concatenate([found.level for _, found, _ in parts]),
        np.concatenate([found.segments for _, found, _ in parts]),
        letters,
        float(sum(found.loss for _, found, _ in parts)),
    )
    return whole, np.concatenate(groups)


@dataclass(frozen=True)
class Forms:
    """Every way to write a record as a word: form 0 is level 1, the empty pattern."""

    keys: np.ndarray
    losses: np.ndarray
    level: np.ndarray
    segments: np.ndarray


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
    levels = np.array([v for _, v in pieces], dtype=np.int64)
    return own_patterns(z, of, levels, np.full(len(levels), z.shape[1]))


def own_words(values: np.ndarray, forms: Forms, z: np.ndarray, p: int, weight: float) -> Subgroups:
    """Compact subgroups, each showing the best word its members share."""
    of = kp_words.cover_by_words(unit_range(values), forms.keys, forms.losses, p, weight)
    best = kp_words.best_forms(forms.keys, forms.losses, of)
    return own_patterns(z, of, forms.level[best], forms.segments[best])


def whole_words(z: np.ndarray, max_level: int) -> Forms:
    """One letter per time, at every level."""
    keys, losses = sax.word_keys(z, max_level)[1:], sax.pattern_losses(z, max_level)
    return Forms(keys, losses, np.arange(1, max_level + 1), np.full(max_level, z.shape[1]))


def segment_words(z: np.ndarray, max_level: int) -> Forms:
    """Besides whole words, words of segment means: coarser in time, so that more records share one."""
    whole = whole_words(z, max_level)
    keys, losses, level, segments = [whole.keys], [whole.losses], [whole.level], [whole.segments]
    finest = min(max_level, PIECES_LEVEL)
    for n_pieces in (w for w in PIECES if 2 * w <= z.shape[1]):
        letters = sax.all_words(sax.segment_means(z, n_pieces), finest)
        for v in range(2, finest + 1):
            keys.append(sax.pack(letters[v - 1], v)[None])
            losses.append(sax.pattern_loss(z, sax.reconstruct(letters[v - 1], v, z.shape[1]))[None])
        level.append(np.arange(2, finest + 1))
        segments.append(np.full(finest - 1, n_pieces))
    return Forms(np.concatenate(keys), np.concatenate(losses), np.concatenate(level), np.concatenate(segments))


def own_patterns(z: np.ndarray, of: np.ndarray, level: np.ndarray, segments: np.ndarray) -> Subgroups:
    """Spell every subgroup's common word and add up what is lost by it."""
    letters: list[np.ndarray] = [np.empty(0, dtype=np.uint8)] * len(level)
    loss = 0.0
    kept = np.flatnonzero(of >= 0)
    for v, w in sorted(set(zip(level.tolist(), segments.tolist(), strict=True))):
        rows = kept[(level[of[kept]] == v) & (segments[of[kept]] == w)]
        words = sax.sax(z[rows] if w == z.shape[1] else sax.segment_means(z[rows], w), v)
        loss += float(sax.pattern_loss(z[rows], sax.reconstruct(words, v, z.shape[1])).sum())
        for s, place in zip(*np.unique(of[rows], return_index=True), strict=True):
            letters[s] = words[place]
    return Subgroups(of, level, segments, letters, loss)


def paper_groups(values: np.ndarray, of: np.ndarray, k: int) -> np.ndarray:
    """Group per subgroup, formed as in the paper."""
    lo, hi, size = kp_groups.boxes(values, of, int(of.max()) + 1)
    return kp_groups.form_groups(lo, hi, size, k, order=kp_groups.by_value_loss(lo, hi, size))


def refined_groups(values: np.ndarray, of: np.ndarray, k: int) -> np.ndarray:
    """Group per subgroup: formed as in the paper and from the outside in, both refined, the narrower kept."""
    lo, hi, size = kp_groups.boxes(values, of, int(of.max()) + 1)
    orders = [kp_groups.by_value_loss, kp_groups.by_distance]
    tried = []
    for order in orders if len(size) <= REFINE_BOTH else orders[:1]:
        group = kp_groups.form_groups(lo, hi, size, k, order=order(lo, hi, size))
        tried.append(kp_refine.refine_groups(lo, hi, size, group, k))
    return min(tried, key=lambda group: value_loss(values, np.where(of >= 0, group[of], -1)))


def papers_own(
    values: np.ndarray, z: np.ndarray, k: int, p: int, max_level: int, *, printed: bool
) -> tuple[Subgroups, np.ndarray]:
    """The paper's subgroups, and the group of each."""
    found = literal(values, z, p, max_level, printed=printed)
    if (found.of >= 0).sum() < k:  # suppression left fewer than k: all in one group, without patterns
        found = own_patterns(z, np.zeros(len(z), dtype=np.int64), np.array([1]), np.array([z.shape[1]]))
    return found, paper_groups(values, found.of, k)


def best_words(
    values: np.ndarray, z: np.ndarray, kinds: list[Forms], k: int, p: int, weight: float
) -> tuple[Subgroups, np.ndarray]:
    """Own-word subgroups and their groups; of several kinds of words the one that costs least."""
    tried = []
    for forms in kinds:
        found = own_words(values, forms, z, p, weight)
        tried.append(polished(values, forms, z, found, k, p, weight))
    scale = float(np.ptp(values)) or 1.0
    return min(tried, key=lambda way: value_loss(values, way[1][way[0].of]) / scale + weight * way[0].loss)


def polished(
    values: np.ndarray, forms: Forms, z: np.ndarray, found: Subgroups, k: int, p: int, weight: float
) -> tuple[Subgroups, np.ndarray]:
    """Groups of own-word subgroups, then single records exchanged between them, then groups refined once more.

    In the exchange pattern loss counts double: envelopes then narrow without giving back what the cover chose.
    """
    group = refined_groups(values, found.of, k)
    if len(found.level) > REFINE_BOTH:
        return found, group
    best = kp_words.best_forms(forms.keys, forms.losses, found.of)
    of = kp_exchange.exchange_records(
        unit_range(values), forms.keys, forms.losses, found.of, best, group, p=p, k=k, weight=2 * weight
    )
    best = kp_words.best_forms(forms.keys, forms.losses, of)
    lo, hi, size = kp_groups.boxes(values, of, len(best))
    group = kp_refine.refine_groups(lo, hi, size, group, k)
    return own_patterns(z, of, forms.level[best], forms.segments[best]), group


def value_loss(values: np.ndarray, group: np.ndarray) -> float:
    """Total instant value loss of a grouping."""
    lo, hi, size = kp_groups.boxes(values, group, int(group.max()) + 1)
    return float((size * kp_groups.widths(lo, hi)).sum())


def unit_range(values: np.ndarray) -> np.ndarray:
    """Values in units of the whole panel's range, so that a weight means the same on any scale."""
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)

"""Symbolic aggregate approximation: words of a z-normalised series at every alphabet size at once.

At level *v* the real line is cut at the Gaussian quantiles 1/v, 2/v, …, (v-1)/v; a value in the half-open cell
[b_{j-1}, b_j) gets letter *j* (here counted from 0). Level 1 has one letter and says nothing. Levels are **not
nested**: equal words at one level may differ at a lower one.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.normal import breakpoints

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
"""One letter per cell: the finest level has 26."""
_ROOM = 2**62
"""Packed words stay below this, so that a comparison of integers is a comparison of words."""


def cell_middles(level: int) -> np.ndarray:
    """What each letter is read back as: the Gaussian quantile in the middle of its cell; level 1 reads as 0."""
    normal = NormalDist()
    return np.array([normal.inv_cdf((2 * j + 1) / (2 * level)) for j in range(level)])


def z_normalize(values: np.ndarray, ddof: int = 0) -> np.ndarray:
    """Rows with mean 0 and standard deviation 1; a constant row becomes zeros.

    A row is constant when its deviation is at most 1e-12 * max(1, |mean|). A *small* deviation is not constant: rows
    that move little have a shape too.
    """
    x = np.asarray(values, dtype=np.float64)
    mean = x.mean(axis=-1, keepdims=True)
    centred = x - mean
    freedom = x.shape[-1] - ddof
    deviation = (
        np.sqrt((centred * centred).sum(axis=-1, keepdims=True) / freedom) if freedom > 0 else np.zeros_like(mean)
    )
    constant = deviation <= 1e-12 * np.maximum(1.0, np.abs(mean))
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, deviation))


def sax(z: np.ndarray, level: int) -> np.ndarray:
    """Letters (uint8, from 0) of normalised values at one level, by search among the break points."""
    return np.searchsorted(breakpoints(level), z, side="right").astype(np.uint8)


def segment_bounds(n_times: int, n_segments: int) -> np.ndarray:
    """Where each of `n_segments` contiguous pieces of a series starts, and the end: floor(i * n_times / n_segments)."""
    return np.arange(n_segments + 1) * n_times // n_segments


def segment_means(z: np.ndarray, n_segments: int) -> np.ndarray:
    """Mean of each contiguous piece (piecewise aggregate approximation)."""
    bounds = segment_bounds(z.shape[1], n_segments)
    return np.add.reduceat(z, bounds[:-1], axis=1) / np.diff(bounds)


def reconstruct(letters: np.ndarray, level: int) -> np.ndarray:
    """The series a word stands for, in normalised units."""
    return cell_middles(level)[letters]


def spell(letters: np.ndarray) -> np.ndarray:
    """Words as strings (`object` array): letter 0 is `a`."""
    codes = np.ascontiguousarray(letters, dtype=np.uint8) + np.uint8(ord("a"))
    return codes.view(f"S{codes.shape[1]}").ravel().astype(str).astype(object)


def unspell(words: np.ndarray) -> np.ndarray:
    """Letters of equally long strings."""
    text = np.array(list(words), dtype="S")  # from a list, so that the width is that of the longest word
    return text.view(np.uint8).reshape(len(text), -1) - np.uint8(ord("a"))


def all_words(z: np.ndarray, max_level: int) -> np.ndarray:
    """Letters at levels 1..max_level at once: `out[v - 1]` are the letters at level v.

    One Gaussian probability per cell gives a first guess floor(v * u) for every level; comparing with the two
    neighbouring break points makes it exact.
    """
    z = np.ascontiguousarray(z, dtype=np.float64)
    out = np.empty((max_level, *z.shape), dtype=np.uint8)
    _all_words(z.ravel(), _break_table(max_level), out.reshape(max_level, -1))
    return out


def word_keys(z: np.ndarray, max_level: int) -> np.ndarray:
    """One int64 per record and level, ordered and equal exactly as the words are: `keys[v]` for level v.

    Rows 0 and 1 are zero (level 1 has one word). Words are packed in base v while they fit; longer ones are ranked
    block by block, which is exact too.
    """
    letters = all_words(z, max_level)
    keys = np.zeros((max_level + 1, len(z)), dtype=np.int64)
    for level in range(2, max_level + 1):
        keys[level] = pack(letters[level - 1], level)
    return keys


def pack(letters: np.ndarray, level: int) -> np.ndarray:
    """Words as int64 that compare as the words do."""
    n_records, n_times = letters.shape
    block = max(1, math.floor(math.log(_ROOM) / math.log(max(level, 2))))
    if n_times <= block:
        return _pack(letters, level)
    key = np.zeros(n_records, dtype=np.int64)
    width = max(1, block // 2)  # the rank of what came before takes the other half of the room
    for start in range(0, n_times, width):
        piece = _pack(np.ascontiguousarray(letters[:, start : start + width]), level)
        piece_values, piece_rank = np.unique(piece, return_inverse=True)
        key = np.unique(key, return_inverse=True)[1].astype(np.int64) * len(piece_values) + piece_rank
    return key


def pattern_loss(series: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """1 - Pearson correlation, row by row: the cosine distance of all pairwise differences, in O(n).

    Two rows without shape are alike (0); one with and one without are unrelated (1).
    """
    a = series - series.mean(axis=1, keepdims=True)
    b = shape - shape.mean(axis=1, keepdims=True)
    na, nb = np.sqrt((a * a).sum(axis=1)), np.sqrt((b * b).sum(axis=1))
    flat_a, flat_b = _flat(na, series), _flat(nb, shape)
    dot = (a * b).sum(axis=1) / np.where(flat_a | flat_b, 1.0, na * nb)
    return np.where(flat_a & flat_b, 0.0, np.where(flat_a | flat_b, 1.0, 1.0 - dot))


def _flat(norm: np.ndarray, rows: np.ndarray) -> np.ndarray:
    mean = np.abs(rows.mean(axis=1))
    return norm <= 1e-12 * np.sqrt(rows.shape[1]) * np.maximum(1.0, mean)


def _break_table(max_level: int) -> np.ndarray:
    table = np.full((max_level, max(1, max_level - 1)), np.inf)
    for level in range(2, max_level + 1):
        table[level - 1, : level - 1] = breakpoints(level)
    return table


@kernel("float64[::1], float64[:, ::1], uint8[:, ::1]")
def _all_words(z, breaks, out):
    root_half = 1.0 / math.sqrt(2.0)
    for i in range(z.shape[0]):
        value = z[i]
        probability = 0.5 * math.erfc(-value * root_half)
        for row in range(out.shape[0]):
            letter = min(row, int((row + 1) * probability))
            while letter > 0 and value < breaks[row, letter - 1]:
                letter -= 1
            while letter < row and value >= breaks[row, letter]:
                letter += 1
            out[row, i] = letter


@kernel("uint8[:, ::1], int64")
def _pack(letters, level):
    out = np.empty(letters.shape[0], dtype=np.int64)
    for i in range(letters.shape[0]):
        key = np.int64(0)
        for j in range(letters.shape[1]):
            key = key * level + letters[i, j]
        out[i] = key
    return out

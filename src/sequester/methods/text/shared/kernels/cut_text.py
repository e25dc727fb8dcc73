"""A text cut into numbered tokens, some documents at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.text.shared.kernels.repeats import SEPARATOR
from sequester.methods.text.shared.kernels.tokens import tokenise
from sequester.methods.text.shared.kernels.vocabulary import Numbered, Vocabulary
from sequester.primitives.compiled import kernel
from sequester.primitives.row_file import Room

AT_ONCE = 1 << 23
"""Bytes of documents that are cut together; no token reaches across the end of a document."""


class Cut(NamedTuple):
    """The tokens of a text with separators; a separator is a token of its own."""

    starts: np.ndarray
    """First byte of every token, and the length of the text."""
    weight: np.ndarray
    """Characters of every token, at most 255."""
    solid: np.ndarray
    """1 where a token has a letter or digit; separators count as solid."""
    told: Numbered


def cut_text(
    text: np.ndarray, ends: np.ndarray, closed: np.ndarray | None, granularity: str, room: Room, at_once: int = AT_ONCE
) -> Cut:
    """Cut and number; `ends` are the documents' separators, `closed` is 1 per byte that no run may show."""
    starts = room.empty(len(text) + 1, np.int64)
    ids = room.empty(len(text), np.int32)
    weight, solid = room.empty(len(text), np.uint8), room.empty(len(text), np.uint8)
    vocabulary = Vocabulary()
    none = np.empty(0, dtype=np.uint8)
    n, begin = 0, 0
    while begin < len(text):
        # up to the last document that ends within reach, or just one
        last = int(np.searchsorted(ends, begin + at_once))
        end = int(ends[min(max(last - 1, int(np.searchsorted(ends, begin))), len(ends) - 1)]) + 1 if len(ends) else 1
        piece = text[begin:end]
        cut = tokenise(piece, granularity)
        m = len(cut.solid)
        shut = np.empty(m, dtype=np.uint8)
        _weigh(piece, cut.starts, none if closed is None else closed[begin:end], weight[n : n + m], shut)
        vocabulary.number(piece, cut.starts, shut, ids[n : n + m])
        starts[n : n + m] = cut.starts[:-1]
        starts[n : n + m] += begin
        solid[n : n + m] = cut.solid
        n, begin = n + m, end
    starts[n] = len(text)
    fitted = [_fitted(values, size, room) for values, size in ((starts, n + 1), (weight, n), (solid, n), (ids, n))]
    return Cut(fitted[0], fitted[1], fitted[2], vocabulary.by_frequency(fitted[3]))


def _fitted(values: np.ndarray, n: int, room: Room) -> np.ndarray:
    """The first n values; in memory without the rest, which a file does not hold anyway."""
    return values[:n].copy() if room.folder is None else values[:n]


@kernel("uint8[::1], int32[::1], uint8[::1], uint8[::1], uint8[::1]")
def _weigh(text, starts, closed, weight, shut):
    """Characters of each token, at most 255, and 1 where no run may contain it: separators, and what is closed."""
    for t in range(len(starts) - 1):
        count = 0
        shut[t] = 0
        for i in range(starts[t], starts[t + 1]):
            if text[i] == SEPARATOR:
                shut[t] = 1
            elif (text[i] & 0xC0) != 0x80:
                count += 1
            if len(closed) and closed[i]:
                shut[t] = 1
        weight[t] = min(count, 255)

"""A released panel as arrays: ranges and shapes per row, with what was not published estimated from what was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.layouts import customised
from sequester.layouts.boxes import Boxes
from sequester.layouts.drawn import Drawn
from sequester.layouts.grams import Letters
from sequester.primitives import sax


@dataclass(frozen=True)
class View:
    """One released row per record, in the table's order."""

    record: np.ndarray
    times: tuple[str, ...]
    """Names of the times, in order."""
    lo: np.ndarray
    hi: np.ndarray
    """Ranges for estimates: infinite ends cut at the domain."""
    hard_lo: np.ndarray
    hard_hi: np.ndarray
    """Ranges that hold for sure; infinite where nothing bounds a value."""
    shape: np.ndarray
    """What the pattern stands for, in normalised units."""
    exact: bool
    """Whether true values lie in the hard ranges (not so for values drawn at random)."""


def look_at(
    tables: Mapping[str, Any], parameters: Mapping[str, Any], *, domain: tuple[float, float] | None = None
) -> View:
    """The view of a release of boxes, drawn values or letters."""
    if "sequences" in tables:
        return _sequences(Letters.read(tables))
    if not any(c.endswith("_lo") for c in tables["records"].column_names):
        drawn = Drawn.read(tables)
        v = drawn.values
        return View(drawn.record, drawn.times, v, v, v, v, sax.z_normalize(v), False)
    boxes = Boxes.read(tables)
    lo, hi = boxes.lo, boxes.hi
    if boxes.pattern is None or boxes.level is None:
        return View(boxes.record, boxes.times, lo, hi, lo, hi, sax.z_normalize((lo + hi) / 2), True)
    if "times" in tables:
        return _completed(boxes, parameters, domain)
    return View(boxes.record, boxes.times, lo, hi, lo, hi, shapes_of(boxes.pattern, boxes.level), True)


def shapes_of(words: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Words of any level, read back."""
    letters = sax.unspell(words)
    out = np.empty(letters.shape)
    for v in np.unique(level):
        out[level == v] = sax.reconstruct(letters[level == v], int(v))
    return out


def range_weights(lo: np.ndarray, hi: np.ndarray, wanted: Sequence[tuple[int, float, float]]) -> np.ndarray:
    """Per row the chance that its values lie in all wanted ranges, if each is uniform in its range and on its own."""
    weight = np.ones(len(lo))
    for j, a, b in wanted:
        width = hi[:, j] - lo[:, j]
        overlap = np.minimum(hi[:, j], b) - np.maximum(lo[:, j], a)
        inside = (lo[:, j] >= a) & (lo[:, j] <= b)
        weight *= np.where(width > 0, np.maximum(0.0, overlap) / np.where(width > 0, width, 1.0), inside)
    return weight


def range_certainty(
    lo: np.ndarray, hi: np.ndarray, wanted: Sequence[tuple[int, float, float]]
) -> tuple[np.ndarray, np.ndarray]:
    """Per row: whether its envelope lies inside all wanted ranges, and whether it meets all of them."""
    inside = np.ones(len(lo), dtype=bool)
    meets = np.ones(len(lo), dtype=bool)
    for j, a, b in wanted:
        inside &= (lo[:, j] >= a) & (hi[:, j] <= b)
        meets &= (hi[:, j] >= a) & (lo[:, j] <= b)
    return inside, meets


def _completed(boxes: Boxes, parameters: Mapping[str, Any], domain: tuple[float, float] | None) -> View:
    """Estimate missing ranges from letters, and missing letters from ranges; rows that look alike are done once."""
    assert boxes.pattern is not None and boxes.level is not None
    record, with_range, lo, hi = boxes.record, boxes.times, boxes.lo, boxes.hi
    words, level, times = boxes.pattern, boxes.level, boxes.all_times
    letter_at = {t: at for at, t in enumerate(boxes.letters_at)}
    span = domain or (float(lo.min()), float(hi.max()))
    ddof = int(parameters.get("std") == "sample")
    both = [t for t in times if t in letter_at and t in with_range]
    in_values = np.array([with_range.index(t) for t in both], dtype=np.int64)
    in_words = np.array([letter_at[t] for t in both], dtype=np.int64)
    key = np.column_stack([lo, hi, level, np.unique(words.astype(str), return_inverse=True)[1]])
    rows, cell = np.unique(key, axis=0, return_index=True, return_inverse=True)[1:]
    cell = cell.ravel()
    hard_lo, hard_hi = np.full((len(rows), len(times)), -np.inf), np.full((len(rows), len(times)), np.inf)
    shape = np.zeros((len(rows), len(times)))
    for v in np.unique(level[rows]):
        at = np.flatnonzero(level[rows] == v)
        mine = rows[at]
        letters = sax.unspell(words[mine]).astype(np.int64)
        low, high = customised.letter_bounds(
            lo[np.ix_(mine, in_values)], hi[np.ix_(mine, in_values)], letters[:, in_words], int(v), len(times), ddof
        )
        full = np.empty((len(at), len(times)), dtype=np.uint8)
        for j, name in enumerate(times):
            if name in with_range:
                here = with_range.index(name)
                hard_lo[at, j], hard_hi[at, j] = lo[mine, here], hi[mine, here]
            if name in letter_at:
                full[:, j] = letters[:, letter_at[name]]
                if name not in with_range:
                    hard_lo[at, j] = low[np.arange(len(at)), full[:, j]]
                    hard_hi[at, j] = high[np.arange(len(at)), full[:, j]]
            else:
                full[:, j] = customised.likeliest_letters(low, high, hard_lo[at, j], hard_hi[at, j], span)
        shape[at] = sax.reconstruct(full, int(v))
    soft_lo, soft_hi = np.clip(hard_lo, *span)[cell], np.clip(hard_hi, *span)[cell]
    return View(record, times, soft_lo, np.maximum(soft_lo, soft_hi), hard_lo[cell], hard_hi[cell], shape[cell], True)


def _sequences(declared: Letters) -> View:
    codes = declared.values()
    length = np.maximum(1, (~np.isnan(codes)).sum(axis=1, keepdims=True))
    shape = np.where(np.isnan(codes), np.nansum(codes, axis=1, keepdims=True) / length, codes)
    times = tuple(f"p{j + 1}" for j in range(codes.shape[1]))
    return View(declared.record, times, codes, codes, codes, codes, sax.z_normalize(shape), False)

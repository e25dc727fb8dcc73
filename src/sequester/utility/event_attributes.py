"""Attributes of a synthetic log beside those of its original: alone, with length, with states, and two by two.

The original is told in the words of the release: the parameters say where numbers were cut.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from sequester.layouts.log import Log as Released
from sequester.model import EventLog
from sequester.release import Claim, Figure
from sequester.utility.event_alignment import Log

LENGTHS = (4, 8, 12, 17, 25)
"""Where classes of lengths begin."""


def attribute_figures(original: EventLog, claim: Claim, released: Released, real: Log, syn: Log) -> list[Figure]:
    """How far apart the laws of carried columns are; nothing where none is carried or the original lacks them."""
    cases = _columns(original, claim, released, "attributes")
    values = _columns(original, claim, released, "event_values")
    out = []
    if cases:
        both = [(_of_cases(a, real), _of_cases(b, syn)) for a, b in cases]
        lengths = [np.searchsorted(LENGTHS, log.lengths, side="right") for log in (real, syn)]
        out.append(_figure("attributes", [_apart(a, b) for a, b in both], "the values of an attribute"))
        linked = [_apart(_joint(lengths[0], a), _joint(lengths[1], b)) for a, b in both]
        out.append(_figure("attribute_lengths", linked, "an attribute and the length of an object"))
        linked = [_apart(_with_states(a, real), _with_states(b, syn)) for a, b in both]
        out.append(_figure("attribute_states", linked, "an attribute and the states an object has"))
        if len(both) > 1:
            linked = [_apart(_joint(a, c), _joint(b, d)) for (a, b), (c, d) in combinations(both, 2)]
            out.append(_figure("attribute_pairs", linked, "two attributes"))
    if values:
        lines = [_apart(_told(a, real), _told(b, syn)) for a, b in values]
        out.append(_figure("event_values", lines, "states and their values, of events that have one"))
    return out


def _figure(name: str, distances: list[float], what: str) -> Figure:
    return Figure(
        name=name,
        value=float(np.mean(distances)),
        better="lower",
        says=f"Total variation distance between the laws of {what}, mean over columns.",
    )


def _columns(
    original: EventLog, claim: Claim, released: Released, parameter: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Words of every carried column, in the events of the original and of the release."""
    out = []
    for text in claim.parameters.get(parameter) or ():
        name, _, found = str(text).partition(":")
        if name in original.attributes and name in released.attributes:
            made = np.array([x or "missing" for x in released.attributes[name].to_pylist()], dtype=object)
            known = set(made.tolist())
            cells = original.attributes[name].tolist()
            out.append((np.array([_word(x, found, known) for x in cells], dtype=object), made))
    return out


def _word(cell: Any, words: str, known: set[str]) -> str:
    """A cell of the original as the release would tell it; words of a list in a file are those it shows."""
    if cell is None or cell != cell or str(cell).strip() == "":
        return "missing"
    word = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()
    if words.startswith("@"):
        return word if word in known else "other"
    parts = [p.strip() for p in words.split(",") if p.strip()]
    try:
        cuts = [float(p) for p in parts]
    except ValueError:
        return word if word in parts else "other"
    try:
        place = sum(float(word) >= c for c in cuts)
    except ValueError:
        return "missing"
    names = [f"{c:g}" for c in cuts]
    if place == 0:
        return f"below {names[0]}"
    return f"{names[-1]} or more" if place == len(cuts) else f"{names[place - 1]} to {names[place]}"


def _of_cases(words: np.ndarray, log: Log) -> np.ndarray:
    """The first word of every object that is not missing."""
    out = np.full(len(log.lengths), "missing", dtype=object)
    owner = np.repeat(np.arange(len(log.lengths)), log.lengths)
    known = np.flatnonzero(words != "missing")[::-1]
    out[owner[known]] = words[known]  # the earliest is written last
    return out


def _joint(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([f"{x}|{y}" for x, y in zip(a.tolist(), b.tolist(), strict=True)], dtype=object)


def _with_states(words: np.ndarray, log: Log) -> np.ndarray:
    """Every state of every object with the object's word, once."""
    owner = np.repeat(np.arange(len(log.lengths)), log.lengths)
    both = np.unique(owner * np.int64(log.n_states + 2) + log.states)
    return _joint(both % (log.n_states + 2), words[both // (log.n_states + 2)])


def _told(words: np.ndarray, log: Log) -> np.ndarray:
    has = words != "missing"
    return _joint(log.states[has], words[has])


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    """Total variation distance of two samples of words."""
    if not len(a) or not len(b):
        return float(len(a) != len(b))
    _, codes = np.unique(np.r_[a, b].astype(str), return_inverse=True)
    n = int(codes.max()) + 1
    x, y = np.bincount(codes[: len(a)], minlength=n) / len(a), np.bincount(codes[len(a) :], minlength=n) / len(b)
    return float(np.abs(x - y).sum() / 2)

"""Attributes of a synthetic log beside those of its original: alone, with length, with states, and two by two.

The original is told in the words of the release: the parameters say where numbers were cut.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from sequester.layouts.log import Log as Released
from sequester.model import EventLog
from sequester.release import Claim, Figure
from sequester.utility.process_model import Log

LENGTHS = (4, 8, 12, 17, 25)
"""Where classes of lengths begin."""
SHUFFLES = 5
KEPT, LOST = 0.6, 0.2
"""Part of a link beyond chance from which it is called kept, and below which it is called lost."""


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


def link_rows(original: EventLog, claim: Claim, released: Released, real: Log, syn: Log) -> list[dict[str, Any]]:
    """How strongly carried attributes go together with what happens, and with each other: original beside release.

    A link is the mean distance (total variation) between the mix of events of those who share a value and the mix of
    all; of two attributes, between their joint law and independence. Chance is the same with values dealt out anew.
    """
    names = [str(text).partition(":")[0] for text in claim.parameters.get("attributes") or ()]
    cases = [(_of_cases(a, real), _of_cases(b, syn)) for a, b in _columns(original, claim, released, "attributes")]
    names, logs = [n for n in names if n in original.attributes and n in released.attributes], (real, syn)
    random = np.random.default_rng(0)
    found = [
        (
            f"{name} and events",
            [_beyond(w, partial(_event_link, log), random) for w, log in zip(both, logs)],
        )
        for name, both in zip(names, cases, strict=True)
    ]
    found += [
        (f"{a} and {b}", [_beyond(w, partial(_pair_link, z), random) for w, z in zip(one, other)])
        for (a, one), (b, other) in combinations(zip(names, cases, strict=True), 2)
    ]
    return [_link_row(what, *both) for what, both in found]


def _link_row(what: str, real: tuple[float, float], made: tuple[float, float]) -> dict[str, Any]:
    """The original's link and what the release keeps of the part that chance does not explain."""
    own, kept = real[0] - real[1], made[0] - made[1]
    share = min(max(kept / own, 0.0), 1.0) if own > 0.01 else 0.0
    says = "no link" if own <= 0.01 else "kept" if share >= KEPT else "lost" if share < LOST else "weakened"
    return {"link": what, "original": real[0], "by chance": real[1], "synthetic": made[0], "what is left": says}


def _beyond(words: np.ndarray, link: Callable[[np.ndarray], float], random: np.random.Generator) -> tuple[float, float]:
    """A link, and how strong it is when values are dealt out anew."""
    return link(words), float(np.mean([link(random.permutation(words)) for _ in range(SHUFFLES)]))


def _event_link(log: Log, words: np.ndarray) -> float:
    _, code = np.unique(words.astype(str), return_inverse=True)
    owner = np.repeat(code, log.lengths)
    table = np.bincount(owner * np.int64(log.n_states) + log.states, minlength=(int(code.max()) + 1) * log.n_states)
    return _dependence(table.reshape(-1, log.n_states))


def _pair_link(a: np.ndarray, b: np.ndarray) -> float:
    (_, i), (_, j) = (np.unique(x.astype(str), return_inverse=True) for x in (a, b))
    wide = int(j.max()) + 1
    return _dependence(np.bincount(i * wide + j, minlength=(int(i.max()) + 1) * wide).reshape(-1, wide))


def _dependence(table: np.ndarray) -> float:
    """Total variation between a joint law and the product of its margins."""
    p = table / max(table.sum(), 1)
    return float(np.abs(p - np.outer(p.sum(1), p.sum(0))).sum() / 2)


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

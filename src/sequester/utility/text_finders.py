"""How good is a first pass? What finders marked against labels: spans and characters, per type.

A suppression has no typed spans, a finder has: so only for finders spans can be scored as in the i2b2 challenges,
strictly (the same first and last character) and relaxed (any overlap). The names of types differ between finders and
labels: precision is told per type found, recall per type labelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.utility.text_private import Spans

ALL = "all"


def finder_rows(
    found: pa.Table, labelled: Spans, marked: np.ndarray, place: Mapping[str, int], base: np.ndarray
) -> list[dict[str, Any]]:
    """A row per finder and type; labels are in characters of all documents, `base` tells where each document begins."""
    columns = (found.column(c).to_pylist() for c in ("finder", "original", "start", "end", "type"))
    by_finder: dict[str, list[tuple[int, int, str]]] = {}
    for finder, name, start, end, kind in zip(*columns, strict=True):
        if name in place and end > start:
            begin = int(base[place[name]])
            by_finder.setdefault(finder, []).append((begin + start, begin + end, kind))
    if len(by_finder) > 1:
        by_finder["all finders"] = [span for spans in by_finder.values() for span in spans]
    return [row for finder, spans in by_finder.items() for row in _rows(finder, sorted(set(spans)), labelled, marked)]


def _rows(finder: str, spans: list[tuple[int, int, str]], labelled: Spans, marked: np.ndarray) -> list[dict[str, Any]]:
    starts, ends = (np.array([s[i] for s in spans], dtype=np.int64) for i in (0, 1))
    kinds = np.array([s[2] for s in spans], dtype=object)
    ink = labelled.ink
    base = float((marked & ink).sum() / max(1, ink.sum()))
    hidden = _covered(starts, ends, len(ink))
    right = _overlap(starts, ends, marked)
    exact = _same(starts, ends, labelled.starts, labelled.ends)
    met = _overlap(labelled.starts, labelled.ends, hidden)
    exactly_met = _same(labelled.starts, labelled.ends, starts, ends)
    out = []
    for kind in [ALL, *sorted(set(kinds.tolist()))]:
        mine = np.ones(len(kinds), dtype=bool) if kind == ALL else kinds == kind
        own = _covered(starts[mine], ends[mine], len(ink)) & ink
        precision = _ratio((own & marked).sum(), own.sum())
        out.append({
            "finder": finder, "side": "found", "type": kind, "spans": int(mine.sum()),
            "strict": _ratio(exact[mine].sum(), mine.sum()), "relaxed": _ratio(right[mine].sum(), mine.sum()),
            "characters": precision, "lift": _ratio(precision, base) if precision is not None else None,
        })  # fmt: skip
    for kind in [ALL, *sorted(set(labelled.kinds.tolist()))]:
        mine = np.ones(len(labelled.kinds), dtype=bool) if kind == ALL else labelled.kinds == kind
        own = _covered(labelled.starts[mine], labelled.ends[mine], len(ink)) & ink
        out.append({
            "finder": finder, "side": "labelled", "type": kind, "spans": int(mine.sum()),
            "strict": _ratio(exactly_met[mine].sum(), mine.sum()), "relaxed": _ratio(met[mine].sum(), mine.sum()),
            "characters": _ratio((own & hidden).sum(), own.sum()), "lift": None,
        })  # fmt: skip
    return out


def _covered(starts: np.ndarray, ends: np.ndarray, n: int) -> np.ndarray:
    """Which characters lie in a span."""
    steps = np.zeros(n + 1, dtype=np.int64)
    np.add.at(steps, starts, 1)
    np.add.at(steps, ends, -1)
    inside: np.ndarray = np.cumsum(steps)[:n] > 0
    return inside


def _overlap(starts: np.ndarray, ends: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """Whether any character of each span is marked."""
    before = np.concatenate([[0], np.cumsum(marked)])
    some: np.ndarray = before[ends] > before[starts]
    return some


def _same(starts: np.ndarray, ends: np.ndarray, other_starts: np.ndarray, other_ends: np.ndarray) -> np.ndarray:
    """Whether each span is also one of the others."""
    known = set(zip(other_starts.tolist(), other_ends.tolist(), strict=True))
    return np.array([pair in known for pair in zip(starts.tolist(), ends.tolist(), strict=True)], dtype=bool)


def _ratio(part: Any, whole: Any) -> float | None:
    return float(part) / float(whole) if whole else None

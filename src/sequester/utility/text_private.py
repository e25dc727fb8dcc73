"""What a release shows of labelled private text, and what a reader could put back: characters and spans."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from sequester.errors import counted
from sequester.release import Figure

WORD = re.compile(
    "[\u3400-\u9fff々]+|[\u3041-\u309f]+|[\u30a1-\u30faー]+|(?:(?![\u3041-\u30ff\u3400-\u9fff])[^\\W\\d_])+"
)
"""A word for restoring: letters of one script."""
TRIED = 1500
"""Rare words of which a sample is tried."""


class Spans:
    """Labelled spans of a corpus, in characters of all documents one after the other."""

    def __init__(self, labels: dict[str, list[Any]], place: dict[str, int], base: np.ndarray, texts: Sequence[str]):
        rows = [
            (base[place[name]] + s, base[place[name]] + e, kind)
            for name, spans in labels.items()
            for s, e, kind in spans
            if e > s
        ]
        self.starts = np.array([r[0] for r in rows], dtype=np.int64)
        self.ends = np.array([r[1] for r in rows], dtype=np.int64)
        self.kinds = np.array([r[2] for r in rows], dtype=object)
        whole = "".join(texts)
        self.ink = np.fromiter((not c.isspace() for c in whole), dtype=bool, count=len(whole))

    def shares(self, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Visible and all characters (white space left out) of every span."""
        seen = np.concatenate([[0], np.cumsum(kept & self.ink)])
        all_ = np.concatenate([[0], np.cumsum(self.ink)])
        return seen[self.ends] - seen[self.starts], all_[self.ends] - all_[self.starts]

    def figures(self, kept: np.ndarray, marked: np.ndarray) -> list[Figure]:
        """Characters first, then spans: half a name is often enough to know it."""
        ink, private = self.ink, marked & self.ink
        hidden = ink & ~kept
        n_private, n_hidden = int(private.sum()), int(hidden.sum())
        found = int((private & ~kept).sum())
        base = n_private / max(1, int(ink.sum()))
        shown = _share((private & kept).sum(), n_private)
        ordinary = _share((ink & ~marked & kept).sum(), (ink & ~marked).sum())
        precision = found / n_hidden if n_hidden else None
        seen, size = self.shares(kept)
        some = size > 0
        return [
            Figure(name="private characters shown", value=shown, better="lower",
                   says="Share of the labelled private characters that are visible (white space left out)."),
            Figure(name="spans half visible", value=_mean((2 * seen >= size)[some]), better="lower",
                   says="Share of the labelled spans of which at least half the characters are visible."),
            Figure(name="spans whole", value=_mean((seen == size)[some]), better="lower",
                   says="Share of the labelled spans that are visible whole."),
            Figure(name="spans hidden", value=_mean((seen == 0)[some]), better="higher",
                   says="Share of the labelled spans of which nothing is visible."),
            Figure(name="character recall", value=_share(found, n_private), better="higher",
                   says="Share of the private characters that are hidden."),
            Figure(name="character precision", value=precision, better="higher",
                   says=f"Share of the hidden characters that are private ({base:.1%} of all characters are)."),
            Figure(name="lift", value=None if precision is None or not base else precision / base, better="higher",
                   says="Precision over the share of private characters; 1 is blind hiding. Read it beside recall."),
            Figure(name="private against ordinary", better="lower",
                   value=shown / ordinary if ordinary and shown is not None else None,
                   says="Visible share of private text over that of ordinary text."),
        ]  # fmt: skip

    def by_kind(self, kept: np.ndarray) -> list[dict[str, Any]]:
        """The same per type of span."""
        seen, size = self.shares(kept)
        out = []
        for kind in sorted(set(self.kinds.tolist())):
            mine = (self.kinds == kind) & (size > 0)
            if mine.any():
                s, n = seen[mine], size[mine]
                out.append({"type": kind, "spans": int(mine.sum()), "characters shown": float(s.sum() / n.sum()),
                            "half visible": _mean(2 * s >= n), "whole": _mean(s == n),
                            "hidden": _mean(s == 0)})  # fmt: skip
        return out


def hollow_gaps(texts: Sequence[str], kept: np.ndarray) -> Figure:
    """Gaps between two visible runs that hide neither a letter nor a digit: a reader fills them in."""
    gaps = hollow = at = 0
    for text in texts:
        mine = kept[at : at + len(text)]
        at += len(text)
        edges = np.flatnonzero(np.diff(np.concatenate([[1], mine.astype(np.int8), [1]])))
        for s, e in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            if s > 0 and e < len(text):
                gaps += 1
                hollow += not any(map(str.isalnum, text[s:e]))
    return Figure(name="hollow gaps", value=_share(hollow, gaps), better="lower",
                  says="Share of the gaps between visible text that hide no letter or digit.")  # fmt: skip


def restorable(texts: Sequence[str], owners: np.ndarray | None, kept: np.ndarray, k: int) -> Figure:
    """Rare words that a reader with the corpus' own word list could tell from the letters left visible."""
    who: dict[str, set[int]] = {}
    places: list[tuple[int, str]] = []
    at = 0
    for d, text in enumerate(texts):
        owner = d if owners is None else int(owners[d])
        for found in WORD.finditer(text):
            if len(found.group()) > 1:
                who.setdefault(found.group(), set()).add(owner)
                places.append((at + found.start(), found.group()))
        at += len(text)
    rare = [(p, w) for p, w in places if len(who[w]) < k]
    if len(rare) > TRIED:
        rare = random.Random(0).sample(rare, TRIED)
    by_size: dict[int, list[str]] = {}
    for word in who:
        by_size.setdefault(len(word), []).append(word)
    lists = {n: np.array([[ord(c) for c in w] for w in words]) for n, words in by_size.items()}
    stated = 0
    for place, word in rare:
        mine = kept[place : place + len(word)]
        if mine.any():
            fits = np.ones(len(lists[len(word)]), dtype=bool)
            for i in np.flatnonzero(mine).tolist():
                fits &= lists[len(word)][:, i] == ord(word[i])
            stated += int(fits.sum()) == 1
    return Figure(name="restorable words", value=_share(stated, len(rare)), better="lower",
                  says=f"Share of the words of fewer than {counted(k, 'owner')} that their visible letters tell, "
                       f"given their length and all words of the original ({len(rare)} tried).")  # fmt: skip


def _share(part: Any, whole: Any) -> float | None:
    return float(part) / float(whole) if whole else None


def _mean(values: np.ndarray) -> float | None:
    return float(np.mean(values)) if len(values) else None

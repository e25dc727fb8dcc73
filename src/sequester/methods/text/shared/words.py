"""Words of a corpus, split on white space, and how many owners use each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

WORD = re.compile(r"\S+")

HIRAGANA, HAN = "\u3041-\u309f", "\u30a1-\u30fa\u30fc\u31f0-\u31ff\u3005\u2e80-\u2fdf\u3400-\u9fff\uf900-\ufaff"
UNSPACED = re.compile(f"[{HIRAGANA}{HAN}]")
PIECE = re.compile(f"[{HIRAGANA}]+|[{HAN}]+|[^{HIRAGANA}{HAN}]+")


class Words(NamedTuple):
    """Every word of a corpus in text order."""

    document: np.ndarray
    start: np.ndarray
    """First character in the document."""
    end: np.ndarray
    code: np.ndarray
    """Equal words have equal codes."""
    vocabulary: list[str]


def split_words(texts: Sequence[str]) -> Words:
    """All words of the documents."""
    codes: dict[str, int] = {}
    document: list[int] = []
    start: list[int] = []
    end: list[int] = []
    code: list[int] = []
    for d, text in enumerate(texts):
        for found in WORD.finditer(text):
            document.append(d)
            start.append(found.start())
            end.append(found.end())
            code.append(codes.setdefault(found.group(), len(codes)))
    arrays = [np.array(a, dtype=np.int64) for a in (document, start, end, code)]
    return Words(arrays[0], arrays[1], arrays[2], arrays[3], list(codes))


def cut_where_scripts_meet(text: str, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Words with those of scripts without spaces cut where Han, Katakana and Hiragana meet, as tokens are.

    Split on white space alone, a Japanese line is one word, which is never visible whole.
    """
    if not UNSPACED.search(text):
        return starts, ends
    out: list[tuple[int, int]] = []
    for a, b in zip(starts.tolist(), ends.tolist(), strict=True):
        if not UNSPACED.search(text, a, b):
            out.append((a, b))
            continue
        out += [m.span() for m in PIECE.finditer(text, a, b) if any(c.isalnum() for c in m[0])]
    both = np.array(out, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def word_counts(words: Words, owners: np.ndarray | None) -> np.ndarray:
    """Per code, the number of occurrences, or of distinct owners (given per document)."""
    if owners is None:
        return np.bincount(words.code, minlength=len(words.vocabulary))
    pairs = np.unique(np.stack([words.code, np.asarray(owners)[words.document]]), axis=1)
    return np.bincount(pairs[0], minlength=len(words.vocabulary))


def keep_words(texts: Sequence[str], words: Words, kept: np.ndarray) -> list[np.ndarray]:
    """Per document a truth value per character: white space and the words marked in `kept` (one per word) stay."""
    out = [np.ones(len(t), dtype=bool) for t in texts]
    for d, s, e in zip(words.document[~kept], words.start[~kept], words.end[~kept]):
        out[d][s:e] = False
    return out


def per_byte(text: str, keep: np.ndarray) -> np.ndarray:
    """A value per character as a value per UTF-8 byte."""
    if text.isascii():
        return keep
    points = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    n_bytes = 1 + (points > 0x7F).astype(np.int64) + (points > 0x7FF) + (points > 0xFFFF)
    return np.repeat(keep, n_bytes)

"""The text kernels called on Python strings, for comparison with their twins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sequester.primitives import cover as covers
from sequester.primitives import placement, repeats
from sequester.primitives.text_index import Documents


@dataclass
class Indexed:
    text: np.ndarray
    unit: np.ndarray
    ends: np.ndarray
    sa: np.ndarray
    lcp: np.ndarray


def indexed(docs, *, words=False, forbidden=""):
    raw = [d.encode("utf-8") for d in docs]
    offsets = np.cumsum([0] + [len(r) for r in raw])
    text = repeats.join_documents(np.frombuffer(b"".join(raw), dtype=np.uint8), offsets)
    if words:
        text, unit = repeats.mark_words(text)
    else:
        unit = repeats.character_starts(text)
    ends = repeats.document_ends(text)
    if forbidden:
        repeats.forbid(text, forbidden)
    sa, lcp = repeats.suffix_index(text, unit)
    return Indexed(text, unit, ends, sa, lcp)


def ranks(at: Indexed, owners, k):
    if owners is None:
        return repeats.longest_by_occurrence(at.lcp, k), None
    owner = repeats.owner_of_rank(at.sa, at.ends, np.asarray(owners, dtype=np.int32))
    return repeats.longest_by_owner(at.lcp, owner, k), owner


def shown(docs, at: Indexed, keep):
    """Documents with a star for every character that is not kept."""
    bare = at.text != repeats.WORD_END
    keep = keep[bare]
    out, p = [], 1
    for doc in docs:
        row = ""
        for c in doc:
            row += c if keep[p] else "*"
            p += len(c.encode("utf-8"))
        out.append(row)
        p += 1
    return out


@dataclass
class Covered:
    lengths: list[list[int]]
    shown: list[str]


def by_original(docs, owners, k, *, cover="optimal", min_length=1, words=False, forbidden=""):
    at = indexed(docs, words=words, forbidden=forbidden)
    longest = repeats.by_position(ranks(at, owners, k)[0], at.sa, len(at.text))
    method = covers.optimal_cover if cover == "optimal" else covers.greedy_cover
    keep = method(at.text, at.unit, longest, at.ends, min_length)
    return Covered(in_characters(docs, at, longest), shown(docs, at, keep))


def in_characters(docs, at: Indexed, longest):
    """Lengths in bytes as lengths in characters, each end moved back to the end of a unit."""
    out, p = [], 1
    for doc in docs:
        row = []
        for c in doc:
            stop = p + int(longest[p])
            while stop > p and not at.unit[stop]:
                stop -= 1
            part = bytes(b for b in at.text[p:stop].tobytes() if b != repeats.WORD_END)
            row.append(len(part.decode("utf-8")))
            p += len(c.encode("utf-8"))
            if at.text[p] == repeats.WORD_END:
                p += 1
        out.append(row)
        p += 1
    return out


def regions(text, k):
    """Maximal repeats of an ASCII text, as (first, last)."""
    at = indexed([text])
    longest = repeats.by_position(ranks(at, None, k)[0], at.sa, len(at.text))
    found = covers.maximal_repeats(at.text, at.unit, longest, at.ends, 1)
    return [(int(s) - 1, int(e) - 2) for s, e in found]


def by_published(docs, owners, k, *, min_length=1, words=False, forbidden=""):
    at = indexed(docs, words=words, forbidden=forbidden)
    longest, owner = ranks(at, owners, k)
    keep = placement.place_classes(at.text, at.unit, at.sa, at.lcp, longest, owner, k, min_length)
    return shown(docs, at, keep)


def as_documents(docs):
    raw = [d.encode("utf-8") for d in docs]
    return Documents(np.frombuffer(b"".join(raw), dtype=np.uint8), np.cumsum([0] + [len(r) for r in raw]))

"""The text kernels called on Python strings, for comparison with their twins."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sequester.methods.text.shared.kernels import cover as covers
from sequester.methods.text.shared.kernels import placement, repeats
from sequester.methods.text.shared.kernels.text_index import Documents, TextIndex
from sequester.methods.text.shared.kernels.tokens import tokenise


def as_documents(docs):
    raw = [d.encode("utf-8") for d in docs]
    return Documents(np.frombuffer(b"".join(raw), dtype=np.uint8), np.cumsum([0] + [len(r) for r in raw]))


def indexed(docs, *, granularity="character", forbidden="", hidden=None, hollow_gaps=False):
    return TextIndex.build(
        as_documents(docs), granularity=granularity, forbidden=forbidden, hidden=hidden, hollow_gaps=hollow_gaps
    )


def ranks(at: TextIndex, owners, k):
    if owners is None:
        return repeats.longest_by_occurrence(at.lcp, k), None
    owner = repeats.owner_of_rank(at.sa, at.ends, np.asarray(owners, dtype=np.int32))
    return repeats.longest_by_owner(at.lcp, owner, k), owner


def shown(docs, keep):
    """Documents with a star for every character that is not kept."""
    out, p = [], 0
    for doc in docs:
        row = ""
        for c in doc:
            row += c if keep[p] else "*"
            p += len(c.encode("utf-8"))
        out.append(row)
    return out


@dataclass
class Covered:
    lengths: list[list[int]]
    shown: list[str]


def by_original(docs, owners, k, *, cover="optimal", min_length=1, **how):
    at = indexed(docs, **how)
    longest = repeats.by_position(ranks(at, owners, k)[0], at.sa, len(at.unit))
    who = None if owners is None else np.asarray(owners)
    keep = indexed(docs, **how).keep_by_original(who, k, min_length, cover)
    return Covered(in_characters(docs, at, longest), shown(docs, keep))


def in_characters(docs, at: TextIndex, longest):
    """Lengths in positions as lengths in characters, each end moved back to the end of a unit."""
    out, p = [], 1
    for d in range(len(docs)):
        row = []
        while p < at.ends[d]:
            stop = p + int(longest[p])
            while stop > p and not at.unit[stop]:
                stop -= 1
            if at.unit[p]:
                row.append(int(at.weight[p:stop].sum()))
                row += [0] * (int(at.weight[p]) - 1)
            p += 1
        out.append(row)
        p += 1
    return out


def regions(text, k):
    """Maximal repeats of an ASCII text, as (first, last)."""
    at = indexed([text])
    longest = repeats.by_position(ranks(at, None, k)[0], at.sa, len(at.unit))
    found = covers.maximal_repeats(at.unit, at.weight, longest, at.ends, 1)
    return [(int(s) - 1, int(e) - 2) for s, e in found]


def by_published(docs, owners, k, *, min_length=1, **how):
    who = None if owners is None else np.asarray(owners)
    return shown(docs, indexed(docs, **how).keep_by_published(who, k, min_length))


def placed(
    docs,
    owners,
    k,
    *,
    min_length=1,
    granularity="character",
    dense=placement.DENSE,
    step=placement.STEP,
    turn=placement.TURN,
):
    """Published counts with another grid of lengths."""
    at = indexed(docs, granularity=granularity)
    longest, owner = ranks(at, owners, k)
    keep = placement.place_classes(
        at.unit, at.weight, at.solid, at.sa, at.lcp, longest, owner, k, min_length, dense=dense, step=step, turn=turn
    )
    return shown(docs, at._of_corpus(keep))


def cut(text, granularity="token"):
    """The tokens of one text, as the kernel cuts them."""
    raw = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    joined = repeats.join_documents(raw, np.array([0, len(raw)]))
    starts = tokenise(joined, granularity).starts[1:-1]
    whole = joined.tobytes()
    return [whole[a:b].decode("utf-8") for a, b in pairwise(starts.tolist())]

"""Write documents with some of their characters replaced."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel


class Masked(NamedTuple):
    """Documents after replacement, in a new order, and where something was replaced."""

    utf8: np.ndarray
    offsets: np.ndarray
    spans: np.ndarray
    """Rows of document (in the new order), first and one past the last replaced character *of the written text*."""
    hidden: np.ndarray
    """The same spans in characters of the original text."""


class Sign(NamedTuple):
    """What stands for what is hidden."""

    utf8: np.ndarray
    characters: int
    per_character: bool
    """One for every hidden character, instead of one for every run of them."""


RECORDS = {
    "Masked": Record(Masked, "uint8[::1], int64[::1], int64[:, ::1], int64[:, ::1]"),
    "Sign": Record(Sign, "const(uint8[::1]), int64, boolean"),
}


def mask_documents(
    utf8: np.ndarray, offsets: np.ndarray, keep: np.ndarray, order: np.ndarray, mark: str, *, per_character: bool
) -> Masked:
    """Replace every character that is not kept by `mark`, or with `per_character=False` every run of them.

    `keep` holds 1 per kept byte; all bytes of a character agree. Document `order[j]` is written j-th.
    """
    sign = Sign(np.frombuffer(mark.encode("utf-8"), dtype=np.uint8), len(mark), per_character)
    n_out, n_spans = _measure(utf8, offsets, keep, len(sign.utf8), per_character)
    written = Masked(
        utf8=np.empty(n_out, dtype=np.uint8),
        offsets=np.zeros(len(offsets), dtype=np.int64),
        spans=np.empty((n_spans, 3), dtype=np.int64),
        hidden=np.empty((n_spans, 3), dtype=np.int64),
    )
    _write(utf8, offsets, keep, np.asarray(order, dtype=np.int64), sign, written)
    return written


@kernel("const(uint8[::1]), const(int64[::1]), uint8[::1], int64, boolean")
def _measure(utf8, offsets, keep, mark_bytes, per_character):
    n_out = 0
    n_spans = 0
    for d in range(len(offsets) - 1):
        inside = False
        for i in range(offsets[d], offsets[d + 1]):
            if keep[i]:
                n_out += 1
                inside = False
            elif (utf8[i] & 0xC0) != 0x80:
                if per_character or not inside:
                    n_out += mark_bytes
                if not inside:
                    n_spans += 1
                inside = True
    return n_out, n_spans


@kernel("const(uint8[::1]), const(int64[::1]), uint8[::1], int64[::1], Sign, Masked", **RECORDS)
def _write(utf8, offsets, keep, order, sign, into):
    out, spans, hidden = into.utf8, into.spans, into.hidden
    at = 0
    span = -1
    for j in range(len(order)):
        d = order[j]
        inside = False
        written = 0
        seen = 0
        for i in range(offsets[d], offsets[d + 1]):
            lead = (utf8[i] & 0xC0) != 0x80
            if keep[i]:
                out[at] = utf8[i]
                at += 1
                if lead:
                    written += 1
                inside = False
            elif lead:
                if not inside:
                    span += 1
                    spans[span, 0] = j
                    spans[span, 1] = written
                    hidden[span, 0] = j
                    hidden[span, 1] = seen
                if sign.per_character or not inside:
                    for b in sign.utf8:
                        out[at] = b
                        at += 1
                    written += sign.characters
                spans[span, 2] = written
                hidden[span, 2] = seen + 1
                inside = True
            if lead:
                seen += 1
        into.offsets[j + 1] = at

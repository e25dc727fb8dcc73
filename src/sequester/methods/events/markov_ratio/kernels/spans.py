"""Gaps of an object brought to a given span: gaps drawn one by one add up to too much or too little."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel


@kernel("int64[::1], int64[::1], int64[::1]")
def fitted(days, offsets, spans):
    """Days of all events, the last of every object so many days after its first as `spans` says.

    A gap of none stays none and every other one keeps a day at least, as long as the span has a day for each; what is
    left is shared in proportion to what the gaps have beyond their day. Where no gap is left to carry a span, it goes
    into the middle of the object.
    """
    out = days.copy()
    for i in range(len(spans)):
        lo, hi = offsets[i], offsets[i + 1]
        if hi - lo < 2:
            continue
        moves, beyond = 0, 0
        for p in range(lo + 1, hi):
            gap = days[p] - days[p - 1]
            if gap > 0:
                moves += 1
                beyond += gap - 1
        span, begin = spans[i], days[lo]
        seen, more = 0, 0
        for p in range(lo + 1, hi):
            gap = days[p] - days[p - 1]
            if gap > 0:
                seen += 1
                more += gap - 1
            if moves == 0:
                after = span if p - lo >= (hi - lo) // 2 else np.int64(0)
            elif span < moves or beyond == 0:
                after = seen * span // moves
            else:
                after = seen + more * (span - moves) // beyond
            out[p] = begin + after
    return out

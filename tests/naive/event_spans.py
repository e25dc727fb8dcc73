"""Gaps fitted to a span, as plain loops over one object at a time."""

from itertools import pairwise


def fitted(days, offsets, spans):
    out = []
    for a, b, span in zip(offsets[:-1], offsets[1:], spans, strict=True):
        own = days[a:b]
        gaps = [y - x for x, y in pairwise(own)]
        moves = sum(g > 0 for g in gaps)
        beyond = sum(g - 1 for g in gaps if g > 0)
        for p in range(len(own)):
            before = [g for g in gaps[:p] if g > 0]
            if p == 0:
                after = 0
            elif moves == 0:
                after = span if p >= len(own) // 2 else 0
            elif span < moves or beyond == 0:
                after = len(before) * span // moves
            else:
                after = len(before) + sum(g - 1 for g in before) * (span - moves) // beyond
            out.append(own[0] + after)
    return out

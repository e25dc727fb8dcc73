"""The pair of logs on which the ratio test gives itself away."""

from __future__ import annotations

import numpy as np

from sequester.model import EventLog
from sequester.model.selection import take


def ratio_witness(epsilon: float, *, many: int = 60) -> tuple[EventLog, EventLog]:
    """Logs around the smallest count the ratio test lets pass: with one person more a state appears, without it never.

    A statistic of c out of n passes iff c (n - 1) <= e^epsilon n (c - 1).
    """
    c = next(c for c in range(2, many) if c * (many + c - 1) <= np.exp(epsilon) * (many + c) * (c - 1))
    traces = [["a", "b"]] * many + [["a", "z"]] * c
    names = ("a", "b", "z")
    full = EventLog(
        offsets=np.arange(len(traces) + 1) * 2,
        states=np.array([names.index(s) for t in traces for s in t]),
        state_names=names,
        times=np.tile([0, 1], len(traces)),
        time_unit="order",
    )
    return take(full, np.arange(len(traces) - 1)), full

"""What a user asks a synthetic event log: what follows what, which paths are common, how long it takes."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import pairwise

import numpy as np

from sequester.errors import InputError, nearest
from sequester.layouts.log import Log
from sequester.query.bundle import Bundle

START, END = "(start)", "(end)"


class EventBundle(Bundle):
    """A published event log."""

    @cached_property
    def log(self) -> Log:
        """The log as arrays."""
        return Log.read(self)

    @property
    def traces(self) -> list[tuple[str, ...]]:
        """States of every object, in their order."""
        return self.log.traces

    @cached_property
    def states(self) -> tuple[str, ...]:
        """States that occur, most frequent first."""
        counts = Counter(s for t in self.traces for s in t)
        return tuple(sorted(counts, key=lambda s: (-counts[s], s)))

    def following(self, state: str = START) -> dict[str, float]:
        """Shares of what directly follows a state (or starts an object), most frequent first; `(end)` is the end."""
        if state != START:
            self._known(state)
        after: Counter[str] = Counter()
        for trace in self.traces:
            path = (START, *trace, END)
            after.update(b for a, b in pairwise(path) if a == state)
        total = sum(after.values())
        return {s: after[s] / total for s in sorted(after, key=lambda s: (-after[s], s))}

    def next_after(self, context: str) -> dict[str, float]:
        """What follows a state, most likely first; without one, what comes first."""
        return self.following(context) if context else self.following()

    def variants(self, n: int = 10) -> list[tuple[tuple[str, ...], int]]:
        """The `n` most frequent whole paths and how many objects take them."""
        counts = Counter(self.traces)
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:n]

    def containing(self, *states: str) -> int:
        """Objects in which these states occur in this order, not necessarily one after the other."""
        for state in states:
            self._known(state)
        return sum(_in_order(trace, states) for trace in self.traces)

    def hours_between(self, a: str, b: str) -> np.ndarray:
        """Hours from each `a` to the next `b` of the same object, sorted."""
        for state in (a, b):
            self._known(state)
        if self.log.unit == "order":
            raise InputError("query: this log knows the order of events, not their times.")
        times = self.log.times
        out, at = [], 0
        for trace in self.traces:
            waiting: list[int] = []
            for place, state in enumerate(trace, at):
                if state == b:
                    out += [times[place] - w for w in waiting]
                    waiting = []
                if state == a:
                    waiting.append(times[place])
            at += len(trace)
        return np.sort(np.array(out, np.float64)) / 3600

    def _known(self, state: str) -> None:
        if state not in self.states:
            close = nearest(state, self.states)
            hint = f" Did you mean '{close}'?" if close else ""
            raise InputError(f"query: no state '{state}' in this log; it has {len(self.states)}.{hint}")


def _in_order(trace: tuple[str, ...], states: tuple[str, ...]) -> bool:
    rest = iter(trace)
    return all(state in rest for state in states)

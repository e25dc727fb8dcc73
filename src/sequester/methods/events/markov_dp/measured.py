"""What `markov-dp` has released about a log: the only thing its laws, walks and figures may look at."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sequester.methods.events.markov_dp.length_law import length_weights
from sequester.methods.events.markov_dp.tables import Grid, grid_of, length_classes


@dataclass(frozen=True, kw_only=True)
class Noisy:
    """Released numbers and the standard deviation of their noise."""

    values: np.ndarray
    sd: float


@dataclass(kw_only=True)
class Measured:
    """Everything released about the log, and nothing else."""

    names: tuple[str, ...]
    """States, OTHER last."""
    rich: bool = False
    people: float = 0.0
    length_edges: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    lengths: Noisy | None = None
    variants: list[np.ndarray] = field(default_factory=list)
    variant_counts: np.ndarray = field(default_factory=lambda: np.zeros(0))
    pairs: Noisy | None = None
    """(S+1) x (S+1), START is the last row and END the last column."""
    clips: dict[str, float] = field(default_factory=dict)
    """Norms to which an object's counts were clipped, by table."""
    contexts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    """Cells of `pairs` that have a row in `triples`."""
    triples: Noisy | None = None
    gaps_to: Noisy | None = None
    gap_pairs: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    gaps_pair: Noisy | None = None
    starts: Noisy | None = None
    """24 hours (seconds only), 7 weekdays, then seasons."""
    clock: Noisy | None = None
    """24 hours (seconds only), 7 weekdays."""
    state_hours: Noisy | None = None
    grid: Grid = field(default_factory=lambda: grid_of("second"))
    tables: tuple[str, ...] = ()
    """Tables of the time model that were measured."""
    timed: dict[str, Noisy] = field(default_factory=dict)
    spans: Noisy | None = None
    """Cases per bin of the time from first to last event."""
    span_moments: Noisy | None = None
    """By class of length: cases, and the sum of the places of their bins."""
    attributes: dict[str, Noisy] = field(default_factory=dict)
    """Tables of declared attributes."""

    @property
    def pairs_clip(self) -> float:
        """Norm to which an object's transitions were clipped."""
        return self.clips["pairs"]

    def other_share(self) -> float:
        """Share of the events that stand for all others, by the noisy counts of transitions."""
        assert self.pairs is not None
        into = np.maximum(self.pairs.values.reshape(len(self.names) + 1, -1)[:, :-1].sum(0), 0.0)
        return float(into[-1] / max(into.sum(), 1e-300))

    def length_law(self) -> np.ndarray:
        """Expected objects per length bin among those no variant describes."""
        assert self.lengths is not None
        rest = max(max(1, round(self.people)) - float(self.variant_counts.sum()), 0.0 if len(self.variants) else 1.0)
        return length_weights(self.lengths.values, self.lengths.sd, self.length_edges, rest)

    def length_classes(self) -> tuple[np.ndarray, np.ndarray]:
        """Edges of length classes and the mean length in each, from the released law."""
        return length_classes(self.length_law(), self.length_edges)

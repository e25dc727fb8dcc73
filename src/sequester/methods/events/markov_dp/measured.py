"""What `markov-dp` has released about a log: the only thing its laws, walks and figures may look at.

It is published beside the events: the laws, and every noisy number they come from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from sequester.methods.events.markov_dp.length_law import length_weights
from sequester.methods.events.markov_dp.tables import Grid, grid_of, length_classes
from sequester.methods.events.shared.codebook import published_name
from sequester.methods.events.shared.spans import law_error, span_law

if TYPE_CHECKING:
    from sequester.methods.events.markov_dp.design import Design
    from sequester.methods.events.markov_dp.laws import Laws


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


def model_table(m: Measured, laws: Laws, plan: Design) -> pa.Table:
    """What was learned, for readers who want laws rather than events: all of it follows from released numbers."""
    names = [*m.names, None]
    a, b = np.nonzero(laws.chain)
    lengths = np.asarray(laws.length_weights)
    at = np.flatnonzero(lengths > 0)
    share = lengths / max(lengths.sum(), 1e-300)
    head: list[tuple[str, str | None, str | None, float]] = [
        ("people", None, None, m.people),
        ("index", None, None, plan.strength / len(m.names)),
        ("order", None, None, 2.0 if m.rich else 1.0),
        *([] if m.spans is None else [("duration noise", None, None, _duration_noise(m, m.spans, plan))]),
        *(("state", None, name, float(i)) for i, name in enumerate(m.names)),
        *(("code", code, published_name(code, plan.codes, m.names[:-1]), len(chain)) for code, chain in _listed(plan)),
        *(("clip", name, None, clip) for name, clip in m.clips.items()),
        *(("attribute", a.name, value, float(i)) for a in plan.attributes for i, value in enumerate(a.values)),
        *(("event value", a.name, v, float(i)) for a in plan.event_values for i, v in enumerate(a.values[:-1])),
    ]
    none = [None] * len(head)
    steps = [names[i] for i in a]
    return pa.table(
        {
            "statistic": pa.array([h[0] for h in head] + ["length"] * len(at) + ["transition"] * len(a), pa.string()),
            "from": pa.array([h[1] for h in head] + [None] * len(at) + steps, pa.string()),
            "to": pa.array([h[2] for h in head] + [None] * len(at) + [names[i] for i in b], pa.string()),
            "length_from": pa.array(none + laws.length_edges[at].tolist() + [None] * len(a), pa.int64()),
            "length_to": pa.array(none + (laws.length_edges[at + 1] - 1).tolist() + [None] * len(a), pa.int64()),
            "value": pa.array([h[3] for h in head] + share[at].tolist() + laws.chain[a, b].tolist(), pa.float64()),
        }
    )


def _listed(plan: Design) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Codes of a public list with all their names: what each is called in the release follows from its states."""
    return () if plan.codes is None else plan.codes.broader.items()


def _duration_noise(m: Measured, spans: Noisy, plan: Design) -> float:
    """By how much noise alone makes durations miss, as W1 / mean."""
    law = span_law(spans.values, spans.sd, plan.span_edges)
    return law_error(law, max(m.people, 1.0), spans.sd, plan.span_edges)


def measurements_table(m: Measured) -> pa.Table:
    """Every noisy number, by table and cell: enough to fit another model, and for a judge to look at the noise."""
    every = {
        "lengths": m.lengths, "pairs": m.pairs, "triples": m.triples, "gaps to": m.gaps_to,
        "gaps between": m.gaps_pair, "spans": m.spans, "span moments": m.span_moments,
        "starts": m.starts, "clock": m.clock, "state hours": m.state_hours,
        **m.timed, **m.attributes,
    }  # fmt: skip
    fields = {"people": np.array([m.people])} | {name: x.values.ravel() for name, x in every.items() if x is not None}
    sizes = [len(values) for values in fields.values()]
    family = pa.DictionaryArray.from_arrays(
        pa.array(np.repeat(np.arange(len(fields)), sizes).astype(np.int32)), pa.array(list(fields), pa.string())
    )
    return pa.table(
        {
            "family": family.cast(pa.string()),
            "cell": pa.array(np.concatenate([np.arange(n) for n in sizes]), pa.int64()),
            "value": pa.array(np.concatenate(list(fields.values())), pa.float64()),
        }
    )

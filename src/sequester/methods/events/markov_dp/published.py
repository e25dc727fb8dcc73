"""What is published beside the events: the laws, and every noisy number they come from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from sequester.methods.events.shared.codebook import published_name
from sequester.methods.events.shared.spans import law_error, span_law

if TYPE_CHECKING:
    from sequester.methods.events.markov_dp.design import Design
    from sequester.methods.events.markov_dp.laws import Laws
    from sequester.methods.events.markov_dp.measured import Measured, Noisy


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

"""What a synthetic log keeps of its original: order, lengths, gaps, clock, prediction; and how much it copies."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from sequester.layouts.log import OTHER
from sequester.layouts.log import Log as Released
from sequester.methods.events.shared.minhash import nearest_similarity, signatures
from sequester.model import EventLog
from sequester.release import Claim, Evidence, Figure
from sequester.utility.event_attributes import attribute_figures, link_rows
from sequester.utility.event_durations import (
    class_rows,
    duration_figures,
    duration_rows,
    duration_sentence,
    durations,
    gaps,
    wasserstein,
)
from sequester.utility.next_event import next_event_figures, time_aware_figures
from sequester.utility.process_model import Log, aligned, fitness_figures

DAY, HOUR = 86400, 3600
FOLDED_BELOW = 0.9
"""Share of events whose state the release names, below which distances are shown in both ways."""


def measure_events(
    original: EventLog,
    claim: Claim,
    *,
    hashes: int = 100,
    shingle: int = 1,
    sample: int = 5000,
    fold: bool = False,
    others: EventLog | None = None,
    fitness: bool = False,
    seed: int = 0,
) -> Evidence:
    """Compare a synthetic log with its original.

    Parameters
    ----------
    original : EventLog
        The log it was made from.
    claim : Claim
        A release or an opened bundle with a table `events`.
    hashes : int
        Hash functions of the distance of Definition 4.
    shingle : int
        States per shingle of that distance.
    sample : int
        Objects per side that are compared with each other; larger logs are sampled.
    fold : bool
        Count original states that the release does not name as its state OTHER.
    others : EventLog
        People who were held out of the release: models are tested on them. Without them models are tested on the
        people the release was made from, and the figures say so.
    fitness : bool
        Also replay each log on the process model that pm4py's inductive miner finds in the other.
    seed : int
        Of the hash functions and the sample.
    """
    released = Released.read(claim, who="measure")
    real, synthetic, strangers = aligned(original, released, fold, others)
    unit = original.time_unit if released.unit != "order" else "order"
    timed = unit != "order" and len(synthetic.times) > 0
    rng = np.random.default_rng(seed)
    figures = [
        *_distances(real, synthetic, hashes, shingle, sample, rng),
        *_copies(real, synthetic),
        *_order(real, synthetic),
        _named(original, released),
        *_other_way(original, released, fold),
        *_lengths(real, synthetic),
        *(duration_figures(real, synthetic) if timed else ()),
        *_clock(real, synthetic, unit),
        *_variants(real, synthetic),
        *next_event_figures(real, synthetic, rng),
        *time_aware_figures(real, synthetic, strangers, unit, rng),
        *attribute_figures(original, claim, released, real, synthetic),
        *(fitness_figures(real, synthetic, min(sample, 1000), rng) if fitness else ()),
        *_model(claim),
    ]
    value = {f.name: f.value for f in figures}
    links = link_rows(original, claim, released, real, synthetic) if len(synthetic.states) else []
    return Evidence(
        about="measure",
        saw_original=True,
        summary=(
            f"{duration_sentence(real, synthetic) + ' ' if timed else ''}{len(synthetic.lengths)} synthetic objects "
            f"for {len(real.lengths)}; they keep {value['top20_2grams']:.0%} of the twenty most frequent 2-grams, and "
            f"{value['unique_copy_rate']:.1%} repeat a trace that a single person has."
        ),
        figures=tuple(figures),
        rows={"numbers of events": _length_rows(real, synthetic)}
        | ({"links of attributes": links} if links else {})
        | (
            {"durations": duration_rows(real, synthetic), "durations by number of events": class_rows(real, synthetic)}
            if timed
            else {}
        ),
    )


def _distances(real: Log, syn: Log, hashes: int, width: int, sample: int, rng: np.random.Generator) -> list[Figure]:
    seeds = rng.integers(0, 2**63, hashes, dtype=np.int64).astype(np.uint64)
    signs = []
    for log in (real, syn):
        chosen = np.arange(len(log.lengths))
        if len(chosen) > sample:
            chosen = np.sort(rng.choice(len(chosen), sample, replace=False))
        sizes = log.lengths[chosen]
        bounds = np.r_[0, np.cumsum(sizes)].astype(np.int64)
        at = np.repeat(log.offsets[chosen] - bounds[:-1], sizes) + np.arange(bounds[-1])
        signs.append(signatures(log.states[at].astype(np.int32), bounds, seeds, width))
    if not len(signs[0]) or not len(signs[1]):
        return [Figure(name=n, value=1.0, better="lower") for n in ("distance", "distance_back")]
    there, back = nearest_similarity(signs[1], signs[0]), nearest_similarity(signs[0], signs[1])
    return [
        Figure(
            name="distance",
            value=float(1 - there.mean()),
            better="lower",
            says="Definition 4: 1 - mean similarity of a synthetic object to its nearest original one.",
        ),
        Figure(
            name="distance_back",
            value=float(1 - back.mean()),
            better="lower",
            says="The other way: how much of the original has no synthetic object near it.",
        ),
    ]


def _named(original: EventLog, released: Released) -> Figure:
    known = {*released.names, *released.known}
    kept = np.array([released.called(name) in known - {OTHER} for name in original.state_names])
    how = ", by itself or by a broader code" if released.codes or released.prefixes else ""
    return Figure(
        name="named_events",
        value=float(kept[original.states].mean()) if len(original.states) else 1.0,
        better="higher",
        says=f"Share of original events whose state the release names{how}; the others are not in it at all.",
    )


def _other_way(original: EventLog, released: Released, fold: bool) -> list[Figure]:
    """Where the state of all others stands for much, distances are shown with and without folding the original."""
    if float(_named(original, released).value or 0.0) >= FOLDED_BELOW:
        return []
    real, synthetic, _ = aligned(original, released, not fold)
    how = "without folding states that the release does not name" if fold else "after folding them"
    return [
        Figure(
            name=f"directly_follows_{'unfolded' if fold else 'folded'}",
            value=_variation(_counts(real, ends=True), _counts(synthetic, ends=True)),
            better="lower",
            says=f"The same as directly_follows, {how}: the release speaks of few of the original's events.",
        )
    ]


def _copies(real: Log, syn: Log) -> list[Figure]:
    seen: dict[bytes, int] = {}
    for trace in _traces(real):
        seen[trace] = seen.get(trace, 0) + 1
    found = np.array([seen.get(trace, 0) for trace in _traces(syn)])
    n = max(len(found), 1)
    return [
        Figure(
            name="copy_rate",
            value=float((found > 0).sum() / n),
            says="Share of synthetic objects whose states equal an original trace.",
        ),
        Figure(
            name="unique_copy_rate",
            value=float((found == 1).sum() / n),
            better="lower",
            says="Share whose states equal a trace that one original object alone has.",
        ),
    ]


def _traces(log: Log) -> list[bytes]:
    states = np.ascontiguousarray(log.states, np.int32)
    return [states[a:b].tobytes() for a, b in zip(log.offsets[:-1].tolist(), log.offsets[1:].tolist())]


def _counts(log: Log, *, ends: bool) -> dict[tuple[int, int], int]:
    pairs = log.padded(2)
    if not ends:
        pairs = pairs[(pairs[:, 0] < log.n_states) & (pairs[:, 1] < log.n_states)]
    side = log.n_states + 2
    cells, counts = np.unique(pairs[:, 0] * side + pairs[:, 1], return_counts=True)
    return {(int(c) // side, int(c) % side): int(k) for c, k in zip(cells, counts)}


def _variation(a: dict, b: dict) -> float:
    """Total variation between two count tables."""
    n, m = max(sum(a.values()), 1), max(sum(b.values()), 1)
    return sum(abs(a.get(k, 0) / n - b.get(k, 0) / m) for k in a.keys() | b.keys()) / 2


def _order(real: Log, syn: Log) -> list[Figure]:
    a, b = _counts(real, ends=False), _counts(syn, ends=False)
    top = [set(sorted(x, key=lambda k: (-x[k], k))[:20]) for x in (a, b)]
    ranked = sorted(a.values(), reverse=True)
    near = sum(abs(n - ranked[19]) <= 0.05 * ranked[19] for n in ranked) if len(ranked) > 20 else 0
    return [
        Figure(
            name="top20_2grams",
            value=len(top[0] & top[1]) / max(min(20, len(top[0])), 1),
            better="higher",
            says="Share of the twenty most frequent 2-grams that are among the synthetic twenty; "
            f"{near} 2-grams lie within 5 % of the twentieth, and which of them count is a toss.",
        ),
        Figure(
            name="bigram_l1",
            value=2 * _variation(a, b),
            better="lower",
            says="L1 distance of 2-gram frequencies, 0 to 2.",
        ),
        Figure(
            name="directly_follows",
            value=_variation(_counts(real, ends=True), _counts(syn, ends=True)),
            better="lower",
            says="Total variation of what directly follows what, starts and ends included.",
        ),
    ]


def _lengths(real: Log, syn: Log) -> list[Figure]:
    a, b = real.lengths, syn.lengths
    distance = wasserstein(a, b) / max(float(a.mean()), 1e-9) if len(a) and len(b) else 1.0
    return [
        Figure(
            name="length",
            value=distance,
            better="lower",
            says="Mean distance between numbers of events of a case (Wasserstein), divided by their mean.",
        )
    ]


def _clock(real: Log, syn: Log, unit: str) -> list[Figure]:
    if unit == "order" or not len(syn.times):
        return []
    a, b = np.sort(gaps(real)), np.sort(gaps(syn))
    out = []
    if len(a) and len(b):
        out.append(
            Figure(
                name="gap",
                value=_largest_step(a, b),
                better="lower",
                says="Largest difference between the distributions of gaps (Kolmogorov-Smirnov).",
            )
        )
    spans = [durations(log) for log in (real, syn)]
    out.append(
        Figure(
            name="duration",
            value=_largest_step(np.sort(spans[0]), np.sort(spans[1])),
            better="lower",
            says="Largest difference between the distributions of times from first to last event; it cannot see a "
            "tail, duration_w1 can.",
        )
    )
    months = [
        (log.times // DAY).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) for log in (real, syn)
    ]
    first = min(int(m.min()) for m in months)
    size = max(int(m.max()) for m in months) - first + 1
    out.append(
        Figure(
            name="month",
            value=_share_distance(months[0] - first, months[1] - first, size),
            better="lower",
            says="Total variation of calendar months.",
        )
    )
    days = [(log.times // DAY + 3) % 7 for log in (real, syn)]
    out.append(
        Figure(
            name="weekday",
            value=_share_distance(days[0], days[1], 7),
            better="lower",
            says="Total variation of weekdays.",
        )
    )
    if unit == "second":
        hours = [log.times % DAY // HOUR for log in (real, syn)]
        out.append(
            Figure(
                name="hour",
                value=_share_distance(hours[0], hours[1], 24),
                better="lower",
                says="Total variation of hours.",
            )
        )
    return out


def _largest_step(a: np.ndarray, b: np.ndarray) -> float:
    """Kolmogorov-Smirnov distance of two sorted samples."""
    at = np.unique(np.r_[a, b])
    return float(np.abs(np.searchsorted(a, at, "right") / len(a) - np.searchsorted(b, at, "right") / len(b)).max())


def _variants(real: Log, syn: Log) -> list[Figure]:
    counts = [dict(Counter(_traces(log))) for log in (real, syn)]
    return [
        Figure(
            name="variants",
            value=_variation(counts[0], counts[1]),
            better="lower",
            says="Total variation of whole traces; between two samples of unique traces it is 1.",
        )
    ]


def _share_distance(a: np.ndarray, b: np.ndarray, size: int) -> float:
    x, y = (np.bincount(v, minlength=size) / max(len(v), 1) for v in (a, b))
    return float(np.abs(x - y).sum() / 2)


def _model(claim: Claim) -> list[Figure]:
    """Support and suppression of the model behind the log, where the custodian's tables tell them."""
    table = claim.private.get("model_summary")
    if table is None:
        return []
    fields = dict(zip(table["name"].to_pylist(), table["value"].to_pylist()))
    kept, records = fields.get("kept_statistics", 0), fields.get("kept_records", 0)
    every = records + fields.get("suppressed_records", 0)
    return [
        Figure(name="mean_support", value=records / max(kept, 1), better="higher", says="Records per kept statistic."),
        Figure(
            name="suppression_rate",
            value=fields.get("suppressed_records", 0) / max(every, 1),
            better="lower",
            says="Share of counted records whose statistic was suppressed.",
        ),
    ]


def _length_rows(real: Log, syn: Log) -> list[dict[str, Any]]:
    grid = (0.05, 0.25, 0.5, 0.75, 0.95)
    return [
        {
            "quantile": q,
            "original": float(np.quantile(real.lengths, q)) if len(real.lengths) else 0.0,
            "synthetic": float(np.quantile(syn.lengths, q)) if len(syn.lengths) else 0.0,
        }
        for q in grid
    ]

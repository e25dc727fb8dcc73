"""What a synthetic log keeps of its original: order, lengths, gaps, clock, prediction; and how much it copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.errors import InputError
from sequester.model import EventLog
from sequester.release import Claim, Evidence, Figure

DAY, HOUR = 86400, 3600
OTHER = "OTHER"


@dataclass(frozen=True, kw_only=True)
class _Log:
    """States coded alike on both sides; START and END are the two codes after the last state."""

    states: np.ndarray
    times: np.ndarray
    offsets: np.ndarray
    n_states: int

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    def padded(self, width: int) -> np.ndarray:
        """All windows of `width` events as rows, over traces with one END and `width - 1` STARTs added."""
        n = len(self.offsets) - 1
        before = width - 1
        size = len(self.states) + n * (before + 1)
        flat = np.full(size, self.n_states)
        shift = np.arange(n) * (before + 1)
        flat[np.arange(len(self.states)) + np.repeat(shift + before, self.lengths)] = self.states
        ends = self.offsets[1:] + shift + before
        flat[ends] = self.n_states + 1
        starts = np.arange(size - before)
        inside = np.ones(size, bool)  # a window that begins at an END spans two traces
        for k in range(before):
            inside[np.maximum(ends - k, 0)] = False
        rows = starts[inside[: size - before]] if before else starts
        return np.stack([flat[rows + k] for k in range(width)], axis=1)


def measure_events(
    original: EventLog,
    claim: Claim,
    *,
    hashes: int = 100,
    shingle: int = 1,
    sample: int = 5000,
    fold: bool = False,
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
    seed : int
        Of the hash functions and the sample.
    """
    real, synthetic = _aligned(original, claim, fold)
    rng = np.random.default_rng(seed)
    figures = [
        *_distances(real, synthetic, hashes, shingle, sample, rng),
        *_copies(real, synthetic),
        *_order(real, synthetic),
        _named(original, claim),
        *_lengths(real, synthetic),
        *_clock(real, synthetic, original.time_unit if _has_clock(claim) else "order"),
        *_prediction(real, synthetic, rng),
        *_model(claim),
    ]
    value = {f.name: f.value for f in figures}
    return Evidence(
        about="measure",
        saw_original=True,
        summary=(
            f"{len(synthetic.lengths)} synthetic objects for {len(real.lengths)}; they keep "
            f"{value['top20_2grams']:.0%} of the twenty most frequent 2-grams, and "
            f"{value['unique_copy_rate']:.1%} repeat a trace that a single person has."
        ),
        figures=tuple(figures),
        rows={"lengths": _length_rows(real, synthetic)},
    )


def _aligned(original: EventLog, claim: Claim, fold: bool) -> tuple[_Log, _Log]:
    if "events" not in claim.tables:
        raise InputError("measure: the release has no table 'events' to compare the log with.")
    table = claim.tables["events"]
    lacking = [c for c in ("object", "time", "state") if c not in table.column_names]
    if lacking:
        raise InputError(f"measure: table 'events' lacks {', '.join(lacking)}.")
    coded = table["state"].combine_chunks().dictionary_encode()
    names = {name: i for i, name in enumerate(original.state_names)}
    theirs = coded.dictionary.to_pylist()
    for name in theirs:
        names.setdefault(name, len(names))
    of = np.array([names[name] for name in theirs] or [0])
    objects = table["object"].to_numpy()
    begins = np.flatnonzero(np.r_[True, objects[1:] != objects[:-1]]) if len(objects) else np.zeros(0, np.int64)
    states = of[coded.indices.to_numpy()] if len(objects) else np.zeros(0, np.int64)
    own = original.states.astype(np.int64)
    if fold and OTHER in names:
        known = set(theirs) | set(_known_states(claim))
        into = np.array([names[n] if n in known else names[OTHER] for n in original.state_names])
        own = into[own]
    n_states = len(names)
    synthetic = _Log(states=states, times=_seconds(table), offsets=np.r_[begins, len(objects)], n_states=n_states)
    return _Log(states=own, times=original.times, offsets=original.offsets, n_states=n_states), synthetic


def _has_clock(claim: Claim) -> bool:
    import pyarrow as pa

    return not pa.types.is_integer(claim.tables["events"]["time"].type)


def _known_states(claim: Claim) -> list[str]:
    model = claim.tables.get("model")
    return [] if model is None or "to" not in model.column_names else [x for x in model["to"].to_pylist() if x]


def _seconds(table: Any) -> np.ndarray:
    import pyarrow as pa

    kind = table["time"].type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return table["time"].cast(pa.timestamp("s")).cast(pa.int64()).to_numpy()
    return table["time"].to_numpy()


def _distances(real: _Log, syn: _Log, hashes: int, width: int, sample: int, rng: np.random.Generator) -> list[Figure]:
    from sequester.primitives.minhash import nearest_similarity, signatures

    seeds = rng.integers(0, 2**63, hashes, dtype=np.int64).astype(np.uint64)
    signs = []
    for log in (real, syn):
        chosen = np.arange(len(log.lengths))
        if len(chosen) > sample:
            chosen = np.sort(rng.choice(len(chosen), sample, replace=False))
        sizes = log.lengths[chosen]
        bounds = np.r_[0, np.cumsum(sizes)].astype(np.int64)
        at = np.repeat(log.offsets[chosen] - bounds[:-1], sizes) + np.arange(bounds[-1])
        signs.append(signatures(log.states[at], bounds, seeds, width))
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


def _named(original: EventLog, claim: Claim) -> Figure:
    known = set(claim.tables["events"]["state"].to_pylist()) | set(_known_states(claim))
    kept = np.array([name in known for name in original.state_names])
    return Figure(
        name="named_events",
        value=float(kept[original.states].mean()) if len(original.states) else 1.0,
        better="higher",
        says="Share of original events whose state the release names; the others are not in it at all.",
    )


def _copies(real: _Log, syn: _Log) -> list[Figure]:
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


def _traces(log: _Log) -> list[bytes]:
    states = np.ascontiguousarray(log.states, np.int32)
    return [states[a:b].tobytes() for a, b in zip(log.offsets[:-1].tolist(), log.offsets[1:].tolist())]


def _counts(log: _Log, *, ends: bool) -> dict[tuple[int, int], int]:
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


def _order(real: _Log, syn: _Log) -> list[Figure]:
    a, b = _counts(real, ends=False), _counts(syn, ends=False)
    top = [set(sorted(x, key=lambda k: (-x[k], k))[:20]) for x in (a, b)]
    return [
        Figure(
            name="top20_2grams",
            value=len(top[0] & top[1]) / max(min(20, len(top[0])), 1),
            better="higher",
            says="Share of the twenty most frequent 2-grams that are among the synthetic twenty.",
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


def _lengths(real: _Log, syn: _Log) -> list[Figure]:
    a, b = real.lengths, syn.lengths
    distance = _wasserstein(a, b) / max(float(a.mean()), 1e-9) if len(a) and len(b) else 1.0
    return [
        Figure(
            name="length",
            value=distance,
            better="lower",
            says="Mean distance between trace lengths (Wasserstein), divided by the mean length.",
        )
    ]


def _wasserstein(a: np.ndarray, b: np.ndarray) -> float:
    grid = (np.arange(4000) + 0.5) / 4000
    return float(np.abs(np.quantile(a, grid) - np.quantile(b, grid)).mean())


def _gaps(log: _Log) -> np.ndarray:
    inner = np.ones(len(log.times), bool)
    inner[log.offsets[:-1]] = False
    return np.diff(log.times, prepend=log.times[:1])[inner]


def _clock(real: _Log, syn: _Log, unit: str) -> list[Figure]:
    if unit == "order" or not len(syn.times):
        return []
    a, b = np.sort(_gaps(real)), np.sort(_gaps(syn))
    out = []
    if len(a) and len(b):
        at = np.unique(np.r_[a, b])
        gap = np.abs(np.searchsorted(a, at, "right") / len(a) - np.searchsorted(b, at, "right") / len(b)).max()
        out.append(
            Figure(
                name="gap",
                value=float(gap),
                better="lower",
                says="Largest difference between the distributions of gaps (Kolmogorov-Smirnov).",
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


def _share_distance(a: np.ndarray, b: np.ndarray, size: int) -> float:
    x, y = (np.bincount(v, minlength=size) / max(len(v), 1) for v in (a, b))
    return float(np.abs(x - y).sum() / 2)


def _prediction(real: _Log, syn: _Log, rng: np.random.Generator) -> list[Figure]:
    test = real.padded(3)
    half = rng.random(len(real.lengths)) < 0.5
    owner = np.repeat(half, real.lengths + 1)
    return [
        Figure(
            name="next_event",
            value=_accuracy(syn.padded(3), test, real.n_states),
            better="higher",
            says="How often a next-event model trained on the release is right on the original.",
        ),
        Figure(
            name="next_event_original",
            value=_accuracy(test[owner], test[~owner], real.n_states),
            says="The same trained on half of the original and tested on the other half.",
        ),
    ]


def _accuracy(train: np.ndarray, test: np.ndarray, n_states: int) -> float:
    """Most frequent next state after the last two, backing off to the last one, then to any."""
    side = n_states + 2
    right = np.zeros(len(test), bool)
    known = np.zeros(len(test), bool)
    for width in (2, 1, 0):
        keys = [_key(rows[:, 2 - width : 2], side) for rows in (train, test)]
        context, best = _best_next(keys[0], train[:, 2], side)
        if not len(context):
            continue
        at = np.minimum(np.searchsorted(context, keys[1]), len(context) - 1)
        hit = (context[at] == keys[1]) & ~known
        right[hit] = best[at[hit]] == test[hit, 2]
        known |= hit
    return float(right.mean()) if len(test) else 0.0


def _key(rows: np.ndarray, side: int) -> np.ndarray:
    out = np.zeros(len(rows), np.int64)
    for column in range(rows.shape[1]):
        out = out * side + rows[:, column]
    return out


def _best_next(context: np.ndarray, following: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
    cells, counts = np.unique(context * side + following, return_counts=True)
    order = np.lexsort((cells, -counts, cells // side))
    cells = cells[order]
    first = np.flatnonzero(np.r_[True, cells[1:] // side != cells[:-1] // side]) if len(cells) else np.zeros(0, int)
    return cells[first] // side, cells[first] % side


def _model(claim: Claim) -> list[Figure]:
    """Support and suppression of the model behind the log, where the custodian's tables tell them."""
    table = claim.private.get("model_summary")
    if table is None:
        return []
    told = dict(zip(table["name"].to_pylist(), table["value"].to_pylist()))
    kept, records = told.get("kept_statistics", 0), told.get("kept_records", 0)
    every = records + told.get("suppressed_records", 0)
    return [
        Figure(name="mean_support", value=records / max(kept, 1), better="higher", says="Records per kept statistic."),
        Figure(
            name="suppression_rate",
            value=told.get("suppressed_records", 0) / max(every, 1),
            better="lower",
            says="Share of counted records whose statistic was suppressed.",
        ),
    ]


def _length_rows(real: _Log, syn: _Log) -> list[dict[str, Any]]:
    grid = (0.05, 0.25, 0.5, 0.75, 0.95)
    return [
        {
            "quantile": q,
            "original": float(np.quantile(real.lengths, q)) if len(real.lengths) else 0.0,
            "synthetic": float(np.quantile(syn.lengths, q)) if len(syn.lengths) else 0.0,
        }
        for q in grid
    ]

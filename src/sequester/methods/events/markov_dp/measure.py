"""The measuring stage of `markov-dp`: everything that looks at the log, one noisy step after the other.

Each step sees integers that passed the gate, adds noise at a scale derived from its share of the budget, and writes
itself into the ledger. Later steps use earlier ones only through what was released. The stage can be run alone,
which is what the transcript audit does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sequester.dp.gate import GRID, LARGEST_CLIP, bound, gate_cells
from sequester.dp.ledger import Ledger
from sequester.dp.noise import Noise, median_utilities
from sequester.dp.zcdp import gaussian_scale
from sequester.methods.events.markov_dp import design as d
from sequester.methods.events.markov_dp.attributes import measure_attributes
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.kernels.gated import gated_totals, object_norms
from sequester.methods.events.markov_dp.length_law import length_weights
from sequester.methods.events.markov_dp.tables import TABLES, Grid, Moves, grid_of, length_classes, shape_of
from sequester.methods.events.shared.attributes import case_values
from sequester.methods.events.shared.codebook import OTHER
from sequester.model import EventLog


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
    grid: Grid = field(default_factory=lambda: grid_of("second", False))
    tables: tuple[str, ...] = ()
    """Tables of the time model that were measured."""
    timed: dict[str, Noisy] = field(default_factory=dict)
    attributes: dict[str, Noisy] = field(default_factory=dict)
    """Tables of declared attributes."""

    @property
    def pairs_clip(self) -> float:
        """Norm to which an object's transitions were clipped."""
        return self.clips["pairs"]

    def length_law(self) -> np.ndarray:
        """Expected objects per length bin among those no variant describes."""
        assert self.lengths is not None
        rest = max(max(1, round(self.people)) - float(self.variant_counts.sum()), 0.0 if len(self.variants) else 1.0)
        return length_weights(self.lengths.values, self.lengths.sd, self.length_edges, rest)

    def mean_length(self) -> float:
        """Of the released length law."""
        weights, middle = self.length_law(), (self.length_edges[:-1] + self.length_edges[1:] - 1) / 2
        return float(weights @ middle / weights.sum()) if weights.sum() > 0 else 0.0

    def length_classes(self) -> tuple[np.ndarray, np.ndarray]:
        """Edges of length classes and the mean length in each, from the released law."""
        return length_classes(self.length_law(), self.length_edges)


class Desk:
    """Hands out noise and writes it down."""

    def __init__(self, noise: Noise, ledger: Ledger) -> None:
        self.noise, self.ledger = noise, ledger

    def count(self, name: str, value: int, rho: float) -> float:
        """A number that one person changes by 1."""
        scale = gaussian_scale(1.0, rho)
        self.ledger.spend(name, rho, sensitivity=1.0, scale=scale)
        return float(self.noise.gaussian(name, np.array([value]), scale)[0])

    def sums(
        self,
        name: str,
        cells: np.ndarray,
        owners: np.ndarray,
        clip: float,
        size: int,
        rho: float,
        divisors: np.ndarray | None = None,
    ) -> Noisy:
        """How often each cell occurs (negative ones do not count), each person's counts gated to the norm `clip`.

        Person *i* owns `cells[owners[i]:owners[i+1]]`; counts are divided by `divisors[i]` first.
        """
        sensitivity = bound(clip)
        total = gated_totals(
            _codes(cells), _codes(owners), _ones(owners) if divisors is None else divisors, float(clip), sensitivity,
            float(GRID), size,
        )  # fmt: skip
        scale = gaussian_scale(sensitivity, rho)
        self.ledger.spend(name, rho, sensitivity=float(sensitivity), scale=scale)
        return Noisy(values=self.noise.gaussian(name, total, scale) / GRID, sd=scale / GRID)

    def median(self, name: str, norms: np.ndarray, largest: float, rho: float) -> float:
        """A grid point near the median norm, between 1 and `largest`."""
        grid = np.geomspace(1.0, max(largest, 1.0 + 1e-9), 60)
        scale = 2.0 / math.sqrt(8 * rho)
        self.ledger.spend(name, rho, kind="noisy-max", sensitivity=1.0, scale=scale)
        return float(grid[self.noise.noisy_max(name, median_utilities(norms, grid), scale)])

    def shown(
        self,
        name: str,
        keys: Sequence[Hashable],
        values: np.ndarray,
        sigma: float,
        tau: float,
        rho: float,
        delta: float,
    ) -> tuple[list, np.ndarray]:
        """Keys whose noisy weight exceeds `tau`; one person's weights have norm at most 1."""
        scale = sigma * GRID
        self.ledger.spend(name, rho, kind="threshold", delta=delta, sensitivity=float(GRID), scale=scale)
        # One grid unit more than the continuous bound, for the rounding of the discrete noise.
        out, noisy = self.noise.threshold(name, keys, values, scale, tau * GRID + 1)
        return out, noisy / GRID


def _codes(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x, np.int64)


def _ones(owners: np.ndarray) -> np.ndarray:
    return np.ones(len(owners) - 1)


def _norms(cells: np.ndarray, owners: np.ndarray, size: int) -> np.ndarray:
    return object_norms(_codes(cells), _codes(owners), _ones(owners), size)


def measure(log: EventLog, plan: Design, noise: Noise, ledger: Ledger) -> Measured:
    """Run all steps on a log."""
    from sequester.methods.events.markov_dp.kernels.markov import transitions

    desk = Desk(noise, ledger)
    names, states, offsets, times = _folded(log, plan, desk)
    n_states = len(names)
    out = Measured(names=names, rich=plan.is_rich(n_states), tables=plan.timed(n_states))
    out.grid = grid_of(plan.unit, bool(out.tables))
    n_timed = len(out.tables)
    share = plan.shares(out.rich, timed=n_timed)
    out.people = desk.count("people", log.n_records, share["people"])
    rest = np.ones(log.n_records, bool)
    if out.rich:
        rest = _measure_variants(out, desk, states, offsets, plan, share["variants"])
    _measure_lengths(out, desk, np.diff(offsets)[rest], plan, share["lengths"])
    if plan.has_length_classes(n_states, out.mean_length()):
        out.tables = (*out.tables, "length")
        share = plan.shares(out.rich, timed=n_timed, by_length=True)
    median_rho = share["median"]

    cells, owners = transitions(states, offsets, n_states)
    kept_cells = np.where(np.repeat(rest, np.diff(owners)), cells, -1)
    largest = plan.max_events + 1.0
    side = n_states + 1
    # The medians are taken over everybody: where variants describe nearly all people, the few who are left could not
    # outvote the noise, and a clip far too large would make the pairs noise.
    clip = out.clips["pairs"] = desk.median("pairs clip", _norms(cells, owners, side * side), largest, median_rho)
    out.pairs = desk.sums("pairs", kept_cells, owners, clip, side * side, share["pairs"])
    strong = np.flatnonzero((out.pairs.values > 2 * out.pairs.sd).reshape(side, side)[:, :-1].ravel())
    strong = strong // n_states * side + strong % n_states
    if out.rich:
        out.contexts = _strongest(strong, out.pairs.values, d.MOST_TRIPLES // side)
        size = len(out.contexts) * side
        triples = _triples(cells, owners, out.contexts, side)
        clip = desk.median("triples clip", _norms(triples, owners, max(size, 1)), largest, median_rho)
        out.clips["triples"] = clip
        triples = _triples(kept_cells, owners, out.contexts, side)
        out.triples = desk.sums("triples", triples, owners, clip, size, share["triples"])
    if plan.unit != "order":
        out.gap_pairs = strong[strong // side < n_states]  # a gap has an event at both ends
        _measure_gaps(out, desk, states, offsets, times, share["gaps"], median_rho, largest)
        _measure_clock(out, desk, states, offsets, times, plan, share, largest)
    if out.tables:
        _measure_tables(out, desk, states, offsets, times, rest, share)
    if plan.attributes:
        values = case_values(log, plan.attributes, "markov-dp")
        measure_attributes(out, desk, values, states, offsets, plan, share["attributes"])
    return out


def _measure_tables(
    out: Measured,
    desk: Desk,
    states: np.ndarray,
    offsets: np.ndarray,
    times: np.ndarray,
    rest: np.ndarray,
    share: dict[str, float],
) -> None:
    """The tables of the time model, and transitions by length class."""
    n_states = len(out.names)
    moved = Moves(states, times, offsets, n_states, out.grid)
    for name in out.tables:
        table = TABLES[name]
        classes, divisors = None, None
        if name == "length":
            cuts, means = out.length_classes()
            classes = np.searchsorted(cuts, np.diff(offsets), side="right")
            divisors = means[classes]
        clip = table.times * (out.clips[table.clip_of] if table.clip_of else 1.0)
        out.clips[name] = min(clip, LARGEST_CLIP)
        cells = moved.cells(name, None if table.everybody else rest, classes)
        size = math.prod(shape_of(name, n_states, out.grid))
        rho = share["length"] if name == "length" else share["timed"]
        out.timed[name] = desk.sums(name, cells, offsets, out.clips[name], size, rho, divisors)


def _folded(log: EventLog, plan: Design, desk: Desk) -> tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]:
    """States as codes into the public or released names, objects cut to their first events."""
    sizes = np.minimum(np.diff(log.offsets), plan.max_events)
    offsets = np.r_[0, np.cumsum(sizes)]
    source = np.repeat(log.offsets[:-1] - offsets[:-1], sizes) + np.arange(offsets[-1])
    if plan.codebook is not None:
        names = plan.codebook
    else:
        names = _universe(log, source, offsets, plan, desk)
    names = (*(x for x in names if x != OTHER), OTHER)
    code = {name: i for i, name in enumerate(names)}
    of = np.array([code.get(name, len(names) - 1) for name in log.state_names] or [0])
    return names, of[log.states[source]].astype(np.int32), offsets, log.times[source]


def _universe(log: EventLog, source: np.ndarray, offsets: np.ndarray, plan: Design, desk: Desk) -> tuple[str, ...]:
    """Names many objects use: each object spreads a weight of norm 1 over at most fifty of its states."""
    from sequester.methods.events.markov_dp.kernels.markov import tally_within

    # An object with more states is represented by those it has most often, equal ones by the digest of their names: a
    # function of the object alone.
    rank = np.argsort(np.argsort([_digest(name) for name in log.state_names], kind="stable"))
    ranks, counts, owners = tally_within(rank[log.states[source]].astype(np.int64), offsets)
    sizes = np.diff(owners)
    chosen = np.ones(len(ranks), bool)
    crowded = np.flatnonzero(np.repeat(sizes > d.STATES_PER_OBJECT, sizes))
    owner = np.repeat(np.arange(len(sizes)), sizes)[crowded]
    order = np.lexsort((ranks[crowded], -counts[crowded], owner))
    place = np.arange(len(order)) - np.searchsorted(owner, owner)  # lexsort keeps owners in order
    chosen[crowded[order[place >= d.STATES_PER_OBJECT]]] = False
    ranks, sizes = ranks[chosen], np.minimum(sizes, d.STATES_PER_OBJECT)
    weights = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes)
    total = np.zeros(len(rank), np.int64)
    np.add.at(total, ranks, gate_cells(weights, np.r_[0, np.cumsum(sizes)], 1.0))
    rho = plan.rho * d.UNIVERSE_SHARE
    sigma = gaussian_scale(1.0, rho)
    used = np.flatnonzero(total > 0)
    by_rank = np.empty(len(rank), np.int64)
    by_rank[rank] = np.arange(len(rank))
    keys = [log.state_names[by_rank[r]] for r in used]
    tau = d.universe_threshold(sigma, plan.delta / 4)
    names, _ = desk.shown("states", keys, total[used], sigma, tau, rho, plan.delta / 4)
    # The rest is post-processing: no more states than the budget can carry, in an order that tells no counts.
    return tuple(sorted(names[: plan.most_states() - 1]))


def _digest(name: str) -> int:
    import hashlib

    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=7).digest())


def _measure_variants(
    out: Measured, desk: Desk, states: np.ndarray, offsets: np.ndarray, plan: Design, rho: float
) -> np.ndarray:
    """Release frequent whole traces; returns who is not described by one.

    Variants of fewer than `least` objects are never considered, and the threshold is raised accordingly: a variant at
    that very count appears with probability delta/4 at most, so adding an object cannot reveal it otherwise.
    """
    sigma = gaussian_scale(1.0, rho)
    traces = [states[a:b].tobytes() for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist())]
    count = Counter(traces)
    least = max(1, round(sigma / 2))
    keys = sorted(key for key, c in count.items() if c >= least)
    weights = np.array([count[key] for key in keys], np.int64) * GRID
    tau = least + sigma * d.tail(plan.delta / 4)
    shown, noisy = desk.shown("variants", keys, weights, sigma, tau, rho, plan.delta / 4)
    out.variants = [np.frombuffer(key, np.int32) for key in shown]
    out.variant_counts = noisy
    described = set(shown)
    return np.array([trace not in described for trace in traces], bool)


def _measure_lengths(out: Measured, desk: Desk, lengths: np.ndarray, plan: Design, rho: float) -> None:
    out.length_edges = d.widened(plan.length_edges, max(out.people, 1.0), gaussian_scale(1.0, rho))
    bins = np.searchsorted(out.length_edges, lengths, side="right") - 1
    out.lengths = desk.sums("lengths", bins, np.arange(len(bins) + 1), 1.0, len(out.length_edges) - 1, rho)


def _strongest(cells: np.ndarray, released: np.ndarray, most: int) -> np.ndarray:
    """At most so many of the cells, those of the largest released values, in rising order."""
    return np.sort(cells[np.argsort(-released[cells], kind="stable")[:most]])


def _triples(cells: np.ndarray, owners: np.ndarray, contexts: np.ndarray, side: int) -> np.ndarray:
    """Per transition, the cell (context it and its predecessor form, next state), -1 where the context has no row."""
    out = np.full(len(cells), -1, np.int64)
    place = np.searchsorted(contexts, cells[:-1])
    known = place < len(contexts)
    known[known] = contexts[place[known]] == cells[:-1][known]
    known[owners[1:-1] - 1] = False  # the next transition belongs to another object
    at = np.flatnonzero(known)
    out[at] = place[at] * side + cells[at + 1] % side
    out[at[cells[at + 1] < 0]] = -1
    return out


def _measure_gaps(
    out: Measured,
    desk: Desk,
    states: np.ndarray,
    offsets: np.ndarray,
    times: np.ndarray,
    rho: float,
    median_rho: float,
    largest: float,
) -> None:
    """Gap bins by the state a gap leads to, and by both its ends where the pair is frequent."""
    n_states, bins = len(out.names), out.grid.bins
    gap = np.diff(times, prepend=times[:1])
    bin_ = np.clip(np.searchsorted(out.grid.edges, gap, side="right") - 1, 0, bins - 1)
    first = np.zeros(len(states), bool)
    first[offsets[:-1]] = True
    to = np.where(first, -1, states * np.int64(bins) + bin_)
    clip = out.clips["gaps"] = desk.median("gaps clip", _norms(to, offsets, n_states * bins), largest, median_rho)
    out.gaps_to = desk.sums("gaps to", to, offsets, clip, n_states * bins, rho / 2)
    pair = np.r_[-1, states[:-1].astype(np.int64) * (n_states + 1) + states[1:]]
    place = np.asarray(np.searchsorted(out.gap_pairs, pair))
    known = ~first & (place < len(out.gap_pairs))
    known[known] = out.gap_pairs[place[known]] == pair[known]
    # A finer split of the same transitions cannot have a larger norm, so the same clip serves.
    between = np.where(known, place * bins + bin_, -1)
    out.gaps_pair = desk.sums("gaps between", between, offsets, clip, len(out.gap_pairs) * bins, rho / 2)


def _measure_clock(
    out: Measured,
    desk: Desk,
    states: np.ndarray,
    offsets: np.ndarray,
    times: np.ndarray,
    plan: Design,
    share: dict[str, float],
    largest: float,
) -> None:
    """When objects start, and at which hours and weekdays events happen."""
    small = share["small median"]
    with_hours = plan.unit == "second"
    rho = share["clock"] / (3 if with_hours else 2)
    weekday_at = 24 if with_hours else 0
    day = np.clip(times // d.DAY, plan.days[0], plan.days[-1])
    hour, weekday = times % d.DAY // d.HOUR, (times // d.DAY + 3) % 7 + weekday_at
    begin = offsets[:-1]
    season = plan.season_of_day[day[begin] - plan.days[0]] + weekday_at + 7
    columns = [hour[begin], weekday[begin], season] if with_hours else [weekday[begin], season]
    cells = np.stack(columns, axis=1).ravel()
    width = len(columns)
    each = np.arange(len(begin) + 1) * width
    size = weekday_at + 7 + int(plan.season_of_day[-1]) + 1
    out.starts = desk.sums("starts", cells, each, math.sqrt(width), size, rho)
    double = np.stack([hour, weekday], axis=1).ravel() if with_hours else weekday
    owners = offsets * (2 if with_hours else 1)
    norms = _norms(double, owners, weekday_at + 7)
    clip = out.clips["clock"] = desk.median("clock clip", norms, min(1.5 * largest, LARGEST_CLIP), small)
    out.clock = desk.sums("clock", double, owners, clip, weekday_at + 7, rho)
    if with_hours:
        cells, size = states * np.int64(24) + hour, len(out.names) * 24
        clip = out.clips["state hours"] = desk.median("state hours clip", _norms(cells, offsets, size), largest, small)
        out.state_hours = desk.sums("state hours", cells, offsets, clip, size, rho)

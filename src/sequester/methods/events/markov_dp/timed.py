"""What `markov-dp` draws from: one multiplicative model of states and gaps, fitted by drawing.

The chain and the rows of gaps say what usually follows; the tables of the time model, where they were measured, say by
how much that changes inside a batch, with the place in the trace, the gap before, the hour and the length.

A chain read off clipped counts and then walked for given lengths does not give back those counts: long traces weigh
less among what was counted, and the wish for a length prefers some states. The same holds for hours, because a moment
must also fit its gap. So a few logs are drawn, counted and clipped as the original was, and every law and table is
multiplied by what is missing. What noise explains stays as the simpler model predicts. Nothing here sees the original.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.generate import Wanted, wanted_objects
from sequester.methods.events.markov_dp.kernels import engine
from sequester.methods.events.markov_dp.kernels.moves import clipped_totals, shrunk, transitions
from sequester.methods.events.markov_dp.laws import Laws, rows_of
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.markov_dp.tables import STATE_TABLES, TABLES, Moves, shape_of
from sequester.methods.events.shared.notes import Rules, arrivals
from sequester.methods.events.shared.spans import DAY, HOUR
from sequester.primitives.xoshiro import state_from

WARM, CYCLES, CLOSING = 3, 3, 2
"""Rounds that fit the simple laws before the tables, rounds of all tables, rounds of the simple laws after them."""
PACE = 0.8
"""Power of the missing factor of a table that is applied in a round."""
LAW_PACE = 0.5
"""The same for the simple laws."""
OBJECTS, EVENTS = 4000, 200_000
"""Size of a drawn log: so many objects, fewer if they are long."""


@dataclass(kw_only=True)
class Model:
    """Laws with the factors that tables of the time model put on them."""

    laws: Laws
    measured: Measured
    plan: Design
    bars: np.ndarray
    counts: np.ndarray
    """Transitions behind the chain."""
    hours: np.ndarray
    weekdays: np.ndarray
    gap_to: np.ndarray
    factor: dict[str, np.ndarray]
    parts: np.ndarray
    cuts: np.ndarray
    means: np.ndarray
    """Edges of length classes and the mean length in each."""
    tilt: np.ndarray
    """Group x state: what the value of the leading attribute does to a step."""
    laid: engine.Factors | None = None
    """Factors laid out for the kernel, once the model changes no more."""

    def finished(self, longest: int) -> Model:
        """The model, ready to draw many blocks of objects of at most so many events."""
        return replace(self, laid=self._factors(longest))

    def draw(self, wanted: Wanted, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States, times and offsets of the objects, in their order; long ones may outlive the public range."""
        plan = self.plan
        forced, sizes = wanted.whole(self.laws)
        starts = self._starts(wanted.variants, generator)
        classes = np.searchsorted(self.cuts, wanted.lengths, side="right") * len(self.tilt) + wanted.groups
        longest = int(wanted.lengths[wanted.variants < 0].max(initial=1))
        objects = engine.Objects(wanted.lengths, classes, forced, np.r_[0, np.cumsum(sizes)].astype(np.int64), starts)
        states, times, walked = engine.draw(
            state_from(generator), objects, self.laid or self._factors(longest), DAY if plan.unit == "day" else 1,
            len(plan.days) * DAY,
        )  # fmt: skip
        offsets = np.r_[0, np.cumsum(walked)].astype(np.int64)
        if plan.unit == "order":
            return states, np.arange(len(states)), offsets
        return states, times, offsets

    def _starts(self, variants: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        laws, plan, n = self.laws, self.plan, len(variants)
        if plan.unit == "order":
            return np.zeros(n, np.int64)
        day = plan.days[generator.choice(len(plan.days), n, p=laws.days / laws.days.sum())]
        hour = generator.choice(24, n, p=laws.start_hours / laws.start_hours.sum())
        if plan.unit == "second":
            copied = np.flatnonzero(variants >= 0)
            if len(copied) and "hour" in self.measured.tables:
                # What hours tell of the first step acts on the start where the states are given.
                change = self.factor["hour"][np.arange(24) // 3]
                by_variant = np.array(
                    [laws.start_hours * (change[:, v[0], v[1]] if len(v) > 1 else 1.0) for v in laws.variants]
                )
                running = np.cumsum(by_variant, axis=1)[variants[copied]]
                u = generator.random((len(copied), 1)) * running[:, -1:]
                hour[copied] = np.minimum((running <= u).sum(1), 23)
            return (day * DAY + hour * HOUR + generator.integers(0, HOUR, n)).astype(np.int64)
        return (day * DAY + hour * HOUR).astype(np.int64)

    def _factors(self, longest: int) -> engine.Factors:
        laws, f, n_states = self.laws, self.factor, len(self.measured.names)
        chain = rows_of(self.counts)
        step = np.repeat(chain[None, :, :-1], len(f["before"]), axis=0)
        step[:, :-1] *= f["before"]
        context = np.full((n_states + 1, n_states), -1, np.int64)
        side = n_states + 1
        context[laws.contexts // side, laws.contexts % side] = np.arange(len(laws.contexts))
        parent = laws.chain[laws.contexts % side][:, :-1]
        relative = np.divide(laws.context_rows[:, :-1], parent, out=np.zeros_like(parent), where=parent > 0)
        length = (f["length"][:, None] * self.tilt[None, :, None]).reshape(-1, side, n_states)
        reach = np.stack([arrivals(_tilted(chain, one), longest) for one in length])
        return engine.Factors(
            step=step, seen=f["seen"], place=f["place"], hour=f["hour"], length=length, context=context,
            context_rows=relative, reach=reach, gap_row=laws.gap_row,
            gap_rows=np.diff(laws.gap_rows, axis=1, prepend=0.0),
            gap_class=self.measured.grid.gap_class.astype(np.int64),
            gap_to=self.gap_to, gap_before=f["gap before"], gap_place=f["gap place"], gap_hour=f["gap hour"],
            parts=np.cumsum(self.parts, axis=2),
            edges=self.measured.grid.edges.astype(np.float64), hours=self.hours, weekdays=self.weekdays,
            bars=self.bars,
        )  # fmt: skip


def _tilted(chain: np.ndarray, change: np.ndarray) -> np.ndarray:
    out = chain.copy()
    out[:, :-1] *= change
    total = out.sum(1, keepdims=True)
    return np.divide(out, total, out=np.zeros_like(out), where=total > 0)


def fitted(laws: Laws, m: Measured, plan: Design, rules: Rules, generator: np.random.Generator) -> Model:
    """The model under which drawn logs agree with what was measured."""
    n_states = len(m.names)
    factor = {name: _no_change(name, n_states, m) for name in TABLES if name != "gap part"}
    cuts, means = m.length_classes() if "length" in m.tables else (np.zeros(0, np.int64), np.ones(1))
    model = Model(
        laws=laws, measured=m, plan=plan, bars=rules.masks(m.names)[0], counts=laws.pairs.copy(), hours=laws.hours,
        weekdays=laws.weekdays, gap_to=np.ones((n_states, m.grid.bins)), factor=factor, parts=_parts(m), cuts=cuts,
        means=means, tilt=np.ones((1 if laws.leading is None else laws.leading.shares.shape[1], n_states)),
    )  # fmt: skip
    if laws.length_weights.sum() <= 0 and not laws.variants:
        return model
    aims: dict[str, np.ndarray] = {}
    n = objects_for(laws)
    for todo in _rounds(m.tables):
        wanted = wanted_objects(replace(laws, n_objects=n), generator)
        drawn, walks = model.draw(wanted, generator), wanted.variants < 0
        _reweight_tables(model, *drawn, walks, todo, aims)
        if laws.leading is not None:
            groups = np.where(walks, wanted.groups, -1)
            model.tilt = laws.leading.tilted(model.tilt, drawn[0], drawn[2], groups, aims)
    return model


def _no_change(name: str, n_states: int, m: Measured) -> np.ndarray:
    """Factors of one; large tables that were not measured have a single class."""
    shape = shape_of(name, n_states, m.grid)
    return np.ones((1, *shape[1:]) if name in ("before", "hour", "length") and name not in m.tables else shape)


def _rounds(tables: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Which tables are corrected in every round: one of the states' and one of the gaps' at a time."""
    of_states = [t for t in tables if t in STATE_TABLES]
    of_gaps = [t for t in tables if t not in STATE_TABLES and t != "gap part"]
    cycle = [(*of_states[i : i + 1], *of_gaps[i : i + 1]) for i in range(max(len(of_states), len(of_gaps), 1))]
    return [()] * WARM + cycle * CYCLES + [()] * CLOSING


def _reweight_tables(
    model: Model,
    states: np.ndarray,
    times: np.ndarray,
    offsets: np.ndarray,
    walks: np.ndarray,
    todo: tuple[str, ...],
    aims: dict[str, np.ndarray],
) -> None:
    """Multiply the tables `todo`, then the simple laws, by what a drawn log lacks."""
    m, laws, n_states = model.measured, model.laws, len(model.measured.names)
    n = len(offsets) - 1
    scale = laws.n_objects / n
    moved = Moves(states, times, offsets, n_states, m.grid)
    for name in todo:
        noisy, shape = m.timed[name], shape_of(name, n_states, m.grid)
        classes = np.searchsorted(model.cuts, np.diff(offsets), side="right") if name == "length" else None
        divisors = model.means[classes] if classes is not None else np.ones(n)
        cells = moved.cells(name, None if TABLES[name].everybody else walks, classes)
        seen = clipped_totals(cells, offsets, divisors, m.clips[name], int(np.prod(shape))).reshape(shape) * scale
        # Classes of lengths were counted per mean length of their class: each has a noise of its own.
        unit = model.means.reshape(-1, 1, 1) if name == "length" else np.ones((1,) * len(shape))
        value, sd, seen = noisy.values.reshape(shape) * unit, noisy.sd * unit, seen * unit
        if name not in aims:
            aims[name] = _aim(value, seen, sd)
        least = np.maximum(0.25 * sd, 0.5 * scale)
        change = np.clip((aims[name] + least) / (seen + least), 0.2, 5.0) ** PACE
        model.factor[name] = np.clip(model.factor[name] * change, 1e-4, 1e4)
    _reweight_laws(model, moved, states, times, offsets, walks, scale)


def _aim(value: np.ndarray, seen: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """What a table shows, as far as its noise lets one tell it from what the simpler model shows."""
    if sd.size == 1:
        level = float(sd.ravel()[0])
        return shrunk(value, np.maximum(seen, 0.02 * level), level, centre="mean")
    levels = sd.ravel()
    return np.stack([shrunk(v, np.maximum(e, 0.02 * x), x, centre="mean") for v, e, x in zip(value, seen, levels)])


def _reweight_laws(
    model: Model,
    moved: Moves,
    states: np.ndarray,
    times: np.ndarray,
    offsets: np.ndarray,
    walks: np.ndarray,
    scale: float,
) -> None:
    """Transitions, weekdays, gaps by state and hours by state, corrected by those that were drawn."""
    m, laws, n_states = model.measured, model.laws, len(model.measured.names)
    assert m.pairs is not None
    seen = chain_counts(states, offsets, n_states, m.pairs_clip, walks) * scale
    model.counts = model.counts * missing(laws.pairs, seen, m.pairs.sd)
    if model.plan.unit != "order":
        model.weekdays = tilted_weekdays(laws.weekdays, model.weekdays, times)
    if "gap place" in m.tables:  # without tables gaps are drawn as they were measured: there is nothing to correct
        model.gap_to = model.gap_to * _gap_change(model, moved, states, times)
    if model.plan.unit == "second":
        of_state = np.bincount(states * np.int64(24) + times % DAY // HOUR, minlength=n_states * 24)
        of_state = of_state.reshape(n_states, 24)
        aim = laws.hours / 24
        shown = (of_state + 24 * aim) / (of_state.sum(axis=1, keepdims=True) + 24)
        hours = model.hours * missing(aim, shown, 0.005)
        model.hours = hours * 24 / hours.sum(axis=1, keepdims=True)


def _gap_change(model: Model, moved: Moves, states: np.ndarray, times: np.ndarray) -> np.ndarray:
    """By how much gaps into every state miss their bins."""
    m, n_states, bins = model.measured, len(model.measured.names), model.measured.grid.bins
    gap = np.diff(times, prepend=times[:1])
    bin_ = np.clip(np.searchsorted(m.grid.edges, gap, side="right") - 1, 0, bins - 1)
    fine = np.bincount((states * np.int64(bins) + bin_)[~moved.first], minlength=n_states * bins)
    fine = fine.reshape(n_states, bins)
    aim = np.diff(model.laws.gap_rows[:n_states], axis=1, prepend=0.0)
    shown = (fine + 24 * aim) / (fine.sum(axis=1, keepdims=True) + 24)
    return missing(aim, shown, 0.005)


def _parts(m: Measured) -> np.ndarray:
    """Shares of the parts of every gap bin, by state, shrunk towards the same over all states."""
    n_states, parts = len(m.names), m.grid.parts
    if "gap part" not in m.timed:
        return np.full((n_states, m.grid.bins, parts), 1.0 / parts)
    y, sd = m.timed["gap part"].values.reshape(n_states, m.grid.bins, parts), m.timed["gap part"].sd
    every = y.sum(0)
    level = sd * np.sqrt(n_states)
    flat = np.maximum(every.sum(1, keepdims=True), sd) / parts
    usual = np.stack(
        [shrunk(row[None], np.full((1, parts), e), level, centre="mean")[0] for row, e in zip(every, flat[:, 0])]
    )
    usual = usual + 1e-3 * sd
    usual /= usual.sum(1, keepdims=True)
    expected = np.maximum(y.sum(2, keepdims=True), sd) * usual
    out = shrunk(y.reshape(-1, parts), expected.reshape(-1, parts), sd, centre="mean").reshape(y.shape)
    out = out + 1e-3 * sd * usual
    return out / out.sum(2, keepdims=True)


def objects_for(laws: Laws) -> int:
    """How many objects a log for fitting has."""
    weights, middle = laws.length_weights, (laws.length_edges[:-1] + laws.length_edges[1:] - 1) / 2
    if weights.sum() > 0:
        mean = float(weights @ middle / weights.sum())
    else:
        mean = float(np.mean([len(v) for v in laws.variants] or [1]))
    return int(np.clip(EVENTS / max(mean, 1.0), 200, OBJECTS))


def missing(aim: np.ndarray, seen: np.ndarray, unsure: float) -> np.ndarray:
    """Factors that lead from what is seen to what is aimed at, near 1 where both are within the noise."""
    return ((aim + unsure) / (seen + unsure)) ** LAW_PACE


def chain_counts(
    states: np.ndarray, offsets: np.ndarray, n_states: int, clip: float, kept: np.ndarray | None = None
) -> np.ndarray:
    """Transitions of all objects (of those that are `kept`), each object's counts shrunk to the norm `clip`."""
    cells, owners = transitions(states, offsets, n_states)
    if kept is not None:
        cells[~np.repeat(kept, np.diff(owners))] = -1
    side = n_states + 1
    return clipped_totals(cells, owners, np.ones(len(owners) - 1), clip, side * side).reshape(side, side)


def tilted_weekdays(aim: np.ndarray, now: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Weekdays, corrected by those that were drawn."""
    drawn = np.bincount((times // DAY + 3) % 7, minlength=7)
    weekdays = now * missing(aim / aim.sum(), drawn / drawn.sum(), 0.01)
    return weekdays * 7 / weekdays.sum()

"""The population model of `activity-dp`: made from released numbers alone, it draws days and simulates people."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from sequester.methods.activity.activity_dp.kernels.calendar import N_PARTS, Calendar
from sequester.methods.activity.activity_dp.kernels.features import LENGTH_BIN, N_LENGTHS, unpack
from sequester.methods.activity.activity_dp.kernels.simulator import Choice, Law, People, simulate
from sequester.methods.activity.activity_dp.measure import Released
from sequester.primitives.noisy_fit import quantile_function, semidefinite, shrink_flows
from sequester.primitives.normal import cdf

LEVELS = (np.arange(400) + 0.5) / 400
"""Levels at which the law of a daily duration is kept."""
LEAST_TARGET = 1e-5
MIXING = 0.4
"""Least exchange, in changes per day: with less, a day's target in a slow state could only be met by all or nothing."""
PACE_SPREAD = 0.3
"""People change their state at different paces (standard deviation of its logarithm): an assumption, not measured."""
REFERENCE_FLOOR = 0.005
"""The reference state keeps at least this share of a day."""


@dataclass(kw_only=True)
class Model:
    """What a simulated population is drawn from. `calibrate` moves these numbers."""

    cal: Calendar
    chosen: np.ndarray
    reference: int
    missing: int | None
    """The state missing, if it is among the chosen: durations of the others are shares of the observed time."""
    profile: np.ndarray
    """Bins x states."""
    flow: np.ndarray
    """Day parts x states x states: exchange per interval, symmetric."""
    age_factor: np.ndarray
    """States x length bins."""
    quantiles: np.ndarray
    """Chosen states x levels: share of a day."""
    between: np.ndarray
    within: np.ndarray
    """Second moments of scores between people and between the days of a person."""
    offset: np.ndarray
    """Weekday and weekend x chosen states: added to the scores of such days."""
    candidates: int = 3

    @property
    def n_states(self) -> int:
        """Number of states."""
        return self.profile.shape[1]

    def targets(self, person: np.ndarray, day: np.ndarray) -> np.ndarray:
        """Shares per person, day and state from standard normal numbers (people x chosen, people x days x chosen)."""
        between, within = self.between, self.within
        n_days = self.cal.n_days
        if n_days > 1:
            between, within = between - within / (n_days - 1), within * n_days / (n_days - 1)
        else:
            within = np.zeros_like(within)
        between, within = semidefinite(between, 1e-6), semidefinite(within, 1e-6)
        unit = 1 / np.sqrt(np.diag(between) + np.diag(within))
        z = (person @ (_root(between) * unit))[:, None, :] + day @ (_root(within) * unit)
        level = cdf(z + self.offset[self.cal.weekend_days().astype(int)])
        out = np.zeros((*level.shape[:2], self.n_states))
        for k, a in enumerate(self.chosen):
            out[:, :, a] = np.interp(level[:, :, k], LEVELS, self.quantiles[k])
        unseen = np.zeros_like(level[:, :, :1])
        if self.missing is not None:
            unseen = np.minimum(out[:, :, [self.missing]], 1 - LEAST_TARGET)
            out[:, :, self.missing] = 0.0
        total = out.sum(axis=2, keepdims=True)
        out *= (1 - unseen) * np.minimum(1.0, (1 - REFERENCE_FLOOR) / np.maximum(total, 1e-12))
        if self.missing is not None:
            out[:, :, self.missing] = unseen[:, :, 0]
        out[:, :, self.reference] = 1.0 - out.sum(axis=2)
        out = np.maximum(out, LEAST_TARGET)
        return out / out.sum(axis=2, keepdims=True)

    def people(self, targets: np.ndarray, pace: np.ndarray, seeds: np.ndarray, threads: int = 1) -> np.ndarray:
        """Simulated states, people x intervals; `pace` is standard normal, `seeds` steer the walks."""
        seg = self.cal.segments()
        profile = np.ascontiguousarray(self.profile)
        local = (1 - seg.weight)[:, None] * profile[seg.low] + seg.weight[:, None] * profile[seg.high]
        root = np.sqrt(local)
        exchange = self.flow[seg.part] / (root[:, :, None] * root[:, None, :])
        totals = self.cal.bin_weights @ profile
        closeness = 1 / np.sqrt(totals)
        out = np.empty((len(targets), self.cal.n_intervals), np.uint8)
        law = Law(profile, self.cal.day_bins(), exchange, self.age_factor, LENGTH_BIN)
        choice = Choice(self.cal.day_length, self.candidates, closeness)
        speed = np.exp(PACE_SPREAD * pace - PACE_SPREAD**2 / 2)

        def work(part: slice) -> None:
            simulate(People(seeds[part], speed[part], targets[part]), law, seg, choice, out[part])

        step = max(1, -(-len(out) // (threads * 4)))
        parts = [slice(a, a + step) for a in range(0, len(out), step)]
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, parts))
        return out


def _root(matrix: np.ndarray) -> np.ndarray:
    """R with R'R equal to the matrix: rows of normal numbers times R have it as covariance."""
    values, vectors = np.linalg.eigh(matrix)
    return np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T


def first_model(released: Released, cal: Calendar, candidates: int) -> Model:
    """The model as the released numbers give it, before calibration."""
    k = len(released.chosen)
    between, within = unpack(released.value["scores"], k)
    return Model(
        cal=cal,
        chosen=released.chosen,
        reference=released.reference,
        missing=released.missing,
        profile=released.profile.copy(),
        flow=fit_flows(released, released.value["flows"], cal),
        age_factor=np.ones((released.profile.shape[1], N_LENGTHS)),
        quantiles=duration_law(released, cal),
        between=semidefinite(between, 1e-6),
        within=semidefinite(within, 1e-6),
        offset=np.zeros((2, k)),
        candidates=candidates,
    )


def duration_law(released: Released, cal: Calendar) -> np.ndarray:
    """Quantiles of the released daily durations, as shares of a day."""
    return np.array([quantile_function(h, released.edges, LEVELS) for h in released.histogram]) / cal.day_length


def flow_matrix(released: Released, vector: np.ndarray) -> np.ndarray:
    """A vector of weighted flows as parts x states x states, per interval."""
    n_states = released.profile.shape[1]
    out = np.zeros((N_PARTS, n_states, n_states))
    out[:, ~np.eye(n_states, dtype=bool)] = vector.reshape(N_PARTS, -1)
    return out * np.sqrt(np.outer(released.rates, released.rates))


def fit_flows(released: Released, vector: np.ndarray, cal: Calendar) -> np.ndarray:
    """Symmetric flows per part, shrunk to what the noise allows to tell apart."""
    local = cal.part_weights() @ released.profile
    shape = np.sqrt(local[:, :, None] * local[:, None, :])
    sd = released.sd["flows"] * np.sqrt(np.outer(released.rates, released.rates))
    least = MIXING / cal.day_length * shape**2
    return np.maximum(shrink_flows(flow_matrix(released, vector), sd, shape), least)

"""The measurements of `activity-dp`: the only code of the method that sees people.

Every number that leaves here was a sum of integers whose norm per person was checked exactly (the gate), got noise
sized to that bound, and stands in the ledger; or it is a private median. Later steps choose their centre, clip and
weights from numbers released before, never from the data. `measure` can be called on its own with any `Noise`, so
that an audit can record or replay a whole run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from sequester.dp.gate import GRID, bound
from sequester.dp.ledger import Ledger, gaussian_scale
from sequester.dp.noise import Noise, counted_utilities
from sequester.methods.activity.activity_dp.kernels import features
from sequester.methods.activity.activity_dp.kernels.calendar import N_PARTS, Calendar
from sequester.methods.activity.activity_dp.kernels.features import N_LENGTHS
from sequester.methods.activity.activity_dp.people import People, Vector, answer_block
from sequester.primitives.noisy_fit import histogram_with_mean, simplex, smooth

SHARES = {
    "people": 0.02,
    "first profile": 0.08,
    "profile norm": 0.01,
    "profile": 0.24,
    "durations": 0.25,
    "scores": 0.10,
    "spread norm": 0.01,
    "spread": 0.04,
    "rate norm": 0.01,
    "rates": 0.02,
    "flow norm": 0.01,
    "flows": 0.08,
    "bout norm": 0.01,
    "bouts": 0.12,
}
"""Share of rho of every measurement; they sum to 1."""
PROFILE_CLIP = 2.5
"""Clip of a profile as a multiple of the private median norm."""
SCORE_NORM = 2.5
"""Largest norm of a day's scores for four states."""
SPREAD_CLIP = 6.0
"""Clip of how far a person is from the usual, as a multiple of the private median norm."""
LEAST_SHARE = 1e-4
"""Floor of a profile: a state may be rare, never impossible."""
RATE_GRID = np.geomspace(1e-3, 100.0, 70)
"""Public grid for the median norms of spread, rates, flows and bouts."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """A vector per person and the clip its norm is held to."""

    name: str
    vector: Vector = field(repr=False)
    clip: float

    def mean(self, states: np.ndarray, threads: int = 1) -> np.ndarray:
        """Mean of the gated vectors in their own units: for simulated people."""
        return answer_block(states, self.vector, clip=self.clip, threads=threads) / (GRID * len(states))


@dataclass(frozen=True, kw_only=True)
class Released:
    """What was released (noisy, per person) and what was derived from it alone."""

    n_people: float
    """Noisy number of people, at least 1."""
    families: dict[str, Family]
    value: dict[str, np.ndarray]
    """Family → noisy mean vector."""
    sd: dict[str, float]
    """Family → standard deviation of the noise in each cell of the mean vector."""
    centre: np.ndarray
    profile: np.ndarray
    """Bins x states."""
    totals: np.ndarray
    """Share of time per state."""
    rates: np.ndarray
    """Bouts per interval and state: the weights of flows and bouts."""
    chosen: np.ndarray
    """States whose durations are measured: all but the most frequent."""
    reference: int
    edges: np.ndarray
    """Bins of daily durations in intervals."""
    histogram: np.ndarray
    """Chosen states x duration bins."""
    missing: int | None
    """The state missing, if it is among the chosen: the other durations are then shares of the observed time."""


@dataclass(kw_only=True)
class Meter:
    """Gate, noise and ledger in one place; holds the people."""

    people: People
    ledger: Ledger
    noise: Noise
    n_people: float = 1.0
    value: dict[str, np.ndarray] = field(default_factory=dict)
    sd: dict[str, float] = field(default_factory=dict)
    families: dict[str, Family] = field(default_factory=dict)

    def _spend(self, name: str, kind: str, sensitivity: float, scale: float) -> None:
        rho = SHARES[name] * self.ledger.total
        self.ledger.spend(name, rho, kind=kind, sensitivity=sensitivity, scale=scale)

    @property
    def factor(self) -> float:
        """Standard deviation of the noise, in units of what the ledger states."""
        return 1.0 if self.people.sites is None else self.people.sites.factor()

    def count(self) -> float:
        """Noisy number of people; also the divisor of everything that follows."""
        rho = SHARES["people"] * self.ledger.total
        scale = gaussian_scale(1.0, rho)
        self._spend("people", "gaussian", 1.0, scale)
        noisy = self.noise.gaussian("people", self.people.count(rho), scale)
        self.n_people = max(1.0, float(noisy[0]))
        self.value["people"], self.sd["people"] = noisy.astype(np.float64), scale * self.factor
        return self.n_people

    def median(self, name: str, vector: Vector, grid: np.ndarray) -> float:
        """Private median of the people's norms, a point of the public grid.

        A noisy maximum cannot be drawn in shares: several sites count people between two points, with noise.
        """
        rho = SHARES[name] * self.ledger.total
        counted = self.people.asked(vector, rho, grid=grid)
        if self.people.sites is not None and not self.people.sites.trusted:
            scale = gaussian_scale(1.0, rho)
            self._spend(name, "gaussian", 1.0, scale)
            below = np.cumsum(self.noise.gaussian(name, counted, scale))
            found = float(grid[int(np.argmax(below[:-1] >= below[-1] / 2))])
        else:
            scale = 2.0 / math.sqrt(8.0 * rho)
            self._spend(name, "noisy-max", 1.0, scale)
            utilities = counted_utilities(counted[:-1], int(counted[-1]))
            found = float(grid[self.noise.noisy_max(name, utilities, scale)])
        self.value[name], self.sd[name] = np.array([found]), 0.0
        return found

    def measure(self, family: Family) -> tuple[np.ndarray, float]:
        """Noisy mean vector of a family and the standard deviation of its noise per cell."""
        limit = bound(family.clip)
        scale = gaussian_scale(limit, SHARES[family.name] * self.ledger.total)
        total = self.people.asked(family.vector, SHARES[family.name] * self.ledger.total, clip=family.clip)
        self._spend(family.name, "gaussian", float(limit), scale)
        noisy = self.noise.gaussian(family.name, total, scale)
        self.families[family.name] = family
        self.value[family.name] = noisy / (GRID * self.n_people)
        self.sd[family.name] = scale * self.factor / (GRID * self.n_people)
        return self.value[family.name], self.sd[family.name]


def measure(
    people: People, n_states: int, cal: Calendar, *, ledger: Ledger, noise: Noise, missing: int | None = None
) -> Released:
    """All measurements in their order; spends the whole ledger. `missing` is the code of that state, if any."""
    meter = Meter(people=people, ledger=ledger, noise=noise)
    meter.count()
    shape = (cal.n_bins, n_states)
    cells = cal.n_bins * n_states
    widest = math.sqrt(cal.n_bins * (n_states - 1) / n_states)

    # A first profile around the uniform one; people are then measured by how they differ from it.
    even = np.full(shape, 1.0 / n_states)
    vector = Vector("profile", cells, {"cal": cal, "n_states": n_states, "centre": even})
    first, sd = meter.measure(Family(name="first profile", vector=vector, clip=widest))
    centre = simplex(smooth(even + first.reshape(shape), sd))
    vector = Vector("profile", cells, {"cal": cal, "n_states": n_states, "centre": centre})
    middle = meter.median("profile norm", vector, np.geomspace(widest / 50, widest, 60))
    clip = min(PROFILE_CLIP * middle, widest)
    second, sd = meter.measure(Family(name="profile", vector=vector, clip=clip))
    profile = fit_profile(centre + second.reshape(shape), sd)
    totals = cal.bin_weights @ profile

    reference = int(np.argmax(totals))
    chosen = np.delete(np.arange(n_states), reference)
    edges = features.duration_edges(cal.day_length)
    n_durations = len(edges) - 1
    whose = {"cal": cal, "n_states": n_states, "chosen": chosen, "missing": missing}
    vector = Vector("durations", n_durations * len(chosen), whose)
    noisy, sd_durations = meter.measure(Family(name="durations", vector=vector, clip=math.sqrt(len(chosen))))
    gap = next((k for k, a in enumerate(chosen) if a == missing), None)
    histogram = fit_durations(
        noisy.reshape(len(chosen), n_durations), sd_durations, edges, totals[chosen], sd, cal, gap
    )

    table = features.score_table(histogram, edges)
    longest = score_norm(n_states)
    vector = Vector("scores", len(chosen) * n_states, {**whose, "table": table, "longest": longest})
    meter.measure(Family(name="scores", vector=vector, clip=longest**2))

    vector = Vector("spread", len(chosen), {"n_states": n_states, "chosen": chosen, "totals": totals})
    middle = meter.median("spread norm", vector, RATE_GRID)
    meter.measure(Family(name="spread", vector=vector, clip=SPREAD_CLIP * middle))

    wide = rate_clip(meter.n_people * math.sqrt(ledger.total / len(chosen)))
    vector = Vector("bout totals", n_states, {"cal": cal, "n_states": n_states, "totals": totals})
    middle = meter.median("rate norm", vector, RATE_GRID)
    noisy, sd = meter.measure(Family(name="rates", vector=vector, clip=wide * middle))
    rates = np.maximum(np.maximum(noisy, sd) * np.sqrt(totals), 0.01 / cal.n_intervals)
    weighed = {"cal": cal, "n_states": n_states, "rates": rates}
    vector = Vector("flows", N_PARTS * n_states * (n_states - 1), weighed)
    middle = meter.median("flow norm", vector, RATE_GRID)
    meter.measure(Family(name="flows", vector=vector, clip=wide * middle))
    vector = Vector("bouts", n_states * N_LENGTHS, weighed)
    middle = meter.median("bout norm", vector, RATE_GRID)
    meter.measure(Family(name="bouts", vector=vector, clip=wide * middle))
    return Released(
        n_people=meter.n_people,
        families=meter.families,
        value=meter.value,
        sd=meter.sd,
        centre=centre,
        profile=profile,
        totals=totals,
        rates=rates,
        chosen=chosen,
        reference=reference,
        edges=edges,
        histogram=histogram,
        missing=None if gap is None else missing,
    )


def rate_clip(index: float) -> float:
    """Clip of flows and bouts as a multiple of the median norm: the larger the population, the less noise matters
    beside the bias of clipping. From 1.6 (loses 6 % of the flows of our test bed) to 3 (0.2 %)."""
    return float(np.clip(1.6 * (index / 90.0) ** 0.2, 1.6, 3.0))


def score_norm(n_states: int) -> float:
    """Clip of a day's scores: as many standard deviations per state as the tested 2.5 for four states."""
    return max(2.0, SCORE_NORM * math.sqrt((n_states - 1) / 3))


def fit_profile(noisy: np.ndarray, sd: float) -> np.ndarray:
    """Smooth shares per bin, none below the floor."""
    shares = np.maximum(simplex(smooth(noisy, sd)), LEAST_SHARE)
    return shares / shares.sum(axis=1, keepdims=True)


def fit_durations(
    noisy: np.ndarray,
    sd: float,
    edges: np.ndarray,
    totals: np.ndarray,
    sd_profile: float,
    cal: Calendar,
    gap: int | None,
) -> np.ndarray:
    """Histograms of daily durations whose means agree with the profile as far as the noise of both allows.

    `gap` is the row of the state missing. The other rows then tell of observed days only, whose share follows from
    that row, and of shares of the observed time, which agree with the profile less exactly.
    """
    value = (edges[:-1] + edges[1:] - 1) / (2.0 * cal.day_length)
    out = np.empty_like(noisy)
    observed, slack = 1.0, 0.05
    for k in range(len(noisy)) if gap is None else [gap, *(k for k in range(len(noisy)) if k != gap)]:
        share = totals[k]
        if gap is not None and k != gap:
            lost = out[gap, edges[:-1] >= features.unobserved_from(cal.day_length)].sum()
            observed, share, slack = max(1 - lost, 0.05), min(1.0, share / max(1 - totals[gap], 0.05)), 0.1
        own = float(noisy[k] @ value) / observed
        own_variance = (sd / observed) ** 2 * float(((value - share) ** 2).sum())
        variance = sd_profile**2 / cal.n_bins + (slack * share) ** 2
        mean = (own / own_variance + share / variance) / (1 / own_variance + 1 / variance)
        out[k] = histogram_with_mean(noisy[k] / observed, value, mean)
    return out

"""Noise that is drawn at several sites: what each must add so that those who keep their word add enough.

Every site adds discrete Gaussian noise to its own sums before they leave. Sums of discrete Gaussians are not discrete
Gaussian; by Kairouz, Liu and Steinke (2021, Proposition 14, after Canonne, Kamath and Steinke 2020) the sum of m
independent draws of standard deviation s >= 1/2 in d cells costs at most (D / (sqrt(m) s) + tau sqrt(d))**2 / 2 of rho
for a sensitivity D, where tau = 10 * sum over k = 1 .. m-1 of exp(-2 pi**2 s**2 k / (k + 1)). The share is chosen so
that this, and not the simpler formula, keeps what the ledger says.

Discrete Laplace noise has no such shares in the library: there every site adds all of it, and one honest site is
enough.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from sequester.dp.noise import Noise
from sequester.errors import InputError

LEAST_SITES = 3
"""With two sites each knows the other's sums: the total less its own."""
LEAST_SHARE = 3.0
"""Smallest standard deviation of a share: from here on the correction is below 10**-36."""
SPARE = 2.0**-30
"""By how much a share is larger than without the correction, which is smaller than that."""
MOST_NUMBERS = 4_000_000
"""Numbers that one round may ask a site for."""


@dataclass(frozen=True, kw_only=True)
class Sites:
    """How many sites answer, and how many of them may work together with the coordinator."""

    n: int
    collude: int
    trusted: bool = False
    """Noise is drawn by the coordinator, who sees the exact sums of all sites together."""

    def factor(self, kind: str = "gaussian") -> float:
        """Standard deviation of the noise in a sum over all sites, in units of what the ledger states."""
        if self.trusted:
            return 1.0
        return math.sqrt(self.n if kind == "laplace" else self.n / (self.n - self.collude))


class Item(NamedTuple):
    """One thing that all sites are asked for in a round: whole numbers that add up."""

    about: Mapping[str, Any]
    """The question as data: its name, its sizes, and the released numbers that it depends on. JSON."""
    size: int
    """How many numbers answer it."""
    kind: str
    """`gaussian` or `laplace`: the noise that belongs to it."""
    sensitivity: float
    """Most that one person changes, in the norm of the noise."""
    amount: float
    """What it costs: rho, or epsilon of Laplace noise."""
    local: Any = None
    """The same question as the method's own code asks it; it never travels."""


class Ask(Protocol):
    """Puts a round of questions to all sites; returns the sums of their answers."""

    def __call__(self, items: Sequence[Item]) -> list[np.ndarray]: ...


class OverSites(NamedTuple):
    """What was measured over all sites, and how a release is drawn from it."""

    measurements: Any
    """The table of noisy numbers."""
    ledger: Any
    release: Any
    """`release(rng, engine)`: needs no site any more."""


class Noised:
    """At the desk where noise is usually drawn: these sums have theirs already."""

    secure = True

    def gaussian(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """As they came."""
        return np.asarray(values, np.int64)

    def laplace(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """As they came."""
        return np.asarray(values, np.int64)

    def noisy_max(self, name: str, utilities: np.ndarray, scale: float) -> int:
        """Cannot be drawn in shares."""
        raise NotImplementedError("a noisy maximum has no shares")

    def threshold(self, name: str, keys: Any, values: np.ndarray, scale: float, tau: float) -> Any:
        """Cannot be drawn in shares: the keys themselves are private."""
        raise NotImplementedError("names that only the data knows have no shares")


def correction(share: float, honest: int) -> float:
    """The tau of Kairouz, Liu and Steinke: how far a sum of shares is from one discrete Gaussian."""
    return 10 * math.fsum(math.exp(-2 * (math.pi * share) ** 2 * k / (k + 1)) for k in range(1, honest))


def cost_of_shares(sensitivity: float, share: float, honest: int, cells: int) -> float:
    """What the noise of the honest sites costs in rho, whatever all others know: Proposition 14."""
    return (sensitivity / (math.sqrt(honest) * share) + correction(share, honest) * math.sqrt(cells)) ** 2 / 2


def share_scale(item: Item, sites: Sites) -> float:
    """Scale of the noise that one site adds to its answer; refuses what the proof does not cover."""
    if item.kind == "laplace":
        return item.sensitivity / item.amount
    honest = sites.n - sites.collude
    share = item.sensitivity / math.sqrt(2 * item.amount * honest) * (1 + SPARE)
    if share < LEAST_SHARE or cost_of_shares(item.sensitivity, share, honest, max(item.size, 1)) > item.amount:
        raise InputError(
            f"federation: noise of {share:.2g} at every site is too little for the proof of sums of discrete Gaussian "
            f"noise; at least {LEAST_SHARE:g} is needed. Lower epsilon or raise ‹collude=›."
        )
    return share


def with_share(item: Item, answer: np.ndarray, sites: Sites, noise: Noise) -> np.ndarray:
    """A site's answer with its noise, ready to be masked; under a trusted coordinator as it is."""
    if sites.trusted:
        return answer
    draw = noise.laplace if item.kind == "laplace" else noise.gaussian
    return draw(str(item.about["name"]), answer, share_scale(item, sites))

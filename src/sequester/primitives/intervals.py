"""How sure is a rate? Intervals for a number of successes in a number of trials."""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson(successes: float, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a rate; honest near 0 and 1, where the textbook interval has no width.

    `successes` may be a sum of probabilities (an attacker who guesses among *m* candidates scores 1/*m*): the
    variance of such scores is at most the binomial one, so the interval is wide enough.
    """
    if trials <= 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate = successes / trials
    middle = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    low = 0.0 if successes <= 0 else max(0.0, middle - half)
    return low, 1.0 if successes >= trials else min(1.0, middle + half)


def whole_or_half(hundredths: float) -> str:
    """A whole number, but a half as it is: 12.5 is no less than 12.5."""
    return f"{hundredths:.1f}" if hundredths % 1 == 0.5 else f"{hundredths:.0f}"


def percent(rate: float) -> str:
    """A rate as a reader says it: 96 %, 0.3 %, 100 % only when it is all of them."""
    hundredths = 100 * rate
    if 0 < hundredths < 1:
        return f"{hundredths:.1f} %" if hundredths >= 0.05 else "under 0.1 %"
    if 99 < hundredths < 100:
        return f"{min(hundredths, 99.9):.1f} %"
    return f"{whole_or_half(hundredths)} %"

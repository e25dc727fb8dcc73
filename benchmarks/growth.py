"""How a cost grows with the size of the input: the exponent of the power law that fits all sizes best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Slope of log cost against log size by least squares: 1 is linear, 2 quadratic.

    Parameters
    ----------
    sizes
        At least two different sizes.
    costs
        Seconds (or bytes) at each.
    """
    if len(sizes) != len(costs) or len(set(sizes)) < 2 or min(*sizes, *costs) <= 0:
        raise ValueError("an exponent needs positive costs at two different sizes at least.")
    return round(float(np.polyfit(np.log(sizes), np.log(costs), 1)[0]), 2)

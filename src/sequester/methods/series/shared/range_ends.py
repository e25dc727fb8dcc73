"""Ends of ranges: rounded outward to multiples of a public step, so that none is anybody's value.

The step is one number for all times: half the median width of the ranges people are released in, snapped down to 1, 2
or 5 times a power of ten, and at least twice the step values were recorded in (rounding whole numbers to whole numbers
would change nothing).
"""

from __future__ import annotations

import math

import numpy as np

SHARE_OF_WIDTH = 0.5
MOST_STEPS = 1e8
"""No end lies more steps from 0: with a smaller step every number would pass for a multiple."""


def least_step(lo: np.ndarray, hi: np.ndarray) -> float:
    """The smallest step that these ranges may be rounded to."""
    largest = max(float(np.abs(lo).max(initial=0.0)), float(np.abs(hi).max(initial=0.0)))
    return snapped_up(1.01 * largest / MOST_STEPS)  # rounding outward adds a step


def multiples(lo: np.ndarray, hi: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Ranges widened to multiples of `step`; 0 leaves them as they are.

    A value that is a multiple up to rounding stays one. A range of no width between two multiples opens to both.
    """
    if step == 0:
        return lo, hi
    return _down(lo, step), -_down(-hi, step)


def _down(x: np.ndarray, step: float) -> np.ndarray:
    ratio = x / step
    whole = np.round(ratio)
    at = np.where(np.abs(ratio - whole) <= 1e-9 * np.maximum(1.0, np.abs(whole)), whole, np.floor(ratio))
    return spelled(at, step)


def spelled(at: np.ndarray, step: float) -> np.ndarray:
    """`at` times the step, as the number a person would write: 3 * 0.1 is 0.3."""
    digits = decimals(step)
    with np.errstate(over="ignore"):
        return np.round(at * step, digits) + 0.0 if digits is not None else at * step + 0.0


def decimals(step: float) -> int | None:
    """Digits after the point of a multiple of the step; None where there are too many to matter."""
    for digits in range(16):
        if abs(round(step, digits) - step) <= 1e-12 * step:
            return digits
    return None


def step_for(lo: np.ndarray, hi: np.ndarray, values: np.ndarray) -> float:
    """The default step; `lo` and `hi` are the ranges of all released records (records x times)."""
    width = float(np.median(hi - lo))
    widest = float((hi - lo).max(initial=0.0))
    if width <= 0:
        width = widest
    if width <= 0:  # everybody is alike at every time: a step of the values' own size
        width = float(np.abs(values).max(initial=0.0)) or 1.0
    return max(snapped_down(SHARE_OF_WIDTH * width), snapped_up(2 * recorded_step(values)))


def snapped_down(x: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above x."""
    return _snapped(x, up=False)


def snapped_up(x: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below x; 0 stays 0."""
    return _snapped(x, up=True) if x > 0 else 0.0


def _snapped(x: float, up: bool) -> float:
    power = math.floor(math.log10(x))
    options = [float(f"{digit}e{exponent}") for exponent in (power - 1, power, power + 1) for digit in (1, 2, 5)]
    if up:
        return min(o for o in options if o >= x * (1 - 1e-12))
    return max(o for o in options if o <= x * (1 + 1e-12))


def recorded_step(values: np.ndarray) -> float:
    """1, .1, .01 … : the coarsest power of ten that all values are multiples of; 0 if they have many digits."""
    largest = float(np.abs(values).max(initial=0.0))
    for digits in range(7):
        if np.array_equal(np.round(values, digits), values):
            return 10.0**-digits if largest < 1e15 else 0.0
    return 0.0

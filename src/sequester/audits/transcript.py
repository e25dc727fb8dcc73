"""Audit differential privacy through a method's own measuring code: how well can two neighbours be told apart?

The measuring code is run many times on each of two neighbouring datasets. Every run leaves a transcript: what each
mechanism was given, at which scale, and what came out. Replaying the same outputs on the *other* dataset makes the
adaptive code take the same decisions there, so each step's two inputs are known, and with the declared noise the
likelihood ratio of the whole transcript is a sum over steps. By Neyman and Pearson no test separates the two datasets
better, if the noise is what it is declared to be; if it is not, the bound below is still valid, because it only counts
how often a threshold on that number is exceeded (Clopper and Pearson).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from sequester.dp.noise import Call, EachCall, Noise, RecordingNoise, ReplayNoise, TeachingNoise
from sequester.dp.randomness import Randomness
from sequester.errors import ParameterError, ReplayError, counted
from sequester.release import Check, Evidence, Figure

Measure = Callable[[Any, Randomness], Any]
CONFIDENCE = 0.95
_NORMAL = NormalDist()


def audit(
    measure: Measure,
    without: Any,
    with_: Any,
    *,
    runs: int,
    delta: float,
    claimed: float,
    seed: int | None = None,
    noise: Callable[[np.random.Generator], Noise] = TeachingNoise,
) -> Evidence:
    """Lower bound on the epsilon by which two neighbouring datasets can be told apart.

    Parameters
    ----------
    measure
        `measure(data, rng)` runs the measuring code; all its noise must come from `rng.noise`, and given what that
        returned it must do the same every time.
    without, with_
        Two datasets that differ in one person.
    runs
        Runs on each side; half of them choose the test, the other half judge it.
    delta
        Of the promise.
    claimed
        Epsilon of the promise: the check fails when the bound exceeds it.
    seed
        Repeats the audit.
    noise
        Where the noise comes from, made from a generator; a weaker one plants a fraud.
    """
    if runs < 20:
        raise ParameterError(f"audit: runs must be at least 20, got runs={runs!r}.")
    ratios = [
        np.array(
            [_one_run(measure, here, there, sign, generator, noise) for generator in _generators(seed, side, runs)]
        )
        for side, (here, there, sign) in enumerate(((without, with_, 1.0), (with_, without, -1.0)))
    ]
    bound = lower_bound(ratios[1], ratios[0], delta)
    spread = [float(np.std(r[np.isfinite(r)])) if np.isfinite(r).any() else 0.0 for r in ratios]
    centre = [float(np.mean(r[np.isfinite(r)])) if np.isfinite(r).any() else math.nan for r in ratios]
    separation = (centre[1] - centre[0]) / max((spread[0] + spread[1]) / 2, 1e-12)
    return Evidence(
        about="audit",
        saw_original=False,
        summary=f"Of the claimed epsilon {claimed:g} an audit of 2 x {counted(runs, 'run')} could show {bound:.2f}.",
        checks=(
            Check(
                name="no violation found",
                passed=bound <= claimed,
                detail=f"epsilon is at least {bound:.3f} with 95 % confidence; claimed {claimed:g} at delta {delta:g}",
            ),
        ),
        figures=(
            Figure(name="epsilon_lower_bound", value=bound, says="No smaller epsilon is possible (95 % confidence)."),
            Figure(
                name="separation", value=separation, says="Distance of the two log-likelihood ratios in deviations."
            ),
        ),
    )


def _generators(seed: int | None, side: int, runs: int) -> list[np.random.Generator]:
    root = np.random.SeedSequence(seed).spawn(2)[side] if seed is not None else np.random.SeedSequence()
    return [np.random.default_rng(s) for s in root.spawn(runs)]


def _one_run(
    measure: Measure,
    here: Any,
    there: Any,
    sign: float,
    generator: np.random.Generator,
    noise: Callable[[np.random.Generator], Noise],
) -> float:
    """Log-likelihood ratio (with over without) of one transcript drawn on `here`."""
    drawn = RecordingNoise(noise(generator))
    measure(here, Randomness(seed=0, noise=drawn))
    replayed = RecordingNoise(ReplayNoise(drawn.transcript))
    measure(there, Randomness(seed=0, noise=replayed))
    if len(drawn.transcript) != len(replayed.transcript):
        raise ReplayError("audit: the two runs have different steps although the outputs were the same.")
    return sign * sum(log_ratio(b, a) for a, b in zip(drawn.transcript, replayed.transcript, strict=True))


def log_ratio(over: Mapping[str, Any], under: Mapping[str, Any]) -> float:
    """log p(out | over's input) - log p(out | under's input) of one step at the declared scale."""
    kind, scale, out = over["kind"], over["scale"], over["out"]
    if under["scale"] != scale or (np.shape(under["given"]) != np.shape(over["given"]) and kind != "threshold"):
        return math.inf  # the scale itself, or the number of cells, gives the dataset away
    if kind == "threshold":
        return _threshold_ratio(over, under)
    a, b = np.asarray(over["given"], np.float64), np.asarray(under["given"], np.float64)
    if kind == "noisy-max":
        return float((a[out] - b[out]) / scale - _log_sum(a / scale) + _log_sum(b / scale))
    y = np.asarray(out, np.float64)
    if kind == "gaussian":
        return float(np.sum((b - a) * (b + a - 2 * y)) / (2 * scale * scale))
    return float(np.sum(np.abs(y - b) - np.abs(y - a)) / scale)


def _log_sum(x: np.ndarray) -> float:
    top = float(x.max())
    return top + math.log(float(np.exp(x - top).sum()))


def _threshold_ratio(over: Mapping[str, Any], under: Mapping[str, Any]) -> float:
    """A shown key contributes its density, a hidden one the probability to stay hidden; a key absent shows never."""
    scale, tau = over["scale"], over["tau"]
    shown: dict[Hashable, float] = dict(zip(over["out"][0], np.asarray(over["out"][1], float).tolist(), strict=True))
    sides = [dict(zip(s["keys"], np.asarray(s["given"], float).tolist(), strict=True)) for s in (over, under)]
    total = 0.0
    for key in sides[0].keys() | sides[1].keys():
        values = [side.get(key) for side in sides]
        if values[0] == values[1]:
            continue
        logs = [_log_key(v, shown.get(key), scale, tau) for v in values]
        if logs[0] == logs[1]:
            continue
        total += logs[0] - logs[1]
    return total


def _log_key(value: float | None, noisy: float | None, scale: float, tau: float) -> float:
    if noisy is not None:
        return -math.inf if value is None else -((noisy - value) ** 2) / (2 * scale * scale)
    return 0.0 if value is None else math.log(max(_NORMAL.cdf((tau - value) / scale), 1e-300))


def lower_bound(with_: np.ndarray, without: np.ndarray, delta: float) -> float:
    """Largest epsilon that 'score above a threshold' proves, in either direction.

    The first half of the scores chooses threshold and direction, the second half gives Clopper-Pearson bounds.
    """
    half = [len(with_) // 2, len(without) // 2]
    best, choice = -math.inf, (0.0, 1)
    for sign in (1, -1):
        a, b = np.sort(sign * with_[: half[0]]), np.sort(sign * without[: half[1]])
        if sign < 0:
            a, b = b, a
        for t in np.unique(np.quantile(np.r_[a, b], np.linspace(0.02, 0.995, 60), method="nearest")):
            hits, false = int((a >= t).sum()), int((b >= t).sum())
            found = _epsilon(hits, len(a), false, len(b), delta)
            if found > best:
                best, choice = found, (float(t), sign)
    t, sign = choice
    a, b = sign * with_[half[0] :], sign * without[half[1] :]
    if sign < 0:
        a, b = b, a
    return max(0.0, _epsilon(int((a >= t).sum()), len(a), int((b >= t).sum()), len(b), delta))


def _epsilon(hits: int, n: int, false: int, m: int, delta: float) -> float:
    each = (1 - CONFIDENCE) / 2
    low, high = clopper_pearson(hits, n, each)[0], clopper_pearson(false, m, each)[1]
    return math.log((low - delta) / high) if low > delta and high > 0 else -math.inf


def clopper_pearson(hits: int, n: int, alpha: float) -> tuple[float, float]:
    """Exact one-sided bounds, each missed with probability `alpha`, on a probability seen `hits` times in `n`."""
    low = 0.0 if hits == 0 else _solve(lambda p: binomial_tail(hits, n, p) - alpha)
    high = 1.0 if hits == n else _solve(lambda p: alpha - (1 - binomial_tail(hits + 1, n, p)))
    return low, high


def _solve(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def binomial_tail(k: int, n: int, p: float) -> float:
    """Probability of at least `k` successes."""
    if k <= 0:
        return 1.0
    if p <= 0.0 or k > n:
        return 0.0
    if p >= 1.0:
        return 1.0
    i = np.arange(k, n + 1)
    logs = _log_choose(n, i) + i * math.log(p) + (n - i) * math.log1p(-p)
    return float(min(1.0, np.exp(logs).sum()))


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> np.ndarray:
    return np.r_[0.0, np.cumsum(np.log(np.arange(1, n + 1)))]


def _log_choose(n: int, k: np.ndarray) -> np.ndarray:
    table = _log_factorials(n)
    return table[n] - table[k] - table[n - k]


def audit_event(
    release: Callable[[Any, Randomness], Any],
    happens: Callable[[Any], bool],
    without: Any,
    with_: Any,
    *,
    runs: int,
    delta: float,
    claimed: float,
    seed: int = 0,
) -> Evidence:
    """The same bound from one event of the finished release, for methods that have no noise to record."""
    counts = []
    for side, data in enumerate((without, with_)):
        counts.append(sum(happens(release(data, Randomness(seed=seed + 2 * r + side))) for r in range(runs)))
    bound = max(
        _epsilon(counts[1], runs, counts[0], runs, delta),
        _epsilon(counts[0], runs, counts[1], runs, delta),
        _epsilon(runs - counts[1], runs, runs - counts[0], runs, delta),
        _epsilon(runs - counts[0], runs, runs - counts[1], runs, delta),
        0.0,
    )
    detail = f"event seen {counts[0]} and {counted(counts[1], 'time')} in {runs}: epsilon is at least {bound:.2f}"
    return Evidence(
        about="audit",
        saw_original=False,
        summary=f"One event shows epsilon of at least {bound:.2f}, claimed {claimed:g}.",
        checks=(Check(name="no violation found", passed=bound <= claimed, detail=detail),),
        figures=(Figure(name="epsilon_lower_bound", value=bound),),
    )


class WeakNoise(EachCall):
    """A planted fraud: noise smaller than declared by a constant factor."""

    secure = False

    def __init__(self, generator: np.random.Generator, factor: float) -> None:
        self._inner, self._factor = TeachingNoise(generator), factor

    def answer(self, call: Call) -> Any:
        """Too little noise."""
        return call._replace(scale=call.scale * self._factor).to(self._inner)

"""Where noise comes from: opendp and the operating system; a seeded twin for teaching and tests.

Mechanisms see integers only. Each call names itself, so that an audit can follow a whole run.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, Protocol, TypeVar

import numpy as np

from sequester.errors import ReplayError

T = TypeVar("T")


class Noise(Protocol):
    """The four mechanisms the house uses."""

    secure: bool

    def gaussian(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """Integers plus discrete Gaussian noise."""
        ...

    def laplace(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """Integers plus discrete Laplace noise."""
        ...

    def noisy_max(self, name: str, utilities: np.ndarray, scale: float) -> int:
        """Index of the largest utility after Gumbel noise: costs (2 * sensitivity / scale)**2 / 8 of rho."""
        ...

    def threshold(
        self, name: str, keys: Sequence[Hashable], values: np.ndarray, scale: float, tau: float
    ) -> tuple[list[Hashable], np.ndarray]:
        """A sparse histogram over keys only the data knows: Gaussian noise, and only what exceeds `tau` is shown."""
        ...


@cache
def _opendp() -> Any:
    # Not its prelude, which imports scikit-learn, pandas and polars wherever they are installed: two seconds.
    from opendp import domains, measurements, measures, metrics, mod

    mod.enable_features("contrib")
    return SimpleNamespace(
        m=measurements, vector_domain=domains.vector_domain, atom_domain=domains.atom_domain,
        l1_distance=metrics.l1_distance, l2_distance=metrics.l2_distance, linf_distance=metrics.linf_distance,
        zero_concentrated_divergence=measures.zero_concentrated_divergence,
    )  # fmt: skip


class SecureNoise:
    """Vetted samplers, randomness of the operating system."""

    secure = True

    def gaussian(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """Discrete Gaussian noise of standard deviation `scale`."""
        dp = _opendp()
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float)
        return _apply(dp.m.make_gaussian(*space, scale=scale), values)

    def laplace(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """Discrete Laplace noise of scale `scale`."""
        dp = _opendp()
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T=float)
        return _apply(dp.m.make_laplace(*space, scale=scale), values)

    def noisy_max(self, name: str, utilities: np.ndarray, scale: float) -> int:
        """Report-noisy-max with Gumbel noise (the exponential mechanism)."""
        dp = _opendp()
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
        measure = dp.zero_concentrated_divergence()
        return int(dp.m.make_noisy_max(*space, measure, scale=scale)([int(u) for u in utilities]))

    def threshold(
        self, name: str, keys: Sequence[Hashable], values: np.ndarray, scale: float, tau: float
    ) -> tuple[list[Hashable], np.ndarray]:
        """Keys whose noisy value exceeds `tau`, largest first."""
        return _above(keys, self.gaussian(name, values, scale), tau)


def _above(keys: Sequence[Hashable], noisy: np.ndarray, tau: float) -> tuple[list[Hashable], np.ndarray]:
    # Largest first, so that the order in which the data listed its keys is not shown.
    shown = [i for i in np.argsort(-noisy, kind="stable") if noisy[i] > tau]
    return [keys[i] for i in shown], noisy[shown]


def _apply(measurement: Any, values: np.ndarray) -> np.ndarray:
    flat = np.asarray(values, dtype=np.int64)
    return np.array(measurement(flat.ravel().tolist()), dtype=np.int64).reshape(flat.shape)


class TeachingNoise:
    """The same laws from a seeded generator: repeatable, hence worthless as protection."""

    secure = False

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def gaussian(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """Rounded Gaussian noise."""
        noise = np.rint(self._generator.normal(0.0, scale, np.shape(values)))
        return np.asarray(values, dtype=np.int64) + noise.astype(np.int64)

    def laplace(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """Difference of two geometric draws."""
        p = -math.expm1(-1.0 / scale)
        shape = np.shape(values)
        noise = self._generator.geometric(p, shape) - self._generator.geometric(p, shape)
        return np.asarray(values, dtype=np.int64) + noise.astype(np.int64)

    def noisy_max(self, name: str, utilities: np.ndarray, scale: float) -> int:
        """Gumbel noise and the largest."""
        u = np.asarray(utilities, dtype=np.float64)
        return int(np.argmax(u + self._generator.gumbel(0.0, scale, len(u))))

    def threshold(
        self, name: str, keys: Sequence[Hashable], values: np.ndarray, scale: float, tau: float
    ) -> tuple[list[Hashable], np.ndarray]:
        """Keys whose noisy value exceeds `tau`, largest first."""
        return _above(keys, self.gaussian(name, values, scale), tau)


class RecordingNoise:
    """Passes every call on and keeps a transcript: what went in, what came out, at which scale."""

    def __init__(self, inner: Noise) -> None:
        self._inner = inner
        self.secure = inner.secure
        self.transcript: list[dict[str, Any]] = []

    def _keep(self, kind: str, name: str, given: Any, scale: float, out: T, **more: Any) -> T:
        step = {"kind": kind, "name": name, "given": np.array(given), "scale": scale, "out": out, **more}
        self.transcript.append(step)
        return out

    def gaussian(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """Recorded discrete Gaussian noise."""
        return self._keep("gaussian", name, values, scale, self._inner.gaussian(name, values, scale))

    def laplace(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """Recorded discrete Laplace noise."""
        return self._keep("laplace", name, values, scale, self._inner.laplace(name, values, scale))

    def noisy_max(self, name: str, utilities: np.ndarray, scale: float) -> int:
        """Recorded report-noisy-max."""
        return self._keep("noisy-max", name, utilities, scale, self._inner.noisy_max(name, utilities, scale))

    def threshold(
        self, name: str, keys: Sequence[Hashable], values: np.ndarray, scale: float, tau: float
    ) -> tuple[list[Hashable], np.ndarray]:
        """Recorded sparse histogram."""
        out = self._inner.threshold(name, keys, values, scale, tau)
        return self._keep("threshold", name, values, scale, out, keys=list(keys), tau=tau)


class ReplayNoise:
    """Returns the outputs of an earlier run, whatever goes in: what would the same run have been given elsewhere?

    A measuring stage run with it on a neighbouring dataset takes every adaptive decision of the first run, so each
    step's input is exactly what that dataset would have contributed at those released values.
    """

    secure = False

    def __init__(self, transcript: Sequence[Mapping[str, Any]]) -> None:
        self._past = iter(transcript)

    def _next(self, kind: str, name: str) -> Any:
        step = next(self._past, None)
        if step is None or (step["kind"], step["name"]) != (kind, name):
            past = "nothing more" if step is None else f"{step['kind']} '{step['name']}'"
            raise ReplayError(f"replay: {kind} '{name}' was asked for where the earlier run had {past}.")
        return step["out"]

    def gaussian(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """What came out before."""
        out: np.ndarray = self._next("gaussian", name)
        return out

    def laplace(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        """What came out before."""
        out: np.ndarray = self._next("laplace", name)
        return out

    def noisy_max(self, name: str, utilities: np.ndarray, scale: float) -> int:
        """What came out before."""
        out: int = self._next("noisy-max", name)
        return out

    def threshold(
        self, name: str, keys: Sequence[Hashable], values: np.ndarray, scale: float, tau: float
    ) -> tuple[list[Hashable], np.ndarray]:
        """What came out before."""
        out: tuple[list[Hashable], np.ndarray] = self._next("threshold", name)
        return out


def counted_utilities(below: np.ndarray, n: int) -> np.ndarray:
    """Utility of every grid point as the first that is not below the median of `n` norms: one person changes it by 1.

    `below` says how many norms lie at or below every point.

    It is 0 if half of the norms are at most the point and half are above the point before it, else how many people
    would have to differ for that, counted on both sides. Where many norms are equal, as many people as have them stand
    between the right point and every other one.
    """
    before = np.r_[0, below[:-1]]
    short: np.ndarray = np.maximum(0, np.maximum(n - 2 * below, 2 * before - n))
    return -short

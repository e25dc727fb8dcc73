"""Where noise comes from: opendp and the operating system; a seeded twin for teaching and tests.

Mechanisms see integers only. Each call names itself, so that an audit can follow a whole run.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

import numpy as np

from sequester.errors import ReplayError


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


class Call(NamedTuple):
    """One call of a mechanism."""

    kind: str
    """`gaussian`, `laplace`, `noisy-max` or `threshold`."""
    name: str
    given: np.ndarray
    scale: float
    keys: Sequence[Hashable] = ()
    tau: float = 0.0

    def to(self, noise: Noise) -> Any:
        """The answer that another source of noise gives."""
        if self.kind == "threshold":
            return noise.threshold(self.name, self.keys, self.given, self.scale, self.tau)
        return getattr(noise, self.kind.replace("-", "_"))(self.name, self.given, self.scale)


class EachCall:
    """Noise that does the same with every call, whatever the mechanism: `answer` says what."""

    def answer(self, call: Call) -> Any:
        """The answer to one call."""
        raise NotImplementedError

    def gaussian(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        out: np.ndarray = self.answer(Call("gaussian", name, values, scale))
        return out

    def laplace(self, name: str, values: np.ndarray, scale: float) -> np.ndarray:
        out: np.ndarray = self.answer(Call("laplace", name, values, scale))
        return out

    def noisy_max(self, name: str, utilities: np.ndarray, scale: float) -> int:
        return int(self.answer(Call("noisy-max", name, utilities, scale)))

    def threshold(
        self, name: str, keys: Sequence[Hashable], values: np.ndarray, scale: float, tau: float
    ) -> tuple[list[Hashable], np.ndarray]:
        shown, noisy = self.answer(Call("threshold", name, values, scale, keys, tau))
        return shown, noisy


class RecordingNoise(EachCall):
    """Passes every call on and keeps a transcript: what went in, what came out, at which scale."""

    def __init__(self, inner: Noise) -> None:
        self._inner = inner
        self.secure = inner.secure
        self.transcript: list[dict[str, Any]] = []

    def answer(self, call: Call) -> Any:
        """The inner answer, written down."""
        out = call.to(self._inner)
        step = {"kind": call.kind, "name": call.name, "given": np.array(call.given), "scale": call.scale, "out": out}
        self.transcript.append(step | ({"keys": list(call.keys), "tau": call.tau} if call.kind == "threshold" else {}))
        return out


class ReplayNoise(EachCall):
    """Returns the outputs of an earlier run, whatever goes in: what would the same run have been given elsewhere?

    Measuring code that runs with it on a neighbouring dataset takes every adaptive decision of the first run, so each
    step's input is exactly what that dataset would have contributed at those released values.
    """

    secure = False

    def __init__(self, transcript: Sequence[Mapping[str, Any]]) -> None:
        self._past = iter(transcript)

    def answer(self, call: Call) -> Any:
        """What came out before."""
        step = next(self._past, None)
        if step is None or (step["kind"], step["name"]) != (call.kind, call.name):
            past = "nothing more" if step is None else f"{step['kind']} '{step['name']}'"
            raise ReplayError(f"replay: {call.kind} '{call.name}' was asked for where the earlier run had {past}.")
        return step["out"]


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

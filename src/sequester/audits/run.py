"""`audit`: can two neighbouring datasets be told apart better than a method's epsilon allows?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from sequester.audits import transcript
from sequester.audits.neighbours import neighbours
from sequester.audits.real_path import real_path
from sequester.audits.transcript import audit_event
from sequester.dp.noise import Call, EachCall, Noise
from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.errors import ParameterError, ReplayError, counted
from sequester.kinds import kind_named
from sequester.method import Method, Witness
from sequester.methods import method_class
from sequester.release import Check, Evidence, Figure

ONE_THREAD = Engine(threads=1)


def audit(
    method: Method | str,
    *,
    runs: int = 400,
    people: int | None = None,
    noise_factor: float = 1.0,
    seed: int | None = 0,
) -> Evidence:
    """An empirical lower bound on epsilon, from runs on worst-case neighbours through the method's own code.

    The check fails when the bound exceeds the epsilon that the method states: then its noise, its sensitivity or its
    accounting is wrong. A bound below it proves nothing by itself; it is the proof that was not contradicted.

    Parameters
    ----------
    method
        A method that states an epsilon, or its id (then with its example parameters and epsilon 1 at most: a larger
        one takes more runs to contradict).
    runs
        Runs on each of the two neighbours; half of them choose the test, the other half judge it.
    people
        People beside the adversarial one.
    noise_factor
        Plant a fraud: multiply all noise by this and see that the audit catches it.
    seed
        The same seed gives the same figures; None draws anew.
    """
    if isinstance(method, str):
        cls = method_class(method)
        method = cls(**for_audit(cls))
    epsilon = getattr(method, "epsilon", None)
    if epsilon is None:
        raise ParameterError(
            f"audit: {counted(method.id, 'state')} no epsilon, so there is no noise to audit. Use `attack`."
        )
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 20:
        raise ParameterError(f"audit: runs must be a whole number of at least 20, got runs={runs!r}.")
    if not 0 < noise_factor <= 1:
        raise ParameterError(f"audit: noise_factor must lie in (0, 1], got noise_factor={noise_factor!r}.")
    kind = kind_named(method.accepts.kind)
    delta = float(getattr(method, "delta", None) or 0.0)
    witness = method.witness()
    if witness is not None:
        return _by_event(method, float(epsilon), delta, witness, runs, seed)
    pair = method.worst_case_neighbours(people)
    if pair is None:
        if not kind.neighbours:
            raise ParameterError(f"audit: there are no worst-case neighbours for {kind.name} data yet.")
        least = 2 * int(getattr(method, "k", 0) or 0)
        pair = neighbours(kind.name, people=people or max(kind.audit_people, least), method=method)
    without, with_ = pair
    weak = {} if noise_factor == 1 else {"noise": lambda generator: transcript.WeakNoise(generator, noise_factor)}
    try:
        found = transcript.audit(
            measuring_code(method), without, with_, runs=runs, delta=delta, claimed=float(epsilon), seed=seed, **weak
        )
    except ReplayError:
        return _told_apart(float(epsilon))
    if method.guarantee.status != "proved" or not kind.declared:
        return found
    return replace(found, checks=(*found.checks, *real_path(method, without, with_)))


def for_audit(cls: type[Method]) -> dict[str, Any]:
    """Example parameters with an epsilon small enough to be contradicted by some hundred runs."""
    values = dict(cls.example)
    names = {f.name for f in fields(cls)}
    if "epsilon" in values:
        values["epsilon"] = min(1.0, float(values["epsilon"]))
    if "force" in names:
        values["force"] = True  # what an audit learns does not depend on the accuracy
    return values


def measuring_code(method: Method) -> Callable[[Any, Randomness], Any]:
    """The part of a method that draws noise: alone where the method offers it, else the whole method."""
    return lambda data, rng: method.measure_noisily(data, rng=Randomness(seed=0, noise=SameShape(rng.noise)))


class SameShape(EachCall):
    """Stops a replay in which the other dataset asks for noise of another shape: that alone tells the two apart."""

    def __init__(self, inner: Noise) -> None:
        self._inner, self.secure = inner, inner.secure

    def answer(self, call: Call) -> Any:
        """As many numbers as were asked for."""
        out = call.to(self._inner)
        if call.kind in ("gaussian", "laplace") and np.shape(call.given) != np.shape(out):
            raise ReplayError("replay: noise of another shape was asked for.")
        return out


def _by_event(method: Method, epsilon: float, delta: float, seen: Witness, runs: int, seed: int | None) -> Evidence:
    """Where no noise is drawn: one event of the finished release shows what the method lets through."""

    def release(data: Any, rng: Randomness) -> Any:
        return method.apply(data, rng=rng, engine=ONE_THREAD)

    start = 0 if seed is None else int(np.random.default_rng(seed).integers(2**20))
    return audit_event(
        release, seen.happens, seen.without, seen.with_, runs=runs, delta=delta, claimed=epsilon, seed=start
    )


def _told_apart(claimed: float) -> Evidence:
    why = "the steps of a run differ between the neighbours whatever the noise was"
    return Evidence(
        about="audit",
        saw_original=False,
        summary=f"The two neighbours are told apart with certainty: {why}. No epsilon holds, claimed {claimed:g}.",
        checks=(Check(name="no violation found", passed=False, detail=f"epsilon is infinite: {why}"),),
        figures=(Figure(name="epsilon_lower_bound", value="infinite", says="No finite epsilon is possible."),),
    )

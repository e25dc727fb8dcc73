"""The command that follows an inspection: a method that fits, its parameters, and every role, as they were tried."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.errors import SequesterError, counted
from sequester.methods import method_class, methods_for
from sequester.model import MISSING
from sequester.read.inspect import Inspection

GROUPS = 3
"""Groups of k that people should make, so that a release tells groups apart."""
MOST_TRIED, MOST_MISSING, SOME_MISSING = 400_000, 0.5, 0.02
"""Cells of a source on which the method is tried, and shares of missing time."""
SHOWN = ("k", "p", "l", "n", "epsilon", "delta")
"""Parameters of protection: nobody but the custodian decides them, so an example is printed."""


def proposed(source: Any, found: Inspection) -> Inspection:
    """The inspection with the command to type next, if nothing is in its way."""
    if found.kind is None or found.in_the_way or not isinstance(source, (str, Path)):
        return found
    best, fitting, example = _chosen(found.kind, found.people)
    path = Path(found.place or source)
    words = ["sequester", "publish", best, found.place or str(source)]
    for name, value in found.roles.items():
        words += [f"--{name}", value] if value else [f"--{name}"]
    for name, value in example.items():
        words += [f"--{name}", str(value)]
    if found.kind == "text" and "person" not in found.roles:
        words += ["--unit", "document"]
    words += ["--out", f"{path.name.partition('.')[0] or 'release'}.bundle"]
    remark = " ".join(filter(None, (_not_promised(best, fitting), _other(found, fitting))))
    return replace(found, command=" ".join(map(shlex.quote, words)), remark=remark)


def _other(found: Inspection, fitting: list[str]) -> str:
    """How much of a log the method of the kind that bears many states would call OTHER, by declarations alone."""
    if found.n_states is None or not found.people:
        return ""
    for cls in map(method_class, fitting):
        if hasattr(cls, "expected_other"):
            method: Any = cls(**{**cls.example, "people_at_least": found.people})
            share = method.expected_other(found.n_states, found.roles.get("time-unit", "second"))
            return (
                f"Of {counted(found.n_states, 'state')} about {share:.0%} of the events would be OTHER in {cls.id} at "
                f"epsilon={method.epsilon:g}; the estimate rests on the number of people and states: on one log 59% "
                "came out where it said 16%."
            )
    return ""


def _chosen(kind: str, people: int | None) -> tuple[str, list[str], dict[str, Any]]:
    """The method that is proposed, all that fit, and an example of its parameters."""
    fitting = [m for m in methods_for(kind) if not method_class(m).baseline]
    best = next((m for m in fitting if _grade(m) != "proved"), fitting[0])
    example = {k: v for k, v in method_class(best).example.items() if k in SHOWN}
    if people is not None and "k" in example and people < GROUPS * example["k"]:
        example["k"] = max(2, people // GROUPS)
        example |= {"p": min(example["p"], example["k"])} if "p" in example else {}
    return best, fitting, example


def objection(data: Any, roles: Mapping[str, str], people: int | None) -> str:
    """What the method that would be proposed has against the data that was read, in its own words."""
    best, _, example = _chosen(data.kind, people)
    cls = method_class(best)
    own = {f.name for f in fields(cls)}
    given = {n.replace("-", "_"): v for n, v in roles.items() if n.replace("-", "_") in own}
    if data.kind == "text" and "person" not in roles:
        given["unit"] = "document"
    try:
        method = cls(**example, **given)
        method.require_used(data)
        method.require_declared(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method.require_observed(data)
        if getattr(method, "unit", "") == "person" and data.kind == "series" and data.n_people < data.n_records:
            return "people have several records each, and a promise per person needs one: keep one, or ‹unit='record'›"
        if people is not None and "k" in example and people < example["k"]:
            return f"k={example['k']} needs as many people, and there are {people}"
        if data.kind == "activity" and data.n_people == people and data.states.size <= MOST_TRIED:
            return _mostly_missing(data, method, example)
    except SequesterError as error:
        return error.sentence()
    return ""


def _mostly_missing(data: Any, method: Any, example: Mapping[str, Any]) -> str:
    """That a release would tell nothing, found by making one where some time is missing."""
    if 1 - sum(part.observed * part.n_records for part in data) / data.n_records < SOME_MISSING:
        return ""
    release = method.apply(data, rng=Randomness(seed=0), engine=Engine())
    book, rows = release.tables["states"], release.tables["sequences"]["states"]
    lacking = [c for c, name in zip(book["code"].to_pylist(), book["name"].to_pylist()) if name == MISSING]
    share = float(np.isin(np.concatenate([r.values for r in rows]), lacking).mean())
    if share <= MOST_MISSING:
        return ""
    return (
        f"{share:.0%} of a release with k={example['k']} would be missing, because people were observed at different "
        "times: choose other days with ‹align=› and ‹days=›, or ‹dates=›"
    )


def _grade(method: str) -> str:
    return method_class(method)(**method_class(method).example).guarantee.status


def _not_promised(chosen: str, fitting: list[str]) -> str:
    """That a procedure ships as it was published, and which method of the kind promises more."""
    if chosen == "k-repeats":
        return (
            "k-repeats is for everybody. For partners under an agreement, k-words shows far more text, and who knows "
            "a sentence of a note can find the note: see `sequester methods k-words`."
        )
    proved = [m for m in fitting if _grade(m) == "proved"]
    if _grade(chosen) != "as-published" or not proved:
        return ""
    return (
        f"{chosen} follows a paper whose formal claim does not hold; `sequester methods {chosen}` says why. For "
        f"differential privacy use {proved[0]}; `sequester publish {proved[0]} --help` lists what you must declare."
    )

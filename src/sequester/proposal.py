"""The command that follows an inspection: a method that fits, its parameters, and every role, as they were tried."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from sequester.methods import method_class, methods_for
from sequester.read.inspect import Inspection

SHOWN = ("k", "p", "l", "n", "epsilon", "delta")
"""Parameters of protection: nobody but the custodian decides them, so an example is printed."""


def proposed(source: Any, found: Inspection) -> Inspection:
    """The inspection with the command to type next, if nothing is in its way."""
    if found.kind is None or found.in_the_way or not isinstance(source, (str, Path)):
        return found
    fitting = [m for m in methods_for(found.kind) if not method_class(m).baseline]
    best = next((m for m in fitting if _grade(m) != "proved"), fitting[0])
    example = {k: v for k, v in method_class(best).example.items() if k in SHOWN}
    if found.people is not None and "k" in example and found.people < 2 * example["k"]:
        example["k"] = max(2, found.people // 2)
        example |= {"p": min(example["p"], example["k"])} if "p" in example else {}
    path = Path(source)
    words = ["sequester", "publish", best, str(source)]
    for name, value in found.roles.items():
        words += [f"--{name}", value] if value else [f"--{name}"]
    for name, value in example.items():
        words += [f"--{name}", str(value)]
    if found.kind == "text" and "person" not in found.roles:
        words += ["--unit", "document"]
    words += ["--out", f"{path.name.partition('.')[0] or 'release'}.bundle"]
    return replace(found, command=" ".join(map(shlex.quote, words)), remark=_not_promised(best, fitting))


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

"""`python docs/guarantees.py`: every promise of every method, word for word, on one page (`docs/guarantees.md`).

The same words, with `#` for every number, go to `checker/words.json`, from which `verify.html` knows them.

A promise follows from the parameters alone. So every choice of every parameter is tried, by itself, on the method's
example; what changes a sentence is shown. A test keeps the page in step with the code: a changed word is seen.
"""

from __future__ import annotations

import hashlib
import json
import re
import typing
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import Any

import sequester as sq
from sequester import checker

PAGE = Path(__file__).parent / "guarantees.md"
WORDS = Path(checker.__file__).parent / "words.json"
CHECKSUM = Path(__file__).parent / "verify.html.sha256"
HEAD = """# Every promise, word for word

Made by `python docs/guarantees.py` from the code; a test keeps it in step. For every method: the promise of its
example, and below it the sentences that one other choice of a parameter adds or takes away. [The promise](promise.md)
explains the parts.
"""
MORE: dict[str, tuple[dict[str, Any], ...]] = {
    "kapra": ({"l": 2}, {"l": 2, "harmless": ("home",)}, {"l": 2, "near": ("2",)}, {"p": 1}, {"ends_step": 0.0}),
    "kp-naive": ({"ends_step": 0.0},),
    "mcka": ({"by": ("sex",)},),
    "ngram-k": ({"unit": "person", "cap": 20},),
    "k-repeats": ({"count_in": "original", "unit": "document"},),
    "k-words": ({"language": "de", "nouns": "on"}, {"labels": "labels.jsonl"}),
}
"""Choices that need another one, or are no list of words."""


def variants(cls: type[sq.Method]) -> Iterator[tuple[dict[str, Any], sq.Guarantee]]:
    """What differs from the example, and the promise then; the example itself first."""
    hints = typing.get_type_hints(cls)
    tried: list[dict[str, Any]] = [{}, *MORE.get(cls.id, ())]
    for field in fields(cls):
        for choice in _choices(hints[field.name]):
            if choice != cls.example.get(field.name, field.default):
                tried.append({field.name: choice})
    for more in tried:
        try:
            yield more, cls(**{**cls.example, **more}).guarantee
        except sq.SequesterError:  # this choice does not stand alone
            continue


def _choices(hint: Any) -> tuple[Any, ...]:
    if hint is bool:
        return (False, True)
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return parts
    return tuple(c for part in parts for c in _choices(part) if part is not bool)


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for method_id in sq.METHODS:
        cls = sq.method_class(method_id)
        told = list(variants(cls))
        _, usual = told[0]
        given = ", ".join(f"`{name}={value}`" for name, value in cls.example.items())
        lines += [f"## {method_id}", "", f"With {given}: **{usual.level}** · {usual.unit} · {usual.status}", ""]
        lines += [usual.statement, "", "Not covered:", "", *(f"- {line}" for line in usual.not_covered), ""]
        seen = {_words(usual)}
        for more, promise in told[1:]:
            if _words(promise) in seen:
                continue
            seen.add(_words(promise))
            choice = ", ".join(f"`{name}={value}`" for name, value in more.items())
            lines += [f"With {choice}: **{promise.level}** · {promise.unit} · {promise.status}", ""]
            lines += [promise.statement, ""] if promise.statement != usual.statement else []
            added = [line for line in promise.not_covered if line not in usual.not_covered]
            gone = [line for line in usual.not_covered if line not in promise.not_covered]
            lines += [
                *(f"- also not covered: {line}" for line in added),
                *(f"- no longer said: {line}" for line in gone),
            ]
            lines += [""] if added or gone else []
    return "\n".join(lines).rstrip() + "\n"


IN_ALL: dict[str, tuple[dict[str, Any], ...]] = {
    "k-repeats": (
        {"background": ("a.txt",)}, {"show": ("a.txt",)}, {"spans": None}, {"hide": ("a.jsonl",)}, {"first_pass": ()},
        {"keep": ("ward",)},
    ),
    "kapra": ({"p": 1, "pattern": None},),
}  # fmt: skip
"""Further choices that change words, for the list of all words."""
CHOSEN = {"show", "kept", "background", "markers", "list", "gazetteers", "rules", "dictionary"}
"""Parts of a promise that say in another way what an option says, as `mark` does where there is a `mask`; and lists."""
TOGETHER = 4
"""So many choices are made at once."""


def words() -> str:
    """The words of every promise that up to four choices together give, as JSON; numbers and quoted names masked."""
    out = {}
    for method_id in sq.METHODS:
        cls = sq.method_class(method_id)
        single = [*(more for more, _ in variants(cls) if more), *IN_ALL.get(method_id, ())]
        found: list[sq.Guarantee] = []
        for n in range(TOGETHER + 1):
            for chosen in combinations(single, n):
                more = {name: value for one in chosen for name, value in one.items()}
                if len(more) == sum(map(len, chosen)):
                    with suppress(sq.SequesterError):  # these choices do not go together
                        found.append(cls(**{**cls.example, **more}).guarantee.confirmed())
        lines = [{masked(line) for line in promise.not_covered} for promise in found]
        parts = {name for p in found for name in p.parameters}
        options = [f.name for f in fields(cls)]
        derived = sorted(parts - {*options, *CHOSEN} - ({"mark"} if "mask" in options else set()))
        out[method_id] = {
            "kind": cls.accepts.kind, "layouts": [cls.layout] if isinstance(cls.layout, str) else ["boxes", "drawn"],
            "paper": cls.paper,
            "parameters": sorted(parts), "needed": sorted(set.intersection(*(set(p.parameters) for p in found))),
            "needs_original": sorted({p.needs_original for p in found}),
            "derived": {n: _different(p.parameters[n] for p in found if n in p.parameters) for n in derived},
            "units": sorted({p.unit for p in found}),
            "model": sorted({p.model for p in found}), "status": sorted({p.status for p in found}),
            "levels": sorted({masked(p.level) for p in found}),
            "statements": sorted({masked(p.statement) for p in found}),
            "always": sorted(set.intersection(*lines)), "lines": sorted(set.union(*lines)),
        }  # fmt: skip
    return json.dumps(out, ensure_ascii=False, indent=1) + "\n"


def _different(values: Iterator[Any]) -> list[Any]:
    """Every value once, in a fixed order."""
    return [json.loads(text) for text in sorted({json.dumps(value, sort_keys=True) for value in values})]


def checksum() -> str:
    """The line that `sha256sum --check` takes, for the checker of this version."""
    return f"{hashlib.sha256(checker.checker_page().encode()).hexdigest()}  verify.html\n"


def masked(text: str) -> str:
    """Without numbers and quoted names."""
    return re.sub(r"'[^']*'", "'…'", re.sub(r"\d+(?:\.\d+)?(?:e-?\d+)?", "#", text))


def _words(promise: sq.Guarantee) -> tuple[Any, ...]:
    return promise.level, promise.unit, promise.status, promise.statement, promise.not_covered


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    WORDS.write_text(words(), "utf-8")
    CHECKSUM.write_text(checksum(), "utf-8")

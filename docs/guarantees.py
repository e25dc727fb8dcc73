"""`python docs/guarantees.py`: every promise of every method, word for word, on one page (`docs/guarantees.md`).

The same words go to `checker/words.json`, from which `verify.html` knows them: level and statement with the names of
parameters in place of their numbers, the sentences of *not covered* with `#` for every number.

A promise follows from the parameters alone. So every choice of every parameter is tried, by itself, on the method's
example; what changes a sentence is shown. A test keeps the page in step with the code: a changed word is seen.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import typing
from collections.abc import Callable, Iterator, Mapping
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
    **dict.fromkeys(("mcka", "mcdp", "mdav-ka", "mdav-dp"), ({"by": ("sex",)},)),
    "ngram-k": ({"unit": "person", "cap": 20},),
    "ngram-dp": ({"delta": 1e-6}, {"delta": 1e-6, "average": "symbol"}),
    "activity-dp": ({"people_at_least": 5000, "force": False},),
    "k-repeats": ({"count_in": "original", "unit": "document"},),
    "k-words": ({"language": "de", "nouns": "on"}, {"labels": "labels.jsonl"}, {"keep": ("ward",)}),
}
"""Choices that need another one, or are no list of words."""


def variants(cls: type[sq.Method]) -> Iterator[tuple[dict[str, Any], sq.Guarantee]]:
    """What differs from the example, and the promise then; the example itself first."""
    for more in ({}, *single_choices(cls)):
        with suppress(sq.SequesterError):  # this choice does not stand alone
            yield more, cls(**{**cls.example, **more}).guarantee


def single_choices(cls: type[sq.Method]) -> Iterator[dict[str, Any]]:
    """Every choice of every parameter, by itself."""
    hints = typing.get_type_hints(cls)
    yield from MORE.get(cls.id, ())
    for field in fields(cls):
        for choice in _choices(hints[field.name]):
            if choice != cls.example.get(field.name, field.default):
                yield {field.name: choice}


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
    "kapra": ({"p": 1, "pattern": None},), "markov-dp": ({"people_at_least": 20, "force": True},),
}  # fmt: skip
"""Further choices that change words, for the list of all words."""
CHOSEN = {"show", "kept", "background", "markers", "list", "gazetteers", "rules", "dictionary"}
"""Parts of a promise that say in another way what an option says, as `mark` does where there is a `mask`; and lists."""
TOGETHER = 4
"""So many choices are made at once."""


def words() -> str:
    """The words of every promise that up to four choices together give, as JSON."""
    out = {}
    for method_id in sq.METHODS:
        cls = sq.method_class(method_id)
        single = [*single_choices(cls), *IN_ALL.get(method_id, ())]
        found: list[sq.Guarantee] = []
        said: list[tuple[dict[str, str], tuple[str, str]]] = []
        for n in range(TOGETHER + 1):
            for chosen in combinations(single, n):
                more = {name: value for one in chosen for name, value in one.items()}
                if len(more) < sum(map(len, chosen)):
                    continue
                options = {**cls.example, **more}
                with suppress(sq.SequesterError):  # these choices do not go together
                    method = cls(**options)
                    promise = method.guarantee.confirmed()
                    found.append(promise)
                    given = [n for n in OTHER if (x := getattr(method, n, None)) and (n, x) != ("p", 1)]
                    other = cls(**options | {name: OTHER[name] for name in given}).guarantee
                    level = template(promise.level, promise, other.level, other)
                    said.append(
                        (
                            _choice(method, promise),
                            (level, template(promise.statement, promise, other.statement, other)),
                        )
                    )
        lines = [{masked(line) for line in promise.not_covered} for promise in found]
        parts = {name for p in found for name in p.parameters}
        names = [f.name for f in fields(cls)]
        derived = sorted(parts - {*names, *CHOSEN} - ({"mark"} if "mask" in names else set()))
        out[method_id] = {
            "kind": cls.accepts.kind, "layouts": [cls.layout] if isinstance(cls.layout, str) else ["boxes", "drawn"],
            "paper": cls.paper,
            "parameters": sorted(parts), "needed": sorted(set.intersection(*(set(p.parameters) for p in found))),
            "needs_original": sorted({p.needs_original for p in found}),
            "derived": {n: _different(p.parameters[n] for p in found if n in p.parameters) for n in derived},
            "units": sorted({p.unit for p in found}),
            "model": sorted({p.model for p in found}), "status": sorted({p.status for p in found}),
            **_by_choice(said),
            "always": sorted(set.intersection(*lines)), "lines": sorted(set.union(*lines)),
        }  # fmt: skip
    text = json.dumps(out, ensure_ascii=False, indent=1)
    return PLACES.sub(lambda found: "".join(found[0].split()), text) + "\n"


PLACES = re.compile(r"\[\s*\[[\d\s,\[\]]*\]\s*\]")
"""Which levels and statements a choice has: on one line."""


def _choice(method: sq.Method, promise: sq.Guarantee) -> dict[str, str]:
    """What may decide which words a promise has: its parameters and the switches of its method, each in a word."""
    switches = {f.name: x for f in fields(method) if isinstance(x := getattr(method, f.name), bool)}
    values = {**switches, **promise.parameters, "unit": promise.unit}
    return {name: _in_a_word(value) for name, value in values.items() if name != "mark"}


def _in_a_word(value: Any) -> str:
    """A switch or a name as it is; of a number whether it is 0, of a list whether it is empty."""
    if value is None or isinstance(value, (bool, str)):
        return {None: "", True: "yes", False: "no"}.get(value, value)
    if isinstance(value, (int, float)):
        return "n" if value else "0"
    return "n" if value else "0"


def _by_choice(said: list[tuple[dict[str, str], tuple[str, str]]]) -> dict[str, Any]:
    """Level and statement by the few choices that decide about them."""

    def told(names: list[str]) -> dict[str, set[tuple[str, str]]]:
        out: dict[str, set[tuple[str, str]]] = {}
        for choice, words in said:
            out.setdefault("|".join(choice.get(name, "") for name in names), set()).add(words)
        return out

    by = sorted({name for choice, _ in said for name in choice})
    exact = [told(by)["|".join(choice.get(name, "") for name in by)] for choice, _ in said]
    for name in list(by):
        fewer = [other for other in by if other != name]
        found = told(fewer)
        if all(found["|".join(c.get(n, "") for n in fewer)] == words for (c, _), words in zip(said, exact)):
            by = fewer
    levels, statements = (sorted({words[i] for _, words in said}) for i in range(2))
    places = {
        choice: sorted([levels.index(level), statements.index(statement)] for level, statement in words)
        for choice, words in sorted(told(by).items())
    }
    return {"levels": levels, "statements": statements, "by": by, "said": places}


def _different(values: Iterator[Any]) -> list[Any]:
    """Every value once, in a fixed order."""
    return [json.loads(text) for text in sorted({json.dumps(value, sort_keys=True) for value in values})]


def checksum() -> str:
    """The line that `sha256sum --check` takes, for the checker of this version."""
    return f"{hashlib.sha256(checker.checker_page().encode()).hexdigest()}  verify.html\n"


NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")
OTHER: dict[str, Any] = {
    "k": 23, "p": 19, "l": 17, "n": 7, "cap": 29, "epsilon": 5.3, "delta": 1e-5, "withhold_up_to": 0.31,
}  # fmt: skip
"""A second value for every parameter that is spelled in a promise: what changes with it is its own number."""
SPELLED: dict[str, Callable[[float], str]] = {
    "{%s}": lambda x: f"{x:g}",
    "{%s-1}": lambda x: f"{x - 1:g}",
    "{2%s}": lambda x: f"{2 * x:g}",
    "{2%s-1}": lambda x: f"{2 * x - 1:g}",
    "{%s%%}": lambda x: f"{x:.0%}"[:-1],
    "{rare %s}": lambda x: f"{max(2, math.ceil(1 / -math.expm1(-x)))}" if x else "",
}
"""How a promise spells a parameter; `checker/words.js` fills the same names in."""


def template(text: str, promise: sq.Guarantee, again: str, other: sq.Guarantee) -> str:
    """A sentence with names of parameters in place of their numbers, from two promises that differ in all of them."""
    assert "{" not in text
    if by := promise.parameters.get("by"):
        columns = " and ".join(f"'{name}'" for name in by)
        text, again = text.replace(columns, "{by}"), again.replace(columns, "{by}")
    numbers = [*zip(NUMBER.findall(text), NUMBER.findall(again), strict=True)]
    assert NUMBER.sub("#", text) == NUMBER.sub("#", again), (text, again)
    return NUMBER.sub(lambda _: _named(*numbers.pop(0), promise.parameters, other.parameters), text)


def _named(one: str, two: str, first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """The parameter behind a number that is spelled `one` in the first promise and `two` in the second."""
    if one == two:
        return one
    found = [
        form % name
        for name in OTHER.keys() & first.keys()
        if first[name] is not None
        for form, spell in SPELLED.items()
        if (spell(first[name]), spell(second[name])) == (one, two)
    ]
    assert len(found) == 1, (one, two, found)
    return found[0]


def masked(text: str) -> str:
    """Without numbers and quoted names; an apostrophe inside a word is no quote."""
    return re.sub(r"(?<!\w)'[^']*'(?!\w)", "'…'", NUMBER.sub("#", text))


def _words(promise: sq.Guarantee) -> tuple[Any, ...]:
    return promise.level, promise.unit, promise.status, promise.statement, promise.not_covered


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    WORDS.write_text(words(), "utf-8")
    CHECKSUM.write_text(checksum(), "utf-8")

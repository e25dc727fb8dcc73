"""An option is declared once: default, range, what it needs, group and level; its sentence stands below the field.

Checks when a method is made, refusals of options that would do nothing, the command line, plans, forms and pages of the
documentation read this declaration.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any, Literal

Group = Literal["protection", "reading", "publication", "scale"]
Level = Literal["everyday", "expert", "paper"]
GROUPS: tuple[Group, ...] = typing.get_args(Group)
"""In the order in which help shows them."""
# everyday: on the one screen of --help; expert: with --help-all; paper: to repeat papers and experiments, in plans and
# in Python but not on the command line


@dataclass(frozen=True, kw_only=True)
class Option:
    """What one field says about itself beside its type, its default and its sentence."""

    low: float | None = None
    high: float | None = None
    why: str = ""
    """Added to the sentence that refuses a value outside the range."""
    needs: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Other options → their values with which this one does something."""
    group: Group = "protection"
    level: Level = "expert"
    path: bool = False
    """It names a file: only the file's name is published, never where it lies."""
    withheld: bool = False
    """It describes people: only its length is published."""
    choices: tuple[str, ...] = ()
    """Words it may be; taken from the type."""

    def goes_with(self) -> str:
        """What it needs, in words."""
        return " and ".join(
            " or ".join(f"‹{name}={value!r}›" for value in values) for name, values in self.needs.items()
        )


def option(default: Any = MISSING, **declared: Any) -> Any:
    """A field that is an option: `weight: float = option(1.0, low=0.0, level="expert")`."""
    return field(default=default, metadata={"option": Option(**declared)})


def _options_of(cls: Any) -> dict[str, Option]:
    hints = typing.get_type_hints(cls)
    found: dict[str, Option] = {}
    for one in fields(cls):
        declared = one.metadata.get("option") or Option()
        must = one.default is MISSING and one.default_factory is MISSING
        known = {**vars(declared), "choices": choices_of(hints[one.name])}
        found[one.name] = Option(**{**known, "level": "everyday" if must else declared.level})
    return found


options_of: Callable[[Any], dict[str, Option]] = cache(_options_of)
"""Field → what it declares; one that must be given is for every day."""


def choices_of(hint: Any) -> tuple[str, ...]:
    """The words a type allows, or nothing."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next((a for a in typing.get_args(hint) if a is not type(None)), None)
    return typing.get_args(hint) if typing.get_origin(hint) is Literal else ()


EVERYDAY_ROLES = (
    "person", "time", "value", "state", "start", "end", "text", "document", "sensitive", "quasi", "time_format",
    "time_unit", "dates", "days", "symbolize", "symbols",
)  # fmt: skip
"""Roles of columns that help shows first; the others are for files that are unlike most."""
PAPER_ROLES = ("std", "rare", "threshold")
"""Keywords of readers and assessors for papers and experiments."""

FORMER = {
    "candidates": "Of eight rows drawn the best is kept; leave it out.",
    "cells": "How finely records or values are cut follows from the data; leave it out.",
    "declare": "Write the values into ‹attributes=›, as in sex:f,m.",
    "dial": "Give ‹knowledge=› several numbers: the first is what every attack knows, all draw the curve.",
    "gram": "How many symbols a known gram has is said by ‹length=›.",
    "master": "Pass the master of Spark with ‹scheduler=›, as the address of a Dask scheduler.",
    "maximise": "A level is raised while words stay equal, as in the paper; leave it out.",
    "neighbours": "Every pass offers each person the 16 nearest clusters; leave it out.",
    "outliers": "‹shadows=› tries the three most exposed people; leave it out.",
    "passes": "Clusters are improved three times, and with literal=true not at all; leave it out.",
    "points": "How many points are known is said by ‹knowledge=›.",
    "rare": "What fewer than 5 people have is rare; `assess` in Python takes another number.",
    "representative": "With ‹exact=True› the row of a cluster is drawn, and its means stand beside it; leave it out.",
    "rounding": "How many digits of a value are known is said by ‹precision=›.",
    "sample_people": "Write the number behind the word: ‹on='sample:500'›.",
    "sizes": "How many parts a level has is said by fan_out in a plan or in Python.",
    "split": "split_gap in a plan or in Python says which pause ends a section; without it none does.",
    "split_bin": "split_gap in a plan or in Python says which pause ends a section.",
    "split_length": "Objects are cut at pauses alone: split_gap in a plan or in Python says at which.",
    "std": "Series are normalised by the deviation of the population; set another in a plan or in Python.",
    "ties": "Of paths with equally much in common a cut sequence joins the shortest; leave it out.",
    "threshold": "A person counts as at risk above 0.09; `assess` in Python takes another chance.",
    "surrogates": "Invented values are a kind of marker: ‹markers='invented'›.",
    "synthesis": "Lengths, ends, gaps and spans are always measured; leave it out.",
    "suggest_k": "Leave ‹k=› out: the curve of loss is drawn and a k suggested.",
}
"""Words of options that went → what to do instead, in one sentence."""

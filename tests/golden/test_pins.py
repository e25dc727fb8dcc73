"""Seeded releases of every method, in memory and in parts, with the main options: the same, digit for digit.

A change that alters one on purpose runs `python -m tests.golden.test_pins NAME…` (all of them without a name), which
writes their new hashes into `pins.json`, and says in its commit which changed and why.
"""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sequester as sq
from sequester.model.parts import split

PINS = Path(__file__).with_name("pins.json")
SEED = 11
PARTS = 3
"""How many parts people are dealt out to where a method takes parts."""

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "k-repeats": [{"unit": "document"}, {"granularity": "character"}, {"markers": "typed"}, {"count_in": "original"}],
    "k-words": [{"unit": "document"}],
    "word-frequency": [],
    "kapra": [{"l": 2, "harmless": ("home",)}, {"pattern": "literal"}, {"p": 1}],
    "kp-naive": [],
    "tga": [{"variant": "fast"}],
    "bfp2ka": [],
    "mcka": [{"exact": True}, {"centroids": True}, {"literal": True}],
    "mcdp": [],
    "activity-dp": [],
    "mdav-ka": [{"exact": True}],
    "mdav-dp": [],
    "markov-ratio": [{"split_gap": 24.0}, {"test": "off"}],
    "markov-dp": [{"epsilon": 8.0}, {"states_at_most": 10}],
    "events-ngram-dp": [],
    "ngram-k": [
        {"unit": "occurrence"},
        {"mode": "ignore", "unit": "occurrence"},
        {"mode": "literal", "unit": "occurrence"},
    ],
    "ngram-dp": [{"average": "symbol"}],
    "ngram-copy": [],
}
"""Beside the method's own example."""
PEOPLE = {"text": 30, "series": 120, "activity": 24, "events": 300, "symbols": 60}


def named(method_id: str, options: dict[str, Any]) -> str:
    return " ".join([method_id, *(f"{name}={value}" for name, value in options.items())])


CASES = {named(m, o): (m, o) for m, more in OPTIONS.items() for o in ({}, *more)}


@cache
def sample(kind: str) -> Any:
    days = {"days": 3} if kind == "activity" else {}
    return sq.sample(kind, n_people=PEOPLE[kind], seed=1, **days)


def method_of(case: str) -> sq.Method:
    method_id, options = CASES[case]
    cls = sq.method_class(method_id)
    return cls(**{**cls.example, **options})


def cell(value: Any) -> Any:
    """Numbers as nine digits: what two processors may round differently does not count."""
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, (list, tuple)):
        return [cell(v) for v in value]
    return {k: cell(v) for k, v in value.items()} if isinstance(value, dict) else value


def fingerprint(release: sq.Release) -> str:
    digest = hashlib.sha256()
    for name in sorted(release.tables):
        table = release.tables[name]
        table = table.read() if hasattr(table, "read") else table
        digest.update(json.dumps([name, table.column_names]).encode())
        for column in table.columns:
            digest.update(json.dumps([cell(v) for v in column.to_pylist()], default=str).encode())
    return digest.hexdigest()[:20]


def released(case: str, parts_in: Path | None) -> str:
    method = method_of(case)
    data = sample(method.accepts.kind)
    if parts_in is not None:
        of = np.arange(data.n_people) * 7 % PARTS
        data = split(data, parts_in, [np.flatnonzero(of == p) for p in range(PARTS)])
    return fingerprint(sq.anonymize(data, method, seed=SEED))


def pins() -> dict[str, str]:
    found: dict[str, str] = json.loads(PINS.read_text("utf-8"))
    return found


def test_every_method_is_pinned():
    assert set(OPTIONS) == {m for m in sq.METHODS if sq.METHODS[m].startswith("sequester.")}
    assert set(pins()) == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_a_seeded_release_is_as_pinned(case):
    assert released(case, None) == pins()[case]


@pytest.mark.parametrize("case", [c for c in CASES if not method_of(c).needs_everybody])
def test_it_is_the_same_in_parts(case, tmp_path):
    assert released(case, tmp_path) == pins()[case]


if __name__ == "__main__":
    kept = pins() if PINS.exists() else {}
    wanted = sys.argv[1:] or list(CASES)
    made = {c: released(c, None) if c in wanted or c.split()[0] in wanted else kept[c] for c in CASES}
    PINS.write_text(json.dumps(made, indent=1) + "\n", "utf-8")

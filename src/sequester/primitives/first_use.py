"""Which kernels each method used on its sample, and how long each took to compile.

It saves time and decides nothing: a kernel that is not listed is compiled when it is first called, a listed one that no
longer exists is passed over. `python -m benchmarks.first_run --write` makes `first_use.json` anew.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("first_use.json")

UNKNOWN = 0.5
"""Seconds supposed for a kernel nobody has measured."""


@functools.cache
def _table() -> dict[str, Any]:
    return dict(json.loads(FILE.read_text("utf-8")))


def first_used(by: str) -> tuple[str, ...]:
    """Names of the kernels a method used on its sample, as `compiled.KERNELS` has them; none for one never measured."""
    return tuple(_table()["used"].get(by, ()))


def seconds_of(name: str) -> float:
    """CPU seconds it took to compile a kernel, without those it calls."""
    return float(_table()["seconds"].get(name, UNKNOWN))

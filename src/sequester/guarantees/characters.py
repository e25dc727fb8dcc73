"""What every character is, from a pinned table of Unicode (`characters.json`): a verdict must not depend on the Python.

Tokens are part of the promise of `k-repeats`. Its method and its judge read this table; each has code of its own.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

SPACE, DECIMAL, UPPER, LOWER, ALNUM, LETTER, MARK = (1 << bit for bit in range(7))
_NAMES = ("space", "decimal", "upper", "lower", "alnum", "letter", "mark")
_PATH = Path(__file__).with_name("characters.json")


@cache
def _table() -> np.ndarray:
    stored = json.loads(_PATH.read_bytes())["stretches"]
    out = np.zeros(0x110000, dtype=np.uint8)
    for bit, name in enumerate(_NAMES):
        lengths = np.array(stored[name])
        out |= np.repeat(np.arange(len(lengths)) % 2, lengths).astype(np.uint8) << bit
    return out


def facts_of(character: str) -> int:
    """The facts of a character, as bits; a surrogate has none."""
    return int(_table()[ord(character)])

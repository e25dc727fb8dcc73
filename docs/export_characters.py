"""Write `src/sequester/guarantees/characters.json`: what every character is, as of the Unicode version of this Python.

Tokens of a promise must be cut alike by every version of Python, so the table is pinned. Run this only to move to
another version of Unicode on purpose; releases cut by the old table then verify only where no character changed.
"""

from __future__ import annotations

import json
import unicodedata
from itertools import groupby
from pathlib import Path

OUT = Path(__file__).parents[1] / "src/sequester/guarantees/characters.json"
FACTS = {
    "space": str.isspace,
    "decimal": str.isdecimal,
    "upper": str.isupper,
    "lower": str.islower,
    "alnum": str.isalnum,
    "letter": lambda c: unicodedata.category(c)[0] == "L",
    "mark": lambda c: unicodedata.category(c)[0] == "M",
}


def ranges(fact):
    """Lengths of stretches without and with the fact, in turn, from code point 0 on."""
    return [len(list(run)) for _, run in groupby(fact(chr(point)) for point in range(0x110000))]


if __name__ == "__main__":
    told = {"unicode": unicodedata.unidata_version, "stretches": {name: ranges(fact) for name, fact in FACTS.items()}}
    OUT.write_text(json.dumps(told, separators=(",", ":")) + "\n", "utf-8")

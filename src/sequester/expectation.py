"""What large work will cost, said before it begins: rows, memory and time, and how to make it smaller.

The figures were measured (`docs/results`) on one machine and carried over by the exponent fitted there. They are rough:
right within a factor of a few, which is enough to decide whether to wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sequester.errors import counted

LONG_SECONDS = 60.0
MUCH_BYTES = 4 * 2**30
"""Work below both of these begins without a word."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One measurement: so many records of so many values took so many CPU seconds and so much memory."""

    records: int
    width: int
    seconds: float
    exponent: float
    """Of time in the number of records; in their width it is linear."""
    memory: float
    """Peak in units of the data's main array."""
    smaller: str
    """How to make it smaller."""


PART = "Publish part of the people, or each hospital or year by itself."
MEASURED = {
    "kapra": Measured(records=20_352, width=10, seconds=0.77, exponent=1.47, memory=21.4,
                      smaller=f"{PART} Fewer time columns (--quasi) help in proportion; --pattern literal is ten times "
                      "faster."),
    "mdav-ka": Measured(records=9_800, width=20_160, seconds=0.53, exponent=1.83, memory=2.0,
                        smaller="Use mcka, whose time grows in proportion, or --level period."),
    "mdav-dp": Measured(records=9_800, width=20_160, seconds=0.53, exponent=1.83, memory=2.0,
                        smaller="Use mcdp, whose time grows in proportion, or --level period."),
    "assess activity": Measured(records=8_000, width=20_160, seconds=1.77, exponent=1.21, memory=3.0,
                                smaller="Assess a random part of the people, or fewer days."),
    "assess text": Measured(records=16_000, width=310, seconds=2.81, exponent=1.27, memory=79.0,
                            smaller="Assess a random part of the documents."),
}  # fmt: skip
"""`series_kapra` (prototype on Motion), `activity_clustering` (MDAV on days) and `assess_speed` in docs/results."""


def expected(what: str, data: Any) -> str | None:
    """A sentence about work that will be long or large; None if it will not be, or if nothing was measured."""
    known = MEASURED.get(what)
    size = _size(data)
    if known is None or size is None:
        return None
    records, width, array_bytes = size
    seconds = known.seconds * (records / known.records) ** known.exponent * width / known.width
    memory = known.memory * array_bytes
    if seconds < LONG_SECONDS and memory < MUCH_BYTES:
        return None
    return (
        f"{what} on {counted(f'{records:,}', 'record')} will take about {spoken(seconds)} of computing and "
        f"{memory / 2**30:.1f} GB of "
        f"memory, judging by a measurement on another machine. {known.smaller}"
    )


def _size(data: Any) -> tuple[int, float, int] | None:
    """Records, values per record, and bytes of the main array."""
    for name in ("values", "states", "utf8"):
        array = getattr(data, name, None)
        if array is not None and hasattr(array, "nbytes") and data.n_records:
            return data.n_records, array.size / data.n_records, int(array.nbytes)
    return None


def spoken(seconds: float) -> str:
    """A duration as one would say it: 40 s, 5 min, 2.5 h."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"

"""Data larger than memory: reading it as parts, bringing everybody together, and what that will cost.

The cost is said before the work begins: rows, memory and time, and how to make it smaller.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from sequester.engines import Engine
from sequester.engines.local import usable
from sequester.errors import InputError, counted
from sequester.judges import BLIND, OF_PARTS
from sequester.kinds import KINDS, kind_named
from sequester.layouts.log import first_objects
from sequester.method import Method
from sequester.methods import METHODS, method_class
from sequester.model import Data, Parts
from sequester.read.table import InParts
from sequester.release import Claim, Evidence
from sequester.stored_tables import stored_names

C = TypeVar("C", bound=Claim)

BYTES_PER_ITEM = {"events": 12, "activity": 1, "symbols": 2, "series": 8, "text": 1}
"""What an event, interval, symbol, value or byte takes in memory."""


def read_parts(
    kind: str,
    source: Any,
    folder: str | Path,
    *,
    engine: Engine | None = None,
    by_file: bool = False,
    **roles: Any,
) -> Parts:
    """Read a source larger than memory as parts of whole people.

    Parameters
    ----------
    kind
        The kind of data.
    source
        A text table in UTF-8, JSON lines or Parquet, or a folder of such files.
    folder
        Where the parts are written, one file each; it is yours to remove.
    engine
        How much memory there is (`Engine(memory=...)`) and how many threads.
    by_file
        Every file is a part of whole people already; refused if a person is in two of them.
    **roles
        As the reader of the kind takes them.
    """
    known = kind_named(kind)
    if not known.in_parts:
        able = ", ".join(k.name for k in KINDS.values() if k.in_parts)
        raise InputError(
            f"read_parts: {kind} data is not read in parts; kinds that are: {able}. Leave ‹memory_limit=› out."
        )
    Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    read: Parts = known.load("reader")(InParts(source, Path(folder), engine or Engine(), by_file), **roles)
    return read


COMPARED = 20_000
"""People of data on disk on whom figures are computed: drawn at random, theirs are those of all."""
COMPARED_ITEMS = 5_000_000
"""Symbols, intervals or events of such people: where people have very many, fewer people are drawn."""


def some_people(data: Data) -> tuple[Data, str]:
    """As many people as figures need, in memory, and how many they are where they are not all of them."""
    some = data.some(min(COMPARED, max(1, COMPARED_ITEMS * data.n_people // max(1, data.n_items))))
    if some.n_people == data.n_people:
        return some, ""
    return some, f"{some.n_people} of {counted(data.n_people, 'person', 'people')}, drawn at random"


def some_of_release(claim: C) -> tuple[C, str]:
    """As much of a release as figures need, in memory, and which part that is where it is not all of it."""
    some, sentence = _first_parts(claim.tables, COMPARED, COMPARED_ITEMS)
    if not some:
        return claim, ""
    shown = copy(claim)
    shown.__dict__["tables"] = {**claim.tables, **some}
    return shown, sentence


def _first_parts(tables: Mapping[str, Any], objects: int, n_bytes: int) -> tuple[dict[str, pa.Table], str]:
    """Of every table on disk the first objects of a log, or the first rows within so many bytes; and what was left out.

    Objects of a log, and rows of people, are in random order.
    """
    some, what = {}, ""
    for name in stored_names(tables):
        table = tables[name]
        if "object" in table.column_names:
            some[name], shown = first_objects(table, objects), counted(objects, "object")
        else:
            some[name] = table.slice(0, max(1, min(objects, n_bytes // max(1, table.row_bytes))))
            shown = counted(some[name].num_rows, "row")
        what = what or (shown if some[name].num_rows < table.num_rows else "")
    return some, f"figures of use are of the first {what} of the release, which are in random order" if what else ""


def with_share(found: Evidence, share: str) -> Evidence:
    """Evidence that says on how many people it was computed."""
    return replace(found, summary=f"{found.summary} Computed on {share}.".strip()) if share else found


def original_for(model: str, data: Data, memory: int | None) -> tuple[Data, tuple[str, ...]]:
    """The original as the judge of a promise takes it, and what the judge therefore does not look at."""
    if data.in_memory or model in OF_PARTS:
        return data, ()
    if model in BLIND:
        some, share = some_people(data)
        return some, (f"copies of people: looked for among {share}",) if share else ()
    needed = n_bytes(data)
    if memory is not None and needed > usable(memory):
        raise InputError(
            f"verify: this promise is checked beside all people at once, which takes about {needed / 1e9:.1f} GB of "
            f"memory; the limit is {memory / 1e9:.1f} GB. Raise ‹memory_limit=›, or leave ‹source=› out: the release "
            "alone is then checked."
        )
    return data.whole(), ()


def n_bytes(data: Data) -> int:
    """What all of it takes in memory, about."""
    return data.n_items * BYTES_PER_ITEM.get(data.kind, 8)


def everybody(method: Method, data: Data, engine: Engine) -> Data:
    """All people at once, in memory, for a method that needs them so; refused where they do not fit."""
    if data.in_memory:
        return data
    size = n_bytes(data)
    if engine.memory is not None and size > usable(engine.memory):
        raise too_large(method, size, engine.memory)
    return data.whole()


def too_large(method: Method, needed: int, limit: int) -> InputError:
    """The error for a method that needs everybody in memory, where everybody does not fit."""
    return InputError(
        f"anonymize: {method.id} with these options must see all people at once, which takes about {needed / 1e9:.1f} "
        f"GB of memory; the limit is {limit / 1e9:.1f} GB. Raise ‹memory_limit=›, publish fewer people or days, or use "
        f"a method that works in parts: {', '.join(methods_in_parts())}."
    )


def methods_in_parts() -> list[str]:
    """Methods that need not see everybody at once, as their example has them."""
    classes = {m: method_class(m) for m in METHODS}
    return [m for m, cls in classes.items() if not cls(**cls.example).needs_everybody]


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
        f"{memory / 2**30:.1f} GB of memory, judging by a measurement on another machine. {known.smaller}"
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

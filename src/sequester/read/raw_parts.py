"""Rows dealt out by person as they are: every file is then read by the very functions that read a whole table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.errors import InputError
from sequester.read.buckets import Buckets
from sequester.read.cells import NAMED, is_text, texts
from sequester.read.streams import Stream

ROW = "row of the source"
"""Column of a bucket: the number of the row, which tells the order of people over all parts."""


class Dealt(NamedTuple):
    """Files of raw rows, and how many rows there were."""

    buckets: list[Path]
    n_rows: int


def deal_rows(
    read: Stream,
    folder: Path,
    n: int,
    person: str,
    columns: list[str],
    by_file: bool,
    look: Callable[[Any], None] | None = None,
) -> Dealt:
    """Every row to the bucket of its person (rows without one to any), with its number in the source.

    `look` is shown every piece on the way.
    """
    n_rows = 0
    with Buckets(folder, n) as buckets:
        for file, piece in read.pieces():
            if look is not None:
                look(piece)
            who = texts(piece[person]).fill_null("")
            kept = {c: piece[c].combine_chunks() for c in dict.fromkeys((person, *columns))}
            numbers = pa.array(np.arange(n_rows, n_rows + len(piece)))
            buckets.deal(who, {ROW: numbers, **kept}, file if by_file else None)
            n_rows += len(piece)
        return Dealt(buckets.filled, n_rows)


def refuse_options(who: str, **given: tuple[Any, Any]) -> None:
    """Options that go through memory only: each as (usual, given)."""
    for name, (usual, found) in given.items():
        if found != usual:
            raise InputError(
                f"{who}: --{name} cannot be used with a memory limit, because such a source is not read in pieces. "
                "Leave one of them out."
            )


def require_a_format(head: Any, who: str, columns: list[str | None], form: str) -> None:
    """Which format reads most cells is known when all cells were read: then it is too late."""
    for name in columns:
        if name is not None and form == "auto" and is_text(head.schema.field(name).type):
            raise InputError(
                f"{who}: with a memory limit the file is read in pieces, so the format of column '{name}' must be "
                f"told. Pass ‹time_format=›: {', '.join(NAMED)}, or a pattern such as "
                "'%d.%m.%Y %H:%M'."
            )

"""Data larger than memory: reading it as parts, and which methods take them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sequester.engines import Engine
from sequester.errors import InputError
from sequester.kinds import KINDS, kind_named
from sequester.method import Method
from sequester.methods import METHODS, method_class
from sequester.model import Data, Parts


def read_parts(kind: str, source: Any, folder: str | Path, *, engine: Engine | None = None, **roles: Any) -> Parts:
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
    **roles
        As the reader of the kind takes them; and `by_file`, if every file is a part of whole people already.
    """
    room = kind_named(kind)
    if not room.parts_reader:
        able = ", ".join(k.name for k in KINDS.values() if k.parts_reader)
        raise InputError(
            f"read_parts: {kind} data is not read in parts; kinds that are: {able}. Leave ‹memory_limit=› out."
        )
    Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    read: Parts = room.load("parts_reader")(source, Path(folder), engine=engine or Engine(), **roles)
    return read


def require_in_parts(method: Method) -> None:
    """Refuse parts for a method that must see everybody at once."""
    if not method.in_parts:
        able = ", ".join(m for m in METHODS if method_class(m).in_parts)
        raise InputError(
            f"anonymize: {method.id} must see all people at once and cannot work in parts. Leave ‹memory_limit=› out "
            f"if the data fits into memory; in parts there are: {able}."
        )


def beyond_limit(method: Method, data: Data | Parts, engine: Engine | None) -> str:
    """A sentence, before the work, where a choice makes a method hold more in memory than the limit allows."""
    limit = engine.memory if engine is not None else None
    if limit is None or not isinstance(data, Parts) or not method.holds_rows or data.n_items <= limit:
        return ""
    return (
        f"with {method.holds_rows} {method.id} holds the rows of all people in memory, about {data.n_items / 1e9:.1f} "
        f"GB where the limit is {limit / 1e9:.1f} GB; without it they stay in files"
    )

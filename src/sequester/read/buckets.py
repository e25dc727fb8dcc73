"""Rows dealt out to files by their person, in pieces, so that each file fits into memory and holds whole people."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.engines.memory import usable
from sequester.errors import InputError, counted
from sequester.read.engine import computed, exact_path, own_engine

LEAST_MEMORY = 200 << 20
"""A limit below this is refused: the programs themselves need as much."""
MOST_PARTS = 1000
"""Files that are open at once."""


class Buckets:
    """Open files, one per part; a row goes to the file of its person's hash, or to the file it came from."""

    def __init__(self, folder: Path, n: int) -> None:
        self.folder, self.n = folder, n
        folder.mkdir(mode=0o700, exist_ok=True)
        self._open = ExitStack()
        self._writers: dict[int, Any] = {}

    def __enter__(self) -> Buckets:
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.close()

    def path(self, i: int) -> Path:
        """Where bucket *i* lies."""
        return self.folder / f"bucket-{i:05d}.arrow"

    @property
    def filled(self) -> list[Path]:
        """Buckets that hold anything."""
        return [self.path(i) for i in sorted(self._writers)]

    def deal(self, who: Any, columns: dict[str, Any], to: int | None = None) -> None:
        """Append rows: by the hash of `who`, or all of them to one bucket. Rows keep their order."""
        rows = pa.table(columns)
        if to is not None or self.n == 1:
            self._append(to or 0, rows)
            return
        part = computed({"p": who}, {"h": f"(hash(p) % {self.n})::usmallint"})["h"].to_numpy()
        order = np.argsort(part, kind="stable")  # a radix sort: the numbers are small
        dealt = rows.take(pa.array(order))
        cuts = np.searchsorted(part[order], np.arange(self.n + 1))
        for i in np.flatnonzero(np.diff(cuts)).tolist():
            self._append(i, dealt.slice(cuts[i], cuts[i + 1] - cuts[i]))

    def _append(self, i: int, rows: Any) -> None:
        if i not in self._writers:
            file = self._open.enter_context(pa.OSFile(str(self.path(i)), "wb"))
            self._writers[i] = self._open.enter_context(pa.ipc.new_stream(file, rows.schema))
        for batch in rows.combine_chunks().to_batches():
            self._writers[i].write_batch(batch)


def emptied(path: Path) -> Any:
    """The rows of a bucket as one table; the file is gone afterwards, so that scratch holds the data once."""
    with pa.OSFile(str(path), "rb") as file, pa.ipc.open_stream(file) as reader:
        rows = reader.read_all()
    path.unlink()
    return rows.combine_chunks()


def parts_for(n_bytes: int, memory: int | None, workers: int) -> int:
    """How many parts let all workers hold one each in half of what a limit leaves for data.

    A few more than workers in any case.
    """
    wanted = 2 * workers
    if memory is not None:
        wanted = max(wanted, -(-n_bytes * workers * 2 // max(usable(memory), 1)))
    return int(min(MOST_PARTS, max(1, wanted)))


def require_whole_people(paths: list[Path], who: str, memory: int | None, scratch: Path) -> None:
    """Refuse parts of which two hold the same person: what is clipped per person would be counted twice."""
    settings = {"temp_directory": str(scratch)}
    if memory is not None:
        settings["memory_limit"] = f"{max(memory // 2, LEAST_MEMORY)}B"
    connection = own_engine(settings=settings)
    try:
        listed = "[" + ", ".join(exact_path(p) for p in paths) + "]"
        twice = connection.sql(
            f"select count(*) from (select person from (select distinct person, filename from read_parquet({listed}, "
            "filename=true)) group by person having count(*) > 1)"
        ).fetchall()
    finally:
        connection.close()
    n_twice = int(twice[0][0])
    if n_twice:
        raise InputError(
            f"{who}: {counted(n_twice, 'person is', 'people are')} in more than one part. A part must hold whole "
            "people: put all rows of a "
            "person into one file, or leave ‹by_file=True› out and let the rows be dealt out."
        )

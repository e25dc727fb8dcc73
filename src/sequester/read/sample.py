"""A bounded sample of a source: at most a dozen files, some thousand rows, a few megabytes. Nothing else is opened.

The files of a folder are grouped by their columns. The largest group is the data; what is left over is named, never
read as one more recording.
"""

from __future__ import annotations

import gzip
import shutil
import zipfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sequester.errors import InputError
from sequester.read import memory
from sequester.read.column_facts import Column
from sequester.read.gather import fits, walked
from sequester.read.packed import LARGEST_BOOK, unpacked
from sequester.read.sample_tables import (
    CELLS,
    PROSE,
    ROWS,
    WHO,
    Table,
    first_bytes,
    from_arrow,
    json_rows,
    read_table,
    reads_like_prose,
    stretches,
    text_of_bytes,
)  # fmt: skip
from sequester.read.sniff import decoded, table_of
from sequester.read.table import DATABASES, DELIMITED, ENDINGS, JSON, PARQUET, SHEETS, SQLITE, ending
from sequester.read.word_files import WORD_FILES

FILES, BYTES = 12, 8 << 20
"""Files that are parsed, and bytes of all of them."""
GROUPED, FIRST_BYTES = 300, 1 << 14
"""Files whose first bytes are looked at to group them, and how many bytes."""


@dataclass
class Sample:
    """What a source shows at a first look."""

    source: Any
    path: Path | None
    files: list[Path] = field(default_factory=list)
    """All files of a folder that may hold data."""
    main: list[Path] = field(default_factory=list)
    """Those with the columns of most of them."""
    others: list[list[Path]] = field(default_factory=list)
    """Groups of other columns, or of no table at all."""
    table: Table | None = None
    prose: bool = False
    """Whether the files are documents, not tables."""
    encodings: tuple[str, ...] = ()
    pattern: str = ""
    """`--files` that takes the main files and no other; nothing where all are taken, None where no pattern can."""

    @cached_property
    def n_files(self) -> int:
        """Files of the data."""
        return len(self.main) if self.path is not None and self.path.is_dir() else 1

    @property
    def folders(self) -> list[str]:
        """First folders below the source in which the data lies."""
        assert self.path is not None
        inside = (p.relative_to(self.path).parts for p in self.main)
        return sorted({parts[0] for parts in inside if len(parts) > 1})


def sample_of(
    source: Any, *, files: str | None = None, table: str | None = None, encoding: str | None = None
) -> Sample:
    """Take a sample of a path, a folder or a table in memory."""
    if not isinstance(source, (str, Path)):
        return Sample(source, None, table=from_arrow(memory.load(source, WHO).table, None))
    path = Path(source)
    if not path.exists():
        raise InputError(f"{WHO}: '{path.name}' does not exist. Check the path.")
    if path.is_dir():
        return _folder(path, files, table, encoding)
    if files is not None:
        raise InputError(f"{WHO}: files= chooses files of a folder, and the source is none. Leave it out.")
    if path.stat().st_size == 0:
        raise InputError(f"{WHO}: '{path.name}' is empty. A header and at least one row are needed.")
    found = read_table(path, table, encoding, BYTES)
    return Sample(path, path, [path], [path], table=found, prose=found is None, encodings=_encodings([path], encoding))


def _folder(root: Path, files: str | None, table: str | None, encoding: str | None) -> Sample:
    known = (*ENDINGS, *PROSE, *WORD_FILES)
    found = [p for p in walked(root, WHO) if ending(p) in known and p.stat().st_size]
    if files is not None:
        found = [p for p in found if fits(p, root, files)]
    if not found:
        said = f" that fit '{files}'" if files else ""
        endings = Counter(p.suffix for p in walked(root, WHO))
        most = max(endings, key=lambda e: endings[e], default="")
        called = f"called *{most}" if most else "without an ending"
        hint = f"If its files {called} are text, rename them to *.txt" if endings else "Check the path"
        raise InputError(f"{WHO}: the folder '{root.name}' holds no tables and no texts{said}. {hint}.")
    if files is None and len(found) == 1 and ending(found[0]) in ENDINGS and ending(found[0]) not in PROSE:
        return sample_of(found[0], table=table, encoding=encoding)  # the folder is only where the table lies
    some = found[:: max(1, len(found) // GROUPED)][:GROUPED]
    groups: dict[Any, list[Path]] = defaultdict(list)
    for path in some:
        groups[_key(path, encoding)].append(path)
    main = max(groups.values(), key=lambda g: (len(g), sum(p.stat().st_size for p in g)))
    key = next(k for k, g in groups.items() if g is main)
    if len(found) > len(some) and len(groups) == 1:
        main = found
    elif len(found) > len(some):
        main = [p for p in found if (p in set(some) and p in main) or (p not in set(some) and _key(p, encoding) == key)]
    taken = set(main)
    others = [g for g in groups.values() if g[0] not in taken]
    out = Sample(root, root, found, sorted(main), others, encodings=_encodings(main, encoding))
    out.pattern = files or pattern_of(main, [p for p in found if p not in taken], root)
    if key == "prose":
        out.prose = True
        return out
    step = max(1, len(main) // FILES)
    parts = [read_table(p, table, encoding, BYTES // min(len(main), FILES)) for p in main[::step][:FILES]]
    out.table = _below_each_other([p for p in parts if p is not None and p.n])
    return out


def pattern_of(main: list[Path], others: list[Path], root: Path) -> str:
    """A pattern that fits all main files and none of the others; `?` where there is none."""
    if not others:
        return ""
    names = [p.name for p in main]
    last = "".join(main[0].suffixes[-2:]) if main[0].suffix == ".gz" else main[0].suffix
    prefix = _begin(names)
    suffix = _begin([n[::-1] for n in names])[::-1]
    tried = [names[0], f"{prefix}*{last}", f"{prefix}[0-9]*{last}", f"*{suffix}", f"*{last}", f"*/*{last}"]
    tried += [f"[!{p.name[0]}]*{last}" for p in others[:20]]
    folders = {p.relative_to(root).parts[0] for p in main if p.parent != root}
    tried += [f"{f}/*" for f in sorted(folders)] if len(folders) == 1 else []
    for pattern in tried:
        if all(fits(p, root, pattern) for p in main) and not any(fits(p, root, pattern) for p in others):
            return pattern
    return "?"


def _begin(names: list[str]) -> str:
    """What all names begin with."""
    low, high = min(names), max(names)
    return next((low[:i] for i, c in enumerate(low) if high[i : i + 1] != c), low)


def _encodings(paths: list[Path], encoding: str | None) -> tuple[str, ...]:
    if encoding is not None:
        return (encoding,)
    found = {}
    for path in paths[:: max(1, len(paths) // 40)][:40]:
        if ending(path) in (*DELIMITED, *PROSE):
            text = decoded(first_bytes(path, 1 << 20))
            if text is not None and not text[0].isascii():
                found[text[1]] = True
    return tuple(found) or ("utf-8",)


def _key(path: Path, encoding: str | None) -> Any:
    """What files of one group have in common: their columns, or that they are documents."""
    kind = ending(path)
    if kind in WORD_FILES or (kind in PROSE and kind not in DELIMITED):
        return "prose"
    if kind in PARQUET:
        try:
            return tuple(pq.read_schema(path).names)
        except (pa.ArrowException, OSError, ValueError):
            return "damaged"  # refused in a sentence if most files are
    if kind in (*DATABASES, *SQLITE, *SHEETS):
        return kind
    if kind in JSON:
        rows = json_rows(first_bytes(path, FIRST_BYTES * 4), 5)
        return tuple(rows[0]) if rows else path
    text = text_of_bytes(first_bytes(path, FIRST_BYTES), encoding)
    if text is None:
        return "binary"
    found = table_of(text[0], text[1], rows=100, whole=path.stat().st_size <= FIRST_BYTES)
    if found is None or (kind in PROSE and reads_like_prose(found)):
        return "prose"
    if not found.header:
        return ("numbers", len(found.names))
    return found.names


def _below_each_other(parts: list[Table]) -> Table | None:
    """Rows of several files of one group as one table; each cell knows its file."""
    if not parts:
        return None
    first = parts[0]
    names = [c.name for c in first.columns]
    parts = [p for p in parts if [c.name for c in p.columns] == names]
    per_file = max(200, ROWS // len(parts), CELLS // len(names) // len(parts))
    columns = []
    for i, c in enumerate(first.columns):
        cells = [cell for p in parts for cell in _both_ends(p.columns[i].cells, per_file)]
        columns.append(Column(c.name, cells, unit=c.unit, comma=c.comma))
    owner = np.repeat(np.arange(len(parts)), [min(p.n, per_file) for p in parts])
    for column in columns:
        column.owner = owner
    cut = any(p.cut or p.n > per_file for p in parts)
    position = np.concatenate(
        [_both_ends(np.r_[: p.n - p.n // 2, max(p.total, p.n) - p.n // 2 : max(p.total, p.n)], per_file) for p in parts]
    )
    return Table(
        first.path, columns, len(owner), first.written, cut, n_columns=first.n_columns,
        begun=[b for p in parts for b in p.begun], position=position,
        paths=[p.path for p in parts if p.path is not None],
    )  # fmt: skip


def _both_ends(cells: Any, n: int) -> Any:
    """The first and the last cells: a recording is as long as from one to the other."""
    return cells if len(cells) <= n else [*cells[: n - n // 2], *cells[-(n // 2) :]]


def copied(sample: Sample, folder: Path, *, every_file: bool = False) -> Path:
    """A small copy of a source for a trial: a dozen files of it, each cut to its share, under the names they have."""
    assert sample.path is not None
    root = sample.path
    if root.is_file():
        out = folder / root.name
        _copy(root, out, BYTES)
        return out
    step = 1 if every_file and len(sample.files) <= 4 * FILES else max(1, len(sample.main) // FILES)
    chosen = sample.files if step == 1 and every_file else sample.main[::step][:FILES]
    for path in chosen:
        out = folder / root.name / path.relative_to(root)
        out.parent.mkdir(parents=True, exist_ok=True)
        _copy(path, out, BYTES // max(1, len(chosen)))
    return folder / root.name


def _copy(path: Path, out: Path, n: int) -> None:
    """The first bytes of a text, unpacked for that; of what cannot be cut all of it, if that is not too much."""
    packed, text = path.suffix.lower(), ending(path) in (*DELIMITED, *JSON, *PROSE) and ending(path) != ".json"
    if packed == ".zip":
        with unpacked(path, WHO, n) as inside, zipfile.ZipFile(out, "w") as archive:
            archive.writestr(inside.name, _whole_lines(inside.read_bytes()) if text else inside.read_bytes())
    elif packed == ".gz" and text:
        out.write_bytes(gzip.compress(_whole_lines(first_bytes(path, n)), 1))
    elif text:
        out.write_bytes(stretches(path, n)[0])
    elif path.stat().st_size > LARGEST_BOOK:
        raise InputError(f"{WHO}: '{path.name}' is too large for a trial.")
    else:
        shutil.copyfile(path, out)


def _whole_lines(raw: bytes) -> bytes:
    return raw[: raw.rfind(b"\n") + 1] or raw

"""Boxes: a range per record and time, with or without a pattern (`kapra`, `kp-naive`, `tga` without drawing)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar
from weakref import finalize, ref

import numpy as np
import pyarrow as pa

from sequester.errors import BundleError

T = TypeVar("T")


def read_once(read: Callable[[Any, Any], T]) -> Callable[[Any, Any], T]:
    """A reading of a claim's tables that is kept as long as these very tables are: pages and measures ask again."""
    kept: dict[int, tuple[list[ref[Any]], T]] = {}

    @wraps(read)
    def known(cls: Any, claim: Any) -> T:
        tables = list(getattr(claim, "tables", claim).values())
        key = id(tables[0])
        before = [one() for one in kept[key][0]] if key in kept else []
        if len(before) != len(tables) or any(one is not now for one, now in zip(before, tables, strict=True)):
            finalize(tables[0], kept.pop, key, None).atexit = False
            kept[key] = ([ref(table) for table in tables], read(cls, claim))
        return kept[key][1]

    return known


FIXED = ("record", "group", "pattern", "level")


@dataclass(frozen=True, kw_only=True)
class Boxes:
    """One released row per record. Tables: `records`, `columns`, and where needed `times`, `alphabet`, `withheld`."""

    record: np.ndarray
    group: np.ndarray
    times: tuple[str, ...]
    """Times whose ranges are shown."""
    lo: np.ndarray
    hi: np.ndarray
    """Records x shown times."""
    pattern: np.ndarray | None = None
    """Words, or None where no pattern is shown; then there is no level either."""
    level: np.ndarray | None = None
    sensitive: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Columns beside the series: numbers with NaN, or text with None."""
    all_times: tuple[str, ...] = ()
    """All times in order, those without a range too."""
    letters_at: tuple[str, ...] = ()
    """Times whose letters are shown, in the order of the letters."""
    alphabet: tuple[str, ...] = ()
    """For alphabetical sequences: what value i stands for."""
    withheld: Mapping[str, int] | None = None
    """Sensitive column → records whose value is not shown; None where nothing is promised about it."""

    @property
    def customised(self) -> bool:
        """Whether ranges or letters are shown at some times only."""
        return self.times != self.all_times or (self.pattern is not None and self.letters_at != self.all_times)

    @classmethod
    @read_once
    def read(cls, claim: Any) -> Boxes:
        """The tables of a claim, or a mapping of tables, as arrays."""
        tables = getattr(claim, "tables", claim)
        table = tables["records"]
        names = table.column_names
        times = tuple(c[:-3] for c in names if c.endswith("_lo") and f"{c[:-3]}_hi" in names)
        ranges = {f"{t}{end}" for t in times for end in ("_lo", "_hi")}
        all_times, letters_at = times, times
        if "times" in tables:
            all_times = tuple(tables["times"].column("time").to_pylist())
            place = zip(tables["times"].column("letter").to_pylist(), all_times, strict=True)
            letters_at = tuple(t for at, t in sorted((at, t) for at, t in place if at))
        kept = tables.get("withheld")
        return cls(
            record=table.column("record").to_numpy(),
            group=table.column("group").to_numpy() if "group" in names else np.ones(table.num_rows, dtype=np.int64),
            times=times,
            lo=matrix(table, [f"{t}_lo" for t in times]),
            hi=matrix(table, [f"{t}_hi" for t in times]),
            pattern=np.array(table.column("pattern").to_pylist(), dtype=object) if "pattern" in names else None,
            level=table.column("level").to_numpy() if "level" in names else None,
            sensitive={c: from_arrow(table.column(c)) for c in names if c not in FIXED and c not in ranges},
            all_times=all_times,
            letters_at=letters_at,
            alphabet=tuple(tables["alphabet"].column("letter").to_pylist()) if "alphabet" in tables else (),
            withheld=None if kept is None else dict(zip(*kept.to_pydict().values(), strict=True)),
        )

    def tables(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"record": self.record, "group": self.group}
        for j, t in enumerate(self.times):
            columns[f"{t}_lo"], columns[f"{t}_hi"] = self.lo[:, j], self.hi[:, j]
        if self.pattern is not None:
            columns["pattern"], columns["level"] = pa.array(self.pattern.tolist(), pa.string()), self.level
        columns |= {name: to_arrow(column) for name, column in self.sensitive.items()}
        out = {"records": pa.table(columns), "columns": roles(list(columns), self.times, tuple(self.sensitive))}
        if self.alphabet:
            out["alphabet"] = alphabet_table(self.alphabet)
        if self.customised:
            out["times"] = times_table(self.all_times, self.letters_at)
        if self.withheld is not None:
            counts = pa.array(list(self.withheld.values()), pa.int64())
            out["withheld"] = pa.table({"column": pa.array(list(self.withheld), pa.string()), "records": counts})
        return out


def matrix(table: Any, names: list[str]) -> np.ndarray:
    """Columns of numbers side by side; missing is NaN."""
    if not names:
        return np.empty((table.num_rows, 0))
    odd = next((n for n in names if not _numeric(table.schema.field(n).type)), None)
    if odd is not None:
        raise BundleError(f"open: column '{odd}' holds no numbers. Get an intact copy.")
    return np.column_stack([np.asarray(table.column(n).to_numpy(), dtype=np.float64) for n in names])


def _numeric(found: pa.DataType) -> bool:
    return bool(pa.types.is_floating(found) or pa.types.is_integer(found) or pa.types.is_null(found))


def from_arrow(column: Any) -> np.ndarray:
    """A sensitive column as the model has it: float64 with NaN, or text with None."""
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return np.array([np.nan if v is None else float(v) for v in column.to_pylist()])
    return np.array(column.to_pylist(), dtype=object)


def to_arrow(column: np.ndarray) -> Any:
    """A sensitive column as Arrow: missing is null."""
    if column.dtype == object:
        return pa.array(column.tolist(), pa.string())
    return pa.array(column, pa.float64(), from_pandas=True)


def times_table(times: tuple[str, ...], letters_at: tuple[str, ...]) -> Any:
    """Names of all times in order, and where in a pattern each one's letter stands (null: not published)."""
    letter = [letters_at.index(t) + 1 if t in letters_at else None for t in times]
    return pa.table({"time": pa.array(list(times), pa.string()), "letter": pa.array(letter, pa.int64())})


def roles(names: list[str], times: tuple[str, ...], sensitive: tuple[str, ...]) -> Any:
    """The role of every column of `records`, so that nothing is released that is not accounted for."""
    known = {"record": "number"} | dict.fromkeys(times, "value")
    known |= {f"{t}_lo": "low" for t in times} | {f"{t}_hi": "high" for t in times}
    known |= dict.fromkeys(sensitive, "sensitive")
    role = [known.get(name, name) for name in names]  # group, pattern and level are named after their role
    return pa.table({"name": pa.array(names, pa.string()), "role": pa.array(role, pa.string())})


def alphabet_table(letters: tuple[str, ...]) -> Any:
    """What the numbers of an alphabetical sequence stand for."""
    return pa.table({"value": pa.array(range(len(letters)), pa.int64()), "letter": list(letters)})

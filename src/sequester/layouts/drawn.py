"""Drawn: a value per record and time, drawn from its group's box (`tga`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.layouts.boxes import alphabet_table, from_arrow, matrix, roles, times_table, to_arrow


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """One released row per record. Tables: `records`, `columns`, `times`, and where needed `alphabet`."""

    record: np.ndarray
    times: tuple[str, ...]
    values: np.ndarray
    """Records x times."""
    sensitive: Mapping[str, np.ndarray] = field(default_factory=dict)
    alphabet: tuple[str, ...] = ()

    @classmethod
    def read(cls, claim: Any) -> Drawn:
        """The tables of a claim, or a mapping of tables, as arrays."""
        tables = getattr(claim, "tables", claim)
        table, times = tables["records"], tuple(tables["times"].column("time").to_pylist())
        beside = [c for c in table.column_names if c != "record" and c not in times]
        return cls(
            record=table.column("record").to_numpy(),
            times=times,
            values=matrix(table, list(times)),
            sensitive={c: from_arrow(table.column(c)) for c in beside},
            alphabet=tuple(tables["alphabet"].column("letter").to_pylist()) if "alphabet" in tables else (),
        )

    def tables(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"record": self.record} | {t: self.values[:, j] for j, t in enumerate(self.times)}
        columns |= {name: to_arrow(column) for name, column in self.sensitive.items()}
        stated = roles(list(columns), self.times, tuple(self.sensitive))
        out = {"records": pa.table(columns), "columns": stated, "times": times_table(self.times, ())}
        return out | ({"alphabet": alphabet_table(self.alphabet)} if self.alphabet else {})

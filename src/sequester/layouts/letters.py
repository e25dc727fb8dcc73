"""Letters: a sequence of letters per record, which may end early (`bfp2ka`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class Letters:
    """One released row per record. Tables: `sequences`, `alphabet`."""

    record: np.ndarray
    sequences: list[tuple[str, ...]]
    letters: tuple[str, ...]
    stands_for: np.ndarray
    """The value behind every letter."""

    @classmethod
    def read(cls, claim: Any) -> Letters:
        """The tables of a claim, or a mapping of tables, as arrays."""
        tables = getattr(claim, "tables", claim)
        table, alphabet = tables["sequences"], tables["alphabet"]
        return cls(
            record=table.column("record").to_numpy(),
            sequences=[tuple(s.split(" ")) if s else () for s in table.column("sequence").to_pylist()],
            letters=tuple(alphabet.column("letter").to_pylist()),
            stands_for=np.asarray(alphabet.column("value").to_numpy(), dtype=np.float64),
        )

    def tables(self) -> dict[str, Any]:
        """As they are published."""
        text = pa.array([" ".join(s) for s in self.sequences], pa.string())
        names = pa.array(list(self.letters), pa.string())
        return {
            "sequences": pa.table({"record": self.record, "sequence": text}),
            "alphabet": pa.table({"value": pa.array(self.stands_for, pa.float64()), "letter": names}),
        }

    def values(self) -> np.ndarray:
        """Records x positions: the value behind every letter up to the sequence's end, nothing (NaN) after it."""
        value = dict(zip(self.letters, self.stands_for.tolist(), strict=True))
        out = np.full((len(self.sequences), max((len(s) for s in self.sequences), default=0)), np.nan)
        for i, s in enumerate(self.sequences):
            out[i, : len(s)] = [value[c] for c in s]
        return out

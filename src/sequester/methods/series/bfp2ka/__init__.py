"""BF-P2kA: prune rare branches of a prefix tree, re-insert by longest common subsequence (after Pensa et al. 2008)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.errors import InputError, counted
from sequester.guarantees.k_support import k_support
from sequester.layouts.grams import Letters
from sequester.method import Method
from sequester.methods.series.bfp2ka.kernels.prefix_prune import prune_and_reinsert
from sequester.methods.series.shared.panel import whole_panel
from sequester.model import Data, Parts, Series
from sequester.options import option
from sequester.papers import SERIES
from sequester.primitives import sax
from sequester.release import Guarantee, Release


@dataclass(frozen=True, kw_only=True)
class BFP2KA(Method):
    """Release sequences of letters every part of which occurs in at least k released ones. A baseline.

    *Guarantee*: k-support, re-checked from the release alone. Numbers are first turned into SAX words.
    """

    k: int = option(low=2)
    """Released sequences that contain any part of a released one, at least 2."""
    level: int = option(20, low=2, high=26, level="everyday")
    """SAX alphabet for numeric series, 2..26; alphabetical sequences keep their letters."""
    missing: Literal["refuse", "drop", "fill"] = option("refuse", level="everyday")
    """Records with missing values: refuse the data, drop those records, or fill by straight lines in time."""
    gap: int = option(2, low=1, needs={"missing": ("fill",)})
    """Missing values one after the other that are filled at most; a record with a longer gap is dropped."""
    unit: Literal["person", "record"] = option("person", level="everyday")
    """Count people (each must have one record) or records."""

    id: ClassVar[str] = "bfp2ka"
    accepts: ClassVar[type] = Series
    paper: ClassVar[str] = SERIES
    layout = "letters"
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "level": 3}
    for_odd_data = MappingProxyType({"repeated": {"unit": "record"}, "missing": {"missing": "drop"}})
    baseline: ClassVar[bool] = True

    def idle(self, data: Data | Parts | None = None) -> Mapping[str, str]:
        """Letters stay as they are."""
        more = {"level": "numbers, and this data has letters"} if getattr(data, "letters", ()) else {}
        return {**super().idle(data), **more}

    @property
    def guarantee(self) -> Guarantee:
        """Support k of everything released."""
        return k_support(k=self.k, unit=self.unit)

    def apply(self, data: Series, *, rng: Randomness, engine: Engine) -> Release:
        """Words, prefix tree, cut below k, re-insert; one released row per sequence that found a path."""
        panel = whole_panel(self, data, k=self.k, unit=self.unit, missing=self.missing, gap=self.gap)
        if data.letters:
            if not np.array_equal(panel.values, np.round(panel.values)):
                raise InputError("BFP2KA: filled values fall between letters. Pass ‹missing='drop'›.")
            symbols, names = panel.values.astype(np.int64), list(data.letters)
            stands_for = [float(i) for i in range(len(names))]
        else:
            symbols = sax.sax(sax.z_normalize(panel.values), self.level).astype(np.int64)
            names, stands_for = list(sax.ALPHABET[: self.level]), sax.cell_middles(self.level).tolist()
        lengths = np.full(len(symbols), symbols.shape[1])
        node, tree, tree_lengths = prune_and_reinsert(symbols, lengths, self.k)
        kept = np.flatnonzero(node >= 0)
        if not len(kept):
            raise InputError(
                f"BFP2KA: no whole sequence occurs k={counted(self.k, 'time')}, so every branch of the tree is cut. "
                "Lower k or level, or use kapra."
            )
        shown = kept[rng.secret.permutation(len(kept))]
        paths = [tuple(names[s] for s in path[:n]) for path, n in zip(tree, tree_lengths, strict=True)]
        numbers = np.arange(1, len(shown) + 1)
        found = Letters(
            record=numbers,
            sequences=[paths[node[i]] for i in shown],
            letters=tuple(names),
            stands_for=np.array(stands_for, dtype=np.float64),
        )
        lost = np.flatnonzero(node < 0)
        rows = np.concatenate([panel.rows[lost], panel.dropped]).astype(np.int64)
        why = ["nothing in common with a frequent path"] * len(lost) + ["missing values"] * len(panel.dropped)
        private = {
            "origin": pa.table(
                {
                    "record": numbers,
                    "row": panel.rows[shown] + 1,
                    "person": pa.array(data.persons[panel.rows[shown]].tolist(), pa.string()),
                }
            ),
            "suppressed": pa.table(
                {
                    "row": pa.array(rows + 1, pa.int64()),
                    "person": pa.array(data.persons[rows].tolist(), pa.string()),
                    "why": pa.array(why, pa.string()),
                }
            ),
        }
        return Release(
            tables=found.tables(),
            guarantee=self.guarantee,
            method=self,
            private=private,
            reading=(*data.reading, *panel.facts),
            notes=panel.notes,
        )

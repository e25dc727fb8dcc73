"""The naive way to (k,P)-anonymity (Shou et al. 2013, Section 5.2): groups by value first, patterns inside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.guarantees.kp_anonymity import kp_anonymity
from sequester.methods.series.shared.kernels import tree as kp_tree
from sequester.methods.series.shared.kernels.greedy_partition import greedy_partition
from sequester.methods.series.shared.kp_method import KPMethod
from sequester.methods.series.shared.panel import whole_panel
from sequester.methods.series.shared.records_table import ends_fact, released_tables
from sequester.methods.series.shared.subgroups import Subgroups
from sequester.model import Series
from sequester.papers import SERIES
from sequester.primitives import sax
from sequester.primitives.sax import word_keys, z_normalize
from sequester.release import Guarantee, Note, Release


@dataclass(frozen=True, kw_only=True)
class KPNaive(KPMethod):
    """Narrow value ranges for k people; patterns shared by p of them, some of them borrowed and false.

    *Guarantee*: the counts of (k,P)-anonymity. A pattern need not be true of its record.
    """

    id: ClassVar[str] = "kp-naive"
    accepts: ClassVar[type] = Series
    paper: ClassVar[str] = SERIES
    layout = "boxes"
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "p": 3}

    @property
    def guarantee(self) -> Guarantee:
        """(k,P)-anonymity with patterns that may be borrowed."""
        return kp_anonymity(k=self.k, p=self.p, unit=self.unit, pattern_of="neighbour", ends=self.ends)

    def apply(self, data: Series, *, rng: Randomness, engine: Engine) -> Release:
        """Partition by value with at least k, then split every part by words; bad leaves join the most similar."""
        return self._made(data, None, rng)

    def apply_in_groups(self, data: Series, groups: np.ndarray, *, rng: Randomness, engine: Engine) -> Release:
        """Parts as they were; newcomers are partitioned among themselves."""
        return self._made(data, groups, rng)

    def _made(self, data: Series, kept: np.ndarray | None, rng: Randomness) -> Release:
        panel = whole_panel(self, data, k=self.k, unit=self.unit, missing=self.missing, gap=self.gap)
        z = z_normalize(panel.values, ddof=int(self.std == "sample"))
        if kept is None:
            part = greedy_partition(panel.values, self.k)
        else:
            part = np.array(kept[panel.rows])
            new = np.flatnonzero(part == -1)
            if len(new):
                part[new] = part.max() + 1 + greedy_partition(np.ascontiguousarray(panel.values[new]), self.k)
            _, part = np.unique(part, return_inverse=True)
        subgroups, group, borrowed = self._split_parts(z, word_keys(z, self.max_level), part)
        sensitive = {name: column[panel.rows] for name, column in data.sensitive.items()}
        tables, private, step, invented = released_tables(
            data, panel, subgroups, group, sensitive,
            rng=rng, values_of=data.times, patterns_of=data.times, step=self.ends_step, borrowed=borrowed,
        )  # fmt: skip
        return Release(
            tables=tables,
            guarantee=self.guarantee,
            method=replace(self, ends_step=step),
            private=private,
            reading=(*data.reading, ends_fact(step, self.ends_step), *(i.fact for i in invented)),
            notes=tuple(Note("invented", f"{i}.") for i in invented),
        )

    def _split_parts(self, z: np.ndarray, keys: np.ndarray, part: np.ndarray) -> Any:
        of = np.empty(len(z), dtype=np.int64)
        borrowed = np.zeros(len(z), dtype=bool)
        levels: list[int] = []
        letters: list[np.ndarray] = []
        group: list[int] = []
        order = np.argsort(part, kind="stable")
        starts = np.searchsorted(part[order], np.arange(part.max() + 2))
        for g in range(len(starts) - 1):
            ids = order[starts[g] : starts[g + 1]]
            leaf, level, good = kp_tree.split_by_word(keys, self.p, ids)
            members = [ids[leaf == i] for i in range(len(level))]
            leaves = []
            for i in np.flatnonzero(good):
                v = int(level[i])
                word = sax.sax(z[members[i][0]], v)
                leaves.append([members[i], v, word, sax.reconstruct(word[None], v)[0]])
            bad = sorted(np.flatnonzero(~good), key=lambda i: (len(members[i]), members[i][0]))
            for i in bad:
                v = int(level[i])
                shape = sax.reconstruct(sax.sax(z[members[i][0]], v)[None], v)[0]
                best = max(leaves, key=lambda x: (round(_likeness(shape, x[3]), 12), -len(x[0])))
                best[0] = np.concatenate([best[0], members[i]])
                borrowed[members[i]] = True
            for m, v, word, _ in leaves:
                of[m] = len(levels)
                levels.append(v)
                letters.append(word)
                group.append(g)
        # a borrowed word may happen to be the record's own
        level_of = np.array(levels)[of]
        for v in np.unique(level_of[borrowed]):
            rows = np.flatnonzero(borrowed & (level_of == v))
            shown = np.array([letters[s] for s in of[rows]])
            borrowed[rows[(sax.sax(z[rows], int(v)) == shown).all(axis=1)]] = False
        return Subgroups(of, np.array(levels), letters), np.array(group), borrowed


def _likeness(a: np.ndarray, b: np.ndarray) -> float:
    """Pearson correlation; 0 if one side has no shape."""
    a, b = a - a.mean(), b - b.mean()
    norm = float((a @ a) * (b @ b)) ** 0.5
    return float(a @ b) / norm if norm > 1e-12 else 0.0

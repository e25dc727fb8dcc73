"""k-anonymous n-gram tables of symbolized series (Pajoohan 2016), and the variant that counts people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sequester.errors import InputError
from sequester.guarantees.ngram_persons import ngram_persons
from sequester.guarantees.ngram_table import ngram_table
from sequester.method import Method
from sequester.methods.ngrams.shared.tables import ngram_rows, owners, require_grams
from sequester.model import SymbolSeries
from sequester.papers import NGRAMS
from sequester.release import Guarantee, Release

if TYPE_CHECKING:
    from sequester.dp.randomness import Randomness
    from sequester.engines import Engine


@dataclass(frozen=True, kw_only=True)
class NgramK(Method):
    """Publish how often every n-gram occurs, with no count below k (or no gram of fewer than k people)."""

    k: int
    """Smallest count a published gram may have; with unit=person the smallest number of people, at least 2."""
    n: int = 3
    """Longest gram; all shorter ones are published too."""
    unit: Literal["occurrence", "person"] = "occurrence"
    """occurrence: lift rare grams to k, as the paper does. person: suppress grams of fewer than k people."""
    mode: Literal["repaired", "literal"] = "repaired"
    """repaired: the running count tells what is missing, short series are swept. literal: the paper's listing."""
    frequencies: Literal["running", "original"] = "running"
    """Which counts decide how an addition is shared among the neighbours of a rare gram."""
    apportion: Literal["integer", "fraction"] = "integer"
    """integer: whole units by largest remainder. fraction: fractions while lifting, rounded down at the end."""
    cap: int | None = None
    """With unit=person: most that one person adds to the count of a gram."""

    id: ClassVar[str] = "ngram-k"
    accepts: ClassVar[type] = SymbolSeries
    paper: ClassVar[str] = NGRAMS
    layout = "grams"
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "n": 3}

    def __post_init__(self) -> None:
        self.require("k", 2, why="A count of 1 hides nothing.")
        self.require("n", 1)
        self.require_choice("unit", ("occurrence", "person"))
        self.require_choice("mode", ("repaired", "literal"))
        self.require_choice("frequencies", ("running", "original"))
        self.require_choice("apportion", ("integer", "fraction"))
        if self.unit == "person":
            odd = [
                f"{name}={value}"
                for name, value, usual in (
                    ("mode", self.mode, "repaired"),
                    ("frequencies", self.frequencies, "running"),
                    ("apportion", self.apportion, "integer"),
                )
                if value != usual
            ]
            if odd:
                raise self.refuse(f"{', '.join(odd)} tells how counts are lifted, but unit=person lifts none. Drop it.")
            if self.cap is not None:
                self.require("cap", 1)
        elif self.cap is not None:
            raise self.refuse(f"cap={self.cap} limits what one person adds; it needs unit=person.")

    @property
    def guarantee(self) -> Guarantee:
        """Counts of at least k, or grams of at least k people."""
        if self.unit == "person":
            return ngram_persons(self.k, self.n, self.cap)
        return ngram_table(self.k, self.n)

    def apply(self, data: SymbolSeries, *, rng: Randomness, engine: Engine) -> Release:
        """Count, then lift or suppress."""
        require_grams(data, self.n)
        return self._shared(data) if self.unit == "person" else self._lifted(data, engine)

    def _lifted(self, data: SymbolSeries, engine: Engine) -> Release:
        import pyarrow as pa

        from sequester.primitives.ngram_lift import lift, round_down
        from sequester.primitives.ngrams import count_tables

        before = count_tables(data.symbols, data.offsets, self.n, len(data.alphabet), threads=engine.threads)
        done = lift(
            before,
            self.k,
            literal=self.mode == "literal",
            frequencies=self.frequencies,
            fractions=self.apportion == "fraction",
            sweep=self.mode == "repaired",
        )
        after = round_down(done.tables, before) if self.apportion == "fraction" else done.tables
        added = int(after[-1].counts.sum() - before[-1].counts.sum())
        account = {"rare": [done.n_rare], "lifted": [done.n_lifted], "added": [added], "swept": [done.n_swept]}
        return Release(
            tables={"ngrams": ngram_rows(after, data.alphabet)},
            guarantee=self.guarantee,
            method=self,
            private={"account": pa.table(account)},
        )

    def _shared(self, data: SymbolSeries) -> Release:
        from sequester.primitives.ngrams import count_owned, derive_lower

        self.require_people(data, self.k)
        found = count_owned(data.symbols, data.offsets, owners(data), self.n, len(data.alphabet), cap=self.cap)
        shared = found.owners >= self.k
        if not shared.any():
            raise InputError(
                f"anonymize: none of {len(shared)} {self.n}-grams occurs in the series of k={self.k} people. "
                "Lower k or n, or use fewer symbols."
            )
        codes, counts = found.grams.codes, found.grams.counts
        published = derive_lower(found.grams._replace(codes=codes[shared], counts=counts[shared]))
        hidden = found.grams._replace(codes=codes[~shared], counts=counts[~shared])
        suppressed = ngram_rows([hidden], data.alphabet).append_column("people", [found.owners[~shared]])
        return Release(
            tables={"ngrams": ngram_rows(published, data.alphabet)},
            guarantee=self.guarantee,
            method=self,
            private={"suppressed": suppressed},
        )

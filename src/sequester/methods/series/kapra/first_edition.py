"""`kapra` as manifests of the first edition state it: exact ends, and sensitive values changed for diversity."""

from __future__ import annotations

from dataclasses import dataclass

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.errors import InputError
from sequester.guarantees.kp_anonymity import first_edition
from sequester.methods.series.kapra import Kapra
from sequester.model import Series
from sequester.release import Guarantee, Release


@dataclass(frozen=True, kw_only=True)
class FirstKapra(Kapra):
    """Only read back from a manifest, so that its bundle can be verified and attacked."""

    ends_step: float | None = 0.0
    tolerance: float | None = None
    """How far a numeric sensitive value was moved at most."""

    @property
    def form(self) -> str:
        """The kind of pattern in use; the default was another one."""
        if self.pattern is not None:
            return self.pattern
        return "own-word" if self.publish_values or self.publish_patterns else "own-word-paa"

    @property
    def guarantee(self) -> Guarantee:
        """The promise of that time, word for word."""
        of = "subgroup" if self.form == "prototype" else "record"
        return first_edition(k=self.k, p=self.p, unit=self.unit, pattern_of=of, l=self.l, tolerance=self.tolerance)

    def apply(self, data: Series, *, rng: Randomness, engine: Engine) -> Release:
        """As at that time, except that values are no longer changed."""
        if self.l is not None:
            raise InputError("kapra: diversity as in the first edition changed values, which is no longer done.")
        return super().apply(data, rng=rng, engine=engine)

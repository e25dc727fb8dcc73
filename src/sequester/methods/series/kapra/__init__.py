"""KAPRA: (k,P)-anonymity for numeric series (Shou et al. 2013, Algorithms 1-3), and three ways to lose less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sequester.errors import InputError
from sequester.guarantees.kp_anonymity import kp_anonymity
from sequester.methods.series.shared.kp_method import KPMethod
from sequester.model import Series
from sequester.papers import SERIES
from sequester.release import Guarantee, Release

if TYPE_CHECKING:
    import numpy as np

    from sequester.dp.randomness import Randomness
    from sequester.engines import Engine
    from sequester.methods.series.shared.subgroups import Subgroups


@dataclass(frozen=True, kw_only=True)
class Kapra(KPMethod):
    """Share value ranges among k people and patterns among p of them.

    *Guarantee*: (k,P)-anonymity, re-checked by `verify` from the released rows alone.

    *Reference*: Shou, Shang, Chen, Chen, Zhang, IEEE TKDE 25(4), 2013. *Departures*: see `kapra.md`.
    """

    pattern: Literal["own-word-paa", "own-word", "prototype", "literal"] | None = None
    """What a pattern is: `own-word-paa` (the record's own SAX word, of the series or of segment means; the default), `own-word` (one letter per time; the default with customised publishing), `prototype` (the average shape of at least p records), `literal` (the paper's procedure)."""  # noqa: E501
    weight: float = 1.0
    """Price of pattern loss in units of the value range: more keeps patterns finer and envelopes wider; `literal` has no such choice."""  # noqa: E501
    maximise: Literal["consecutive", "any"] = "consecutive"
    """For `literal`: raise a subgroup's level while its words stay equal (the paper), or to the highest level at which they are equal."""  # noqa: E501
    l: int | None = None  # noqa: E741
    """l-diversity: no sensitive value is held by more than one in l of those who share a pattern, 2..p."""
    tolerance: float | None = None
    """How far a numeric sensitive value may be moved for l-diversity, in its own unit."""
    publish_values: tuple[str, ...] = ()
    """Times whose value ranges are released; all by default."""
    publish_patterns: tuple[str, ...] = ()
    """Times whose pattern letters are released; all by default."""

    id: ClassVar[str] = "kapra"
    accepts: ClassVar[type] = Series
    paper: ClassVar[str] = SERIES
    layout = "boxes"
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "p": 3}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pattern is not None:
            self.require_choice("pattern", ("own-word-paa", "own-word", "prototype", "literal"))
        self.require("weight", 0.0)
        if self.l is not None:
            self.require("l", 2)
            if self.l > self.p:
                raise self.refuse(
                    f"l must lie in 2..p, got l={self.l} with p={self.p}. "
                    "A subgroup of p people can hold at most p different values."
                )
        if self.tolerance is not None:
            self.require("tolerance", 0.0)
            if self.l is None or self.tolerance == 0:
                raise self.refuse(
                    f"tolerance must be above 0 and needs l, got tolerance={self.tolerance!r} with l={self.l!r}."
                )
        self._check_publishing()

    def _check_publishing(self) -> None:
        values, patterns = set(self.publish_values), set(self.publish_patterns)
        for option in ("publish_values", "publish_patterns"):
            if len(set(getattr(self, option))) < len(getattr(self, option)):
                raise self.refuse(f"{option} names a time twice.")
        if values and patterns and not values & patterns:
            raise self.refuse(
                "publish_values and publish_patterns share no time; missing ranges and letters could not be estimated "
                "from each other. Publish at least one time in both."
            )
        if (values or patterns) and self.pattern in ("prototype", "own-word-paa"):
            raise self.refuse(
                f"pattern='{self.pattern}' cannot be combined with publish_values or publish_patterns: bounds on "
                "unpublished values hold only for a record's own letter per time. Pass pattern='own-word'."
            )

    @property
    def form(self) -> str:
        """The kind of pattern in use."""
        if self.pattern is not None:
            return self.pattern
        return "own-word" if self.publish_values or self.publish_patterns else "own-word-paa"

    @property
    def guarantee(self) -> Guarantee:
        """(k,P)-anonymity, with l-diversity if asked for."""
        pattern_of = "subgroup" if self.form == "prototype" else "record"
        return kp_anonymity(
            k=self.k, p=self.p, unit=self.unit, pattern_of=pattern_of, l=self.l, tolerance=self.tolerance
        )

    def apply(self, data: Series, *, rng: Randomness, engine: Engine) -> Release:
        """Subgroups of equal patterns first, then groups of close values made of whole subgroups."""
        from sequester.methods.series.kapra.diversity import diversify
        from sequester.methods.series.shared.panel import whole_panel
        from sequester.methods.series.shared.records_table import released_tables, visible_cells

        values_of, patterns_of = self._published(data)
        panel = whole_panel(self, data, k=self.k, unit=self.unit, missing=self.missing)
        with engine.progress("kapra", None):
            subgroups, group = self._grouped(panel.values)
        sensitive = {name: column[panel.rows] for name, column in data.sensitive.items()}
        changed = {}
        if self.l is not None:
            cells = visible_cells(subgroups, group, data.times, patterns_of)
            kept = cells >= 0
            for name, column in sensitive.items():
                new, at = diversify(column[kept], cells[kept], self.l, self.tolerance, rng.secret, name)
                sensitive[name], changed[name] = column.copy(), kept.copy()
                sensitive[name][kept], changed[name][kept] = new, at
        tables, private = released_tables(
            data, panel, subgroups, group, sensitive,
            rng=rng, values_of=values_of, patterns_of=patterns_of,
            with_segments=self.form == "own-word-paa", changed=changed,
        )  # fmt: skip
        return Release(tables=tables, guarantee=self.guarantee, method=self, private=private)

    def _published(self, data: Series) -> tuple[tuple[str, ...], tuple[str, ...]]:
        out = []
        for option in ("publish_values", "publish_patterns"):
            asked = getattr(self, option)
            unknown = [name for name in asked if name not in data.times]
            if unknown:
                from sequester.errors import nearest

                close = nearest(unknown[0], data.times)
                hint = f" Did you mean '{close}'?" if close else ""
                raise InputError(f"Kapra: {option} names '{unknown[0]}', which is not a time of the data.{hint}")
            out.append(tuple(t for t in data.times if t in asked) or data.times)
        nowhere = [t for t in data.times if t not in out[0] and t not in out[1]]
        if nowhere:
            raise InputError(
                f"Kapra: '{nowhere[0]}' would be released neither as a range nor as a letter, yet shape the patterns. "
                "Leave it out when reading (quasi=), or add it to publish_values or publish_patterns."
            )
        return out[0], out[1]

    def _grouped(self, values: np.ndarray) -> tuple[Subgroups, np.ndarray]:
        """Subgroups, and the group of each."""
        import numpy as np

        from sequester.methods.series.shared import subgroups as ways
        from sequester.primitives.sax import z_normalize

        z = z_normalize(values, ddof=int(self.std == "sample"))
        n, width = values.shape
        if self.form == "literal":
            found = ways.literal(values, z, self.p, self.max_level, self.maximise)
            if (found.of >= 0).sum() < self.k:  # suppression left fewer than k: all in one group, without patterns
                found = ways.own_patterns(z, np.zeros(n, dtype=np.int64), np.array([1]), np.array([width]))
            return found, ways.paper_groups(values, found.of, self.k)
        if self.form == "prototype":
            found = ways.prototypes(values, z, self.p, self.max_level, self.weight)
            return found, ways.refined_groups(values, found.of, self.k)
        words = [ways.whole_words] if self.form == "own-word" else [ways.whole_words, ways.segment_words]
        tried = []
        for forms in (word(z, self.max_level) for word in words):
            found = ways.own_words(values, forms, z, self.p, self.weight)
            tried.append(ways.polished(values, forms, z, found, self.k, self.p, self.weight))
        scale = float(np.ptp(values)) or 1.0

        def cost(way: tuple[Subgroups, np.ndarray]) -> float:
            found, group = way
            return ways.value_loss(values, group[found.of]) / scale + self.weight * found.loss

        return min(tried, key=cost)

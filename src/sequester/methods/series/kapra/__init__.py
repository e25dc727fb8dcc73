"""KAPRA: (k,P)-anonymity for numeric series (Shou et al. 2013, Algorithms 1-3), and ways to lose less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.errors import InputError, nearest
from sequester.guarantees.kp_anonymity import kp_anonymity
from sequester.methods.series.shared import diversity
from sequester.methods.series.shared import subgroups as ways
from sequester.methods.series.shared.kernels.greedy_partition import Diversity
from sequester.methods.series.shared.kp_method import KPMethod
from sequester.methods.series.shared.panel import require_features, shapes_by, whole_panel
from sequester.methods.series.shared.prototypes import mean_words
from sequester.methods.series.shared.records_table import ends_fact, groups_in_cells, released_tables, visible_cells
from sequester.methods.series.shared.subgroups import Subgroups, joined
from sequester.model import Data, Parts, Series
from sequester.options import option
from sequester.papers import SERIES
from sequester.primitives.sax import z_normalize
from sequester.release import Guarantee, Note, Release


@dataclass(frozen=True, kw_only=True)
class Kapra(KPMethod):
    """Share value ranges among k people and patterns among p of them.

    *Guarantee*: (k,P)-anonymity, re-checked by `verify` from the released rows alone.

    *Reference*: Shou, Shang, Chen, Chen, Zhang, IEEE TKDE 25(4), 2013. *Departures*: see the method's page.
    """

    p: int
    """People per identical pattern, 1..k; 1 releases ranges without any pattern."""
    pattern: Literal["prototype", "literal", "printed"] | None = option(None)
    """What a pattern is: `prototype` (the average shape of at least p records; the default), `literal` (the record's own SAX word, by the paper's procedure with one step repaired; the default with customised publishing), `printed` (its listing as printed)."""  # noqa: E501
    weight: float = option(1.0, low=0.0, level="paper")
    """Price of pattern loss in units of the value range: more keeps patterns finer and envelopes wider; the paper's procedures have no such choice."""  # noqa: E501
    features: str | None = option(None, level="paper")
    """For `prototype`: group by shape as seen by this function, which a package registers under the entry point `sequester.features`; by default by the normalised series."""  # noqa: E501
    l: int | None = option(None, low=2, level="everyday")  # noqa: E741
    """l-diversity: no protected sensitive value is held by more than one in l of those who share a pattern, 2..p."""
    harmless: tuple[str, ...] = option((), level="everyday")
    """Sensitive values that need no protection, such as `home`; `COLUMN=VALUE` where it holds for one column only."""
    near: tuple[str, ...] = ()
    """Numbers at most this far apart count as one value for l-diversity: `2`, or `COLUMN=2`; by default only equal ones."""  # noqa: E501
    withhold_up_to: float = option(0.05, low=0.0, high=1.0)
    """Largest share of records of which a sensitive value may be withheld where no grouping keeps l-diversity."""
    publish_values: tuple[str, ...] = option((), level="paper")
    """Times whose value ranges are released; all by default."""
    publish_patterns: tuple[str, ...] = option((), level="paper")
    """Times whose pattern letters are released; all by default."""

    id: ClassVar[str] = "kapra"
    accepts: ClassVar[type] = Series
    paper: ClassVar[str] = SERIES
    layout = "boxes"
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "p": 3}
    least_p: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.p == 1 and self.form != "prototype":
            raise self.refuse(
                f"p=1 releases ranges without patterns, got pattern='{self.form}'. "
                "A pattern that only one person shows would be that person's own; pass p of at least 2."
            )
        if self.features is not None:
            if self.form != "prototype":
                raise self.refuse(f"features needs ‹pattern='prototype'›, got pattern='{self.form}'.")
            require_features(self.features)
        self._check_diversity()
        self._check_publishing()

    def _check_diversity(self) -> None:
        if self.l is None:
            for name in ("harmless", "near"):
                if getattr(self, name):
                    raise self.refuse(f"{name} needs l, got {name}={getattr(self, name)!r} without l.")
            return
        most = self.p if self.p > 1 else self.k
        if self.l > most:
            name, share = ("p", "pattern") if self.p > 1 else ("k", "range")
            raise self.refuse(
                f"l must lie in 2..{name}, got l={self.l} with {name}={most}. "
                f"Those who share a {share} can hold at most {most} different values."
            )
        self._widths()

    def _widths(self) -> dict[str, float]:
        """Column → how far apart numbers count as one value; the empty name stands for all others."""
        out = {}
        for found in self.near:
            name, _, width = str(found).rpartition("=")
            try:
                out[name] = float(width)
            except ValueError:
                out[name] = -1.0
            if not 0 <= out[name] < float("inf"):
                raise self.refuse(f"near must be a number of at least 0, or COLUMN=NUMBER, got near={found!r}.")
        return out

    def _check_publishing(self) -> None:
        values, patterns = set(self.publish_values), set(self.publish_patterns)
        for chosen in ("publish_values", "publish_patterns"):
            if len(set(getattr(self, chosen))) < len(getattr(self, chosen)):
                raise self.refuse(f"{chosen} names a time twice.")
        if values and patterns and not values & patterns:
            raise self.refuse(
                "publish_values and publish_patterns share no time; missing ranges and letters could not be estimated "
                "from each other. Publish at least one time in both."
            )
        if (values or patterns) and self.pattern == "prototype":
            raise self.refuse(
                "pattern='prototype' cannot be combined with publish_values or publish_patterns: bounds on unpublished "
                "values hold only for a record's own letters. Pass ‹pattern='literal'›."
            )

    @property
    def form(self) -> str:
        """The kind of pattern in use."""
        if self.pattern is not None:
            return self.pattern
        return "literal" if self.publish_values or self.publish_patterns else "prototype"

    def idle(self, data: Data | Parts | None = None) -> Mapping[str, str]:
        """What belongs to patterns without any, to another procedure, or to l-diversity without l."""
        out = {} if self.l is not None else {"withhold_up_to": "‹l=›"}
        if self.missing != "fill":
            out["gap"] = "‹missing='fill'›"
        if self.form in ("literal", "printed"):
            out["weight"] = "‹pattern='prototype'›"
        if self.form == "prototype":  # an average shape is normalised again
            out["std"] = "patterns of a record's own, so ‹pattern='literal'›"
        if self.p == 1:
            out |= dict.fromkeys(("max_level", "std", "weight"), "patterns, so with ‹p=› of at least 2")
        return out

    @property
    def guarantee(self) -> Guarantee:
        """(k,P)-anonymity, with l-diversity if asked for."""
        of = "nobody" if self.p == 1 else "subgroup" if self.form == "prototype" else "record"
        return kp_anonymity(
            k=self.k, p=self.p, unit=self.unit, pattern_of=of, ends=self.ends, l=self.l, harmless=self.harmless,
            near=self.near, withhold_up_to=self.withhold_up_to,
        )  # fmt: skip

    def apply(self, data: Series, *, rng: Randomness, engine: Engine) -> Release:
        """Groups of close values and subgroups of like patterns, ends rounded, sensitive values as they are."""
        return self._made(data, None, rng, engine)

    def apply_in_groups(self, data: Series, groups: np.ndarray, *, rng: Randomness, engine: Engine) -> Release:
        """Groups as they were, subgroups of like patterns found anew inside each."""
        return self._made(data, groups, rng, engine)

    def require_groups_kept(self, data: Any) -> None:
        """The paper's own procedures may leave records out, and a group would fall below k."""
        super().require_groups_kept(data)
        if self.form in ("literal", "printed"):
            raise self.refuse(f"pattern='{self.form}' cannot keep the groups of an earlier release.")

    def _made(self, data: Series, kept: np.ndarray | None, rng: Randomness, engine: Engine) -> Release:
        values_of, patterns_of = self._published(data)
        panel = whole_panel(self, data, k=self.k, unit=self.unit, missing=self.missing, gap=self.gap)
        sensitive = {name: column[panel.rows] for name, column in data.sensitive.items()}
        rule = self._rule(sensitive)
        with engine.progress("Forming groups of close values and like patterns", None):
            if kept is None:
                subgroups, group = self._grouped(panel.values, rule)
            else:
                subgroups, group = self._inside(panel.values, kept[panel.rows], rule)
        withheld = None
        if rule is not None:
            cells = visible_cells(subgroups, group, data.times, patterns_of, patterns=self.p > 1)
            withheld = dict(zip(sensitive, diversity.withheld_cells(cells, rule, rng.secret), strict=True))
            self._require_few_withheld(withheld, int((cells >= 0).sum()))
        tables, private, step, invented = released_tables(
            data, panel, subgroups, group, sensitive,
            rng=rng, values_of=values_of, patterns_of=patterns_of, step=self.ends_step,
            with_patterns=self.p > 1, withheld=withheld,
        )  # fmt: skip
        return Release(
            tables=tables,
            guarantee=self.guarantee,
            method=replace(self, ends_step=step),
            private=private,
            reading=(*data.reading, ends_fact(step, self.ends_step), *(i.fact for i in invented)),
            notes=tuple(Note("invented", f"{i}.") for i in invented),
        )

    def _rule(self, sensitive: Mapping[str, np.ndarray]) -> Diversity | None:
        if self.l is None:
            return None
        if not sensitive:
            raise InputError("Kapra: l needs a sensitive column, and none is named. Pass ‹sensitive=›, or leave l out.")
        widths = self._widths()
        for name in widths:
            if name and (name not in sensitive or sensitive[name].dtype == object):
                raise InputError(f"Kapra: near names '{name}', which is not a sensitive column of numbers.")
        known = {str(v) for column in sensitive.values() if column.dtype == object for v in column if v is not None}
        known |= {f"{name}={v}" for name, column in sensitive.items() if column.dtype == object for v in set(column)}
        unknown = [value for value in self.harmless if value not in known]
        if unknown:
            raise InputError(
                f"Kapra: harmless names '{unknown[0]}', which no sensitive column of text holds. Check its spelling."
            )
        rule = diversity.rule_of(sensitive, self.l, self.harmless, widths)
        diversity.require_eligible(sensitive, rule)
        return rule

    def _require_few_withheld(self, withheld: Mapping[str, np.ndarray], n: int) -> None:
        for name, at in withheld.items():
            if at.sum() > self.withhold_up_to * n:
                raise InputError(
                    f"Kapra: no grouping that was found keeps l={self.l}; {at.sum() / n:.1%} of the values of the "
                    f"sensitive column '{name}' would have to be withheld, at most {self.withhold_up_to:.1%} may. "
                    "Lower l, raise k and p, name harmless values, or raise withhold_up_to."
                )

    def _published(self, data: Series) -> tuple[tuple[str, ...], tuple[str, ...]]:
        out = []
        for chosen in ("publish_values", "publish_patterns"):
            asked = getattr(self, chosen)
            unknown = [name for name in asked if name not in data.times]
            if unknown:
                close = nearest(unknown[0], data.times)
                hint = f" Did you mean '{close}'?" if close else ""
                raise InputError(f"Kapra: {chosen} names '{unknown[0]}', which is not a time of the data.{hint}")
            out.append(tuple(t for t in data.times if t in asked) or data.times)
        nowhere = [t for t in data.times if t not in out[0] and t not in out[1]]
        if nowhere:
            raise InputError(
                f"Kapra: '{nowhere[0]}' would be released neither as a range nor as a letter, yet shape the patterns. "
                "Leave it out when reading (quasi=), or add it to publish_values or publish_patterns."
            )
        return out[0], out[1]

    def _grouped(self, values: np.ndarray, rule: Diversity | None) -> tuple[Subgroups, np.ndarray]:
        """Subgroups, and the group of each."""
        z = z_normalize(values, ddof=int(self.std == "sample"))
        if self.form == "prototype":
            return self._prototypes(values, z, rule)
        return ways.papers_own(values, z, self.k, self.p, self.max_level, printed=self.form == "printed")

    def _inside(self, values: np.ndarray, kept: np.ndarray, rule: Diversity | None) -> tuple[Subgroups, np.ndarray]:
        """Subgroups inside every kept group, and groups of the newcomers."""
        parts = []
        for number in np.unique(kept):
            rows = np.flatnonzero(kept == number)
            alone = self if number == -1 else replace(self, k=len(rows))
            some = None
            if rule is not None:
                some = rule._replace(values=rule.values[:, rows].copy("C"), free=rule.free[:, rows].copy("C"))
            parts.append((rows, *alone._grouped(values[rows], some)))
        return joined(len(values), parts)

    def _prototypes(self, values: np.ndarray, z: np.ndarray, rule: Diversity | None) -> tuple[Subgroups, np.ndarray]:
        shapes = z_normalize(values) if self.features is None else shapes_by(self.features, values)
        p = self.p if self.p > 1 else self.k
        found = groups_in_cells(values, shapes, self.k, p, self.weight if self.p > 1 else 0.0, rule)
        group = np.zeros(int(found.subgroup.max()) + 1, dtype=np.int64)
        group[found.subgroup] = found.group
        return mean_words(z, found.subgroup, self.max_level), group

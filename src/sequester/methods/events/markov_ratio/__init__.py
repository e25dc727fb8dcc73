"""The Markov ensemble of Shaked and Rokach (2016): sections, clusters, STE, CTE, ratio test, three-phase synthesis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.engines.local import give_back
from sequester.errors import InputError, counted
from sequester.guarantees.ratio_test import ratio_test
from sequester.method import Method, Witness
from sequester.methods.events.markov_ratio.sections import HOUR, ratio_witness
from sequester.methods.events.shared.attributes import (
    Attribute,
    parse,
    read_attribute,
    require_columns,
    roles_with,
    shown,
    undeclared,
)
from sequester.methods.events.shared.notes import on_rules, read_rules
from sequester.model import Data, EventLog, Parts
from sequester.options import option
from sequester.papers import EVENTS
from sequester.release import Guarantee, Note, Release
from sequester.stored_tables import gathered

if TYPE_CHECKING:
    from sequester.methods.events.markov_ratio.crowd import Crowd, Hashing


@dataclass(frozen=True, kw_only=True)
class MarkovRatio(Method):
    """Synthesise a log from an ensemble of Markov models, keeping statistics that one record changes little."""

    epsilon: float = option(low=0.0, high=1e6)
    """Largest log-ratio one record may cause in a kept frequency; the paper tried 0.05, 0.35 and 0.65."""
    test: Literal["simultaneous", "sequential", "off"] = option("simultaneous", level="paper")
    """How the ratio test removes: all failures of a row at once, smallest first, or not at all (epsilon infinite)."""
    split_gap: float = option(0.0, low=0.0, level="paper")
    """Hours of pause that end a section (the paper used 16,800); 0 never splits."""
    hashes: int = option(100, low=1, high=10_000, level="paper")
    """Hash functions of a MinHash signature: more of them sharpen the similarity that sections are clustered by."""
    shingle: int = option(1, low=1, high=3, level="paper")
    """States per shingle, 1 to 3."""
    cluster_share: float = option(0.15, low=0.0, high=1.0, level="paper")
    """Clusters as a share of the number of sections."""
    factors: tuple[str, ...] = option(("duration", "weekday", "hour"), level="paper")
    """What the states inside a section may depend on."""
    section_factors: tuple[str, ...] = option(("weekday", "month", "year"), level="paper")
    """What the sequence of sections may depend on."""
    starts: Literal["recorded", "poisson"] = option("recorded", level="paper")
    """New objects per date: as many as recorded, or a Poisson draw around it."""
    max_events: int = option(2000, low=1, high=10_000_000, level="paper")
    """Events per synthetic object at most."""
    rules: str | None = option(None, path=True, level="everyday")
    """File of rules the synthetic log keeps: `A never before B`, `nothing after C`, one per line."""
    attributes: tuple[str, ...] = option((), level="everyday")
    """Attributes of cases to carry, as factors that states may depend on, with the values anyone may know:
    age:0,18,40,65 cuts numbers, sex:f,m lists words, code:@FILE has one per line."""
    publish_model: bool = option(False, level="paper")
    """Publish the kept statistics as table `model` beside the log (exact counts)."""

    id: ClassVar[str] = "markov-ratio"
    accepts: ClassVar[type] = EventLog
    paper: ClassVar[str] = EVENTS
    layout = "log"
    needs_everybody = False
    example: ClassVar[dict[str, Any]] = {"epsilon": 0.35}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.epsilon > 0:
            raise self.refuse(f"epsilon must be positive, got epsilon={self.epsilon!r}.")
        object.__setattr__(self, "attributes", parse(self.attributes, type(self).__name__))
        if len(self.attributes) > MOST_ATTRIBUTES:
            raise self.refuse(
                f"at most {counted(MOST_ATTRIBUTES, 'attribute')} can be factors, got {len(self.attributes)}."
            )
        for name, known in (("factors", FACTORS), ("section_factors", SECTION_FACTORS)):
            chosen = getattr(self, name)
            if len(set(chosen)) != len(chosen) or not set(chosen) <= set(known):
                raise self.refuse(f"{name} must be different words among {', '.join(known)}, got {chosen!r}.")

    def roles(self, roles: Mapping[str, Any]) -> dict[str, Any]:
        """The declared columns are read beside the events."""
        return roles_with(roles, self.attributes)

    def idle(self, data: Data | None = None) -> Mapping[str, str]:
        """Clusters that are not formed, times that are not there."""
        out: dict[str, str] = {}
        if not self.cluster_share:
            out |= dict.fromkeys(("hashes", "shingle"), "‹cluster_share=› above 0")
        unit = getattr(data, "time_unit", "second")
        if unit == "order":
            out |= dict.fromkeys(("section_factors", "split_gap"), "times, and the data has none")
        unknown = [f for f in self.factors if not _known(f, unit)]
        if unknown:
            out["factors"] = f"times that tell the {unknown[0]}, and these do not"
        return out

    @property
    def parameters(self) -> dict[str, Any]:
        """As they go into the manifest: of files their names alone."""
        return super().parameters | {"attributes": [shown(text) for text in self.attributes]}

    @property
    def guarantee(self) -> Guarantee:
        """A filter on small counts, graded as published."""
        return ratio_test(self.epsilon, self.test)

    def witness(self) -> Witness:
        """A state that is published when one more person has it and never otherwise: the test draws no noise."""
        without, with_ = ratio_witness(self.epsilon)
        return Witness(without, with_, lambda release: "z" in release.tables["events"].column("state").to_pylist())

    def apply(self, data: EventLog | Parts, *, rng: Randomness, engine: Engine) -> Release:
        """Split, cluster, train, test, synthesise."""
        from sequester.methods.events.markov_ratio.crowd import Whole
        from sequester.methods.events.markov_ratio.split import Split

        if data.n_records == 0:
            raise InputError("markov-ratio: the log has no events.")
        declared = tuple(read_attribute(text, self.id) for text in self.attributes)
        read = tuple(data.attributes) if isinstance(data, EventLog) else data.beside
        if read and not declared:
            raise undeclared(len(read), self.id)
        require_columns(read, declared, self.id)
        if isinstance(data, EventLog):
            about = About(data.state_names, data.time_unit, data.n_events, data.n_records)
            return self._apply(Whole(data, declared), about, declared, rng, engine, None)
        about = About(data.state_names, data.time_unit, data.n_items, data.n_records)
        with engine.workspace() as scratch:
            return self._apply(Split(data, engine, scratch), about, declared, rng, engine, scratch)

    def _apply(
        self,
        crowd: Crowd,
        about: About,
        declared: tuple[Attribute, ...],
        rng: Randomness,
        engine: Engine,
        scratch: Path | None,
    ) -> Release:
        from sequester.methods.events.markov_ratio.crowd import Counting
        from sequester.methods.events.markov_ratio.drawn import BYTES_PER_EVENT
        from sequester.methods.events.markov_ratio.ensemble import totals
        from sequester.methods.events.markov_ratio.generate import generate
        from sequester.methods.events.markov_ratio.measured import measured_statistics
        from sequester.methods.events.markov_ratio.outline import BYTES_PER_ENTRY, model_pieces
        from sequester.methods.events.markov_ratio.tallies import Threshold

        rules = read_rules(self.rules, "markov-ratio")
        quarter = engine.memory // 4 if scratch is not None and engine.memory is not None else None
        with engine.progress("Learning moves, then drawing the log", 4) as tick:
            crowd.cut(self.split_gap)
            n_clusters = crowd.cluster(self._hashing(rng), rng.secret)
            tick(1)
            inner_factors = tuple(f for f in self.factors if _known(f, about.unit))
            outer_factors = self.section_factors if about.unit != "order" else ()
            year0 = _year(crowd.earliest) if about.unit != "order" else 1970
            counting = Counting(self.split_gap, self.shingle, inner_factors, outer_factors, declared, n_clusters, year0)
            test = Threshold(self.epsilon, self.test, engine.threads)
            found, log = crowd.count(counting, test)
            tick(1)
            filed = quarter is not None and about.n_events * BYTES_PER_EVENT > quarter
            names = [a.name for a in declared]
            counted = measured_statistics(found, log.lengths, inner_factors, outer_factors, names, test)
            inner, outer = counted.inner, counted.outer
            give_back()  # counting and drawing leave much that is free but held
            drawn = generate(
                log, counted, n_clusters, year0, declared, rules=rules, poisson=self.starts == "poisson",
                max_events=self.max_events, generator=rng.secret, threads=engine.threads,
                folder=scratch if filed else None,
            )  # fmt: skip
            del found
            give_back()
            tick(1)
            if not drawn.n_events:
                raise InputError(
                    "markov-ratio: the ratio test left no state to start from. Raise epsilon, or use more data."
                )
            kept = sum(len(x.count) for x in (*inner, *outer, *counted.extra.values()))
            model = gathered(
                model_pieces(inner, outer, about.state_names, counted, n_clusters, declared),
                folder=engine.scratch,
                in_files=quarter is not None and not self.publish_model and kept * BYTES_PER_ENTRY > quarter,
            )
            summary = {
                "split_gap_seconds": int(self.split_gap * HOUR),
                "sections": log.n_sections,
                "clusters": n_clusters,
            }
            summary |= totals((inner, outer))
            del inner, outer, counted  # the model has all of it, and the events need the room
            give_back()
            events = gathered(
                drawn.tables(about.state_names, about.unit, declared, rng.secret), folder=engine.scratch, in_files=filed
            )
            tick(1)
        private = crowd.private(declared) | {
            "model_summary": pa.table({"name": list(summary), "value": pa.array(summary.values(), pa.int64())}),
        }
        tables = {"events": events}
        idle = [*_on_few(about.n_objects), *on_rules(rules.states, about.state_names, about.state_names)]
        (tables if self.publish_model else private)["model"] = model
        return Release(tables=tables, guarantee=self.guarantee, method=self, private=private, notes=tuple(idle))

    def _hashing(self, rng: Randomness) -> Hashing:
        from sequester.methods.events.markov_ratio.crowd import Hashing

        seeds = rng.public.integers(0, 2**63, self.hashes, dtype=np.int64).astype(np.uint64)
        return Hashing(seeds, self.shingle, self.cluster_share)


class About(NamedTuple):
    """What is known of a log before it is looked at."""

    state_names: tuple[str, ...]
    unit: str
    """Precision of the times."""
    n_events: int
    n_objects: int


def _on_few(objects: int) -> list[Note]:
    """A warning where the test leaves little."""
    if objects >= FEW:
        return []
    return [
        Note(
            "people",
            f"{counted(objects, 'case is', 'cases are')} few for this method: little of what they do passes the test, "
            "and how long synthetic cases last is mostly made up. Do not use durations of this release.",
        )
    ]


FEW = 100
"""People below which a note warns."""
MOST_ATTRIBUTES = 16
FACTORS = ("duration", "weekday", "hour")
SECTION_FACTORS = ("weekday", "month", "year")


def _known(factor: str, unit: str) -> bool:
    """Whether times of that precision carry the factor at all."""
    return factor == "duration" or unit == "second" or (unit == "day" and factor == "weekday")


def _year(seconds: int) -> int:
    return int(np.datetime64(seconds // 86400, "D").astype("datetime64[Y]").astype(int)) + 1970

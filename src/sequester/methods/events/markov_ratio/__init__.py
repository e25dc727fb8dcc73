"""The Markov ensemble of Shaked and Rokach (2016): sections, clusters, STE, CTE, ratio test, three-phase synthesis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from sequester.errors import InputError
from sequester.guarantees.ratio_test import ratio_test
from sequester.method import PATH, Method, Witness
from sequester.model import EventLog
from sequester.papers import EVENTS
from sequester.release import Guarantee, Release

if TYPE_CHECKING:
    import pyarrow as pa

    from sequester.dp.randomness import Randomness
    from sequester.engines import Engine
    from sequester.methods.events.markov_ratio.ensemble import Ensemble
    from sequester.methods.events.markov_ratio.sections import Sections


@dataclass(frozen=True, kw_only=True)
class MarkovRatio(Method):
    """Synthesise a log from an ensemble of Markov models, keeping statistics that one record changes little."""

    epsilon: float
    """Largest log-ratio one record may cause in a kept frequency; the paper tried 0.05, 0.35 and 0.65."""
    test: Literal["simultaneous", "sequential", "off"] = "simultaneous"
    """How the ratio test removes: all failures of a row at once, smallest first, or not at all (epsilon infinite)."""
    split_gap: float | None = None
    """Hours of pause that end a section; 0 never splits; left out, it is read from the histogram of pauses."""
    split_bin: float = 168.0
    """Hours per bin of that histogram."""
    hashes: int = 100
    """Hash functions of a MinHash signature: more of them sharpen the similarity that sections are clustered by."""
    shingle: int = 1
    """States per shingle, 1 to 3."""
    cluster_share: float = 0.15
    """Clusters as a share of the number of sections."""
    factors: tuple[str, ...] = ("duration", "weekday", "hour")
    """What the states inside a section may depend on."""
    section_factors: tuple[str, ...] = ("weekday", "month", "year")
    """What the sequence of sections may depend on."""
    synthesis: Literal["sized", "timed"] = "sized"
    """What ends a section: the number of events its start law tells, or (as printed) the end of its time alone."""
    starts: Literal["recorded", "poisson"] = "recorded"
    """New objects per date: as many as recorded, or a Poisson draw around it."""
    max_events: int = 2000
    """Events per synthetic object at most."""
    rules: str | None = field(default=None, metadata=PATH)
    """File of rules the synthetic log keeps: `A never before B`, `nothing after C`, one per line."""
    publish_model: bool = False
    """Publish the kept statistics as table `model` beside the log (exact counts)."""

    id: ClassVar[str] = "markov-ratio"
    accepts: ClassVar[type] = EventLog
    paper: ClassVar[str] = EVENTS
    layout = "log"
    example: ClassVar[dict[str, Any]] = {"epsilon": 0.35}

    def __post_init__(self) -> None:
        self.require("epsilon", 0.0, 1e6)
        if not self.epsilon > 0:
            raise self.refuse(f"epsilon must be positive, got epsilon={self.epsilon!r}.")
        self.require_choice("test", ("simultaneous", "sequential", "off"))
        if self.split_gap is not None:
            self.require("split_gap", 0.0)
        self.require("split_bin", 0.001)
        self.require("hashes", 1, 10_000)
        self.require("shingle", 1, 3)
        self.require("cluster_share", 0.0, 1.0)
        self.require_choice("synthesis", ("sized", "timed"))
        self.require_choice("starts", ("recorded", "poisson"))
        self.require("max_events", 1, 10_000_000)
        for name, known in (("factors", FACTORS), ("section_factors", SECTION_FACTORS)):
            chosen = getattr(self, name)
            if len(set(chosen)) != len(chosen) or not set(chosen) <= set(known):
                raise self.refuse(f"{name} must be different words among {', '.join(known)}, got {chosen!r}.")

    @property
    def guarantee(self) -> Guarantee:
        """A filter on small counts, graded as published."""
        return ratio_test(self.epsilon, self.test)

    def witness(self) -> Witness:
        """A state that is published when one more person has it and never otherwise: the test draws no noise."""
        from sequester.methods.events.markov_ratio.witness import ratio_witness

        without, with_ = ratio_witness(self.epsilon)
        return Witness(without, with_, lambda release: "z" in release.tables["events"].column("state").to_pylist())

    def apply(self, data: EventLog, *, rng: Randomness, engine: Engine) -> Release:
        """Split, cluster, train, test, synthesise."""
        import pyarrow as pa

        from sequester.methods.events.markov_ratio.ensemble import totals, train_sections, train_states
        from sequester.methods.events.markov_ratio.generate import generate
        from sequester.methods.events.markov_ratio.sections import cut
        from sequester.methods.events.shared.notes import on_rules
        from sequester.methods.events.shared.rules import read_rules
        from sequester.methods.events.shared.tables import event_table

        if data.n_records == 0:
            raise InputError("markov-ratio: the log has no events.")
        rules = read_rules(self.rules, "markov-ratio")
        has_clock = data.time_unit != "order"
        with engine.progress("markov-ratio", 4) as tick:
            sections, limit = cut(data, split_gap_hours=self.split_gap, bin_hours=self.split_bin)
            cluster = self._cluster(data, sections, rng)
            tick(1)
            year0 = _first_year(sections)
            test: dict[str, Any] = {"epsilon": self.epsilon, "mode": self.test, "threads": engine.threads}
            inner_factors = tuple(f for f in self.factors if _known(f, data.time_unit))
            inner = train_states(data.states, sections, cluster, inner_factors, year0, **test)
            tick(1)
            outer_factors = self.section_factors if has_clock else ()
            outer = train_sections(sections, cluster, outer_factors, year0, **test)
            tick(1)
            states, times, offsets = generate(
                data, sections, inner, outer, year0, rules=rules, poisson=self.starts == "poisson",
                sized=self.synthesis == "sized", max_events=self.max_events, generator=rng.secret,
                threads=engine.threads,
            )  # fmt: skip
            tick(1)
        if not len(states):
            raise InputError(
                "markov-ratio: the ratio test left no state to start from. Raise epsilon, or use more data."
            )
        events = event_table(states, times, offsets, data.state_names, data.time_unit, rng.secret)
        model = _model_table(inner, outer, data.state_names)
        summary = {"split_gap_seconds": limit or 0, "sections": sections.n, "clusters": int(cluster.max()) + 1}
        summary |= totals((inner, outer))
        private = {
            "sections": _section_table(data, sections, cluster),
            "model_summary": pa.table({"name": list(summary), "value": pa.array(summary.values(), pa.int64())}),
        }
        tables = {"events": events}
        idle = on_rules(rules.states, data.state_names, data.state_names)
        (tables if self.publish_model else private)["model"] = model
        return Release(tables=tables, guarantee=self.guarantee, method=self, private=private, notes=tuple(idle))

    def _cluster(self, data: EventLog, sections: Sections, rng: Randomness) -> np.ndarray:
        """A label per section, numbered at random so that a number tells nothing about the order of the original."""
        from sequester.primitives import minhash

        seeds = rng.public.integers(0, 2**63, self.hashes, dtype=np.int64).astype(np.uint64)
        member, size, of = minhash.distinct_sets(data.states, sections.bounds, self.shingle)
        chosen = minhash.sub_sequences(data.states, sections.bounds, member)
        signs = minhash.signatures(*chosen, seeds, self.shingle)
        k = max(1, round(self.cluster_share * sections.n))
        label = minhash.by_first_member(minhash.centre_clusters(signs, size, k)[of])
        return rng.secret.permutation(int(label.max()) + 1)[label]


FACTORS = ("duration", "weekday", "hour")
SECTION_FACTORS = ("weekday", "month", "year")


def _known(factor: str, unit: str) -> bool:
    """Whether times of that precision carry the factor at all."""
    return factor == "duration" or unit == "second" or (unit == "day" and factor == "weekday")


def _first_year(sections: Sections) -> int:
    if not sections.has_clock:
        return 1970
    day = int(sections.times.min() // 86400)
    return int(np.datetime64(day, "D").astype("datetime64[Y]").astype(int)) + 1970


def _section_table(data: EventLog, sections: Sections, cluster: np.ndarray) -> pa.Table:
    import pyarrow as pa

    owner = np.repeat(np.arange(data.n_records), np.diff(sections.of_object))
    return pa.table(
        {
            "person": pa.array(data.persons[owner].tolist(), pa.string()),
            "first_event": pa.array(sections.bounds[:-1], pa.int64()),
            "events": pa.array(np.diff(sections.bounds), pa.int64()),
            "cluster": pa.array(cluster, pa.int64()),
        }
    )


def _model_table(inner: Ensemble, outer: Ensemble, names: tuple[str, ...]) -> pa.Table:
    """Kept statistics, one row each: chain, statistic, model, from, to, and the numbers."""
    import pyarrow as pa

    state_names = np.array(names, dtype=object)
    parts = []
    for chain, ensemble in (("states", inner), ("sections", outer)):
        label = state_names if chain == "states" else None
        levels = np.array([f.level for f in ensemble.families], dtype=object)
        factors = np.array([f.factor for f in ensemble.families], dtype=object)
        for x in ensemble:
            kind, row, item = x.family, x.row, x.item
            has_row = x.name in ("move", "near", "end")
            named = np.array(["goes on", "ends"]) if x.name == "end" else label
            to = item.astype(str) if named is None or x.name == "hour" else named[item]
            come = (row.astype(str) if label is None else label[row]) if has_row else np.full(len(row), None)
            parts.append(
                pa.table(
                    {
                        "chain": pa.array([chain] * len(kind), pa.string()),
                        "statistic": pa.array([x.name] * len(kind), pa.string()),
                        "level": pa.array(levels[kind].tolist(), pa.string()),
                        "factor": pa.array(factors[kind].tolist(), pa.string()),
                        "cluster": pa.array(x.cluster, pa.int64(), mask=x.cluster < 0),
                        "value": pa.array(x.value, pa.int64(), mask=x.value < 0),
                        "from": pa.array(come.tolist(), pa.string()),
                        "to": pa.array(to.tolist(), pa.string()),
                        "count": pa.array(x.count, pa.int64()),
                        "out_of": pa.array(x.out_of, pa.int64()),
                        "mean": pa.array(x.mean, pa.float64()),
                        "spread": pa.array(x.spread, pa.float64()),
                        "support": pa.array(x.support, pa.int64()),
                    }
                )
            )
    return pa.concat_tables(parts)

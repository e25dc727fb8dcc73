"""Event logs under person-level differential privacy: a length-conditioned Markov walk from noisy counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sequester.dp.ledger import Ledger
from sequester.dp.noise import Noise
from sequester.dp.randomness import Randomness
from sequester.dp.sites import Ask, Item, OverSites, Sites
from sequester.engines import Engine
from sequester.errors import InputError, counted
from sequester.guarantees.differential_privacy import differential_privacy
from sequester.method import Method
from sequester.methods.events.markov_dp import design as d
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.measured import measurements_table, model_table
from sequester.methods.events.shared.attributes import (
    columns_of,
    parse,
    read_attribute,
    require_columns,
    roles_with,
    shown,
    undeclared,
)
from sequester.methods.events.shared.codebook import (
    MOST_STATES,
    OTHER,
    Codes,
    read_code_levels,
    read_codebook,
    read_codes,
)
from sequester.methods.events.shared.notes import read_rules
from sequester.model import Data, EventLog
from sequester.options import option
from sequester.papers import EVENTS
from sequester.release import Guarantee, Release
from sequester.stored_tables import gathered

if TYPE_CHECKING:
    from sequester.methods.events.markov_dp.measured import Measured
    from sequester.methods.events.markov_dp.people import People


FORCED = (
    "Usefulness: the custodian forced this release past the check that the budget can carry it. Most of what it shows "
    "may be noise."
)
"""First among what a forced release does not promise."""


DECLARED = (
    "Attributes: their values were declared in public and must not be taken from the data; links between them are kept "
    "only where the budget carries them, and links of values of events with anything but their state are not."
)


@dataclass(frozen=True, kw_only=True)
class MarkovDP(Method):
    """Synthesise a log from noisy counts of transitions, lengths, gaps and hours, each object counted once."""

    epsilon: float = option(low=0.0, high=100.0)
    """Privacy loss of one person with all their events."""
    delta: float
    """Probability with which the loss may be exceeded; far below one over the number of people."""
    people_at_least: int = option(low=1)
    """How many people the log is publicly known to have at least; decides how much detail is tried."""
    dates: str | None = option(None, level="everyday")
    """Public range of the log, FROM..TO (2014-01-01..2015-12-31); needed unless only the order is known."""
    codebook: str | None = option(None, path=True, level="everyday")
    """File with the states anyone may know, one per line; without it they are selected privately."""
    states_at_most: int | None = option(None, low=1, high=MOST_STATES, level="everyday")
    """How many different states the log is publicly known to have. It decides which tables
    are measured; without it, or a codebook, only the plain ones are."""
    codes: str | None = option(None, path=True, level="everyday")
    """File of a public hierarchy, CODE,BROADER,BROADEST per line, for codes that are too rare."""
    code_levels: str | None = option(None, level="everyday")
    """A hierarchy by prefixes: with 3,1 a rare I21.4 is published as I21* or I*."""
    max_events: int = option(1000, low=1, high=1000, level="paper")
    """Events per object that count, from its first."""
    rules: str | None = option(None, path=True)
    """File of rules the synthetic log keeps: `A never before B`, `nothing after C`, one per line."""
    attributes: tuple[str, ...] = option((), level="everyday")
    """Attributes of cases to carry, with the values anyone may know:
    age:0,18,40,65 cuts numbers, sex:f,m lists words, code:@FILE has one per line."""
    event_values: tuple[str, ...] = option((), level="expert")
    """Values of single events to carry with public bins: crp:0,10,50,100.
    For example laboratory results; the bins must be known to anyone."""
    force: bool = option(False, level="everyday")
    """Go on although the budget is too small for the number of states."""

    id: ClassVar[str] = "markov-dp"
    accepts: ClassVar[type] = EventLog
    paper: ClassVar[str] = EVENTS
    layout = "log"
    needs_everybody = False
    read_alike = ("time_unit",)
    example: ClassVar[dict[str, Any]] = {
        "epsilon": 4.0, "delta": 1e-6, "people_at_least": 300, "dates": "2024-01-01..2025-12-31",
    }  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.epsilon > 0:
            raise self.refuse(f"epsilon must be positive, got epsilon={self.epsilon!r}.")
        if isinstance(self.delta, bool) or not isinstance(self.delta, float) or not 0 < self.delta < 0.1:
            raise self.refuse(f"delta must be a number above 0 and below 0.1, got delta={self.delta!r}.")
        if self.states_at_most is not None and self.codebook is not None:
            raise self.refuse("states_at_most is for logs without a codebook. Leave it out: the codebook says it.")
        hierarchy = [name for name in ("codebook", "codes", "code_levels") if getattr(self, name) is not None]
        if len(hierarchy) > 1:
            raise self.refuse(f"pass one of {' and '.join(hierarchy)}: each says by itself what states are called.")
        if self.states_at_most is not None and self.codes is not None:
            raise self.refuse("states_at_most is for logs without a list of codes. Leave it out: the file says it.")
        if self.code_levels is not None:
            read_code_levels(self.code_levels, self.id)
        object.__setattr__(self, "attributes", parse(self.attributes, type(self).__name__))
        object.__setattr__(self, "event_values", parse(self.event_values, type(self).__name__, "event_values"))
        twice = set(columns_of(self.attributes)) & set(columns_of(self.event_values))
        if twice:
            raise self.refuse(f"a column is an attribute or a value of events, not both: {', '.join(sorted(twice))}.")
        if self.dates is not None:
            _ = self.day_range

    @cached_property
    def day_range(self) -> tuple[int, int] | None:
        """First and last day of `dates`, counted from 1970-01-01."""
        if self.dates is None:
            return None
        first, dots, last = self.dates.partition("..")
        try:
            days = tuple(int(np.datetime64(x.strip(), "D").astype(int)) for x in (first, last))
        except ValueError:
            days = (1, 0)
        if not dots or not first.strip() or not last.strip() or days[0] > days[1] or days[1] - days[0] > 150_000:
            raise self.refuse("dates must be FROM..TO with FROM not after TO, for example 2014-01-01..2015-12-31.")
        return days[0], days[1]

    def roles(self, roles: Mapping[str, Any]) -> dict[str, Any]:
        """The declared columns are read beside the events."""
        return roles_with(roles, (*self.attributes, *self.event_values))

    def idle(self, data: Data | None = None) -> Mapping[str, str]:
        """Dates of a log that has only an order."""
        return {"dates": "times, and the data has none"} if getattr(data, "time_unit", "") == "order" else {}

    @property
    def parameters(self) -> dict[str, Any]:
        """As they go into the manifest: of files their names alone."""
        parameters = super().parameters | {"attributes": [shown(text) for text in self.attributes]}
        parameters["event_values"] = [shown(text) for text in self.event_values]
        return parameters

    @property
    def _reserved(self) -> float:
        return self.delta / 4 + (0.0 if self.codebook or self.codes else self.delta / 4)

    def ledger(self) -> Ledger:
        """A fresh ledger for one run."""
        return Ledger.zcdp(epsilon=self.epsilon, delta=self.delta, delta_reserved=self._reserved)

    def budget(self) -> Ledger:
        """As it will be spent: part of delta is kept for thresholds."""
        return self.ledger()

    @property
    def strength(self) -> float:
        """n sqrt(rho); divided by the number of states it is the index of what can be learned."""
        return self.people_at_least * float(np.sqrt(self.ledger().total))

    def expected_other(self, n_states: int, unit: str) -> float:
        """Share of the events that will be OTHER by estimate: from declarations alone, off by up to .2."""
        return d.expected_other(self.strength, unit, n_states)

    @property
    def guarantee(self) -> Guarantee:
        """Person-level (epsilon, delta)-differential privacy."""
        promise = differential_privacy(
            self.epsilon,
            self.delta,
            "person",
            (
                *((FORCED,) if self._overridden else ()),
                *((DECLARED,) if self.attributes or self.event_values else ()),
                "Facts about the population: what is true of many people is meant to be learned.",
                "Detail: transitions, gaps and hours of rare states are mostly noise; "
                f"n sqrt(rho) is {self.strength:.0f} here, and below 30 per state only frequent transitions can be "
                "trusted.",
                f"Events of an object after its first {self.max_events}: they are not looked at.",
                "The public parameters: people_at_least, dates, codebook and rules must not be taken from the data; "
                "whether times are seconds, days or only an order is assumed to be public.",
            ),
        )
        if not self._overridden:
            return promise
        return replace(promise, statement=f"This release was forced: expect mostly noise. {promise.statement}")

    def design(self, unit: str) -> Design:
        """The public choices for a log of that time precision; refuses a budget that cannot carry the states."""
        if unit != "order" and self.dates is None:
            raise InputError("markov-dp: the log has a clock; pass ‹dates=FROM..TO›, a range anyone may know.")
        names = read_codebook(self.codebook, self.id)
        plan = Design(
            rho=self.ledger().total,
            delta=self.delta,
            people_at_least=self.people_at_least,
            max_events=self.max_events,
            unit=unit,
            dates=self.day_range if unit != "order" else None,
            codebook=names,
            states_at_most=self.states_at_most,
            codes=self._hierarchy,
            force=self.force,
            attributes=tuple(read_attribute(text, self.id) for text in self.attributes),
            event_values=tuple(read_attribute(text, self.id) for text in self.event_values),
        )
        if plan.strength < plan.least_strength and not self.force:
            raise InputError(self._too_weak(plan, plan.least_strength))
        return plan

    @property
    def _hierarchy(self) -> Codes | None:
        if self.codes is not None:
            return read_codes(self.codes, self.id)
        return None if self.code_levels is None else read_code_levels(self.code_levels, self.id)

    @property
    def _overridden(self) -> bool:
        """Whether `force` let something pass that is refused without it."""
        if not self.force:
            return False
        try:
            replace(self, force=False).design("second" if self.dates is not None else "order")
        except InputError:
            return True
        return False

    def _too_weak(self, plan: Design, least: float) -> str:
        """What was asked, why it would be noise, and what would be enough: public numbers only."""
        private = "" if self.codebook else " that are selected privately"
        what = f"for {counted(plan.n_codes, 'state')}{private}" if plan.n_codes else f"where states{private[5:]}"
        people = int(np.ceil(least / np.sqrt(plan.rho)))
        most = plan.most_codes
        fewer = f", or at most {counted(most, 'state')}" if plan.n_codes and most > 1 and plan.codes is None else ""
        stronger = next(
            (e for e in (*np.arange(0.1, 10, 0.1), *np.arange(10, 101, 1.0)) if self._strength_at(float(e)) >= least),
            None,
        )
        budget = f", or epsilon {stronger:g}" if stronger is not None else ""
        return (
            f"markov-dp: people_at_least={self.people_at_least} at epsilon={self.epsilon:g} gives n sqrt(rho) = "
            f"{plan.strength:.0f}; {what} at least {least:.0f} is needed, below that the result is noise. Enough would "
            f"be {counted(people, 'person', 'people')}{budget}{fewer}. ‹force=True› publishes it nevertheless, and the "
            "release says so."
        )

    def _strength_at(self, epsilon: float) -> float:
        return replace(self, epsilon=round(epsilon, 6)).strength

    def measure(self, data: EventLog | People, noise: Noise, ledger: Ledger, unit: str = "") -> Measured:
        """The part that looks at the log, alone: what an audit runs."""
        from sequester.methods.events.markov_dp.measure import measure

        return measure(data, self.design(data.time_unit if isinstance(data, EventLog) else unit), noise, ledger)

    def measure_noisily(self, data: EventLog, *, rng: Randomness) -> Measured:
        """All noisy measurements; what is learned and drawn from them costs nothing more."""
        return self.measure(data, rng.noise, self.ledger())

    def apply(self, data: EventLog, *, rng: Randomness, engine: Engine) -> Release:
        """Measure with noise, post-process, draw."""
        from sequester.methods.events.markov_dp.people import People

        read = data.beside
        if read and not self.attributes and not self.event_values:
            raise undeclared(len(read), self.id)
        plan = self.design(data.time_unit)
        require_columns(read, (*plan.attributes, *plan.event_values), self.id)
        if data.in_memory:
            return self._apply(People(data, plan, key=rng.key), plan, rng, engine)
        with engine.workspace() as scratch:
            return self._apply(People(data, plan, engine, scratch, rng.key), plan, rng, engine, in_files=True)

    def require_over_sites(self, reading: Mapping[str, Any]) -> None:
        """States and values must be known in public: a threshold over private names cannot be drawn in shares."""
        if self.codebook is None:
            raise InputError(
                "federation: markov-dp needs a code book; states that only the data knows would have to be told to "
                "the coordinator. Pass ‹codebook=FILE›."
            )
        if any("@" in text for text in (*self.attributes, *self.event_values)):
            raise InputError("federation: write the values of attributes out; files of values stay at their site.")
        if reading.get("time_unit") not in ("second", "day", "order"):
            raise InputError(
                "federation: all sites read times in the same unit. Pass ‹time_unit='second'›, ‹time_unit='day'› or "
                "‹time_unit='order'›."
            )

    def over_sites(self, sites: Sites, reading: Mapping[str, Any], ask: Ask, noise: Noise) -> OverSites:
        """The measuring stage, asked over sites; whole traces are left out."""
        from sequester.methods.events.markov_dp.measure import measure
        from sequester.methods.events.markov_dp.over_sites import PeopleElsewhere

        plan = replace(self.design(reading["time_unit"]), sites=sites)
        people, ledger = PeopleElsewhere(plan, ask), self.ledger()
        measured = measure(people, plan, noise, ledger)

        def release(rng: Randomness, engine: Engine) -> Release:
            return self._drawn(measured, people, plan, ledger, rng, engine)

        return OverSites(measurements_table(measured), ledger, release)

    def site_answers(
        self, data: EventLog, sites: Sites, reading: Mapping[str, Any]
    ) -> Callable[[Sequence[Item]], list[np.ndarray]]:
        """The same questions, answered by the people of one site."""
        from sequester.methods.events.markov_dp.over_sites import answers_of

        plan = replace(self.design(reading["time_unit"]), sites=sites)
        require_columns(data.beside, (*plan.attributes, *plan.event_values), self.id)
        return answers_of(data, plan)

    def _apply(
        self, people: People, plan: Design, rng: Randomness, engine: Engine, *, in_files: bool = False
    ) -> Release:
        ledger = self.ledger()
        measured = self.measure(people, rng.noise, ledger, plan.unit)
        return self._drawn(measured, people, plan, ledger, rng, engine, in_files=in_files)

    def _drawn(
        self,
        measured: Measured,
        people: People,
        plan: Design,
        ledger: Ledger,
        rng: Randomness,
        engine: Engine,
        *,
        in_files: bool = False,
    ) -> Release:
        """A log from what was measured; nothing here looks at people, but for a note to their custodian."""
        from sequester.methods.events.markov_dp.drawing import BYTES_PER_EVENT, log_blocks, shuffled
        from sequester.methods.events.markov_dp.generate import wanted_objects
        from sequester.methods.events.markov_dp.laws import laws, rows_of
        from sequester.methods.events.markov_dp.notes import notes
        from sequester.methods.events.markov_dp.timed import fitted

        rules = read_rules(self.rules, "markov-dp")
        if plan.codebook is not None and rules.states - {*plan.codebook, OTHER}:
            raise InputError(
                f"markov-dp: the codebook lacks {len(rules.states - {*plan.codebook, OTHER})} of the "
                f"{counted(len(rules.states), 'state')} named by the rules. Correct the rules, or add the states to "
                "the codebook."
            )
        with engine.progress("Drawing the log", 2) as tick:
            learned = laws(measured, plan, rules)
            model = fitted(learned, measured, plan, rules, rng.secret)
            learned = replace(learned, chain=rows_of(model.counts))
            wanted = wanted_objects(learned, rng.secret)
            model = model.finished(int(wanted.lengths.max(initial=1)))
            tick(1)
            needed = int(wanted.lengths.sum()) * BYTES_PER_EVENT
            events = gathered(
                log_blocks(model, shuffled(wanted, rng.secret), measured, plan, rng.secret, engine),
                folder=engine.scratch,
                in_files=in_files and engine.memory is not None and needed > engine.memory // 4,
            )
            tick(1)
        return Release(
            tables={
                "events": events,
                "model": model_table(measured, learned, plan),
                "measurements": measurements_table(measured),
            },
            guarantee=self.guarantee,
            method=self,
            ledger=ledger,
            notes=notes(self.people_at_least, people, plan, measured, ledger, rules),
            teaching_only=rng.seeded,
        )

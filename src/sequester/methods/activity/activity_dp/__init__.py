"""activity-dp: simulated people from noisy population statistics, differentially private per person."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sequester.dp.ledger import Ledger, rho_of
from sequester.dp.noise import Noise
from sequester.dp.randomness import Randomness
from sequester.dp.sites import Ask, Item, OverSites, Sites
from sequester.engines import Engine
from sequester.errors import InputError, counted
from sequester.guarantees.differential_privacy import differential_privacy
from sequester.layouts.states import public_facts, sequences_table
from sequester.method import Method
from sequester.methods.activity.activity_dp.kernels.calendar import calendar
from sequester.model import Activities
from sequester.model.activities import MISSING
from sequester.options import option
from sequester.release import Guarantee, Note, Release
from sequester.stored_tables import gathered

if TYPE_CHECKING:
    from sequester.methods.activity.activity_dp.measure import Released
    from sequester.methods.activity.activity_dp.people import People

REFUSE_BELOW, GOOD_ABOVE = 120.0, 600.0
"""Where the index people x sqrt(rho) stops being hopeless, and where everything measured becomes usable."""
MEASURED_STATES = 4
"""States in the test beds behind these limits."""


@dataclass(frozen=True, kw_only=True)
class ActivityDP(Method):
    """Measure the population with noise, and publish simulated people who show the same numbers."""

    epsilon: float = option(low=1e-3, high=100.0)
    """Privacy loss of one person with all their data, above 0 (1 is a good start)."""
    delta: float = option(low=1e-30, high=0.1)
    """Probability that the loss is larger, well below 1 / people (1e-6 is usual)."""
    people_at_least: int | None = option(None, low=1, level="everyday")
    """A number of people known in public to be in the data, from the study's protocol and never counted from the
    file: tells before any budget is spent what accuracy to expect. Required unless `force`."""
    force: bool = option(False, level="everyday")
    """Go on although the expected accuracy is too low or cannot be told."""
    codebook: tuple[str, ...] = option((), level="everyday")
    """All states there can be, known in public. Time in a state not listed counts as missing, or as the first
    listed state. Needed where the reader found the names in the data."""
    candidates: int = option(3, low=1, high=20, level="paper")
    """Candidate days simulated for each day, of which the nearest to its target is kept; 1..20."""
    rounds: int = option(5, low=0, high=50, level="paper")
    """Rounds of calibration of the simulation; 0 for none."""
    calibration_people: int = option(1024, low=16, high=100_000, level="paper")
    """People simulated in every round."""

    id = "activity-dp"
    accepts = Activities
    paper = "sound variant of MCDP (Parameshwarappa, Chen, Koru 2020); zCDP: Bun, Steinke 2016"
    layout = "states"
    needs_everybody = False
    read_alike = ("states", "dates", "interval")
    example = {"epsilon": 4.0, "delta": 1e-6, "force": True, "calibration_people": 128}  # noqa: RUF012

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.codebook)) != len(self.codebook) or len(self.codebook) == 1:
            raise self.refuse(
                f"codebook must name at least 2 states, each once, got {counted(len(self.codebook), 'name')} of which "
                f"{len(set(self.codebook))} differ."
            )
        if self.people_at_least is None and not self.force:
            raise self.refuse(
                "people_at_least is needed to tell what accuracy to expect before any budget is spent. Pass a number "
                "of people known from the study's protocol, or ‹force=True›."
            )

    @property
    def guarantee(self) -> Guarantee:
        """Differential privacy per person."""
        return differential_privacy(
            self.epsilon,
            self.delta,
            "person",
            (
                "Facts about the population: they may tell something about a person, whether in the data or not.",
                "The names of the states, the first and last day and the length of an interval: they are published as "
                "told; names that were found in the data are refused.",
                "Links between a person in the data and others: people who copy each other's days count one by one.",
                f"Accuracy: {self.outlook(len(self.codebook) or MEASURED_STATES)}",
            ),
        )

    @property
    def rho(self) -> float:
        """The zCDP budget behind (epsilon, delta)."""
        return rho_of(self.epsilon, self.delta)

    def index(self, n_states: int) -> float | None:
        """People x sqrt(rho), scaled to four states: what accuracy depends on. None if no number is known."""
        if self.people_at_least is None:
            return None
        return self.people_at_least * math.sqrt(self.rho) * math.sqrt((MEASURED_STATES - 1) / max(1, n_states - 1))

    def outlook(self, n_states: int) -> str:
        """What to expect with this budget, from public numbers alone."""
        index = self.index(n_states)
        if index is None:
            return "no number of people was given, so nothing can be expected of any figure."
        sentence = (
            f"with {counted(self.people_at_least, 'person', 'people')} and {counted(n_states, 'state')} the "
            f"index people * sqrt(rho) is {index:.0f}"
        )
        if index < REFUSE_BELOW:
            return f"{sentence}, below {REFUSE_BELOW:g}: spread between people and correlations will be wrong."
        if index < GOOD_ABOVE:
            return (
                f"{sentence}, between {REFUSE_BELOW:g} and {GOOD_ABOVE:g}: usable for totals, daily profiles and "
                "flows, not for differences between people."
            )
        return f"{sentence}, above {GOOD_ABOVE:g}: usable for all measured statistics."

    def apply(self, data: Activities, *, rng: Randomness, engine: Engine) -> Release:
        """Tell what to expect, measure with noise, fit, calibrate, simulate."""
        from sequester.methods.activity.activity_dp.people import People, coded

        # What all people share stands in every part of them.
        self._require_public(data)
        some = coded(next(iter(data)), self.codebook)
        self._expect(len(some.state_names), some.states.shape[1])
        released, ledger = self._measured(People(data, self.codebook, engine), some, rng.noise)
        return self._simulated(released, ledger, some, rng, engine)

    def _measured(self, people: People, some: Activities, noise: Noise) -> tuple[Released, Ledger]:
        """Everything that looks at people; `some` tells what all share."""
        from sequester.methods.activity.activity_dp.measure import measure

        names = some.state_names
        cal = calendar(some.states.shape[1], some.interval_seconds, some.start)
        ledger = Ledger.zcdp(epsilon=self.epsilon, delta=self.delta)
        missing = names.index(MISSING) if MISSING in names else None
        return measure(people, len(names), cal, ledger=ledger, noise=noise, missing=missing), ledger

    def require_over_sites(self, reading: Mapping[str, Any]) -> None:
        """States and days must be declared for all sites."""
        from sequester.methods.activity.activity_dp.over_sites import nobody

        some = nobody(reading)
        if self.codebook:
            raise InputError("federation: ‹states=› says which states there are. Leave ‹codebook=› out.")
        self._expect(len(some.state_names), some.states.shape[1])

    def over_sites(self, sites: Sites, reading: Mapping[str, Any], ask: Ask, noise: Noise) -> OverSites:
        """The same measurements, one question after the other to all sites."""
        from sequester.methods.activity.activity_dp.over_sites import PeopleElsewhere, nobody

        some = nobody(reading)
        released, ledger = self._measured(PeopleElsewhere(some, sites=sites, ask=ask), some, noise)

        def release(rng: Randomness, engine: Engine) -> Release:
            return self._simulated(released, ledger, some, rng, engine)

        return OverSites(_measurements(released), ledger, release)

    def site_answers(
        self, data: Activities, sites: Sites, reading: Mapping[str, Any]
    ) -> Callable[[Sequence[Item]], list[np.ndarray]]:
        """What the people of one site answer."""
        from sequester.methods.activity.activity_dp.over_sites import answers_of, nobody

        return answers_of(data, sites, nobody(reading))

    def _simulated(
        self, released: Released, ledger: Ledger, some: Activities, rng: Randomness, engine: Engine
    ) -> Release:
        """Fit, calibrate, simulate: from what was released alone."""
        from sequester.methods.activity.activity_dp.calibrate import calibrate, draws, simulated, simulated_blocks
        from sequester.methods.activity.activity_dp.model import first_model

        width = some.states.shape[1]
        cal = calendar(width, some.interval_seconds, some.start)
        model = calibrate(
            first_model(released, cal, self.candidates),
            released,
            generator=rng.secret,
            rounds=self.rounds,
            n_people=self.calibration_people,
            threads=engine.threads,
        )
        drawn = draws(round(released.n_people), len(cal.day_starts) - 1, len(model.chosen), rng.secret)
        large = engine.memory is not None and len(drawn.seeds) * width > engine.memory // 4
        if large:
            blocks = simulated_blocks(model, drawn, engine.threads)
            people_shown = gathered(blocks, folder=engine.scratch, in_files=True)
        else:
            people_shown = sequences_table(simulated(model, drawn, engine.threads))
        return Release(
            tables={
                "sequences": people_shown,
                **public_facts(some),
                "measurements": _measurements(released),
            },
            guarantee=self.guarantee,
            method=self,
            ledger=ledger,
            notes=self._notes(released, len(some.state_names)),
            teaching_only=rng.seeded,
        )

    def measure_noisily(self, data: Activities, *, rng: Randomness) -> Any:
        """All noisy measurements; what is fitted and drawn from them costs nothing more."""
        from sequester.methods.activity.activity_dp.measure import measure
        from sequester.methods.activity.activity_dp.people import People

        cal = calendar(data.states.shape[1], data.interval_seconds, data.start)
        ledger = Ledger.zcdp(epsilon=self.epsilon, delta=self.delta)
        return measure(People(data), len(data.state_names), cal, ledger=ledger, noise=rng.noise)

    def _require_public(self, data: Activities) -> None:
        """Refuse names of states that depend on the people in the data."""
        if not self.codebook and not data.names_public:
            raise InputError(
                "anonymize: differential privacy needs state names that do not depend on the people in the data, and "
                "these were found in it. Pass ‹codebook=›, or ‹states=› when the file is read."
            )

    def _expect(self, n_states: int, n_intervals: int) -> None:
        """Refuse before spending; depends on public numbers only."""
        if n_states < 2 or n_intervals < 2:
            raise InputError(
                f"activity-dp: at least 2 states and 2 intervals are needed, the data has {n_states} and "
                f"{n_intervals}. There is nothing to publish in a single one."
            )
        index = self.index(n_states)
        if index is not None and index < REFUSE_BELOW and not self.force:
            needed = math.ceil(self.people_at_least * REFUSE_BELOW / index)  # type: ignore[operator]
            raise InputError(
                f"activity-dp: {self.outlook(n_states)} No budget was spent. Raise epsilon, gather "
                f"{counted(needed, 'person', 'people')}, "
                "or pass ‹force=True›."
            )

    def _notes(self, released: Released, n_states: int) -> tuple[Note, ...]:
        """For the custodian: what to expect, and whether the public number of people was plausible."""
        notes = [Note("outlook", self.outlook(n_states).capitalize())]
        if self.people_at_least is not None and released.n_people + 4 * released.sd["people"] < self.people_at_least:
            notes.append(
                Note(
                    "people",
                    "The noisy count contradicts people_at_least: the accuracy is lower than the outlook says.",
                )
            )
        return tuple(notes)


def _measurements(released: Released) -> pa.Table:
    """The released numbers themselves, per person, with the noise they carry."""
    parts = [(name, np.ravel(v)) for name, v in released.value.items()]
    return pa.table(
        {
            "family": [name for name, v in parts for _ in range(len(v))],
            "cell": np.concatenate([np.arange(len(v), dtype=np.int32) for _, v in parts]),
            "value": np.concatenate([v for _, v in parts]),
            "noise_sd": np.concatenate([np.full(len(v), released.sd[name]) for name, v in parts]),
        }
    )

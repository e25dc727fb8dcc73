"""What a method is: a frozen value with a promise, and one pure function from data to release."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from sequester.dp.ledger import Ledger
from sequester.dp.noise import Noise
from sequester.dp.randomness import Randomness
from sequester.dp.sites import Ask, Item, OverSites, Sites
from sequester.engines import Engine
from sequester.errors import InputError, ParameterError, SequesterWarning, counted, marked
from sequester.model import Data
from sequester.options import options_of
from sequester.release import Guarantee, Release


class Witness(NamedTuple):
    """Two neighbouring datasets, and something that happens more often in the releases of one than of the other."""

    without: Data
    with_: Data
    happens: Callable[[Release], bool]


@dataclass(frozen=True, kw_only=True)
class Method:
    """Base of every method. A subclass is a frozen, keyword-only dataclass with a docstring under every field.

    It sets `id`, `accepts` and `paper`, declares its parameters (`option`), states its `guarantee` from them alone, and
    implements `apply`. What a declaration cannot say it checks in `__post_init__`.
    """

    id: ClassVar[str]
    accepts: ClassVar[type[Data]]
    """The model it works on."""
    layout: ClassVar[str] = "plain"
    """What its releases look like: the name of a layout (`sequester.layouts`). A method whose parameters decide it
    makes this a property."""
    paper: ClassVar[str]
    """Where the procedure was published."""
    example: ClassVar[Mapping[str, Any]]
    """Parameters for a first try on the sample data: the docs show them, the contract suite runs them."""
    for_odd_data: ClassVar[Mapping[str, Mapping[str, Any] | None]] = {}
    """What to add to `example` for data it else refuses: `repeated` (several records of a person), `missing` (values).
    None: it never takes such data, and its page says why. The contract suite holds it to that."""
    needs_everybody: ClassVar[bool] = True
    """Whether `apply` must see all people at once. If so, it is handed data in memory; if not, it measures every part
    of the data and adds up integers, so that the split never changes a digit. A method whose parameters decide it makes
    this a property."""
    read_alike: ClassVar[tuple[str, ...]] = ()
    """Keywords of the reader that several sites must share, if the method can be asked over sites; else nothing."""
    baseline: ClassVar[bool] = False
    """Shipped for comparison, not recommended."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        stated = cls.__dict__.get("guarantee")
        if isinstance(stated, property) and stated.fget:  # it follows from the parameters alone: worked out once
            cls.guarantee = cached_property(stated.fget)  # type: ignore[assignment,method-assign]
            cls.guarantee.__set_name__(cls, "guarantee")  # type: ignore[attr-defined]

    @property
    def guarantee(self) -> Guarantee:
        """What it promises, readable before any data is touched."""
        raise AttributeError(f"{type(self).__name__} states no guarantee")

    def apply(self, data: Any, *, rng: Randomness, engine: Engine) -> Release:
        """Protect `data`; never changes its input."""
        raise AttributeError(f"{type(self).__name__} cannot be applied")

    def require_over_sites(self, reading: Mapping[str, Any]) -> None:
        """Refuse parameters with which the data cannot stay at several sites. `reading` holds `read_alike`."""
        if not self.read_alike:
            raise InputError(
                f"federation: {self.id} cannot be asked over several sites. ngram-dp, markov-dp and activity-dp can."
            )

    def over_sites(self, sites: Sites, reading: Mapping[str, Any], ask: Ask, noise: Noise) -> OverSites:
        """Measure people who stay at several sites: a function of the parameters and of what was released alone.

        So every site can work out each next question, with its sizes, clips and noise, and answer no other.
        """
        raise NotImplementedError

    def site_answers(
        self, data: Any, sites: Sites, reading: Mapping[str, Any]
    ) -> Callable[[Sequence[Item]], list[np.ndarray]]:
        """What answers the questions of `over_sites` from the data of one site, without noise."""
        raise NotImplementedError

    def apply_in_groups(self, data: Any, groups: Any, *, rng: Randomness, engine: Engine) -> Release:
        """Protect `data` in groups of an earlier release: records of one number from 0 on are one group and stay alone;
        those of number -1 are grouped by the method among themselves.
        """
        raise self._no_groups()

    def require_groups_kept(self, data: Any) -> None:
        """Refuse data, or parameters, with which groups of an earlier release cannot be kept."""
        if type(self).apply_in_groups is Method.apply_in_groups:
            raise self._no_groups()
        if not data.people_known or data.n_people < data.n_records:
            raise InputError(
                "grouping: groups are kept for people with one record each; the data has "
                f"{counted(data.n_records, 'record')} of "
                f"{counted(data.n_people if data.people_known else 'unknown', 'person', 'people')}."
            )

    def takes_part(self, data: Any) -> Any:
        """Per record, whether the method would publish it at all."""
        return np.ones(data.n_records, dtype=bool)

    def _no_groups(self) -> InputError:
        return InputError(
            f"grouping: {self.id} has no groups of people that could be kept. Leave ‹grouping=› out; kapra, kp-naive, "
            "mcka and mdav-ka can keep them."
        )

    def budget(self) -> Ledger | None:
        """What it will spend on every person, known before any data is touched; None where it adds no noise.

        A method that keeps part of delta for mechanisms that can fail by themselves tells its own.
        """
        parameters = self.guarantee.parameters
        if self.guarantee.status != "proved" or "epsilon" not in parameters:
            return None
        epsilon, delta = float(parameters["epsilon"]), float(parameters.get("delta") or 0.0)
        return Ledger.zcdp(epsilon=epsilon, delta=delta) if delta else Ledger.pure(epsilon=epsilon)

    def measure_noisily(self, data: Any, *, rng: Randomness) -> Any:
        """The part of the method that draws noise, for the audit; where nothing is told apart, the whole of it."""
        return self.apply(data, rng=rng, engine=Engine(threads=1))

    def worst_case_neighbours(self, people: int | None) -> tuple[Data, Data] | None:
        """Data without and with the person who stands out most, for the audit; None: those of its kind of data."""
        return None

    def __post_init__(self) -> None:
        """Hold every parameter against what its field declares; one that is left out has nothing to hold."""
        for name, declared in options_of(type(self)).items():
            if getattr(self, name) is None and self._default(name) is None:
                continue
            if declared.low is not None:
                self.require(name, declared.low, declared.high, declared.why)
            elif declared.choices:
                self.require_choice(name, declared.choices)

    def roles(self, roles: Mapping[str, Any]) -> dict[str, Any]:
        """The roles of a source's columns, completed by those the method needs; one it would ignore is refused."""
        return dict(roles)

    def idle(self, data: Data | None = None) -> Mapping[str, str]:
        """Options that do nothing beside the others (or, once it is read, on this data) → what each goes with.

        One that was given is refused: nobody should believe that it did something. What a field needs is declared
        beside it; a method adds what only its data can tell.
        """
        return {
            name: declared.goes_with()
            for name, declared in options_of(type(self)).items()
            if any(getattr(self, other) not in values for other, values in declared.needs.items())
        }

    def _default(self, name: str) -> Any:
        return next(f.default for f in fields(self) if f.name == name)

    def given(self, name: str) -> bool:
        """Whether a parameter is other than its default."""
        return bool(getattr(self, name) != self._default(name))

    def require_used(self, data: Data | None = None) -> None:
        """Refuse parameters that would do nothing; a bundle that was made with some still opens."""
        for name, goes_with in self.idle(data).items():
            if self.given(name):
                raise self.refuse(
                    f"{marked(name, getattr(self, name))} would do nothing: it goes with {goes_with}. Leave it out."
                )

    def witness(self) -> Witness | None:
        """For a method that states an epsilon and draws no noise: what the audit counts instead of replaying noise."""
        return None

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """The method with these parameters, as `parameters` lists them: its one inverse."""
        return cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in parameters.items()})

    @property
    def parameters(self) -> dict[str, Any]:
        """Field names and values, as they go into the manifest and the command line."""
        return {
            name: len(getattr(self, name)) if declared.withheld else _json_ready(getattr(self, name), declared.path)
            for name, declared in options_of(type(self)).items()
        }

    @property
    def withheld(self) -> dict[str, Any]:
        """Values of fields of which only the length is published."""
        hidden = [name for name, declared in options_of(type(self)).items() if declared.withheld]
        return {name: list(value) for name in hidden if (value := getattr(self, name))}

    def refuse(self, why: str) -> ParameterError:
        """The error for a bad parameter: `raise self.refuse('k must be at least 2, got k=1.')`."""
        return ParameterError(f"{type(self).__name__}: {why}")

    def require(self, name: str, low: float, high: float | None = None, why: str = "") -> None:
        """Check that a numeric parameter lies in `low..high`."""
        value = getattr(self, name)
        whole = isinstance(low, int)
        bad_type = isinstance(value, bool) or not isinstance(value, int if whole else (int, float))
        if bad_type or value != value or value < low or (high is not None and value > high):
            noun = "a whole number" if whole else "a number"
            span = f"{noun} of at least {low}" if high is None else f"{noun} in {low}..{high}"
            raise self.refuse(f"{name} must be {span}, got {name}={value!r}.{' ' + why if why else ''}")

    def require_choice(self, name: str, choices: tuple[str, ...]) -> None:
        """Check that a parameter is one of a few words."""
        value = getattr(self, name)
        if value not in choices:
            raise self.refuse(f"{name} must be one of {', '.join(choices)}, got {name}={value!r}.")

    def require_declared(self, data: Data) -> None:
        """Differential privacy: refuse data whose reading depended on the people in it, before anything is spent.

        State names are the method's own matter: it may bring a code book.
        """
        if self.guarantee.status != "proved":
            return
        found = [fact.name for fact in data.reading if fact.how == "found" and fact.name != "states"]
        if found:
            options = " and ".join(DECLARED_BY.get(name, name) for name in found)
            raise InputError(
                f"anonymize: differential privacy needs to be told how the file is to be read, and {_joined(found)} "
                f"{'was' if len(found) == 1 else 'were'} found in the data, so one person could change it for "
                f"everybody. Pass {options}. No budget was spent."
            )

    def require_told(self, roles: Mapping[str, Any]) -> None:
        """Differential privacy: refuse roles that leave a fact to the data, before the file is read.

        Only what the roles alone tell is asked for here; `require_declared` looks at what was read.
        """
        timed = any(roles.get(name) for name in ("time", "start", "end"))
        if self.guarantee.status != "proved" or not timed or roles.get("layout", "table") != "table":
            return
        lacking = ["time format"] if roles.get("time_format", "auto") == "auto" else []
        if self.accepts.kind == "events" and roles.get("time_unit", "auto") == "auto":
            lacking.append("time unit")
        if self.accepts.kind == "events" and roles.get("time_unit") != "order" and getattr(self, "dates", "") is None:
            lacking.append("range of dates")
        if self.accepts.kind == "activity" and not roles.get("dates") and not roles.get("days"):
            lacking.append("calendar")
        if lacking:
            raise InputError(
                f"{self.id}: differential privacy needs to be told {_joined(lacking)}: found in the data, one person "
                f"could change it for everybody. Pass {' and '.join(DECLARED_BY[name] for name in lacking)}. The file "
                "was not read."
            )

    def require_observed(self, data: Any) -> None:
        """Activity of which hardly anything was observed makes a release of nothing; a DP method must not look."""
        if data.kind != "activity" or self.guarantee.status == "proved":
            return
        least = next((float(f.value) for f in data.reading if f.name == "least observed"), None)
        if least is None:  # made by hand
            return
        share = sum(part.observed * part.n_records for part in data) / data.n_records
        if share < least:
            raise InputError(
                f"anonymize: only {share:.1%} of the people's time was observed; {self.id} would publish the rest as "
                "missing. If people were recorded at different times, pass ‹align='monday'› and ‹days=› when the file "
                "is read; otherwise lower ‹least_observed=›."
            )
        if share < LITTLE_OBSERVED:
            warnings.warn(
                f"only {share:.1%} of the people's time was observed; the rest is published as missing.",
                SequesterWarning,
                stacklevel=4,
            )

    def require_people(self, data: Data, k: int) -> None:
        """Refuse data with fewer than `k` people."""
        if data.n_people < k:
            raise InputError(
                f"anonymize: k={k} needs {counted(k, 'person', 'people')}, the data has {data.n_people}. Lower k "
                "or add data."
            )


LITTLE_OBSERVED = 0.8
"""Below this share of observed time the custodian is warned."""


DECLARED_BY = {
    "samples per second": "‹rate=›",
    "time format": "‹time_format=›",
    "time unit": "‹time_unit=›",
    "range of dates": "‹dates=FROM..TO›",
    "calendar": "‹dates=FROM..TO› (or ‹align='monday'› and ‹days=D›)",
}
"""Fact → the option that declares it."""


def _joined(words: list[str]) -> str:
    return " and ".join(
        [", ".join(f"the {w}" for w in words[:-1]), f"the {words[-1]}"] if len(words) > 1 else [f"the {words[0]}"]
    )


def _json_ready(value: Any, is_path: bool) -> Any:
    if isinstance(value, tuple):
        return [_json_ready(v, is_path) for v in value]
    return Path(value).name if is_path and value is not None else value

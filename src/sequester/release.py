"""What travels between the steps: the promise, the release, and the evidence about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from sequester.dp.ledger import Ledger
from sequester.errors import ParameterError, PromiseBroken, counted
from sequester.model import Fact

if TYPE_CHECKING:
    from sequester.method import Method

STATUSES = ("verifiable", "verified", "proved", "as-published")
SIGNS = {"confirmed": "ok ", "broken": "NO ", "undecided": " ? "}
UNITS = ("occurrence", "record", "document", "person")


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """A promise, said in full: how strong, for whom, how sure, and what it leaves out."""

    model: str
    """Name of the promise; the judge that re-checks it is registered under this name."""
    level: str
    """The promise with its numbers, e.g. `(10,3)-anonymity`."""
    parameters: Mapping[str, Any]
    """The numbers alone."""
    unit: str
    """Whom or what it protects: `occurrence`, `record`, `document` or `person`."""
    status: str
    """`verifiable` (before the check), `verified` (after it), `proved` (DP) or `as-published`."""
    statement: str
    """One sentence a reader can hold us to."""
    not_covered: tuple[str, ...]
    """What the promise does not say, one sentence each; never empty."""
    needs_original: bool = False
    """Whether only someone who holds the original can re-check it."""

    def __post_init__(self) -> None:
        if self.status not in STATUSES or self.unit not in UNITS or not self.not_covered:
            raise ParameterError(
                f"Guarantee: status must be one of {STATUSES}, unit one of {UNITS}, and not_covered must not be "
                f"empty; got status '{self.status}', unit '{self.unit}', {len(self.not_covered)} exclusions."
            )

    def confirmed(self) -> Guarantee:
        """The same promise after the judge confirmed it."""
        return replace(self, status="verified") if self.status == "verifiable" else self

    def __str__(self) -> str:
        return f"{self.level} · unit: {self.unit} · status: {self.status}"

    def to_json(self) -> dict[str, Any]:
        """As it stands in the manifest."""
        return {**asdict(self), "parameters": dict(self.parameters), "not_covered": list(self.not_covered)}

    @classmethod
    def from_json(cls, declared: Mapping[str, Any]) -> Guarantee:
        """As it was read from a manifest."""
        return cls(**{**declared, "not_covered": tuple(declared["not_covered"])})


class Claim(Protocol):
    """What a judge needs: a release in memory or a bundle on disk."""

    @property
    def tables(self) -> Mapping[str, pa.Table]: ...
    @property
    def guarantee(self) -> Guarantee: ...
    @property
    def method_id(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...
    @property
    def layout(self) -> str: ...
    @property
    def ledger(self) -> Ledger | None: ...
    @property
    def federation(self) -> Mapping[str, Any] | None: ...
    @property
    def private(self) -> Mapping[str, pa.Table]: ...


@dataclass(frozen=True)
class Note:
    """Something the custodian should know about a run; it never enters a bundle."""

    about: str
    """One word: what it is about."""
    says: str
    """A sentence or two."""

    def __str__(self) -> str:
        return self.says


@dataclass(frozen=True, kw_only=True)
class Release:
    """Protected tables with the promise they keep. Nothing leaves the house without one."""

    tables: Mapping[str, pa.Table]
    """What is published, by file name without ending."""
    guarantee: Guarantee
    method: Method
    ledger: Ledger | None = None
    """How the privacy budget was spent (differential privacy only)."""
    federation: Mapping[str, Any] | None = None
    """Of data that stayed at several sites: how many, how many may collude, who a person is, and which study."""
    private: Mapping[str, pa.Table] = field(default_factory=dict, repr=False)
    """For the custodian alone (new record number → person, logs): never enters a bundle."""
    notes: tuple[Note, ...] = ()
    """What the custodian should know about this run; shown, kept with the private folder, never published."""
    reading: tuple[Fact, ...] = ()
    """How values became what is published; `anonymize` takes it over from the data, and the manifest shows it."""
    formats: Mapping[str, str] = field(default_factory=dict)
    """Table → `parquet` (default), `jsonl`, `csv`, `txt` (one file) or `folder` (a file per row)."""
    teaching_only: bool = False
    """Drawn with a known seed although the promise rests on secret noise."""
    people: Callable[[], Iterable[str]] | None = field(default=None, repr=False, compare=False)
    """Whose data it is made from, for the account; `anonymize` sets it, and it never enters a bundle."""

    @property
    def method_id(self) -> str:
        """Method that made it."""
        return self.method.id

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The method's parameters, as they stand in the manifest."""
        return self.method.parameters

    @property
    def layout(self) -> str:
        """Name of the layout of its tables."""
        return self.method.layout


@dataclass(frozen=True, kw_only=True)
class Check:
    """One recomputed condition of a promise: confirmed, broken, or undecided."""

    name: str
    passed: bool
    detail: str
    """What was counted; no values from the data."""
    undecided: bool = False
    """Nothing was found broken, but only the holder of the original can tell; then it has not passed."""
    of_release: bool = False
    """Counted from the released tables alone, so that its detail may be published also beside an original."""

    def __post_init__(self) -> None:
        if self.undecided and self.passed:
            raise ParameterError("Check: a check that is undecided has not passed.")

    @property
    def result(self) -> str:
        """`confirmed`, `broken` or `undecided`."""
        return "confirmed" if self.passed else "undecided" if self.undecided else "broken"


def from_release(checks: Iterable[Check]) -> list[Check]:
    """The same checks, marked as counted from the released tables alone: their details may be published."""
    return [replace(check, of_release=True) for check in checks]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a look at a release found. Every page, screen and file shows this value; nobody has words of their own."""

    result: str
    """`confirmed`, `broken` or `undecided`; of what was looked at."""
    colour: str
    """`promise`, `ledger` or `shape`: what was confirmed; else `broken` or `undecided`."""
    title: str
    """The finding in a few words."""
    checked: str
    """What was looked at."""
    against: str
    """`release alone` or `release and original`."""
    not_checked: tuple[str, ...] = ()
    """What nobody looked at, or nobody can see, a sentence each."""
    words: str
    """The whole in one or two sentences."""

    @property
    def complete(self) -> bool:
        """Confirmed, and everything that could be looked at was: exit code 0."""
        return self.result == "confirmed" and not self.words.startswith("NOT CHECKED")

    def leaving_out(self, lines: Iterable[str]) -> Verdict:
        """The same where some things were looked at in part only, a line each."""
        more = tuple(lines)
        return replace(self, not_checked=(*self.not_checked, *more), words=f"{self.words} In part: {'; '.join(more)}.")

    def to_json(self) -> dict[str, Any]:
        """As `--json`, reports and the workbench show it."""
        return {**asdict(self), "not_checked": list(self.not_checked), "complete": self.complete}


def verdict_on(
    guarantee: Guarantee, result: str, *, saw_original: bool, unchecked: Iterable[str] = (), undecided: str = ""
) -> Verdict:
    """The only place where a verdict is put into words.

    `unchecked` are files that nobody looked at; `undecided` says what could not be decided beside the original.
    """
    basis = "release and original" if saw_original else "release alone"
    whom = f"{guarantee.level}, protecting each {guarantee.unit}"
    blind = guarantee.model == "differential-privacy"
    kind = "ledger" if blind else "shape" if guarantee.status == "as-published" else "promise"
    checked, hidden = LOOKED_AT[kind]
    left: tuple[str, ...] = (hidden,) if hidden else ()
    if result == "broken":
        colour, title, said = "broken", "The promise does not hold.", f"NOT confirmed from the {basis}."
    elif result == "undecided" and saw_original:
        colour, title, said = "undecided", "Not decided.", f"not decided: {undecided or 'a check has no answer'}."
        left += (undecided,) if undecided else ()
    elif result == "undecided":
        colour, title, said = "undecided", UNDECIDED, "undecided without the original."
        left += ("What only the original can tell.",)
    else:
        colour, title = kind, TITLES[kind]
        said = {
            "promise": f"confirmed from the {basis}.",
            "ledger": "the ledger adds up and the tables have the method's shape; the noise itself cannot be seen.",
            "shape": f"shape check of the {basis} passed; the published claim itself cannot be checked.",
        }[kind]
    files = tuple(unchecked)
    first = f"NOT CHECKED: {'; '.join(files)}. " if files and result != "broken" else ""
    return Verdict(
        result=result, colour=colour, title=title, checked=checked, against=basis, not_checked=(*files, *left),
        words=f"{first}{whom}: {said}",
    )  # fmt: skip


LOOKED_AT = {
    "promise": ("the promise", ""),
    "ledger": ("the ledger and the shape of the tables", "The noise itself cannot be seen."),
    "shape": ("the shape of the tables", "The published claim itself cannot be checked."),
}
"""Kind of verdict → what is looked at, and what nobody can look at."""
TITLES = {
    "promise": "The promise is confirmed.",
    "ledger": "The ledger is checked; the noise cannot be seen.",
    "shape": "The shape is checked; the claim cannot be.",
}
UNDECIDED = "Only the holder of the original can tell."


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number with its meaning."""

    name: str
    value: float | int | str | None
    better: str = "neither"
    """`lower`, `higher` or `neither`."""
    says: str = ""
    """What the number means, in a sentence."""
    beside: str = ""
    """Name of the figure on whose line it is shown; its own name is that one, `_` and a word."""

    def __post_init__(self) -> None:
        if isinstance(self.value, float) and self.value != self.value:  # JSON has no such number
            object.__setattr__(self, "value", None)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Something found out about a release. It knows whether it saw the original: then it is private."""

    about: str
    """`verify`, `measure`, `portrait`, `assess`, `attack`, `audit`, `tune` or `notes`."""
    saw_original: bool
    summary: str = ""
    """The finding in one plain sentence."""
    checks: tuple[Check, ...] = ()
    figures: tuple[Figure, ...] = ()
    rows: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Curves and tables by name, as JSON rows."""
    verdict: Verdict | None = None
    """Of `verify`: what was found, and what was not looked at."""

    @property
    def holds(self) -> bool:
        """All checks passed, and there was at least one."""
        return bool(self.checks) and all(c.passed for c in self.checks)

    @property
    def undecided(self) -> bool:
        """Nothing was found broken, and at least one check needs the original."""
        return any(c.undecided for c in self.checks) and all(c.passed or c.undecided for c in self.checks)

    @property
    def result(self) -> str:
        """`confirmed`, `broken` or `undecided`: the exit code follows from this."""
        return "confirmed" if self.holds else "undecided" if self.undecided else "broken"

    def raise_if_broken(self) -> Evidence:
        """Return itself, or raise `PromiseBroken` naming the first check that failed."""
        if not self.holds:
            failed = [c for c in self.checks if not c.passed]
            why = f"{failed[0].name}: {failed[0].detail}" if failed else "no check was made"
            raise PromiseBroken(f"verify: the promise does not hold ({counted(len(failed), 'check')} failed; {why}).")
        return self

    def __getitem__(self, name: str) -> Any:
        for figure in self.figures:
            if figure.name == name:
                return figure.value
        raise KeyError(f"no figure '{name}'; there are {', '.join(f.name for f in self.figures)}")

    def to_json(self) -> dict[str, Any]:
        """For `--json` and the custodian's folder."""
        out = {"about": self.about, "saw_original": self.saw_original, "summary": self.summary}
        if self.checks:
            out |= {"holds": self.holds, "checks": [asdict(c) for c in self.checks]}
        if self.figures:
            out["figures"] = [asdict(f) for f in self.figures]
        if self.verdict:
            out["verdict"] = self.verdict.to_json()
        if self.rows:
            out["rows"] = {k: list(v) for k, v in self.rows.items()}
        return out

    def __str__(self) -> str:
        lines = [self.summary] if self.summary else []
        lines += [f"  {SIGNS[c.result]} {c.name}: {c.detail}" for c in self.checks]
        first = [f for f in self.figures if not f.beside]
        width = max((len(f.name) for f in first), default=0)
        for f in first:
            arrow = {"lower": "↓ lower is better", "higher": "↑ higher is better"}.get(f.better, "")
            more = {g.name[len(f.name) + 1 :]: shown(g.value) for g in self.figures if g.beside == f.name}
            spread = [f"{more.pop('low')} to {more.pop('high')}"] if {"low", "high"} <= set(more) else []
            sentence = ", ".join([*spread, *(f"{name} {value}" for name, value in more.items())])
            lines.append(
                "  ".join(part for part in (f"  {f.name:<{width}}", f"{shown(f.value):>10}", sentence, arrow) if part)
            )
        lines += [f"  {row['says']}" for row in self.rows.get("signature", ())]
        return "\n".join(line.rstrip() for line in lines)


def shown(value: Any) -> str:
    """A figure as a person reads it, on every page and on the screen; anything else as it is."""
    if value is None or value != value:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.4g}"
    return str(value)


def to_json_text(value: Any) -> str:
    """JSON as it is written everywhere here: sorted keys, two spaces, plain numbers, UTF-8."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, default=_plain) + "\n"


def as_json(value: Any) -> Any:
    """A value as whoever reads its JSON sees it: keys in order, lists instead of tuples, plain numbers."""
    return json.loads(json.dumps(value, sort_keys=True, default=_plain))


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):  # what SQL makes of a sum of whole numbers
        return int(value) if value == value.to_integral_value() else float(value)
    if hasattr(value, "item"):
        return value.item()
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"cannot write {type(value).__name__} as JSON")

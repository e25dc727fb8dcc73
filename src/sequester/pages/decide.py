"""For whom is a release fit? Rules that are written down (docs/decide.md), each shown with what it found.

Every rule looks at one fact and names the widest circle it allows; the narrowest of them is the verdict. No rule is
weighed against another, so nobody has to trust a score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sequester.languages import said
from sequester.layouts.log import objects_in
from sequester.pages.attacks import success
from sequester.pages.page import Section
from sequester.pages.words import count, percent
from sequester.query.bundle import Bundle

TITLE = "For whom is this release fit?"
NOBODY, HOUSE, PARTNERS, OPEN = range(4)
CIRCLES = ("nobody", "inside the house", "partners under an agreement", "open data")
VERDICTS = (
    "Fit for nobody outside of this test: do not hand it on.",
    "Fit for use inside the house, by people who may see the original too.",
    "Fit for partners under an agreement that forbids to look for people.",
    "Fit for open data.",
)
FEW = 100
"""People below which a release is not called fit for open data."""
EPSILONS = (1.0, 10.0)
"""Epsilon that is called strong, and the largest one for open data (Ponomareva et al. 2023; Hod and Canetti 2025)."""
CANDIDATES = (5, 11)
"""People among whom one hides: for partners, and for open data (a risk of 0.09, as regulators of medicines ask)."""

Evidence = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Rule:
    """One fact of a release and the widest circle it allows."""

    name: str
    fact: str
    allows: int
    change: str = ""
    """What would have to be otherwise for a wider circle."""


def verdict_section(bundle: Bundle, evidence: Evidence | None = None) -> Section:
    """The verdict, the rules behind it and what would change it; with `evidence` also what only a custodian knows."""
    rules = [r for r in found_rules(bundle, evidence) if r is not None]
    verdict = min(r.allows for r in rules)
    narrow = [r.name for r in rules if r.allows == verdict]
    says = VERDICTS[verdict]
    if verdict < OPEN:
        says += f" What holds it back: {', '.join(map(said, narrow))}."
    after = "Rules cannot know your law, your consents, or whether it harms a person to be known to be in this data."
    if bundle.guarantee.status != "proved":
        after += " Where taking part is a secret, take a release whose grade is proved: no other hides it."
    if evidence is None:
        says += (
            " Attacks and earlier releases are not counted here: the custodian's report has them and may allow less."
        )
    else:
        after += " You may disagree: each rule says which fact would change it."
    return Section(
        title=TITLE,
        says=says,
        caption="The rules, one by one",
        columns=("Rule", "This release", "Allows at most", "What would change it"),
        rows=tuple((r.name, r.fact, CIRCLES[r.allows], r.change) for r in rules),
        after=after,
    )


def found_rules(bundle: Bundle, evidence: Evidence | None) -> Iterator[Rule | None]:
    """All rules, in the order of the page in docs."""
    yield _seed(bundle)
    yield _grade(bundle)
    yield _unit(bundle)
    people = people_in(bundle, evidence)
    yield _bound(bundle, people[0])
    yield _sites(bundle)
    yield _kind(bundle)
    yield _people(*people)
    if evidence is not None:
        yield _attack(bundle, evidence)
        yield _earlier(bundle, evidence)


def _seed(bundle: Bundle) -> Rule | None:
    if not bundle.manifest.get("teaching_only"):
        return None
    return Rule("seed", "the noise was drawn with a known seed", NOBODY, "Publish again without a seed.")


def _grade(bundle: Bundle) -> Rule:
    grade = bundle.guarantee.status
    fact, allows, change = {
        "proved": ("proved: a ledger of noise that adds up", OPEN, ""),
        "verified": ("verified: the promise was recomputed from the files", OPEN, ""),
        "verifiable": ("not yet checked", HOUSE, "Verify the bundle."),
        "as-published": (
            "as published: no bound holds for one person", PARTNERS, "A method with a grade of proved or verified.",
        ),
    }[grade]  # fmt: skip
    return Rule("grade", fact, allows, change)


def _unit(bundle: Bundle) -> Rule:
    unit, claimed = bundle.guarantee.unit, bundle.guarantee.status == "as-published"
    if unit == "person":
        return Rule("unit", "the paper speaks of a whole person" if claimed else "a whole person is protected", OPEN)
    fact = f"one {unit} is protected, not a whole person"
    if claimed:
        fact = f"the paper speaks of one {unit}, not of a whole person"
    return Rule("unit", fact, PARTNERS, "A promise by person: a method that makes one, and the column of persons.")


def _bound(bundle: Bundle, people: int | None) -> Rule | None:
    promise = bundle.guarantee
    if promise.status == "as-published":
        return None  # its numbers bound nothing: the grade has said so
    given = promise.parameters
    if "epsilon" in given:
        strong, most = EPSILONS
        epsilon, delta = float(given["epsilon"]), float(given.get("delta") or 0.0)
        if delta and people and delta > 1 / people:
            fact = f"delta = {delta:g} is more than 1 in {count(people, 'person', 'people')}"
            return Rule("bound", fact, HOUSE, "A delta far below one over the number of people.")
        if epsilon > most:
            return Rule("bound", f"epsilon = {epsilon:g}", PARTNERS, f"An epsilon of at most {most:g}.")
        words = "strong" if epsilon <= strong else "in the range of published open data"
        return Rule("bound", f"epsilon = {epsilon:g}, {words}", OPEN)
    k, p = given.get("k"), given.get("p")
    if not isinstance(k, int):
        return None
    least = min(k, p) if isinstance(p, int) and p > 1 else k
    name = "p" if least != k else "k"
    partners, open_ = CANDIDATES
    allows = OPEN if least >= open_ else PARTNERS if least >= partners else HOUSE
    wider = f"{name} of at least {open_} for open data"
    if allows == HOUSE:
        wider += f", of at least {partners} for partners"
    return Rule("bound", f"{name} = {least}: one among at least {least}", allows, f"{wider}." if allows < OPEN else "")


def _sites(bundle: Bundle) -> Rule | None:
    over = bundle.manifest.get("federation")
    if not over:
        return None
    fact = "several sites together, which is experimental"
    if over["people"] != "disjoint":
        fact = "several sites together, which is experimental; a person at more than one of them spends more"
    return Rule("sites", fact, PARTNERS, "A release of one site, or a review of the federation by others.")


def _kind(bundle: Bundle) -> Rule | None:
    if bundle.guarantee.model not in ("public-words", "word-frequency"):
        return None
    fact = "words are counted one by one; side by side they can be one person's alone"
    return Rule("free text", fact, PARTNERS, "Whole runs of text that many share: the method k-repeats.")


def people_in(bundle: Bundle, evidence: Evidence | None = None) -> tuple[int | None, str]:
    """How many people, and how that is known: as the custodian counted them, or as far as the release tells it.

    A release tells it by rows, owners or histories. How many rows were drawn with noise says nothing about people:
    there what was declared counts.
    """
    first = [row["line"] for item in evidence or () if item["about"] == "reading" for row in item["rows"]["lines"][:1]]
    counted = COUNTED.search(first[0]) if first else None
    if counted:
        return int(counted[1].replace(",", "")), "original"
    if bundle.guarantee.status == "proved":
        least = bundle.parameters.get("people_at_least")
        return (least, "declared") if isinstance(least, int) else (None, "")
    for table in ("owners", "records", "sequences"):
        if table in bundle.tables:
            found = bundle.tables[table]
            column = "owner" if "owner" in found.column_names else None
            return len(set(found[column].to_pylist())) if column else found.num_rows, "shown"
    if "events" in bundle.tables and "object" in bundle.tables["events"].column_names:
        return int(objects_in(bundle.tables["events"])), "shown"
    return None, ""


COUNTED = re.compile(r": ([\d,]+) (?:person|people), [^:]*$")
"""People in the first line about a source."""


def _people(people: int | None, known: str) -> Rule:
    if people is None:
        return Rule("people", "the release does not tell how many", OPEN)
    many = count(people, "person", "people")
    fact = {"original": f"{many} in the original", "declared": f"at least {many}, as declared",
            "shown": f"{many} by what the release shows"}[known]  # fmt: skip
    if people >= FEW:
        return Rule("people", fact, OPEN)
    return Rule("people", fact, PARTNERS, f"At least {FEW} people: in a small circle others know who belongs to it.")


def _attack(bundle: Bundle, evidence: Evidence) -> Rule:
    rows = [r for item in evidence if item.get("about") == "attack" for r in item.get("rows", {}).get("attacks", ())
            if r.get("low") is not None]  # fmt: skip
    proved = bundle.guarantee.status == "proved"
    if not rows:
        if proved:
            return Rule("attacks", "none was made; the proof does not need them", OPEN)
        attack = "Attack it: `sequester attack BUNDLE --source SOURCE --keep`."
        return Rule("attacks", "none was made", PARTNERS, attack)
    broken = [r for r in rows if _promised(r) and r["low"] > r["bound"] + 1e-12]
    if broken:
        return Rule("attacks", f"{_strongest(broken)}: more than the promise allows", NOBODY, "A mended release.")
    gains = [r for r in rows if r["low"] > _others(r) and not _promised(r)]
    if not gains:
        fact = f"{_strongest(rows)}: no attack is surely better than on strangers, beyond what is promised"
        return Rule("attacks", fact, OPEN)
    fact = f"{_strongest(gains)}, strangers or guesses {percent(_others(_first(gains)))}"
    if proved:
        return Rule("attacks", f"{fact}; epsilon bounds what one person adds", OPEN)
    allows = HOUSE if bundle.guarantee.status == "as-published" else PARTNERS
    return Rule("attacks", fact, allows, "A stronger setting, or a method of grade proved.")


def _promised(row: Mapping[str, Any]) -> bool:
    return row.get("bound") is not None and row.get("covered") is not False


def _others(row: Mapping[str, Any]) -> float:
    return max(row.get("control") or 0.0, row.get("baseline") or 0.0)


def _first(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return max(rows, key=lambda r: r["low"] - _others(r))


def _strongest(rows: Sequence[Mapping[str, Any]]) -> str:
    return f"“{_first(rows).get('attack', 'attack')}” succeeds in {success(_first(rows))}"


def _earlier(bundle: Bundle, evidence: Evidence) -> Rule:
    tables = [item.get("rows", {}) for item in evidence]
    before = [r for t in tables for r in t.get("in_the_account", ())]
    if not before:
        return Rule("earlier releases", "none in this folder's account", OPEN)
    fact = f"{count(len(before), 'earlier release')} in this folder's account"
    if bundle.guarantee.status == "proved":
        change = "Nothing can be taken back: what was published stays known."
        if any(r.get("spends") for r in before):
            return Rule("earlier releases", f"{fact}; one of them spends without a bound", PARTNERS, change)
        sums = [f["value"] for item in evidence if item["about"] == "account" for f in item.get("figures", ())]
        if not sums or sums[0] is None or sums[0] > EPSILONS[1]:
            return Rule("earlier releases", f"{fact}; together more than epsilon = {EPSILONS[1]:g}", PARTNERS, change)
        return Rule("earlier releases", f"{fact}; together epsilon = {sums[0]:.3g}", OPEN)
    fine = [r for t in tables for r in t.get("earlier_releases", ())]
    if fine and all(r.get("outcome") == "fine" for r in fine):
        return Rule("earlier releases", f"{fact}; together they narrow nobody down below k", OPEN)
    return Rule("earlier releases", f"{fact}; together they can tell more", PARTNERS,
                "The groups of the earlier release, where the method takes them (`--grouping`). What was published "
                "stays known.")  # fmt: skip

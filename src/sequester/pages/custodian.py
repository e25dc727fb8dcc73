"""The custodian's report: the public one, and everything that was computed on the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sequester.errors import InputError
from sequester.languages import Name, said
from sequester.pages.attacks import ATTACKED, attack_section
from sequester.pages.board import board_section
from sequester.pages.decide import verdict_section
from sequester.pages.frontier import SETTINGS
from sequester.pages.page import Section, Table, folded, render
from sequester.pages.pictures import custodian_pictures, public_pictures
from sequester.pages.pictures.risk import risk_pictures
from sequester.pages.public import (
    check_tables,
    data_sections,
    dictionary_section,
    page_of,
    promise_sections,
    promise_values,
    public_sections,
)  # fmt: skip
from sequester.pages.words import called, count
from sequester.query.bundle import Bundle

TITLES = {
    "reading": "How was the source understood?",
    "notes": "What should you know about this release?",
    "account": "What do this and earlier releases tell together?",
    "look": "Would anybody want this release?",
    "verify": "Does the promise hold beside the original?",
    "measure": "How useful is what is left?",
    "assess": "How identifying is the original?",
    "attack": ATTACKED,
    "audit": "Does the noise keep its word?",
    "suggest-k": "Which k?",
    "tune": SETTINGS,
}
CHANGED = "What changed?"
DRAWN = {"attack": ("attacks",), "tune": ("settings",)}
"""Evidence that has a section of its own, once these rows are there; its figures stand in that section's table."""
BETTER = {"lower": "lower", "higher": "higher", "neither": ""}


def custodian_page(bundle: Bundle, name: str, evidence: Sequence[dict[str, Any]]) -> str:
    """The whole page as HTML; `evidence` are the JSON forms of the private evidence."""
    pictures = [*risk_pictures(evidence), *custodian_pictures(bundle, evidence)]
    shown = {p.replaces for p in pictures}
    public = [p for p in public_pictures(bundle) if p.title not in shown]
    found = {s.title: s for item in evidence for s in finding_sections(item)}
    first = [found.pop(title) for title in (TITLES["notes"], TITLES["account"]) if title in found]
    sections = [
        verdict_section(bundle, evidence), *five_section(evidence), *changed_section(evidence),
        board_section(bundle, evidence), *first, *pictures, *found.values(), *public,
        *promise_sections(bundle), dictionary_section(bundle), *data_sections(bundle),
    ]  # fmt: skip
    return render(
        "page.html",
        title=Name(f"{name}: " + said("custodian's report")),
        subtitle="This page contains figures computed on the original. Do not publish it.",
        private=True,
        sortable=True,
        sections=sections,
        footer="Keep this page with the original data.",
        **promise_values(bundle),
    )


FIVE = "How far is the release from the original?"
MOST = 20
"""More often than this the yardstick: how much more says nothing."""


def five_section(evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Some plain figures, each beside its yardstick, the worst first."""
    rows = [r for item in evidence for r in item.get("rows", {}).get("five", ())]
    if not rows:
        return []
    rows.sort(key=lambda r: -(r["times"] if r["times"] is not None else r["distance"] > 0 and MOST))
    worst = ", ".join(f"{r['figure']} ({_times(r)})" for r in rows[:3])
    return [
        Section(
            title=FIVE,
            says=f"Worst: {worst}. A figure of 1.0 is as far from the original as another sample of the same people.",
            caption="The release beside two halves of the real people",
            columns=("What", "Times the halves", "Release", "Two halves", "What is compared"),
            rows=tuple((r["figure"], _times(r), r["distance"], r["halves"], r["says"]) for r in rows),
            after="Two halves: what two random halves of the original people differ by. Below 1.0 is nearer than "
            "chance would be: of released rows a hint of copying, not a merit.",
        )
    ]


NOT_KEPT = {
    "use": "the custodian's folder has no figures of use. Measure the release first: `sequester measure BUNDLE "
    "--source SOURCE --keep`.",
    "attacks": "the custodian's folder has no attack. Attack the release first: `sequester attack BUNDLE --source "
    "SOURCE --keep`.",
}
"""What a custodian may disclose, and what to do where it is not there yet."""


def readers_page(bundle: Bundle, name: str, chosen: Sequence[str], evidence: Sequence[Mapping[str, Any]]) -> str:
    """The public report with what the custodian chose to tell besides; it stands beside a bundle and never in it."""
    told = [section for what in chosen for section in _disclosed(what, evidence)]
    first, *others = public_sections(bundle)
    footer = (
        "The custodian's own figures are marked; everything else on this page was computed from the released files "
        "alone."
    )
    return page_of(bundle, name, [first, *told, *others], footer)


def _disclosed(what: str, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    attacks = [row for item in evidence for row in item.get("rows", {}).get("attacks", ())]
    found = five_section(evidence) if what == "use" else attack_section(attacks)
    if not found:
        raise InputError(f"report: {NOT_KEPT[what]}")
    if what == "use":  # one figure each: readers need no more, and every further digit tells more
        found = [replace(s, columns=(*s.columns[:2], s.columns[4]), rows=tuple((*r[:2], r[4]) for r in s.rows))
                 for s in found]  # fmt: skip
    mark = "The custodian chose to disclose this. It was computed on the original; nobody else can check it."
    return [replace(s, says=f"{mark} {s.says}".strip()) for s in found]


def _times(row: Mapping[str, Any]) -> str:
    if row["times"] is None:
        return "–"
    return f"> {MOST}" if row["times"] > MOST else f"{row['times']:.1f}"


def changed_section(evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """The table a reader would make: original beside release, of what this kind of data is about."""
    rows = [r for item in evidence for r in item.get("rows", {}).get("changed", ())]
    if not rows:
        return []
    units = ("Unit",) if any(r.get("unit") for r in rows) else ()
    return [
        Section(
            title=CHANGED,
            says="What a user of the data would compute first: in the original, and in the release.",
            caption="Original beside release",
            columns=("What", "Original", "Release", "Difference", *units),
            rows=tuple(
                (r["what"], r["original"], r["release"], _difference(r["original"], r["release"]),
                 *(r.get("unit", "") for _ in units))
                for r in rows
            ),
            after="Every line compares the whole original with the whole release; no person is paired with a row.",
        )
    ]  # fmt: skip


def _difference(original: Any, release: Any) -> Any:
    """The release less the original; of what is told in words, nothing."""
    if not all(isinstance(v, (int, float)) for v in (original, release)):
        return ""
    return release - original


def finding_sections(item: Mapping[str, Any]) -> list[Section]:
    """Checks and figures of one piece of evidence, and the tables behind them folded."""
    about = item["about"]
    if any(item.get("rows", {}).get(name) for name in DRAWN.get(about, ())) or about == "portrait":
        return []
    title = TITLES.get(about, about)
    shown: tuple[tuple[Any, ...], ...] = ()
    columns: tuple[str, ...] = ()
    more: list[Table] = []
    if item.get("checks"):
        columns, shown, folds = check_tables(item["checks"])
        more += folds
    if item.get("figures"):
        lines = tuple((called(f["name"]), f["value"], BETTER[f["better"]], f["says"]) for f in item["figures"])
        names = ("Figure", "Value", "Better if", "What it says")
        if shown or len(lines) > FEW:
            more.insert(0, Table(summary=f"{count(len(lines), 'figure')} computed on the original", columns=names,
                                 rows=lines, sort=True))  # fmt: skip
        else:
            shown, columns = lines, names
    more += row_tables(item)
    if not (item.get("summary") or shown or more):
        return []
    return [
        Section(
            title=title, says=item.get("summary", ""), caption="Checks" if item.get("checks") else "Figures",
            columns=columns, rows=shown, more=tuple(more),
        )
    ]  # fmt: skip


FEW = 12
"""Longer lists of figures are folded."""
NAMED = {
    "in_the_account": "releases in this folder's account",
    "earlier_releases": "earlier releases compared with this one",
    "unicity": "how many known points single out a person",
    "curve": "text that a larger k keeps",
    "equal_kept": "the k at which both covers keep as much text",
    "daily": "minutes a day in each state",
    "profile": "the time of day of each state",
    "flows": "which state follows which",
    "bouts": "how long people stay in a state",
    "people": "how people differ from each other",
}
APART = ("changed", "five", "day", "members", "excerpts", "lines", "invented")
"""Rows that are only there to be drawn or stand in a section of their own."""


def row_tables(item: Mapping[str, Any]) -> list[Table]:
    """The tables behind the pictures."""
    return [
        folded(f"Table: {NAMED.get(name, name.replace('_', ' '))}, {count(len(table), 'row')}", table)
        for name, table in item.get("rows", {}).items()
        if table and name not in APART
    ]

"""The custodian's report: the public one, and everything that was computed on the original."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sequester.pages.page import Section, render
from sequester.pages.pictures import custodian_pictures, public_pictures
from sequester.pages.pictures.risk import risk_pictures
from sequester.pages.public import data_sections, promise_sections, promise_values
from sequester.query.bundle import Bundle

TITLES = {
    "reading": "How was the source understood?",
    "notes": "What should you know about this release?",
    "account": "What do this and earlier releases tell together?",
    "verify": "Does the promise hold beside the original?",
    "measure": "How useful is what is left?",
    "assess": "How identifying is the original?",
    "attack": "What does an adversary achieve?",
    "audit": "Does the noise keep its word?",
    "suggest-k": "Which k?",
    "tune": "What would other parameters give?",
}
CHECKED = {"attack": "Do the attacks stay within what was promised?"}
"""Titles of the checks where they answer another question than the figures."""
BETTER = {"lower": "lower", "higher": "higher", "neither": ""}


def custodian_page(bundle: Bundle, name: str, evidence: Sequence[dict[str, Any]]) -> str:
    """The whole page as HTML; `evidence` are the JSON forms of the private evidence."""
    first = [section for item in evidence for section in finding_sections(item)]
    last = [section for item in evidence for section in row_sections(item)]
    pictures = custodian_pictures(bundle, evidence) + risk_pictures(evidence)
    shown = {p.replaces for p in pictures}
    public = [p for p in public_pictures(bundle) if p.title not in shown]
    return render(
        "page.html",
        title=f"{name}: custodian's report",
        subtitle="This page contains figures computed on the original. Do not publish it.",
        private=True,
        sections=pictures + first + public + promise_sections(bundle) + last + data_sections(bundle),
        footer="Keep this page with the original data.",
        **promise_values(bundle),
    )


def finding_sections(item: dict[str, Any]) -> list[Section]:
    """Checks and figures of one piece of evidence."""
    title = TITLES.get(item["about"], item["about"])
    sections = []
    if item.get("checks"):
        rows = tuple((c["name"], "holds" if c["passed"] else "does not hold", c["detail"]) for c in item["checks"])
        sections.append(
            Section(
                title=CHECKED.get(item["about"], title),
                says=item.get("summary", ""),
                caption="Checks",
                columns=("Check", "Result", "Counted"),
                rows=rows,
            )
        )
    if item.get("figures"):
        lines = tuple((f["name"], f["value"], BETTER.get(f["better"], ""), f["says"]) for f in item["figures"])
        sections.append(
            Section(
                title=title,
                says="" if sections else item.get("summary", ""),
                caption="Figures computed on the original",
                columns=("Figure", "Value", "Better is", "What it says"),
                rows=lines,
            )
        )
    if not sections and item.get("summary"):
        sections.append(Section(title=title, says=item["summary"]))
    return sections


def row_sections(item: dict[str, Any]) -> list[Section]:
    """The tables behind the pictures; a portrait is only there to be drawn."""
    sections: list[Section] = []
    if item["about"] == "portrait":
        return sections
    for name, table in item.get("rows", {}).items():
        if table:
            columns = tuple(dict.fromkeys(key for row in table for key in row))
            cells = tuple(tuple(row.get(c) for c in columns) for row in table)
            title = f"Table: {name.replace('_', ' ')} ({item['about']})"
            sections.append(Section(title=title, columns=columns, rows=cells))
    return sections

"""The custodian's report: the public one, and everything that was computed on the original."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sequester.query.bundle import Bundle
from sequester.report.page import Section, render
from sequester.report.public import GRADES, data_sections, promise_sections

TITLES = {
    "verify": "The promise, checked against the original",
    "measure": "How useful is what is left?",
    "assess": "How identifying is the original?",
    "attack": "What an adversary achieves",
    "tune": "Risk and loss over the parameters",
}


def custodian_page(bundle: Bundle, name: str, evidence: Sequence[dict[str, Any]]) -> str:
    """The whole page as HTML; `evidence` are the JSON forms of the private evidence."""
    sections = [section for item in evidence for section in evidence_sections(item)]
    return render(
        "page.html",
        title=f"{name}: custodian's report",
        subtitle="PRIVATE: this page contains figures computed on the original. Do not publish it.",
        guarantee=bundle.guarantee,
        grade=GRADES[bundle.guarantee.status],
        sections=sections + promise_sections(bundle) + data_sections(bundle),
        footer="Keep this page with the original data.",
    )


def evidence_sections(item: dict[str, Any]) -> list[Section]:
    """Checks, figures and curves of one piece of evidence."""
    title = TITLES.get(item["about"], item["about"])
    sections = []
    if item.get("checks"):
        rows = tuple((c["name"], "holds" if c["passed"] else "does not hold", c["detail"]) for c in item["checks"])
        sections.append(Section(title=title, says=item["summary"], columns=("Check", "Result", "Counted"), rows=rows))
    if item.get("figures"):
        lines = tuple((f["name"], _number(f["value"]), _better(f["better"]), f["says"]) for f in item["figures"])
        columns = ("Figure", "Value", "Better is", "What it says")
        sections.append(Section(title=title, says=item["summary"], columns=columns, rows=lines))
    for name, table in item.get("rows", {}).items():
        if table:
            columns = tuple(table[0])
            cells = tuple(tuple(_number(row.get(c)) for c in columns) for row in table[:200])
            sections.append(Section(title=f"{title} {name}", columns=columns, rows=cells))
    return sections


def _better(told: str) -> str:
    return "" if told == "neither" else told


def _number(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else ("" if value is None else value)

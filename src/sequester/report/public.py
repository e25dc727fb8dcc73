"""The public report: what a bundle promises and what it looks like, from the bundle alone."""

from __future__ import annotations

from typing import Any

from sequester.query.bundle import Bundle
from sequester.report.page import Section, render

GRADES = {
    "verified": "an independent check recomputed it from the released files",
    "verifiable": "it can be recomputed from the released files; this has not been done yet",
    "proved": "differential privacy by a ledger that adds up, with noise from a vetted library",
    "as-published": "the published procedure as it is; its formal claim does not hold or cannot be checked",
}


def public_page(bundle: Bundle, name: str) -> str:
    """The whole page as HTML."""
    return render(
        "page.html",
        title=name,
        subtitle=f"Public report of a release made with the method {bundle.method_id}.",
        guarantee=bundle.guarantee,
        grade=GRADES[bundle.guarantee.status],
        sections=promise_sections(bundle) + data_sections(bundle),
        footer="Everything on this page was computed from the released files alone.",
    )


def promise_sections(bundle: Bundle) -> list[Section]:
    """How it was made and what was checked."""
    method = bundle.manifest["method"]
    facts = tuple((n, "not set" if v is None else str(v)) for n, v in sorted(method["parameters"].items()))
    checked = bundle.manifest["verification"]
    rows = tuple((c["name"], "holds" if c["passed"] else "does not hold", c["detail"]) for c in checked["checked"])
    sections = [
        Section(title="How it was made", says=f"Method {method['id']}, from {method['paper']}.", facts=facts),
        Section(
            title="What was checked",
            says=f"The promise was {checked['result']} from the {checked['basis']}. To check it yourself:",
            columns=("Check", "Result", "Counted"),
            rows=rows,
            command="sequester verify NAME.bundle",
        ),
    ]
    if bundle.ledger:
        ledger = bundle.ledger
        spent = tuple((e.mechanism, f"{e.amount:.6g}", f"{e.amount / ledger.total:.1%}") for e in ledger.entries)
        says = (
            f"The whole budget is epsilon = {ledger.epsilon:g}, delta = {ledger.delta:g} per {ledger.unit}, "
            f"{ledger.measure} = {ledger.total:.6g}; {ledger.spent / ledger.total:.1%} of it was spent."
        )
        sections.append(
            Section(title="The privacy budget", says=says, columns=("Mechanism", ledger.measure, "Share"), rows=spent)
        )
    return sections


def data_sections(bundle: Bundle) -> list[Section]:
    """What is inside."""
    rows: list[tuple[Any, ...]] = [
        (f["path"], f["rows"], f["bytes"], ", ".join(list(f["schema"])[:8])) for f in bundle.manifest["files"][:50]
    ]
    return [Section(title="What is inside", columns=("File", "Rows", "Bytes", "Columns"), rows=tuple(rows))]

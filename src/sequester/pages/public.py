"""The public report: what a bundle promises and what it looks like, from the bundle alone."""

from __future__ import annotations

from typing import Any

from sequester.kinds import kind_named
from sequester.pages.page import Section, render
from sequester.pages.pictures import public_pictures
from sequester.pages.sketch import shares
from sequester.query.bundle import Bundle

GRADES = {
    "verified": "an independent check recomputed it from the released files",
    "verifiable": "it can be recomputed from the released files; this has not been done yet",
    "proved": "differential privacy by a ledger that adds up, with noise from a vetted library",
    "as-published": "the published procedure as it is; its formal claim does not hold or cannot be checked",
}
SIGNS = {"verified": "✔", "verifiable": "…", "proved": "∑", "as-published": "△"}


def public_page(bundle: Bundle, name: str) -> str:
    """The whole page as HTML."""
    return render(
        "page.html",
        title=name,
        subtitle=f"Public report of {kind_named(bundle.kind).called} released with the method {bundle.method_id}.",
        private=False,
        sections=public_pictures(bundle) + promise_sections(bundle) + data_sections(bundle),
        footer="Everything on this page was computed from the released files alone.",
        **promise_values(bundle),
    )


def promise_values(bundle: Bundle) -> dict[str, Any]:
    """What the box on top of a report says."""
    status = bundle.guarantee.status
    beside = " beside the original" if status == "verified" and bundle.guarantee.needs_original else ""
    return {
        "guarantee": bundle.guarantee,
        "grade": GRADES[status] + beside,
        "sign": SIGNS[status],
        "teaching": bool(bundle.manifest.get("teaching_only")),
        "made_with": bundle.manifest.get("created_with", ""),
    }


def promise_sections(bundle: Bundle) -> list[Section]:
    """How it was made and what was checked."""
    method = bundle.manifest["method"]
    facts = tuple((n, _told(v)) for n, v in sorted(method["parameters"].items()))
    checked = bundle.manifest["verification"]
    told = any(c["detail"] for c in checked["checked"])  # beside an original, what was counted stays private
    rows = tuple(
        (c["name"], "holds" if c["passed"] else "does not hold", *([c["detail"]] if told else []))
        for c in checked["checked"]
    )
    needs = " --source ORIGINAL" if bundle.guarantee.needs_original else ""
    sections = [
        Section(
            title="What was checked?",
            says=f"The promise was {checked['result']} from the {checked['basis']}.",
            caption="Checks made before publication",
            columns=("Check", "Result", "Counted") if told else ("Check", "Result"),
            rows=rows,
            after="To check it yourself:",
            command=f"sequester verify NAME.bundle{needs}",
        ),
        Section(title="How was it made?", says=f"Method {method['id']}, from {method['paper']}.", facts=facts),
    ]
    if bundle.manifest.get("reading"):
        read = tuple((fact["name"], _told(fact["value"]), fact["how"]) for fact in bundle.manifest["reading"])
        sections.append(
            Section(
                title="How was the source read?",
                says="What you need to know to understand the values.",
                caption="Facts about the reading",
                columns=("Fact", "Value", "From where"),
                rows=read,
            )
        )
    if bundle.ledger:
        sections.insert(0, ledger_section(bundle))
    return sections


def ledger_section(bundle: Bundle) -> Section:
    """The privacy budget as a bar and as a table."""
    ledger = bundle.ledger
    assert ledger is not None
    spent = tuple((e.mechanism, f"{e.amount:.4g}", f"{e.amount / ledger.total:.1%}") for e in ledger.entries)
    delta = f", delta = {ledger.delta:g}" if ledger.delta else ""
    through = "" if ledger.measure == "epsilon" else f" It is kept in {ledger.measure} = {ledger.total:.4g}."
    return Section(
        title="Where did the privacy budget go?",
        says=(
            f"The whole budget is epsilon = {ledger.epsilon:g}{delta} per {ledger.unit}.{through} "
            f"{ledger.spent / ledger.total:.1%} of it was spent."
        ),
        svg=shares([(e.mechanism, e.amount) for e in ledger.entries], ledger.total, ledger.measure),
        alt="Bar of the budget: " + ", ".join(f"{name} {share}" for name, _, share in spent) + ".",
        caption="The ledger, mechanism by mechanism",
        columns=("Mechanism", ledger.measure, "Share"),
        rows=spent,
    )


def data_sections(bundle: Bundle) -> list[Section]:
    """What is inside."""
    files = bundle.manifest["files"]
    rows: list[tuple[Any, ...]] = [(f["path"], f["rows"], f["bytes"], _columns(f["schema"])) for f in files[:50]]
    more = f"{len(files) - 50:,} further files are listed in manifest.json." if len(files) > 50 else ""
    return [
        Section(
            title="What is inside?",
            caption="Files of the bundle",
            columns=("File", "Rows", "Bytes", "Columns"),
            rows=tuple(rows),
            after=more,
        )
    ]


def _columns(schema: dict[str, str]) -> str:
    names = list(schema)
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _told(value: Any) -> str:
    if value is None or value == []:
        return "not set"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

"""The public report, from the bundle alone: what it promises, what it looks like, and its columns in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sequester.kinds import kind_named
from sequester.languages import Name
from sequester.layouts.dictionary import meaning, says
from sequester.model import INVENTED
from sequester.pages.board import board_section, share, shares
from sequester.pages.decide import verdict_section
from sequester.pages.in_figures import figures_section
from sequester.pages.page import Section, Table, render
from sequester.pages.pictures import public_pictures
from sequester.pages.words import count, mechanism
from sequester.query.bundle import Bundle
from sequester.release import shown

TITLE = "What does each column mean?"
KINDS = (
    ("int", "whole number"), ("uint", "whole number"), ("double", "number"), ("float", "number"), ("string", "text"),
    ("timestamp", "date and time"), ("date", "date"), ("list", "list"), ("bool", "yes or no"),
)  # fmt: skip
MANY = 40


def dictionary_section(bundle: Bundle) -> Section:
    """One folded table of columns per released table; the first one is what most readers want."""
    more = []
    for name, table in bundle.tables.items():
        rows: list[tuple[Any, ...]] = [
            (Name(c), _kind(str(table.schema.field(c).type)), meaning(bundle.manifest, bundle.layout, name, c))
            for c in table.column_names[:MANY]
        ]
        if len(table.column_names) > MANY:
            rows.append((f"and {len(table.column_names) - MANY:,} further columns of the same sort", "", ""))
        sentence = f"Table {name}: {count(table.num_rows, 'row')}, {count(len(table.column_names), 'column')}"
        columns = ("Column", "Type", "Meaning")
        more.append(Table(summary=sentence, columns=columns, rows=tuple(rows), says=says(bundle.layout, name)))
    return Section(title=TITLE, says="Open a table to read what its columns hold.", more=tuple(more))


def _kind(text: str) -> str:
    return next((words for start, words in KINDS if text.startswith(start)), text)


GRADES = {
    "verified": "an independent check recomputed it from the released files",
    "verifiable": "it can be recomputed from the released files; this has not been done yet",
    "proved": "differential privacy by a ledger that adds up, with noise from a vetted library",
    "as-published": "the published procedure as it is; its formal claim does not hold or cannot be checked",
}
SIGNS = {"verified": "✔", "verifiable": "…", "proved": "∑", "as-published": "△"}


def public_page(bundle: Bundle, name: str) -> str:
    """The whole page as HTML."""
    footer = "Everything on this page was computed from the released files alone."
    return page_of(bundle, name, public_sections(bundle), footer)


def public_sections(bundle: Bundle) -> list[Section]:
    """What a bundle tells by itself, the verdict first."""
    return [
        verdict_section(bundle),
        board_section(bundle),
        *figures_section(bundle),
        *([Section(title="Who vouches for this?", says=" ".join(bundle.signed))] if bundle.signed else []),
        *public_pictures(bundle),
        *promise_sections(bundle),
        dictionary_section(bundle),
        *data_sections(bundle),
    ]


def page_of(bundle: Bundle, name: str, sections: Sequence[Section], footer: str) -> str:
    """A page for readers as HTML."""
    return render(
        "page.html",
        title=Name(name),
        subtitle=f"Public report of {kind_named(bundle.kind).called} released with the method {bundle.method_id}.",
        private=False,
        sections=sections,
        footer=footer,
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
    given = sorted(method["parameters"].items())
    facts = [("Method", Name(method["id"])), ("Published in", Name(method["paper"]))]
    facts += [(Name(n.rstrip("_").replace("_", " ")), Name(_value(v))) for n, v in given if not _unset(v)]
    unset = ", ".join(n.rstrip("_").replace("_", " ") for n, v in given if _unset(v))
    facts += [("not set", Name(unset))] if unset else []
    checked = bundle.manifest["verification"]
    columns, lines, folds = check_tables(checked["checked"])
    needs = " --source ORIGINAL" if bundle.guarantee.needs_original else ""
    sections = [
        Section(
            title="What was checked?",
            says=f"{bundle.verdict.words} {_all(checked)}",
            caption="Checks made before publication",
            columns=columns,
            rows=lines,
            more=tuple(folds),
            after="To check it yourself:",
            command=f"sequester verify NAME.bundle{needs}",
        ),
        Section(title="How was it made?", facts=tuple(facts)),
    ]
    if bundle.manifest.get("reading"):
        rows = tuple((Name(f["name"].replace("_", " ")), _read(f), f["how"]) for f in bundle.manifest["reading"])
        sections.append(
            Section(
                title="How was the source read?", says="What you need to know to understand the values.",
                caption="Facts about the reading", columns=("Fact", "Value", "From where"), rows=rows,
            )
        )  # fmt: skip
    if bundle.ledger:
        sections.insert(0, ledger_section(bundle))
    return sections


IN_WORDS = {("time zone", "wall"): "none: times as they are written"}
"""Facts whose value is an option's, not a reader's word."""
FEW_CHECKS = 6
"""Longer lists of checks are folded; what did not hold never is."""


def check_tables(
    checks: Sequence[Mapping[str, Any]],
) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...], list[Table]]:
    """Checks as columns and rows to show, and the rest folded."""
    found = any(c.get("detail") for c in checks)  # beside an original, what was counted stays private
    columns = ("Check", "Result", "Counted") if found else ("Check", "Result")
    rows = [(c["name"], _result(c), *([c["detail"]] if found else [])) for c in checks]
    if len(rows) <= FEW_CHECKS:
        return columns, tuple(rows), []
    open_ = [row for row, c in zip(rows, checks, strict=True) if not c["passed"]]
    return columns, tuple(open_), [Table(summary=f"All {len(rows)} checks", columns=columns, rows=tuple(rows))]


def _result(check: Mapping[str, Any]) -> str:
    if check["passed"]:
        return "holds"
    return "undecided: needs the original" if check.get("undecided") else "does not hold"


def _all(checked: Mapping[str, Any]) -> str:
    beside = checked["beside_original"]
    n = len(checked["checked"]) + beside
    said = f"All {n} checks hold." if n > 1 else "The one check holds."
    return (
        f"{said} {count(beside, 'check')} looked at the original; what was counted there stays private."
        if beside
        else said
    )


def ledger_section(bundle: Bundle) -> Section:
    """The privacy budget as a bar and as a table."""
    ledger = bundle.ledger
    assert ledger is not None
    spent = tuple(
        (mechanism(e.mechanism), Name(e.mechanism), f"{e.amount:.4g}", f"{e.amount / ledger.total:.1%}")
        for e in ledger.entries
    )
    delta = f" and delta = {ledger.delta:g}" if ledger.delta else ""
    through = "" if ledger.measure == "epsilon" else (
        f" It is accounted as {ledger.measure} = {ledger.total:.4g} (zero-concentrated differential privacy)."
    )  # fmt: skip
    whole = ledger.spent / ledger.total
    return Section(
        title="Where did the privacy budget go?",
        says=f"The whole budget is epsilon = {ledger.epsilon:g}{delta} per {ledger.unit}.{through} "
        + ("All of it was spent." if whole > 0.9995 else f"{whole:.1%} of it was spent."),
        svg=shares([(mechanism(e.mechanism), e.amount) for e in ledger.entries], ledger.total),
        alt="Bar of the budget: " + ", ".join(f"{words} {share}" for words, _, _, share in spent) + ".",
        more=(
            Table(
                summary=f"The ledger, {count(len(spent), 'part')}",
                columns=("What was measured", "Mechanism", Name(ledger.measure), "Share"),
                rows=spent,
            ),
        ),
    )


FEW_FILES = 10


def data_sections(bundle: Bundle) -> list[Section]:
    """What is inside."""
    files = bundle.manifest["files"]
    rows: list[tuple[Any, ...]] = [
        (Name(f["path"]), f["rows"], f["bytes"], Name(_columns(f["schema"]))) for f in files[:50]
    ]
    more = f"{len(files) - 50:,} further files are listed in manifest.json." if len(files) > 50 else ""
    title, caption, columns = "What is inside?", "Files of the bundle", ("File", "Rows", "Bytes", "Columns")
    if len(rows) <= FEW_FILES:
        return [Section(title=title, caption=caption, columns=columns, rows=tuple(rows), after=more)]
    table = Table(summary=caption, columns=columns, rows=tuple(rows))
    return [Section(title=title, caption=caption, says=f"{count(len(files), 'file')}.", more=(table,), after=more)]


def _columns(schema: dict[str, str]) -> str:
    names = list(schema)
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _read(fact: Mapping[str, Any]) -> str:
    """A fact about the reading."""
    if fact["name"].startswith(INVENTED):
        return share(fact["value"])
    return IN_WORDS.get((fact["name"], str(fact["value"]))) or Name(_value(fact["value"]))


def _unset(value: Any) -> bool:
    return value is None or value == []


def _value(value: Any) -> str:
    """A parameter or a fact in words: no braces, no True."""
    if _unset(value):
        return "not set"
    if isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')} {_value(v)}" for name, v in value.items())
    return (
        ", ".join(map(_value, value)) if isinstance(value, list) else value if isinstance(value, str) else shown(value)
    )

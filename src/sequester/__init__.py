"""sequester: publish sequential health data without publishing people."""

from __future__ import annotations

from typing import Any

from sequester.flow import (
    anonymize,
    assess,
    assessor,
    custodian,
    keep,
    measure,
    open_bundle,
    publish,
    reader,
    report,
    sample,
    verify,
    write_sample,
)
from sequester.lazy import load as _load
from sequester.version import VERSION

_VERBS = (
    anonymize,
    assess,
    assessor,
    custodian,
    keep,
    measure,
    open_bundle,
    publish,
    reader,
    report,
    sample,
    verify,
    write_sample,
)

_PUBLIC = {
    "Account": "sequester.accounts:Account",
    "Activities": "sequester.model:Activities",
    "Bundle": "sequester.query.bundle:Bundle",
    "BundleError": "sequester.errors:BundleError",
    "BudgetError": "sequester.errors:BudgetError",
    "Corpus": "sequester.model:Corpus",
    "Engine": "sequester.engines:Engine",
    "EventLog": "sequester.model:EventLog",
    "Evidence": "sequester.release:Evidence",
    "Guarantee": "sequester.release:Guarantee",
    "InputError": "sequester.errors:InputError",
    "KINDS": "sequester.kinds:KINDS",
    "Kind": "sequester.kinds:Kind",
    "LAYOUTS": "sequester.layouts:LAYOUTS",
    "Ledger": "sequester.dp.ledger:Ledger",
    "METHODS": "sequester.methods:METHODS",
    "Method": "sequester.method:Method",
    "ParameterError": "sequester.errors:ParameterError",
    "Plan": "sequester.plan:Plan",
    "PromiseBroken": "sequester.errors:PromiseBroken",
    "Release": "sequester.release:Release",
    "SequesterError": "sequester.errors:SequesterError",
    "SequesterWarning": "sequester.errors:SequesterWarning",
    "Series": "sequester.model:Series",
    "SymbolSeries": "sequester.model:SymbolSeries",
    "Note": "sequester.release:Note",
    "kind_by_columns": "sequester.kinds:kind_by_columns",
    "kind_by_ending": "sequester.kinds:kind_by_ending",
    "attack": "sequester.attacks.trial:attack",
    "audit": "sequester.audits.run:audit",
    "copies_of": "sequester.layouts:copies_of",
    "findings_html": "sequester.pages.fragment:findings",
    "for_audit": "sequester.audits.run:for_audit",
    "method_class": "sequester.methods:method_class",
    "methods_for": "sequester.methods:methods_for",
    "portraits": "sequester.flow:portraits",
    "read_plan": "sequester.plan_reading:read_plan",
    "Publication": "sequester.bundle.card:Publication",
    "carry_out": "sequester.publication:carry_out",
    "read_descriptions": "sequester.bundle.card:read_descriptions",
    "require_free": "sequester.bundle.atomic:require_free",
    "open_account": "sequester.accounts:open_account",
    "released_html": "sequester.pages.fragment:released",
    "require_writable": "sequester.bundle.atomic:require_writable",
    "run_plan": "sequester.plan:run_plan",
    "to_json_text": "sequester.release:to_json_text",
    "side_by_side_html": "sequester.pages.fragment:side_by_side",
    "tour_page": "sequester.pages.tour:tour_page",
    "suggest_k": "sequester.utility.suggest_k:suggest_k",
    "tune": "sequester.tuning:tune",
}
"""Public name → where it lives. Nothing is imported before it is used."""

__version__ = VERSION


def _names() -> dict[str, str]:
    """The fixed names, one class per method, one reader per kind of data, and the verbs."""
    from sequester.kinds import KINDS
    from sequester.methods import METHODS

    classes = {where.partition(":")[2]: where for where in METHODS.values()}
    readers = {where.partition(":")[2]: where for where in (k.reader for k in KINDS.values())}
    verbs = {verb.__name__: f"sequester.flow:{verb.__name__}" for verb in _VERBS}
    return dict(sorted((_PUBLIC | classes | readers | verbs).items()))


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_names())
    where = _names().get(name)
    if where is None:
        raise AttributeError(f"module 'sequester' has no attribute '{name}'")
    return _load(where)


def __dir__() -> list[str]:
    return sorted([*_names(), "__version__"])

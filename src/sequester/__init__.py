"""sequester: publish sequential health data without publishing people.

Type checkers read `__init__.pyi`, which `python docs/public_stub.py` makes from the names here.
"""

from __future__ import annotations

from typing import Any

from sequester.lazy import load as _load
from sequester.version import VERSION

_VERBS = (
    "anonymize", "assess", "assessor", "inspect", "keep", "measure", "open_bundle", "reader", "report", "sample",
    "summary", "verify", "write_sample",
)  # fmt: skip

_PUBLIC = {
    "Account": "sequester.accounts:Account",
    "Bundle": "sequester.query.bundle:Bundle",
    "BundleError": "sequester.errors:BundleError",
    "BudgetError": "sequester.errors:BudgetError",
    "Engine": "sequester.engines:Engine",
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
    "Parts": "sequester.model:Parts",
    "Plan": "sequester.plan:Plan",
    "PromiseBroken": "sequester.errors:PromiseBroken",
    "Release": "sequester.release:Release",
    "sign": "sequester.signed:sign",
    "signature_of": "sequester.signed:signature_of",
    "export_account": "sequester.signed:export_account",
    "SequesterError": "sequester.errors:SequesterError",
    "SequesterWarning": "sequester.errors:SequesterWarning",
    "Note": "sequester.release:Note",
    "attack": "sequester.attacks.trial:attack",
    "audit": "sequester.audits.run:audit",
    "method_class": "sequester.methods:method_class",
    "methods_for": "sequester.methods:methods_for",
    "read_parts": "sequester.in_parts:read_parts",
    "read_plan": "sequester.plan_reading:read_plan",
    "Publication": "sequester.bundle.card:Publication",
    "Published": "sequester.publication:Published",
    "Request": "sequester.request:Request",
    "custodian": "sequester.bundle.private:custodian",
    "publish": "sequester.publication:publish",
    "publish_data": "sequester.publication:publish_data",
    "read_descriptions": "sequester.bundle.card:read_descriptions",
    "open_account": "sequester.accounts:open_account",
    "settle_account": "sequester.accounts:settle_account",
    "run_plan": "sequester.plan:run_plan",
    "suggest_k": "sequester.utility.suggest_k:suggest_k",
    "tune": "sequester.tuning:tune",
    "withdraw": "sequester.withdrawal:withdraw",
}
"""Public name → where it lives. Nothing is imported before it is used."""

__version__ = VERSION


def _names() -> dict[str, str]:
    """The fixed names, one class per method, one model and one reader per kind of data, and the verbs."""
    from sequester.kinds import KINDS
    from sequester.methods import METHODS

    classes = {where.partition(":")[2]: where for where in METHODS.own.values()}
    kinds = {where.partition(":")[2]: where for k in KINDS.values() for where in (k.model, k.reader)}
    verbs = {verb: f"sequester.flow:{verb}" for verb in _VERBS}
    return dict(sorted((_PUBLIC | classes | kinds | verbs).items()))


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_names())
    where = _names().get(name)
    if where is None:
        raise AttributeError(f"module 'sequester' has no attribute '{name}'")
    return _load(where)


def __dir__() -> list[str]:
    return sorted([*_names(), "__version__"])

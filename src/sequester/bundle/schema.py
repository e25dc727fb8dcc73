"""The one schema of a manifest: which keys there are, and what each must look like.

Nothing may hide in a manifest: a key that is not listed here is refused, and a file can only lie where its table and
its format say. From the first release on, keys are never removed and never change their
meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from sequester.bundle.card import KEYS as CARD_KEYS
from sequester.bundle.card import Publication
from sequester.bundle.companions import NAMES as COMPANIONS
from sequester.dp.ledger import Ledger
from sequester.errors import SequesterError
from sequester.layouts import LAYOUTS
from sequester.release import Guarantee

FORMAT = "sequester/1"
NEEDED = (
    "created_with", "files", "guarantee", "kind", "layout", "ledger", "method", "pages", "publication", "reading",
    "teaching_only", "verification",
)  # fmt: skip
ENDINGS = {"parquet": ".parquet", "csv": ".csv", "jsonl": ".jsonl", "txt": ".txt", "xes": ".xes"}
PAGES = ("datapackage.json", "report.html", *COMPANIONS)
TABLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
DIGEST = re.compile(r"[0-9a-f]{64}")
DRAWN_WITH = re.compile(r"jinja2 [0-9a-z.]{1,20}")
HOW = ("declared", "default", "found")


def unknown_keys(manifest: Mapping[str, Any]) -> list[str]:
    """Keys, at any place where keys are fixed, that this version does not know."""
    out = [key for key in manifest if key not in RULES and key != "format"]
    for key, known in (("method", METHOD), ("verification", VERIFICATION), ("publication", CARD_KEYS)):
        part = manifest.get(key)
        out += [f"{key}.{name}" for name in part if name not in known] if isinstance(part, dict) else []
    out += [f"guarantee.{name}" for name in _dict(manifest.get("guarantee")) if name not in PROMISE]
    for key, known in (("files", FILE), ("pages", PAGE), ("reading", FACT)):
        items = manifest.get(key)
        for item in items if isinstance(items, list) else []:
            out += [f"{key}.{name}" for name in _dict(item) if name not in known]
    for check in manifest["verification"].get("checked", []) if isinstance(manifest.get("verification"), dict) else []:
        out += [f"verification.checked.{name}" for name in _dict(check) if name not in CHECK]
    return sorted({str(key) for key in out})


def misshapen(manifest: Mapping[str, Any]) -> list[str]:
    """Which parts do not have the form that the rest of the house relies on."""
    return sorted(key for key, right in RULES.items() if key in manifest and not right(manifest[key]))


def leaves_the_folder(manifest: Mapping[str, Any]) -> bool:
    """Whether a file is said to lie somewhere else than in the bundle."""
    paths = [f.get("path") for key in ("files", "pages") for f in _dicts(manifest.get(key))]
    return any(isinstance(p, str) and (p.startswith("/") or "\\" in p or ".." in p.split("/")) for p in paths)


def repeated_paths(manifest: Mapping[str, Any]) -> list[str]:
    """Paths that are listed more than once."""
    paths = [f["path"] for key in ("files", "pages") for f in manifest.get(key, ())]
    return sorted({p for p in paths if paths.count(p) > 1}) if len(set(paths)) < len(paths) else []


def is_count(value: Any) -> bool:
    """Whether a value is a whole number of at least nought."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


FILE = ("path", "rows", "bytes", "sha256", "schema", "table", "format", "copy")
PAGE = ("path", "sha256", "drawn_with")
METHOD = ("id", "parameters", "paper")
VERIFICATION = ("checked", "beside_original", "result", "basis")
CHECK = ("name", "passed", "detail")
FACT = ("name", "value", "how")
PROMISE = tuple(f.name for f in fields(Guarantee))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _is_file(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    table, form, path, schema = value.get("table"), value.get("format"), value.get("path"), value.get("schema")
    return (
        isinstance(table, str)
        and TABLE.fullmatch(table) is not None
        and isinstance(path, str)
        and isinstance(form, str)
        and _is_place(path, table, form)
        and is_count(value.get("rows"))
        and is_count(value.get("bytes"))
        and _is_digest(value.get("sha256"))
        and isinstance(schema, dict)
        and all(isinstance(t, str) for t in schema.values())
        and isinstance(value.get("copy", False), bool)
    )


def _is_place(path: str, table: str, form: str) -> bool:
    if form == "folder":
        head, _, name = path.rpartition("/")
        return head == f"data/{table}" and name.endswith(".txt") and not name.startswith(".") and "\0" not in name
    return form in ENDINGS and path == f"data/{table}{ENDINGS[form]}"


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and DIGEST.fullmatch(value) is not None


def _is_page(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("path") in PAGES
        and _is_digest(value.get("sha256"))
        and isinstance(value.get("drawn_with", ""), str)
        and DRAWN_WITH.fullmatch(value.get("drawn_with", "jinja2 0")) is not None
    )


def _is_method(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("id"), str)
        and isinstance(value.get("parameters"), dict)
        and isinstance(value.get("paper"), str)
    )


def _is_promise(value: Any) -> bool:
    words = ("model", "level", "unit", "status", "statement")
    if not isinstance(value, dict) or not isinstance(value.get("parameters"), dict):
        return False
    if not all(isinstance(value.get(word), str) for word in words) or not _are_words(value.get("not_covered")):
        return False
    try:
        Guarantee.from_json({k: v for k, v in value.items() if k in PROMISE})
    except (SequesterError, TypeError, KeyError):
        return False
    return isinstance(value.get("needs_original", False), bool)


def _is_ledger(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict):
        return False
    try:
        ledger = Ledger.from_json(value)
        numbers = [ledger.total, ledger.epsilon, ledger.delta, ledger.delta_reserved]
        numbers += [n for e in ledger.entries for n in (e.amount, e.delta, e.sensitivity, e.scale)]
        words = [ledger.measure, ledger.unit, *(w for e in ledger.entries for w in (e.mechanism, e.kind))]
    except (SequesterError, TypeError, KeyError, ValueError, AttributeError):
        return False
    return all(_is_number(n) for n in numbers) and all(isinstance(w, str) for w in words)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_verification(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("result") == "confirmed"
        and value.get("basis") in ("release alone", "release and original")
        and is_count(value.get("beside_original"))
        and (value["basis"] == "release and original" or value["beside_original"] == 0)
        and isinstance(value.get("checked"), list)
        and all(
            isinstance(c, dict)
            and isinstance(c.get("name"), str)
            and c.get("passed") is True
            and isinstance(c.get("detail"), str)
            for c in value["checked"]
        )
    )


def _is_reading(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(f, dict) and isinstance(f.get("name"), str) and f.get("how") in HOW and "value" in f for f in value
    )


def _is_card(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    try:
        Publication(**{k: v for k, v in value.items() if k in CARD_KEYS})
    except (SequesterError, TypeError):
        return False
    return bool(value.get("title"))


def _are_words(manifest: Any) -> bool:
    return isinstance(manifest, list) and all(isinstance(w, str) for w in manifest)


COPIES = ("csv", "jsonl", "xes", "folder")


def _are_files(manifest: Any) -> bool:
    if not isinstance(manifest, list) or not manifest or not all(_is_file(f) for f in manifest):
        return False
    canonical = {f["table"] for f in manifest if not f.get("copy")}
    own = [(f["table"], f["format"]) for f in manifest if not f.get("copy") and f["format"] != "folder"]
    copies = [f for f in manifest if f.get("copy")]
    folders = {f["table"] for f in manifest if not f.get("copy") and f["format"] == "folder"}
    one_form_each = len({t for t, _ in own}) == len(own) and not folders & {t for t, _ in own}
    return one_form_each and all(f["table"] in canonical and f["format"] in COPIES for f in copies)


RULES: dict[str, Callable[[Any], bool]] = {
    "created_with": lambda v: (
        isinstance(v, str) and re.fullmatch(r"sequester \d[\w.+-]{0,40}", v, re.ASCII) is not None
    ),
    "files": _are_files,
    "guarantee": _is_promise,
    "kind": lambda v: isinstance(v, str),
    "layout": lambda v: isinstance(v, str) and v in LAYOUTS,
    "ledger": _is_ledger,
    "method": _is_method,
    "pages": lambda v: isinstance(v, list) and all(_is_page(p) for p in v),
    "publication": _is_card,
    "reading": _is_reading,
    "teaching_only": lambda v: isinstance(v, bool),
    "verification": _is_verification,
}
"""Key → whether its value is well-formed."""

"""The one schema of a manifest: which keys there are, and what each must look like.

Nothing may hide in a manifest: a key that is not listed here is refused, and a file can only lie where its table and
its format say. From the first release on, keys are never removed and never change their
meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from sequester.bundle.card import KEYS as CARD_KEYS
from sequester.bundle.card import Publication
from sequester.bundle.companions import NAMES as COMPANIONS
from sequester.bundle.datapackage import CSVW
from sequester.bundle.standards import PLACES
from sequester.dp.ledger import Ledger
from sequester.errors import SequesterError
from sequester.layouts import LAYOUTS
from sequester.release import Guarantee

FORMAT = "sequester/1"
ENDINGS = {"parquet": ".parquet", "csv": ".csv", "jsonl": ".jsonl", "txt": ".txt", "xes": ".xes",
           "long": ".long.parquet"}  # fmt: skip
COPIES = ("csv", "jsonl", "xes", "folder", "long", *PLACES)
TABLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
DIGEST = re.compile(r"[0-9a-f]{64}")


class Form(NamedTuple):
    """A form with a rule that is asked once the form fits."""

    form: Any
    rule: Callable[[Any], bool]


COUNT = Form(int, lambda n: n >= 0 and not isinstance(n, bool))


def fits(value: Any, form: Any) -> bool:
    """Whether a value has a form: a type, a pattern, some values, a list or keys (`key?` may be absent) of forms."""
    match form:
        case Form():
            return fits(value, form.form) and form.rule(value)
        case type():
            return isinstance(value, form)
        case re.Pattern():
            return isinstance(value, str) and form.fullmatch(value) is not None
        case dict():
            known = {key.removesuffix("?"): inner for key, inner in form.items()}
            return isinstance(value, dict) and all(
                fits(value[key], inner) if key in value else f"{key}?" in form for key, inner in known.items()
            )
        case list():
            return isinstance(value, list) and all(fits(item, form[0]) for item in value)
    return value in form


def malformed(manifest: Mapping[str, Any]) -> list[str]:
    """Which parts do not have the form that the rest of the house relies on."""
    return sorted(
        key for key, form in (MANIFEST | OF_SITES).items() if key in manifest and not fits(manifest[key], form)
    )


def unknown_keys(manifest: Mapping[str, Any]) -> list[str]:
    """Keys of a well-formed manifest, at any place where keys are fixed, that this version does not know."""
    return sorted(set(_unknown(manifest, MANIFEST | OF_SITES | {"format": str})))


def _unknown(value: Any, form: Any, place: str = "") -> Iterator[str]:
    if isinstance(form, Form):
        yield from _unknown(value, form.form, place)
    elif isinstance(form, list):
        for item in value:
            yield from _unknown(item, form[0], place)
    elif isinstance(form, dict):
        known = {key.removesuffix("?"): inner for key, inner in form.items()}
        for key, inner in value.items():
            if key in known:
                yield from _unknown(inner, known[key], f"{place}{key}.")
            else:
                yield f"{place}{key}"


def leaves_the_folder(manifest: Mapping[str, Any]) -> bool:
    """Whether a file is said to lie somewhere else than in the bundle."""
    lists = [manifest.get(key) for key in ("files", "pages")]
    paths = [f.get("path") for inner in lists if isinstance(inner, list) for f in inner if isinstance(f, dict)]
    return any(isinstance(p, str) and (p.startswith("/") or "\\" in p or ".." in p.split("/")) for p in paths)


def repeated_paths(manifest: Mapping[str, Any]) -> list[str]:
    """Paths that are listed more than once."""
    paths = [f["path"] for key in ("files", "pages") for f in manifest.get(key, ())]
    return sorted({p for p in paths if paths.count(p) > 1}) if len(set(paths)) < len(paths) else []


def _in_its_place(file: dict[str, Any]) -> bool:
    """A file lies where its table and its format say; types of columns are words."""
    path, table, form = file["path"], file["table"], file["format"]
    if form == "folder":
        head, _, name = path.rpartition("/")
        here = head == f"data/{table}" and name.endswith(".txt") and not name.startswith(".") and "\0" not in name
    elif form in PLACES:
        here = path.removeprefix(f"data/{form}/") in PLACES[form]
    else:
        here = form in ENDINGS and path == f"data/{table}{ENDINGS[form]}"
    return here and all(isinstance(t, str) for t in file["schema"].values())


def _one_form_each(files: list[dict[str, Any]]) -> bool:
    """Every table has one form of its own, and copies are of tables that are there."""
    own = {(f["table"], f["format"]) for f in files if not f.get("copy")}
    single = [f["table"] for f in files if not f.get("copy") and f["format"] != "folder"]
    copies = [f for f in files if f.get("copy")]
    tables = {table for table, _ in own}
    once = len(tables) == len(own) and len(set(single)) == len(single)
    return bool(files) and once and all(f["table"] in tables and f["format"] in COPIES for f in copies)


def _is_promise(value: dict[str, Any]) -> bool:
    try:
        Guarantee.from_json({key: inner for key, inner in value.items() if key in Guarantee.__dataclass_fields__})
    except (SequesterError, TypeError, KeyError):
        return False
    return True


def _is_ledger(value: Any) -> bool:
    if value is None:
        return True
    try:
        ledger = Ledger.from_json(value)
        numbers = [ledger.total, ledger.epsilon, ledger.delta, ledger.delta_reserved]
        numbers += [n for e in ledger.entries for n in (e.amount, e.delta, e.sensitivity, e.scale)]
        words = [ledger.measure, ledger.unit, *(w for e in ledger.entries for w in (e.mechanism, e.kind))]
    except (SequesterError, TypeError, KeyError, ValueError, AttributeError):
        return False
    plain = all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in numbers)
    return plain and all(isinstance(w, str) for w in words)


def _is_card(value: dict[str, Any]) -> bool:
    try:
        return Publication(**{key: inner for key, inner in value.items() if key in CARD_KEYS}).title != ""
    except (SequesterError, TypeError):
        return False


MANIFEST: dict[str, Any] = {
    "created_with": re.compile(r"sequester \d[\w.+-]{0,40}", re.ASCII),
    "files": Form(
        [Form({"path": str, "rows": COUNT, "bytes": COUNT, "sha256": DIGEST, "schema": dict, "table": TABLE,
               "format": str, "copy?": bool}, _in_its_place)],
        _one_form_each,
    ),
    "guarantee": Form(
        {"model": str, "level": str, "unit": str, "status": str, "statement": str, "parameters": dict,
         "not_covered": [str], "needs_original?": bool},
        _is_promise,
    ),
    "kind": str,
    "layout": Form(str, LAYOUTS.__contains__),
    "ledger": Form(object, _is_ledger),
    "method": {"id": str, "parameters": dict, "paper": str},
    "pages": [{"path": ("datapackage.json", "report.html", CSVW, *COMPANIONS), "sha256": DIGEST,
               "drawn_with?": re.compile(r"jinja2 [0-9a-z.]{1,20}")}],
    "publication": Form({f"{key}?": object for key in CARD_KEYS}, _is_card),
    "reading": [{"name": str, "value": object, "how": ("declared", "default", "found")}],
    "teaching_only": bool,
    "verification": Form(
        {"checked": [{"name": str, "passed": Form(bool, bool), "detail": str}], "beside_original": COUNT,
         "result": ("confirmed",), "basis": ("release alone", "release and original")},
        lambda v: v["basis"] == "release and original" or v["beside_original"] == 0,
    ),
}  # fmt: skip
"""Key → the form of its value; all of them must be there."""
OF_SITES: dict[str, Any] = {
    "federation": Form(
        {"sites": COUNT, "collude": COUNT, "trusted_combiner": bool, "study": DIGEST,
         "people": re.compile(r"disjoint|at most ([2-9]|[1-9][0-9])", re.ASCII)},
        lambda v: 2 < v["sites"] <= 100 and v["trusted_combiner"] == (v["collude"] == 0) and v["collude"] < v["sites"],
    ),
}  # fmt: skip
"""What a release of data at several sites has besides."""

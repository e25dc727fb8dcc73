"""Options of a reader, checked before the file is read: no other choices than the listed ones, nothing of another type
than declared, and nothing that would do nothing with the source at hand."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from sequester.errors import InputError, marked, nearest
from sequester.read.cells import check_format, check_zone
from sequester.read.refuse_bundles import refuse_ours
from sequester.read.table import (
    DATABASES,
    DELIMITED,
    PLAIN,
    SHEETS,
    SQLITE,
    TableForm,
    check_encoding,
    ending,
    plain,
)

UTF_8 = ("utf-8", "utf8", "utf_8")
RANGED = ("interval", "days", "least_observed")
"""Options whose own check says their range too."""
LONGEST_WORD = 40
FORM_OPTIONS = ("skip_lines", "units_row", "decimal")
FILE_OPTIONS = ("table", "encoding", "header", "files", "people", *FORM_OPTIONS, "clock")
"""Options about files of tables, which recordings, lines of symbols and standards do not have."""


COMMON = {
    "quantity": "What the values are, such as glucose, heart-rate or steps, for the manifest. Values of a level that\n"
    "    fall into one interval are averaged; counts add up.",
    "unit_of": "Unit of the values, such as mg/dL.",
    "clock": "Column with the time of day, where `time` holds dates only; `time_format` is that of both with a blank\n"
    "    between.",
    "skip_lines": "Lines of a text table before the names of its columns, as devices write them.",
    "units_row": "The line below the names of a text table holds units.",
    "decimal": "Decimal sign of a text table's numbers: '.' or ','.",
    "people": "A table of two columns, recording and person, where `person` tells recordings.",
    "files": "Of a folder, only the files that fit this pattern, such as '*.csv'.",
    "header": "Without, the first line of a CSV file is a row and columns are called 1, 2, 3 and so on.",
    "table": "Which table of a database file, or sheet of a workbook.",
    "encoding": "Encoding of a CSV file.",
}
"""Options of every reader that has them, and what they mean: they end its list of parameters."""
Reader = TypeVar("Reader", bound=Callable[..., Any])


def explained(reader: Reader) -> Reader:
    """Describe the common options of a reader at the end of its docstring, which ends with its own."""
    known = [name for name in inspect.signature(reader).parameters if name in COMMON]
    lines = [line for name in known for line in (name, f"    {COMMON[name]}")]
    reader.__doc__ = "\n".join([inspect.cleandoc(reader.__doc__ or "").rstrip(), *lines, ""])
    return reader


def check_told(reader: Callable[..., Any], who: str, declared: Mapping[str, Any]) -> None:
    """Refuse what a reader's signature does not list: another choice, or another type."""
    hints = get_type_hints(reader)
    for name, value in declared.items():
        hint = hints.get(name)
        if get_origin(hint) is Literal:
            if not isinstance(value, str) or value not in get_args(hint):
                raise _no_choice(who, name, value, get_args(hint))
        elif name not in RANGED and hint is not None and not (name == "people" and isinstance(value, os.PathLike)):
            lacking = _lacking(hint, value, numbers=name == "bins")
            if lacking:
                raise InputError(f"{who}: ‹{name}=› must be {lacking}, got {_kind_of(value)}.")
            if isinstance(value, str) and not value and type(None) in get_args(hint):
                raise InputError(f"{who}: ‹{name}=› is empty. Say a name, or leave it out.")
    refuse_ours(plain(declared.get("source")), who)
    if "encoding" in declared:
        check_encoding(declared["encoding"], who)
    if "time_format" in declared:
        check_format(declared["time_format"], who)
    if "zone" in declared:
        check_zone(declared["zone"], who)


def _no_choice(who: str, name: str, value: Any, choices: tuple[str, ...]) -> InputError:
    close = nearest(value, choices) if isinstance(value, str) else None
    hint = f" Pass ‹{name}='{close}'›?" if close else ""
    found = f"'{value}'" if isinstance(value, str) and len(value) <= LONGEST_WORD else _kind_of(value)
    return InputError(f"{who}: ‹{name}=› must be one of {', '.join(choices)}, got {found}.{hint}")


def _lacking(hint: Any, value: Any, *, numbers: bool = False) -> str:
    """What an option must be, if it is not; nothing where it is, or where the signature allows anything."""
    options = get_args(hint) if type(None) in get_args(hint) else (hint,)
    if value is None and type(None) in options:
        return ""
    kind = next(o for o in options if o is not type(None))
    truth = isinstance(value, bool)
    if kind is bool:
        return "" if truth else "true or false"
    if kind is int:
        return "" if isinstance(value, Integral) and not truth else "a whole number"
    if kind is float:
        return "" if isinstance(value, Real) and not truth else "a number"
    if kind is str:
        return "" if isinstance(value, str) else "a text"
    if get_origin(kind) is tuple:
        listed = isinstance(value, (list, tuple)) and all(
            isinstance(v, str) or (numbers and isinstance(v, Real)) for v in value
        )
        return "" if listed or isinstance(value, str) else "numbers" if numbers else "a text or a list of texts"
    return ""


def _kind_of(value: Any) -> str:
    """What was given, without giving it back: it may be a whole table."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    for kind, said in ((str, "a text"), (Integral, "a whole number"), (Real, "a number"), ((list, tuple), "a list")):
        if isinstance(value, kind):
            return said
    return f"a {type(value).__name__}"


def refuse_idle(reader: Callable[..., Any], who: str, declared: Mapping[str, Any], idle: Mapping[str, str]) -> None:
    """Refuse the first of `idle` (name → what it goes with) that was told otherwise than by default."""
    usual = inspect.signature(reader).parameters
    for name, goes_with in idle.items():
        if declared[name] != usual[name].default:
            raise _nothing(who, name, declared[name], goes_with)


def refuse_idle_on_files(
    paths: Iterable[Path],
    who: str,
    *,
    table: str | None,
    encoding: str = "utf-8",
    header: bool = True,
    form: TableForm = PLAIN,
) -> None:
    """Refuse what none of these files has a use for; no file stands for a table in memory."""
    known = {ending(p) for p in paths if p.suffix.lower() != ".zip"}
    if known & set(DELIMITED) and (table is None or known & {*DATABASES, *SQLITE, *SHEETS}):
        return
    if any(p.suffix.lower() == ".zip" for p in paths):
        return  # what is inside is seen when it is opened
    if table is not None and not known & {*DATABASES, *SQLITE, *SHEETS}:
        raise _nothing(who, "table", table, "a database file or a workbook")
    if known & set(DELIMITED):
        return
    if encoding.lower() not in UTF_8:
        raise _nothing(who, "encoding", encoding, "CSV and text files")
    if not header:
        raise _nothing(who, "header", header, "CSV and text files")
    for name in FORM_OPTIONS:
        if getattr(form, name) != getattr(PLAIN, name):
            raise _nothing(who, name, getattr(form, name), "CSV and text files")


def _nothing(who: str, name: str, value: Any, goes_with: str) -> InputError:
    return InputError(f"{who}: {marked(name, value)} would do nothing: it goes with {goes_with}. Leave it out.")


def of_activity(declared: Mapping[str, Any]) -> dict[str, str]:
    """Of rules for counts without counts, of times without times."""
    out: dict[str, str] = {}
    if declared["value"] is None:
        out |= dict.fromkeys(
            ("quantity", "unit_of", "valid", "nonwear", "valid_day", "valid_days"), "counts, so with ‹value=NAME›"
        )
    else:
        out["unknown"] = "names of states; a count that is no number is missing anyway"
    if not declared["valid_days"]:
        out["valid_day"] = "‹valid_days=›"
    if declared["time"] is None and declared["start"] is None:
        out |= dict.fromkeys(("time_format", "zone", "clock"), "a column of times, so with ‹time=NAME› or ‹start=NAME›")
        out["align"] = out["zone"]
    if declared["start"] is not None:
        out["clock"] = "‹time=NAME›"
        out["time"] = "single observations; spans have ‹start=NAME› and ‹end=NAME›"
    if declared["time"] is not None or declared["start"] is not None or declared["state"] is not None:
        out["quasi"] = "a row per person whose columns are intervals"
    return out


def of_events(declared: Mapping[str, Any], *, xes: bool) -> dict[str, str]:
    """Of options for tables without a table."""
    if declared["layout"] != "table":
        return dict.fromkeys(FILE_OPTIONS, "‹layout='table'›")
    return dict.fromkeys(FILE_OPTIONS, "tables; this is an XES file") if xes else {}


def of_symbols(declared: Mapping[str, Any], *, recording: bool) -> dict[str, str]:
    """Of options for signals where there are symbols, for recordings where there are tables, and the other way."""
    out: dict[str, str] = {}
    if declared["symbolize"] == "none":
        out |= dict.fromkeys(("window", "alphabet", "std", "quantity", "unit_of"), "numbers that become symbols")
    else:
        out["symbols"] = "‹symbolize='none'›"
    if declared["symbolize"] != "sax":
        out["std"] = "‹symbolize='sax'›"
    if recording:
        out |= dict.fromkeys(
            ("value", "time", "time_format", "table", "header", "files", *FORM_OPTIONS, "clock"),
            "tables; this is a recording",
        )
        if declared["people"] is None:
            out["encoding"] = "CSV and text files"
        return out
    out["lead"] = "recordings"
    if declared["time"] is None:
        out["time_format"] = "‹time=NAME›"
    return out


def of_text(declared: Mapping[str, Any], *, folder: bool) -> dict[str, str]:
    """Of columns where there are none."""
    out = dict.fromkeys(("text", "document", "table"), "tables; this is " + ("a folder" if folder else "one document"))
    return out if folder or declared["person"] == "each" else {**out, "person": "tables; this is one document"}

"""Roles and options of a reader that would do nothing with the source at hand: given, they are refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from sequester.errors import InputError, marked
from sequester.read.table import DATABASES, DELIMITED, SHEETS, SQLITE, ending

UTF_8 = ("utf-8", "utf8", "utf_8")
FILE_OPTIONS = ("table", "encoding", "header", "files", "people")
"""Options about files of tables, which recordings, lines of symbols and standards do not have."""


def refuse_idle(reader: Callable[..., Any], who: str, told: Mapping[str, Any], idle: Mapping[str, str]) -> None:
    """Refuse the first of `idle` (name → what it goes with) that was told otherwise than by default."""
    usual = inspect.signature(reader).parameters
    for name, goes_with in idle.items():
        if told[name] != usual[name].default:
            raise _nothing(who, name, told[name], goes_with)


def refuse_idle_on_files(
    paths: Iterable[Path], who: str, *, table: str | None, encoding: str = "utf-8", header: bool = True
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


def _nothing(who: str, name: str, value: Any, goes_with: str) -> InputError:
    return InputError(f"{who}: {marked(name, value)} would do nothing: it goes with {goes_with}. Leave it out.")


def of_activity(told: Mapping[str, Any]) -> dict[str, str]:
    """Of rules for counts without counts, of times without times."""
    out: dict[str, str] = {}
    if told["value"] is None:
        out |= dict.fromkeys(("valid", "nonwear", "valid_day", "valid_days"), "counts, so with ‹value=NAME›")
    else:
        out["unknown"] = "names of states; a count that is no number is missing anyway"
    if not told["valid_days"]:
        out["valid_day"] = "‹valid_days=›"
    if told["time"] is None and told["start"] is None:
        out |= dict.fromkeys(("time_format", "zone"), "a column of times, so with ‹time=NAME› or ‹start=NAME›")
        out["align"] = out["zone"]
    if told["start"] is not None:
        out["time"] = "single observations; spans have ‹start=NAME› and ‹end=NAME›"
    return out


def of_events(told: Mapping[str, Any], *, xes: bool) -> dict[str, str]:
    """Of options for tables without a table."""
    if told["layout"] != "table":
        return dict.fromkeys(FILE_OPTIONS, "‹layout='table'›")
    return dict.fromkeys(FILE_OPTIONS, "tables; this is an XES file") if xes else {}


def of_symbols(told: Mapping[str, Any], *, recording: bool) -> dict[str, str]:
    """Of options for signals where there are symbols, for recordings where there are tables, and the other way."""
    out: dict[str, str] = {}
    if told["symbolize"] == "none":
        out |= dict.fromkeys(("window", "alphabet", "std"), "numbers that become symbols")
    else:
        out["symbols"] = "‹symbolize='none'›"
    if told["symbolize"] != "sax":
        out["std"] = "‹symbolize='sax'›"
    if recording:
        out |= dict.fromkeys(
            ("value", "time", "time_format", "table", "header", "files"), "tables; this is a recording"
        )
        if told["people"] is None:
            out["encoding"] = "CSV and text files"
        return out
    out["lead"] = "recordings"
    if told["time"] is None:
        out["time_format"] = "‹time=NAME›"
    if told["time"] is not None or (told["from_"] is None and told["to"] is None):
        out["rate"] = "‹from_=› and ‹to=› where no column tells the time"
    return out


def of_text(told: Mapping[str, Any], *, folder: bool) -> dict[str, str]:
    """Of columns where there are none."""
    out = dict.fromkeys(("text", "document", "table"), "tables; this is " + ("a folder" if folder else "one document"))
    return out if folder or told["person"] == "each" else {**out, "person": "tables; this is one document"}

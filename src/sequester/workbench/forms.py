"""Forms made from the fields that the command line has: the same names, ranges, defaults and help."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

import sequester as sq
from sequester import _shell
from sequester.cli.options import Several, flag, method_options, reader_options

MOST_SETTINGS = 60
"""A grid larger than this is refused: nobody looks at more points."""


class FieldError(sq.ParameterError):
    """What does not fit into one field of a form."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


def refusal(error: sq.SequesterError) -> str:
    """Why something was refused, beside the field: options as fields are called, without the function that says it."""
    words = error.sentence(_shell.as_field)
    name = re.match(r"\w*", words)
    return words if name and f"{name[0]}=" in words else words[:1].upper() + words[1:]  # a parameter stays as it is


def named(error: sq.SequesterError) -> list[str]:
    """The fields an error is about, first the surest."""
    return [error.field] if isinstance(error, FieldError) else [option.name for option in error.options]


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a form."""

    name: str
    label: str
    help: str
    looks: str
    """`text`, `number`, `choice` or `flag`; for roles to click also `column`, `columns`, `radio` or `preset`."""
    required: bool = False
    default: str = ""
    choices: tuple[str, ...] = ()
    option: click.Option

    def read(self, text: str) -> Any:
        """The value of a filled field; a sentence if it does not fit."""
        try:
            return self.option.type.convert(text.strip(), None, None)
        except click.UsageError as error:
            raise FieldError(f"{self.label}: {error.message}", self.name) from None


def fields_of(options: Sequence[click.Option]) -> list[Field]:
    """The fields of some options of the command line."""
    return [_field(option) for option in options]


def method_fields(method_id: str) -> list[Field]:
    """The parameters of a method."""
    return fields_of(method_options(sq.method_class(method_id)))


def reader_fields(kind: str) -> list[Field]:
    """The roles of columns, and how values are read."""
    return fields_of(reader_options(sq.reader(kind)))


ONE_COLUMN = ("person", "time", "value", "state", "start", "end", "text", "document")
SEVERAL_COLUMNS = ("sensitive", "quasi", "attributes", "covariates")
NOT_COLUMNS = {"person": ("each",)}
"""What a role may be beside a column."""
PRESETS = {"bins": ("freedson-1998", "troiano-2008")}
"""Values with a name; any other can be written."""
WHOSE = ("folder", "file", "each")
"""Whose the parts of a folder are: nobody sees its columns, so they are clicked like presets."""
NAMELESS = re.compile(r"column \d+")
"""How a column without a name is called; no role can take it by that."""
OWN = "-own"
"""After the name of a field: what is written where no preset fits."""


def clickable(kind: str, fields: Sequence[Field], columns: Sequence[str]) -> list[Field]:
    """The same fields with columns to click instead of names to write, where the columns are known."""
    named = tuple(c for c in columns if not NAMELESS.fullmatch(c))
    return [_clickable(kind, field, named) for field in fields]


def _clickable(kind: str, field: Field, columns: tuple[str, ...]) -> Field:
    if field.looks == "choice":
        return replace(field, looks="radio")
    if field.name in PRESETS:
        return replace(field, looks="preset", choices=PRESETS[field.name])
    names = isinstance(field.option.type, Several)
    if field.name == "person" and not columns:
        kept = WHOSE if kind != "text" else ("folder", "each")
        return replace(field, looks="preset", choices=kept)
    if not columns or any("," in column for column in columns):  # a comma ends a name in a list
        return field
    if field.name in SEVERAL_COLUMNS or (names and field.name == "value") or (kind, field.name) == ("events", "states"):
        return replace(field, looks="columns", choices=columns)
    if field.name in ONE_COLUMN and not names:
        return replace(field, looks="column", choices=(*columns, *NOT_COLUMNS.get(field.name, ())))
    return field


def clicked(form: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """What a form with several boxes of one name says: their values joined, a value of one's own in its place."""
    fields: dict[str, list[str]] = {}
    for name, value in form:
        if str(value).strip():
            fields.setdefault(str(name), []).append(str(value).strip())
    own = {name: fields.pop(name + OWN, []) for name in (*PRESETS, "person")}
    for name, values in own.items():
        if fields.get(name) == ["own"]:
            fields[name] = values
    return {name: ",".join(values) for name, values in fields.items() if values}


def assessor_fields(kind: str) -> list[Field]:
    """What an observer is supposed to know."""
    return fields_of(reader_options(sq.assessor(kind)))


def _field(option: click.Option) -> Field:
    name = str(option.name)
    default = option.default
    missing = option.required or default is None or str(default).startswith("Sentinel")
    if option.is_flag:
        looks = "flag"
    elif isinstance(option.type, click.Choice):
        looks = "choice"
    elif option.type in (click.INT, click.FLOAT):
        looks = "number"
    else:
        looks = "text"
    return Field(
        name=name,
        label=(option.opts[0].removeprefix("--")).replace("-", " "),
        help=option.help or "",
        looks=looks,
        required=bool(option.required),
        default="" if missing or looks == "flag" else shown(default),
        choices=tuple(option.type.choices) if isinstance(option.type, click.Choice) else (),
        option=option,
    )


def shown(value: Any) -> str:
    """A value as it stands in a form or on the command line."""
    if isinstance(value, (tuple, list)):
        return ",".join(map(str, value))
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def given(fields: Sequence[Field], form: Mapping[str, Any], *, prefix: str = "") -> dict[str, Any]:
    """What a form says, without what was left at its default. A missing field is named in words."""
    out: dict[str, Any] = {}
    for field in fields:
        found = str(form.get(prefix + field.name) or "").strip()
        if field.looks == "flag":
            if found:
                out[field.name] = field.option.flag_value
        elif found and found != field.default:
            out[field.name] = field.read(found)
        elif field.required and not found:
            raise FieldError(f"{field.label} is missing. {field.help}".strip(), field.name)
    return out


def grid(fields: Sequence[Field], form: Mapping[str, Any], *, prefix: str = "") -> list[dict[str, Any]]:
    """Every combination of what a form says, where numbers may be lists such as `5,10,20`."""
    several: dict[str, list[Any]] = {}
    for field in fields:
        found = str(form.get(prefix + field.name) or "").strip()
        if field.looks == "number" and "," in found:
            values = [field.read(part) for part in found.split(",") if part.strip()]
            several[field.name] = list(dict.fromkeys(values))
        else:
            for name, value in given([field], form, prefix=prefix).items():
                several[name] = [value]
    return [dict(zip(several, one, strict=True)) for one in itertools.product(*several.values())]


def filled(fields: Sequence[Field], values: Mapping[str, Any]) -> dict[str, str]:
    """What stands in each field when a form is shown again."""
    out = {}
    for field in fields:
        if field.name not in values:
            out[field.name] = field.default
        elif field.looks == "flag":
            out[field.name] = "yes" if values[field.name] == field.option.flag_value else ""
        else:
            out[field.name] = shown(values[field.name])
    return out


def words(fields: Sequence[Field], values: Mapping[str, Any]) -> list[str]:
    """The same as words of the command line."""
    known = {field.name: field for field in fields}
    out: list[str] = []
    for name, value in values.items():
        field = known.get(name)
        if field is not None and field.looks == "flag":
            if value == field.option.flag_value:
                out.append(field.option.opts[0])
        elif value is not None:
            out += [field.option.opts[0] if field else flag(name), shown(value)]
    return out


def ready(fields: Sequence[Field], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values that came back from JSON as the library takes them: lists of names are tuples."""
    several = {f.name for f in fields if isinstance(f.option.type, Several)}
    return {n: tuple(v) if n in several and isinstance(v, list) else v for n, v in values.items()}

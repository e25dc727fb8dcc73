"""Command-line options made from what a method or a reader already says about itself."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from functools import cache
from itertools import pairwise
from typing import Any

import click


class Names(click.ParamType):
    """Several names, separated by commas."""

    name = "A,B,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Split and trim."""
        if isinstance(value, tuple):
            return value
        return tuple(part.strip() for part in str(value).split(",") if part.strip())


class Numbers(click.ParamType):
    """Several numbers, separated by commas."""

    name = "A,B,…"

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        """Split and convert."""
        if isinstance(value, tuple):
            return value
        try:
            return tuple(self.kind(part) for part in str(value).split(",") if part.strip())
        except ValueError:
            self.fail(f"'{value}' is not a list of {'whole ' if self.kind is int else ''}numbers", param, ctx)


def gathered(args: list[str], params: Iterable[click.Parameter]) -> list[str]:
    """Arguments in which every option stands once.

    `--attributes age:0,18 sex:f,m log.csv` is one option and a source: only NAME:VALUES is taken. An option of several
    names that comes again adds its names; any other that comes again is refused, because one of the two would be lost.
    """
    options = {name: p for p in params if isinstance(p, click.Option) for name in p.opts}
    several = {name for name, p in options.items() if isinstance(p.type, (Names, Numbers))}
    out: list[str] = []
    at_value: dict[str, int] = {}
    open_ = ""
    words = iter(args)
    for word in words:
        if word == "--":
            return [*out, word, *words]
        if open_ and re.fullmatch(r"[^\s:/\\-][^\s:/\\]*:[^/\\].*", word):
            out[at_value[open_]] += f",{word}"
            continue
        open_ = ""
        name, sign, value = word.partition("=")
        if name not in options or options[name].is_flag or options[name].multiple or options[name].nargs != 1:
            out.append(word)
            continue
        if not sign:
            after = next(words, None)
            if after is None:
                return [*out, word]
            value = after
        if name not in at_value:
            at_value[name] = len(out) + 1
            out += [name, value]
        elif name in several:
            out[at_value[name]] += f",{value}"
        else:
            raise click.UsageError(f"{name} is given twice. Give it once.")
        open_ = name if name in several and ":" in value else ""
    return out


def method_options(cls: Any) -> list[click.Option]:
    """One option per field of a method."""
    hints = typing.get_type_hints(cls)
    told = field_docs(cls)
    out = []
    for field in ordered_fields(cls):
        default = field.default if field.default_factory is MISSING else field.default_factory()
        out.append(_option(field.name, hints[field.name], default, told.get(field.name, "")))
    return out


def ordered_fields(cls: Any) -> list[Field[Any]]:
    """The fields of a method: what must be given, then what is its own, then what it shares with others."""
    place: dict[str, tuple[int, int]] = {}
    for depth, base in enumerate(cls.__mro__):
        for at, name in enumerate(inspect.get_annotations(base)):
            place.setdefault(name, (depth, at))
    must = [f for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]
    return must + sorted((f for f in fields(cls) if f not in must), key=lambda f: place[f.name])


def reader_options(function: Callable[..., Any]) -> list[click.Option]:
    """One option per keyword of a reader."""
    hints = typing.get_type_hints(function)
    told = parameter_docs(function)
    return [
        _option(p.name, hints[p.name], MISSING if p.default is p.empty else p.default, told.get(p.name, ""))
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.KEYWORD_ONLY
    ]


def flag(name: str) -> str:
    """`min_length` → `--min-length`; a trailing underscore keeps a Python keyword apart."""
    return "--" + name.rstrip("_").replace("_", "-")


def _option(name: str, hint: Any, default: Any, told: str) -> click.Option:
    required = default is MISSING
    kind, more = _click_type(hint)
    names = [flag(name), name]
    if kind is bool:
        on = not default if not required else True
        return click.Option([flag(name) if on else f"--no-{flag(name)[2:]}", name], is_flag=True, flag_value=on,
                            default=default, help=told)  # fmt: skip
    show = not required and default not in (None, (), "")
    if required:  # a default of None would count as given
        return click.Option(names, type=kind, required=True, help=told, **more)
    return click.Option(names, type=kind, default=default, show_default=show, help=told, **more)


def _click_type(hint: Any) -> tuple[Any, dict[str, Any]]:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = [a for a in typing.get_args(hint) if a is not type(None)]
        if tuple[str, ...] in inner:
            return Names(), {}
        return _click_type(inner[0])
    if origin is typing.Literal:
        return click.Choice([str(a) for a in typing.get_args(hint)]), {}
    if origin in (tuple, list):
        return Names(), {}
    return (hint if hint in (int, float, str, bool) else str), {}


def field_docs(cls: Any) -> dict[str, str]:
    """The docstring under every field of a class, bases included."""
    return _field_docs(cls)


@cache
def _field_docs(cls: Any) -> dict[str, str]:
    out: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError):
            continue
        body = tree.body[0].body  # type: ignore[attr-defined]
        for line, after in pairwise(body):
            is_doc = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and is_doc:
                out[line.target.id] = " ".join(str(after.value.value).split())
    return out


def parameter_docs(function: Callable[..., Any]) -> dict[str, str]:
    """The *Parameters* section of a numpydoc docstring."""
    text = inspect.getdoc(function) or ""
    found = re.search(r"Parameters\n-+\n(.*?)(?:\n\n?[A-Z][A-Za-z ]+\n-+\n|\Z)", text, re.S)
    out: dict[str, str] = {}
    current: list[str] = []
    for line in (found.group(1) if found else "").splitlines():
        if line and not line[0].isspace():
            current = [name.strip() for name in line.split(":")[0].split(",")]
            out |= dict.fromkeys(current, "")
        elif line.strip():
            for name in current:
                out[name] = f"{out[name]} {line.strip()}".strip()
    return out

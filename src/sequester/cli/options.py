"""Command-line options made from what a method or a reader already says about itself."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import textwrap
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from functools import cache
from itertools import pairwise
from typing import Any

import click

from sequester._shell import EVERYDAY_ROLES, FORMER, GROUPS, PAPER_ROLES, as_flag, in_words, options_of


class GroupedOption(click.Option):
    """An option that knows where help shows it."""

    def __init__(self, *names: Any, group: str = "publication", level: str = "everyday", **declared: Any) -> None:
        super().__init__(*names, **declared)
        self.group, self.level = group, level


class GroupedCommand(click.Command):
    """Help on one screen: the options of every day that can apply, in groups; `--help-all` lists the others too."""

    def __init__(self, name: str, *, params: list[click.Parameter], method: Any, **declared: Any) -> None:
        more = GroupedOption(["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_help_all,
                             help="Also list options for experts.")  # fmt: skip
        self.method = method
        super().__init__(name, params=[*params, more], short_help=first_line(method), **declared)
        self.off_the_line = [name for name, o in options_of(method).items() if o.level == "paper"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As always; a word that is no option is met with the one that was meant."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise meant(error, ctx) from None
        except click.UsageError as error:
            if not error.message.startswith("Got unexpected extra argument"):
                raise
            hint = "Names in a list are joined by commas; a name with a space stands in quotes."
            raise click.UsageError(f"{error.message}. {hint}", ctx=ctx) from None

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Sentences of options need more than 80 columns; a narrower terminal wraps them."""
        formatter.width = max(formatter.width, min(100, shutil.get_terminal_size().columns))
        super().format_help(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The four groups, in the order of the work."""
        whole = ctx.meta.get(HELP_ALL, False)
        offered = [p for p in self.get_params(ctx) if isinstance(p, click.Option) and not p.hidden]
        for group in GROUPS:
            mine = [p for p in offered if getattr(p, "group", "publication") == group]
            shown = [p for p in mine if whole or getattr(p, "level", "everyday") == "everyday"]
            rows = [_row(p, ctx, whole) for p in shown]
            if rows:
                with formatter.section(group.capitalize()):
                    formatter.write_dl(rows, col_max=36)
        if whole and self.off_the_line:
            with formatter.section("Only in plans and in Python, to repeat papers and experiments"):
                formatter.write_text(", ".join(self.off_the_line))


def first_line(cls: Any) -> str:
    """What a class says of itself, in its first line."""
    return (cls.__doc__ or "").strip().splitlines()[0]


HELP_ALL = "sequester.help_all"
LONGEST = 110
"""Characters of a sentence that the one screen takes whole."""


def _help_all(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _row(param: click.Option, ctx: click.Context, whole: bool) -> tuple[str, str]:
    """Name and sentence; on the one screen only the first, and of a long one its first clause."""
    names, says = param.get_help_record(ctx) or (param.opts[0], "")
    full = inspect.cleandoc(param.help or "")
    first = re.split(r"(?<=[^.])[;.](?:\s|$)", full, maxsplit=1)[0]
    if len(first) > LONGEST:
        first = re.split(r": | \(", first, maxsplit=1)[0]
    return names, says if whole or not full else says.replace(full, f"{first}.", 1)


class Several(click.ParamType):
    """Several names or numbers, separated by commas."""

    name = "A,B,…"

    def __init__(self, kind: type = str) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(self.kind(word.strip()) for word in str(value).split(",") if word.strip())
        except ValueError:
            self.fail(f"'{value}' is not a list of {'whole ' if self.kind is int else ''}numbers", param, ctx)


def gathered(args: list[str], params: Iterable[click.Parameter]) -> list[str]:
    """Arguments in which every option stands once.

    `--attributes age:0,18 sex:f,m log.csv` is one option and a source: only NAME:VALUES is taken. An option of several
    names that comes again adds its names; any other that comes again is refused, because one of the two would be lost.
    """
    options = {name: p for p in params if isinstance(p, click.Option) for name in p.opts}
    several = {name for name, p in options.items() if isinstance(p.type, Several)}
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
    """One option per field of a method; those for papers are set in plans and in Python."""
    declared = options_of(cls)
    return field_options(cls, [f.name for f in ordered_fields(cls) if declared[f.name].level != "paper"])


def field_options(cls: Any, names: Iterable[str]) -> list[click.Option]:
    """Options of some fields of a dataclass, as they are declared there."""
    hints, says, declared = typing.get_type_hints(cls), field_docs(cls), options_of(cls)
    known = {field.name: field for field in fields(cls)}
    out: list[click.Option] = []
    for name in names:
        field = known[name]
        default = field.default if field.default_factory is MISSING else field.default_factory()
        where = {"group": declared[name].group, "level": declared[name].level}
        out.append(_option(name, hints[name], default, says.get(name, ""), **where))
    return out


def ordered_fields(cls: Any) -> list[Field[Any]]:
    """The fields of a method: what must be given, then what is its own, then what it shares with others."""
    place: dict[str, tuple[int, int]] = {}
    for depth, base in enumerate(cls.__mro__):
        for at, name in enumerate(inspect.get_annotations(base)):
            place.setdefault(name, (depth, at))
    must = [f for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]
    return must + sorted((f for f in fields(cls) if f not in must), key=lambda f: place[f.name])


def reader_options(function: Callable[..., Any]) -> list[GroupedOption]:
    """One option per keyword of a reader."""
    hints = typing.get_type_hints(function)
    docs = parameter_docs(function)
    return [
        _option(
            p.name,
            hints[p.name],
            MISSING if p.default is p.empty else p.default,
            docs.get(p.name, ""),
            group="reading",
            level="everyday" if p.name in EVERYDAY_ROLES else "expert",
        )
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.KEYWORD_ONLY and p.name not in PAPER_ROLES
    ]


def flag(name: str) -> str:
    """`min_length` → `--min-length`; a trailing underscore keeps a Python keyword apart."""
    return "--" + name.rstrip("_").replace("_", "-")


MEANT = {
    "--id": "person", "--patient": "person", "--subject": "person", "--user": "person", "--participant": "person",
    "--date": "time", "--timestamp": "time", "--datetime": "time", "--when": "time",
    "--value": "value", "--values": "value", "--activity": "state", "--event": "state", "--label": "state",
    "--format-time": "time_format", "--tz": "zone", "--timezone": "zone", "--sheet": "table", "--note": "text",
    "--columns": "",
}  # fmt: skip
"""Words people try → the role that was meant."""


def word_that_went(flag: str) -> str | None:
    """What to do instead of an option that is no more."""
    return FORMER.get(flag.removeprefix("--").replace("-", "_"))


def meant(error: click.NoSuchOption, ctx: click.Context) -> click.UsageError:
    """A word people try for a role names the right one; of `--columns` all roles are named."""
    known = {name: o for o in ctx.command.params for name in o.opts if name.startswith("--")}
    tried = error.option_name.lower()
    if former := word_that_went(tried):
        return click.UsageError(f"No such option '{error.option_name}'. {in_words(former, as_flag)}", ctx=ctx)
    name = tried.removeprefix("--").removeprefix("no-").replace("-", "_")
    if name in getattr(ctx.command, "off_the_line", ()):
        return click.UsageError(
            f"No such option '{error.option_name}'. It repeats papers and experiments: set {name} in a plan "
            "(`sequester run`) or in Python.", ctx=ctx,
        )  # fmt: skip
    if tried not in MEANT:
        return error
    roles = [n for n in ("person", "time", "value", "state", "start", "end", "text", "quasi", "sensitive")
             if flag(n) in known]  # fmt: skip
    if flag(MEANT[tried]) in known:
        return click.UsageError(
            f"No such option '{error.option_name}'. The column is named with {flag(MEANT[tried])}.", ctx=ctx
        )
    names = ", ".join(flag(n) for n in roles)
    return click.UsageError(
        f"No such option '{error.option_name}'. Columns are named by what they hold: {names}.", ctx=ctx
    )


def _option(name: str, hint: Any, default: Any, words: str, **where: Any) -> GroupedOption:
    required = default is MISSING
    kind, more = _click_type(hint)
    names = [flag(name), name]
    if kind is bool:
        on = not default if not required else True
        return GroupedOption([flag(name) if on else f"--no-{flag(name)[2:]}", name], is_flag=True, flag_value=on,
                            default=default, help=words, **where)  # fmt: skip
    show = not required and default not in (None, (), "")
    if required:  # a default of None would count as given
        return GroupedOption(names, type=kind, required=True, help=words, **more, **where)
    return GroupedOption(names, type=kind, default=default, show_default=show, help=words, **more, **where)


def _click_type(hint: Any) -> tuple[Any, dict[str, Any]]:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = [a for a in typing.get_args(hint) if a is not type(None)]
        if tuple[str, ...] in inner:
            return Several(), {}
        return _click_type(inner[0])
    if origin is typing.Literal:
        return click.Choice([str(a) for a in typing.get_args(hint)]), {}
    if origin in (tuple, list):
        return Several(), {}
    return (hint if hint in (int, float, str, bool) else str), {}


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


field_docs: Callable[[Any], dict[str, str]] = cache(_field_docs)
"""Class → the docstring under every field of it, bases included."""


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

"""Reading a source on the command line: the roles of its columns are options of the reader."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

import click

from sequester import KINDS, Evidence, InputError, custodian, methods_for, open_bundle, reader
from sequester import inspect as look_at
from sequester._shell import pandas_on_demand, step, with_markers
from sequester.cli.options import meant, reader_options, word_that_went


def role_names(kind: str) -> set[str]:
    """Keywords of the reader of a kind."""
    parameters = inspect.signature(reader(kind)).parameters.values()
    return {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}


def parse_roles(kind: str, arguments: list[str]) -> dict[str, Any]:
    """Options left over by a verb, understood as the roles of that kind of data."""
    options = reader_options(reader(kind))
    command = click.Command("source", params=list(options), add_help_option=False)
    verb = click.get_current_context()
    try:
        context = command.make_context(verb.info_name, list(arguments))
    except click.NoSuchOption as error:
        if word_that_went(error.option_name):
            raise meant(error, verb) from None
        # It may be a misspelt option of the verb as well as a misspelt role.
        known = [name for o in (*verb.command.params, *options) for name in o.opts if name.startswith("--")]
        close = get_close_matches(error.option_name, known, n=1)
        raise click.NoSuchOption(error.option_name, possibilities=close, ctx=verb) from None
    except click.UsageError as error:
        raise click.UsageError(error.format_message(), ctx=verb) from None
    given = context.get_parameter_source
    default = click.core.ParameterSource.DEFAULT
    return {name: value for name, value in context.params.items() if given(name) is not default}


class BesideBundle(click.Command):
    """A verb with a bundle and an original: options that are not its own name roles of the original's columns.

    Which roles there are hangs on the kind of the bundle, so they are read later; here the bundle is found among them.
    """

    n_places = 1
    """Words that are no options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The bundle is the first word that is no option and no option's value; `--` ends the options."""
        ends = args.index("--") if "--" in args else len(args)
        words, mine, roles, places = iter(args[:ends]), list[str](), list[str](), list[str]()
        own = {name: p for p in self.get_params(ctx) for name in (*p.opts, *p.secondary_opts)}
        for word in words:
            name, sign, _ = word.partition("=")
            if not word.startswith("-") or word == "-":
                places.append(word)
                continue
            goes = mine if name in own else roles
            goes.append(word)
            option = own.get(name) or _role_options().get(name)
            takes = not getattr(option, "is_flag", False) if option else bool(places)
            if takes and not sign:
                goes += [value for value in [next(words, None)] if value is not None]
        places += args[ends + 1 :]
        rest = super().parse_args(ctx, [*mine, "--", *places[: self.n_places]] if places else mine)
        ctx.args = [*roles, *places[self.n_places :]]
        return rest


@cache
def _role_options() -> dict[str, click.Parameter]:
    """Options of all readers by their names."""
    return {name: o for kind in KINDS for o in reader_options(reader(kind)) for name in (*o.opts, *o.secondary_opts)}


def show_summary(understood: Evidence) -> None:
    """How the source was understood, on standard error, before anything is done with it."""
    for row in understood.rows["lines"]:
        if row["about"] != "note":  # those follow as notes
            click.echo(f"read: {row['line']}", err=True)


def read_source(kind: str, source: str, roles: Mapping[str, Any]) -> Any:
    """The data behind a path. When it cannot be read, say what the file looks like and which roles it offers."""
    pandas_on_demand()
    try:
        with step(f"Reading {Path(source).name}"):
            return reader(kind)(source, **roles)
    except InputError as error:
        hint = _hint(kind, source, roles)
        raise InputError(f"{with_markers(error)} {hint}".strip()) from error


def roles_of(bundle_path: str, arguments: list[str]) -> tuple[str, dict[str, Any]]:
    """The kind of a bundle, and how its original was read when it was made, unless the arguments say otherwise."""
    kind = open_bundle(bundle_path, check=False).kind
    remembered = custodian(Path(bundle_path)).get("roles", {})
    roles = {k: tuple(v) if isinstance(v, list) else v for k, v in remembered.items()}
    return kind, roles | parse_roles(kind, arguments)


def _hint(kind: str, source: str, roles: Mapping[str, Any]) -> str:
    """What `inspect` makes of a source that could not be read: another kind, or the roles that are still free."""
    try:
        found = look_at(source)
    except (InputError, OSError):
        return ""
    if found.kind is None:
        return found.why if Path(source).is_file() else ""
    if found.kind != kind:
        fitting = ", ".join(methods_for(found.kind))
        return f"It looks like {found.kind} data; for that there are: {fitting}." if fitting else ""
    offered = {n: v for n, v in found.roles.items() if n in SHOWN and not roles.get(n) and v}
    words = " ".join(f"--{name} {shlex.quote(value)}" for name, value in offered.items())
    return f"Its columns offer roles: {words}" if offered else ""


SHOWN = ("person", "time", "clock", "start", "end", "state", "value", "text", "quasi")
"""Roles of columns that a hint names."""

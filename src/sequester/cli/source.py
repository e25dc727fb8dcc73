"""Reading a source on the command line: the roles of its columns are options of the reader."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

import click

from sequester import KINDS, Evidence, InputError, custodian, methods_for, open_bundle, reader
from sequester._shell import kind_by_columns, kind_by_ending, pandas_on_demand, retold, stage
from sequester.cli.options import flag, meant, reader_options, word_that_went


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
        rest = super().parse_args(ctx, [*mine, "--", *places[:1]] if places else mine)
        ctx.args = [*roles, *places[1:]]
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
        with stage(f"Reading {Path(source).name}"):
            return reader(kind)(source, **roles)
    except InputError as error:
        hint = _hint(kind, Path(source), roles)
        raise InputError(f"{retold(error)} {hint}".strip()) from error


def roles_of(bundle_path: str, arguments: list[str]) -> tuple[str, dict[str, Any]]:
    """The kind of a bundle, and how its original was read when it was made, unless the arguments say otherwise."""
    kind = open_bundle(bundle_path, check=False).kind
    remembered = custodian(Path(bundle_path)).get("roles", {})
    roles = {k: tuple(v) if isinstance(v, list) else v for k, v in remembered.items()}
    return kind, roles | parse_roles(kind, arguments)


def _hint(kind: str, path: Path, roles: Mapping[str, Any]) -> str:
    columns = _columns(path)
    looks = _looks_like(path, columns)
    if looks and looks != kind and methods_for(looks):
        return f"It looks like {looks} data; for that there are: {', '.join(methods_for(looks))}."
    known = role_names(kind)
    offered = [c for c in columns if c in known and not roles.get(c)]
    if "activity" in columns:  # which of the two says what happened?
        offered = [c for c in offered if c != "state"]
    if offered and looks == kind:
        return f"Its columns offer roles: {' '.join(f'{flag(c)} {c}' for c in offered)}"
    return ""


def _looks_like(path: Path, columns: list[str]) -> str | None:
    if path.is_dir():
        return "text" if next(path.rglob("*.txt"), None) else None
    found = kind_by_ending(path) or kind_by_columns(columns)
    return found.name if found else None


def _columns(path: Path) -> list[str]:
    """The header of a plain table file; nothing else of it is looked at."""
    if path.suffix.lower() not in (".csv", ".tsv") or not path.is_file():
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return next(csv.reader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ","), [])
    except (UnicodeDecodeError, csv.Error, OSError):
        return []

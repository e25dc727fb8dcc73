"""`sequester publish METHOD SOURCE --out NAME.bundle`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import sequester as sq
from sequester import _shell
from sequester.cli.options import (
    GroupedCommand,
    GroupedOption,
    field_options,
    first_line,
    gathered,
    method_options,
    reader_options,
)
from sequester.cli.scale import reading_in, scale_options
from sequester.cli.screen import ask_passphrase, say_note, show_json
from sequester.cli.source import role_names, show_summary


class MethodCommands(click.Group):
    """One subcommand per registered method, its options made from the method's fields and its reader's roles."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(sq.METHODS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a method; an unknown one is an error that names the nearest."""
        if cmd_name not in sq.METHODS and Path(cmd_name).exists():
            name = Path(cmd_name).name
            raise sq.InputError(
                f"publish: '{name}' is a source; the method comes before it: sequester publish METHOD {name} --out "
                "NAME.bundle. `sequester methods` helps to choose."
            )
        return method_command(cmd_name, sq.method_class(cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The methods with their first line; no options are built for a list."""
        with formatter.section("Methods"):
            formatter.write_dl([(m, first_line(cls)) for m, cls in _shell.loadable().items()])


@click.command(
    cls=MethodCommands,
    subcommand_metavar="METHOD SOURCE --out NAME.bundle [OPTIONS]...",
    epilog="`sequester publish METHOD --help` lists the method's options of every day, `--help-all` all of them.",
)
def command() -> None:
    """Protect SOURCE with METHOD, verify the promise, and write NAME.bundle and NAME.private.

    If the promise cannot be confirmed, nothing is written and the exit code is 1.
    """


class MethodCommand(GroupedCommand):
    """Says what a missing option means, not only that it is missing."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = gathered(args, self.params)
        try:
            return super().parse_args(ctx, list(words))  # the parser empties it
        except click.MissingParameter as missing:
            param = missing.param
            lacking = [p for p in self.params if p.required and isinstance(p, click.Option) and not _given(p, words)]
            if len(lacking) > 1:
                asked = "; ".join(f"{p.opts[0]} ({(p.help or '').rstrip('.')})" for p in lacking)
                raise click.UsageError(f"Missing options: {asked}.", ctx=ctx) from None
            if not isinstance(param, click.Option) or not param.help:
                raise
            choice = f" Choose from {', '.join(param.type.choices)}." if isinstance(param.type, click.Choice) else ""
            said = f"Missing option '{param.opts[0]}'. {param.help.rstrip('.')}.{choice}"
            raise click.UsageError(said, ctx=ctx) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Without those that this method refuses."""
        example = self.method(**self.method.example)
        noisy, in_parts = example.budget() is not None, not example.needs_everybody
        shown = {
            "mapping": "omop" in _shell.copies_of(self.method),
            "teaching_only": noisy,
            "resume": noisy and in_parts,
            "grouping": self.method.apply_in_groups is not sq.Method.apply_in_groups,
            **dict.fromkeys(("by_file", "engine_name", "scheduler", "workers"), in_parts),
            **dict.fromkeys(("memory_limit", "scratch"), in_parts or example.accepts.kind == "text"),  # through files
        }
        for option in self.params:
            if isinstance(option, click.Option):
                option.hidden = not shown.get(str(option.name), True)
        super().format_options(ctx, formatter)


def _given(option: click.Option, args: list[str]) -> bool:
    return any(a == name or a.startswith(f"{name}=") for a in args for name in option.opts)


ASKED = (
    "overwrite", "formats", "mapping", "seed", "teaching_only", "population", "grouping", "resume", "sign", "force",
)  # fmt: skip
"""Options that are fields of the request."""
CARD = ("title", "licence", "contact", "issued", "expires", "version")
"""Options that are fields of the publication's card."""


def method_command(method_id: str, cls: type[sq.Method]) -> click.Command:
    """The command line of one method."""
    kind = cls.accepts.kind
    own = method_options(cls)
    taken = {o.name for o in own}
    roles = [o for o in reader_options(sq.reader(kind)) if o.name not in taken]
    shared = [
        GroupedOption(["--out"], required=True, help="The bundle to write, usually NAME.bundle."),
        *field_options(sq.Request, [name for name in ASKED if name not in taken]),
        GroupedOption(["--assess"], is_flag=True, help="Also tell the custodian how identifying the original is."),
        GroupedOption(["--no-measure"], is_flag=True, level="expert",
                      help="Do not compare the release with the original."),
        *scale_options(),
        *field_options(sq.Publication, CARD),
        GroupedOption(["--describe"], help="File that says what columns mean: CSV (column,description) or TOML."),
        GroupedOption(["--json", "as_json"], is_flag=True, level="expert", help="Print figures as JSON."),
    ]  # fmt: skip
    known = {option.name: option for option in shared}
    formats, grouping = known["formats"], known["grouping"]
    formats.opts, formats.multiple, formats.type = ["--format"], True, click.Choice(_shell.copies_of(cls))
    grouping.nargs, grouping.type, grouping.metavar = 2, click.Tuple([click.Choice(["from"]), str]), "from NAME.private"

    def run(source: str, **given: Any) -> None:
        parameters = {o.name: given[o.name] for o in own if o.name}
        names = role_names(kind) - taken
        reading = {n: v for n, v in given.items() if n in names}
        _publish(cls(**parameters), source, reading, given)

    text = f"{first_line(cls)}\n\nSOURCE is {kind} data."
    return MethodCommand(
        method_id,
        callback=run,
        params=[click.Argument(["source"]), *own, *roles, *shared],
        help=text,
        method=cls,
    )


def _publish(method: sq.Method, source: str, reading: dict[str, Any], given: dict[str, Any]) -> None:
    target = Path(given["out"])
    described = sq.read_descriptions(given["describe"]) if given["describe"] else {}
    card = sq.Publication(**{name: given[name] for name in CARD}, describes=described)
    request = sq.Request(
        method=method, target=target, source=Path(source), roles=method.roles(reading), publication=card,
        evidence=("assess",) * given["assess"] + ("measure",) * (not given["no_measure"]), passphrase=ask_passphrase,
        **{name: given[name] for name in ASKED} | {"grouping": given["grouping"][1] if given["grouping"] else None},
    )  # fmt: skip
    with reading_in(request, given) as (read, engine):
        made = sq.publish_data(read, replace(request, engine=engine), say=say_note, show=show_summary)
    bundle, evidence = made.bundle, made.evidence
    if given["as_json"]:
        show_json({"bundle": str(target), "manifest": bundle.manifest, "private": [e.to_json() for e in evidence]})
        return
    promise = bundle.guarantee
    click.echo(f"{promise}\n{promise.statement}\nNot covered:")
    for line in promise.not_covered:
        click.echo(f"  - {line}")
    for item in evidence:
        click.echo(item.summary if item.about == "assess" else str(item))
    if request.sign is not None:
        click.echo(sq.signature_of()(target).sentence)
    click.echo(f"Public:  {target}\nPrivate: {target.with_name(target.name.removesuffix('.bundle') + '.private')}")

"""`sequester inspect SOURCE`."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches

import click

import sequester as sq
from sequester import _shell
from sequester.cli.options import MEANT, flag
from sequester.cli.screen import KindName, json_option, show_json
from sequester.cli.source import role_names


class WithoutRoles(click.Command):
    """Names no columns: for an option of another verb that does, the message says where it belongs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The options, or what was meant by one that is none."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _meant(error, self, ctx) from None


def _meant(error: click.NoSuchOption, command: click.Command, ctx: click.Context) -> click.UsageError:
    own = [name for o in command.params for name in o.opts if name.startswith("--")]
    roles = {flag(name) for kind in sq.KINDS for name in role_names(kind)} - set(own)
    tried = error.option_name.lower()
    begun = [name for name in own if name.startswith(tried)]
    close = begun or get_close_matches(tried, [*own, *roles], n=1, cutoff=0.7)
    role = flag(MEANT[tried]) if MEANT.get(tried) else close[0] if close and close[0] in roles else None
    if role:
        return click.UsageError(
            f"No such option '{error.option_name}'. inspect finds the columns itself; {role} belongs to the command it "
            "proposes.",
            ctx=ctx,
        )
    return click.NoSuchOption(error.option_name, possibilities=close, ctx=ctx)


@click.command(cls=WithoutRoles)
@click.argument("source")
@click.option("--kind", type=KindName(), help="Kind of data, if you know it.")
@click.option("--files", help="Of a folder, only the files that fit this pattern, such as '*.csv'.")
@click.option("--table", help="Which table of a database file, or sheet of a workbook.")
@click.option("--encoding", help="Of text files; found by itself if you do not give it.")
@json_option
def command(
    source: str, kind: str | None, files: str | None, table: str | None, encoding: str | None, as_json: bool
) -> None:
    """What is SOURCE, whose rows are in it, what would you type next? The figures are private; nothing is written."""
    _shell.pandas_on_demand()
    found = sq.inspect(source, kind=kind, files=files, table=table, encoding=encoding)
    if as_json:
        show_json(asdict(found))
    else:
        click.echo(str(found))
    if found.kind is None:
        raise click.exceptions.Exit(2)

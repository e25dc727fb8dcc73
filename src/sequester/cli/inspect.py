"""`sequester inspect SOURCE`."""

from __future__ import annotations

from dataclasses import asdict

import click

import sequester as sq
from sequester.cli.screen import KindName, json_option, show_json


@click.command()
@click.argument("source")
@click.option("--kind", type=KindName(), help="Kind of data, if you know it.")
@click.option("--files", help="Of a folder, only the files that fit this pattern, such as '*.csv'.")
@click.option("--table", help="Which table of a database file, or sheet of a workbook.")
@click.option("--encoding", default="utf-8", show_default=True, help="Of text files.")
@json_option
def command(source: str, kind: str | None, files: str | None, table: str | None, encoding: str, as_json: bool) -> None:
    """What is SOURCE, whose rows are in it, what would you type next? The figures are private; nothing is written."""
    found = sq.inspect(source, kind=kind, files=files, table=table, encoding=encoding)
    if as_json:
        show_json(asdict(found))
    else:
        click.echo(str(found))
    if found.kind is None:
        raise click.exceptions.Exit(2)

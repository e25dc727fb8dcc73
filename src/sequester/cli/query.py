"""`sequester query BUNDLE "SQL"`."""

from __future__ import annotations

import click

import sequester as sq
from sequester.cli.screen import json_option, show_json


@click.command()
@click.argument("bundle")
@click.argument("sql")
@json_option
def command(bundle: str, sql: str, as_json: bool) -> None:
    """Answer one SELECT over the tables of BUNDLE."""
    answer = sq.open_bundle(bundle).sql(sql)
    if as_json:
        show_json(answer.to_pylist())
        return
    rows = [answer.column_names, *[[str(v) for v in row.values()] for row in answer.slice(0, 1000).to_pylist()]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if answer.num_rows > 1000:
        click.echo(f"… {answer.num_rows - 1000} more rows; --json prints all.")

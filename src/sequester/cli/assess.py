"""`sequester assess SOURCE`."""

from __future__ import annotations

import click

import sequester as sq
from sequester.cli.screen import json_option, show
from sequester.cli.source import parse_roles


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("source")
@click.option("--kind", required=True, type=click.Choice(["text", "series", "activity", "events", "symbols"]))
@json_option
@click.pass_context
def command(ctx: click.Context, source: str, kind: str, as_json: bool) -> None:
    """How identifying is the original? The figures are private. Column roles as for `publish`."""
    show(sq.assess(sq.reader(kind)(source, **parse_roles(kind, ctx.args))), as_json)

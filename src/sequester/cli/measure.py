"""`sequester measure BUNDLE --source SOURCE`."""

from __future__ import annotations

from typing import Any

import click

import sequester as sq
from sequester.cli.scale import limit_options, read_within
from sequester.cli.screen import json_option, show
from sequester.cli.source import BesideBundle, roles_of


@click.command(cls=BesideBundle)
@click.argument("bundle")
@click.option("--source", required=True, help="The original. Column roles as for `publish`.")
@click.option("--labels", help="Text only: JSON lines with `document` and `spans` of private text.")
@click.option("--fitness", is_flag=True, help="Events only: replay on process models mined by pm4py, if installed.")
@limit_options
@json_option
@click.pass_context
def command(
    ctx: click.Context, bundle: str, source: str, labels: str | None, fitness: bool, memory_limit: int | None,
    scratch: str | None, as_json: bool,
) -> None:  # fmt: skip
    """How useful is what is left? The figures are computed on the original: keep them private."""
    options: dict[str, Any] = {"labels": labels} if labels else {}
    if fitness:
        options["fitness"] = True
    with read_within(*roles_of(bundle, ctx.args), source, memory_limit, scratch) as original:
        show(sq.measure(original, sq.open_bundle(bundle, private=True), **options), as_json)

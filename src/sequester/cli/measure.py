"""`sequester measure BUNDLE --source SOURCE`."""

from __future__ import annotations

from typing import Any

import click

import sequester as sq
from sequester.cli.scale import limit_options, read_within
from sequester.cli.screen import json_option, show
from sequester.cli.source import BesideBundle, roles_of

OF_ONE_KIND = {"labels": ("text", "notes"), "percent": ("text", "notes"), "fitness": ("events", "event logs")}
"""Option → the kind of data it is for, and that kind in words."""


@click.command(cls=BesideBundle)
@click.argument("bundle")
@click.option("--source", required=True, help="The original. Column roles as for `publish`.")
@click.option("--labels", help="Text only: JSON lines with `document` and `spans` of private text.")
@click.option(
    "--percent",
    type=click.FloatRange(0, 100, max_open=True),
    help="With --labels: a private word counts as hidden when more than this percentage of it is (20 unless told).",
)
@click.option("--fitness", is_flag=True, help="Events only: replay on process models mined by pm4py, if installed.")
@limit_options
@json_option
@click.pass_context
def command(
    ctx: click.Context, bundle: str, source: str, labels: str | None, percent: float | None, fitness: bool,
    memory_limit: int | None, scratch: str | None, as_json: bool,
) -> None:  # fmt: skip
    """How useful is what is left? The figures are computed on the original: keep them private."""
    given = {"labels": labels, "percent": percent, "fitness": fitness or None}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    kind, roles = roles_of(bundle, ctx.args)
    for name in options:
        wanted, words = OF_ONE_KIND[name]
        if kind != wanted:
            raise sq.ParameterError(f"measure: --{name} is for {words}; the bundle holds {kind} data. Leave it out.")
    if "percent" in options and "labels" not in options:
        raise sq.ParameterError("measure: --percent is about labelled private words. Add --labels, or leave it out.")
    with read_within(kind, roles, source, memory_limit, scratch) as original:
        show(sq.measure(original, sq.open_bundle(bundle, private=True), **options), as_json)

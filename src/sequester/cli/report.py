"""`sequester report BUNDLE --out FILE.html`."""

from __future__ import annotations

import click

import sequester as sq


@click.command()
@click.argument("bundle")
@click.option("--out", required=True, help="The HTML file to write.")
def command(bundle: str, out: str) -> None:
    """Write the public report of BUNDLE, made from the bundle alone."""
    click.echo(str(sq.report(bundle, out)))

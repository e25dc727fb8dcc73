"""`sequester report BUNDLE --out FILE.html [--language de]`."""

from __future__ import annotations

import click

import sequester as sq


@click.command()
@click.argument("bundle")
@click.option("--out", required=True, help="The HTML file to write.")
@click.option("--language", default="en", show_default=True, help="Language of the report: en, de or es.")
def command(bundle: str, out: str, language: str) -> None:
    """Write the public report of BUNDLE, made from the bundle alone; of NAME.private the custodian's report."""
    click.echo(str(sq.report(bundle, out, language=language)))

"""`sequester report BUNDLE --out FILE.html [--language de] [--disclose use,attacks]`."""

from __future__ import annotations

import click

import sequester as sq


@click.command()
@click.argument("bundle")
@click.option("--out", required=True, help="The HTML file to write.")
@click.option("--language", default="en", show_default=True, help="Language of the report: en, de or es.")
@click.option("--disclose", default="", help="Of NAME.private: write the public report, with `use`, `attacks` or both.")
def command(bundle: str, out: str, language: str, disclose: str) -> None:
    """Write the public report of BUNDLE, made from the bundle alone; of NAME.private the custodian's report."""
    chosen = tuple(word.strip() for word in disclose.split(",") if word.strip())
    click.echo(str(sq.report(bundle, out, language=language, disclose=chosen)))

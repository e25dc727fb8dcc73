"""`sequester sample KIND --out PATH`."""

from __future__ import annotations

from typing import Any

import click

import sequester as sq
from sequester import KINDS


@click.command()
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@click.option("--out", required=True, help="File to write (.csv; text: .jsonl, or a name without ending for a folder).")
@click.option("--people", type=click.IntRange(min=1), help="How many people; the sample's own default otherwise.")
@click.option("--as", "form", type=click.Choice(["omop", "meds", "fhir"]),
              help="Events only: a folder as this standard lays it out.")  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same data."
)
@click.option("--like", metavar="BUNDLE", help="Activity: simulate people like those of a published bundle.")
def command(kind: str, out: str, people: int | None, form: str | None, seed: int, like: str | None) -> None:
    """Write sample data of KIND (text, series, activity, events or symbols): invented people, realistic shapes."""
    options: dict[str, Any] = {"n_people": people} if people else {}
    options |= {"like": like} if like else {}
    click.echo(str(sq.write_sample(kind, out, form=form, seed=seed, **options)))

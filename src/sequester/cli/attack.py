"""`sequester attack BUNDLE --source SOURCE`."""

from __future__ import annotations

import sys
from contextlib import ExitStack

import click

import sequester as sq
from sequester.cli.options import Several
from sequester.cli.scale import limit_options, read_within
from sequester.cli.screen import json_option, show
from sequester.cli.source import BesideBundle, roles_of


@click.command(cls=BesideBundle)
@click.argument("bundle")
@click.option("--source", required=True, help="The original. Column roles as for `publish`.")
@click.option("--knowledge", type=Several(int), default=(4,), show_default="4",
              help="How many points of a target the attacker knows; of several (4,1,2,8) all draw a curve of linkage, "
              "and the first is for the other attacks.")  # fmt: skip
@click.option("--control", help="People who never were in the data, in the form of the source; without it a fifth of "
              "the people is held out of a second run.")  # fmt: skip
@click.option("--labels", help="Text only: JSON lines with `document` and `spans` of private text.")
@click.option("--sample", default=300, show_default=True, help="At most so many targets, and so many strangers.")
@click.option(
    "--shadows", default=0, show_default=True, help="Runs with and without each of the 3 most exposed people."
)
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same figures.")
@click.option("--keep", "keep", is_flag=True, help="Add what was found to the custodian's folder and its report.")
@limit_options
@json_option
@click.pass_context
def command(
    ctx: click.Context, bundle: str, source: str, knowledge: tuple[int, ...], control: str | None,
    labels: str | None, sample: int, shadows: int, seed: int, keep: bool,
    memory_limit: int | None, scratch: str | None, as_json: bool,
) -> None:  # fmt: skip
    """What does an adversary achieve on BUNDLE? Exit code 1 if an attack beats a bound the promise states.

    The figures are computed on the original: keep them private.
    """
    kind, roles = roles_of(bundle, ctx.args)
    with ExitStack() as reading:
        original = reading.enter_context(read_within(kind, roles, source, memory_limit, scratch))
        strangers = None
        if control:
            strangers = reading.enter_context(read_within(kind, roles, control, memory_limit, scratch))
        found = sq.attack(
            bundle, original, knowledge=knowledge[0], control=strangers, labels=labels, sample=sample,
            dial=knowledge[1:] and knowledge, shadows=shadows, seed=seed, engine=sq.Engine(),
        )  # fmt: skip
    if keep:
        sq.keep(bundle, found)
    show(found, as_json)
    sys.exit(0 if all(c.passed for c in found.checks) else 1)

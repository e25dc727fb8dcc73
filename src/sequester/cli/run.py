"""`sequester run PLAN.toml`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

import sequester as sq
from sequester.cli.scale import limit_options
from sequester.cli.screen import ask_passphrase, json_option, say_note, show_json


@click.command()
@click.argument("plan")
@click.option("--check", is_flag=True, help="Only check the plan and say what it would promise; publish nothing.")
@click.option("--overwrite", is_flag=True, help="Replace existing bundles.")
@limit_options
@json_option
def command(
    plan: str, check: bool, overwrite: bool, memory_limit: int | None, scratch: str | None, as_json: bool
) -> None:
    """Carry out a publication plan (TOML): sources, roles, methods, promises, outputs.

    The whole plan is checked first, sources included; every problem is listed and nothing is published if there is
    one. Then the releases are made in their order. After an interruption run it again: what was finished is kept.
    """
    if scratch and memory_limit is None:
        raise click.UsageError("--scratch is about work in parts; pass --memory-limit with it.")
    working = sq.Engine(memory=memory_limit, scratch=Path(scratch) if scratch else None)
    with nullcontext() if memory_limit is None else working.workspace() as folder:
        checked = sq.read_plan(plan, overwrite=overwrite, engine=working, folder=folder)
        if not as_json:
            click.echo(f"{checked}\nThe plan is sound.")
        done = []
        running = sq.run_plan(checked, overwrite=overwrite, engine=working, say=say_note, passphrase=ask_passphrase)
        for step, bundle in () if check else running:
            done.append({"name": step.name, "bundle": str(step.out), "guarantee": bundle.guarantee.to_json()})
            if not as_json:
                click.echo(f"{step.name}: {bundle.guarantee}\n  {step.out}")
    if as_json:
        planned = [{"name": s.name, "bundle": str(s.out), "guarantee": s.guarantee.to_json()} for s in checked.steps]
        show_json({"title": checked.title, "planned": planned, "published": done})

"""`sequester account show|limit|withdraw`: all releases of the same people, and what they cost together."""

from __future__ import annotations

from pathlib import Path

import click

import sequester as sq
from sequester._shell import counted
from sequester.cli.screen import json_option, show_json

population_option = click.option("--population", default="", help="Which people; releases of others are apart.")
folder_option = click.option("--folder", default=".", show_default=True, help="Where the bundles lie.")


@click.group()
def command() -> None:
    """What all releases of the same people cost and tell together. The account is private.

    `publish` starts it and adds to it. A limit is kept before anything is drawn.
    """


@command.command("show")
@folder_option
@json_option
def show_account(folder: str, as_json: bool) -> None:
    """List the releases, what was spent, and the limit."""
    account = sq.open_account(folder)
    account.settle()
    rows = account.entries()
    populations = sorted({e.population for e in rows}) or [""]
    told = {p: {"limit": account.limit(p), "spent": account.spent(population=p)} for p in populations}
    if as_json:
        show_json({"populations": told, "releases": [vars(e) | {"cost": e.cost and vars(e.cost)} for e in rows]})
        return
    for entry in rows:
        gone = f", {entry.withdrawn} withdrawn since" if entry.withdrawn else ""
        click.echo(
            f"{entry.published}  {entry.bundle}: {entry.level} · {entry.grade} · "
            f"{counted(entry.people, 'person', 'people')}{gone}"
        )
    for name, state in told.items():
        which = f" of {name}" if name else ""
        limit = state["limit"]
        if not isinstance(limit, tuple):
            click.echo(f"Spent{which}: epsilon = {state['spent']:.3g} at delta = 1e-06; no limit is set.")
        else:
            click.echo(f"Spent{which}: epsilon = {state['spent']:.3g} of {limit[0]:g} at delta = {limit[1]:g}.")


@command.command("limit")
@folder_option
@population_option
@click.option("--epsilon", type=float, required=True, help="No person may be taken beyond it, all releases together.")
@click.option("--delta", type=float, default=1e-6, show_default=True, help="At this delta.")
def set_limit(folder: str, population: str, epsilon: float, delta: float) -> None:
    """Set the limit: a release that would go beyond it is refused before anything is drawn."""
    account = sq.open_account(folder, create=True)
    account.set_limit(epsilon=epsilon, delta=delta, population=population)
    spent = account.spent(population=population)
    click.echo(f"The limit is epsilon = {epsilon:g} at delta = {delta:g}; {spent:.3g} is spent.")


@command.command("withdraw")
@folder_option
@population_option
@click.option("--from", "source", help="A text file with one person per line, instead of naming them here.")
@click.argument("people", nargs=-1)
@json_option
def withdraw(folder: str, population: str, source: str | None, people: tuple[str, ...], as_json: bool) -> None:
    """Note that PEOPLE have withdrawn, list the releases that contain them, and say what publishing again would show.

    Later releases that contain them are refused. What was handed out cannot be called back; publish again without them.
    """
    named = [*people, *(_lines(source) if source else ())]
    if not named:
        raise click.UsageError("name the people who withdraw, or pass --from FILE.")
    found = sq.withdraw(folder, named, population=population)
    if as_json:
        show_json([{"bundle": w.entry.bundle, "published": w.entry.published, "people": w.people, "says": w.says}
                   for w in found])  # fmt: skip
        return
    for w in found:
        click.echo(
            f"{w.entry.published}  {w.entry.bundle}: contains {w.people} of the "
            f"{counted(len(named), 'person', 'people')} named"
        )
        click.echo(f"    {w.says}")
    click.echo(
        f"{counted(len(found), 'release contains', 'releases contain')} them." if found else "No release contains them."
    )


def _lines(source: str) -> list[str]:
    """The people a file names, one per line."""
    path = Path(source)
    try:
        return [line.strip() for line in path.read_text("utf-8-sig").splitlines() if line.strip()]
    except OSError as error:
        raise sq.InputError(f"account: '{path.name}' cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise sq.InputError(f"account: '{path.name}' is not UTF-8 at byte {error.start}. Save it as UTF-8.") from error

"""`sequester account show|limit|withdraw|export`: all releases of the same people, and what they cost together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import sequester as sq
from sequester._shell import counted
from sequester.cli.screen import ask_passphrase, json_option, show_json

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
    fields = {p: {"limit": account.limit(p), "spent": account.spent(population=p)} for p in populations}
    if as_json:
        listed = [vars(e) | {"cost": e.cost and vars(e.cost), "unbounded": e.unbounded} for e in rows]
        show_json({"populations": fields, "releases": listed})
        return
    for entry in rows:
        gone = f", {entry.withdrawn} withdrawn since" if entry.withdrawn else ""
        click.echo(
            f"{entry.published}  {entry.bundle}: {entry.level} · {entry.grade} · "
            f"{counted(entry.people, 'person', 'people')}{gone}"
        )
    for name in fields:
        for line in _spent(account, name, [e for e in rows if e.population == name]):
            click.echo(line)


def _spent(account: Any, population: str, entries: list[Any]) -> list[str]:
    """What was spent, apart for releases that share nobody, and what is not in any sum."""
    which = f" of {population}" if population else ""
    limit = account.limit(population)
    apart = account.spent_apart(population)
    out = []
    for shared, words in apart:
        of = f" ({', '.join(e.bundle for e in shared)})" if len(apart) > 1 else ""
        out.append(f"Spent{which}{of}: {words} by the person in the most costly releases.")
    if not apart:
        out.append(f"Spent{which}: nothing.")
    if len(apart) > 1:
        out.append("These releases share no people. If they are different groups, --population keeps them apart.")
    out.append(f"The limit{which} is epsilon = {limit[0]:g} at delta = {limit[1]:g}." if limit else "No limit is set.")
    unbounded = [e.bundle for e in entries if e.unbounded]
    if unbounded:
        out.append(f"Unbounded, and in no sum, because nothing limits what they tell: {', '.join(unbounded)}.")
    return out


@command.command("settle")
@folder_option
def settle(folder: str) -> None:
    """Finish what was interrupted, and charge releases that an older account does not know to everybody."""
    added = sq.settle_account(folder)
    for name in added:
        click.echo(f"{name}: charged to everybody, because this account no longer knows whom it holds.")
    if not added:
        click.echo("Nothing is missing.")


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


@command.command("export")
@folder_option
@population_option
@click.option("--key", required=True, help="Your private key of OpenSSH (Ed25519). A passphrase is asked for.")
@click.option("--out", required=True, help="The list to write.")
def export(folder: str, population: str, key: str, out: str) -> None:
    """Write a signed list of all releases for their readers: numbers, days, promises, checksums. No people.

    Readers check a bundle beside it with `sequester verify BUNDLE --signers FILE --releases LIST`.
    """
    n = sq.export_account(folder, out, key, population=population, passphrase=ask_passphrase)
    click.echo(f"{out}: {counted(n, 'release')}, signed.")


def _lines(source: str) -> list[str]:
    """The people a file names, one per line."""
    path = Path(source)
    try:
        return [line.strip() for line in path.read_text("utf-8-sig").splitlines() if line.strip()]
    except OSError as error:
        raise sq.InputError(f"account: '{path.name}' cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise sq.InputError(f"account: '{path.name}' is not UTF-8 at byte {error.start}. Save it as UTF-8.") from error

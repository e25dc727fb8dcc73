"""`sequester federation join|study|accept|answer|publish|status|check`: several sites, one release. Experimental."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

import sequester as sq
from sequester import _shell
from sequester.cli.options import GroupedCommand, GroupedOption, method_options, reader_options
from sequester.cli.screen import say_note
from sequester.cli.source import BesideBundle, parse_roles, read_source

site_option = click.option("--site", help="The folder of your keys; if nothing is said, the only NAME.site here.")
wait_option = click.option("--wait", is_flag=True, help="Go on until the study ends, on a folder that is synchronised.")


@click.group()
def command() -> None:
    """Several sites, one release: rows stay at their site; noisy sums travel as signed files in a folder.

    Experimental: nobody outside has reviewed it yet. Anything may carry the folder, and anybody may see it.
    """


@command.command("join")
@click.option("--name", required=True, help="What your site is called in the study, for example north.")
@click.option("--out", required=True, help="The card to write, for the coordinator.")
def join(name: str, out: str) -> None:
    """Make the card of a site, and its keys: NAME.site in the folder where you are. The keys never leave."""
    home = _shell.join(name, out)
    click.echo(f"{out}: for the coordinator.\n{_keys(home.folder)}")


class Studies(click.Group):
    """One subcommand per method that can be asked over sites."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Those methods."""
        return [name for name, cls in _shell.loadable().items() if cls.read_alike]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a method; another one is an error that names those there are."""
        cls = sq.method_class(cmd_name)
        if not cls.read_alike:
            can = ", ".join(self.list_commands(ctx))
            raise sq.InputError(f"federation: {cmd_name} cannot be asked over several sites. Available: {can}.")
        return _study_command(cmd_name, cls)


@command.command("study", cls=Studies, subcommand_metavar="METHOD --out FOLDER [OPTIONS]...")
def study() -> None:
    """Write a study: a method with public parameters, and the roll of sites."""


def _study_command(method_id: str, cls: type[sq.Method]) -> click.Command:
    own = method_options(cls)
    alike = [o for o in reader_options(sq.reader(cls.accepts.kind)) if o.name in cls.read_alike]
    for option in alike:
        option.level = "everyday"  # no study can be written without
    shared = [
        GroupedOption(["--site", "sites"], multiple=True, required=True, help="The card of a site; at least three."),
        GroupedOption(["--people"], required=True,
                      help='Can a person be at two sites? "disjoint", or "at most 2" (charged so, by group privacy).'),
        GroupedOption(["--collude"], type=int,
                      help="How many other sites may work together with the coordinator; 1 if nothing is said."),
        GroupedOption(["--trusted-combiner"], is_flag=True,
                      help="The coordinator draws the noise and sees the exact sums over all sites."),
        GroupedOption(["--out"], required=True, help="The folder to make, which all will share."),
    ]  # fmt: skip

    def run(**given: Any) -> None:
        method = cls(**{str(o.name): given[o.name] for o in own})
        made = _shell.new_study(
            method, given["sites"], given["out"], reading={str(o.name): given[o.name] for o in alike},
            people=given["people"], collude=given["collude"], trusted_combiner=given["trusted_combiner"],
        )  # fmt: skip
        click.echo(f"{given['out']}: a study of {len(made.names)} sites, for all of them.")
        click.echo(_keys(_shell.private_home(given["out"])))
        click.echo(made.promise(method).statement)
        click.echo(f"The words: {made.words}")

    says = f"A study with {method_id}. Every parameter is public and must not be taken from anybody's data."
    return GroupedCommand(method_id, callback=run, params=[*own, *alike, *shared], help=says, method=cls)


class _AcceptCommand(BesideBundle):
    """A study and a source; options that are not its own name roles of the source's columns."""

    n_places = 2


@command.command("accept", cls=_AcceptCommand)
@click.argument("study")
@click.argument("source")
@click.option("--words", help="The twelve words that another custodian read out to you, or a file with them.")
@site_option
@click.option("--population", default="", help="Whose account is charged.")
@click.pass_context
def accept(ctx: click.Context, study: str, source: str, words: str | None, site: str | None, population: str) -> None:
    """Look at a study; with --words take part in it. Then your account is charged with the whole promise.

    SOURCE is your data. It is read here and never leaves. Column roles as for `publish`.
    """
    kind = _kind(study)
    roles = parse_roles(kind, ctx.args)
    if words is not None and " " not in words.strip() and Path(words).is_file():
        words = Path(words).read_text("utf-8", errors="replace")  # whatever it is: these are not the words
    found = _shell.accept(
        study, source, roles, read=_reader(kind), words=words, site=site, population=population
    )  # fmt: skip
    for line in found.lines:
        click.echo(line)
    if found.accepted:
        click.echo("Accepted and charged. Go on with `sequester federation answer`.")
    else:
        click.echo("Nothing is charged yet. Compare the words by telephone, then add --words with those you heard.")


@command.command("answer")
@click.argument("study")
@site_option
@wait_option
def answer(study: str, site: str | None, wait: bool) -> None:
    """Answer what was asked, each question once. What was answered before is sent again as it was, at no cost."""
    click.echo(_shell.answer(study, read=_reader(_kind(study)), site=site, wait=wait, say=click.echo))


@command.command("publish")
@click.argument("study")
@click.option("--out", required=True, help="The bundle to write, usually NAME.bundle.")
@wait_option
@click.option("--overwrite", is_flag=True, help="Replace a bundle of that name.")
def publish(study: str, out: str, wait: bool, overwrite: bool) -> None:
    """Ask the next question; when all are answered, publish the release with its transcript: all of it, or nothing."""
    try:
        made = _shell.publish_study(study, out, wait=wait, overwrite=overwrite, say=say_note)
    except _shell.Waiting as why:
        click.echo(f"{why} Nothing is published yet.")
        return
    click.echo(f"{made.guarantee}\n{made.guarantee.statement}\nPublic:  {out}")


@command.command("status")
@click.argument("study")
def status(study: str) -> None:
    """How a study stands, from what lies in its folder."""
    for line in _shell.study_status(study):
        click.echo(line)


@command.command("check")
@click.argument("bundle")
@site_option
def check(bundle: str, site: str | None) -> None:
    """At a site: is this the release you answered for? Your answers are in it, and it follows from all answers."""
    mine = _shell.answered_for(sq.open_bundle(bundle), _shell.the_home(site))
    found = sq.verify(Path(bundle))
    click.echo(f"{found}\n  {'ok ' if mine.passed else 'NO '} {mine.name}: {mine.detail}")
    if not mine.passed or found.result == "broken":
        sys.exit(1)


def _keys(folder: Path) -> str:
    return f"{folder.name}, here: your keys. Nobody else may see them: never move them to a shared folder."


def _kind(study: str) -> str:
    return sq.method_class(_shell.read_study(study).body["method"]).accepts.kind


def _reader(kind: str) -> Any:
    def read(source: str, roles: Mapping[str, Any]) -> Any:
        return read_source(kind, source, roles)

    return read

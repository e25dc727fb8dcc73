"""`sequester tune METHOD SOURCE`."""

from __future__ import annotations

import typing
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

import sequester as sq
from sequester import _shell
from sequester.cli.options import (
    GroupedCommand,
    GroupedOption,
    Several,
    field_docs,
    first_line,
    flag,
    method_options,
    reader_options,
)
from sequester.cli.screen import show, show_json
from sequester.cli.source import read_source, role_names


class TuneCommands(click.Group):
    """One subcommand per method; its numeric parameters take lists."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(sq.METHODS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a method; an unknown one is an error that names the nearest."""
        cls = sq.method_class(cmd_name)
        kind = cls.accepts.kind
        docs, declared = field_docs(cls), _shell.options_of(cls)
        numeric = {name: of for name, of in _numeric(cls).items() if declared[name].level != "paper"}
        lists = [
            GroupedOption(
                [flag(n), n],
                type=Several(of),
                group="protection",
                level=declared[n].level,
                help=f"{docs.get(n, '')} One value or several.",
            )
            for n, of in numeric.items()
        ]
        # --keep names a bundle here; a column kept beside the text changes no figure of a sweep
        others = [o for o in method_options(cls) if o.name not in numeric and o.name != "keep"]
        taken = {o.name for o in [*lists, *others]}
        roles = [o for o in reader_options(sq.reader(kind)) if o.name not in taken]
        shared = [
            click.Option(["--out"], help="JSON lines that keep finished settings: a stopped sweep goes on from there."),
            click.Option(["--seed"], type=int, default=0, show_default=True, help="Repeats the figures."),
            click.Option(["--on"], metavar="data|sample[:PEOPLE]",
                         help="What is tried on: your data, or a generated sample of this kind; sample:500 has 500 "
                         "people, a number you may publish. Without it, methods with differential privacy take the "
                         "sample."),
            click.Option(["--charge"], metavar="FOLDER",
                         help="Account that pays when differential privacy is tuned on your data: each setting tried "
                         "costs its epsilon."),
            click.Option(["--keep"], metavar="BUNDLE", help="Draw risk against loss in the custodian's report of it."),
            click.Option(["--json", "as_json"], is_flag=True, help="Print figures as JSON."),
        ]  # fmt: skip

        says = "The figures are private."
        if cmd_name == "ngram-k":
            says += " Without --k the curve of loss is drawn and a k suggested."

        def run(source: str, **given: Any) -> None:
            if given["keep"]:
                sq.open_bundle(given["keep"])  # a wrong name is said before the work
            sweep = {n: given[n] for n in numeric if given[n]}
            fixed = {o.name: given[o.name] for o in others if o.name and given[o.name] != o.default}
            known = role_names(kind)
            reading = {n: v for n, v in given.items() if n in known and n not in taken}
            if cmd_name == "ngram-k" and not given["k"]:
                _refuse_beside_the_curve({"source", "n", "unit", "keep", "as_json", *reading})
                data = read_source(kind, source, reading)
                n = given["n"][0] if given["n"] else 3
                asked = click.get_current_context().get_parameter_source("unit")
                unit = given["unit"] if asked is click.core.ParameterSource.COMMANDLINE else None
                curve = sq.suggest_k(data, n, unit=unit)
                if given["keep"]:
                    sq.keep(given["keep"], curve)
                show(curve, given["as_json"])
                return
            found = sq.tune(
                cmd_name, _tried_on(cls, kind, source, reading, given), sweep=sweep, fixed=fixed, out=given["out"],
                seed=given["seed"], engine=sq.Engine(), charge=given["charge"],
            )  # fmt: skip
            if given["keep"]:
                sq.keep(given["keep"], found)
            if given["as_json"]:
                show_json(found.to_json())
            else:
                _table(found, kept=bool(given["keep"]))

        return GroupedCommand(
            cmd_name,
            callback=run,
            params=[click.Argument(["source"]), *lists, *others, *roles, *shared],
            help=f"{first_line(cls)}\n\nSOURCE is {kind} data. {says}",
            method=cls,
        )


def _tried_on(cls: type[sq.Method], kind: str, source: str, reading: dict[str, Any], given: dict[str, Any]) -> Any:
    """The source, or a sample of its kind: figures of the data must not choose a private parameter for free."""
    private = "epsilon" in cls.example and cls(**cls.example).guarantee.status == "proved"
    on, _, number = (given["on"] or ("sample" if private else "data")).partition(":")
    if on not in ("sample", "data") or (number and (on == "data" or not number.isdecimal() or number == "0")):
        raise sq.InputError("tune: --on is data, sample, or sample:500 for a sample of 500 people.")
    if on == "data" and private and not given["charge"]:
        raise sq.InputError(
            "tune: figures of your data may not choose epsilon for free. Pass --charge FOLDER with the account that "
            "pays for every setting, or tune on a sample with --on sample."
        )
    if given["charge"] and not (on == "data" and private):
        raise sq.InputError("tune: --charge goes with --on data and a method with differential privacy. Leave it out.")
    if on == "data":
        return read_source(kind, source, reading)
    people: dict[str, Any] = {"n_people": int(number)} if number else {}
    click.echo(f"note: the settings are tried on a generated sample of {kind} data, not on '{Path(source).name}'.",
               err=True)  # fmt: skip
    return sq.sample(kind, seed=given["seed"], **people)


def _refuse_beside_the_curve(used: set[str]) -> None:
    """What was asked for and would not be done is said before anything is read."""
    context = click.get_current_context()
    asked = click.core.ParameterSource.COMMANDLINE
    unused = [flag(n) for n in context.params if n not in used and context.get_parameter_source(n) is asked]
    if unused:
        raise sq.InputError(
            "tune: without --k the curve of loss is drawn and a k suggested, with no use for "
            f"{', '.join(unused)}. Pass --k 5,10,20 to try settings."
        )
    if len(context.params["n"] or ()) > 1:
        raise sq.InputError(
            f"tune: without --k the curve of one n is drawn, got {len(context.params['n'])}. Pass one, or --k."
        )


def _numeric(cls: type[sq.Method]) -> dict[str, type]:
    """Fields that hold a number, and which."""
    hints = typing.get_type_hints(cls)
    out: dict[str, type] = {}
    for field in fields(cls):
        hint = hints[field.name]
        kinds = [a for a in typing.get_args(hint) if a is not type(None)] or [hint]
        if len(kinds) == 1 and kinds[0] in (int, float):
            out[field.name] = kinds[0]
    return out


def _table(found: sq.Evidence, *, kept: bool) -> None:
    """A line per setting, and what the figures mean; all of them are in --json and in the report."""
    click.echo(found.summary)
    tried, refused = _shell.in_order(found.rows["settings"]), found.rows["refused"]
    if tried:
        figures = _shell.figures_of(tried)
        head = ["setting", "allowed for certain", "right in 100 pairs", *figures, "seconds"]
        lines = [
            [words, _shell.line(row), _shell.pairs(row), *(_shell.halves(row["use"].get(f)) for f in figures),
             f"{row['seconds']:.2g}"] for row, words in zip(tried, _shell.labels(tried), strict=True)
        ]  # fmt: skip
        widths = [max(len(line[i]) for line in (head, *lines)) for i in range(len(head))]
        for line in (head, *lines):
            plain = [cell.replace("\N{NO-BREAK SPACE}", " ") for cell in line]
            click.echo("  ".join(c.ljust(width) for c, width in zip(plain, widths, strict=True)).rstrip())
        click.echo(
            "Pairs: shown one person who was in the data and one who was not, the attacker picks the right one so "
            "often; a coin picks 50. Use: 1 is what two halves of the real people differ by."
        )
        for line in _shell.remarks(tried):
            click.echo(line)
        for verdict in dict.fromkeys(row["verdict"] for row in tried):
            click.echo(f"{verdict} ({_shell.counted(sum(r['verdict'] == verdict for r in tried), 'setting')})")
        where = "are in" if kept else "are in --json, and with --keep BUNDLE in"
        click.echo(f"All figures {where} the custodian's report.")
    for row in refused:
        setting = ", ".join(f"{n} {_shell.cell(v)}" for n, v in row["setting"].items())
        click.echo(f"refused at {setting}: {row['refused']}")


@click.command(
    cls=TuneCommands,
    subcommand_metavar="METHOD SOURCE --k 5,10,20 [OPTIONS]...",
    epilog="`sequester tune METHOD --help` lists the method's parameters and the column roles.",
)
def command() -> None:
    """Try METHOD on SOURCE at every combination of parameter lists: what is certain, what an attacker gains, what is
    left."""

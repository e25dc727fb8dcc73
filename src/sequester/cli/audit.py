"""`sequester audit METHOD`."""

from __future__ import annotations

import sys
from typing import Any

import click

import sequester as sq
from sequester import _shell
from sequester.cli.options import GroupedCommand, first_line, method_options
from sequester.cli.screen import show


class AuditCommands(click.Group):
    """One subcommand per method that states an epsilon; its parameters are options with example values."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [m for m, cls in _shell.loadable().items() if "epsilon" in cls.__dataclass_fields__]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a method; an unknown one is an error that names the nearest."""
        cls = sq.method_class(cmd_name)
        example = _shell.for_audit(cls)
        own = method_options(cls)
        for option in own:
            if option.name in example:
                option.default, option.required, option.show_default = example[option.name], False, True

        def run(runs: int, people: int | None, noise_factor: float, seed: int, as_json: bool, **given: Any) -> None:
            found = sq.audit(
                cls(**{**example, **given}), runs=runs, people=people, noise_factor=noise_factor, seed=seed
            )
            show(found, as_json)
            sys.exit(0 if found.holds else 1)

        shared = [
            click.Option(["--runs"], type=int, default=400, show_default=True, help="Runs on each of two neighbours."),
            click.Option(["--people"], type=int, help="People beside the adversarial one."),
            click.Option(["--noise-factor"], type=float, default=1.0, show_default=True,
                         help="Plant a fraud: multiply all noise by this; the audit must then fail."),
            click.Option(["--seed"], type=int, default=0, show_default=True, help="Repeats the figures."),
            click.Option(["--json", "as_json"], is_flag=True, help="Print figures as JSON."),
        ]  # fmt: skip
        return GroupedCommand(cmd_name, callback=run, params=[*own, *shared], help=_text(cls), method=cls)


def _text(cls: type[sq.Method]) -> str:
    return (
        f"{first_line(cls)}\n\nRuns it on worst-case neighbours and bounds epsilon from "
        "below (Clopper and Pearson, 95 %); exit code 1 if the bound exceeds the stated epsilon. No source is needed."
    )


@click.command(
    cls=AuditCommands,
    subcommand_metavar="METHOD [OPTIONS]...",
    epilog="`sequester audit METHOD --help` lists the method's parameters; all have example values.",
)
def command() -> None:
    """Does the noise of METHOD keep the epsilon it states? Tried on worst-case neighbours."""

"""What the command line shows: results on standard output, progress and trouble on standard error."""

from __future__ import annotations

from typing import Any

import click

from sequester import KINDS, Evidence
from sequester._shell import to_json_text


def show(evidence: Evidence, as_json: bool) -> None:
    """Print evidence for a person or for a program."""
    click.echo(to_json_text(evidence.to_json()).rstrip() if as_json else str(evidence))


def say_note(note: str) -> None:
    """A note for the custodian, on standard error."""
    click.echo(f"note: {note}", err=True)


def show_json(value: Any) -> None:
    """Print a value for a program."""
    click.echo(to_json_text(value).rstrip())


json_option = click.option("--json", "as_json", is_flag=True, help="Print figures as JSON.")


class KindName(click.Choice[str]):
    """The name of a kind of data; looked up when it is asked for, because packages and tests may add one."""

    def __init__(self) -> None:
        super().__init__(list(KINDS))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        self.choices = tuple(KINDS)
        return super().convert(value, param, ctx)


def ask_passphrase() -> str:
    """The passphrase of a key; it is asked for, never an option."""
    return str(click.prompt("Passphrase", hide_input=True, err=True))

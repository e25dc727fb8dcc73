"""`sequester label NOTES`: the labelling page of the workbench, at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import sequester as sq
from sequester import _shell
from sequester.cli.options import reader_options
from sequester.cli.workbench import serve_pages


@click.command()
@click.argument("notes")
@click.option("--language", type=click.Choice(list(_shell.LANGUAGES)), help="Language of the notes.")
@click.option("--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option("--no-open", is_flag=True, help="Do not open the browser; print the address only.")
@click.pass_context
def command(
    ctx: click.Context, notes: str, language: str | None, port: int, no_open: bool, **roles: Any
) -> None:  # fmt: skip
    """Mark what is private in a few of NOTES on a page on this machine, so that `k-words` hides more.

    25 notes take about half an hour. Guesses are already marked. Labels and the tagger are kept in
    NAME-labels.private beside the notes, for you alone; pass `--labels NAME-labels.private/labels.jsonl` to `publish`.
    Column roles (`--person`, `--text`) as for `publish`.
    """
    path = Path(notes)
    if not path.exists():
        raise sq.InputError(f"label: '{path.name}' does not exist. Check the path.")
    if not (any(path.iterdir()) if path.is_dir() else path.stat().st_size):
        raise sq.InputError(f"label: '{path.name}' is empty. Pass the notes: a folder of texts, or a table.")
    default = click.core.ParameterSource.DEFAULT
    roles = {name: value for name, value in roles.items() if ctx.get_parameter_source(name) is not default}

    def labelling(bench: Any) -> str:
        bench.language = language or ""
        return f"/source/{bench.store.add_source(path.resolve().name, 'text', roles, {})}/label"

    serve_pages("label", path.resolve().parent, no_open=no_open, port=port, first_page=labelling)


command.params += reader_options(sq.reader("text"))

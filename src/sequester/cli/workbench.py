"""`sequester workbench [FOLDER]`: a page on this machine, for people who would rather click."""

from __future__ import annotations

import ipaddress
import webbrowser
from pathlib import Path
from typing import Any

import click

import sequester as sq


@click.command()
@click.argument("folder", default=".")
@click.option("--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option("--no-open", is_flag=True, help="Do not open the browser; print the address only.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; others can then connect.")
@click.option("--largest-upload", default=2000, show_default=True, type=click.IntRange(1), help="In MB.")
def command(folder: str, port: int, no_open: bool, host: str, largest_upload: int) -> None:
    """Open a page on this machine on which FOLDER's data is assessed, explored, published and read.

    The first line of standard output is the address; whoever has it can use the workbench until it ends. Ctrl-C ends
    it. What was tried is kept in FOLDER/.sequester-workbench.
    """
    place = Path(folder)
    if not place.is_dir():
        raise sq.InputError(f"workbench: '{place.name}' is not a folder. Pass the folder that holds your data.")
    if not _loopback(host):
        click.echo(
            f"warning: everyone who can reach {host} and learns the address can see your original data. The connection "
            "is not encrypted: anyone on the way can read along. Use the default address and a tunnel instead.",
            err=True,
        )

    serve_pages("workbench", place, no_open=no_open, host=host, port=port, upload_bytes=largest_upload * 1_000_000)


def serve_pages(verb: str, place: Path, *, no_open: bool, **options: Any) -> None:
    """Serve the pages on this machine until Ctrl-C, and open them in the browser."""
    try:
        from sequester.workbench.server import serve
    except ModuleNotFoundError as error:
        raise sq.InputError(
            f"{verb}: the package '{error.name}' is not installed. Install the extra: pip install "
            "'sequester[workbench]'."
        ) from error

    def ready(address: str) -> None:
        click.echo(address)
        click.echo("Ctrl-C ends the workbench.", err=True)
        if not no_open:
            webbrowser.open(address)

    try:
        serve(place, ready=ready, **options)
    except PermissionError as error:
        raise sq.InputError(f"{verb}: '{place.name}' cannot be written ({error.strerror}).") from error


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

"""`sequester sign BUNDLE --key KEY`."""

from __future__ import annotations

import click

import sequester as sq
from sequester.cli.screen import ask_passphrase


@click.command()
@click.argument("bundle")
@click.option("--key", required=True, help="Your private key of OpenSSH (Ed25519). A passphrase is asked for.")
def command(bundle: str, key: str) -> None:
    """Sign BUNDLE as its custodian, with a statement of what only you can say.

    The key is never copied. Readers check it with `sequester verify BUNDLE --signers FILE`.
    """
    made = sq.sign(bundle, key, passphrase=ask_passphrase)
    click.echo(made.sentence)

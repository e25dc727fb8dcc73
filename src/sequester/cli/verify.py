"""`sequester verify BUNDLE [--source SOURCE]`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import sequester as sq
from sequester.cli.scale import limit_options, read_within
from sequester.cli.screen import json_option, show
from sequester.cli.source import BesideBundle, roles_of


@click.command(cls=BesideBundle)
@click.argument("bundle")
@click.option("--source", help="The original: adds the checks that need it. Column roles as for `publish`.")
@click.option("--signers", help="Whose signature counts: a list as OpenSSH's allowed_signers, or one public key.")
@click.option("--revoked", help="Keys that do not count any more, one per line.")
@click.option("--releases", help="The custodian's signed list of releases (`account export`): finds gaps.")
@limit_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    bundle: str,
    source: str | None,
    signers: str | None,
    revoked: str | None,
    releases: str | None,
    memory_limit: int | None,
    scratch: str | None,
    as_json: bool,
) -> None:
    """Recompute the promise of BUNDLE with independent code.

    The exit code is 1 if it does not hold, and 2 if something was not checked or only --source could tell.
    """
    if source is None and ctx.args:
        raise click.UsageError(f"no such option or argument: {ctx.args[0]}", ctx)
    if source is None:
        if memory_limit or scratch:
            raise click.UsageError("--memory-limit and --scratch are about reading an original; pass --source.", ctx)
        verdict = sq.verify(Path(bundle), signers=signers, revoked=revoked, releases=releases)
    else:
        with read_within(*roles_of(bundle, ctx.args), source, memory_limit, scratch) as original:
            verdict = sq.verify(
                Path(bundle), original, memory=memory_limit, signers=signers, revoked=revoked, releases=releases
            )
    show(verdict, as_json)
    assert verdict.verdict is not None
    if verdict.undecided and source is None:  # nothing was found broken: the question cannot be answered from here
        raise sq.InputError("verify: this promise can be checked only beside the original. Pass --source.")
    sys.exit(0 if verdict.verdict.complete else 2 if verdict.result != "broken" else 1)

"""Reading a source on the command line: the roles of its columns are options of the reader."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import click

from sequester import custodian, open_bundle, reader
from sequester.cli.options import reader_options


def role_names(kind: str) -> set[str]:
    """Keywords of the reader of a kind."""
    parameters = inspect.signature(reader(kind)).parameters.values()
    return {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}


def parse_roles(kind: str, arguments: list[str]) -> dict[str, Any]:
    """Options left over by a verb, understood as the roles of that kind of data."""
    command = click.Command("source", params=list(reader_options(reader(kind))), add_help_option=False)
    context = command.make_context(f"--source ({kind})", list(arguments))
    given = context.get_parameter_source
    default = click.core.ParameterSource.DEFAULT
    return {name: value for name, value in context.params.items() if given(name) is not default}


def source_of(bundle_path: str, source: str, arguments: list[str]) -> Any:
    """The original of a bundle, read as it was read when the bundle was made unless told otherwise."""
    bundle = open_bundle(bundle_path, check=False)
    remembered = custodian(Path(bundle_path)).get("roles", {})
    roles = {k: tuple(v) if isinstance(v, list) else v for k, v in remembered.items()}
    return reader(bundle.kind)(source, **(roles | parse_roles(bundle.kind, arguments)))

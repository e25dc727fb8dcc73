"""Options for data larger than memory, and reading under them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import click

import sequester as sq
from sequester import _shell
from sequester.cli.options import GroupedOption
from sequester.cli.source import read_source

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}
LEAST = 200 * 10**6
"""Bytes below which a limit is refused: the programs themselves need as much."""


class Bytes(click.ParamType):
    """A size: 4GB, 500MB, 2GiB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?|)b?\s*", str(value), re.I)
        unit = UNITS.get(found[2].lower()) if found else None
        if found is None or unit is None:
            self.fail(f"'{value}' is not a size. Write it as 4GB or 500MB.", param, ctx)
        size = int(float(found[1]) * unit)
        if size < LEAST:
            self.fail(f"at least {LEAST // 10**6}MB are needed to work at all, got '{value}'.", param, ctx)
        return size


def scale_options() -> list[click.Option]:
    """For data larger than memory."""
    rare: dict[str, Any] = {"group": "scale", "level": "expert"}
    return [
        GroupedOption(["--memory-limit"], type=Bytes(), group="scale",
                      help="Work in parts of whole people within this much memory, such as 4GB."),
        GroupedOption(["--scratch"], type=click.Path(file_okay=False), **rare,
                      help="Folder for the parts, on a disk of yours that has room; emptied at the end."),
        GroupedOption(["--by-file"], is_flag=True, **rare,
                      help="The files of SOURCE are parts already; refused if a person is in two of them."),
        GroupedOption(["--engine", "engine_name"], type=click.Choice(["threads", "dask", "spark"]), default="threads",
                      show_default=True, **rare,
                      help="Where parts are measured: threads of this machine, Dask or Spark."),
        GroupedOption(["--scheduler"], **rare,
                      help="Address of a running Dask scheduler (tls:// unless it is on this machine), or the master "
                      "of Spark."),
        GroupedOption(["--workers"], type=click.IntRange(1, 1000), **rare,
                      help="Start so many Dask workers on this machine; of Spark, tasks at once (2 without it)."),
    ]  # fmt: skip


Read = Callable[[], Any]


def limit_options(command: Any) -> Any:
    """For verbs that read an original: how much memory they may take."""
    for option in reversed(scale_options()[:2]):
        command = click.option(*option.opts, type=option.type, help=option.help)(command)
    return command


@contextmanager
def read_within(
    kind: str, roles: Mapping[str, Any], source: str, limit: int | None, scratch: str | None
) -> Iterator[Any]:
    """The data behind a path, in parts where it would take more memory than the limit; they are gone at the end."""
    if limit is None and scratch:
        raise click.UsageError("--scratch is about work in parts; pass --memory-limit with it.")
    if limit is None or _shell.memory_needed(source, kind, in_files=True) <= limit:
        yield read_source(kind, source, roles)
        return
    working = sq.Engine(memory=limit, scratch=Path(scratch) if scratch else None)
    with working.workspace() as folder:
        yield sq.read_parts(kind, source, folder, engine=working, **roles)


@contextmanager
def reading_in(request: sq.Request, given: dict[str, Any]) -> Iterator[tuple[Read, sq.Engine]]:
    """What reads the data, in memory or in parts, and the engine to work with; scratch is emptied at the end."""
    method, source, limit, scratch = request.method, str(request.source), given["memory_limit"], given["scratch"]
    where, on_cluster = given["engine_name"], given["engine_name"] != "threads"
    asked = given["by_file"] or given["resume"] or on_cluster
    kind = method.accepts.kind
    needed = _shell.memory_needed(source, kind, in_files=True)
    in_parts = on_cluster or (limit is not None and (asked or needed > limit))
    if not on_cluster and (given["scheduler"] or given["workers"]):
        raise click.UsageError("--scheduler and --workers are about a cluster; pass --engine dask or spark with them.")
    if limit is None and not on_cluster:
        for name, flag in (("scratch", "--scratch"), ("by_file", "--by-file"), ("resume", "--resume")):
            if given[name]:
                raise click.UsageError(f"{flag} is about work in parts; pass --memory-limit with it.")
        _require_room(method, source, needed)
    working = sq.Engine(memory=limit, scratch=Path(scratch) if scratch else None)
    if not in_parts:
        yield partial(read_source, kind, source, request.roles), working
        return
    if method.needs_everybody:
        raise _not_in_parts(method) if asked else _shell.too_large(method, needed, limit)
    same = {"memory": limit, "scratch": working.scratch, "progress": working.progress}
    with _cluster(where, given, working, same) as working, working.workspace() as folder:
        options = {"by_file": True} if given["by_file"] else {}
        yield partial(sq.read_parts, kind, source, folder, engine=working, **request.roles, **options), working


def _cluster(where: str, given: dict[str, Any], here: sq.Engine, same: dict[str, Any]) -> Any:
    if where == "dask":
        return _shell.on_dask(given["scheduler"], given["workers"], **same)
    if where == "spark":
        return _shell.on_spark(given["scheduler"], given["workers"], **same)
    return nullcontext(here)


def _not_in_parts(method: sq.Method) -> click.UsageError:
    return click.UsageError(
        f"{method.id} with these options must see all people at once and cannot work in parts. Leave --by-file, "
        "--resume and --engine out."
    )


def _require_room(method: sq.Method, source: str, in_files: int) -> None:
    """Said before the work: what would not fit is not begun."""
    needed, free = _shell.memory_needed(source, method.accepts.kind), _shell.available_memory()
    if free is None or needed <= free:
        return
    said = (
        f"publish: '{Path(source).name}' needs about {needed / 1e9:.0f} GB of memory and {free / 1e9:.0f} GB are free."
    )
    if in_files < needed:
        raise sq.InputError(
            f"{said} Pass ‹memory_limit={max(1, int(free / 2e9))}GB›: most of the work is then in files."
        )
    if not method.needs_everybody:
        raise sq.InputError(f"{said} Pass ‹memory_limit={max(1, int(free / 2e9))}GB›: it is then read in parts.")
    raise sq.InputError(
        f"{said} {method.id} must see all people at once: use a larger machine, or publish fewer people or days."
    )

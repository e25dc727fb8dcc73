"""`sequester assess SOURCE`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import sequester as sq
from sequester import _shell
from sequester.cli.options import gathered, meant, reader_options
from sequester.cli.scale import limit_options, read_within
from sequester.cli.screen import KindName, json_option, say_note, show
from sequester.cli.source import role_names, show_summary


class AssessCommand(click.Command):
    """Grows the options of the kind of data as soon as the kind is known."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The common options and, once the kind is known, those of its assessor and of its reader."""
        common = super().get_params(ctx)
        kind = (ctx.obj or {}).get("kind")
        if kind is None or kind not in sq.KINDS:
            return common
        known = {p.name for p in common}
        own = [*reader_options(sq.assessor(kind)), *reader_options(sq.reader(kind))]
        return [*common, *[o for o in own if o.name not in known]]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the kind on the line, or from the source, then read the line with that kind's options."""
        words = [a for a in args if not a.startswith("-")]
        ctx.obj = {"kind": _kind_on_the_line(args) or next((k for a in words if (k := kind_of(a))), None)}
        if words and ctx.obj["kind"] is None and not {"-h", "--help"} & set(args):
            raise sq.InputError(
                "assess: the kind of data does not show from the source. "
                f"Pass --kind {', '.join(list(sq.KINDS)[:-1])} or {list(sq.KINDS)[-1]}; `sequester inspect` looks "
                "for the kind."
            )
        if ctx.obj["kind"] not in {None, *sq.KINDS}:  # before an option of the kind that was meant is refused
            next(p for p in self.params if p.name == "kind").type_cast_value(ctx, ctx.obj["kind"])
        try:
            return super().parse_args(ctx, gathered(args, self.get_params(ctx)))
        except click.NoSuchOption as error:
            raise meant(error, ctx) from None


def _kind_on_the_line(args: list[str]) -> str | None:
    for at, argument in enumerate(args):
        if argument == "--kind" and at + 1 < len(args):
            return args[at + 1]
        if argument.startswith("--kind="):
            return argument.partition("=")[2]
    return None


def _holds_numbers(path: Path) -> bool:
    """Whether the first line of a text file is numbers."""
    try:
        with path.open("rb") as file:
            cells = file.readline(1 << 16).replace(b",", b" ").replace(b";", b" ").split()
        return bool(cells) and all(c.lstrip(b"+-").replace(b".", b"", 1).isdigit() for c in cells)
    except OSError:
        return False


def kind_of(source: str) -> str | None:
    """The kind of data a source shows by its form, or None: a table could hold series, activity or events."""
    path = Path(source)
    if not path.is_dir():
        if path.suffix.lower() == ".txt" and _holds_numbers(path):
            return None  # a matrix, whatever its ending says
        found = _shell.kind_by_ending(path)
        return found.name if found else None
    inside = (p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
    kinds = {kind.name for p in inside if (kind := _shell.kind_by_ending(p))}  # a recording has other files beside it
    return kinds.pop() if len(kinds) == 1 else None


@click.command(cls=AssessCommand)
@click.argument("source")
@click.option("--kind", type=KindName(), help="Kind of data; needed where the source does not show it.")
@limit_options
@json_option
@click.pass_context
def command(
    ctx: click.Context, source: str, kind: str | None, memory_limit: int | None, scratch: str | None, as_json: bool,
    **given: Any,
) -> None:  # fmt: skip
    """How identifying is SOURCE? The figures are private.

    With `--kind KIND --help` the options of that kind are listed too: what an observer is supposed to know, and
    the roles of the columns as for `publish`.
    """
    kind = ctx.obj["kind"]
    known = role_names(kind)
    roles = {name: value for name, value in given.items() if name in known}
    options = {name: value for name, value in given.items() if name not in roles}
    with read_within(kind, roles, source, memory_limit, scratch) as data:
        show_summary(sq.summary(data, roles))
        if sentence := _shell.expected(f"assess {kind}", data):
            say_note(sentence)
        show(sq.assess(data, **options), as_json)

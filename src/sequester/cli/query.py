"""`sequester query BUNDLE "SQL"`; for bundles of series ranges and patterns, for symbols and events what comes next."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

import sequester as sq
from sequester.cli.screen import json_option, show_json

CONDITION = re.compile(r"(\S.*) in ?[\[(] ?([^\s,]+) ?, ?([^\s,\])]+) ?[\])]")
"""Over text in which every run of blanks is one: nothing in it can be matched in more ways than one."""
LONGEST_CONDITION = 1000


@click.command()
@click.argument("bundle")
@click.argument("sql", required=False)
@click.option("--where", multiple=True, metavar="COND",
              help="Series: 't3 in [0.2,0.4]' for values, 't3 - t1 in [0.5,2]' for shapes; repeatable.")  # fmt: skip
@click.option("--similar", metavar="FILE", help="Series: a file with one series; finds rows with a pattern like it.")
@click.option("--within", type=float, help="Series: largest distance (1 - correlation) for --similar.")
@click.option("--next", "context", metavar="CONTEXT",
              help="Symbols: probabilities of what follows, such as '1 2 3'; events: what directly follows a state. "
              "'' asks what is frequent, or what comes first.")  # fmt: skip
@click.option("--rhythm", is_flag=True, help="Activity: IS, IV, RA, L5, M10, longest rest and spreads.")
@click.option("--by", metavar="group", type=click.Choice(["group"]),
              help="Activity in groups: the same measures per group, with differences and intervals.")  # fmt: skip
@json_option
def command(
    bundle: str, sql: str | None, where: tuple[str, ...], similar: str | None, within: float | None,
    context: str | None, rhythm: bool, by: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Answer a question from BUNDLE alone: one SELECT over its tables, ranges and patterns of series, or what follows.

    --where and --similar together count rows that satisfy all of it, with an estimate and sure bounds; --similar alone
    lists the rows.
    """
    opened: Any = sq.open_bundle(bundle)
    by_pattern = bool(where or similar)
    usual = rhythm or by is not None
    if [by_pattern, bool(sql), context is not None, usual].count(True) != 1:
        raise click.UsageError("pass either one SELECT, or --where and --similar, or --next, or --rhythm or --by.")
    if usual:
        if not hasattr(opened, "rhythm"):
            raise click.UsageError(f"--rhythm and --by ask bundles of activity; this one holds {opened.kind} data.")
        _show(opened.by_group() if by else opened.rhythm(), as_json)
        return
    if sql:
        _show(opened.sql(sql), as_json)
        return
    if context is not None:
        _show(_next(opened, context.strip()), as_json)
        return
    if not hasattr(opened, "similar"):
        raise click.UsageError(f"--where and --similar ask bundles of series; this one holds {opened.kind} data.")
    if similar and within is None:
        raise click.UsageError("--similar needs --within, the largest distance (1 - correlation).")
    series = _one_series(similar) if similar else None
    if where:
        ranges, differences = _conditions(where)
        count = opened.count(ranges, similar=series, within=within if similar else None, differences=differences)
        told = {"estimate": count.estimate, "at_least": count.at_least, "at_most": count.at_most}
        show_json(told) if as_json else click.echo(str(count))
        return
    _show(opened.similar(series, within), as_json)


def _next(opened: Any, context: str) -> Any:
    """What follows a context, most likely first."""
    import pyarrow as pa

    name = sq.LAYOUTS[opened.layout].follows
    if not name:
        raise click.UsageError(f"--next asks bundles of symbols or events; this one holds {opened.kind} data.")
    law = opened.next_after(context)
    shares = [round(p, 6) for p in law.values()]
    return pa.table({name: pa.array(list(law), pa.string()), "probability": pa.array(shares, pa.float64())})


def _show(answer: Any, as_json: bool) -> None:
    if as_json:
        show_json(answer.to_pylist())
        return
    rows = [answer.column_names, *[[str(v) for v in row.values()] for row in answer.slice(0, 1000).to_pylist()]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if answer.num_rows > 1000:
        click.echo(f"… {answer.num_rows - 1000} more rows; --json prints all.")


def _conditions(
    told: tuple[str, ...],
) -> tuple[dict[str, tuple[float, float]], dict[tuple[str, str], tuple[float, float]]]:
    ranges: dict[str, tuple[float, float]] = {}
    differences: dict[tuple[str, str], tuple[float, float]] = {}
    for one in told:
        found = CONDITION.fullmatch(" ".join(one.split())) if len(one) <= LONGEST_CONDITION else None
        try:
            if not found:
                raise ValueError
            span = (float(found.group(2)), float(found.group(3)))
        except ValueError:
            raise click.UsageError(
                f"cannot read --where '{one[:60]}'; write 't3 in [0.2,0.4]' or 't3 - t1 in [0.5,2]'."
            ) from None
        what, _, other = (part.strip() for part in found.group(1).partition(" - "))
        if other:
            differences[what, other] = span
        else:
            ranges[what] = span
    return ranges, differences


def _one_series(place: str) -> Any:
    """Numbers of a text file; with a header line of names, a mapping from times to numbers."""
    path = Path(place)
    if not path.is_file():
        raise click.UsageError(f"--similar: '{path.name}' does not exist.")
    lines = [[c for c in re.split(r"[\s,;]+", line) if c] for line in path.read_text("utf-8").splitlines()]
    lines = [line for line in lines if line]
    try:
        return [float(c) for line in lines for c in line]
    except ValueError:
        pass
    try:
        names, numbers = lines[0], [float(c) for line in lines[1:] for c in line]
    except ValueError:
        numbers, names = [], [""]
    if len(names) != len(numbers):
        raise click.UsageError(
            f"--similar: '{path.name}' must hold the numbers of one series, with or without a header."
        )
    return dict(zip(names, numbers, strict=True))

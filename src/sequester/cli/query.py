"""`sequester query BUNDLE "SQL"`; for bundles of series ranges and patterns, for symbols and events what comes next."""

from __future__ import annotations

import math
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

import sequester as sq
from sequester import _shell
from sequester.cli.screen import json_option, show_json

CATEGORY = re.compile(r"(\S[^=]*?) ?= ?(\S.*)|(\S[^{]*?) in ?\{ ?([^{}]+?) ?\}")
"""A column of words and what it holds: `outcome = home`, or `outcome in {home, ward}`."""
CONDITION = re.compile(r"(\S.*) in ?[\[(] ?([^\s,]+) ?, ?([^\s,\])]+) ?[\])]")
"""Over text in which every run of blanks is one: nothing in it can be matched in more ways than one."""
LONGEST_CONDITION = 1000


@click.command()
@click.argument("bundle")
@click.argument("sql", required=False)
@click.option("--where", multiple=True, metavar="COND",
              help="Series: 't3 in [0.2,0.4]' for values, 't3 - t1 in [0.5,2]' for shapes, 'outcome = home' for "
              "categories; repeatable.")  # fmt: skip
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

    Without a question it lists the tables and columns of the bundle and three questions that work. --where and
    --similar together count rows that satisfy all of it, with an estimate and sure bounds; --similar alone lists the
    rows.
    """
    with _shell.limited():
        _ask(sq.open_bundle(bundle), bundle, sql, where, similar, within, context, rhythm, by, as_json)


def _ask(
    opened: Any, bundle: str, sql: str | None, where: tuple[str, ...], similar: str | None, within: float | None,
    context: str | None, rhythm: bool, by: str | None, as_json: bool,
) -> None:  # fmt: skip
    by_pattern = bool(where or similar)
    usual = rhythm or by is not None
    if not (by_pattern or sql or context is not None or usual):
        _what_can_be_asked(opened, bundle, as_json)
        return
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
        values, rest = _categories(where)
        ranges, differences = _conditions(rest)
        count = opened.count(
            ranges, similar=series, within=within if similar else None, differences=differences, values=values
        )
        fields = {"estimate": count.estimate, "at_least": count.at_least, "at_most": count.at_most}
        show_json(fields) if as_json else click.echo(str(count))
        return
    _show(opened.similar(series, within), as_json)


def _next(opened: Any, context: str) -> Any:
    """What follows a context, most likely first."""
    name = sq.LAYOUTS[opened.layout].follows
    if not name:
        raise click.UsageError(f"--next asks bundles of symbols or events; this one holds {opened.kind} data.")
    law = opened.next_after(context)
    shares = [round(p, 6) for p in law.values()]
    return pa.table({name: pa.array(list(law), pa.string()), "probability": pa.array(shares, pa.float64())})


def _what_can_be_asked(opened: Any, name: str, as_json: bool) -> None:
    asked = _shell.examples(opened)
    if as_json:
        show_json({"tables": {t: table.column_names for t, table in opened.tables.items()}, "questions": asked})
        return
    for line in _shell.contents(opened):
        click.echo(line)
    click.echo("\nQuestions that work:")
    for arguments in asked:
        click.echo(f"  {_shell.as_line(name, arguments)}")


def _show(answer: Any, as_json: bool) -> None:
    if as_json:
        show_json(answer.to_pylist())
        return
    wide = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in lines_of(answer, wide):
        click.echo(line)


MOST_ROWS = 1000
MOST_DIGITS = 10
"""A number with more characters is shown with six digits."""


def _cell(value: Any) -> str:
    """`0.322089` for 0.32208886546467497, which --json prints; `1285004.23`, never `1.285e+06`."""
    text = str(value)
    if not isinstance(value, float) or len(text) <= MOST_DIGITS or not math.isfinite(value):
        return text
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.2f}"


def lines_of(answer: Any, wide: int | None) -> list[str]:
    """An answer as lines; on a screen of some width long cells are cut, and columns that do not fit are counted."""
    rows = [answer.column_names, *[[_cell(v) for v in row.values()] for row in answer.slice(0, MOST_ROWS).to_pylist()]]
    if wide is not None:
        limit = max(12, wide // 2)
        rows = [[cell if len(cell) <= limit else cell[: limit - 1] + "…" for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    shown, used = len(widths), 0
    if wide is not None:
        for i, width in enumerate(widths):
            used += width + (2 if i else 0)
            if used > wide and i:
                shown = i
                break
    out = ["  ".join(c.ljust(w) for c, w in zip(row[:shown], widths, strict=False)).rstrip() for row in rows]
    hidden = len(widths) - shown
    if hidden:
        out.append(f"… {hidden:,} more column{'' if hidden == 1 else 's'}; --json prints all.")
    if answer.num_rows > MOST_ROWS:
        more = answer.num_rows - MOST_ROWS
        out.append(f"… {more:,} more row{'' if more == 1 else 's'}; --json prints all.")
    return out


def _categories(conditions: tuple[str, ...]) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Conditions on columns of words, and the others."""
    values: dict[str, list[str]] = {}
    rest = []
    for one in conditions:
        found = CATEGORY.fullmatch(" ".join(one.split())) if len(one) <= LONGEST_CONDITION else None
        if not found:
            rest.append(one)
            continue
        name, text = (found[1], [found[2]]) if found[1] else (found[3], found[4].split(","))
        values[name] = [w.strip() for w in text]
    return values, tuple(rest)


def _conditions(
    conditions: tuple[str, ...],
) -> tuple[dict[str, tuple[float, float]], dict[tuple[str, str], tuple[float, float]]]:
    ranges: dict[str, tuple[float, float]] = {}
    differences: dict[tuple[str, str], tuple[float, float]] = {}
    for one in conditions:
        found = CONDITION.fullmatch(" ".join(one.split())) if len(one) <= LONGEST_CONDITION else None
        try:
            if not found:
                raise ValueError
            span = (float(found.group(2)), float(found.group(3)))
        except ValueError:
            raise click.UsageError(
                f"cannot read --where '{one[:60]}'; write 't3 in [0.2,0.4]', 't3 - t1 in [0.5,2]' or 'outcome = home'."
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

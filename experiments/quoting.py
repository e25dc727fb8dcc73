"""Numbers of the summary, taken from the pages: `python -m experiments --index` writes `docs/results/index.md`.

The text stands in `experiments/index.md`. A field `{{page: column=value; … | column | form}}` is replaced by one cell
of a table on that page: the first row in which the named columns read so. Forms are `.2` (that many decimals, without
a leading zero), `.0%` (percent) and nothing (as the page has it). A field that finds no row, or no such column, is an
error.
"""

from __future__ import annotations

import re
from pathlib import Path

FIELD = re.compile(r"\{\{(\w+):([^|{}]*)\|([^|{}]*)(?:\|([^{}]*))?\}\}")
TEMPLATE = Path(__file__).with_name("index.md")


def index(pages: Path) -> str:
    """The summary with its numbers."""
    return FIELD.sub(
        lambda m: quoted(pages, *(g.strip() if g else "" for g in m.groups())), TEMPLATE.read_text("utf-8")
    )


def quoted(pages: Path, page: str, where: str, column: str, form: str) -> str:
    """One cell of a page, in words."""
    wanted = dict(part.split("=", 1) for part in map(str.strip, where.split(";")) if part)
    for row in rows_of((pages / f"{page}.md").read_text("utf-8")):
        if column in row and all(row.get(c.strip()) == v.strip() for c, v in wanted.items()):
            return in_form(row[column], form)
    raise LookupError(f"{page} has no row with {where} and the column {column}")


def rows_of(text: str) -> list[dict[str, str]]:
    """Every row of every table of a page, as the columns of its table name it."""
    out, head = [], None
    for line in text.splitlines():
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] if line.startswith("|") else None
        if cells is None:
            head = None
        elif head is None:
            head = cells
        elif not set("".join(cells)) <= set("-: "):
            out.append(dict(zip(head, cells, strict=True)))
    return out


def in_form(cell: str, form: str) -> str:
    """A number as a sentence has it."""
    if not form:
        return cell
    value = float(cell)
    if form.endswith("%"):
        return f"{100 * value:{form[:-1]}f}"
    text = f"{value:{form}f}"
    return re.sub(r"^(-?)0\.", r"\1.", text).replace("-", "−")

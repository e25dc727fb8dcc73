"""What can be asked of a bundle: its tables in words, and three questions that work, made from the bundle itself."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from sequester.layouts.dictionary import meaning, says
from sequester.query.bundle import Bundle

MANY = 12
"""More columns of a table are counted, not listed."""


def contents(bundle: Bundle) -> list[str]:
    """Lines that list the tables and columns of a bundle, with what they mean."""
    lines = []
    for name, table in bundle.tables.items():
        rows = f"{table.num_rows:,} row{'' if table.num_rows == 1 else 's'}"
        lines.append(f"{name}: {rows}. {says(bundle.layout, name)}".rstrip())
        for column in table.column_names[:MANY]:
            manifest = meaning(bundle.manifest, bundle.layout, name, column)
            lines.append(f"  {column}{'  ' + manifest if manifest else ''}")
        more = len(table.column_names) - MANY
        if more > 0:
            lines.append(f"  and {more:,} more column{'' if more == 1 else 's'}")
    return lines


def examples(bundle: Any) -> list[list[str]]:
    """Three questions this bundle answers, as arguments of `sequester query BUNDLE`."""
    asked = list(_OF.get(bundle.layout, _plain)(bundle))
    return [*asked, *(q for q in _plain(bundle) if q not in asked)][:3]


def as_line(name: str, arguments: list[str]) -> str:
    """A question as it is typed."""
    return shlex.join(["sequester", "query", name, *arguments])


def _series(bundle: Any) -> Iterator[list[str]]:
    times, view = bundle.times, bundle.view
    if len(view.record) and times:
        low, high = float(view.lo[:, 0].min()), float(view.hi[:, 0].max())
        half = f"{times[0]} in [{low:g},{(low + high) / 2:.6g}]"
        yield ["--where", half]
        words = _words(bundle)
        if words:
            column, value = words
            yield ["--where", half, "--where", f"{column} = {value}"]
    if "records" in bundle.tables and "group" in bundle.tables["records"].column_names:
        yield ['select "group", count(*) as records from records group by 1 order by 2 desc limit 5']
    elif "sequences" in bundle.tables:
        yield ["select sequence, count(*) as records from sequences group by 1 order by 2 desc limit 5"]


def _words(bundle: Any) -> tuple[str, str] | None:
    """A published column of words, and its first value."""
    for column in bundle._plain():
        lines = [v for v in bundle.tables["records"][column].to_pylist() if isinstance(v, str)]
        if lines:
            return column, sorted(lines)[0]
    return None


def _states(bundle: Any) -> Iterator[list[str]]:
    yield ["select name, count(*) as intervals from (select unnest(states) as code from sequences) "
           "join states using (code) group by 1 order by 2 desc"]  # fmt: skip
    yield ["--rhythm"]
    if "group" in bundle.tables["sequences"].column_names:
        yield ["--by", "group"]


def _log(bundle: Any) -> Iterator[list[str]]:
    yield ["select state, count(*) as events from events group by 1 order by 2 desc limit 5"]
    yield ["--next", ""]
    if bundle.states:
        yield ["--next", str(bundle.states[0])]


def _grams(bundle: Any) -> Iterator[list[str]]:
    yield ['select gram, "count" from ngrams where "order" = 1 order by 2 desc limit 5']
    yield ["--next", ""]
    if bundle.alphabet and bundle.order > 1:
        yield ["--next", str(bundle.alphabet[0])]
    if any(gram.startswith("& ") for gram in bundle.grams):
        yield ["--next", "&"]  # how series begin


def _documents(bundle: Any) -> Iterator[list[str]]:
    yield ["select document, length(text) as characters from documents order by 2 desc limit 5"]
    yield ["select count(*) as documents from documents where text ilike '%a%'"]
    if "owners" in bundle.tables:
        yield ["select owner, count(*) as documents from owners group by 1 order by 2 desc limit 5"]


def _plain(bundle: Any) -> Iterator[list[str]]:
    for name in bundle.tables:
        yield [f'select count(*) as "rows" from "{name}"']
    for name in bundle.tables:
        yield [f'select * from "{name}" limit 5']


_OF = {
    "boxes": _series, "drawn": _series, "letters": _series, "states": _states, "log": _log, "grams": _grams,
    "documents": _documents,
}  # fmt: skip

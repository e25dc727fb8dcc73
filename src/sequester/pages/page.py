"""One self-contained page: no network, no script but one of ours; everything from the data is escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from markupsafe import Markup, escape

from sequester.errors import as_flag, in_words
from sequester.languages import said, spoken
from sequester.pages.svg import night_style
from sequester.release import shown

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""Content security policy of every page: a script in a note is shown, never run, whatever happens."""

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
"""`--keep`, which a browser would break after its first two characters."""

FIGURE_TABLE_ROWS = 200
"""Longer tables are cut: a page is read, a file is queried."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table that is there for those who want it: folded until it is opened."""

    summary: str
    """What is inside, in the words one clicks on."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    says: str = ""
    after: str = ""
    """Words below it; where it was cut they say so."""
    sort: bool = False
    """Many lines of one sort: can be sorted by a column and searched, where the page has the script for it."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A question and its answer: words, a picture (SVG markup made here), a table."""

    title: str
    says: str = ""
    svg: str = ""
    """Markup from `charts` or `sketch`, trusted because it was cleaned when it was made."""
    small: bool = False
    """A picture beside the point: half the size."""
    alt: str = ""
    """What the picture shows, for those who cannot see it."""
    caption: str = ""
    """What the table lists; the title if empty."""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    excerpts: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """Texts as (heading, pieces); a piece is (text, class) with the class `kept` or `gone`."""
    more: tuple[Table, ...] = ()
    """Folded tables below: long lists, and the columns that matter to few."""
    command: str = ""
    facts: tuple[tuple[str, str], ...] = field(default=())
    after: str = ""
    """Words below the picture or table: how to read it."""
    links: tuple[tuple[str, str], ...] = ()
    """Words and where they lead, relative to the page."""
    replaces: str = ""
    """Title of the public section that this one shows too, with more."""
    anchor: str = ""


@cache
def _environment() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("sequester.pages", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = lambda value: said(value) if isinstance(value, str) else said(shown(value))
    environment.filters["coded"] = coded
    environment.filters["command"] = unbroken
    environment.globals |= {"night": night_style(), "_": said, "spoken": spoken}
    return environment


@cache
def _script() -> tuple[str, str]:
    """The script of a custodian's page, and the policy that allows it and no other."""
    words = _environment().loader.get_source(_environment(), "sort.js")[0]
    digest = base64.b64encode(hashlib.sha256(words.encode()).digest()).decode()
    return words, f"{POLICY}; script-src 'sha256-{digest}'"


def render(template: str, *, sections: Sequence[Section], sortable: bool = False, **values: Any) -> str:
    """A page from a template; every value is escaped unless it is a `Section.svg`."""
    named = [replace(s, anchor=_anchor(s.title, i)) for i, s in enumerate(sections)]
    cut = [replace(s, rows=s.rows[:FIGURE_TABLE_ROWS], after=_words_after(s), more=_cut(s.more)) for s in named]
    script, policy = _script() if sortable else ("", POLICY)
    return _environment().get_template(template).render(policy=policy, script=script, sections=cut, **values)


def coded(words: Any) -> Any:
    """Words in which `backticks` become code, everything else escaped; an option stays whole at the end of a line.

    Notes and errors mark the options they name; a page spells them as the command line does.
    """
    spelled = in_words(said(words), as_flag)
    text = OPTION.sub(r'<span class="word">\g<0></span>', str(escape(spelled)))
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", text))


def unbroken(command: str) -> Any:
    """A command line whose words stay whole where the line is broken: `--person`, never `-` and `-person`."""
    word = Markup('<span class="word">{}</span>')
    lines = [Markup(" ").join(word.format(w) for w in line.split(" ")) for line in command.split("\n")]
    return Markup("\n").join(lines)


def _anchor(title: str, index: int) -> str:
    return f"{re.sub('[^a-z0-9]+', '-', title.lower()).strip('-')}-{index + 1}"


def _cut(tables: tuple[Table, ...]) -> tuple[Table, ...]:
    return tuple(replace(t, rows=t.rows[:FIGURE_TABLE_ROWS], after=_words_after(t)) for t in tables)


def folded(summary: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """JSON rows as a folded table, columns in the order they first appear."""
    columns = tuple(dict.fromkeys(key for row in rows for key in row))
    cells = tuple(tuple(row.get(c) for c in columns) for row in rows)
    return Table(summary=summary, columns=tuple(c.replace("_", " ") for c in columns), rows=cells)


def _words_after(section: Section | Table) -> str:
    if len(section.rows) <= FIGURE_TABLE_ROWS:
        return section.after
    return f"{section.after} The first {FIGURE_TABLE_ROWS} of {len(section.rows):,} rows are shown.".strip()

"""One self-contained page: no script, no network; everything from the data is escaped."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Content security policy of every page: a script in a note is shown, never run, whatever happens."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A question and its answer: words, a picture (SVG markup made here), a table."""

    title: str
    says: str = ""
    svg: str = ""
    """Markup from `charts`, trusted because labels were escaped when it was made."""
    alt: str = ""
    """What the picture shows, for those who cannot see it."""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    excerpt: tuple[tuple[str, str], ...] = ()
    """Pieces of text with a class each (`kept`, `gone`): shown in colour, escaped."""
    command: str = ""
    facts: tuple[tuple[str, str], ...] = field(default=())


@cache
def _environment() -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("sequester.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, **values: Any) -> str:
    """A page from a template; every value is escaped unless it is a `Section.svg`."""
    return _environment().get_template(template).render(policy=POLICY, **values)

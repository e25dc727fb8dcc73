"""What all drawings share: colours that can be read, text that cannot become markup, and the cleaned frame."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from sequester.pages.svg import SVG, clean

INK, SOFT, LINE, GRID = "#1b1f24", "#57606a", "#d0d7de", "#e8ecf0"
COLOURS = ("#0b5cad", "#b34700", "#1a6b3c", "#7a3b8f", "#a61e2a", "#57606a")
"""Each has a contrast of at least 4.5 on white; curves also differ in their dashes."""
DASHES = ("none", "6 3", "2 2", "8 3 2 3", "4 2", "1 3")
LABEL = 32
"""Longer labels are cut; the whole label stands in the table below a chart."""
FONT = 'font-family="sans-serif" font-size="12"'


def short(label: Any, limit: int = LABEL) -> str:
    """A label cut to a length that fits."""
    words = " ".join(str(label).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def text(
    x: float, y: float, words: str, *, anchor: str = "start", size: int = 12, colour: str = INK, weight: str = "normal"
) -> str:
    """Words at a place."""
    font = FONT.replace('"12"', f'"{size}"')
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}" {font}>'
        f"{escape(printable(words))}</text>"
    )


def printable(words: str) -> str:
    """XML has no place for control characters."""
    return "".join(
        c if c >= " " else " " for c in str(words) if c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff"
    )


def drawing(wide: float, high: float, body: Sequence[str]) -> str:
    """The parts as one picture, with listed elements only."""
    inner = "".join(body)
    return clean(f'<svg xmlns="{SVG}" viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}">{inner}</svg>')

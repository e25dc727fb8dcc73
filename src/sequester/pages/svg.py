"""What all drawings share: colours that can be read by day and night, text that cannot become markup, one width.

Only harmless SVG leaves here: drawing elements and attributes on a list, everything else dropped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree

SVG = "http://www.w3.org/2000/svg"
_ELEMENTS = "svg g path line rect circle ellipse polygon polyline text tspan defs linearGradient stop clipPath marker"
ELEMENTS = frozenset(_ELEMENTS.split())
_ATTRIBUTES = (
    "aria-hidden class clip-path cx cy d dominant-baseline dx dy fill fill-opacity font-family font-size font-style "
    "font-weight gradientUnits height id marker-end markerHeight markerUnits markerWidth offset opacity orient points "
    "r refX refY rx ry stop-color stop-opacity stroke stroke-dasharray stroke-linecap stroke-linejoin "
    "stroke-miterlimit stroke-opacity stroke-width text-anchor transform version viewBox width x x1 x2 y y1 y2"
)
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
_REFERENCE = re.compile(r"url\(#([^)]*)\)")

ElementTree.register_namespace("", SVG)


def clean(markup: str) -> str:
    """The same drawing with listed elements only, and names that do not clash with another drawing on the page."""
    root = ElementTree.fromstring(markup)
    prefix = "f" + hashlib.sha256(markup.encode()).hexdigest()[:8] + "-"
    _keep(root, prefix)
    if "viewBox" in root.attrib:  # the page may make it narrower; its height follows
        root.attrib.pop("height", None)
    root.attrib["aria-hidden"] = "true"  # the figure around it says what it shows
    return ElementTree.tostring(root, encoding="unicode")


def _keep(element: ElementTree.Element, prefix: str) -> None:
    for name in list(element.attrib):
        value = element.attrib[name]
        elsewhere = "url(" in value and not _REFERENCE.fullmatch(value)
        if name not in ATTRIBUTES or elsewhere:
            del element.attrib[name]
        elif name == "id":
            element.attrib[name] = prefix + value
        else:
            element.attrib[name] = _REFERENCE.sub(rf"url(#{prefix}\1)", value)
    for child in list(element):
        space, _, name = str(child.tag).removeprefix("{").partition("}")
        if space != SVG or name not in ELEMENTS:
            element.remove(child)
        else:
            _keep(child, prefix)


WIDE = 520.0
"""Width of every picture: on a phone its words are still readable, on a desk they are as large as the text."""
INK, SOFT, LINE, GRID, GROUND = "#1b1f24", "#57606a", "#d0d7de", "#e8ecf0", "#ffffff"
COLOURS = ("#0b5cad", "#b34700", "#1a6b3c", "#7a3b8f", "#a61e2a", "#57606a")
"""Each has a contrast of at least 4.5 on white; curves also differ in their dashes."""
DASHES = ("none", "6 3", "2 2", "8 3 2 3", "4 2", "1 3")
LABEL = 32
"""Longer labels are cut; the whole label stands in the table below a chart."""
SIZE = 13
STEPS = 20
"""Steps of a shade, all of the same size."""


def _mixed(ends: tuple[str, str], share: float) -> str:
    a, b = ([int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in ends)
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in zip(a, b, strict=True))


def _ramp(*ends: str) -> tuple[str, ...]:
    return tuple(_mixed((ends[0], ends[1]), i / STEPS) for i in range(STEPS + 1))


SHADES = _ramp("#f4f7fb", "#083c78")
"""Nothing to the largest share, in even steps; they also print in grey."""
LESS, MORE = _ramp("#f6f6f3", "#9c3b00")[1:], _ramp("#f6f6f3", "#0a5a4a")[1:]
"""Less and more in the release than in the original."""
SAME = "#f6f6f3"

NIGHT_GROUND = "#1a1e22"
NIGHT = {
    INK: "#e6e9ed", SOFT: "#a8b1bb", LINE: "#3a4148", GRID: "#2b3137", GROUND: NIGHT_GROUND,
    **dict(zip(COLOURS[:5], ("#7db8f5", "#f2a065", "#6fcf97", "#cf9fe0", "#f08a92"), strict=True)),
    **dict(zip(SHADES, _ramp("#20262c", "#9ccdff"), strict=True)),
    SAME: "#23282d",
    **dict(zip(LESS, _ramp("#23282d", "#ffb27a")[1:], strict=True)),
    **dict(zip(MORE, _ramp("#23282d", "#7fe0cb")[1:], strict=True)),
}  # fmt: skip
"""The colour each one has on a dark page."""


def night_style() -> str:
    """Style rules that turn every drawing dark with the page; the drawings themselves stay as they are."""
    rules = [f"figure {{ background: {NIGHT_GROUND}; }}"]
    lines = {INK, SOFT, LINE, GRID, GROUND, *COLOURS}
    for day, night in NIGHT.items():
        rules.append(f'svg [fill="{day}"] {{ fill: {night}; }}')
        if day in lines:
            rules.append(f'svg [stroke="{day}"] {{ stroke: {night}; }}')
    return "@media screen and (prefers-color-scheme: dark) {\n" + "\n".join(rules) + "\n}"


def short(label: Any, limit: int = LABEL) -> str:
    """A label cut to a length that fits."""
    words = " ".join(str(label).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def broken(label: Any, limit: int) -> list[str]:
    """A label on at most two lines, cut only where even these do not hold it."""
    out: list[str] = []
    for word in " ".join(str(label).split()).split(" "):
        if out and len(out[-1]) + 1 + len(word) <= limit:
            out[-1] += " " + word
        else:
            out.append(word)
    return [short(line, limit) for line in ([out[0], " ".join(out[1:])] if len(out) > 2 else out)]


def text(
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "start",
    size: int = SIZE,
    colour: str = INK,
    weight: str = "normal",
) -> str:
    """Words at a place."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}" '
        f'font-family="sans-serif" font-size="{size}">{escape(printable(words))}</text>'
    )


def rect(x: float, y: float, wide: float, high: float, fill: str, more: str = "") -> str:
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(0.0, wide):.2f}" height="{high:.2f}" fill="{fill}"{more}/>'


def printable(words: str) -> str:
    """XML has no place for control characters."""
    return "".join(
        c if c >= " " else " " for c in str(words) if c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff"
    )


def drawing(wide: float, high: float, body: Sequence[str]) -> str:
    """The parts as one picture, with listed elements only."""
    inner = "".join(body)
    return clean(f'<svg xmlns="{SVG}" viewBox="0 0 {wide:.0f} {high:.0f}" width="{wide:.0f}">{inner}</svg>')

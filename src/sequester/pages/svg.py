"""Only harmless SVG leaves here: drawing elements and attributes on a list, everything else dropped."""

from __future__ import annotations

import hashlib
import re
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

"""Rules every page must keep, checked on its markup: for screen readers, keyboards, eyes and the network."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib import resources

VOID = {"meta", "link", "br", "img", "input", "hr", "area", "base", "col", "embed", "source", "track", "wbr"}
FORBIDDEN = {"script", "iframe", "object", "embed", "form", "input", "link", "base", "audio", "video", "foreignobject"}


@dataclass
class Node:
    tag: str
    attributes: dict
    parent: Node | None
    children: list = field(default_factory=list)
    words: str = ""

    def all(self, *tags):
        for child in self.children:
            if not tags or child.tag in tags:
                yield child
            yield from child.all(*tags)

    def text(self):
        return self.words + "".join(c.text() for c in self.children)


class _Tree(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = self.here = Node("#", {}, None)

    def handle_starttag(self, tag, attrs):
        node = Node(tag, dict(attrs), self.here)
        self.here.children.append(node)
        if tag not in VOID:
            self.here = node

    def handle_startendtag(self, tag, attrs):
        self.here.children.append(Node(tag, dict(attrs), self.here))

    def handle_endtag(self, tag):
        node = self.here
        while node.parent is not None and node.tag != tag:
            node = node.parent
        if node.parent is not None:
            self.here = node.parent

    def handle_data(self, data):
        self.here.words += data


def tree(markup):
    parser = _Tree()
    parser.feed(markup)
    return parser.root


def faults(markup):
    """What is wrong with a page; an empty list if nothing is."""
    root = tree(markup)
    nodes = list(root.all())
    return [*_document(root, nodes), *_structure(root, nodes), *_figures(root), *_tables(root), *_safety(nodes)]


def _document(root, nodes):
    html = next(root.all("html"), None)
    if html is None or not html.attributes.get("lang"):
        yield "the page has no language"
    if not next(root.all("title"), Node("", {}, None)).text().strip():
        yield "the page has no title"
    metas = [m.attributes for m in root.all("meta")]
    if not any(m.get("name") == "viewport" for m in metas):
        yield "no viewport for phones"
    if any("user-scalable=no" in (m.get("content") or "") for m in metas):
        yield "the page cannot be enlarged"
    if not any((m.get("http-equiv") or "") == "Content-Security-Policy" for m in metas):
        yield "no content security policy"
    for tag in ("main", "header", "footer", "h1"):
        if len(list(root.all(tag))) != 1:
            yield f"the page needs exactly one {tag}"


def _structure(root, nodes):
    level = 0
    for heading in root.all("h1", "h2", "h3", "h4", "h5", "h6"):
        if not heading.text().strip():
            yield f"an empty {heading.tag}"
        if int(heading.tag[1]) > level + 1:
            yield f"{heading.tag} '{heading.text()}' skips a level"
        level = int(heading.tag[1])
    ids = [n.attributes["id"] for n in nodes if n.attributes.get("id")]
    if len(ids) != len(set(ids)):
        yield f"ids used twice: {sorted({i for i in ids if ids.count(i) > 1})}"
    for node in nodes:
        for name in ("aria-labelledby", "aria-describedby"):
            if node.attributes.get(name) and node.attributes[name] not in ids:
                yield f"{name} points nowhere: {node.attributes[name]}"
    links = list(root.all("a"))
    if not links or links[0].attributes.get("href") != "#content" or "content" not in ids:
        yield "the first link does not lead to the content"
    for link in links:
        if not link.text().strip():
            yield "a link without words"
        href = link.attributes.get("href") or ""
        if href.startswith("#") and href[1:] not in ids:
            yield f"a link leads nowhere: {href}"
    for node in root.all("section", "nav"):
        if not (node.attributes.get("aria-label") or node.attributes.get("aria-labelledby")):
            yield f"a {node.tag} without a name"
    for node in nodes:
        if node.attributes.get("role") == "region" and not node.attributes.get("aria-label"):
            yield "a region without a name"
        if "scroll" in (node.attributes.get("class") or "").split() and node.attributes.get("tabindex") != "0":
            yield "something scrolls that the keyboard cannot reach"


def _figures(root):
    for figure in root.all("figure"):
        if figure.attributes.get("role") != "img" or len(figure.attributes.get("aria-label") or "") < 15:
            yield "a figure that does not say what it shows"
        if not list(figure.all("svg")):
            yield "a figure without a picture"
    for svg in root.all("svg"):
        if "viewbox" not in {a.lower() for a in svg.attributes}:
            yield "a picture that cannot be scaled"
    for image in root.all("img"):
        if image.attributes.get("alt") is None:
            yield "an image without alternative text"


def _tables(root):
    for table in root.all("table"):
        if not next(table.all("caption"), Node("", {}, None)).text().strip():
            yield "a table without a caption"
        heads = [th for th in table.all("th") if th.attributes.get("scope") == "col"]
        if not heads:
            yield "a table without column headers"
        if any(th.attributes.get("scope") not in ("col", "row") for th in table.all("th")):
            yield "a header that does not say what it heads"
        for body in table.all("tbody"):
            for row in body.all("tr"):
                if len(row.children) != len(heads):
                    yield "a row that does not fit its headers"
                    break


def _safety(nodes):
    for node in nodes:
        if node.tag.lower() in FORBIDDEN and not _is_ours(node, nodes):
            yield f"a {node.tag} element"
        for name, value in node.attributes.items():
            value = value or ""
            if name.lower().startswith("on"):
                yield f"an event handler {name}"
            inline = name in ("href", "src", "xlink:href", "action", "srcset", "poster", "data")
            if inline and re.match(r"(?i)\s*([a-z][a-z0-9+.-]*:|//)", value) and not value.startswith("data:image/"):
                yield f"{name} leaves the page: {value}"
            if name == "style" and ("url(" in value or "@import" in value):
                yield "a style that loads something"
        if node.tag == "style" and re.search(r"url\(|@import", node.text()):
            yield "a style sheet that loads something"


def _is_ours(node, nodes):
    """The one script a page may have: it sorts tables, and the page's policy names its checksum."""
    ours = (resources.files("sequester.pages") / "templates" / "sort.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(ours.encode()).digest()).decode()
    policies = [n.attributes.get("content") or "" for n in nodes if n.attributes.get("http-equiv")]
    return node.tag == "script" and node.words == ours and any(f"'sha256-{digest}'" in p for p in policies)


def contrast(one, two):
    """Contrast ratio of two colours, as WCAG defines it."""
    light, dark = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

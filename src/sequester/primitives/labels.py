"""Spans that people or programs have marked in documents: whose name, which date. One table, from many formats.

Every format becomes `document → [(start, end, type), …]`, counted in characters, the end not included:

- JSON lines with `document` and `spans` (`[[start, end, type], …]` or objects with `start` and `end`) or `start` and
  `end`: our own;
- UIMA CAS XMI as INCEpTION exports it (one `.xmi` file per document, places counted in UTF-16 units);
- i2b2 2014 (one XML file per note, in a folder) and i2b2 2006 (one XML file with `RECORD`s and `PHI` inline);
- brat (a folder of `.ann` files);
- results of the Presidio analyzer (one list per document), and presidio-research (`full_text`, `spans`).
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from sequester.errors import InputError

Labels = dict[str, list[tuple[int, int, str]]]

UNTYPED = "PRIVATE"
"""The type of a span that has none."""


def read_labels(labels: str | Path | Iterable[Mapping[str, Any]], who: str = "measure") -> Labels:
    """Marked spans by document, from a file, a folder, or rows."""
    if not isinstance(labels, (str, Path)):
        return _from_rows(labels, who)
    path = Path(labels)
    if not path.exists():
        raise InputError(f"{who}: the labels '{path.name}' do not exist. Check the path.")
    if path.is_dir():
        return _from_folder(path, who)
    if path.suffix.lower() == ".xmi":
        return {path.stem: _from_xmi(path, who)}
    if path.suffix.lower() == ".xml":
        return _from_xml(path, who)
    if path.suffix.lower() == ".ann":
        return {path.stem: _from_brat(path, who)}
    return _from_rows(_json_rows(path, who), who)


def under_names(labels: Labels, names: Container[str]) -> Labels:
    """Labels under the names of documents in the source, which leave out the ending of a file."""
    out: Labels = {}
    for name, spans in labels.items():
        short = name.rpartition(".")[0]
        out.setdefault(short if name not in names and short in names else name, []).extend(spans)
    return out


def label_texts(labels: str | Path) -> dict[str, str]:
    """Texts that the rows of a JSON file hold beside their labels, by document; other formats have none here."""
    path = Path(labels)
    if path.is_dir() or path.suffix.lower() in (".xml", ".xmi", ".ann"):
        return {}
    out: dict[str, str] = {}
    for number, row in enumerate(_json_rows(path, "labels"), start=1):
        text = row.get("full_text", row.get("text")) if isinstance(row, Mapping) else None
        if isinstance(text, str) and ("document" in row or "full_text" in row):
            out[str(row.get("document", number))] = text
    return out


def _json_rows(path: Path, who: str) -> list[Any]:
    """JSON lines, or one JSON list."""
    try:
        whole = path.read_text("utf-8")
        if whole.lstrip().startswith("["):
            try:
                return json.loads(whole)
            except ValueError:
                pass  # JSON lines may begin with a list as well: Presidio's results, one list per line
        return [json.loads(line) for line in whole.split("\n") if line.strip()]
    except (ValueError, UnicodeError) as error:
        raise InputError(f"{who}: the labels '{path.name}' are not JSON lines.") from error


def _from_rows(rows: Iterable[Any], who: str) -> Labels:
    out: Labels = {}
    for number, row in enumerate(rows, start=1):
        name, spans = _row(row, number)
        if name is None or spans is None:
            raise InputError(f"{who}: line {number} of the labels lacks `document` or `spans` ([[start, end], …]).")
        out.setdefault(name, []).extend(spans)
    return out


def _row(row: Any, number: int) -> tuple[str | None, list[tuple[int, int, str]] | None]:
    """The document and spans of one row; a row without a name stands for the document of that number."""
    if isinstance(row, list):  # what Presidio's analyzer returns for one text
        return str(number), _presidio(row)
    if not isinstance(row, Mapping):
        return None, None
    if "full_text" in row:  # presidio-research
        name = str(row.get("document", number))
        return name, _presidio(row.get("spans") or [], start="start_position", end="end_position")
    if "results" in row:
        return str(row.get("document", number)), _presidio(row["results"])
    if "document" not in row:
        return None, None
    spans = row.get("spans") or [] if "spans" in row else [[row.get("start"), row.get("end"), row.get("type")]]
    return str(row["document"]), _triples(spans)


def _triples(spans: Any) -> list[tuple[int, int, str]] | None:
    out = []
    for span in spans:
        if isinstance(span, Mapping):
            names = [span.get(name) for name in ("label", "type", "entity_type", "tag") if span.get(name)]
            span = [span.get("start", span.get("begin")), span.get("end"), *names[:1]]
        if not isinstance(span, (list, tuple)) or len(span) < 2 or not all(_whole(x) for x in span[:2]):
            return None
        out.append((span[0], span[1], str(span[2]) if len(span) > 2 and span[2] else UNTYPED))
    return out


def _presidio(results: Any, start: str = "start", end: str = "end") -> list[tuple[int, int, str]] | None:
    out = []
    for found in results:
        if not isinstance(found, Mapping) or not (_whole(found.get(start)) and _whole(found.get(end))):
            return None
        out.append((found[start], found[end], str(found.get("entity_type") or UNTYPED)))
    return out


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _from_folder(path: Path, who: str) -> Labels:
    out: Labels = {}
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).with_suffix("").as_posix()
        if file.suffix.lower() == ".ann":
            out[name] = _from_brat(file, who)
        elif file.suffix.lower() == ".xmi":
            out[name] = _from_xmi(file, who)
        elif file.suffix.lower() == ".xml":
            for record, spans in _from_xml(file, who).items():
                out[name if record == file.stem else record] = spans
    if not out:
        raise InputError(f"{who}: the folder '{path.name}' holds no labels (.xml of i2b2, .ann of brat, .xmi of UIMA).")
    return out


def _from_brat(path: Path, who: str) -> list[tuple[int, int, str]]:
    """Text-bound annotations (`T…`); relations, events and notes are passed over."""
    out = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1):
        if not line.startswith("T"):
            continue
        parts = line.split("\t")
        found = re.fullmatch(r"(\S+) (\d+ \d+(?:;\d+ \d+)*)", parts[1]) if len(parts) > 1 else None
        if found is None:
            raise InputError(f"{who}: line {number} of '{path.name}' is not a brat annotation (TYPE START END).")
        for piece in found.group(2).split(";"):
            start, end = map(int, piece.split())
            out.append((start, end, found.group(1)))
    return out


STRUCTURE = frozenset(
    (
        "Token",
        "Sentence",
        "Paragraph",
        "DocumentMetaData",
        "DocumentAnnotation",
        "Lemma",
        "POS",
        "Stem",
        "Sofa",
        "TagsetDescription",
    )
)
"""Annotations of a CAS that say how a text is built, not what is private in it."""


def _from_xmi(path: Path, who: str) -> list[tuple[int, int, str]]:
    """Annotations of one CAS: named entities where there are any, else every layer that is no structure."""
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise InputError(f"{who}: '{path.name}' is not well-formed XML (line {error.position[0]}).") from error
    sofa = [element.get("sofaString") for element in root if element.tag.rpartition("}")[2] == "Sofa"]
    if len(sofa) != 1 or sofa[0] is None:
        raise InputError(f"{who}: '{path.name}' must hold one text (a Sofa with a sofaString), it has {len(sofa)}.")
    place = [0]  # UIMA counts UTF-16 units: a character beyond the first 65,536 is two of them
    for number, character in enumerate(sofa[0]):
        place += [number + 1] * (2 if ord(character) > 0xFFFF else 1)
    layers: dict[str, list[tuple[int, int, str]]] = {}
    for element in root:
        layer = element.tag.rpartition("}")[2]
        if layer in STRUCTURE or not {"begin", "end"} <= set(element.attrib):
            continue
        begin, end = (int(element.attrib[name]) for name in ("begin", "end"))
        if not 0 <= begin <= end < len(place):
            raise InputError(f"{who}: an annotation of '{path.name}' lies outside its text.")
        kind = element.get("value") or element.get("kind") or element.get("entityType") or layer
        layers.setdefault(layer, []).append((place[begin], place[end], kind))
    return layers.get("NamedEntity") or [span for spans in layers.values() for span in spans]


def _from_xml(path: Path, who: str) -> Labels:
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        line = error.position[0]
        raise InputError(
            f"{who}: '{path.name}' is not well-formed XML (line {line}). The training file of i2b2 2006 has a tag that "
            "is never closed; repair the line."
        ) from error
    text = root.find("TEXT")
    if root.tag == "deIdi2b2" or (text is not None and root.find("TAGS") is not None):
        return {path.stem: _i2b2_2014(root, path.name, who)}
    records = root.findall(".//RECORD")
    if not records:
        raise InputError(f"{who}: '{path.name}' is neither a note of i2b2 2014 nor the records of i2b2 2006.")
    return {str(record.get("ID")): _i2b2_2006(record) for record in records}


def _i2b2_2014(root: ElementTree.Element, name: str, who: str) -> list[tuple[int, int, str]]:
    text = root.findtext("TEXT") or ""
    out = []
    for number, tag in enumerate(root.find("TAGS") or (), start=1):
        try:
            start, end = int(tag.attrib["start"]), int(tag.attrib["end"])
        except (KeyError, ValueError):
            raise InputError(f"{who}: tag {number} of '{name}' lacks its start or end.") from None
        if "text" in tag.attrib and tag.attrib["text"] != text[start:end]:
            raise InputError(
                f"{who}: tag {number} of '{name}' does not stand where it says. Read the file as it was published."
            )
        out.append((start, end, tag.attrib.get("TYPE") or tag.tag))
    return out


def _i2b2_2006(record: ElementTree.Element) -> list[tuple[int, int, str]]:
    """Inline tags: places are those in the text without them."""
    body = record.find("TEXT")
    at = len(body.text or "") if body is not None else 0
    out = []
    for tag in body if body is not None else ():
        size = len("".join(tag.itertext()))
        if tag.tag == "PHI":
            out.append((at, at + size, tag.get("TYPE") or UNTYPED))
        at += size + len(tag.tail or "")
    return out

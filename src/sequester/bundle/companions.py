"""What a reader finds beside the data: README.md, LICENSE, CITATION.cff, and metadata that catalogues read.

Everything follows from the manifest alone, so that `verify` can make each file again and compare it byte by byte.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import spdx

from sequester.bundle.datapackage import CSVW, MEDIA
from sequester.layouts import dictionary, layout_of

Manifest = Mapping[str, Any]

GRADES = {
    "proved": "It is proved: the promise follows from how the release was made, and the budget is in the manifest.",
    "verified": "It was verified: independent code counted it again in the files of this folder.",
    "as-published": "It is a claim as published in the literature; no check of these files can confirm it.",
}
STANDARDS = {"omop": "OMOP CDM tables", "fhir": "a FHIR bulk export", "meds": "MEDS"}
COPIES = {"long": " The same with a row per interval and states by name, for people."}
CROISSANT = "http://mlcommons.org/croissant/1.0"
CROISSANT_CONTEXT = {
    "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": f"{CROISSANT[:-3]}",
    "dct": "http://purl.org/dc/terms/", "rai": "http://mlcommons.org/croissant/RAI/", "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"}, "examples": {"@id": "cr:examples", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{word: f"cr:{word}" for word in (
        "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format",
        "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references",
        "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform",
    )},
}  # fmt: skip
"""The context of the standard, whole: its readers complain about less."""
CROISSANT_MEDIA = {"parquet": "application/x-parquet", "jsonl": "application/jsonlines"}
"""As its readers spell them."""
CROISSANT_TYPES = (
    (r"u?int\d+", "sc:Integer"),
    (r"float|double|halffloat", "sc:Float"),
    (r"bool", "sc:Boolean"),
    (r"timestamp", "sc:DateTime"),
    (r"date32|date64", "sc:Date"),
)


def protected_by(manifest: Manifest) -> str:
    """What every file of a bundle says of itself.

    The manifest holds the checksums of the files, so they cannot hold that of the manifest. The checksum here is
    SHA-256 of the words of the promise, a line each: title, method, level, unit, statement, and what is not covered.
    """
    promise, method = manifest["guarantee"], manifest["method"]["id"]
    words = [manifest["publication"]["title"], method, promise["level"], promise["unit"], promise["statement"]]
    digest = hashlib.sha256("\n".join([*words, *promise["not_covered"]]).encode("utf-8")).hexdigest()
    if manifest["teaching_only"]:
        return f"made with sequester for teaching: {method}, protects nobody, promise sha256:{digest}"
    return f"protected by sequester: {method}, {promise['status']}, promise sha256:{digest}"


def companions(manifest: Manifest, name: str) -> dict[str, Callable[[], str]]:
    """File → what makes it. A licence is there if the custodian named one."""
    made: dict[str, Callable[[], str]] = {
        "README.md": lambda: readme(manifest, name),
        "CITATION.cff": lambda: citation(manifest, name),
        "croissant.json": lambda: _json(croissant(manifest, name)),
        "ro-crate-metadata.json": lambda: _json(crate(manifest, name)),
    }
    if manifest.get("publication", {}).get("licence"):
        made["LICENSE"] = lambda: licence(manifest)
    return made


NAMES = ("README.md", "CITATION.cff", "LICENSE", "croissant.json", "ro-crate-metadata.json")


def readme(manifest: Manifest, name: str) -> str:
    """What it is, what is promised, what not to do with it, and how to load it."""
    card, promise = manifest.get("publication", {}), manifest["guarantee"]
    layout = layout_of(manifest).name
    files = [
        f"- `{file['path']}`: {dictionary.says(layout, file['table']) or file['table']}"
        + (COPIES.get(file["format"], " The same rows again, for other programs.") if file.get("copy") else "")
        for file in manifest["files"]
        if file["format"] != "folder" and file["format"] not in STANDARDS
    ]
    files += [f"- `data/{form}/`: the same events, laid out as {words}." for form, words in STANDARDS.items()
              if any(file["format"] == form for file in manifest["files"])]  # fmt: skip
    if any(file["format"] == "folder" for file in manifest["files"]):
        files.append("- `data/*/`: a text file per document.")
    about = [
        f"Licence: {card['licence']}." if card.get("licence") else "No licence was stated: ask before you use it.",
        f"Contact: {card['contact']}." if card.get("contact") else "",
        f"Issued {card['issued']}." if card.get("issued") else "",
    ]
    made = "invented" if layout in ("log", "states") else "changed"
    return "\n".join([
        f"# {name}",
        "",
        f"Protected sequential health data ({manifest['kind']}), released with sequester by the method "
        f"`{manifest['method']['id']}`. What stands here was {made} to protect people: it is not the original.",
        " ".join(line for line in about if line),
        "",
        "## The promise",
        "",
        *(["**For teaching only: its noise came from a known seed, so it protects nobody.**", ""]
          if manifest["teaching_only"] else []),
        f"{promise['level']}, for each {promise['unit']}. {promise['statement']} {GRADES.get(promise['status'], '')}",
        "",
        "It does not cover:",
        "",
        *(f"- {line}" for line in promise["not_covered"]),
        "",
        "## What not to do with it",
        "",
        "- Do not try to find out who somebody is, and do not join it with other data of the same people.",
        "- Do not treat a row as a patient: decide nothing about a single person by it.",
        "- Do not change files and pass the folder on: its checksums then no longer fit.",
        "",
        "## Files",
        "",
        *files,
        "- `manifest.json`: how it was made, the promise, the checks and every checksum. `report.html` shows it.",
        "",
        f"Parquet and XES files say of themselves (key `sequester`){_of_csv(manifest)}: "
        f'"{protected_by(manifest)}". The checksum is that of the lines of the promise: title, method, level, unit, '
        "statement, and what it does not cover.",
        "",
        "## How to load it",
        "",
        *_loading(manifest),
        "Check it: `sequester verify FOLDER`.",
        "",
    ])  # fmt: skip


def _of_csv(manifest: Mapping[str, Any]) -> str:
    return f", and `{CSVW}` says of CSV files" if any(f["format"] == "csv" for f in manifest["files"]) else ""


def _loading(manifest: Manifest) -> list[str]:
    """Lines that run inside the folder; a test runs those for Python, DuckDB and pm4py."""
    own = next(file for file in manifest["files"] if not file.get("copy"))
    main = next((file for file in manifest["files"] if file["format"] == "long"), own)  # states by name, for people
    path, form = main["path"], main["format"]
    where, names = ("data/documents", "*.txt") if form == "folder" else ("data", "documents.txt")
    reads = {
        "csv": (f'table = pd.read_csv("{path}")', f"'{path}'", f'table <- read.csv("{path}")'),
        "jsonl": (
            f'table = pd.read_json("{path}", lines=True)', f"read_json_auto('{path}')",
            f'table <- jsonlite::stream_in(file("{path}"))',
        ),
        "texts": (
            f'found = sorted(Path("{where}").glob("{names}"))\n'
            'rows = [(path.stem, path.read_bytes().decode("utf-8")) for path in found]\n'
            'table = pd.DataFrame(rows, columns=["document", "text"])',
            f"read_text('{where}/{names}')",
            f'found <- Sys.glob("{where}/{names}")\n'
            "texts <- sapply(found, function(path) readChar(path, file.size(path), useBytes = TRUE))\n"
            'Encoding(texts) <- "UTF-8"\n'
            'table <- data.frame(document = sub("[.]txt$", "", basename(found)), text = texts)',
        ),
    }  # fmt: skip
    parquet = f'table = pd.read_parquet("{path}")', f"'{path}'", f'table <- arrow::read_parquet("{path}")'
    texts = form in ("folder", "txt")
    python, duck, r = reads.get("texts" if texts else form, parquet)
    sheet = next((f["path"] for f in manifest["files"] if f["format"] == "csv"), None)
    step, place = {"jsonl": ("From JSON", path), "folder": ("From Folder", where), "txt": ("From Text/CSV", path)}.get(
        form, ("From Parquet", path)
    )
    lines = [
        "Python:", "", "```python", *(["from pathlib import Path", ""] if texts else []), "import pandas as pd", "",
        python, "```", "",
        "DuckDB:", "", "```sql", f"SELECT {'filename, content' if texts else '*'} FROM {duck} LIMIT 5;", "```", "",
        "R:", "", "```r", r, "```", "",
        f"Excel: open `{sheet}`." if sheet else f"Excel: Data, Get Data, From File, then {step}, and `{place}`.", "",
    ]  # fmt: skip
    if layout_of(manifest).name == "log":
        log = next((f["path"] for f in manifest["files"] if f["format"] == "xes"), None)
        opened = [f'log = pm4py.read_xes("{log}")'] if log else [
            f'events = pd.read_parquet("{path}")',
            'events["time"] = pd.to_datetime(events["time"])',
            'log = pm4py.format_dataframe(events, case_id="object", activity_key="state", timestamp_key="time")',
        ]  # fmt: skip
        imports = ["import pm4py"] if log else ["import pandas as pd", "import pm4py"]
        lines += ["pm4py:", "", "```python", *imports, "", *opened, "```", ""]
    return lines


@cache
def _licences() -> frozenset[str]:
    """Names that SPDX knows; the library copies all its texts whenever it is asked."""
    return frozenset(one["id"] for one in spdx.licenses())


def licence(manifest: Manifest) -> str:
    """The text of a licence that SPDX knows by this name; else the custodian's own words."""
    words = str(manifest["publication"]["licence"])
    if words not in _licences():
        return f"{words}\n"
    known = next(one for one in spdx.licenses() if one["id"] == words)
    text = re.sub(r"<<var;.*?original=(.*?);match=.*?>>", r"\1", spdx.License(known).template, flags=re.S)
    return f"SPDX-License-Identifier: {words}\n\n{re.sub('<<(beginOptional.*?|endOptional)>>', '', text, flags=re.S)}"


def citation(manifest: Manifest, name: str) -> str:
    """A citation file (CFF 1.2.0). Strings are JSON strings, which YAML reads as they are."""
    card = manifest.get("publication", {})
    given = card.get("licence", "")
    rows = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite it, and say that it is protected data.",
        "type": "dataset",
        "title": name,
        "abstract": f"{manifest['guarantee']['level']}. {manifest['guarantee']['statement']}",
        "license": given if given in _licences() else None,
        "version": card.get("version"),
        "date-released": card.get("issued"),
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in rows.items() if value]
    author = json.dumps(card.get("contact") or "The custodian of the data", ensure_ascii=False)
    return "\n".join([*lines, "authors:", f"  - name: {author}"]) + "\n"


def croissant(manifest: Manifest, name: str) -> dict[str, Any]:
    """Croissant 1.0 (MLCommons): every file, and the columns of the tables."""
    card = manifest.get("publication", {})
    layout = layout_of(manifest).name
    files = [file for file in manifest["files"] if file["format"] in MEDIA and file["format"] != "folder"]
    return {
        "@context": CROISSANT_CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CROISSANT,
        "name": name,
        "description": f"{manifest['guarantee']['level']}. {manifest['guarantee']['statement']}",
        "version": card.get("version") or "1.0.0",
        "citeAs": f"{name}. Protected with sequester, method {manifest['method']['id']}.",
        **_card(card),
        "distribution": [
            {
                "@type": "cr:FileObject", "@id": file["path"], "name": file["path"], "contentUrl": file["path"],
                "encodingFormat": CROISSANT_MEDIA.get(file["format"], MEDIA[file["format"]]), "sha256": file["sha256"],
            }
            for file in files
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet", "@id": file["table"], "name": file["table"],
                "description": dictionary.says(layout, file["table"]) or file["table"],
                "field": [_field(manifest, layout, file, column) for column in sorted(file["schema"])],
            }
            for file in files
            if file["format"] in ("parquet", "csv", "jsonl") and not file.get("copy")
        ],
    }  # fmt: skip


def _field(manifest: Manifest, layout: str, file: Mapping[str, Any], column: str) -> dict[str, Any]:
    words = file["schema"][column]
    kind = next((name for pattern, name in CROISSANT_TYPES if re.search(rf"(^|[ <])({pattern})\b", words)), "sc:Text")
    return {
        "@type": "cr:Field", "@id": f"{file['table']}/{column}", "name": column,
        "description": dictionary.meaning(manifest, layout, file["table"], column) or column,
        "dataType": kind, "source": {"fileObject": {"@id": file["path"]}, "extract": {"column": column}},
        **({"repeated": True} if "list<" in words else {}),
    }  # fmt: skip


def crate(manifest: Manifest, name: str) -> dict[str, Any]:
    """RO-Crate 1.1: the folder, its files, and the program that made them."""
    card = manifest.get("publication", {})
    files = [*manifest["files"], {"path": "report.html"}]
    root = {
        "@id": "./", "@type": "Dataset", "name": name,
        "description": f"{manifest['guarantee']['level']}. {manifest['guarantee']['statement']}",
        "datePublished": card.get("issued") or "not stated",
        "license": card.get("licence") or "not stated",
        **({"version": card["version"]} if card.get("version") else {}),
        "hasPart": [{"@id": file["path"]} for file in files],
        "mentions": [{"@id": "#made-with"}],
    }  # fmt: skip
    descriptor = {
        "@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }  # fmt: skip
    parts = [
        {"@id": file["path"], "@type": "File", "name": file["path"]}
        | ({"contentSize": str(file["bytes"])} if "format" in file else {})
        | ({"encodingFormat": MEDIA[file["format"]]} if file.get("format") in MEDIA else {})
        for file in files
    ]
    program = {"@id": "#made-with", "@type": "SoftwareApplication", "name": "sequester"}
    return {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": [descriptor, root, *parts, program]}


def _card(card: Mapping[str, Any]) -> dict[str, Any]:
    said = {
        "license": card.get("licence"), "datePublished": card.get("issued"),
        "creator": {"@type": "sc:Organization", "name": card["contact"]} if card.get("contact") else None,
    }  # fmt: skip
    return {key: value for key, value in said.items() if value}


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"

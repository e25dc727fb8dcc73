"""`verify.html`: a checker without install, one file that is put together from the pieces in this folder.

It is a third implementation of the promises, written from their words (`docs/recount.md`, `docs/tokens.md`): it shares
no code with the methods and none with the judges. It loads nothing and sends nothing; its policy names the checksums of
its own script and style, so no other code runs in it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from sequester.bundle.atomic import spare
from sequester.errors import InputError
from sequester.version import VERSION

HERE = Path(__file__).parent
PIECES = (
    "bytes", "zstd", "parquet", "zip", "signature", "tokens", "manifest", "words", "text", "tables", "verdict",
    "screen",
)  # fmt: skip
"""In the order in which they need each other."""


def checker_page() -> str:
    """The whole page, the same for every call of one version."""
    stretches = json.loads((HERE.parent / "guarantees" / "characters.json").read_bytes())["stretches"]
    data = {"VERSION": VERSION, "STRETCHES": stretches, "WORDS": json.loads((HERE / "words.json").read_bytes())}
    lines = [f"const {name} = {json.dumps(value, separators=(',', ':'))};" for name, value in data.items()]
    js = "\n".join(['"use strict";', *lines, *((HERE / f"{piece}.js").read_text("utf-8") for piece in PIECES)])
    css = (HERE / "style.css").read_text("utf-8")
    page = (HERE / "page.html").read_text("utf-8")
    parts = {"script": _digest(js), "style": _digest(css), "version": VERSION, "css": css, "js": js}
    for name, text in parts.items():
        page = page.replace(f"{{{name}}}", text, 1)
    return page


def write_checker(path: str | Path) -> str:
    """Write the page to a file; returns its SHA-256, to be compared with the published one."""
    spare("verify", Path(path))
    raw = checker_page().encode("utf-8")
    try:
        Path(path).write_bytes(raw)
    except OSError as error:
        raise InputError(f"verify: '{Path(path).name}' cannot be written ({error.strerror}).") from error
    return hashlib.sha256(raw).hexdigest()


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()

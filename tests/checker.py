"""`verify.html` in Chromium beside `sequester verify`: the same verdict, or plain words for what it leaves out."""

from __future__ import annotations

import base64
from pathlib import Path

import sequester as sq
from sequester.checker import write_checker
from tests.browser import Browser

EXAMINE = """async ([files, folders, signers]) => {
  const found = await examine(new Map(files.map(([name, b]) => [name, unbase64(b)])), folders, signers);
  return { ...found, ms: Math.round(found.ms) };
}"""
LEFT = {
    "pages": "what report.html and datapackage.json say",
    "stated checks": "the lines of checks that the manifest states",
    "copies": "equals its table",
    "promise": "the words of the promise|under “not covered”",
    "checksums": "links and empty folders",
    "the sum has noise": "the shape and the spread of noise",
}
"""A check of `verify` → words that the page then lists under what it did not check."""


class Checker:
    """One page in one browser, for as many bundles as are asked for."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "verify.html"
        write_checker(self.path)
        self.browser = Browser()
        self.browser.open(self.path)

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_) -> None:
        self.browser.__exit__()

    def examine(self, bundle: Path, signers: str = "") -> dict:
        """What the page says of a folder, as a browser hands it over: without links."""
        inside = [p for p in sorted(bundle.rglob("*")) if not _behind_a_link(p, bundle)]
        files = [
            [p.relative_to(bundle).as_posix(), base64.b64encode(p.read_bytes()).decode()] for p in inside if p.is_file()
        ]
        folders = [p.relative_to(bundle).as_posix() for p in inside if p.is_dir()]
        return self.browser.page.evaluate(EXAMINE, [files, folders, signers])

    def agrees(self, bundle: Path) -> dict:
        """Both verdicts, which must be the same as far as the page looks."""
        page = self.examine(bundle)
        result, broken = verdict(bundle)
        seen = page["result"]
        about = (result, broken, seen, [c for c in page["checks"] if not c["passed"]], page["not_checked"])
        if seen in ("broken", "refused"):
            assert result in ("broken", "refused"), about
        elif result in ("broken", "refused"):
            left = "|".join(page["not_checked"])
            assert broken, about
            for name in broken:
                words = LEFT.get(name, "the promise itself|the shape and the spread of noise|beside the rows")
                assert any(word in left for word in words.split("|")), (name, about)
        else:
            same = {"confirmed": ("confirmed", "ledger", "not recounted"), "undecided": ("undecided", "not recounted")}
            assert seen in same[result], about
        return page | {"verify": result}


def verdict(bundle: Path) -> tuple[str, list[str]]:
    """What `verify` says, and which checks fail."""
    try:
        found = sq.verify(bundle)
    except sq.SequesterError:
        return "refused", []
    return found.result, [c.name for c in found.checks if not c.passed and not c.undecided]


def _behind_a_link(path: Path, bundle: Path) -> bool:
    while path != bundle:
        if path.is_symlink():
            return True
        path = path.parent
    return False

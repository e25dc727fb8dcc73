"""`verify.html` in Chromium beside `sequester verify`: the same verdict, or plain words for what it leaves out."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path

import sequester as sq
from sequester.checker import write_checker
from tests.browser import Browser

EXAMINE = """async ([files, folders, signers]) => {
  const found = await examine(new Map(files.map(([name, b]) => [name, unbase64(b)])), folders, signers);
  return { ...found, ms: Math.round(found.ms) };
}"""
LEFT = {
    "pages": "what report.html, README.md and the metadata say",
    "stated checks": "the lines of checks that the manifest states",
    "tables": "types of its columns|byte for byte what its writer makes",
    "copies": "equals its table",
    "layout": "the words of the promise and its layout",
    "promise in not_covered": "under “not covered”|the words of the promise",
    "promise in its options": "options that the promise does not repeat|the words of the promise",
    "promise in parameters": "the checksums of its lists|the words of the promise",
    "checksums": "links and empty folders",
    "the release follows from the transcript": "follows from the transcript",
    "the sum has noise": "the shape and the spread of noise",
}
"""A check of `verify` → words that the page then lists under what it did not check."""
PROMISE = "the promise itself and|the shape and the spread of noise|beside the rows"
"""The same for all checks of a judge."""


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

    def choose(self, path: Path, seconds: float = 60) -> dict:
        """What the page says of a folder or a ZIP file that is chosen on it."""
        page = self.browser.page
        page.evaluate("() => { window.result = null; }")
        page.set_input_files("#folder" if path.is_dir() else "#zip", path)
        page.wait_for_function("() => window.result", timeout=1000 * seconds)
        return page.evaluate("() => ({ ...window.result })")

    def agrees(self, bundle: Path) -> dict:
        """What the page says, which must be what `verify` says as far as the page looks."""
        page = self.examine(bundle)
        result, broken = verdict(bundle)
        assert not (why := self.disagreement(page, result, broken)), why
        return page | {"verify": result}

    @staticmethod
    def disagreement(page: dict, result: str, broken: list[str]) -> str:
        """Where the page says another thing than `verify` and does not say that it did not look; else nothing."""
        seen, left = page["result"], "|".join(page["not_checked"])
        if seen in ("broken", "refused"):
            agree = result in ("broken", "refused")
        elif result in ("broken", "refused"):
            other = {True: "the words of the promise", False: PROMISE}
            words = [LEFT.get(name, other[name.startswith("promise in")]).split("|") for name in broken]
            agree = bool(broken) and all(any(word in left for word in some) for some in words)
        else:
            same = {"confirmed": ("confirmed", "ledger", "not recounted"), "undecided": ("undecided", "not recounted")}
            agree = seen in same[result]
        failed = [c for c in page["checks"] if not c["passed"]]
        return "" if agree else f"verify: {result} {broken}; page: {seen} {failed}, left out {page['not_checked']}"


def verdict(bundle: Path) -> tuple[str, list[str]]:
    """What `verify` says, and which checks fail."""
    return said_by(lambda: sq.verify(bundle))


def said_by(verify: Callable[[], sq.Evidence]) -> tuple[str, list[str]]:
    """A verdict in one word, and the names of the checks that fail or of the parts that are not well-formed."""
    try:
        found = verify()
    except sq.SequesterError as error:
        parts = re.search(r"not well-formed in ([a-z_, ]+)\.", str(error))
        return "refused", parts[1].split(", ") if parts else []
    failed = [c for c in found.checks if not c.passed and not c.undecided]
    return found.result, [name for c in failed for name in (_parts(c.detail) if c.name == "promise" else [c.name])]


def _parts(detail: str) -> list[str]:
    """In what a promise is not the method's."""
    differ = detail.partition(" differ from ")
    return [f"promise in {part}" for part in differ[0].split(", ")] if differ[1] else ["promise in its options"]


def _behind_a_link(path: Path, bundle: Path) -> bool:
    while path != bundle:
        if path.is_symlink():
            return True
        path = path.parent
    return False

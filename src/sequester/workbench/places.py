"""Which files a page may name: those that lie in the project folder or among the uploads, and no others.

A name from a browser is never used as a path. It is looked up: the folder is walked down part by part, and what is
hidden, a link, or outside is not there.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

TABLES = (
    ".csv", ".tsv", ".txt", ".gz", ".parquet", ".feather", ".arrow", ".xlsx", ".ods", ".jsonl", ".json", ".ndjson",
    ".xes", ".hea", ".edf", ".db", ".sqlite", ".sqlite3", ".duckdb", ".zip", ".zst", ".xpt", ".sas7bdat", ".sav",
)  # fmt: skip
"""Endings that are offered; anything else in the folder is left alone."""
MOST_SHOWN = 500
PLAN_BYTES = 1_000_000
"""A larger file is no plan."""
LONGEST_NAME = 120
"""Bytes of a file name; what is put before and behind it fits into the 255 of a file system."""


@dataclass(frozen=True)
class Place:
    """Something in the project folder that can be opened."""

    name: str
    """Its path below the project, with slashes."""
    what: str
    """`folder`, `file`, `plan` or `bundle`."""
    bytes: int = 0


class Project:
    """The folder the workbench was started in."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def find(self, name: str) -> Path | None:
        """The file or folder of that name below the project, or None."""
        if "\0" in name or "\\" in name:
            return None
        here = self.root
        for part in [p for p in name.split("/") if p not in ("", ".")]:
            if part.startswith("."):  # hidden, or a way up
                return None
            here = here / part
            try:
                if here.is_symlink() or not here.exists():
                    return None
            except OSError:  # a name longer than a file system takes is not there
                return None
        return here if name.strip("/") else None

    def name_of(self, path: Path) -> str:
        """Its name below the project."""
        return path.relative_to(self.root).as_posix()

    def offered(self, below: str = "") -> list[Place]:
        """What can be opened in one folder: folders, files with a known ending, bundles."""
        folder = self.find(below) if below else self.root
        if folder is None or not folder.is_dir():
            return []
        out: list[Place] = []
        for path in sorted(folder.iterdir(), key=lambda p: p.name.lower()):
            if path.name.startswith(".") or path.is_symlink():
                continue
            if is_bundle(path):
                out.append(Place(self.name_of(path), "bundle"))
            elif path.is_dir() and path.suffix not in (".private", ".bundle"):
                out.append(Place(self.name_of(path), "folder"))
            elif path.is_file() and path.suffix.lower() in TABLES:
                out.append(Place(self.name_of(path), "file", path.stat().st_size))
            elif path.is_file() and is_plan(path):
                out.append(Place(self.name_of(path), "plan", path.stat().st_size))
            if len(out) >= MOST_SHOWN:
                break
        return out

    def bundles(self) -> list[Place]:
        """Every bundle in the project folder itself."""
        return [place for place in self.offered() if place.what == "bundle"]


def is_bundle(path: Path) -> bool:
    """A folder with a manifest, or a ZIP file that calls itself one."""
    if path.is_dir():
        return (path / "manifest.json").is_file()
    return path.name.lower().endswith(".bundle.zip") and path.is_file()


def is_plan(path: Path) -> bool:
    """A TOML file with a release in it; other settings files are left alone."""
    if path.suffix.lower() != ".toml" or not path.is_file() or path.stat().st_size > PLAN_BYTES:
        return False
    return "[[release]]" in path.read_text("utf-8", "replace")


def file_name(words: str) -> str:
    """A harmless file name from what a browser says a file is called."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", words))[-1]
    kept = "".join(c if c.isalnum() or c in "._- " else "_" for c in last).strip(" .")
    short = kept.encode("utf-8")[-LONGEST_NAME:].decode("utf-8", "ignore")  # file systems count bytes, not letters
    return short.strip(" .") or "upload"


def bundle_name(words: str) -> str:
    """The name of a bundle folder from what a custodian typed: one part, no hidden file, ending in .bundle."""
    return f"{file_name(words.strip()).removesuffix('.bundle') or 'release'}.bundle"

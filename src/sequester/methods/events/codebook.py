"""The states anyone may know, from a file."""

from __future__ import annotations

from pathlib import Path

from sequester.errors import InputError

OTHER = "OTHER"
"""What every state outside the codebook becomes."""


def read_codebook(path: str | None, who: str) -> tuple[str, ...] | None:
    """Names, one per line, in their order; None without a file."""
    if path is None:
        return None
    file = Path(path)
    if not file.is_file():
        raise InputError(f"{who}: codebook file '{file.name}' does not exist. Check the path.")
    names = tuple(dict.fromkeys(line.strip() for line in file.read_text("utf-8").splitlines() if line.strip()))
    if not names:
        raise InputError(f"{who}: codebook file '{file.name}' names no state. Write one per line.")
    return names

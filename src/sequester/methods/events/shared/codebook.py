"""The states anyone may know, from a file."""

from __future__ import annotations

from pathlib import Path

from sequester.errors import InputError, counted

OTHER = "OTHER"
"""What every state outside the codebook becomes."""
MOST_STATES = 1000
"""A table of transitions has the square of this many cells; with more states every one of them is noise."""
MOST_BYTES = 1000 * MOST_STATES
"""A longer file is no codebook; it is not read to its end."""


def read_codebook(path: str | None, who: str) -> tuple[str, ...] | None:
    """Names, one per line, in their order; None without a file."""
    if path is None:
        return None
    file = Path(path)
    if not file.is_file():
        raise InputError(f"{who}: codebook file '{file.name}' does not exist. Check the path.")
    if file.stat().st_size > MOST_BYTES:
        raise InputError(_too_many(who, file))
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{who}: codebook file '{file.name}' is not UTF-8 text. Write one state per line, or check the path."
        ) from error
    names = tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    if not names:
        raise InputError(f"{who}: codebook file '{file.name}' names no state. Write one per line.")
    if len(names) > MOST_STATES:
        raise InputError(_too_many(who, file))
    return names


def _too_many(who: str, file: Path) -> str:
    return (
        f"{who}: codebook file '{file.name}' names more than {counted(MOST_STATES, 'state')}. Check that it is the "
        "right file, "
        "or fold states into fewer."
    )

"""Names and cells on a screen: shown, never obeyed by the terminal. Every command needs it, so it loads nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What a terminal would obey instead of showing it, also by turning the direction of writing."""


def plain(text: str) -> str:
    """The text, with what would be obeyed spelled out, as JSON spells it."""
    return COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class Plain:
    """A stream to the screen on which names and cells cannot give commands to the terminal."""

    def __init__(self, stream: Any) -> None:
        self.behind = stream

    def write(self, text: str) -> int:
        self.behind.write(plain(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


@contextmanager
def plain_screen() -> Iterator[None]:
    """Everything that is said inside goes through `Plain`; progress bars alone, which show our own words, do not."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Plain(stream) if stream is not None else None for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before

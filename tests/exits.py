"""How a command ends, without a process of its own."""

import sys

import pytest

from sequester.cli import main


def exit_of(monkeypatch, *words) -> int:
    """The exit code of `sequester WORDS`."""
    monkeypatch.setattr(sys, "argv", ["sequester", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)

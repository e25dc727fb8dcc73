"""Write `src/sequester/__init__.pyi`: the public names with where they live, for type checkers and editors."""

from __future__ import annotations

from pathlib import Path

import sequester as sq

STUB = Path(sq.__file__).with_suffix(".pyi")


def stub() -> str:
    """One import per public name, as the lazy table has it."""
    lines = sorted(f"from {where.replace(':', ' import ')} as {name}" for name, where in sq._names().items())
    head = '"""The public names, typed. Made by `python docs/public_stub.py`; do not edit."""'
    return "\n".join([head, "", *lines, "", "__version__: str", "__all__: list[str]", ""])


if __name__ == "__main__":
    STUB.write_text(stub(), "utf-8")

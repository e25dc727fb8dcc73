"""What sequester wrote itself: a release, or the custodian's folder beside it. Neither is an original."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sequester.errors import InputError

OURS = (".bundle", ".private")


def is_ours(folder: Path) -> bool:
    """A bundle or a custodian's folder, by its name or by what is in it; a link may lead to one."""
    return folder.is_symlink() or folder.suffix in OURS or _holds(folder) is not None


def _holds(folder: Path) -> str | None:
    if (folder / "custodian.json").is_file():
        return "a custodian's folder"
    inside = (folder / "manifest.json").is_file() and (folder / "datapackage.json").is_file()
    return "a bundle, a release" if inside else None


def refuse_ours(source: Any, who: str) -> None:
    """Refuse to read a release as if it were an original: what is promised would be about nobody."""
    for path in source if isinstance(source, (list, tuple)) else (source,):
        found = _holds(Path(path)) if isinstance(path, (str, Path)) and "\0" not in str(path) else None
        if found:
            raise our_own(Path(path).name, found, who)


def our_own(name: str, found: str, who: str) -> InputError:
    """The error for a release as a source."""
    return InputError(
        f"{who}: '{name}' is {found} that sequester wrote, and no original. Name the data it was made from; "
        "`sequester query` and `sequester verify` read releases."
    )

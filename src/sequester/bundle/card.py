"""What a custodian says about a publication: title, licence, contact, version, and what each column means."""

from __future__ import annotations

import csv
import datetime
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from sequester.errors import InputError, ParameterError
from sequester.options import option


@dataclass(frozen=True, kw_only=True)
class Publication:
    """How a bundle presents itself to its readers. Everything here is published word for word."""

    title: str = option("", group="publication", level="everyday")
    """Name of the data set; the bundle's own name if empty."""
    licence: str = option("", group="publication", level="everyday")
    """Terms of use, best an SPDX name such as `CC-BY-4.0`."""
    contact: str = option("", group="publication", level="everyday")
    """Whom readers may ask."""
    issued: str = option("", group="publication")
    """Date of publication, `YYYY-MM-DD`."""
    version: str = option("", group="publication")
    """Version of the data set."""
    expires: str = option("", group="publication")
    """Date after which readers should ask for a newer version, `YYYY-MM-DD`."""
    describes: Mapping[str, str] = field(default_factory=dict)
    """Column → what it means."""

    def __post_init__(self) -> None:
        for name in WORDS:
            if not isinstance(getattr(self, name), str):
                raise ParameterError(f"Publication: {name} must be text.")
        if not isinstance(self.describes, Mapping) or not all(
            isinstance(k, str) and isinstance(v, str) for k, v in self.describes.items()
        ):
            raise ParameterError("Publication: describes must name columns and say in words what each means.")
        if self.issued and not _is_date(self.issued):
            raise ParameterError("Publication: issued must be a date such as 2026-03-01.")
        if self.expires and not _is_date(self.expires):
            raise ParameterError("Publication: expires must be a date such as 2031-03-01.")
        if self.issued and self.expires and self.expires <= self.issued:
            raise ParameterError(
                f"Publication: expires must lie after issued, got issued={self.issued} and expires={self.expires}."
            )

    def to_json(self, name: str) -> dict[str, Any]:
        """As it stands in the manifest: what was not said is left out, except the title."""
        values = {key: value for key, value in asdict(self).items() if value}
        return {**values, "title": self.title or name}


WORDS = ("title", "licence", "contact", "issued", "version", "expires")
KEYS = tuple(f.name for f in fields(Publication))


def read_descriptions(path: str | Path) -> dict[str, str]:
    """Descriptions of columns from a CSV file (`column,description`) or a TOML file (`column = "description"`)."""
    path = Path(path)
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"publish: '{path.name}' is not UTF-8 at byte {error.start}. Save it as UTF-8.") from error
    except OSError as error:
        raise InputError(f"publish: '{path.name}' cannot be read ({error.strerror}). Check the path.") from error
    return _from_toml(text, path.name) if path.suffix.lower() == ".toml" else _from_csv(text, path.name)


LARGEST, MOST_DOTS = 1_000_000, 2_000
"""Characters of a file, and dots on one line: Python's parser takes all memory for a name of 100,000 parts."""


def read_toml(text: str, name: str, who: str) -> dict[str, Any]:
    """A TOML file that somebody wrote; one that only a machine would write is refused."""
    if len(text) > LARGEST or any(line.count(".") > MOST_DOTS for line in text.splitlines()):
        raise InputError(f"{who}: '{name}' is larger or deeper than this program reads. Write it in plain tables.")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{who}: '{name}' is not TOML: {error}.") from error
    except RecursionError:
        raise InputError(f"{who}: '{name}' is nested too deeply. Write it in plain tables.") from None


def _from_toml(text: str, name: str) -> dict[str, str]:
    found = read_toml(text, name, "publish")
    odd = sorted(key for key, value in found.items() if not isinstance(value, str))
    if odd:
        raise InputError(f"publish: '{name}' must hold lines such as column = \"what it means\"; see '{odd[0]}'.")
    return found


def _from_csv(text: str, name: str) -> dict[str, str]:
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if not rows or [cell.strip().lower() for cell in rows[0]] != ["column", "description"]:
        raise InputError(f"publish: '{name}' must begin with the line column,description.")
    bad = [i for i, row in enumerate(rows, 1) if len(row) != 2]
    if bad:
        raise InputError(f"publish: row {bad[0]} of '{name}' does not have two cells, column and description.")
    out = {row[0].strip(): row[1].strip() for row in rows[1:]}
    if len(out) != len(rows) - 1:
        raise InputError(f"publish: '{name}' describes a column twice.")
    return out


def _is_date(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False

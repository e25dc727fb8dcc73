"""What is this file? Its kind, the roles its columns could play, and what to type next. Nothing is published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sequester.errors import InputError, Option, as_flag, in_words
from sequester.kinds import KINDS
from sequester.read.looks import Look, looks
from sequester.read.ours import refuse_ours
from sequester.read.summary import summarize

WHO = "inspect"
FEW = 6
"""Other columns that are named; the file may have hundreds."""


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """How a source was understood; `print` shows it."""

    source: str
    kind: str | None
    why: str
    roles: dict[str, str] = field(default_factory=dict)
    """Option → value, as the command line takes them."""
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Role → other columns that could play it."""
    lines: tuple[str, ...] = ()
    """Figures: people, records, period, step, missing, overlap, odd cells. Private."""
    choose: tuple[str, ...] = ()
    """What only the custodian can decide; options stand between guillemets, `asked` spells them."""
    command: str = ""
    """What to type next."""
    remark: str = ""
    """What that command does not promise, and what would."""

    @property
    def options(self) -> dict[str, Any]:
        """The roles as keywords of the reader."""
        out: dict[str, Any] = {}
        for name, value in self.roles.items():
            key = {"from": "from_", "no-header": "header"}.get(name, name.replace("-", "_"))
            several = key in ("bins", "names", "states", "quasi", "covariates") or (
                key == "value" and self.kind == "symbols"
            )
            out[key] = (
                False if key == "header" else tuple(value.split(",")) if several
                else int(value) if key in ("days", "interval", "window", "alphabet") else value
            )  # fmt: skip
        return out

    def asked(self, spell: Callable[[Option], str] = as_flag) -> list[str]:
        """What only the custodian can decide, its options spelled for whoever reads it."""
        return [in_words(line, spell) for line in self.choose]

    def __str__(self) -> str:
        head = f"{self.source}: {self.kind} data. {self.why}" if self.kind else f"{self.source}: {self.why}"
        body = [f"  {line}" for line in self.lines]
        others = [f"  --{r} could also be: {_few(names)}" for r, names in self.alternatives.items() if names]
        if not self.kind:
            body += [f"  {kind.name}: needs {kind.needs}" for kind in KINDS.values() if kind.needs]
        asked = [f"  {line}" for line in self.asked()]
        after = ["Decide:", *asked] if asked else []
        go_on = ["Go on with:", f"  {self.command}"] if self.command else []
        return "\n".join([head, *body, *others, *after, *go_on, *([self.remark] if self.remark else [])])


def inspect_source(source: Any, *, kind: str | None = None, files: str | None = None, table: str | None = None,
                   encoding: str = "utf-8") -> Inspection:  # fmt: skip
    """Look at a source: what kind of data it is and why, which columns play which role, and how it would be read.

    Parameters
    ----------
    source
        A path, a folder, or a table in memory.
    kind
        The kind of data, if you know it.
    files
        Of a folder, only the files that fit this pattern.
    table
        Which table of a database file, or sheet of a workbook.
    encoding
        Of text files.
    """
    if kind is not None and kind not in KINDS:
        raise InputError(f"{WHO}: no kind of data '{kind}'; there are {', '.join(KINDS)}.")
    refuse_ours(source, WHO)
    found = looks(source, WHO, kind=kind, files=files, table=table, encoding=encoding)
    lines = list(found.lines)
    if found.kind is not None:
        read = _read_lines(source, found, files, table, encoding)
        said = {line.lower() for line in read}
        lines = [*read, *(line for line in lines if line.lower() not in said)]
    return Inspection(
        source=Path(source).name if isinstance(source, (str, Path)) else type(source).__name__,
        kind=found.kind,
        why=found.why,
        roles=found.roles,
        alternatives=found.alternatives,
        lines=tuple(lines),
        choose=found.choose,
    )


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def _read_lines(source: Any, found: Look, files: str | None, table: str | None, encoding: str) -> list[str]:
    """What the reader makes of it with the roles found: the figures a custodian checks first."""
    told = Inspection(source="", kind=found.kind, why="", roles=found.roles).options
    more = {"files": files, "table": table, "encoding": encoding if encoding != "utf-8" else None}
    told |= {name: value for name, value in more.items() if value is not None}
    if found.kind == "text":
        told.pop("files", None)
    try:
        data = KINDS[str(found.kind)].load("reader")(source, **told)
    except InputError as error:
        return [f"as proposed it cannot be read yet: {error.sentence(as_flag)}"]
    shown = summarize(data, told).rows["lines"]
    return [row["line"].rstrip(".") for row in shown if row["about"] != "undeclared"]  # the roles tell it

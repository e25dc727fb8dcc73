"""What is asked of a publication, in one frozen value: the command line, plans, the workbench and Python build it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sequester.bundle.card import Publication
from sequester.engines import Engine
from sequester.errors import InputError
from sequester.method import Method
from sequester.options import option
from sequester.signing.sshsig import SigningKey

EVIDENCE = ("measure", "assess")
"""Private figures that can be asked for."""
FORMATS = ("csv", "jsonl", "folder", "xes", "omop", "fhir", "meds")
"""Formats in which tables can be copied; which of them fit is a matter of the method."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to publish, how, and where to. The data itself is handed over beside it, read or still to be read."""

    method: Method
    target: Path
    """The bundle to write, usually `NAME.bundle`; the custodian's evidence goes into `NAME.private` beside it."""
    source: Path | None = None
    """File or folder the data comes from, where there is one: no bundle is written into it."""
    roles: Mapping[str, Any] = field(default_factory=dict)
    """How the source is read; the custodian's folder remembers it."""
    engine: Engine | None = None
    """Threads, memory, scratch folder and progress display."""
    seed: int | None = option(None, group="publication")
    """For tests and teaching; a differentially private release drawn with a seed is refused."""
    teaching_only: bool = option(False, group="publication")
    """Write a seeded differentially private release; it then promises nothing."""
    overwrite: bool = option(False, group="publication", level="everyday")
    """Replace an existing bundle."""
    formats: tuple[str, ...] = option((), group="publication", level="everyday")
    """Also write every table in this format; folder: documents as plain text files."""
    mapping: Path | None = option(None, group="publication", path=True)
    """What states are called in vocabularies, for the copies omop and fhir: a table like OMOP's `concept`."""
    evidence: tuple[str, ...] = ("measure",)
    """Private figures for the custodian: `measure`, `assess`."""
    publication: Publication | None = None
    """Title, licence, contact, version and descriptions of columns, published word for word."""
    force: bool = option(False, group="publication")
    """Publish although a look at the release says that nobody would want it."""
    population: str = option("", group="publication")
    """Whose account is charged, where one folder holds releases of several populations."""
    grouping: Path | None = option(None)
    """NAME.private of an earlier release whose groups are kept, so that both together still hide people among k."""
    resume: bool = option(False, group="scale")
    """Go on with a run in parts that was interrupted; what it drew is not drawn again."""
    sign: Path | SigningKey | None = option(None, group="publication")
    """Your private key of OpenSSH (Ed25519): the bundle is signed before it appears."""
    passphrase: Callable[[], str] | None = None
    """Asks for the passphrase of that key, if it has one."""
    made_from: str | None = None
    """Checksum of what the release is made from; the custodian's folder remembers it."""

    def __post_init__(self) -> None:
        for name in ("target", "source", "grouping", "sign", "mapping"):
            if isinstance(place := getattr(self, name), (str, Path)):
                object.__setattr__(self, name, Path(place))
        for name in ("formats", "evidence"):
            object.__setattr__(self, name, _words(getattr(self, name)))
        if self.mapping is not None and not {"omop", "fhir"} & set(self.formats):
            raise InputError(
                "publish: ‹mapping=› is for the copies omop and fhir. Ask for one of them, or leave it out."
            )


def _words(given: str | Iterable[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)

"""Publication plans: sources, roles, methods, promises and outputs in one file, checked whole before anything runs.

A plan can be reviewed by an ethics board, kept under version control and carried out again. It never holds a seed:
whoever reads the plan could then undo what the seed hides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from sequester import flow
from sequester.accounts import has_account, open_account
from sequester.bundle.atomic import recover
from sequester.bundle.lock import locked
from sequester.bundle.private import remembered
from sequester.bundle.recognise import manifest_digest
from sequester.engines import Engine
from sequester.errors import SequesterError
from sequester.in_parts import read_parts
from sequester.model import Data
from sequester.publication import interrupted, publish_data
from sequester.query.bundle import Bundle
from sequester.read.memory_needed import memory_needed
from sequester.release import Guarantee, to_json_text
from sequester.request import Request
from sequester.signed import opened_key, sign
from sequester.signing.seal import signed_by
from sequester.signing.sshsig import SigningKey
from sequester.stable_groups import bundle_beside


class Source:
    """One source as one release reads it; releases that read it alike share the data, which is read once."""

    def __init__(self, kind: str, path: Path, roles: Mapping[str, Any], within: Within | None = None) -> None:
        self.kind, self.path, self.roles, self.within = kind, path, roles, within
        self.users = 0
        self._data: Data | None = None
        self._digest = ""

    def data(self) -> Data:
        """The data, read when first asked for; in parts, if it would not fit."""
        if self._data is None:
            self._data = (
                flow.reader(self.kind)(self.path, **self.roles) if self.within is None else self._parts(*self.within)
            )
        return self._data

    @property
    def in_parts(self) -> bool:
        """Whether it is too large to be read at once."""
        return self.within is not None

    def _parts(self, engine: Engine, folder: Path) -> Data:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        own = folder / f"source-{len(list(folder.iterdir()))}"
        return read_parts(self.kind, self.path, own, engine=engine, **self.roles)

    def digest(self) -> str:
        """Checksum of its content; of a source in parts, of its files."""
        if not self._digest:
            data = self.data()  # what cannot be read has no checksum
            self._digest = data.fingerprint() if data.in_memory else _of_files(self.path)
        return self._digest

    def done(self) -> None:
        """One release less needs it; after the last the memory, and the room on the disk, are free."""
        self.users -= 1
        if self.users > 0:
            return
        if self._data is not None:
            self._data.discard()
        self._data = None


class Within(NamedTuple):
    """For sources that would not fit: the engine that reads them in parts, and where to."""

    engine: Engine
    folder: Path

    def too_large(self, path: Path, kind: str) -> bool:
        """Whether a source would take more memory than the engine may."""
        return self.engine.memory is not None and memory_needed(path, kind, in_files=True) > self.engine.memory


def _of_files(path: Path) -> str:
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for one in files:
        with one.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


@dataclass(frozen=True, kw_only=True)
class Step:
    """One release of a plan, every part of it checked."""

    name: str
    request: Request
    """What is asked, but for what is known when it is carried out."""
    origin: Source = field(repr=False, compare=False)
    """Where its data comes from."""

    @property
    def out(self) -> Path:
        """The bundle it writes."""
        return self.request.target

    @property
    def guarantee(self) -> Guarantee:
        """What this release will promise."""
        return self.request.method.guarantee

    def made_from(self) -> str:
        """Checksum of all the release is made from: method, parameters, roles, outputs, and the data itself."""
        asked = self.request
        about = {
            "method": asked.method.id,
            "parameters": {**asked.method.parameters, **asked.method.withheld},
            "roles": dict(asked.roles),
            "formats": sorted(asked.formats),
            "publication": asked.publication.to_json(self.name) if asked.publication else None,
            "source": self.origin.digest(),
        }
        if asked.grouping is not None:
            about["grouping"] = manifest_digest(bundle_beside(asked.grouping))
        return hashlib.sha256(to_json_text(about).encode()).hexdigest()

    def finished(self) -> Bundle | None:
        """The bundle of an earlier run of this very step, whole and unchanged; None where there is none."""
        if not (self.out / "manifest.json").is_file():
            return None
        try:
            kept = remembered(self.out) or {}
            return flow.open_bundle(self.out) if kept.get("made_from") == self.made_from() else None
        except SequesterError:
            return None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Releases in the order in which they are made."""

    title: str
    steps: tuple[Step, ...]
    spends: tuple[str, ...] = ()
    """What the differentially private releases spend together, in sentences."""

    def __str__(self) -> str:
        lines = [self.title]
        for step in self.steps:
            lines += [f"  {step.name}: {step.guarantee}", f"    {step.origin.path.name} → {step.out.name}"]
        lines += self.spends
        return "\n".join(lines)


def run_plan(
    plan: Plan,
    *,
    overwrite: bool = False,
    engine: Engine | None = None,
    say: Callable[[str], None] | None = None,
    passphrase: Callable[[], str] | None = None,
) -> Iterator[tuple[Step, Bundle]]:
    """Carry out a checked plan, release by release; it stops at the first promise that does not hold.

    A release that an earlier run of the same plan finished is kept, not drawn again: the custodian's folder remembers
    what it was made from. With `overwrite` every release is made anew. What an interrupted release in parts has drawn
    is not drawn again.

    Parameters
    ----------
    plan
        What `read_plan` returned.
    overwrite
        Replace existing bundles.
    engine
        Threads and progress display.
    say
        Gets the notes of readers and methods, and which releases were kept.
    passphrase
        Asked for the passphrase of a key that releases are signed with, once per key and before anything is drawn.
    """
    say = say or (lambda _note: None)
    keys: dict[Any, SigningKey] = {}
    for step in plan.steps:
        if step.request.sign is not None and step.request.sign not in keys:
            keys[step.request.sign] = opened_key(step.request.sign, passphrase)
    published: list[str] = []
    try:
        for step in plan.steps:
            kept = None if overwrite else step.finished()
            if kept is not None:
                with locked(step.out):
                    recover(step.out)
                if has_account(step.out.absolute().parent):
                    open_account(step.out.absolute().parent).settle()  # a kill may have left it reserved
                say(f"{step.name}: '{step.out.name}' was finished by an earlier run of this plan and is kept.")
                if step.request.sign is not None and not signed_by(step.out).words:
                    sign(step.out, keys[step.request.sign])
                bundle = kept
            else:
                data = step.origin.data()
                now = replace(
                    step.request, engine=engine, overwrite=overwrite, made_from=step.made_from(),
                    resume=interrupted(data, step.request),
                    sign=keys.get(step.request.sign),
                )  # fmt: skip
                bundle = publish_data(data, now, say=say).bundle
                published.append(step.out.name)
            step.origin.done()
            yield step, bundle
    except BaseException as error:
        # What stands on the disk now is part of what happened, whatever stopped the run.
        error.published = (*published, *getattr(error, "published", ()))  # type: ignore[attr-defined]
        raise

"""The one way to publish: stage → judge the staged files → open the stage as a stranger → swap it in.

Python, the command line and plans all come through here. It fails closed: what cannot be confirmed from the very files
that will be handed out does not appear.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sequester import flow
from sequester.bundle.atomic import Stage, private_folder, require_free, require_writable, staged, write_whole
from sequester.bundle.bundle import write_manifest, write_page, write_tables
from sequester.bundle.card import Publication
from sequester.bundle.formats import same_cells
from sequester.bundle.lock import locked
from sequester.bundle.manifest import manifest, name_of, read_manifest, verification
from sequester.bundle.private import (
    evidence_file,
    read_evidence,
    read_private_tables,
    remembered,
    write_private,
    write_private_tables,
)
from sequester.bundle_checks import drawn_with, opened, package_text, report_text, stranger_checks
from sequester.charging import Charge, charged
from sequester.dp.checkpoint import CheckpointNoise
from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.engines.memory import give_back
from sequester.engines.stages import stage as working
from sequester.errors import BundleError, InputError, agreed, counted
from sequester.expectation import expected
from sequester.in_parts import beyond_limit
from sequester.judges import BLIND, OF_PARTS
from sequester.judges import verdict as verdict_of
from sequester.judges import verify as judged
from sequester.layouts.part import first_parts
from sequester.method import Method
from sequester.model import Data, Parts
from sequester.pages.custodian import custodian_page
from sequester.query.bundle import Bundle
from sequester.release import Check, Evidence, Release, to_json_text
from sequester.stable_groups import part_published
from sequester.stored_tables import StoredTable
from sequester.utility import portraits
from sequester.version import VERSION


@dataclass(frozen=True, kw_only=True)
class Made:
    """A bundle, and what was found out for the custodian on the way."""

    bundle: Bundle
    evidence: tuple[Evidence, ...]


def carry_out(
    data: Data | Parts,
    method: Method,
    target: str | Path,
    *,
    seed: int | None = None,
    engine: Engine | None = None,
    overwrite: bool = False,
    formats: Iterable[str] = (),
    evidence: Iterable[str] = ("measure",),
    roles: Mapping[str, Any] | None = None,
    publication: Publication | None = None,
    teaching_only: bool = False,
    made_from: str | None = None,
    population: str = "",
    grouping: str | Path | None = None,
    resume: bool = False,
    say: Callable[[str], None] | None = None,
) -> Made:
    """Protect data and publish it: what `sequester publish` does, and each step of a plan.

    Parameters
    ----------
    data, method, target
        What to protect, how, and the folder to write.
    evidence
        `measure` and `assess`: private figures for the custodian.
    made_from
        Checksum of what the release is made from; the custodian's folder remembers it.
    population
        Whose account is charged, where one folder holds releases of several populations.
    grouping
        `NAME.private` of an earlier release whose people keep their groups.
    resume
        Go on with a run on parts that was interrupted: what it drew is not drawn again.
    say
        Told every note, of the reader and of the method, in the order of the work.
    """
    target = Path(target)
    require_writable(target)
    require_free(target, overwrite=overwrite)
    if teaching_only and seed is None:
        raise _nothing_to_teach()  # said before anything is drawn
    say = say or (lambda _note: None)
    for note in getattr(data, "notes", ()):  # what the reader had to settle: sorted rows, equal times, missing states
        say(str(note))
    wanted = tuple(evidence)
    method.require_declared(data)
    release: Release | None = None
    if grouping is not None:
        # Whom it shows is known once the earlier groups are: only they are charged, measured and judged.
        release = flow.anonymize(data, method, seed=seed, engine=engine, grouping=grouping)
        assert not isinstance(data, Parts)
        data = part_published(data, release.private)
    understood = flow.summary(data, roles)
    seen, whole = _seen(data, say)
    with charged(target, data, method, population=population) as charge:  # refused before anything is drawn
        spent = charge.notes if charge else ()
        for sentence in filter(None, (*spent, expected(method.id, data), beyond_limit(method, data, engine))):
            say(sentence)
        noise = _checkpoint(data, method, target, seed, resume)
        with working(f"Protecting with {method.id}"):
            release = release or flow.anonymize(data, method, seed=seed, engine=engine, noise=noise)
        if teaching_only and not release.teaching_only:
            raise _nothing_to_teach()
        if tidy := engine is not None and engine.memory is not None:
            give_back()
        for told in release.notes:  # what to expect of the release: for the custodian alone
            say(str(told))
        found = [flow.assess(seen)] if "assess" in wanted else []
        if "measure" in wanted:
            with working("Measuring what is left"):
                found.append(flow.measure(seen, _shown(release, say)))
        known = whole or release.guarantee.model in OF_PARTS  # some people are not the original
        if tidy:
            give_back()
        bundle = _write(
            release, target, charge, source=seen, original=data if known else None, overwrite=overwrite,
            formats=formats, evidence=[understood, *found], roles=roles, teaching_only=teaching_only,
            publication=publication, made_from=made_from,
        )  # fmt: skip
        for sentence in charge.together if charge else ():  # what earlier releases and this one tell together
            say(sentence)
    if noise is not None:
        noise.published()
    return Made(bundle=bundle, evidence=tuple(found))


COMPARED = 20_000
"""People of data in parts whom a release is compared with: their figures, drawn at random, are those of all."""
COMPARED_ITEMS = 5_000_000
"""Symbols, intervals or events of such people: where people have very many, fewer people are drawn."""


def _seen(data: Data | Parts, say: Callable[[str], None]) -> tuple[Data, bool]:
    """What the custodian's figures are computed on, and whether that is everybody."""
    if not isinstance(data, Parts):
        return data, True
    some = data.some(min(COMPARED, max(1, COMPARED_ITEMS * data.n_people // max(1, data.n_items))))
    if some.n_people < data.n_people:
        say(
            f"the release is compared with {some.n_people} of {counted(data.n_people, 'person', 'people')}, "
            "drawn at random"
        )
    return some, False


def _shown(release: Release, say: Callable[[str], None]) -> Release:
    """A release with as much of its tables as can be measured in memory."""
    some, sentence = first_parts(release.tables, COMPARED, COMPARED_ITEMS)
    if some:
        say(sentence)
    return replace(release, tables={**release.tables, **some})


def interrupted(data: Data | Parts, method: Method, target: Path) -> bool:
    """Whether an earlier run has drawn noise for this release, and was ended before it was published."""
    return isinstance(data, Parts) and method.budget() is not None and _noise_file(target).exists()


def _noise_file(target: Path) -> Path:
    return target.with_name(f".{target.name}.noise")


def _checkpoint(
    data: Data | Parts, method: Method, target: Path, seed: int | None, resume: bool
) -> CheckpointNoise | None:
    """Noise that a killed run does not lose: for data in parts, whose work is long."""
    path = _noise_file(target)
    if not isinstance(data, Parts) or method.budget() is None:
        if resume:
            raise InputError(
                f"resume: only a differentially private release of data in parts can be resumed; {method.id} starts "
                "again. Leave ‹resume=True› out."
            )
        return None
    if resume and not path.exists():
        raise InputError(f"resume: no interrupted run of '{target.name}' was found. Publish without ‹resume=True›.")
    about = json.dumps([method.id, method.parameters, data.n_people, data.n_records, data.n_items, seed], default=str)
    return CheckpointNoise(Randomness(seed=seed).noise, path, about, resume=resume)


def publish(
    release: Release,
    target: str | Path,
    *,
    source: Data | None = None,
    overwrite: bool = False,
    formats: Iterable[str] = (),
    evidence: Iterable[Evidence] = (),
    roles: Mapping[str, Any] | None = None,
    teaching_only: bool = False,
    publication: Publication | None = None,
    made_from: str | None = None,
    population: str = "",
) -> Bundle:
    """Write a release as a bundle, judged from the written files: all of it, or nothing."""
    target = Path(target)
    require_writable(target)
    with charged(target, source, release.method, population=population, people=release.people) as charge:
        return _write(
            release, target, charge, source=source, original=source, overwrite=overwrite, formats=formats,
            evidence=evidence, roles=roles, teaching_only=teaching_only, publication=publication, made_from=made_from,
        )  # fmt: skip


def _write(
    release: Release,
    target: Path,
    charge: Charge | None,
    *,
    source: Data | None,
    original: Data | Parts | None,
    overwrite: bool,
    formats: Iterable[str],
    evidence: Iterable[Evidence],
    roles: Mapping[str, Any] | None,
    teaching_only: bool,
    publication: Publication | None,
    made_from: str | None,
) -> Bundle:
    if release.teaching_only and not teaching_only:
        raise BundleError(
            "publish: this DP release was drawn with a seed; whoever knows it can remove the noise. "
            "Re-run without ‹seed=›."
        )
    name = target.name.removesuffix(".bundle")
    with staged(target, overwrite=overwrite) as stage:
        with working("Writing tables"):
            files = write_tables(release, stage.bundle, also=tuple(formats))
        told = _as_read(manifest(release, files, name=name, version=VERSION, publication=publication))
        write_private_tables(stage.private, release.private)
        large = [n for n, table in release.tables.items() if isinstance(table, StoredTable)]
        bundle = opened(stage.bundle, told, on_disk=large)
        stays = [n for n, table in release.private.items() if isinstance(table, StoredTable)]
        bundle.private = read_private_tables(stage.private, on_disk=stays)
        # Whether a differentially private release appears must not hang on the data: copies are looked for afterwards.
        blind = release.guarantee.model in BLIND
        with working("Checking the promise"):
            verdict = judged(bundle, None if blind else original).raise_if_broken()
        told["verification"] = verification(verdict)
        with working("Drawing the report"):
            told["pages"] = _write_pages(bundle)
        digest = write_manifest(stage.bundle, told)
        with working("Opening the bundle as a stranger"):
            _as_a_stranger(stage.bundle, bundle, release)
            beside = judged(bundle, original) if blind and original is not None else verdict
        with working("Comparing the release with the original"):
            private = _private_evidence(bundle, release, source, beside, evidence)
        if charge is not None:
            charge.about_to_publish(digest)
        private += charge.compared(bundle) if charge else []
        if private or release.private or made_from:
            account = charge.account if charge else None
            with working("Drawing the custodian's report"):
                _write_private(stage, bundle, digest, private, roles or {}, made_from, account)
    if charge is not None:
        charge.published()
    return opened(target, told)


def _nothing_to_teach() -> BundleError:
    return BundleError(
        "publish: ‹teaching_only=True› would do nothing: it goes with a differentially private method and ‹seed=›. "
        "Leave it out."
    )


def keep(path: str | Path, evidence: Evidence) -> Path:
    """Add private evidence to the custodian's folder of a bundle and write its report anew."""
    path = Path(path)
    bundle = flow.open_bundle(path)
    folder = private_folder(path)
    file = evidence_file(evidence)
    with locked(path):
        if folder.is_symlink() or not folder.is_dir() or not remembered(path):
            raise BundleError(
                f"keep: '{folder.name}' is not there or belongs to another release. Publish with the source."
            )
        out = folder / "report.html"
        told = {item["about"]: item for item in read_evidence(folder)} | {evidence.about: evidence.to_json()}
        try:
            page = custodian_page(bundle, name_of(path, bundle.manifest), [told[about] for about in sorted(told)])
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise BundleError(
                f"keep: the evidence in '{folder.name}' cannot be shown, because a file of it is damaged. Restore the "
                "custodian's folder."
            ) from error
        try:
            folder.chmod(0o700)
            write_whole(folder / file, to_json_text(evidence.to_json()), private=True)
            write_whole(out, page, private=True)
        except OSError as error:
            raise BundleError(f"keep: '{folder.name}' cannot be written ({error.strerror}).") from error
    return out


def report(path: str | Path, out: str | Path) -> Path:
    """Write the public report of a bundle to a file."""
    bundle = flow.open_bundle(path)
    out = Path(out)
    try:
        write_whole(out, report_text(bundle))
    except OSError as error:
        raise BundleError(f"report: '{out.name}' cannot be written ({error.strerror}).") from error
    return out


def _as_read(told: dict[str, Any]) -> dict[str, Any]:
    """The manifest as a reader will see it: lists instead of tuples, plain numbers."""
    out: dict[str, Any] = json.loads(to_json_text(told))
    return out


def _write_pages(bundle: Bundle) -> list[dict[str, Any]]:
    package = write_page(bundle.path, "datapackage.json", package_text(bundle))
    report = write_page(bundle.path, "report.html", report_text(bundle))
    return [package, report | {"drawn_with": drawn_with()}]


def _as_a_stranger(folder: Path, written: Bundle, release: Release) -> None:
    """Open what was staged from its files alone, and refuse it unless it is a sound bundle of this release."""
    told = read_manifest(folder)
    seen = opened(folder, told)
    seen.__dict__["tables"] = written.tables  # read from these files a moment ago; the checksums are compared below
    checks, _ = stranger_checks(seen)
    odd = [n for n, table in release.tables.items() if not same_cells(table, seen.tables[n])]
    complete = sorted(release.tables) == sorted(seen.tables) and told == written.manifest
    detail = (
        f"{len(odd)} of {counted(len(release.tables), 'table')} {agreed(len(odd), 'differs', 'differ')} from the "
        "release"
        if odd or complete
        else "incomplete"
    )
    checks.append(Check(name="written as released", passed=complete and not odd, detail=detail))
    verdict_of(release.guarantee, tuple(checks), saw_original=False).raise_if_broken()


def _private_evidence(
    bundle: Bundle, release: Release, source: Data | None, verdict: Evidence, evidence: Iterable[Evidence]
) -> list[Evidence]:
    private = list(evidence)
    if source is not None:
        private = [verdict, *portraits(flow.in_codes_of(bundle, source), bundle), *private]
    notes = [*getattr(source, "notes", ()), *release.notes]
    if notes:
        private.insert(
            0, Evidence(about="notes", saw_original=True, summary=" ".join(_sentence(str(n)) for n in notes))
        )
    return [replace(item, saw_original=True) for item in private]


def _write_private(
    stage: Stage,
    bundle: Bundle,
    digest: str,
    private: list[Evidence],
    roles: Mapping[str, Any],
    made_from: str | None,
    account: Mapping[str, Any] | None,
) -> None:
    write_private(
        stage.private, manifest_sha256=digest, evidence=private, roles=roles, made_from=made_from, account=account
    )
    page = custodian_page(bundle, name_of(bundle.path, bundle.manifest), [e.to_json() for e in private])
    (stage.private / "report.html").write_text(page, "utf-8")


def _sentence(words: str) -> str:
    """With a capital and a full stop: notes stand one behind the other."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "?", "!")) else ".")

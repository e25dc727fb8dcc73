"""The one way to publish: stage → judge the staged files → open the stage as a stranger → swap it in.

Python, the command line and plans all come through here. It fails closed: what cannot be confirmed from the very files
that will be handed out does not appear.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sequester import flow
from sequester.accounts import Reservation
from sequester.bundle.atomic import Stage, require_writable, reserved, staged
from sequester.bundle.bundle import write_manifest, write_page, write_tables
from sequester.bundle.companions import protected_by
from sequester.bundle.formats import same_cells
from sequester.bundle.manifest import manifest, name_of, read_manifest, verification
from sequester.bundle.private import read_private_tables, write_private, write_private_tables
from sequester.bundle.standards import read_mapping
from sequester.bundle_checks import DRAWN_WITH, opened, page_makers, stranger_checks
from sequester.charging import charged, compared_with_earlier
from sequester.dp.checkpoint import CheckpointNoise
from sequester.dp.randomness import Randomness
from sequester.engines.local import give_back
from sequester.engines.steps import step
from sequester.errors import BundleError, InputError, as_sentence, counted, verb_for
from sequester.in_parts import expected, some_people, with_share
from sequester.judges import BLIND, OF_PARTS
from sequester.judges import verdict as verdict_of
from sequester.judges import verify as judged
from sequester.model import Data, Invented
from sequester.pages.custodian import custodian_page
from sequester.query.bundle import Bundle
from sequester.release import Check, Evidence, Release, as_json
from sequester.release_look import refuse_nonsense
from sequester.request import Request
from sequester.signed import opened_key, sign_folder
from sequester.signing.sshsig import SigningKey
from sequester.stable_groups import part_published
from sequester.stored_tables import stored_names
from sequester.version import VERSION


@dataclass(frozen=True, kw_only=True)
class Published:
    """A bundle, and what was found out for the custodian on the way."""

    bundle: Bundle
    evidence: tuple[Evidence, ...]


Say = Callable[[str], None]


def publish_data(
    data: Data | Callable[[], Data],
    request: Request,
    *,
    say: Say | None = None,
    show: Callable[[Evidence], None] | None = None,
) -> Published:
    """Protect data and publish it: what `sequester publish` does, and each step of a plan.

    Parameters
    ----------
    data
        What to protect, or a function that reads it: it is called once everything else was checked.
    request
        How, and where to.
    say
        Gets every note, of the reader and of the method, in the order of the work.
    show
        Gets the summary of how the source was understood, before anything is done with it.
    """
    method, target = request.method, request.target
    say = say or (lambda _note: None)
    require_writable(target)
    flow.require_outside(request.source, target)
    if request.teaching_only and request.seed is None:
        raise _nothing_to_teach()  # said before anything is drawn
    method.require_used()
    method.require_told(request.roles)
    # Opened before anything is drawn: a wrong passphrase then loses nothing.
    own = None if request.sign is None else opened_key(request.sign, request.passphrase)
    if request.mapping is not None:
        read_mapping(request.mapping)  # so is a file that is no table
    with reserved(target, overwrite=request.overwrite):
        source = data() if callable(data) else data
        understood = flow.summary(source, request.roles)
        if show is not None:
            show(understood)
        for note in source.notes:  # what the reader had to settle: sorted rows, equal times
            say(str(note))
        method.require_declared(source)
        return _published(source, request, understood, say, own)


def _published(data: Data, request: Request, understood: Evidence, say: Say, own: SigningKey | None) -> Published:
    method, target, engine = request.method, request.target, request.engine
    release: Release | None = None
    if request.grouping is not None:
        # Whom it shows is known once the earlier groups are: only they are charged, measured and judged.
        release = flow.anonymize(data, method, seed=request.seed, engine=engine, grouping=request.grouping)
        data = part_published(data.whole(), release.private)
    seen, share = some_people(data)
    if share:
        say(f"the release is compared with {share}")
    with charged(target, data, method, population=request.population) as charge:  # refused before anything is drawn
        spent = charge.notes if charge else ()
        for sentence in filter(None, (*spent, expected(method.id, data))):
            say(sentence)
        assessed = [with_share(flow.assess(seen), share)] if "assess" in request.evidence else []
        noise = _checkpoint(data, request)
        with step(f"Protecting with {method.id}"):
            release = release or flow.anonymize(data, method, seed=request.seed, engine=engine, noise=noise)
        if request.teaching_only and not release.teaching_only:
            raise _nothing_to_teach()
        if engine is not None and engine.memory is not None:
            give_back()
        for note in release.notes:  # what to expect of the release: for the custodian alone
            say(str(note))
        original = seen if seen.n_people == data.n_people else None  # some people are not the original
        if release.guarantee.model in OF_PARTS:
            original = data

        def found(bundle: Bundle) -> list[Evidence]:
            if "measure" not in request.evidence:
                return assessed
            with step("Measuring what is left"):
                return [*assessed, with_share(flow.measure(seen, bundle), share)]

        made = _write(release, request, charge, source=seen, original=original, found=found,
                      more=[understood], own=own)  # fmt: skip
        for sentence in charge.together if charge else ():  # what earlier releases and this one tell together
            say(sentence)
    if noise is not None:
        noise.published()
    return made


def interrupted(data: Data, request: Request) -> bool:
    """Whether an earlier run has drawn noise for this release, and was ended before it was published."""
    return not data.in_memory and request.method.budget() is not None and _noise_file(request.target).exists()


def _noise_file(target: Path) -> Path:
    return target.with_name(f".{target.name}.noise")


def _checkpoint(data: Data, request: Request) -> CheckpointNoise | None:
    """Noise that a killed run does not lose: for data in parts, whose work is long."""
    method = request.method
    if data.in_memory or method.budget() is None:
        if request.resume:
            raise InputError(
                f"resume: only a differentially private release of data in parts can be resumed; {method.id} starts "
                "again. Leave ‹resume=True› out."
            )
        return None
    path = _noise_file(request.target)
    if request.resume and not path.exists():
        raise InputError(
            f"resume: no interrupted run of '{request.target.name}' was found. Publish without ‹resume=True›."
        )
    sizes = [data.n_people, data.n_records, data.n_items]
    about = json.dumps([method.id, method.parameters, *sizes, request.seed], default=str)
    return CheckpointNoise(Randomness(seed=request.seed).noise, path, about, resume=request.resume)


def publish(
    release: Release,
    target: str | Path,
    *,
    source: Data | None = None,
    evidence: Iterable[Evidence] = (),
    **asked: Any,
) -> Bundle:
    """Verify a release and write its bundle, judged from the written files: all of it, or nothing.

    Parameters
    ----------
    release
        What `anonymize` returned.
    target
        Folder to write, usually `NAME.bundle`; a sibling `NAME.private` takes the custodian's evidence.
    source
        The original: adds the checks that need it, and the custodian's folder.
    evidence
        Private evidence for the custodian's folder.
    **asked
        Further fields of `Request`: `overwrite`, `formats`, `mapping`, `roles`, `teaching_only`, `publication`,
        `population`, `sign`, `passphrase`.
    """
    request = Request(method=release.method, target=Path(target), **asked)
    require_writable(request.target)
    own = None if request.sign is None else opened_key(request.sign, request.passphrase)
    with (
        reserved(request.target, overwrite=request.overwrite),
        charged(request.target, source, release.method, population=request.population, people=release.people) as charge,
    ):
        return _write(release, request, charge, source=source, original=source, more=evidence, own=own).bundle


def _write(
    release: Release,
    request: Request,
    charge: Reservation | None,
    *,
    source: Data | None,
    original: Data | None,
    found: Callable[[Bundle], list[Evidence]] | None = None,
    more: Iterable[Evidence] = (),
    own: SigningKey | None = None,
) -> Published:
    """Stage → judge → pages → open as a stranger → measure → swap in. `found` looks at what was judged."""
    if release.teaching_only and not request.teaching_only:
        raise BundleError(
            "publish: this DP release was drawn with a seed; whoever knows it can remove the noise. "
            "Re-run without ‹seed=›."
        )
    target = request.target
    name = target.name.removesuffix(".bundle")
    with staged(target) as stage:
        with step("Writing tables"):
            written = as_json(manifest(release, name=name, version=VERSION, publication=request.publication))
            label = protected_by(written)
            files = write_tables(release, stage.bundle, label, also=request.formats, mapping=request.mapping)
            written["files"] = as_json(files)
        write_private_tables(stage.private, release.private)
        bundle = opened(stage.bundle, written, on_disk=stored_names(release.tables))
        bundle.private = read_private_tables(stage.private, on_disk=stored_names(release.private))
        # Whether a differentially private release appears must not hang on the data: copies are looked for afterwards.
        blind = release.guarantee.model in BLIND
        with step("Checking the promise"):
            verdict = judged(bundle, None if blind else original).raise_if_broken()
        forced = request.force or getattr(request.method, "force", False)
        looked = refuse_nonsense(bundle, None if blind else original, force=forced)
        written["verification"] = verification(verdict)
        with step("Drawing the report"):
            pages = [write_page(bundle.path, name, make()) for name, make in page_makers(bundle).items()]
            drawn = {"report.html": {"drawn_with": DRAWN_WITH}}
            written["pages"] = [page | drawn.get(page["path"], {}) for page in pages]
        digest = write_manifest(stage.bundle, written)
        with step("Opening the bundle as a stranger"):
            _as_a_stranger(stage.bundle, bundle, release)
            beside = judged(bundle, original) if blind and original is not None else verdict
        figures = found(bundle) if found else []
        with step("Comparing the release with the original"):
            private = _private_evidence(bundle, release, source, beside, [*more, *figures, *looked])
        if charge is not None:
            charge.about_to_publish(digest)
        private += compared_with_earlier(charge, bundle) if charge else []
        if private or release.private or request.made_from:
            with step("Drawing the custodian's report"):
                _write_private(stage, bundle, digest, private, request, charge)
        if own is not None:
            with step("Signing"):
                sign_folder(stage.bundle, stage.private, own, charge.account if charge else None)
    if charge is not None:
        charge.published()
    return Published(bundle=opened(target, written), evidence=tuple(figures))


def _nothing_to_teach() -> BundleError:
    return BundleError(
        "publish: ‹teaching_only=True› would do nothing: it goes with a differentially private method and ‹seed=›. "
        "Leave it out."
    )


def _as_a_stranger(folder: Path, written: Bundle, release: Release) -> None:
    """Open what was staged from its files alone, and refuse it unless it is a sound bundle of this release."""
    found = read_manifest(folder)
    seen = opened(folder, found)
    seen.__dict__["tables"] = written.tables  # read from these files a moment ago; the checksums are compared below
    checks, _ = stranger_checks(seen)
    odd = [n for n, table in release.tables.items() if not same_cells(table, seen.tables[n])]
    complete = sorted(release.tables) == sorted(seen.tables) and found == written.manifest
    detail = (
        f"{len(odd)} of {counted(len(release.tables), 'table')} {verb_for(len(odd), 'differs', 'differ')} from the "
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
        private = [verdict, *flow.portraits(source, bundle), *private]
    notes = [*getattr(source, "notes", ()), *release.notes]
    if notes:
        rows = [{"name": n.name, "n": n.n, "of": n.of} for n in notes if isinstance(n, Invented)]
        said = " ".join(as_sentence(str(n)) for n in notes)
        private.insert(
            0, Evidence(about="notes", saw_original=True, summary=said, rows={"invented": rows} if rows else {})
        )
    return [replace(item, saw_original=True) for item in private]


def _write_private(
    stage: Stage, bundle: Bundle, digest: str, private: list[Evidence], request: Request, charge: Reservation | None
) -> None:
    found = [as_json(e.to_json()) for e in private]
    write_private(
        stage.private, manifest_sha256=digest, evidence=found, roles=request.roles, made_from=request.made_from,
        account=charge.remembered if charge else None,
    )  # fmt: skip
    page = custodian_page(bundle, name_of(bundle.path, bundle.manifest), found)
    (stage.private / "report.html").write_text(page, "utf-8")

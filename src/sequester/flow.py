"""The verbs, wired together: read → assess → anonymize → verify → measure → publish → query / report.

It fails closed: a release whose promise cannot be confirmed is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from sequester.bundle.atomic import private_folder, write_whole
from sequester.bundle.lock import locked
from sequester.bundle.manifest import name_of, read_manifest
from sequester.bundle.private import evidence_file, private_tables, read_evidence, remembered
from sequester.bundle.zipped import folder_of
from sequester.bundle_checks import examine, opened, report_text
from sequester.charging import people_of
from sequester.dp.noise import Noise
from sequester.engines import Engine, stage
from sequester.errors import BundleError, InputError, ParameterError, counted
from sequester.in_parts import everybody, original_for, some_of_release, some_people, with_share
from sequester.judges import verify as room
from sequester.kinds import kind_named
from sequester.method import Method
from sequester.methods import methods_for
from sequester.model import Data, Fact, Invented
from sequester.options import FORMER
from sequester.pages.custodian import custodian_page
from sequester.platform import close_to_others
from sequester.proposal import objection, proposed
from sequester.query.bundle import Bundle
from sequester.read.inspect import Inspection, inspect_source
from sequester.read.summary import summarize
from sequester.release import Claim, Evidence, Release, to_json_text
from sequester.samples.files import write_source
from sequester.samples.like import like as simulated
from sequester.samples.standards import write_standard
from sequester.signed import signature_of
from sequester.stable_groups import Kept, keep_groups, with_classes


def reader(kind: str) -> Callable[..., Data]:
    """The reader of a kind of data."""
    return kind_named(kind).load("reader")


def assessor(kind: str) -> Callable[..., Evidence]:
    """The assessor of a kind of data: its keywords are the options of `assess`."""
    return kind_named(kind).load("assessor")


def sample(kind: str, *, like: str | Path | None = None, **options: Any) -> Data:
    """Seeded sample data of a kind: `text`, `series`, `activity`, `events` or `symbols`.

    With `like`, a bundle of activity, people are simulated from the hourly changes of its rows; only what is published
    already is looked at.
    """
    if like is None:
        return kind_named(kind).load("sample")(**options)
    bundle: Any = open_bundle(like)
    if kind != "activity" or bundle.layout != "states":
        raise InputError(
            f"sample: like= simulates activity from a bundle of activity; asked for {kind}, '{Path(like).name}' holds "
            f"{bundle.kind} data."
        )
    return simulated(bundle.released.as_data(), **options)


def write_sample(kind: str, path: str | Path, *, form: str | None = None, **options: Any) -> Path:
    """Write sample data of a kind as a file a reader takes: a CSV table, or a folder or JSON lines of notes.

    Parameters
    ----------
    kind
        `text`, `series`, `activity`, `events` or `symbols`.
    path
        File to write; for text a name without ending makes a folder.
    form
        Events only: a folder as `omop`, `meds` or `fhir` lays it out.
    **options
        `n_people` and `seed` of the sample; for activity also `like`, a bundle whose rows are imitated.
    """
    if form is not None:
        if kind != "events":
            raise InputError(f"sample: {form} is a form of event logs; {kind} data has none. Leave it out.")
        return write_standard(sample(kind, **options), Path(path), form)  # type: ignore[arg-type]

    return write_source(sample(kind, **options), Path(path))


def inspect(source: Any, **options: Any) -> Inspection:
    """What is this source? Its kind and why, the roles of its columns, figures, and what to type next. Private.

    Parameters
    ----------
    source
        A path, a folder, or a table in memory.
    **options
        `kind`, if you know it; `files`, `table` and `encoding` as the readers take them.
    """
    return proposed(source, inspect_source(source, objection=objection, **options))


def summary(data: Data, roles: Mapping[str, Any] | None = None) -> Evidence:
    """How a source was understood: whose it is, how much, when, and what is missing. Private evidence."""
    return summarize(data, roles)


def require_outside(source: Any, target: str | Path) -> None:
    """Refuse to write a bundle into the folder it is made from: the next run would read it as data."""
    if isinstance(source, (str, Path)) and Path(source).is_dir():
        inside = Path(source).resolve()
        if inside in Path(target).resolve().parents:
            raise BundleError(
                f"publish: '{Path(target).name}' would lie inside the source '{inside.name}'. Choose another place."
            )


def assess(data: Data, **options: Any) -> Evidence:
    """How identifying is the original? Private evidence."""
    for name in sorted(options.keys() & FORMER.keys() - signature(assessor(data.kind)).parameters.keys()):
        raise ParameterError(f"assess: there is no {name}=. {FORMER[name]}")
    some, share = some_people(data)
    with stage("Assessing how identifying the original is"):
        return with_share(assessor(data.kind)(some, **options), share)


def anonymize(
    data: Data,
    method: Method,
    *,
    seed: int | None = None,
    engine: Engine | None = None,
    grouping: str | Path | None = None,
    noise: Noise | None = None,
) -> Release:
    """Protect `data` with `method`; pure, the input is never touched.

    Parameters
    ----------
    data
        One of the five models, in memory or on disk.
    method
        A method that accepts this kind of data.
    seed
        For tests and teaching. A differentially private release drawn with a seed cannot be published.
    engine
        Threads, memory, scratch folder and progress display.
    grouping
        `NAME.private` of an earlier release: its people keep their groups, so that both releases together still hide
        them among k. Whoever cannot be hidden so is left out; publish the release beside the people it shows
        (`sequester.publish_data` does all of it).
    noise
        Where noise comes from; by default from the operating system. A run that is resumed brings its own.
    """
    from sequester.dp.randomness import Randomness

    if data.kind != method.accepts.kind:
        fitting = ", ".join(methods_for(data.kind)) or "none yet"
        raise InputError(
            f"anonymize: {method.id} works on {method.accepts.kind} data, this is {data.kind} data. "
            f"For it there are: {fitting}."
        )
    if data.n_records == 0:
        raise InputError("anonymize: the data is empty. Check the source and the column roles.")
    engine = engine or Engine()
    method.require_used(data)
    method.require_declared(data)
    method.require_observed(data)
    if method.needs_everybody or grouping is not None:
        data = everybody(method, data, engine)
    if grouping is not None:
        return _in_groups(keep_groups(data, method, grouping), method, seed, engine)
    rng = Randomness(seed=seed) if noise is None else Randomness(seed=seed, noise=noise)
    release = method.apply(data, rng=rng, engine=engine)
    return replace(release, reading=_reading(release, data), people=_people_of(data))


def _reading(release: Release, data: Data) -> tuple[Fact, ...]:
    """How values became what is published, and what the reader filled, merged or moved on the way, in numbers.

    Such numbers count people's rows: a differentially private release leaves them to the custodian.
    """
    counts = () if release.guarantee.status == "proved" else tuple(n for n in data.notes if isinstance(n, Invented))
    return (*(release.reading or data.reading), *(n.fact for n in counts))


def _in_groups(kept: Kept, method: Method, seed: int | None, engine: Engine) -> Release:
    """A release whose people keep the groups they had."""
    from sequester.dp.randomness import Randomness

    rng = Randomness(seed=seed)
    release = method.apply_in_groups(kept.data, kept.groups, rng=rng, engine=engine)
    shown = replace(release, reading=_reading(release, kept.data), people=_people_of(kept.data))
    return with_classes(shown, kept)


def _people_of(data: Data) -> Callable[[], Iterable[str]] | None:
    return partial(people_of, data) if data.people_known else None


def verify(
    claim: Claim | str | Path,
    source: Data | None = None,
    *,
    memory: int | None = None,
    signers: str | Path | None = None,
    revoked: str | Path | None = None,
    releases: str | Path | None = None,
) -> Evidence:
    """Recompute the promise of a release or bundle with independent code.

    Parameters
    ----------
    claim
        A release, or the folder of a bundle.
    source
        The original, in memory or on disk: adds the checks that need it.
    memory
        Bytes that an original on disk may take in memory, where the promise is checked beside everybody at once.
    signers, revoked
        Files of keys: whose signature below a bundle counts, and which keys do not count any more.
    releases
        The custodian's signed list of releases: the bundle must be in it, and the one before it.
    """
    path = folder_of(Path(claim)) if isinstance(claim, (str, Path)) else None
    if path is None and signers is not None:
        raise InputError(
            "verify: ‹signers=› goes with the folder of a bundle; a release has no signature. Leave it out."
        )
    unchecked: tuple[str, ...] = ()
    if source is not None:
        model = claim.guarantee.model if path is None else read_manifest(path)["guarantee"]["model"]  # type: ignore[union-attr]
        source, unchecked = original_for(model, source, memory)
    with stage("Checking the promise"):
        if path is None:
            found = room(claim, source)  # type: ignore[arg-type]
        else:
            found = examine(path, source, signed=signature_of(signers, revoked, releases))
    if not unchecked or found.verdict is None:
        return found
    said = found.verdict.leaving_out(unchecked)
    return replace(found, verdict=said, summary=said.words)


def measure(original: Data, claim: Claim, **options: Any) -> Evidence:
    """Compare a release with its original: private evidence."""
    from sequester.utility import measure as room

    some, share = some_people(original)
    shown, part = some_of_release(claim)
    found = with_share(room(in_codes_of(shown, some), shown, **options), share)
    return replace(found, summary=f"{found.summary} Note: {part}.") if part else found


def portraits(original: Data, claim: Claim) -> list[Evidence]:
    """What the original and a release look like side by side, for pictures: private evidence."""
    from sequester.utility import portraits as room

    return room(in_codes_of(claim, original), claim)


def in_codes_of(claim: Claim, original: Any) -> Any:
    """The original in the release's own codes of states, so that both can be compared; only activity has codes."""
    if original.kind != "activity" or "states" not in claim.tables:
        return original
    names = tuple(claim.tables["states"]["name"].to_pylist())
    return original.recoded(names) if set(names) & set(original.state_names) else original


def open_bundle(path: str | Path, *, check: bool = True, private: bool = False) -> Bundle:
    """Open a bundle; with `check` its checksums must agree.

    Parameters
    ----------
    path
        The folder `NAME.bundle`, or a ZIP file of it.
    check
        Compare every file with its checksum first.
    private
        Also take the custodian's maps from `NAME.private`, if it belongs to this bundle.
    """
    path = folder_of(Path(path))
    bundle = opened(path, read_manifest(path))
    if check:
        changed = bundle.changed_files()
        if changed:
            raise BundleError(
                f"open: {counted(len(changed), 'file')} of '{path.name}' went missing or changed since publication "
                f"(first: {changed[0]}). Get an intact copy."
            )
    if private:
        bundle.private = private_tables(path)
    return bundle


def keep(path: str | Path, evidence: Evidence) -> Path:
    """Add private evidence to the custodian's folder of a bundle and write its report anew.

    Parameters
    ----------
    path
        The folder `NAME.bundle`; `NAME.private` must lie beside it and belong to it.
    evidence
        What `assess`, `attack`, `measure` or `tune` found; it replaces earlier evidence of the same sort.

    Returns
    -------
    Path
        The custodian's report.
    """
    path = Path(path)
    bundle = open_bundle(path)
    folder = private_folder(path)
    file = evidence_file(evidence)
    with locked(path):
        if folder.is_symlink() or not folder.is_dir() or not remembered(path):
            raise BundleError(
                f"keep: '{folder.name}' is not there or belongs to another release. Publish with the source."
            )
        out = folder / "report.html"
        kept = {item["about"]: item for item in read_evidence(folder)} | {evidence.about: evidence.to_json()}
        try:
            page = custodian_page(bundle, name_of(path, bundle.manifest), [kept[about] for about in sorted(kept)])
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise BundleError(
                f"keep: the evidence in '{folder.name}' cannot be shown, because a file of it is damaged. Restore the "
                "custodian's folder."
            ) from error
        try:
            close_to_others(folder)
            write_whole(folder / file, to_json_text(evidence.to_json()), private=True)
            write_whole(out, page, private=True)
        except OSError as error:
            raise BundleError(f"keep: '{folder.name}' cannot be written ({error.strerror}).") from error
    return out


def report(path: str | Path, out: str | Path) -> Path:
    """Write the public report of a bundle to a file, with what its signature says if it has one."""
    bundle = open_bundle(path)
    out = Path(out)
    try:
        bundle.signed = signature_of()(bundle.path).lines
        write_whole(out, report_text(bundle))
    except OSError as error:
        raise BundleError(f"report: '{out.name}' cannot be written ({error.strerror}).") from error
    return out

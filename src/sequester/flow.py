"""The verbs, wired together: read → assess → anonymize → verify → measure → publish → query / report.

It fails closed: a release whose promise cannot be confirmed is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from sequester import judges, utility
from sequester.bundle.atomic import private_folder, spare, write_whole
from sequester.bundle.lock import locked
from sequester.bundle.manifest import name_of, read_manifest
from sequester.bundle.private import evidence_file, evidence_text, private_tables, read_evidence, remembered
from sequester.bundle.standards import STANDARDS, Concept, write_standard
from sequester.bundle.zipped import folder_of
from sequester.bundle_checks import examine, opened, report_text
from sequester.charging import people_of
from sequester.dp.noise import Noise
from sequester.dp.randomness import Randomness
from sequester.engines import Engine, step
from sequester.errors import BundleError, InputError, ParameterError, counted
from sequester.in_parts import everybody, original_for, some_of_release, some_people, with_share
from sequester.kinds import kind_named
from sequester.languages import speaking
from sequester.layouts.log import table_of
from sequester.method import Method
from sequester.methods import methods_for
from sequester.model import Data, Invented
from sequester.options import FORMER
from sequester.pages.custodian import NOT_KEPT, custodian_page, readers_page
from sequester.platform import close_to_others
from sequester.proposal import objection, proposed
from sequester.query.bundle import Bundle
from sequester.read.inspect import Inspection, inspect_source
from sequester.read.summary import summarize
from sequester.release import Claim, Evidence, Release, as_json
from sequester.samples.files import write_source
from sequester.samples.like import like as simulated
from sequester.signed import signature_of
from sequester.stable_groups import keep_groups, with_classes


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
        return _as_standard(sample(kind, **options), Path(path), form)

    return write_source(sample(kind, **options), Path(path))


def _as_standard(log: Any, path: Path, form: str) -> Path:
    if form not in STANDARDS:
        raise InputError(f"sample: no form '{form}'; there are {', '.join(STANDARDS)}.")
    if path.exists():
        raise InputError(f"sample: '{path.name}' exists. Choose another name or remove it first.")
    names = [name.title() for name in log.state_names]
    visits = ("Arrival", "Triage", "Discharge")
    concepts = {n: Concept(9000 + i, "Visit" if n in visits else "Procedure") for i, n in enumerate(names)}
    write_standard(form, table_of(log.states, log.times, log.offsets, names, "second", {}), path, concepts, "invented")
    return path


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
    with step("Assessing how identifying the original is"):
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
    rng = Randomness(seed=seed) if noise is None else Randomness(seed=seed, noise=noise)
    kept = None if grouping is None else keep_groups(data, method, grouping)
    if kept is None:
        release = method.apply(data, rng=rng, engine=engine)
    else:
        data = kept.data
        release = method.apply_in_groups(data, kept.groups, rng=rng, engine=engine)
    # What the reader filled, merged or moved is told in numbers, which count people's rows: noise leaves them out.
    counts = () if release.guarantee.status == "proved" else (n.fact for n in data.notes if isinstance(n, Invented))
    people = partial(people_of, data) if data.people_known else None
    release = replace(release, reading=(*(release.reading or data.reading), *counts), people=people)
    return release if kept is None else with_classes(release, kept)


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
    with step("Checking the promise"):
        if path is None:
            found = judges.verify(claim, source)  # type: ignore[arg-type]
        else:
            found = examine(path, source, signed=signature_of(signers, revoked, releases))
    if not unchecked or found.verdict is None:
        return found
    said = found.verdict.leaving_out(unchecked)
    return replace(found, verdict=said, summary=said.words)


def measure(original: Data, claim: Claim, **options: Any) -> Evidence:
    """Compare a release with its original: private evidence."""
    some, share = some_people(original)
    shown, part = some_of_release(claim)
    found = with_share(utility.measure(in_codes_of(shown, some), shown, **options), share)
    return replace(found, summary=f"{found.summary} Note: {part}.") if part else found


def portraits(original: Data, claim: Claim) -> list[Evidence]:
    """What the original and a release look like side by side, for pictures: private evidence."""
    return utility.portraits(in_codes_of(claim, original), claim)


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
    file, found = evidence_file(evidence.about), as_json(evidence.to_json())
    with locked(path):
        if folder.is_symlink() or not folder.is_dir() or not remembered(path):
            raise BundleError(
                f"keep: '{folder.name}' is not there or belongs to another release. Publish with the source."
            )
        out = folder / "report.html"
        kept = {item["about"]: item for item in read_evidence(folder)} | {evidence.about: found}
        page = _custodian_text("keep", bundle, folder, [kept[about] for about in sorted(kept)])
        try:
            close_to_others(folder)
            write_whole(folder / file, evidence_text(found), private=True)
            write_whole(out, page, private=True)
        except OSError as error:
            raise BundleError(f"keep: '{folder.name}' cannot be written ({error.strerror}).") from error
    return out


def _custodian_text(who: str, bundle: Bundle, folder: Path, evidence: list[dict[str, Any]]) -> str:
    try:
        return custodian_page(bundle, name_of(bundle.path, bundle.manifest), evidence)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise BundleError(
            f"{who}: the evidence in '{folder.name}' cannot be shown, because a file of it is damaged. Restore the "
            "custodian's folder."
        ) from error


def report(path: str | Path, out: str | Path, *, language: str = "en", disclose: Sequence[str] = ()) -> Path:
    """Write the public report of a bundle to a file, with what its signature says if it has one.

    Parameters
    ----------
    path
        The bundle; of its folder `NAME.private` the custodian's report is written.
    out
        The HTML file to write.
    language
        `en`, `de` or `es`. The promise in the manifest stays English, and a translated report says so.
    disclose
        Of `NAME.private`: write the public report instead, with `use` (how far the release is from the original),
        `attacks` (what each achieved), or both. The page stands beside the bundle and never in it.
    """
    folder, out = Path(path), Path(out)
    spare("report", out)
    private = folder.name.endswith(".private")
    bundle = open_bundle(folder.with_name(folder.name.removesuffix(".private") + ".bundle") if private else folder)
    if private and not remembered(bundle.path):
        raise BundleError(f"report: '{folder.name}' is not there or belongs to another release.")
    try:
        with speaking(language):
            bundle.signed = signature_of()(bundle.path).lines
            evidence = sorted(read_evidence(folder), key=lambda item: item["about"]) if private else []
            if disclose:
                text = _readers_page(bundle, folder, evidence, disclose)
            else:
                text = _custodian_text("report", bundle, folder, evidence) if private else report_text(bundle)
        write_whole(out, text, private=private and not disclose)
    except OSError as error:
        raise BundleError(f"report: '{out.name}' cannot be written ({error.strerror}).") from error
    return out


def _readers_page(bundle: Bundle, folder: Path, evidence: list[dict[str, Any]], chosen: Sequence[str]) -> str:
    """What the custodian chose to disclose; of noise nothing, because its price was not paid."""
    for what in chosen:
        if what not in NOT_KEPT:
            raise ParameterError(f"report: ‹disclose=› takes {', '.join(NOT_KEPT)}, got '{what}'.")
    if not folder.name.endswith(".private"):
        raise InputError(
            f"report: ‹disclose=› tells what was computed on the original, and '{folder.name}' does not hold it. Name "
            "the custodian's folder, NAME.private."
        )
    if bundle.guarantee.status == "proved":
        raise InputError(
            "report: this release is differentially private, and figures computed on its original would tell more than "
            "its epsilon covers. Leave ‹disclose=› out."
        )
    return readers_page(bundle, name_of(bundle.path, bundle.manifest), chosen, evidence)

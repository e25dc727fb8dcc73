"""The verbs, wired together: read → assess → anonymize → verify → measure → publish → query / report.

It fails closed: a release whose promise cannot be confirmed is not written.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sequester.bundle_checks import checksums, same_promise
from sequester.engines import Engine
from sequester.errors import BundleError, InputError, SequesterWarning
from sequester.kinds import kind_named
from sequester.layouts import layout_of
from sequester.version import VERSION

if TYPE_CHECKING:
    from sequester.method import Method
    from sequester.model import Data
    from sequester.query.bundle import Bundle
    from sequester.release import Check, Claim, Evidence, Release


def reader(kind: str) -> Callable[..., Data]:
    """The reader of a kind of data."""
    return kind_named(kind).load("reader")


def assessor(kind: str) -> Callable[..., Evidence]:
    """The assessor of a kind of data: its keywords are the options of `assess`."""
    return kind_named(kind).load("assessor")


def sample(kind: str, **options: Any) -> Data:
    """Seeded sample data of a kind: `text`, `series`, `activity`, `events` or `symbols`."""
    return kind_named(kind).load("sample")(**options)


def write_sample(kind: str, path: str | Path, **options: Any) -> Path:
    """Write sample data of a kind as a file a reader takes: a CSV table, or a folder or JSON lines of notes.

    Parameters
    ----------
    kind
        `text`, `series`, `activity`, `events` or `symbols`.
    path
        File to write; for text a name without ending makes a folder.
    **options
        `n_people` and `seed` of the sample.
    """
    from sequester.samples.files import write_source

    return write_source(sample(kind, **options), Path(path))


def assess(data: Data, **options: Any) -> Evidence:
    """How identifying is the original? Private evidence."""
    return assessor(data.kind)(data, **options)


def anonymize(data: Data, method: Method, *, seed: int | None = None, engine: Engine | None = None) -> Release:
    """Protect `data` with `method`; pure, the input is never touched.

    Parameters
    ----------
    data
        One of the five models.
    method
        A method that accepts this kind of data.
    seed
        For tests and teaching. A differentially private release drawn with a seed cannot be published.
    engine
        Threads and progress display.
    """
    from sequester.dp.randomness import Randomness

    if not isinstance(data, method.accepts):
        from sequester.methods import methods_for

        fitting = ", ".join(methods_for(data.kind)) or "none yet"
        raise InputError(
            f"anonymize: {method.id} works on {method.accepts.kind} data, this is {data.kind} data. "  # type: ignore[attr-defined]
            f"For it there are: {fitting}."
        )
    if data.n_records == 0:
        raise InputError("anonymize: the data is empty. Check the source and the column roles.")
    method.require_declared(data)
    _require_observed(data, method)
    release = method.apply(data, rng=Randomness(seed=seed), engine=engine or Engine())
    return replace(release, reading=release.reading or data.reading)


def _require_observed(data: Any, method: Method) -> None:
    """Activity of which hardly anything was observed makes a release of nothing; a DP method must not look."""
    if data.kind != "activity" or method.guarantee.status == "proved":
        return
    least = next((float(f.value) for f in data.reading if f.name == "least observed"), None)
    if least is None or data.missing is None:  # made by hand, or everything was observed
        return
    share = data.observed
    if share < least:
        raise InputError(
            f"anonymize: only {share:.1%} of the people's time was observed; {method.id} would publish the rest as "
            "missing. If people were recorded at different times, pass --align monday and --days when the file is "
            "read; otherwise lower --least-observed."
        )
    if share < LITTLE_OBSERVED:
        warnings.warn(
            f"only {share:.1%} of the people's time was observed; the rest is published as missing.",
            SequesterWarning,
            stacklevel=3,
        )


LITTLE_OBSERVED = 0.8
"""Below this share of observed time the custodian is warned."""


def verify(claim: Claim | str | Path, source: Data | None = None) -> Evidence:
    """Recompute the promise of a release or bundle with independent code."""
    from sequester.judges import verify as room

    if isinstance(claim, (str, Path)):
        bundle = open_bundle(claim, check=False, private=source is not None)
        first = (checksums(bundle), same_promise(bundle))
        try:
            verdict = room(bundle, source)
        except BundleError as error:  # a table that cannot be read keeps no promise
            return _as_verdict(bundle, (*first, _failed("tables", str(error))), source)
        return _as_verdict(bundle, (*first, *verdict.checks), source)
    return room(claim, source)


def measure(original: Data, claim: Claim, **options: Any) -> Evidence:
    """Compare a release with its original: private evidence."""
    from sequester.utility import measure as room

    return room(in_codes_of(claim, original), claim, **options)


def in_codes_of(claim: Claim, original: Any) -> Any:
    """The original in the release's own codes of states, so that both can be compared; only activity has codes."""
    if original.kind != "activity" or "states" not in claim.tables:
        return original
    names = tuple(claim.tables["states"]["name"].to_pylist())
    return original.recoded(names) if set(names) & set(original.state_names) else original


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
) -> Bundle:
    """Verify a release and write its bundle: all of it, or nothing.

    Parameters
    ----------
    release
        What `anonymize` returned.
    target
        Folder to write, usually `NAME.bundle`; a sibling `NAME.private` takes the custodian's evidence.
    source
        The original: adds the checks that need it, and the custodian's folder.
    overwrite
        Replace an existing bundle.
    formats
        Further formats for every table, such as `csv`.
    evidence
        Private evidence for the custodian's folder.
    roles
        How the source was read, remembered for the custodian.
    teaching_only
        Write a differentially private release although it was drawn with a seed; it then promises nothing.
    """
    from sequester.bundle.atomic import settle, staged
    from sequester.bundle.bundle import vouch_for_pages, write_bundle
    from sequester.bundle.formats import sha256
    from sequester.bundle.private import private_folder, write_private
    from sequester.judges import verify as judge
    from sequester.pages.custodian import custodian_page
    from sequester.pages.public import public_page
    from sequester.utility import portraits

    target = Path(target)
    if release.teaching_only and not teaching_only:
        raise BundleError(
            "publish: this DP release was drawn with a seed; whoever knows it can remove the noise. "
            "Re-run without --seed."
        )
    verdict = judge(release, source if release.guarantee.needs_original else None)
    verdict.raise_if_broken()
    private: list[Evidence] = list(evidence)
    if source is not None:
        private = [
            judge(release, source).raise_if_broken(),
            *portraits(in_codes_of(release, source), release),
            *private,
        ]
    if release.notes:
        private.insert(0, _noted(release))
    beside = private_folder(target)
    settle(target)
    if target.exists() and not overwrite:
        raise BundleError(f"publish: '{target.name}' exists. Pass --overwrite to replace it.")
    with ExitStack() as both:
        # The private folder is staged first and renamed last: whoever sees the new bundle can see its evidence soon.
        keep_private = bool(private or release.private)
        back = both.enter_context(staged(beside, overwrite=True)) if keep_private else None
        front = both.enter_context(staged(target, overwrite=overwrite))
        name = target.name.removesuffix(".bundle")
        told = write_bundle(release, verdict, front, name=name, version=VERSION, also=tuple(formats))
        bundle = _bundle(front, told)
        (front / "report.html").write_text(public_page(bundle, name), "utf-8")
        vouch_for_pages(front, told)
        if back is not None:
            write_private(
                back,
                manifest_sha256=sha256(front / "manifest.json"),
                tables=release.private,
                evidence=private,
                roles=roles or {},
            )
            page = custodian_page(bundle, name, [e.to_json() for e in private])
            (back / "report.html").write_text(page, "utf-8")
    return open_bundle(target)


def open_bundle(path: str | Path, *, check: bool = True, private: bool = False) -> Bundle:
    """Open a bundle; with `check` its checksums must agree.

    Parameters
    ----------
    path
        The folder `NAME.bundle`.
    check
        Compare every file with its checksum first.
    private
        Also take the custodian's maps from `NAME.private`, if it belongs to this bundle.
    """
    from sequester.bundle.atomic import settle
    from sequester.query.bundle import read_manifest

    path = Path(path)
    settle(path)
    bundle = _bundle(path, read_manifest(path))
    if check:
        changed = bundle.changed_files()
        if changed:
            raise BundleError(
                f"open: {len(changed)} files of '{path.name}' are missing or changed since publication "
                f"(first: {changed[0]}). Get an intact copy."
            )
    if private:
        bundle.private = private_tables(path)
    return bundle


def private_tables(path: Path) -> dict[str, Any]:
    """The custodian's tables of a bundle, or none if the folder is absent or belongs to another release."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from sequester.bundle.private import private_folder

    if not custodian(path):
        return {}
    folder, out = private_folder(path), {}
    for file in sorted(folder.glob("*.parquet")):
        try:
            out[file.stem] = pq.read_table(file)
        except (pa.ArrowException, OSError) as error:
            raise BundleError(
                f"open: '{folder.name}/{file.name}' cannot be read. Restore the custodian's folder, or move it away."
            ) from error
    return out


def custodian(path: Path) -> dict[str, Any]:
    """What the custodian's folder says about a bundle: roles of the source; empty if it is not its own."""
    import warnings

    from sequester.bundle.private import private_folder
    from sequester.errors import SequesterWarning

    told = _custodian(path)
    if told is None:
        warnings.warn(
            f"'{private_folder(path).name}' does not belong to this '{path.name}' (it was written with another "
            "manifest), so its maps and column roles are not used.",
            SequesterWarning,
            stacklevel=2,
        )
    return told or {}


def _custodian(path: Path) -> dict[str, Any] | None:
    """The contents of `custodian.json`; empty where there is none, None where it speaks of another manifest."""
    import json

    from sequester.bundle.formats import sha256
    from sequester.bundle.private import private_folder

    told_at = private_folder(path) / "custodian.json"
    if not told_at.exists():
        return {}
    try:
        told = json.loads(told_at.read_text("utf-8"))
        return told if told["manifest_sha256"] == sha256(path / "manifest.json") else None
    except (ValueError, KeyError, TypeError):
        return None


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
    import json

    from sequester.bundle.private import private_folder
    from sequester.pages.custodian import custodian_page
    from sequester.release import to_json_text

    path = Path(path)
    bundle = open_bundle(path)
    folder = private_folder(path)
    if not _custodian(path):
        raise BundleError(f"keep: '{folder.name}' is not there or belongs to another release. Publish with the source.")
    (folder / f"{evidence.about}.json").write_text(to_json_text(evidence.to_json()), "utf-8")
    told = [json.loads(p.read_text("utf-8")) for p in sorted(folder.glob("*.json")) if p.name != "custodian.json"]
    out = folder / "report.html"
    out.write_text(custodian_page(bundle, path.name.removesuffix(".bundle"), told), "utf-8")
    return out


def report(path: str | Path, out: str | Path) -> Path:
    """Write the public report of a bundle to a file."""
    from sequester.pages.public import public_page

    bundle = open_bundle(path)
    out = Path(out)
    try:
        out.write_text(public_page(bundle, bundle.path.name.removesuffix(".bundle")), "utf-8")
    except OSError as error:
        raise BundleError(f"report: '{out.name}' cannot be written ({error.strerror}).") from error
    return out


def _noted(release: Release) -> Evidence:
    """What a method tells the custodian about its run, as evidence for the custodian's report."""
    from sequester.release import Evidence

    return Evidence(about="notes", saw_original=True, summary=" ".join(map(str, release.notes)))


def _bundle(path: Path, manifest: dict[str, Any]) -> Bundle:
    return layout_of(manifest).load("bundle")(path, manifest)


def _failed(name: str, detail: str) -> Check:
    from sequester.release import Check

    return Check(name=name, passed=False, detail=detail)


def _as_verdict(bundle: Bundle, checks: tuple[Check, ...], source: Data | None) -> Evidence:
    from sequester.judges import verdict

    return verdict(bundle.guarantee, checks, saw_original=source is not None)

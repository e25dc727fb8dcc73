"""What is checked of every bundle, whatever it promises, by reading the folder as a stranger would.

Its files are a closed set, its copies equal their tables, its promise is the method's own, its pages follow from its
manifest. Then the judge of the promise looks at the tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from sequester.bundle.companions import companions, protected_by
from sequester.bundle.contents import UNREADABLE, by_another_library, copies_check, files_check, tables_check
from sequester.bundle.datapackage import CSVW, csv_on_the_web, datapackage
from sequester.bundle.manifest import name_of, read_manifest, stated_promise
from sequester.bundle.private import private_tables
from sequester.dp.ledger import Ledger
from sequester.errors import MALFORMED, BundleError, SequesterError, counted, verb_for
from sequester.guarantees.differential_privacy import promise_over_sites
from sequester.judges import BLIND, judge, verdict
from sequester.layouts import layout_of
from sequester.lazy import load
from sequester.methods import method_class
from sequester.model import Data
from sequester.pages.public import public_page
from sequester.query.bundle import Bundle
from sequester.release import Check, Evidence, as_json, to_json_text
from sequester.signing.seal import Signed, signed_by
from sequester.stable_groups import part_published
from sequester.version import VERSION

DRAWN_WITH = f"jinja2 {version('jinja2')}"
"""The library that draws a report, with its version: another may draw the same picture in other words."""
MISFITS = (*UNREADABLE, SequesterError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError)
"""What code meets that was made for a method's tables and is given others."""


def opened(path: Path, manifest: dict[str, Any], *, on_disk: Iterable[str] = ()) -> Bundle:
    """A bundle with the questions its layout answers; tables `on_disk` are not read into memory."""
    bundle: Bundle = layout_of(manifest).load("bundle")(path, manifest)
    bundle.on_disk = frozenset(on_disk)
    return bundle


def examine(path: Path, source: Data | None = None, *, signed: Callable[[Path], Signed] = signed_by) -> Evidence:
    """Everything that can be checked of a bundle on disk, beside the original if there is one.

    `signed` says what is known about its signature: whose keys count is known to whoever asks.
    """
    manifest = read_manifest(path)
    signature = signed(path)
    bundle = opened(path, manifest)
    if source is not None:
        bundle.private = private_tables(path)
        source = part_published(source, bundle.private)
    checks, unchecked = stranger_checks(bundle)
    found, saw, more = judge_checks(bundle, source)
    checks += found
    unchecked += more
    if signature.checked:
        checks.append(Check(name="signature", passed=signature.good, detail=signature.words))
    if bundle.manifest["teaching_only"]:
        detail = "the noise was drawn with a known seed; this bundle protects nobody"
        checks.append(Check(name="teaching only", passed=False, detail=detail))
    out = verdict(bundle.guarantee, tuple(checks), saw_original=saw, unchecked=unchecked)
    if signature.words:
        out = replace(out, rows={**out.rows, "signature": [{"says": line} for line in signature.lines]})
    if out.verdict is None or not signature.words or signature.checked:
        return out
    return replace(out, verdict=replace(out.verdict, not_checked=(*out.verdict.not_checked, signature.sentence)))


def judge_checks(bundle: Bundle, source: Data | None) -> tuple[list[Check], bool, tuple[str, ...]]:
    """What the judge of the promise finds in the tables, whether it saw the original, and what was not checked."""
    checks: list[Check] = []
    unchecked: tuple[str, ...] = ()
    try:
        found, saw = judge(bundle, source)
    except BundleError as error:  # a table that cannot be read keeps no promise
        found, saw = [Check(name="tables", passed=False, detail=str(error))], False
    except MISFITS as error:
        detail = f"the tables do not have the shape that the promise needs ({type(error).__name__})"
        found, saw = [Check(name="judge", passed=False, detail=detail)], False
    checks.append(_stated(bundle, found, source))
    if bundle.guarantee.model in BLIND:
        found_out = [f["name"] for f in bundle.manifest["reading"] if f["how"] == "found" and f["name"] != "states"]
        detail = f"{counted(len(found_out), 'fact')} about the reading {verb_for(len(found_out), 'was', 'were')} found"
        checks.append(Check(name="reading was declared", passed=not found_out, detail=f"{detail} in the data"))
        unchecked += () if bundle.manifest["reading"] else ("how the source was read (the manifest says nothing)",)
    return [*checks, *found, *_rare_sums(bundle)], saw, unchecked


def stranger_checks(bundle: Bundle) -> tuple[list[Check], tuple[str, ...]]:
    """What holds of the folder whatever it promises, and a line for each thing that could not be checked."""
    manifest, tables = bundle.manifest, bundle.tables
    checks = [files_check(bundle.path, manifest), same_promise(bundle), tables_check(bundle.path, manifest, tables)]
    if "federation" in manifest or "transcript" in tables:
        checks += load("sequester.federation.transcript:transcript_check")(bundle)
    copies = copies_check(bundle.path, manifest, tables)
    pages, unchecked = pages_check(bundle)
    unchecked += _cited_otherwise(manifest)
    others = by_another_library(bundle.path, manifest)
    if others:
        unchecked += (f"{', '.join(others)}, byte for byte (another version of the library wrote it)",)
    return [*checks, *([copies] if copies else []), *([pages] if pages else [])], unchecked


def _stated(bundle: Bundle, found: list[Check], source: Data | None) -> Check:
    """What the manifest says was counted in the release can be counted again: no line may be invented.

    Where the judge lacks something on this machine, nobody can tell about the lines that it did not come to.
    """

    def unknown(checks: list[Check]) -> list[str]:
        again = {(c.name, c.passed, c.detail) for c in checks}
        return [line["name"] for line in manifest if (line["name"], line["passed"], line["detail"]) not in again]

    manifest = bundle.manifest["verification"]["checked"]
    odd = unknown(found)
    if odd and source is not None:  # beside an original, a judge may put in other words what it counts in the release
        with suppress(*MISFITS):
            odd = unknown(judge(bundle, None)[0])
    n = len(odd)
    detail = f"{n} of {counted(len(manifest), 'line')} in the manifest {verb_for(n, 'was', 'were')} not counted again"
    open_here = {c.name for c in found if c.undecided}
    stopped = any(line["name"] in open_here for line in manifest)
    stopped = stopped and not {c.name for c in found if not c.undecided} & set(odd)
    return Check(name="stated checks", passed=not odd, undecided=n > 0 and stopped, detail=detail)


RARE = 1_000
"""Millionths of a person: a noisy sum comes so near to a whole number of people once in 500."""


def _rare_sums(bundle: Bundle) -> list[Check]:
    """Shares of time add up to a whole number of people where there is no noise.

    This is said to those who verify alone: whether a release appears must not hang on its noise.
    """
    table = bundle.tables.get("measurements") if bundle.method_id == "ngram-dp" else None
    if table is None or "value" not in table.column_names or not pa.types.is_integer(table["value"].type):
        return []
    million = 1_000_000
    off = sum(v or 0 for v in table["value"].to_pylist()) % million
    near = min(off, million - off)
    detail = f"the measurements add up to {near} millionths beside a whole number of people"
    if near > RARE:
        return [Check(name="the sum has noise", passed=True, detail=detail)]
    detail += f", as without noise; chance does that once in {million // (2 * RARE)}"
    return [Check(name="the sum has noise", passed=False, undecided=True, detail=detail)]


def same_promise(bundle: Bundle) -> Check:
    """The manifest's promise is the one its method makes with these parameters: nobody may write a better one."""
    manifest = bundle.manifest
    try:
        method = method_class(manifest["method"]["id"]).from_parameters(manifest["method"]["parameters"])
        promise, ledger = method.guarantee, method.budget()
        if "federation" in manifest and ledger is not None:
            promise = promise_over_sites(promise, ledger.to_json(), manifest["federation"])
        wanted = as_json(stated_promise(promise, teaching_only=manifest["teaching_only"]))
        odd = sorted(key for key in wanted if to_json_text(manifest["guarantee"].get(key)) != to_json_text(wanted[key]))
        odd += ["kind"] if manifest["kind"] != method.accepts.kind else []
        odd += ["layout"] if manifest["layout"] != method.layout else []
        ours = manifest["created_with"] == f"sequester {VERSION}"  # another version may have cited in other words
        odd += ["paper"] if ours and manifest["method"].get("paper") != method.paper else []
        odd += _odd_sums(manifest["ledger"], ledger)
    except MISFITS as error:
        detail = f"the method and its parameters make no promise ({type(error).__name__})"
        return Check(name="promise", passed=False, detail=detail)
    detail = f"{', '.join(odd)} differ from what the method promises" if odd else "it is what the method promises"
    return Check(name="promise", passed=not odd, detail=detail)


def _odd_sums(stated: dict[str, Any] | None, budget: Ledger | None) -> list[str]:
    """A ledger where nothing is spent would be a place for words; of one that is due, sums that do not follow."""
    if stated is None or budget is None:
        return [] if stated is None else ["ledger"]
    odd = [] if math.isclose(stated["total"], budget.total, rel_tol=1e-7) else ["ledger.total"]
    spent = math.fsum(e["amount"] for e in stated["entries"])
    return odd if math.isclose(stated.get("spent", spent), spent, rel_tol=1e-9) else [*odd, "ledger.spent"]


def _cited_otherwise(manifest: dict[str, Any]) -> tuple[str, ...]:
    """Another version may have cited a method in other words, and a citation may say anything."""
    with suppress(*MISFITS):
        if manifest["method"]["paper"] != method_class(manifest["method"]["id"]).paper:
            return ("the paper that is cited (another version made it, and it may say anything)",)
    return ()


def pages_check(bundle: Bundle) -> tuple[Check | None, tuple[str, ...]]:
    """The pages are those that follow from the manifest and the tables; those of another version are not checked."""
    manifest = bundle.manifest
    pages = {page["path"]: page for page in manifest.get("pages", ())}
    wanted = page_makers(bundle)
    odd = sorted(name for name, make in wanted.items() if not _is_page(bundle, name, make))
    odd += sorted(pages.keys() - wanted.keys())
    fits = sorted(wanted.keys() - odd)
    by_others = manifest["created_with"] != f"sequester {VERSION}"
    drawn_by_others = pages.get("report.html", {}).get("drawn_with") != DRAWN_WITH
    unchecked = [name for name in odd if by_others or (drawn_by_others and name == "report.html")]
    broken = [name for name in odd if name not in unchecked]
    lines = tuple(f"{name} (another version made it, and it may say anything)" for name in unchecked)
    if not broken and not fits:
        return None, lines
    detail = f"{', '.join(broken)} differ from what follows from the manifest and the tables"
    if not broken:
        verb = verb_for(len(fits), "follows", "follow")
        detail = f"{counted(len(fits), 'page')} {verb} from the manifest and the tables"
    return Check(name="pages", passed=not broken, detail=detail), lines


def page_makers(bundle: Bundle) -> dict[str, Callable[[], str]]:
    """Every page that belongs to a bundle, and what makes it from the manifest and the tables."""
    name = name_of(bundle.path, bundle.manifest)
    beside = {CSVW: partial(csv_text, bundle)} if any(f["format"] == "csv" for f in bundle.manifest["files"]) else {}
    return {
        "datapackage.json": partial(package_text, bundle),
        "report.html": partial(report_text, bundle),
        **beside,
        **companions(bundle.manifest, name),
    }


def package_text(bundle: Bundle) -> str:
    columns = {name: table.column_names for name, table in bundle.tables.items()}
    about = datapackage(bundle.manifest, name_of(bundle.path, bundle.manifest), columns)
    return to_json_text(about | {"protected": protected_by(bundle.manifest)})


def csv_text(bundle: Bundle) -> str:
    columns = {name: table.column_names for name, table in bundle.tables.items()}
    return to_json_text(csv_on_the_web(bundle.manifest, protected_by(bundle.manifest), columns))


def report_text(bundle: Bundle) -> str:
    """`report.html`, from the manifest and the tables."""
    try:
        return public_page(bundle, name_of(bundle.path, bundle.manifest))
    except MALFORMED as error:
        raise BundleError(
            f"report: the tables of '{bundle.path.name}' do not have the shape of their layout, so no page can be "
            "drawn. Verify the bundle."
        ) from error


def _is_page(bundle: Bundle, name: str, make: Callable[[], str]) -> bool:
    try:
        found = (bundle.path / name).read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return False
    except OSError as error:  # a failing disk says nothing about the promise
        raise BundleError(f"verify: '{name}' cannot be read ({error.strerror}). Try again.") from error
    try:
        return found == make().encode("utf-8")
    except MISFITS:
        return False

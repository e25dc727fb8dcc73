"""The manifest: what a bundle says about itself. Keys are never removed and never change their meaning."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sequester.bundle.card import Publication
from sequester.bundle.formats import sha256
from sequester.bundle.schema import FORMAT, MANIFEST, leaves_the_folder, malformed, repeated_paths, unknown_keys
from sequester.errors import BundleError, counted
from sequester.release import Evidence, Guarantee, Release


def manifest(release: Release, *, name: str, version: str, publication: Publication | None = None) -> dict[str, Any]:
    """The manifest of a release, all but its files and what the judge and the pages add."""
    return {
        "format": FORMAT,
        "created_with": f"sequester {version}",
        "kind": release.method.accepts.kind,
        "method": {"id": release.method.id, "parameters": dict(release.parameters), "paper": release.method.paper},
        "layout": release.layout,
        "reading": [{"name": fact.name, "value": fact.value, "how": fact.how} for fact in release.reading],
        "guarantee": stated_promise(release.guarantee, teaching_only=release.teaching_only),
        "ledger": release.ledger.to_json() if release.ledger else None,
        "publication": (publication or Publication()).to_json(name),
        "teaching_only": release.teaching_only,
        **({"federation": dict(release.federation)} if release.federation else {}),
    }


def stated_promise(guarantee: Guarantee, *, teaching_only: bool) -> dict[str, Any]:
    """The promise as a manifest states it once the judge has confirmed it."""
    promise = guarantee.confirmed().to_json()
    if teaching_only:
        promise |= {
            "status": "as-published",
            "statement": "TEACHING ONLY, no protection: the noise was drawn with a known seed. " + guarantee.statement,
        }
    return promise


def verification(verdict: Evidence) -> dict[str, Any]:
    """What was counted in the release, which anyone can count again, and how many checks looked at the original."""
    seen = [c for c in verdict.checks if c.of_release or not verdict.saw_original]
    return {
        "checked": [{"name": c.name, "passed": c.passed, "detail": c.detail} for c in seen],
        "beside_original": len(verdict.checks) - len(seen),
        "result": "confirmed" if verdict.holds else "not confirmed",
        "basis": "release and original" if verdict.saw_original else "release alone",
    }


def file_entry(path: Path, root: Path, rows: int, schema: Mapping[str, str], table: str, form: str) -> dict[str, Any]:
    """One line of `files`."""
    return {
        "path": path.relative_to(root).as_posix(),
        "rows": rows,
        "bytes": path.stat().st_size,
        "sha256": sha256(path),
        "schema": dict(schema),
        "table": table,
        "format": form,
    }


def name_of(path: Path, found: Mapping[str, Any]) -> str:
    """What a bundle is called on its pages: its title, or the folder's name in bundles that have none."""
    return str(found.get("publication", {}).get("title") or path.name.removesuffix(".bundle"))


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a bundle, or one sentence on why it is not one."""
    if not path.exists():
        raise BundleError(f"open: '{path.name}' does not exist. Check the path.")
    if path.is_dir() and (path / "manifest.json").is_symlink():
        raise BundleError(f"open: the manifest of '{path.name}' is a link. Get an intact copy.")
    if path.is_dir() and _would_not_end(path / "manifest.json"):
        raise BundleError(f"open: the manifest of '{path.name}' is no file. Get an intact copy.")
    try:
        found = parsed((path / "manifest.json").read_bytes())
    except FileNotFoundError:
        if (path / "custodian.json").exists():
            beside = path.name.removesuffix(".private") + ".bundle"
            raise BundleError(f"open: '{path.name}' is the custodian's folder. The bundle is '{beside}'.") from None
        raise BundleError(f"open: '{path.name}' is not a bundle; it has no manifest.json.") from None
    except NotADirectoryError:
        raise BundleError(f"open: '{path.name}' is a file; a bundle is a folder.") from None
    except (ValueError, OSError, RecursionError) as error:
        raise BundleError(f"open: the manifest of '{path.name}' cannot be read. Get an intact copy.") from error
    found = checked_manifest(found, path.name)
    odd = sum(_would_not_end(path / file["path"]) for file in (*found["files"], *found["pages"]))
    if odd:
        what = counted(odd, "pipe or device", "pipes or devices")
        raise BundleError(f"open: '{path.name}' holds {what} in place of files. Get an intact copy.")
    return found


def _would_not_end(path: Path) -> bool:
    """Whether to read a file could wait or go on for ever."""
    try:
        return path.exists() and not path.is_file() and not path.is_dir()
    except OSError:  # no file can have that name
        return False


def checked_manifest(found: Any, name: str) -> dict[str, Any]:
    """The one place where a manifest is checked against its schema."""
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BundleError(f"open: '{name}' is not in the format {FORMAT}; this version cannot read it.")
    missing = sorted(MANIFEST.keys() - found.keys())
    if missing:
        raise BundleError(f"open: the manifest of '{name}' lacks {', '.join(missing)}.")
    if leaves_the_folder(found):
        raise BundleError(f"open: the manifest of '{name}' points outside the bundle.")
    odd = malformed(found)
    if odd:
        raise BundleError(f"open: the manifest of '{name}' is not well-formed in {', '.join(odd)}. Get an intact copy.")
    strange = unknown_keys(found)
    if strange:
        raise BundleError(
            f"open: the manifest of '{name}' has {counted(len(strange), 'key')} that this version does not know "
            f"(first: {ascii(strange[0])[1:-1][:40]}). Use the version that wrote it, or get an intact copy."
        )
    twice = repeated_paths(found)
    if twice:
        raise BundleError(
            f"open: the manifest of '{name}' lists {counted(len(twice), 'file')} twice. Get an intact copy."
        )
    return found


def parsed(raw: bytes) -> Any:
    """JSON in which no key stands twice, no number is infinite and nothing is nested too deeply to be looked at."""
    stored = json.loads(
        raw.decode("utf-8"), object_pairs_hook=_once, parse_constant=_finite, parse_float=_finite, parse_int=_whole
    )
    layer, depth = [stored], 0
    while layer:
        depth += 1
        if depth > MOST_LEVELS:
            raise ValueError("it is nested too deeply")
        layer = [x for v in layer for x in (v.values() if isinstance(v, dict) else v if isinstance(v, list) else ())]
    json.dumps(stored, ensure_ascii=False).encode("utf-8")  # lone surrogates could not be printed
    return stored


MOST_LEVELS = 100


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is not finite")
    return number


def _whole(text: str) -> int:
    _finite(text)
    return int(text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key stands twice")
    return out

"""`NAME.bundle` and `NAME.private` appear together or not at all.

Both are written into one hidden stage beside their place, flushed, and swapped in back to back: the bundle first, then
the custodian's folder. Each swap is one rename, or one exchange of two names where something is replaced. If the second
fails, the first is undone. If the process is killed between them, the stage still holds the custodian's folder that
belongs to the new bundle: readers find it there by its `manifest_sha256`, and the next writer puts it in its place.

Nobody can clean up after SIGKILL or a power cut, so a stage may be left at any other moment too. It need not be cleared
at once, because nobody takes a stage for a publication: its name is hidden and its mode 0700, readers of folders and
the workbench pass over hidden names, the manifest is written only after the judge agreed, and `open` and `verify`
refuse what lies in a stage. `recover`, the first thing the next writer of the same name does, removes it.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sequester.bundle.lock import locked
from sequester.bundle.recognise import MARKED, MARKER, belongs_to, is_bundle, is_private, is_stage, manifest_digest
from sequester.errors import BundleError
from sequester.platform import close_to_others, exchange, fsync, put, signals_wait


def private_folder(bundle: Path) -> Path:
    """`NAME.bundle` → `NAME.private`."""
    return bundle.with_name(bundle.name.removesuffix(".bundle") + ".private")


def stage_of(bundle: Path) -> Path:
    """The hidden folder in which a bundle is made."""
    return bundle.with_name(f".{bundle.name}.stage")


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Two folders to fill; both are in place when the block ends well."""

    bundle: Path
    private: Path


def require_writable(target: Path) -> None:
    """Say before any work what would only show after it."""
    if not target.name or target.name == ".." or "\0" in str(target):
        raise BundleError("publish: ‹out=› must name the bundle to write, such as NAME.bundle.")
    if target.name.startswith("sequester.account") or target.name.endswith((".private", ".stage", ".lock", ".noise")):
        raise BundleError(
            f"publish: '{target.name}' is a name that sequester keeps for what is private. Choose one such as "
            "NAME.bundle."
        )
    try:
        target.name.encode("utf-8")
    except UnicodeEncodeError:
        raise BundleError("publish: ‹out=› is not UTF-8. Choose a name such as NAME.bundle.") from None
    above = list(target.absolute().parents)
    place = next(folder for folder in above if folder.exists())
    if not place.is_dir():
        raise BundleError(f"publish: '{target.name}' cannot be written: '{place.name}' is a file, not a folder.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise BundleError(f"publish: '{target.name}' cannot be written: no permission to write in '{place.name}'.")
    inside = next((folder for folder in above if is_bundle(folder) or is_private(folder)), None)
    if inside is not None:
        raise BundleError(
            f"publish: '{target.name}' cannot be written inside '{inside.name}': a bundle holds its own files only."
        )


def require_free(target: Path, *, overwrite: bool) -> None:
    """Refuse to touch what exists, unless asked to and unless it is ours."""
    beside = private_folder(target)
    for path, ours in ((target, is_bundle), (beside, is_private)):
        if path.is_symlink():
            raise BundleError(f"publish: '{path.name}' is a link; it will not be replaced. Choose another name.")
        if not path.exists():
            continue
        if not overwrite and path == target:
            raise BundleError(f"publish: '{path.name}' exists. Pass ‹overwrite=True› to replace it.")
        if not ours(path) and not (path.is_dir() and not any(path.iterdir())):
            raise BundleError(f"publish: '{path.name}' is not something sequester wrote; it will not be replaced.")
        if not overwrite:
            raise BundleError(
                f"publish: '{path.name}' exists without its bundle, which was moved or renamed. Move it there, or pass "
                "‹overwrite=True› to replace it."
            )


@contextmanager
def reserved(target: Path, *, overwrite: bool = False) -> Iterator[None]:
    """Nobody else writes `target` meanwhile, and what is there may be replaced: both are said before any work.

    Folders above it that were not there are made, and go again if nothing appears in them.
    """
    missing = [folder for folder in target.absolute().parents if not folder.exists()]
    with _sentences_for_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with locked(target):
            recover(target)
            require_free(target, overwrite=overwrite)
            yield
    finally:
        with suppress(OSError):  # the first that holds something ends it
            for folder in missing:
                folder.rmdir()


@contextmanager
def staged(target: Path) -> Iterator[Stage]:
    """Two empty folders that become `target` and its custodian's folder when the block ends well.

    Only for whoever has it `reserved`. A private folder that is left empty is not put in place; one that belongs to
    what is replaced goes with it.
    """
    folder = stage_of(target)
    with _sentences_for_errors(target) as progress:
        try:
            _new_stage(folder)
            stage = Stage(bundle=folder / "bundle", private=folder / "private")
            stage.bundle.mkdir()
            stage.private.mkdir(mode=0o700)
            yield stage
            close_to_others(stage.private)
            flush(folder)
            with signals_wait():
                _swap_both(stage, target)
                progress.written = True
                FINISHED.append(target.name)
            fsync(target.parent)
        finally:
            # A second Ctrl-C, or a request to end while an error unwinds, would leave what is half removed.
            with signals_wait():
                _remove(folder)


def recover(target: Path) -> None:
    """Finish or undo what a kill left of an earlier writer. Only for whoever holds the lock."""
    folder, beside = stage_of(target), private_folder(target)
    if not folder.exists():
        return
    if not is_stage(folder):
        raise BundleError(f"publish: '{folder.name}' is in the way and is not something sequester wrote. Move it away.")
    aside, aside_private = folder / "old-bundle", folder / "old-private"
    if not target.exists() and is_bundle(aside):
        put(aside, target)  # the old one had stepped aside; the new one had not come yet
    now = manifest_digest(target)
    for found in (folder / "private", aside_private):
        if not found.is_dir() or belongs_to(beside) == now is not None:
            continue
        if belongs_to(found) == now is not None or (now is None and not beside.exists() and _orphan(found, folder)):
            close_to_others(found)
            if beside.exists():
                _exchange_or_step_aside(found, beside, folder / "lost-private")
            else:
                put(found, beside)
    left, replaced = belongs_to(beside), (manifest_digest(folder / "bundle"), manifest_digest(aside))
    if now is not None and left not in (None, now) and left in replaced:
        put(beside, folder / "gone-private")  # it belongs to a bundle that was replaced
    if not (now is None and _orphan(folder / "private", folder)):
        _remove(folder)
    else:
        raise BundleError(
            f"publish: '{folder.name}' holds the custodian's folder of a bundle that was moved or renamed, and "
            f"'{beside.name}' another one. Move both to their bundles."
        )


def private_of(bundle: Path) -> Path:
    """The custodian's folder that belongs to a bundle, also where a kill left it in the stage. Only looks."""
    beside, now = private_folder(bundle), manifest_digest(bundle)
    if now is not None and belongs_to(beside) != now and is_stage(stage_of(bundle)):
        for name in ("private", "old-private"):
            if belongs_to(stage_of(bundle) / name) == now:
                return stage_of(bundle) / name
    return beside


def flush(folder: Path) -> None:
    """Everything below `folder` is on the disk."""
    for path in sorted(folder.rglob("*"), reverse=True):
        fsync(path)
    fsync(folder)


def write_whole(path: Path, content: str | bytes, *, private: bool = False, new: bool = False) -> None:
    """Write a file at once: a reader sees the old one or the new one, and a link at its place is never followed.

    A `new` one is written only where there is none: of two writers the first one's stays.
    """
    with signals_wait():  # one that came right after the name was made would leave it there
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                if not private:
                    Path(name).chmod(0o666 & ~_umask())
                file.write(content.encode("utf-8") if isinstance(content, str) else content)
                file.flush()
                os.fsync(file.fileno())
            if new:
                with suppress(FileExistsError):
                    os.link(name, path)
            else:
                put(Path(name), path)
        finally:
            with suppress(OSError):
                Path(name).unlink(missing_ok=True)
        fsync(path.parent)


def spare(who: str, path: Path) -> None:
    """Refuse to put a page in the place of a file that is none: a mistyped name would cost somebody's data."""
    if path.is_file() and not path.is_symlink() and path.stat().st_size:
        with path.open("rb") as file:
            if not file.read(15).lower().startswith(b"<!doctype html"):
                raise BundleError(f"{who}: '{path.name}' exists and is no HTML page. Choose another name.")


FINISHED: list[str] = []
"""Bundles that this process has put in place: whoever ends it later, at whatever moment, says so."""


@dataclass
class _Progress:
    written: bool = False


@contextmanager
def _sentences_for_errors(target: Path) -> Iterator[_Progress]:
    """What the system refuses becomes a sentence that says what is on the disk now."""
    progress = _Progress()
    try:
        yield progress
    except OSError as error:
        what = error.strerror or type(error).__name__
        if progress.written:
            raise BundleError(
                f"publish: '{target.name}' was written, but the system reported an error afterwards ({what}). Verify "
                "it before you hand it out."
            ) from error
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise BundleError(
                f"publish: the disk is full; '{target.name}' was not written and nothing was lost. Free some space."
            ) from error
        raise BundleError(f"publish: '{target.name}' cannot be written ({what}). Check the folder.") from error
    except KeyboardInterrupt as error:
        if progress.written:
            error.published = (target.name,)  # type: ignore[attr-defined]
        raise


def _new_stage(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    close_to_others(folder)
    (folder / MARKER).write_text(MARKED, "utf-8")


def _swap_both(stage: Stage, target: Path) -> None:
    folder, beside = stage.bundle.parent, private_folder(target)
    undo = _swap_in(stage.bundle, target, folder / "old-bundle")
    try:
        if any(stage.private.iterdir()):
            _swap_in(stage.private, beside, folder / "old-private")
        elif beside.exists():
            put(beside, folder / "old-private")
    except BaseException:
        for source, goal in undo:
            _move(source, goal)
        raise


def _swap_in(new: Path, place: Path, aside: Path) -> list[tuple[Path, Path]]:
    """Put `new` in its place; returns the moves that undo it."""
    if not place.exists():
        put(new, place)
        return [(place, new)]
    if exchange(new, place):
        return [(place, new)]  # an exchange undoes itself
    put(place, aside)
    try:
        put(new, place)
    except BaseException:
        put(aside, place)
        raise
    return [(place, new), (aside, place)]


def _move(source: Path, goal: Path) -> None:
    if not (goal.exists() and exchange(source, goal)):
        put(source, goal)


def _exchange_or_step_aside(a: Path, b: Path, aside: Path) -> None:
    if not exchange(a, b):
        put(b, aside)
        put(a, b)


def _orphan(private: Path, folder: Path) -> bool:
    """Whether a staged custodian's folder belongs to a bundle that had been put in place and is not there any more."""
    return belongs_to(private) is not None and not (folder / "bundle").exists()


def _remove(folder: Path) -> None:
    """The stage goes, its mark last: what a kill leaves of it is still known as ours."""
    if not is_stage(folder):
        return
    for path in folder.iterdir():
        if path.name != MARKER:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() and not path.is_symlink() else path.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _umask() -> int:
    # Asking sets it: put it back at once.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask

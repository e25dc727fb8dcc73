"""What is checked of every bundle, whatever it promises: its files, and that its promise is the method's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sequester.errors import SequesterError

if TYPE_CHECKING:
    from sequester.query.bundle import Bundle
    from sequester.release import Check


def checksums(bundle: Bundle) -> Check:
    """Every file is the one the manifest vouches for, and there is no other."""
    from sequester.release import Check

    changed, extra = bundle.changed_files(), bundle.unlisted_files()
    detail = f"{len(changed)} of {len(bundle.listed())} files differ from the manifest, {len(extra)} are not in it"
    return Check(name="checksums", passed=not changed and not extra, detail=detail)


def same_promise(bundle: Bundle) -> Check:
    """The manifest's promise is the one its method makes with these parameters: nobody may write a better one."""
    from sequester.bundle.manifest import told_promise
    from sequester.methods import method_class
    from sequester.release import Check

    told = bundle.manifest
    try:
        method = method_class(told["method"]["id"]).from_parameters(told["method"]["parameters"])
        promise = method.guarantee
        wanted = told_promise(promise, teaching_only=bool(told.get("teaching_only")))
        odd = sorted(key for key in wanted if told["guarantee"].get(key) != wanted[key])
        odd += ["kind"] if told["kind"] != method.accepts.kind else []  # type: ignore[attr-defined]
    except (SequesterError, TypeError) as error:
        return Check(
            name="promise",
            passed=False,
            detail=f"the method and its parameters make no promise ({type(error).__name__})",
        )
    detail = f"{', '.join(odd)} differ from what the method promises" if odd else "it is what the method promises"
    return Check(name="promise", passed=not odd, detail=detail)

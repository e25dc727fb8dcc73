"""What every page needs: the project, the store, the queue, and how a page is made."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

import sequester as sq
from sequester import _shell
from sequester.platform import close_to_others
from sequester.workbench.forms import refusal, shown
from sequester.workbench.jobs import Queue
from sequester.workbench.places import Project
from sequester.workbench.store import DONE, RUNNING, WAITING, Store
from sequester.workbench.tongue import translated

UNDER_WAY = (RUNNING, WAITING)
STEPS = (("", "Open"), ("/assess", "Assess"), ("/choose", "Choose"), ("/explore", "Explore"), ("/publish", "Publish"))
"""The way of a source, as the page shows it."""
UPLOADS = "uploads"
WORDS = {
    "inspect": "Look at the source", "assess": "Assess", "sweep": "Compute settings", "look": "Original beside release",
    "publish": "Publish",
    "read": "Verify and draw a bundle", "query": "Ask a bundle",
    "check": "Compare with the original",
}  # fmt: skip


class Bench:
    """One running workbench."""

    def __init__(self, root: Path, *, upload_bytes: int) -> None:
        self.project = Project(root)
        self.store = Store(self.project.root)
        self.queue = Queue(self.store, self._finished)
        self.upload_bytes = upload_bytes
        self.language = ""
        """Language of notes to label, where the command line named it."""
        self.uploads = self.store.folder / UPLOADS
        self.uploads.mkdir(mode=0o700, exist_ok=True)
        close_to_others(self.uploads)
        self.pages = jinja2.Environment(
            loader=jinja2.PackageLoader("sequester.workbench", "templates"),
            autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self.pages.globals.update(words=WORDS, steps=STEPS, under_way=UNDER_WAY)
        self.pages.globals.update(tongues=_shell.TONGUES, tongue=_shell.language)
        self.pages.filters["value"] = shown
        self.pages.filters["number"] = _shell.shown
        self.pages.filters["count"] = _shell.count
        self.pages.filters["called"] = _shell.called
        self.pages.filters["coded"] = _shell.coded
        self.pages.filters["command"] = _shell.unbroken

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page from a template. Only markup made by the library's own pages is taken as it is."""
        jobs = self.store.jobs()
        active = [j for j in jobs if j["state"] in UNDER_WAY]
        fields = {"active": active, "watched": [], "problem": "", "source": None, **values}
        return HTMLResponse(translated(self.pages.get_template(template).render(**fields)), status_code=status)

    def problem(self, error: sq.SequesterError | str, *, status: int = 400, back: str = "/") -> HTMLResponse:
        """A page with one sentence: what was asked, what was found, what to do."""
        says = error if isinstance(error, str) else refusal(error)
        return self.page("problem.html", status=status, says=says, back=back)

    def source(self, request: Request) -> dict[str, Any]:
        """The source that an address names."""
        found = self.store.source(int(request.path_params["source"]))
        if found is None:
            raise HTTPException(404, "This source is not on the list any more.")
        return found

    def job(self, number: int) -> dict[str, Any]:
        """The job of a number."""
        found = self.store.job(number)
        if found is None:
            raise HTTPException(404, "This job is not on the list any more.")
        return found

    def latest(self, source: int, what: str) -> dict[str, Any] | None:
        """The newest job of a sort."""
        return next(reversed(self.store.jobs(source, what)), None)

    def of_reading(self, source: Mapping[str, Any], what: str) -> list[dict[str, Any]]:
        """The jobs of a sort that read the source as it is read now: figures of another reading are not comparable."""
        now = [source["kind"], source["roles"]]
        return [
            j for j in self.store.jobs(source["source"], what) if [j["settings"][n] for n in ("kind", "roles")] == now
        ]

    def pictures(self, job: Mapping[str, Any] | None) -> Markup:
        """The drawings of a finished job: cleaned and escaped when they were made."""
        return Markup(self.store.pictures(job["job"])) if job and job["state"] == DONE else Markup("")

    def settings(self, source: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        """The settings of a job on a source."""
        return {"root": str(self.project.root), "path": source["path"], "kind": source["kind"],
                "roles": source["roles"], "spoken": _shell.language(), **more}  # fmt: skip

    def account(self) -> dict[str, Any] | None:
        """What the account of the project says; None where there is none."""
        try:
            account = sq.open_account(self.project.root)
            return {
                "entries": account.entries(), "limit": account.limit(),
                "spent": "; ".join(words for _, words in account.spent_apart()) or "nothing",
            }  # fmt: skip
        except (sq.SequesterError, OSError):
            return None

    def upload_folder(self) -> Path:
        """A fresh folder for an upload."""
        return Path(tempfile.mkdtemp(prefix=datetime.now(UTC).strftime("%Y%m%d-%H%M%S-"), dir=self.uploads))

    def forget(self, source: Mapping[str, Any]) -> None:
        """Take a source off the list; what was uploaded for it is deleted, the project's own files are not."""
        folder = self.uploaded(source)
        self.store.forget_source(source["source"])
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def uploaded(self, source: Mapping[str, Any]) -> Path | None:
        """The folder that holds what was uploaded for a source; None for a file of the project."""
        path, uploads = (self.project.root / source["path"]).resolve(), self.uploads.resolve()
        return self.uploads / path.relative_to(uploads).parts[0] if uploads in path.parents else None

    def close(self) -> None:
        """End what runs."""
        self.queue.close()

    def _finished(self, job: Mapping[str, Any]) -> None:
        """A source is read as its inspection found it."""
        if job["what"] == "inspect" and job["source"]:
            found = job["result"]
            kind = found.get("kind") or ""
            self.store.change_source(job["source"], kind=kind, roles=found.get("roles", {}), found=found)


def go(where: str) -> Response:
    """On to another page, after something was done."""
    return RedirectResponse(where, status_code=303)

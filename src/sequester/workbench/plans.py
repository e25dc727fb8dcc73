"""A publication plan, opened, edited and saved: the file that `sequester run` carries out."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

import sequester as sq
from sequester import _shell
from sequester.workbench import commands
from sequester.workbench.bench import Bench, go
from sequester.workbench.explores import _release, setting_of
from sequester.workbench.places import file_name, is_plan
from sequester.workbench.sources import _readable
from sequester.workbench.store import DONE


def pages(bench: Bench) -> dict[str, Any]:
    """Handlers by name."""

    def shown(name: str, opened: str, text: str, status: int = 200, **found: Any) -> Response:
        told = {"wrong": "", "sound": "", "problems": [], "download": "", "source": None, "step": "/explore", **found}
        return bench.page(
            "plan.html", status=status, name=name, opened=opened, text=text, **told,
            again=commands.run_line(opened) if opened else "",
        )  # fmt: skip

    async def show(request: Request) -> Response:
        """A plan of the folder as text; without a name, one of everything that was published here."""
        name = request.query_params.get("name", "")
        if not name:
            return shown("plan.toml", "", _published(bench), download="/plan.toml")
        path = _plan_at(bench, name)
        found = await run_in_threadpool(_checked, path) if request.query_params.get("check") else {}
        return shown(name, name, path.read_text("utf-8", "replace"), **found)

    async def of_setting(request: Request) -> Response:
        """The plan of one setting, as text on a page or as a file."""
        source = _readable(bench.source(request))
        setting = request.query_params.get("setting")
        if request.url.path.endswith(".toml"):
            return _as_file(_of(bench, source, setting))
        place = f"/source/{source['source']}/plan.toml?setting={setting}"
        return shown("plan.toml", "", _of(bench, source, setting), download=place, source=source)

    async def save(request: Request) -> Response:
        """Write the text into the folder, and check it whole as `sequester run --check` does."""
        form = await request.form()
        opened, asked = str(form.get("opened") or ""), str(form.get("name") or "").strip()
        text = "\n".join(str(form.get("text") or "").splitlines()) + "\n"
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            return shown(asked, opened, text, 400, wrong=f"This is no TOML: {error}. Nothing was saved.")
        if opened and asked == opened:
            path = _plan_at(bench, opened)
        else:
            path = bench.project.root / f"{file_name(asked).removesuffix('.toml')}.toml"
            if path.exists() or path.is_symlink():
                taken = f"There is a file '{path.name}' already. Open that one, or choose another name."
                return shown(asked, opened, text, 400, wrong=taken)
        path.write_text(text, "utf-8")
        return go("/plan?" + urlencode({"name": bench.project.name_of(path), "check": "yes"}))

    async def download(request: Request) -> Response:
        return _as_file(_published(bench))

    return {"show": show, "of_setting": of_setting, "save": save, "download": download}


def _plan_at(bench: Bench, name: str) -> Path:
    path = bench.project.find(name)
    if path is None or not is_plan(path):
        raise HTTPException(404, "There is no such plan in the folder of the workbench.")
    return path


def _checked(path: Path) -> dict[str, Any]:
    """What the plan would promise, or every problem of it; bundles that exist are no problem of the plan."""
    try:
        return {"sound": str(sq.read_plan(path, overwrite=True))}
    except sq.SequesterError as error:
        return {"problems": _shell.spelled(error, _shell.as_key).splitlines()}


def _of(bench: Bench, source: dict[str, Any], setting: str | None) -> str:
    row = setting_of(bench, source, setting)
    return commands.plan_text(source["path"].split("/")[-1], [(source, _release(source, row))])


def _published(bench: Bench) -> str:
    """Everything published here, as one plan."""
    releases: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for job in bench.store.jobs(what="publish"):
        source = bench.store.source(job["source"])
        if job["state"] == DONE and source is not None:
            same = [at for at, (_, asked) in enumerate(releases) if asked["out"] == job["settings"]["out"]]
            for at in same:  # made again since: the later one counts
                releases.pop(at)
            releases.append((job["settings"], job["settings"]))
    if not releases:
        raise sq.InputError("Nothing was published here yet; a plan holds what was published.")
    return commands.plan_text(bench.project.root.name, releases)


def _as_file(text: str) -> Response:
    return PlainTextResponse(text, headers={"Content-Disposition": 'attachment; filename="plan.toml"'})

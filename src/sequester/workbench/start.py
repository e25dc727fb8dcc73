"""The first page: open data, read a bundle, go on where you left off; and the queue."""

from __future__ import annotations

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

import sequester as sq
from sequester import _shell
from sequester.workbench.bench import UNDER_WAY, Bench, go
from sequester.workbench.places import file_name, is_bundle
from sequester.workbench.store import numbered
from sequester.workbench.tongue import COOKIE
from sequester.workbench.uploads import receive

LOOK_SECONDS = 0.25
"""How often the store is looked at while a page waits for progress."""


def pages(bench: Bench) -> dict[str, Any]:
    """Handlers by name."""

    async def start(request: Request) -> Response:
        below = request.query_params.get("in", "")
        if below and bench.project.find(below) is None:
            raise HTTPException(404, "There is no such folder.")
        sources = [s for s in bench.store.sources() if s["kind"] != "bundle"]
        tried: dict[int, int] = {}
        for job in bench.store.jobs(what="sweep"):
            tried[job["source"]] = tried.get(job["source"], 0) + len(job["settings"]["grid"])
        parent = "/".join(below.split("/")[:-1])
        return bench.page(
            "start.html", places=bench.project.offered(below), below=below, parent=parent, sources=sources, tried=tried,
            bundles=bench.project.bundles(), folder=bench.project.root.name, limit=bench.upload_bytes,
            account=bench.account(), kinds=sq.KINDS,
        )  # fmt: skip

    def opened(path: Path, name: str, kind: str | None) -> Response:
        if is_bundle(path):
            number = bench.store.source_at(name) or bench.store.add_source(name, "bundle", {}, {})
            return go(f"/bundle/{number}")
        number = bench.store.add_source(name, kind or "", {}, {})
        roles: dict[str, Any] = {"root": str(bench.project.root), "path": name, "kind": kind, "roles": {}}
        bench.queue.submit(number, "inspect", roles)
        return go(f"/source/{number}")

    async def open_place(request: Request) -> Response:
        form = await request.form()
        name = str(form.get("name") or "")
        path = bench.project.find(name)
        if path is None:
            raise sq.InputError("There is no such file in the folder of the workbench. Choose one from the list.")
        return opened(path, bench.project.name_of(path), _kind(form.get("kind")))

    async def upload(request: Request) -> Response:
        files, fields = await receive(request, bench.upload_folder(), bench.upload_bytes)
        path = files[0] if len(files) == 1 else _together(files)
        if len(files) == 1 and path.suffix.lower() == ".zip" and _holds_bundle(path):
            path = path.rename(path.with_name(f"{path.stem.removesuffix('.bundle')}.bundle.zip"))
        return opened(path, path.relative_to(bench.project.root).as_posix(), _kind(fields.get("kind")))

    async def jobs(request: Request) -> Response:
        roles = bench.store.jobs()
        names = {s["source"]: s["path"].split("/")[-1] for s in bench.store.sources()}
        waiting = [j["job"] for j in roles if j["state"] == "waiting"]
        watched = [j["job"] for j in roles if j["state"] in UNDER_WAY]
        return bench.page("jobs.html", jobs=list(reversed(roles))[:200], names=names, waiting=waiting, watched=watched)

    async def stop(request: Request) -> Response:
        job = bench.job(int(request.path_params["job"]))
        await run_in_threadpool(bench.queue.stop, job["job"])
        form = await request.form()
        return go(_back(form.get("back"), "/jobs"))

    async def ask_forget(request: Request) -> Response:
        """What would go, before it goes."""
        source = bench.source(request)
        jobs = bench.store.jobs(source["source"])
        running = sum(j["state"] in UNDER_WAY for j in jobs)
        return bench.page("forget.html", source=source, jobs=len(jobs), running=running, step="",
                          uploaded=bench.uploaded(source) is not None)  # fmt: skip

    async def forget(request: Request) -> Response:
        source = bench.source(request)
        for job in bench.store.jobs(source["source"]):
            if job["state"] in UNDER_WAY:
                await run_in_threadpool(bench.queue.stop, job["job"])
        bench.forget(source)
        return go("/")

    async def language(request: Request) -> Response:
        """The pages in another language, from now on."""
        back = request.headers.get("referer", "").partition(request.headers.get("host", "\0"))[2]
        answer = go(_back(back, "/"))
        if request.path_params["language"] in _shell.TONGUES:
            answer.set_cookie(COOKIE, request.path_params["language"], samesite="strict", path="/", httponly=True)
        return answer

    async def events(request: Request) -> Response:
        roles = request.query_params.get("jobs", "")
        numbers = [n for n in map(numbered, roles.split(",")[:100]) if n is not None]

        async def lines() -> AsyncIterator[str]:
            last: dict[int, Any] = {}
            while not await request.is_disconnected():
                for number in numbers:
                    job = bench.store.job(number)
                    if job is None:
                        continue
                    words, before = job["said"], bench.queue.place(number)
                    if job["state"] == "waiting":
                        words = f"waits for its turn, {before or 0} before it"
                    now = {"job": number, "state": job["state"], "done": round(job["done"], 3),
                           "said": _shell.said(words), "before": before}  # fmt: skip
                    if last.get(number) != now:
                        last[number] = now
                        yield f"data: {json.dumps(now)}\n\n"
                if all(job["state"] not in UNDER_WAY for job in last.values()):
                    yield "event: over\ndata: {}\n\n"
                    return
                await asyncio.sleep(LOOK_SECONDS)

        return StreamingResponse(lines(), media_type="text/event-stream")

    return {
        "start": start, "open": open_place, "upload": upload, "jobs": jobs, "stop": stop, "forget": forget,
        "ask_forget": ask_forget, "language": language, "events": events,
    }  # fmt: skip


def _together(files: list[Path]) -> Path:
    """Several dropped files as one folder, with a name that says which they are."""
    more = len(files) - 1
    folder = files[0].parent / file_name(f"{files[0].stem} and {more} more")
    folder.mkdir(mode=0o700)
    for one in files:
        one.rename(folder / one.name)
    return folder


def _kind(form: Any) -> str | None:
    return str(form) if form in sq.KINDS else None


def _back(form: Any, otherwise: str) -> str:
    """Only a way within the workbench."""
    where = str(form or "")
    return where if where.startswith("/") and not where.startswith("//") and "\\" not in where else otherwise


def _holds_bundle(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.split("/")[-1] == "manifest.json" for name in archive.namelist())
    except (zipfile.BadZipFile, OSError):
        return False

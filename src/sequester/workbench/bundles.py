"""Read: a bundle somebody sent, or one of our own. Verify it, look at it, ask it, hand it on."""

from __future__ import annotations

import csv
import io
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

import sequester as sq
from sequester import _shell
from sequester.workbench import commands
from sequester.workbench.bench import UNDER_WAY, Bench, go
from sequester.workbench.choosing import GRADES
from sequester.workbench.guard import SEALED_POLICY
from sequester.workbench.store import DONE, numbered
from sequester.workbench.work import CHECKS

RANGES = 3
"""Ranges that can be asked for at once."""
DISCLOSED = {"use": "how far the release is from the original", "attacks": "what each attack achieved"}
"""What a custodian may tell readers, in a public report beside the bundle."""
MOST_TARGETS = 100_000
"""People an attack may be tried on."""
MOST_REPORT_BYTES = 50_000_000
"""Reports of ours have a few megabytes."""


def pages(bench: Bench) -> dict[str, Any]:
    """Handlers by name."""

    def bundle_of(request: Request) -> tuple[dict[str, Any], Path]:
        given = bench.source(request)
        path = bench.project.root / given["path"]
        if given["kind"] != "bundle" or not path.exists():
            raise HTTPException(404, "This bundle is not there any more.")
        return given, path

    def start_reading(given: dict[str, Any], path: Path) -> None:
        bench.queue.submit(given["source"], "read", bench.settings(given, stamp=_stamp(path)))

    async def show(request: Request) -> Response:
        given, path = bundle_of(request)
        job = bench.latest(given["source"], "read")
        stale = job is not None and job["state"] == "done" and job["settings"]["stamp"] != _stamp(path)
        if job is None or stale or job["state"] in ("unfinished", "stopped"):
            start_reading(given, path)
            job = bench.latest(given["source"], "read")
        assert job is not None
        asked = request.query_params.get("answer", "")
        number = numbered(asked)
        answer = bench.latest(given["source"], "query") if number is None else bench.store.job(number)
        if answer is not None and (answer["source"] != given["source"] or answer["what"] != "query"):
            answer = None
        checked = bench.latest(given["source"], "check")
        watched = [j["job"] for j in (job, answer, checked) if j and j["state"] in UNDER_WAY]
        result = job["result"] or {}
        originals = [s for s in bench.store.sources() if s["kind"] and s["kind"] == result.get("kind")]
        made = {j["source"] for j in bench.store.jobs(what="publish") if j["settings"]["out"] == given["path"]}
        originals.sort(key=lambda s: s["source"] not in made)  # what it was made from stands first
        return bench.page(
            "bundle.html", bundle=given, name=path.name, job=job, result=result, pictures=bench.pictures(job),
            answer=answer, watched=watched, originals=originals, checked=checked, checks_made=bench.pictures(checked),
            ranges=range(RANGES), grades=GRADES,
            formats=sq.LAYOUTS[result["layout"]].copies if "layout" in result else (),
            private=_private(path).is_file(), disclosed=DISCLOSED, again=commands.verify_line(given["path"]),
            asked_again=commands.query_line(given["path"], answer["settings"]["asked"]) if answer else "",
        )  # fmt: skip

    async def verify(request: Request) -> Response:
        given, path = bundle_of(request)
        start_reading(given, path)
        return go(f"/bundle/{given['source']}")

    async def ask(request: Request) -> Response:
        given, _ = bundle_of(request)
        form = await request.form()
        asked = _question({str(k): str(v) for k, v in form.items()})
        job = bench.queue.submit(given["source"], "query", bench.settings(given, asked=asked))
        return go(f"/bundle/{given['source']}?answer={job}#answer")

    async def check(request: Request) -> Response:
        """Verify beside the original, attack with more targets, or measure again."""
        given, _ = bundle_of(request)
        form = await request.form()
        number, how = numbered(str(form.get("original") or "")), str(form.get("how") or "")
        source = bench.store.source(number) if number is not None else None
        read = (bench.latest(given["source"], "read") or {}).get("result")
        if source is None or how not in CHECKS or not read or source["kind"] != read["kind"]:
            raise sq.InputError(
                "Choose the source this release was made from. Open it on the first page if it is missing."
            )
        sample = numbered(str(form.get("sample") or "300")) or 0
        if not 1 <= sample <= MOST_TARGETS:
            raise sq.InputError(f"Targets must lie in 1..{MOST_TARGETS:,}.")
        asked = bench.settings(source, bundle=given["path"], how=how, sample=sample, method=read["method"],
                               parameters=read["parameters"])  # fmt: skip
        bench.queue.submit(given["source"], "check", asked)
        return go(f"/bundle/{given['source']}#checked")

    async def answer(request: Request) -> Response:
        """An answer as a CSV file."""
        given, _ = bundle_of(request)
        job = bench.job(int(request.path_params["job"]))
        if job["source"] != given["source"] or job["what"] != "query" or job["state"] != DONE:
            raise HTTPException(404, "This answer is not on the list any more.")
        text = io.StringIO()
        csv.writer(text).writerows([job["result"]["columns"], *map(_harmless, job["result"]["rows"])])
        return PlainTextResponse(text.getvalue(), media_type="text/csv",
                                 headers={"Content-Disposition": 'attachment; filename="answer.csv"'})  # fmt: skip

    async def report(request: Request) -> Response:
        _, path = bundle_of(request)
        chosen = request.query_params.getlist("disclose")
        if chosen:
            return await run_in_threadpool(_sealed, path / "report.html", _private(path).parent, chosen)
        if path.is_dir():
            return await run_in_threadpool(_sealed, path / "report.html", path)
        text = await run_in_threadpool(_report_in, path)
        return HTMLResponse(text, headers={"Content-Security-Policy": SEALED_POLICY})

    async def custodian(request: Request) -> Response:
        _, path = bundle_of(request)
        return await run_in_threadpool(_sealed, _private(path), _private(path).parent)

    async def download(request: Request) -> Response:
        _, path = bundle_of(request)
        if path.is_file():
            return FileResponse(path, media_type="application/zip", filename=path.name)
        packed = await run_in_threadpool(_zipped, path, bench.uploads)
        return FileResponse(packed, media_type="application/zip", filename=f"{path.name}.zip",
                            background=BackgroundTask(packed.unlink, missing_ok=True))  # fmt: skip

    async def export(request: Request) -> Response:
        """The tables in another format, as one archive: copies for a reader, beside the bundle and never in it."""
        _, path = bundle_of(request)
        form = request.path_params["form"]
        packed = await run_in_threadpool(_copies, path, form, bench.uploads)
        name = f"{path.name.removesuffix('.zip')}.{form}.zip"
        return FileResponse(packed, media_type="application/zip", filename=name,
                            background=BackgroundTask(packed.unlink, missing_ok=True))  # fmt: skip

    async def sign(request: Request) -> Response:
        """Sign; the key is read where it lies, and its passphrase is kept nowhere."""
        given, path = bundle_of(request)
        form = await request.form()
        key = str(form.get("key") or "").strip()
        if not key:
            raise sq.InputError("Name the file of your private key, such as ~/.ssh/id_ed25519.")
        place = bench.project.root / Path(key).expanduser()
        await run_in_threadpool(sq.sign, path, place, passphrase=lambda: str(form.get("passphrase") or ""))
        start_reading(given, path)
        return go(f"/bundle/{given['source']}#signed-h")

    return {"check": check, "answer": answer, "show": show, "verify": verify, "ask": ask, "report": report,
            "custodian": custodian, "download": download, "export": export, "sign": sign}  # fmt: skip


def _harmless(row: list[str]) -> list[str]:
    """Cells that a spreadsheet would take for formulas are quoted by a sign it shows."""
    return [f"'{cell}" if cell[:1] in "=+@\t\r" else cell for cell in row]


def _report_in(archive_path: Path) -> str:
    """The report of a bundle in a ZIP file, which may come from anybody."""
    try:
        with zipfile.ZipFile(archive_path) as archive:
            name = next((n for n in archive.namelist() if n.split("/")[-1] == "report.html"), None)
            if name is not None:
                with archive.open(name) as file:  # what the archive says about its size need not be true
                    raw = file.read(MOST_REPORT_BYTES + 1)
                if len(raw) <= MOST_REPORT_BYTES:
                    return raw.decode("utf-8", "replace")
                raise HTTPException(413, "The report in this bundle is too large to be shown.")
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise HTTPException(404, "The report in this bundle cannot be read.") from error
    raise HTTPException(404, "This bundle has no report.")


def _private(bundle: Path) -> Path:
    return bundle.with_name(bundle.name.removesuffix(".bundle") + ".private") / "report.html"


def _sealed(path: Path, made_from: Path, disclose: Sequence[str] = ()) -> Response:
    """A page that others may have made: shown, and nothing more; in another language it is written anew."""
    if path.is_symlink() or not path.is_file():
        raise HTTPException(404, "There is no such report.")
    if _shell.language() != "en" or disclose:
        with tempfile.TemporaryDirectory() as place:
            out = sq.report(made_from, Path(place) / path.name, language=_shell.language(), disclose=disclose)
            text = out.read_text("utf-8")
        return HTMLResponse(text, headers={"Content-Security-Policy": SEALED_POLICY})
    return HTMLResponse(path.read_text("utf-8", "replace"), headers={"Content-Security-Policy": SEALED_POLICY})


def _stamp(path: Path) -> int:
    """Changes when the bundle does."""
    return (path / "manifest.json" if path.is_dir() else path).stat().st_mtime_ns


def _zipped(folder: Path, into: Path) -> Path:
    """The files that the manifest lists, and the manifest, in one archive; the private folder stays where it is."""
    opened = sq.open_bundle(folder)
    listed = [*(f["path"] for f in opened.manifest["files"]), *(p["path"] for p in opened.manifest.get("pages", ()))]
    names = dict.fromkeys(["manifest.json", *_shell.SEAL, "datapackage.json", "report.html", *listed])
    return _archive(folder, names, into)


def _copies(bundle: Path, form: str, into: Path) -> Path:
    """What the bundle would hold besides, had it been published with that format."""
    opened: Any = sq.open_bundle(bundle)
    if form not in sq.LAYOUTS[opened.layout].copies:
        raise HTTPException(404, "This release cannot be written in that format.")
    with tempfile.TemporaryDirectory(dir=into) as place:
        folder = Path(place) / f"{bundle.name.partition('.')[0]}-{form}"
        folder.mkdir()
        release: Any = SimpleNamespace(tables=opened.tables, formats={}, layout=opened.layout)
        files = _shell.write_tables(release, folder, _shell.protected_by(opened.manifest), also=(form,))
        return _archive(folder, [f["path"] for f in files if f.get("copy") and f["format"] == form], into)


def _archive(folder: Path, names: Iterable[str], into: Path) -> Path:
    handle, place = tempfile.mkstemp(suffix=".zip", dir=into)
    with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            if (folder / name).is_file():
                archive.write(folder / name, f"{folder.name}/{name}")
    return Path(place)


def _question(form: dict[str, str]) -> dict[str, Any]:
    how = form.get("how")
    if how == "sql":
        if not form.get("sql", "").strip():
            raise sq.InputError("Write a SELECT first.")
        return {"how": "sql", "sql": form["sql"].strip()}
    if how == "next":
        return {"how": "next", "context": form.get("context", "").strip()}
    where = []
    for i in range(RANGES):
        name, low, high = (form.get(f"{part}{i}", "").strip() for part in ("time", "low", "high"))
        if not name:
            continue
        try:
            where.append([name, float(low), float(high)])
        except ValueError:
            raise sq.InputError(f"The range of '{name}' needs two numbers, from and to.") from None
    if not where:
        raise sq.InputError("Choose at least one time and its range.")
    return {"how": "ranges", "where": where}

"""The workbench as a web application on this machine, and how it is started."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

import sequester as sq
from sequester.workbench import bundles, explores, labels, plans, publishes, sources, start
from sequester.workbench.bench import Bench
from sequester.workbench.guard import Guard, Keys
from sequester.workbench.tongue import Tongue

UPLOAD_BYTES = 2_000_000_000
"""Larger files are opened in place: copy them into the folder."""
HERE = "127.0.0.1"


class Number(IntegerConvertor):
    """A number that the store can hold; one of more digits names nothing."""

    regex = "[0-9]{1,19}"


register_url_convertor("number", Number())


def create(bench: Bench, keys: Keys, hosts: frozenset[str]) -> ASGIApp:
    """The application behind its guard."""
    first, one, trial, card, read, label, plan = (
        m.pages(bench) for m in (start, sources, explores, publishes, bundles, labels, plans)
    )

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, sq.SequesterError)
        back = request.headers.get("referer", "")
        path = back.partition(request.headers.get("host", "\0"))[2] or "/"
        return bench.problem(error, back=path if path.startswith("/") and not path.startswith("//") else "/")

    async def missing(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return bench.problem(
            "There is no such page." if error.detail == "Not Found" else error.detail, status=error.status_code
        )

    async def broken(request: Request, error: Exception) -> Response:
        return bench.problem(f"This page failed unexpectedly ({type(error).__name__}).", status=500)

    @contextlib.asynccontextmanager
    async def life(_app: Starlette) -> AsyncIterator[None]:
        yield
        bench.close()

    def get(path: str, page: Callable[..., object]) -> Route:
        return Route(path, page, methods=["GET"])

    def post(path: str, page: Callable[..., object]) -> Route:
        return Route(path, page, methods=["POST"])

    routes = [
        get("/", first["start"]),
        post("/open", first["open"]),
        post("/upload", first["upload"]),
        get("/jobs", first["jobs"]),
        get("/events", first["events"]),
        get("/language/{language:str}", first["language"]),
        get("/plan", plan["show"]),
        post("/plan", plan["save"]),
        get("/plan.toml", plan["download"]),
        get("/job/{job:number}", trial["job"]),
        post("/job/{job:number}/stop", first["stop"]),
        get("/source/{source:number}", one["show"]),
        post("/source/{source:number}/roles", one["roles"]),
        get("/source/{source:number}/forget", first["ask_forget"]),
        post("/source/{source:number}/forget", first["forget"]),
        post("/source/{source:number}/undo", one["undo"]),
        get("/source/{source:number}/assess", one["assess"]),
        post("/source/{source:number}/assess", one["assess_now"]),
        get("/source/{source:number}/choose", one["choose"]),
        get("/source/{source:number}/method/{method:str}", one["method"]),
        get("/source/{source:number}/explore", trial["explore"]),
        post("/source/{source:number}/explore", trial["compute"]),
        post("/source/{source:number}/stop", trial["stop_all"]),
        post("/source/{source:number}/look", trial["look"]),
        get("/source/{source:number}/plan", plan["of_setting"]),
        get("/source/{source:number}/plan.toml", plan["of_setting"]),
        get("/source/{source:number}/publish", card["publish"]),
        post("/source/{source:number}/publish", card["publish_now"]),
        get("/source/{source:number}/label", label["start"]),
        post("/source/{source:number}/label", label["begin"]),
        get("/source/{source:number}/label/note", label["note"]),
        post("/source/{source:number}/label/note", label["save"]),
        get("/source/{source:number}/label/round", label["round"]),
        post("/source/{source:number}/label/more", label["more"]),
        get("/bundle/{source:number}", read["show"]),
        post("/bundle/{source:number}/verify", read["verify"]),
        post("/bundle/{source:number}/ask", read["ask"]),
        get("/bundle/{source:number}/answer/{job:number}.csv", read["answer"]),
        post("/bundle/{source:number}/check", read["check"]),
        get("/bundle/{source:number}/report", read["report"]),
        get("/bundle/{source:number}/custodian", read["custodian"]),
        get("/bundle/{source:number}/download", read["download"]),
        get("/bundle/{source:number}/export/{form:str}", read["export"]),
        post("/bundle/{source:number}/sign", read["sign"]),
        Mount("/static", StaticFiles(packages=[("sequester.workbench", "static")])),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={sq.SequesterError: refused, HTTPException: missing, Exception: broken},
        lifespan=life,
    )
    return Guard(Tongue(app), keys=keys, hosts=hosts)


def serve(
    folder: Path,
    *,
    host: str = HERE,
    port: int = 0,
    upload_bytes: int = UPLOAD_BYTES,
    ready: Callable[[str], None] = lambda _address: None,
    first_page: Callable[[Bench], str] = lambda _bench: "/",
) -> None:
    """Serve until stopped.

    Parameters
    ----------
    folder
        The project: what lies in it can be opened, and bundles are written there.
    host, port
        Where to listen; port 0 takes a free one.
    upload_bytes
        Largest upload.
    ready
        Called with the address and its token as soon as it is listened on.
    first_page
        Which page that address opens.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        why = error.strerror or "unknown reason"
        raise sq.InputError(
            f"workbench: cannot listen on {host} port {port} ({why}). Pass another --port, or 0 for a free one."
        ) from error
    with listening:
        port = listening.getsockname()[1]
        bench = Bench(folder, upload_bytes=upload_bytes)
        keys = Keys(port=port)
        app = create(bench, keys, hosts_of(host, port))
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, server_header=False, timeout_graceful_shutdown=1,
            lifespan="on",
        )  # fmt: skip
        named = f"[{host}]" if ":" in host else host
        if named in ("0.0.0.0", "[::]"):  # every address: this one is reached from here
            named = HERE
        ready(f"http://{named}:{port}{first_page(bench)}?token={keys.token}")
        try:
            uvicorn.Server(config).run(sockets=[listening])
        finally:
            bench.close()


def hosts_of(host: str, port: int) -> frozenset[str]:
    """What a browser may call this server: exactly what was bound, and `localhost` for this machine."""
    names = {f"[{host}]" if ":" in host else host}
    try:
        found = ipaddress.ip_address(host)
        if found.is_loopback:
            names.add("localhost")
        if found.is_unspecified:
            names |= {HERE, "localhost", socket.gethostname().lower()}
    except ValueError:
        pass
    return frozenset(f"{name.lower()}:{port}" for name in names)

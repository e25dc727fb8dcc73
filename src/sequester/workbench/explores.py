"""Explore: a grid of settings and methods, risk against use, one table for all, and one setting looked at."""

from __future__ import annotations

import json
import re
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

import sequester as sq
from sequester import _shell
from sequester.workbench import choosing, commands, forms
from sequester.workbench.bench import UNDER_WAY, Bench, go
from sequester.workbench.choosing import GRADES
from sequester.workbench.sources import HIDDEN, _readable
from sequester.workbench.store import DONE, numbered

Row = dict[str, Any]


def pages(bench: Bench) -> dict[str, Any]:
    """Handlers by name."""

    def shown(source: dict[str, Any], *, filled: dict[str, Any] | None = None, wrong: dict[str, str] | None = None,
              status: int = 200) -> Response:  # fmt: skip
        jobs = bench.of_reading(source, "sweep")
        rows, refused = computed(jobs)
        tried: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            tried.setdefault(row["method"], []).append(row["setting"])
        watched = [j["job"] for j in jobs if j["state"] in UNDER_WAY]
        figures = _shell.figures_of(rows)
        proved = any(r["grade"] == "proved" for r in rows)
        return bench.page(
            "explore.html", status=status, source=source, rows=rows, refused=refused, figures=figures, proved=proved,
            named=next((r["named_is"] for r in rows if "named_is" in r), ""),
            labels=_shell.labels(rows), picture=Markup(_shell.picture(rows, link=lambda i: f"#setting-{i}")),
            strips=Markup(_shell.strips(rows)) if figures else "", remarks=_shell.remarks(rows), say=_shell,
            lines=[commands.publish_line(source, _release(source, r)) for r in rows],
            grids=choosing.grids(source["kind"], source["found"].get("people")), filled=filled or {}, wrong=wrong or {},
            trouble=[j for j in jobs[-1:] if j["state"] not in (DONE, *UNDER_WAY)], running=[
                j for j in jobs if j["state"] in UNDER_WAY], step="/explore", watched=watched,
            again="\n".join(commands.tune_line(source, name, settings) for name, settings in tried.items()),
        )  # fmt: skip

    async def explore(request: Request) -> Response:
        return shown(_readable(bench.source(request)))

    async def compute(request: Request) -> Response:
        """A grid, from the form of all methods or from the page of one."""
        source = _readable(bench.source(request))
        posted = await request.form()
        form: dict[str, Any] = {str(k): str(v) for k, v in posted.items()}
        form["ticked"] = list(map(str, posted.getlist("method")))
        chosen = [m for m in map(str, posted.getlist("method")) if m in sq.methods_for(source["kind"])]
        if not chosen:
            return shown(source, filled=form, wrong={"method": "Choose at least one method."}, status=400)
        grid: list[dict[str, Any]] = []
        wrong: dict[str, str] = {}
        for name in chosen:
            fields = forms.method_fields(name)
            try:
                settings = forms.grid(fields, form, prefix=f"{name}.")
                for one in settings:  # a wrong range is refused here, not after a wait
                    sq.method_class(name)(**forms.ready(fields, one))
                grid += [{"method": name, "parameters": one} for one in settings]
            except sq.SequesterError as error:
                about = [*forms.named(error), *(f.name for f in fields if re.search(rf"\b{f.name}\b", str(error)))]
                field = next((n for n in about if f"{name}.{n}" in form), "")
                wrong[f"{name}.{field}" if field else name] = forms.refusal(error)
        if not wrong and len(grid) > forms.MOST_SETTINGS:
            wrong["method"] = (
                f"That makes {len(grid)} settings; at most {forms.MOST_SETTINGS} are computed at once. Shorten a list."
            )
        if wrong:
            return shown(source, filled=form, wrong=wrong, status=400)
        bench.queue.submit(source["source"], "sweep", bench.settings(source, grid=grid))
        return go(f"/source/{source['source']}/explore")

    async def stop_all(request: Request) -> Response:
        source = bench.source(request)
        for job in reversed(bench.store.jobs(source["source"], "sweep")):
            if job["state"] in UNDER_WAY:
                await run_in_threadpool(bench.queue.stop, job["job"])
        return go(f"/source/{source['source']}/explore")

    async def look(request: Request) -> Response:
        """Original beside release for one setting; made once."""
        source = _readable(bench.source(request))
        row = setting_of(bench, source, (await request.form()).get("setting"))
        asked = {"method": row["method"], "parameters": row["setting"]}
        for job in reversed(bench.of_reading(source, "look")):
            if {k: job["settings"][k] for k in asked} == asked and job["state"] in (DONE, *UNDER_WAY):
                return go(f"/job/{job['job']}")
        number = bench.queue.submit(source["source"], "look", bench.settings(source, **asked))
        return go(f"/job/{number}")

    async def job(request: Request) -> Response:
        one = bench.job(int(request.path_params["job"]))
        source = bench.store.source(one["source"]) if one["source"] else None
        if source is None or one["what"] not in ("look", "publish"):
            where = f"/source/{one['source']}" if one["source"] else "/jobs"
            return go(where + {"assess": "/assess", "sweep": "/explore"}.get(one["what"], ""))
        settings = one["settings"]
        again = commands.publish_line(source, settings if one["what"] == "publish" else _release(
            source, {"method": settings["method"], "setting": settings["parameters"]}))  # fmt: skip
        shown = bench.pictures(one)
        asked = request.query_params.get("values") == "show"
        return bench.page(
            {"look": "looked.html", "publish": "published.html"}[one["what"]], source=source, job=one, again=again,
            label=label(settings), grades=GRADES, hides='class="gone"' in shown, asked=asked,
            pictures=shown if asked else _masked(shown), before=bench.queue.place(one["job"]),
            watched=[one["job"]] if one["state"] in UNDER_WAY else [],
            step="/publish" if one["what"] == "publish" else "/explore",
        )  # fmt: skip

    return {"explore": explore, "compute": compute, "stop_all": stop_all, "job": job, "look": look}


def computed(jobs: list[dict[str, Any]]) -> tuple[list[Row], list[Row]]:
    """Every setting that was computed, in order, and those that were refused; of the same setting the newest."""
    found: dict[str, Row] = {}
    for job in jobs:
        if job["state"] == DONE:
            for at, row in enumerate(job["result"]["rows"]):
                found[json.dumps([row["method"], row["setting"]], sort_keys=True)] = row | {"at": f"{job['job']}-{at}"}
    rows = list(found.values())
    done = _shell.in_order([r for r in rows if "refused" not in r])
    refused: dict[tuple[str, str], Row] = {}  # settings that were refused for the same reason stand together
    for r in rows:
        if "refused" in r:
            refused.setdefault((r["method"], r["refused"]), r | {"settings": []})["settings"].append(r)
    return [dict(r) for r in done], list(refused.values())


def setting_of(bench: Bench, source: dict[str, Any], words: Any) -> Row:
    """The setting that `job-number` names."""
    job, _, at = str(words or "").partition("-")
    number, place = numbered(job), numbered(at)
    one = bench.store.job(number) if number is not None else None
    if one is None or place is None or one["what"] != "sweep" or one["state"] != DONE:
        raise HTTPException(404, "This setting is not on the list any more.")
    if one["source"] != source["source"] or place >= len(one["result"]["rows"]):
        raise sq.InputError("That setting belongs to another source.")
    row: Row = one["result"]["rows"][place]
    return row


def label(settings: dict[str, Any]) -> str:
    """A setting in a few words: the method and what was chosen."""
    chosen = ", ".join(f"{n.rstrip('_').replace('_', ' ')} {_shell.cell(v)}" for n, v in settings["parameters"].items())
    return f"{settings['method']}: {chosen}" if chosen else settings["method"]


def _release(source: dict[str, Any], row: Row) -> dict[str, Any]:
    """A setting as the publication of it would be asked for."""
    name = f"{source['path'].split('/')[-1].split('.')[0]}-{row['method']}.bundle"
    return {"method": row["method"], "parameters": row["setting"], "out": name}


def _masked(html: Markup) -> Markup:
    """The same without the words that a release hides: values of the original are shown when they are asked for."""
    return Markup(re.sub(r'(<del class="gone">).*?(</del>)', rf"\1{HIDDEN}\2", str(html), flags=re.S))

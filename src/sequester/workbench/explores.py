"""Explore: a grid of settings, risk against use, one setting, two beside each other."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

import sequester as sq
from sequester import _shell
from sequester.workbench import commands, forms, frontier
from sequester.workbench.bench import UNDER_WAY, Bench, go
from sequester.workbench.choosing import GRADES
from sequester.workbench.sources import HIDDEN, _method_of, _readable
from sequester.workbench.store import DONE
from sequester.workbench.work import TARGETS, TRIAL_SEED


def pages(bench: Bench) -> dict[str, Any]:
    """Handlers by name."""

    async def explore(request: Request) -> Response:
        source = _readable(bench.source(request))
        jobs = bench.store.jobs(source["source"], "explore")
        done = [j for j in jobs if j["state"] == DONE and not j["result"].get("refused")]
        known = frontier.measures(done)
        asked = request.query_params.get("use", "")
        use = asked if asked in known else next(iter(known), "")
        pins = bench.store.pins(source["source"])
        attack = frontier.attack_of(done)
        found = frontier.points(done, use, attack, pins) if use else []
        picture = frontier.drawing(found, known[use]) if found else Markup("")
        return bench.page(
            "explore.html", source=source, jobs=list(reversed(jobs)), measures=known, use=use, picture=picture,
            pins=pins, label=frontier.label, figure=_figure, step="/explore", attack=attack,
            risk=lambda j: frontier.risk(j, attack), again=_again(source, jobs),
            watched=[j["job"] for j in jobs if j["state"] in UNDER_WAY],
            waiting=[j["job"] for j in bench.store.jobs() if j["state"] == "waiting"],
        )  # fmt: skip

    async def try_grid(request: Request) -> Response:
        source = _readable(bench.source(request))
        form = {str(k): v for k, v in (await request.form()).items()}
        name = _method_of(source, str(form.get("method") or ""))
        fields = forms.method_fields(name)
        settings = forms.grid(fields, form)
        for one in settings:  # a wrong range is told here, not after a wait
            sq.method_class(name)(**forms.ready(fields, one))
        for one in settings:
            bench.queue.submit(source["source"], "explore", bench.settings(source, method=name, parameters=one))
        return go(f"/source/{source['source']}/explore")

    async def stop_all(request: Request) -> Response:
        source = bench.source(request)
        for job in reversed(bench.store.jobs(source["source"], "explore")):
            if job["state"] in UNDER_WAY:
                await run_in_threadpool(bench.queue.stop, job["job"])
        return go(f"/source/{source['source']}/explore")

    async def job(request: Request) -> Response:
        one = bench.job(int(request.path_params["job"]))
        source = bench.store.source(one["source"]) if one["source"] else None
        if source is None or one["what"] in ("inspect", "assess", "read", "query"):
            where = f"/source/{one['source']}" if one["source"] else "/jobs"
            return go(where + ("/assess" if one["what"] == "assess" else ""))
        again = (
            commands.publish_line(source, one["settings"]) if one["what"] == "publish"
            else commands.tune_line(source, one["settings"]["method"], [one["settings"]["parameters"]],
                                    sample=TARGETS, seed=TRIAL_SEED)
        )  # fmt: skip
        shown = bench.pictures(one)
        hides = 'class="gone"' in shown
        asked = request.query_params.get("values") == "show"
        return bench.page(
            {"explore": "explored.html", "publish": "published.html"}[one["what"]], source=source, job=one,
            label=frontier.label(one), again=again,
            grades=GRADES, hides=hides, asked=asked, pictures=shown if asked else _masked(shown),
            pins=bench.store.pins(source["source"]),
            before=bench.queue.place(one["job"]),
            watched=[one["job"]] if one["state"] in UNDER_WAY else [],
            step="/publish" if one["what"] == "publish" else "/explore",
        )  # fmt: skip

    async def pin(request: Request) -> Response:
        one = bench.job(int(request.path_params["job"]))
        form = await request.form()
        bench.store.pin(one["source"], one["job"], form.get("on") == "yes")
        return go(f"/source/{one['source']}/explore#settings")

    async def compare(request: Request) -> Response:
        source = _readable(bench.source(request))
        both = [j for n in bench.store.pins(source["source"]) if (j := bench.store.job(n)) and j["state"] == DONE]
        if len(both) != 2:
            raise sq.InputError("Pin two finished settings on the Explore page; then they stand side by side here.")
        rows = _beside(both)
        shown = [_apart(_masked(bench.pictures(j)), f"{side}-") for side, j in zip("ab", both, strict=True)]
        lines = [commands.tune_line(source, j["settings"]["method"], [j["settings"]["parameters"]], sample=TARGETS,
                                    seed=TRIAL_SEED) for j in both]  # fmt: skip
        return bench.page(
            "compare.html", source=source, both=both, rows=rows, shown=shown, label=frontier.label, step="/explore",
            again="\n".join(lines),
        )  # fmt: skip

    return {"explore": explore, "try_grid": try_grid, "stop_all": stop_all, "job": job, "pin": pin,
            "compare": compare}  # fmt: skip


def _again(source: dict[str, Any], jobs: list[dict[str, Any]]) -> str:
    """One line per method that was tried."""
    tried: dict[str, list[dict[str, Any]]] = {}
    for one in jobs:
        tried.setdefault(one["settings"]["method"], []).append(one["settings"]["parameters"])
    return "\n".join(
        commands.tune_line(source, name, settings, sample=TARGETS, seed=TRIAL_SEED) for name, settings in tried.items()
    )


def _figure(job: dict[str, Any], name: str) -> Any:
    return next((f["value"] for f in (job["result"] or {}).get("figures", ()) if f["name"] == name), None)


def _beside(both: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """What two settings promise, withstand and leave, line by line: name, one, other, what it says."""

    one, other = (j["result"] for j in both)
    rows: list[tuple[str, ...]] = [
        ("Promise", one["promise"], other["promise"], one["statement"] if one["promise"] == other["promise"] else ""),
        ("Protects each", one["unit"], other["unit"], ""),
        ("Grade", one.get("grade", ""), other.get("grade", ""), ""),
        (
            "Checked",
            *(r["verdict"]["title"] for r in (one, other)),
            "By code that shares nothing with the methods, on this trial.",
        ),
    ]
    attack = frontier.attack_of(both)
    found = [frontier.risk(j, attack) for j in both]
    if all(found):
        cells = [f"{r['success']:.0%} ({r['low']:.0%} to {r['high']:.0%})" for r in found if r]
        rows.append((f"Attack: {attack}", *cells, "Share of targets for whom it succeeds, with a 95 % interval."))
    names = list(dict.fromkeys(f["name"] for r in (one, other) for f in r.get("figures", ())))
    for name in names:
        figures = [next((f for f in r.get("figures", ()) if f["name"] == name), None) for r in (one, other)]
        better = {"lower": " Lower is better.", "higher": " Higher is better."}
        first = next(f for f in figures if f)
        rows.append((name, *(_shell.shown(f["value"]) if f else "–" for f in figures),
                     _sentence(first["says"]) + better.get(first["better"], "")))  # fmt: skip
    return rows


def _masked(html: Markup) -> Markup:
    """The same without the words that a release hides: values of the original are shown when they are asked for."""
    return Markup(re.sub(r'(<del class="gone">).*?(</del>)', rf"\1{HIDDEN}\2", str(html), flags=re.S))


def _sentence(words: str) -> str:
    """With a capital and a full stop."""
    return words[:1].upper() + words[1:] + ("" if not words or words.endswith((".", "?")) else ".")


def _apart(html: Markup, prefix: str) -> Markup:
    """Names in the markup of one of two drawings, so that both can stand on one page; one heading level down."""
    found = re.sub(r'(\bid="|aria-labelledby="|url\(#|href="#)', rf"\1{prefix}", str(html))
    return Markup(re.sub(r"(</?)h([23])\b", lambda m: f"{m[1]}h{int(m[2]) + 1}", found))

"""The pages of a source: open, assess, choose."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

import sequester as sq
from sequester import _shell
from sequester.workbench import choosing, commands, forms
from sequester.workbench.bench import UNDER_WAY, Bench, go
from sequester.workbench.inspected import first_rows
from sequester.workbench.store import DONE, numbered

HIDDEN = "••••"
ROWS, CHARACTERS = 6, 60
"""How much of the first rows is shown."""
FIRST = ("person", "time", "state", "value", "start", "end", "sensitive", "quasi", "bins", "align")
"""Roles that are shown at once; the others are unfolded."""


def pages(bench: Bench) -> dict[str, Any]:
    """Handlers by name."""

    def watched(job: dict[str, Any] | None) -> list[int]:
        return [job["job"]] if job and job["state"] in UNDER_WAY else []

    async def show(request: Request) -> Response:
        source = bench.source(request)
        if source["kind"] == "bundle":
            return go(f"/bundle/{source['source']}")
        return shown(request, source, {}, source["found"].get("wrong", {}))

    def shown(request: Request, source: dict[str, Any], form: dict[str, str], wrong: dict[str, str]) -> Response:
        """The page of a source; `form` is what was filled in, where something in it was wrong."""
        job = bench.latest(source["source"], "inspect")
        found = source["found"]
        kind = source["kind"]
        columns = found.get("columns", [])
        fields = forms.clickable(kind, forms.reader_fields(kind), columns) if kind else []
        fields = [f for f in fields if f.name != "table" or not found.get("tables")]  # tables are clicked
        asked = request.query_params.get("values") == "show"
        profile = found.get("profile", [])
        like = {c["name"]: c.get("like", "") for c in profile}
        rows = [[HIDDEN] * len(profile)] * min(ROWS, profile[0]["rows"]) if profile else []
        table = first_rows(bench.project.root / source["path"], source["roles"]) if asked and rows else None
        if table is not None:
            rows = [[_short(c.cells[i]) for c in table.columns] for i in range(min(ROWS, table.n))]
        roles = forms.ready(fields, source["roles"])
        first = [f for f in fields if f.required or f.name in roles or f.name in found.get("alternatives", {})]
        first += [f for f in fields if f not in first and f.name in FIRST]
        role_of: dict[str, str] = {}
        for name, value in roles.items():
            for column in value if isinstance(value, tuple) else (value,):
                if column in columns:
                    role_of[column] = ", ".join(filter(None, (role_of.get(column, ""), name.replace("_", " "))))
        by_hand = bool(job and job["settings"].get("roles"))
        why = {c["name"]: _why(c, role_of.get(c["name"], ""), by_hand, found) for c in profile}
        return bench.page(
            "source.html", status=400 if form else 200, wrong=wrong, role_of=role_of, why=why,
            recorded=bench.pictures(job), source=source, job=job, found=found, rows=rows, asked=asked, first=first,
            more=[f for f in fields if f not in first], filled=forms.filled(fields, roles) | form, kinds=sq.KINDS,
            columns=columns, like=like, watched=watched(job), step="", history=_history(bench, source),
            again=_again(source, job) if kind else "",
        )  # fmt: skip

    async def roles(request: Request) -> Response:
        source = bench.source(request)
        form = await request.form()
        kind = str(form.get("kind") or source["kind"])
        found, table = source["found"], str(form.get("table") or "")
        if table in found.get("tables", ()) and table != source["roles"].get("table"):  # another table: look at it anew
            again = {"kind": None, "roles": {"table": table}}
            bench.queue.submit(source["source"], "inspect", bench.settings(source) | again)
            return go(f"/source/{source['source']}")
        if kind not in sq.KINDS:
            raise sq.InputError(f"Choose the kind of data: {', '.join(sq.KINDS)}.")
        changed = kind != source["kind"]
        filled = forms.clicked(form.multi_items())
        try:
            roles = {} if changed else forms.given(forms.reader_fields(kind), filled)
        except sq.SequesterError as error:
            beside = next(iter(forms.named(error)), "")
            return shown(request, source, filled, {beside: forms.refusal(error)})
        bench.queue.submit(source["source"], "inspect", bench.settings(source) | {"kind": kind, "roles": roles})
        return go(f"/source/{source['source']}")

    async def undo(request: Request) -> Response:
        """Read the source as it was read before."""
        source = bench.source(request)
        job = bench.job(numbered(str((await request.form()).get("job") or "")) or 0)
        if job["source"] != source["source"] or job["what"] != "inspect" or job["state"] != DONE:
            raise sq.InputError("This reading is not on the list any more.")
        found = job["result"]
        bench.store.change_source(source["source"], kind=found.get("kind") or "", roles=found["roles"], found=found)
        return go(f"/source/{source['source']}")

    async def assess(request: Request) -> Response:
        source = _readable(bench.source(request))
        job = next(reversed(bench.of_reading(source, "assess")), None)
        fields = forms.assessor_fields(source["kind"])
        options = job["settings"].get("options", {}) if job else {}
        return bench.page(
            "assess.html", source=source, job=job, fields=fields, filled=forms.filled(fields, options), step="/assess",
            pictures=bench.pictures(job), watched=watched(job), again=commands.assess_line(source, options),
        )  # fmt: skip

    async def assess_now(request: Request) -> Response:
        source = _readable(bench.source(request))
        form = await request.form()
        options = forms.given(forms.assessor_fields(source["kind"]), {str(k): v for k, v in form.items()})
        bench.queue.submit(source["source"], "assess", bench.settings(source, options=options))
        return go(f"/source/{source['source']}/assess")

    async def choose(request: Request) -> Response:
        source = _readable(bench.source(request))
        compute, withstand = request.query_params.get("compute", ""), request.query_params.get("withstand", "")
        uses, threats = choosing.questions(source["kind"])
        fit, others = choosing.fitting(source["kind"], compute, withstand)
        return bench.page(
            "choose.html", source=source, uses=uses, threats=threats, compute=compute, withstand=withstand, fit=fit,
            others=others, step="/choose", again=f"sequester methods {source['kind']}",
        )  # fmt: skip

    async def method(request: Request) -> Response:
        source = _readable(bench.source(request))
        name = _method_of(source, request.path_params["method"])
        fields = forms.method_fields(name)
        found = choosing.described(name)
        values = found.example
        tried = request.query_params.get("job", "")
        number = numbered(tried)
        if number is not None:
            values = bench.job(number)["settings"]["parameters"]
        filled = forms.filled(fields, forms.ready(fields, values))
        first = [f for f in fields if f.required or f.name in found.example]
        return bench.page(
            "method.html", source=source, method=found, first=first, more=[f for f in fields if f not in first],
            filled=filled, step="/choose", again=f"sequester methods {name}\nsequester publish {name} --help",
        )  # fmt: skip

    return {"show": show, "roles": roles, "undo": undo, "assess": assess, "assess_now": assess_now, "choose": choose,
            "method": method}  # fmt: skip


def _short(cell: str) -> str:
    return cell if len(cell) <= CHARACTERS else cell[:CHARACTERS] + "…"


def _why(column: dict[str, Any], role: str, by_hand: bool, found: dict[str, Any]) -> str:
    """Why a column has its role: your word, or what its values are."""
    if not role:
        could = [name.replace("_", " ") for name, columns in found.get("alternatives", {}).items()
                 if column["name"] in columns]  # fmt: skip
        if not could:
            return "not read"
        return Markup("not read; could be:") + Markup(' <span translate="no">{}</span>').format(", ".join(could))
    if by_hand:
        return "as you said"
    if column["sort"] == "time":
        return "its values are times"
    if column["sort"] == "number" and role != "person":
        return "its values are numbers"
    return f"{column['distinct']:,} different in {_shell.count(column['rows'], 'row')}"


def _history(bench: Bench, source: dict[str, Any]) -> list[dict[str, Any]]:
    """Other ways in which the source was read, newest first, each once."""
    out: list[dict[str, Any]] = []
    seen = [(source["kind"], source["roles"])]
    for job in reversed(bench.store.jobs(source["source"], "inspect")):
        way = (job["result"].get("kind") or "", job["result"].get("roles")) if job["state"] == DONE else seen[0]
        if way not in seen and way[0]:
            seen.append(way)
            named = {"kind": way[0], "roles": way[1], "path": source["path"]}
            out.append(
                {"job": job["job"], "made": job["made"], "words": f"{way[0]} {' '.join(commands.roles_of(named))}"}
            )
    return out


def _again(source: dict[str, Any], job: dict[str, Any] | None) -> str:
    """How to look at the source again; once its roles were settled by hand, how to read it with them."""
    settled = job and job["settings"].get("roles") and not source["found"].get("trouble")
    return commands.assess_line(source, {}) if settled else commands.inspect_line(source)


def _readable(source: dict[str, Any]) -> dict[str, Any]:
    """Only a source whose kind and roles are settled can go on."""
    if source["kind"] not in sq.KINDS or source["found"].get("trouble"):
        raise sq.InputError("This source cannot be read yet. Go to Open and say which column is which.")
    return source


def _method_of(source: dict[str, Any], words: str) -> str:
    if words not in sq.methods_for(source["kind"]):
        fits = ", ".join(sq.methods_for(source["kind"]))
        raise sq.InputError(f"No method of that name works on {source['kind']} data. There are: {fits}.")
    return words

"""Publish: the promise in words, the card, the account; then the bundle."""

from __future__ import annotations

from datetime import date
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

import sequester as sq
from sequester import _shell
from sequester.workbench import commands, forms
from sequester.workbench.bench import Bench, go
from sequester.workbench.choosing import GRADES
from sequester.workbench.explores import computed, setting_of
from sequester.workbench.places import bundle_name
from sequester.workbench.sources import _method_of, _readable
from sequester.workbench.store import numbered

CARD = ("title", "licence", "contact", "issued", "version", "expires")


def pages(bench: Bench) -> dict[str, Any]:
    """Handlers by name."""

    async def publish(request: Request) -> Response:
        """The form; the setting comes from a trial, or from the fields of a method's page."""
        source = _readable(bench.source(request))
        done = bench.store.jobs(source["source"], "publish")
        asked = _setting(bench, source, dict(request.query_params))
        if asked is None:
            rows, _ = computed(bench.store.jobs(source["source"], "sweep"))
            named = list(zip(rows, _shell.labels(rows), strict=True))
            return bench.page("publish_which.html", source=source, rows=named, done=done, step="/publish", again="")
        name, parameters, method = asked
        promise = method.guarantee.confirmed()
        out = bundle_name(f"{source['path'].split('/')[-1].split('.')[0]}-{name}")
        settings = {"method": name, "parameters": parameters, "out": out}
        return bench.page(
            "publish.html", source=source, method=name, parameters=parameters, promise=promise,
            graded=GRADES.get(promise.status, ""), out=out, formats=_shell.copies_of(type(method)), step="/publish",
            today=date.today().isoformat(), account=bench.account(), again=commands.publish_line(source, settings),
            filled=forms.filled(forms.method_fields(name), parameters), done=done,
        )  # fmt: skip

    async def publish_now(request: Request) -> Response:
        source = _readable(bench.source(request))
        form = await request.form()
        asked = _setting(bench, source, {str(k): str(v) for k, v in form.items()})
        if asked is None:
            raise sq.InputError("Choose a method and its parameters first.")
        name, parameters, _ = asked
        card: dict[str, Any] = {key: str(form.get(key) or "").strip() for key in CARD}
        card["describes"] = _described(str(form.get("describes") or ""))
        sq.Publication(**card)  # a wrong date is refused here
        out = bundle_name(str(form.get("out") or ""))
        overwrite = form.get("overwrite") == "yes"
        force = form.get("force") == "yes"
        _shell.require_free(bench.project.root / out, overwrite=overwrite)
        evidence = ["measure", *(["assess"] if form.get("assess") == "yes" else [])]
        formats = [str(f) for f in form.getlist("formats") if f in _shell.copies_of(sq.method_class(name))]
        job = bench.queue.submit(
            source["source"], "publish",
            bench.settings(source, method=name, parameters=parameters, out=out, card=card, overwrite=overwrite,
                           evidence=evidence, formats=formats, force=force),
        )  # fmt: skip
        return go(f"/job/{job}")

    return {"publish": publish, "publish_now": publish_now}


def _setting(
    bench: Bench, source: dict[str, Any], form: dict[str, str]
) -> tuple[str, dict[str, Any], sq.Method] | None:
    """Method and parameters, from a trial or from fields."""
    number = numbered(form.get("job"))
    if form.get("setting"):
        row = setting_of(bench, source, form["setting"])
        name, parameters = row["method"], row["setting"]
    elif number is not None:
        job = bench.job(number)
        if job["what"] not in ("look", "publish") or job["source"] != source["source"]:
            raise sq.InputError("That setting belongs to another source.")
        name, parameters = job["settings"]["method"], job["settings"]["parameters"]
    elif form.get("method"):
        name = _method_of(source, form["method"])
        settings = forms.grid(forms.method_fields(name), form, prefix=form.get("prefix", ""))
        if len(settings) != 1:
            raise sq.InputError(
                f"These fields make {len(settings)} settings; one release has one. Give each field a single value."
            )
        parameters = settings[0]
    else:
        return None
    fields = forms.method_fields(name)
    return name, parameters, sq.method_class(name)(**forms.ready(fields, parameters))


def _described(text: str) -> dict[str, str]:
    """Lines such as `column = what it means`."""
    out: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            name, sign, words = line.partition("=")
            if not sign or not name.strip() or not words.strip():
                raise sq.InputError(f"Line {number} of the descriptions must look like: column = what it means.")
            out[name.strip()] = words.strip()
    return out

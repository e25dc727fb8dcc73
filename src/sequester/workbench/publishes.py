"""Publish: the promise in words, the card, the account; then the bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

Asked = tuple[str, dict[str, Any], sq.Method]
"""A method, its parameters, and both together."""
CARD = ("title", "licence", "contact", "issued", "version", "expires")


def pages(bench: Bench) -> dict[str, Any]:
    """Handlers by name."""

    async def publish(request: Request) -> Response:
        """The form; the setting comes from a trial, or from the fields of a method's page."""
        source = _readable(bench.source(request))
        asked = _setting(bench, source, dict(request.query_params))
        if asked is None:
            rows, _ = computed(bench.of_reading(source, "sweep"))
            named = list(zip(rows, _shell.labels(rows), strict=True))
            done = bench.store.jobs(source["source"], "publish")
            return bench.page("publish_which.html", source=source, rows=named, done=done, step="/publish", again="")
        return shown(source, asked, {"out": bundle_name(f"{source['path'].split('/')[-1].split('.')[0]}-{asked[0]}"),
                                     "issued": date.today().isoformat()})  # fmt: skip

    def shown(source: dict[str, Any], asked: Asked, form: Mapping[str, Any], wrong: dict[str, str] | None = None,
              ticked: Sequence[str] = ()) -> Response:  # fmt: skip
        """The form; where something in it was wrong, as it was filled in, with the reason beside the field."""
        name, parameters, method = asked
        promise = method.guarantee.confirmed()
        settings = {"method": name, "parameters": parameters, "out": form["out"]}
        return bench.page(
            "publish.html", status=400 if wrong else 200, source=source, method=name, parameters=parameters,
            promise=promise, graded=GRADES.get(promise.status, ""), formats=_shell.copies_of(type(method)),
            step="/publish", account=bench.account(), again=commands.publish_line(source, settings), form=form,
            wrong=wrong or {}, ticked=ticked, filled=forms.filled(forms.method_fields(name), parameters),
        )  # fmt: skip

    async def publish_now(request: Request) -> Response:
        source = _readable(bench.source(request))
        posted = await request.form()
        form = {str(k): str(v) for k, v in posted.items()}
        asked = _setting(bench, source, form)
        if asked is None:
            raise sq.InputError("Choose a method and its parameters first.")
        name, parameters, _ = asked
        card: dict[str, Any] = {key: form.get(key, "").strip() for key in CARD}
        overwrite, force = form.get("overwrite") == "yes", form.get("force") == "yes"
        field = "describes"
        try:
            card["describes"] = _described(form.get("describes", ""))
            field = "expires" if card["expires"] else "issued"
            sq.Publication(**card)  # a wrong date is refused here
            field = "out"
            out = bundle_name(form.get("out", ""))
            _shell.require_free(bench.project.root / out, overwrite=overwrite)
        except sq.SequesterError as error:
            wrong = {field: forms.refusal(error)}
            return shown(source, asked, {"out": "", **form}, wrong, list(map(str, posted.getlist("formats"))))
        evidence = ["measure", *(["assess"] if form.get("assess") == "yes" else [])]
        formats = [str(f) for f in posted.getlist("formats") if f in _shell.copies_of(sq.method_class(name))]
        job = bench.queue.submit(
            source["source"], "publish",
            bench.settings(source, method=name, parameters=parameters, out=out, card=card, overwrite=overwrite,
                           evidence=evidence, formats=formats, force=force),
        )  # fmt: skip
        return go(f"/job/{job}")

    return {"publish": publish, "publish_now": publish_now}


def _setting(bench: Bench, source: dict[str, Any], form: dict[str, str]) -> Asked | None:
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

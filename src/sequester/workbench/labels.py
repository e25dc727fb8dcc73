"""The labelling page: notes with guesses already marked, five at a time, and what each round brought."""

from __future__ import annotations

import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

import sequester as sq
from sequester import _shell
from sequester.workbench import commands
from sequester.workbench.bench import Bench, go
from sequester.workbench.sources import _readable
from sequester.workbench.work import source_data

FOLDER = "-labels.private"
"""What the folder of a source's labels ends in; folders of that ending are never offered to be opened."""
K = 4


def pages(bench: Bench) -> dict[str, Any]:
    """Handlers by name."""
    at_work: dict[int, Any] = {}
    rounds: dict[int, Any] = {}

    def notes_of(request: Request) -> dict[str, Any]:
        source = _readable(bench.source(request))
        if source["kind"] != "text":
            raise sq.InputError(f"Only notes can be labelled, and this source holds {source['kind']} data.")
        return source

    def folder_of(source: dict[str, Any]) -> str:
        return f"{source['path'].split('/')[-1].split('.')[0]}{FOLDER}"

    def home(source: dict[str, Any]) -> str:
        return f"/source/{source['source']}/label"

    async def start(request: Request) -> Response:
        source = notes_of(request)
        if source["source"] in at_work:
            return go(f"{home(source)}/note")
        return bench.page(
            "label.html", source=source, languages=_shell.LANGUAGES, language=bench.language,
            folder=folder_of(source), step="/choose", again=commands.label_line(source),
        )  # fmt: skip

    async def begin(request: Request) -> Response:
        source = notes_of(request)
        form = await request.form()
        language, brought = str(form.get("language") or ""), str(form.get("labels") or "").strip()
        if language not in _shell.LANGUAGES:
            raise sq.InputError(f"Choose the language of the notes: {', '.join(_shell.LANGUAGES)}.")
        path = bench.project.find(brought) if brought else None
        if brought and path is None:
            raise sq.InputError("There are no labels of that name in the folder of the workbench. Check the name.")

        def work() -> Any:
            data = source_data(bench.settings(source))
            target = bench.project.root / folder_of(source)
            found = _shell.Labelling(data, language, target, labels=str(path) if path else None)
            if found.current is None and not found.labels:
                found.more()
            return found

        at_work[source["source"]] = await run_in_threadpool(work)
        return go(f"{home(source)}/note")

    async def note(request: Request) -> Response:
        source = notes_of(request)
        work = at_work.get(source["source"])
        if work is None:
            return go(home(source))
        name = work.current
        if name is None:
            return go(f"{home(source)}/round")
        return bench.page(
            "label_note.html", source=source, words=work.words(name), name=name, position=work.position,
            kinds=_shell.LABEL_KINDS, n_labelled=len(work.labels), step="/choose", again="",
        )  # fmt: skip

    async def save(request: Request) -> Response:
        source = notes_of(request)
        work = at_work.get(source["source"])
        if work is None:
            return go(home(source))
        form = await request.form()
        rounds.pop(source["source"], None)
        await run_in_threadpool(work.save, str(form.get("name") or ""), _marks(str(form.get("marks") or "[]")))
        return go(f"{home(source)}/note")

    async def result(request: Request) -> Response:
        source = notes_of(request)
        work = at_work.get(source["source"])
        if work is None or work.current is not None:
            return go(home(source))
        if source["source"] not in rounds:
            rounds[source["source"]] = await run_in_threadpool(work.learn)
        labels = f"{folder_of(source)}/{work.path.name}"
        parameters = {"k": K, "language": work.language, "labels": labels}
        line = {"method": "k-words", "parameters": parameters, "out": f"{source['path'].split('/')[-1]}.bundle"}
        return bench.page(
            "label_round.html", source=source, learned=rounds[source["source"]], labels=labels, language=work.language,
            path=str(work.path), k=K, step="/choose", again=commands.publish_line(source, line),
        )  # fmt: skip

    async def more(request: Request) -> Response:
        source = notes_of(request)
        work = at_work.get(source["source"])
        if work is not None:
            await run_in_threadpool(work.more)
        return go(f"{home(source)}/note")

    return {"start": start, "begin": begin, "note": note, "save": save, "round": result, "more": more}


def _marks(words: str) -> list[tuple[int, str]]:
    """Numbers of words with their kinds, as the page sends them."""
    try:
        return [(int(number), str(kind)) for number, kind in json.loads(words)]
    except (ValueError, TypeError) as error:
        raise sq.InputError("The marks did not arrive whole. Load the note again; nothing was saved.") from error

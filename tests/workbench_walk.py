"""`python -m tests.workbench_walk [FOLDER]`: every page of the workbench, for every kind, language and shape.

A row per kind, language and shape: how many pages were looked at, and how many things are wrong with them. What is
wrong is told below the table. With a folder, contact sheets of all screenshots are laid there.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import sequester as sq
from sequester.languages import LANGUAGES
from tests.axe import violations
from tests.bench import Workbench
from tests.browser import CHROMIUM, CONTRASTS, FLAGS

SHAPES = {"desktop": (1200, 900, "light"), "phone": (400, 800, "light"), "dark": (1200, 900, "dark")}
VITALS = {"kind": "series", "sensitive": "stay_days,outcome", "quasi": ",".join(f"h{h:02d}" for h in range(4, 49, 4))}
WAYS = {
    "text": ("notes", 16, "k-repeats", {"k": "2,3"}),
    "series": ("vitals.csv", 30, "kapra", {"k": "4,8", "p": "3"}),
    "activity": ("minutes.csv", 16, "mcka", {"k": "2,3"}),
    "events": ("wards.csv", 40, "markov-ratio", {"epsilon": "0.35,0.7"}),
    "symbols": ("ecg.csv", 30, "ngram-k", {"k": "5,10", "n": "3"}),
}
"""Kind → source, people, method, a grid of two settings; the first is looked at and published."""
WORDS = re.compile(r"\b(the|of|is|are|with|from|and|which|your|every|that|by|to)\b", re.I)
TEXTS = """() => {
  const silent = 'script,style,code,pre,textarea,output,[translate=no],[lang]:not(html),del,option', out = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode())
    if (walk.currentNode.data.trim() && !walk.currentNode.parentElement.closest(silent))
      out.push(walk.currentNode.data.trim().replace(/\\s+/g, ' '));
  return out;
}"""
"""What is written on a page, without what comes from the data or is typed."""
SHEET = 9
"""Screenshots of a contact sheet."""


def addresses(bench: Workbench, kind: str, language: str) -> list[str]:
    """The whole way in one language, by the forms of the pages; every page that it leads to."""
    name, _, method, grid = WAYS[kind]
    first = {key: value.split(",")[0] for key, value in grid.items()}
    with bench.client() as client:
        client.cookies.set("sequester_language", language)

        def done(path: str, data: dict[str, str]) -> str:
            before = _jobs(client)
            answer = client.post(path, data=data)
            assert answer.status_code == 200, (path, answer.text)
            for job in range(before + 1, _jobs(client) + 1):
                told = bench.wait(client, job)
                assert told.get("state") == "done", (path, told)
            return answer.url.path

        home = done("/open", {"name": name})
        if kind == "series":
            done(f"{home}/roles", VITALS)
        done(f"{home}/assess", {})
        done(f"{home}/explore", {"method": method} | {f"{method}.{key}": value for key, value in grid.items()})
        setting = f"{_jobs(client)}-0"
        looked = done(f"{home}/look", {"setting": setting})
        out = f"{kind}-{language}.bundle"
        published = done(f"{home}/publish", {"method": method, "out": out, "title": "2026"} | first)
        bundle = done("/open", {"name": out})
        for how in ("verify", "attack", "measure"):
            done(f"{bundle}/check", {"original": home.rsplit("/", 1)[1], "how": how})
        fields = "&".join(f"{key}={value}" for key, value in first.items())
        return [
            "/", home, f"{home}/assess", f"{home}/choose", f"{home}/method/{method}", f"{home}/explore",
            f"{home}/plan?setting={setting}", looked, f"{home}/publish", f"{home}/publish?method={method}&{fields}",
            f"{home}/forget", published, bundle, f"{bundle}/report", f"{bundle}/custodian", "/jobs", "/nosuch",
        ]  # fmt: skip


def _jobs(client) -> int:
    return max(map(int, re.findall(r'data-job="(\d+)"', client.get("/jobs").text)), default=0)


def _visit(page: Page, address: str, bundle: Path, language: str) -> None:
    """A page; a report, whose policy lets no script of ours run, as the file that `sequester report` writes."""
    of = {"report": bundle, "custodian": bundle.with_suffix(".private")}.get(address.rsplit("/", 1)[1])
    if of is not None:
        kept = bundle.with_suffix(".html")
        kept.unlink(missing_ok=True)
        address = sq.report(of, kept, language=language).as_uri()
    page.goto(address)
    page.wait_for_load_state("load")


def wrong(page: Page, language: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the page that is shown: sort and what."""
    for found in violations(page):
        yield "axe", found
    for found in page.evaluate("() => {" + CONTRASTS + "}"):
        yield "contrast", found
    if (width := page.evaluate("() => document.documentElement.scrollWidth")) > page.viewport_size["width"]:
        yield "overflow", f"{width} pixels wide"
    if language != "en":
        for words in page.evaluate(TEXTS):
            if len(WORDS.findall(words)) > 1:
                yield "English", words


def sheets(folder: Path, name: str, shots: list[bytes]) -> None:
    """Screenshots beside each other, nine to a picture."""
    from PIL import Image

    for at in range(0, len(shots), SHEET):
        pictures = [Image.open(BytesIO(shot)).convert("RGB") for shot in shots[at : at + SHEET]]
        for picture in pictures:
            picture.thumbnail((620, 1100))
        wide, high = max(p.width for p in pictures), max(p.height for p in pictures)
        sheet = Image.new("RGB", (3 * wide, -(-len(pictures) // 3) * high), "grey")
        for i, picture in enumerate(pictures):
            sheet.paste(picture, (i % 3 * wide, i // 3 * high))
        sheet.save(folder / f"{name}-{at // SHEET + 1}.png")


def main() -> None:
    """Walk, print, and end with 1 where something is wrong."""
    shown = Path(sys.argv[1]) if sys.argv[1:] else None
    kinds = [kind for kind in WAYS if kind in sys.argv[2:]] or list(WAYS)
    told: dict[str, list[str]] = {}
    print("| kind | language | shape | pages | axe | contrast | overflow | English |\n|" + " --- |" * 8)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        for kind in kinds:
            sq.write_sample(kind, Path(place) / WAYS[kind][0], n_people=WAYS[kind][1], seed=1)
        window = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        for kind in kinds:
            for language in LANGUAGES:
                with Workbench(Path(place)) as bench:
                    paths = addresses(bench, kind, language)
                    for shape, (width, height, scheme) in SHAPES.items():
                        context = window.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
                        page = context.new_page()
                        page.goto(bench.address)
                        page.goto(f"{bench.base}/language/{language}")
                        counts, shots = dict.fromkeys(("axe", "contrast", "overflow", "English"), 0), []
                        for path in paths:
                            _visit(page, bench.base + path, Path(place) / f"{kind}-{language}.bundle", language)
                            for sort, what in wrong(page, language):
                                counts[sort] += 1
                                told.setdefault(f"{sort}: {what}", []).append(f"{kind} {language} {shape} {path}")
                            if shown:
                                shots.append(page.screenshot(full_page=True))
                        context.close()
                        if shown:
                            sheets(shown, f"{kind}-{language}-{shape}", shots)
                        cells = (kind, language, shape, len(paths), *counts.values())
                        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        window.close()
    for what, where in told.items():
        print(f"- {what} ({len(where)} times, first {where[0]})")
    sys.exit(bool(told))


if __name__ == "__main__":
    main()

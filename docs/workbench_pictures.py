"""Pictures of the workbench, and of one story per kind of data from a file to a decision, in a real browser.

python docs/workbench_pictures.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import sequester as sq

STATIC = Path(__file__).parent / "_static"
LIMIT_BYTES = 150_000
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--no-first-run"]  # fmt: skip
PATIENCE = 600_000
WIDE = {"width": 1200, "height": 860}


class Story(NamedTuple):
    """A file, the settings that are tried on it, and the one that is published."""

    file: str
    people: int
    grid: dict[str, dict[str, str]]
    chosen: str
    """As the slider says it: method and setting."""
    roles: tuple[tuple[str, str], ...] = ()


STORIES = {
    "text": Story("notes", 120, {"k-repeats": {"k": "2,5,11"}}, "k-repeats, k 11"),
    "series": Story(
        "vitals.csv", 240, {"kapra": {"k": "5,11,22", "p": "5"}}, "kapra, k 11",
        (("quasi", ",".join(f"h{hour:02d}" for hour in range(4, 49, 4))), ("sensitive", "stay_days,outcome")),
    ),
    "activity": Story("minutes.csv", 60, {"mcka": {"k": "3,5,10"}}, "mcka, k 5"),
    "events": Story(
        "wards.csv", 400,
        {"markov-dp": {"epsilon": "2,4,8", "people_at_least": "380", "dates": "2024-01-01..2025-12-31"},
         "markov-ratio": {"epsilon": "0.35"}}, "markov-dp, epsilon 4",
    ),
    "symbols": Story("ecg.csv", 120, {"ngram-k": {"k": "2,5,11", "n": "3"}}, "ngram-k, k 11"),
}  # fmt: skip


def main() -> None:
    """Take every picture and say how large it is."""
    from playwright.sync_api import sync_playwright

    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("workbench_pictures: chromium is not installed.")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "my-data"
        folder.mkdir()
        for kind, story in STORIES.items():
            sq.write_sample(kind, folder / story.file, n_people=story.people, seed=1)
        command = [sys.executable, "-m", "sequester", "workbench", str(folder), "--no-open"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as driver:
            assert server.stdout is not None
            try:
                window = driver.chromium.launch(executable_path=browser, args=FLAGS)
                page = window.new_context(viewport=WIDE, device_scale_factor=0.75, locale="en").new_page()
                page.set_default_timeout(PATIENCE)
                page.goto(server.stdout.readline().strip())
                for kind, story in STORIES.items():
                    _tell(page, kind, story, Path(place) / "report.html")
                page.get_by_role("link", name="Start", exact=True).click()
                page.set_viewport_size({"width": 1200, "height": 760})
                _shot(page, page, "workbench-start.png")
                window.close()
            finally:
                server.terminate()


def _tell(page: Any, kind: str, story: Story, report: Path) -> None:
    """One story: what the file is, what the settings cost, for whom the release is fit."""
    page.get_by_role("link", name="Start", exact=True).click()
    page.get_by_role("button", name=f"Open {story.file}", exact=True).click()
    page.wait_for_selector("text=Next: how identifying")
    for role, columns in story.roles:
        for box in page.locator(f'input[name="{role}"]').all():
            box.set_checked(box.get_attribute("value") in columns.split(","))
    if story.roles:
        page.get_by_role("button", name="Read it like this").click()
        page.wait_for_selector("text=How it was read before")
        page.wait_for_selector("body:not([data-watch])")
    _shot(page, page.locator('section[aria-labelledby="what-h"]'), f"story-{kind}-open.png")
    page.get_by_role("link", name="Explore", exact=True).click()
    page.wait_for_selector("fieldset.grid")
    for box in page.locator('fieldset.grid input[name="method"]').all():
        if box.is_visible():
            box.set_checked(box.get_attribute("value") in story.grid)
    for method, fields in story.grid.items():
        for field, value in fields.items():
            page.fill(f"[id='{method}-{field}']", value)
    page.get_by_role("button", name="Compute these settings").click()
    page.wait_for_selector("#table-h")
    page.wait_for_selector("body:not([data-watch])")
    if kind == "series":
        _shot(page, page, "workbench-explore.png")
        page.evaluate("() => document.querySelector('#table-h').scrollIntoView()")
        _shot(page, page, "workbench-compare.png")
        page.evaluate("() => window.scrollTo(0, 0)")
    for _ in range(20):
        if page.locator("#slide-says").inner_text() == story.chosen:
            break
        page.focus("#slide")
        page.keyboard.press("ArrowRight")
    _shot(page, page.locator("figure.chart").first, f"story-{kind}-explore.png")
    page.get_by_role("link", name="Publish with this setting").locator("visible=true").click()
    page.get_by_role("button", name="Publish", exact=True).click()
    page.wait_for_selector("text=Published.")
    page.get_by_role("button", name="Read, ask or download it").click()
    page.wait_for_selector("#ask-h")
    report.write_text(page.request.get(f"{page.url.partition('?')[0]}/custodian").text(), "utf-8")
    other = page.context.new_page()
    other.goto(report.as_uri())
    _shot(other, other.locator("section[id^=for-whom-is-this-release-fit]"), f"story-{kind}-decide.png")
    other.close()


def _shot(page: Any, what: Any, name: str) -> None:
    page.wait_for_load_state("load")
    what.screenshot(path=STATIC / name)
    size = (STATIC / name).stat().st_size
    if size > LIMIT_BYTES:
        sys.exit(f"workbench_pictures: {name} has {size:,} bytes; make its window smaller.")
    print(f"{name}: {size:,} bytes", flush=True)


if __name__ == "__main__":
    main()

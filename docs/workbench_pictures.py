"""Pictures of the workbench for its page: samples are opened, tried and compared in a real browser.

python docs/workbench_pictures.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import sequester as sq

STATIC = Path(__file__).parent / "_static"
LIMIT_BYTES = 150_000
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--no-first-run"]  # fmt: skip
PATIENCE = 60_000
COLUMNS = ",".join(f"h{hour:02d}" for hour in range(4, 49, 4))


def main() -> None:
    """Take every picture and say how large it is."""
    from playwright.sync_api import sync_playwright

    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("workbench_pictures: chromium is not installed.")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "my-data"
        folder.mkdir()
        sq.write_sample("series", folder / "vitals.csv", n_people=60, seed=1)
        sq.write_sample("text", folder / "notes", n_people=12, seed=1)
        sq.write_sample("events", folder / "wards.csv", n_people=60, seed=1)
        command = [sys.executable, "-m", "sequester", "workbench", str(folder), "--no-open"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as driver:
            assert server.stdout is not None
            try:
                window = driver.chromium.launch(executable_path=browser, args=FLAGS)
                page = window.new_page(viewport={"width": 1200, "height": 860}, device_scale_factor=0.75)
                page.set_default_timeout(PATIENCE)
                page.goto(server.stdout.readline().strip())
                _walk(page)
                window.close()
            finally:
                server.terminate()


def _walk(page) -> None:
    page.get_by_role("button", name="Open vitals.csv", exact=True).click()
    page.wait_for_selector("text=Next: how identifying")
    for role, columns in (("quasi", COLUMNS), ("sensitive", "stay_days,outcome")):
        for box in page.locator(f'input[name="{role}"]').all():
            box.set_checked(box.get_attribute("value") in columns.split(","))
    page.get_by_role("button", name="Read it like this").click()
    page.wait_for_selector("text=Next: how identifying")
    page.get_by_role("link", name="Explore", exact=True).click()
    page.get_by_role("button", name="Compute these settings").click()
    page.wait_for_selector("#table-h")
    page.wait_for_selector("body:not([data-watch])")
    _shot(page, "workbench-explore.png")
    page.evaluate("() => document.querySelector('#table-h').scrollIntoView()")
    _shot(page, "workbench-compare.png")
    page.set_viewport_size({"width": 1200, "height": 760})
    page.get_by_role("link", name="Start", exact=True).click()
    _shot(page, "workbench-start.png")


def _shot(page, name: str) -> None:
    page.wait_for_load_state("load")
    page.screenshot(path=STATIC / name)
    size = (STATIC / name).stat().st_size
    if size > LIMIT_BYTES:
        sys.exit(f"workbench_pictures: {name} has {size:,} bytes; make its window smaller.")
    print(f"{name}: {size:,} bytes")


if __name__ == "__main__":
    main()

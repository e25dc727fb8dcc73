"""Screenshots for these pages, from a finished demo: `sequester demo --out demo && python docs/screenshots.py demo`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

STATIC = Path(__file__).parent / "_static"
GALLERY = {
    "notes-k-repeats": "what-does-the-released-text-look-like",
    "minutes-mcka": "what-does-a-released-day-look-like",
    "study-activity-dp": "what-does-a-released-day-look-like",
    "wards-markov-dp": "which-step-follows-which-in-the-release",
    "ecg-ngram-k": "which-3-symbols-in-a-row-are-most-frequent",
}
"""Release of the demo → how the name of the section of its report begins that is shown."""
SHOTS = {
    "public-report.png": ("vitals-kapra.bundle/report.html", 800, 1230),
    "custodian-report.png": ("notes-k-repeats.private/report.html", 800, 1300),
    "demo.png": ("index.html", 800, 1100),
    "tutorial-private.png": ("vitals-kapra.private/report.html", 800, 1300),
    **{f"gallery-{name}.png": (f"{name}.bundle/report.html#{place}", 800, 800) for name, place in GALLERY.items()},
}
LIMIT_BYTES = 150_000
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars")


def main(demo: Path) -> None:
    """Take every screenshot and say how large it is."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("screenshots: chromium is not installed.")
    STATIC.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        window = playwright.chromium.launch(executable_path=browser, args=list(FLAGS))
        for name, (page, width, height) in SHOTS.items():
            file, _, place = page.partition("#")
            sheet = window.new_page(viewport={"width": width, "height": height}, device_scale_factor=0.75)
            sheet.goto((demo / file).resolve().as_uri())
            shown = sheet.locator(f"section[id^={place}]").first if place else sheet
            shown.screenshot(path=STATIC / name)
            size = (STATIC / name).stat().st_size
            if size > LIMIT_BYTES:
                sys.exit(f"screenshots: {name} has {size:,} bytes; make its window smaller.")
            print(f"{name}: {size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))

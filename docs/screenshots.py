"""Screenshots for these pages, from a finished demo: `sequester demo --out demo && python docs/screenshots.py demo`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

STATIC = Path(__file__).parent / "_static"
SHOTS = {
    "public-report.png": ("vitals-kapra.bundle/report.html", 800, 1230),
    "custodian-report.png": ("notes-k-repeats.private/report.html", 800, 1300),
    "demo.png": ("index.html", 800, 1100),
}
LIMIT_BYTES = 150_000
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--force-device-scale-factor=0.75",
)  # fmt: skip


def main(demo: Path) -> None:
    """Take every screenshot and say how large it is."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("screenshots: chromium is not installed.")
    STATIC.mkdir(exist_ok=True)
    for name, (page, width, height) in SHOTS.items():
        with tempfile.TemporaryDirectory() as profile:
            subprocess.run(
                [browser, *FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}",
                 f"--screenshot={STATIC / name}", (demo / page).resolve().as_uri()],
                check=True, capture_output=True, timeout=120,
            )  # fmt: skip
        size = (STATIC / name).stat().st_size
        if size > LIMIT_BYTES:
            sys.exit(f"screenshots: {name} has {size:,} bytes; make its window smaller.")
        print(f"{name}: {size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))

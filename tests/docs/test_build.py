"""The documentation builds offline, and a warning is an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT

pytest.importorskip("furo", reason="the docs extra is not installed: the pages were not built")


def test_the_pages_build_without_a_warning(tmp_path):
    environment = os.environ | {"SEQUESTER_DOCS_PICTURES": "no", "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", str(tmp_path / "trees")]
    out = subprocess.run(
        [*command, str(ROOT / "docs"), str(tmp_path / "html")], capture_output=True, text=True, env=environment
    )
    assert out.returncode == 0, out.stderr
    built = (tmp_path / "html" / "tutorial.html").read_text("utf-8")
    assert "From a raw file to a release" in built
    for page in (tmp_path / "html").rglob("*.html"):
        text = page.read_text("utf-8")
        for outside in ('src="http', 'href="http', "url(http", "@import"):
            fetched = [line for line in text.splitlines() if outside in line and "<a " not in line]
            assert not fetched, f"{page.name} loads something: {fetched[0][:200]}"


def test_screenshots_are_small():
    shots = sorted((ROOT / "docs" / "_static").glob("*.png"))
    assert {p.name for p in shots} >= {"public-report.png", "custodian-report.png", "demo.png"}
    for shot in shots:
        assert shot.read_bytes().startswith(b"\x89PNG") and shot.stat().st_size < 150_000, shot.name


def test_generated_pages_are_not_committed():
    ignored = Path(ROOT / ".gitignore").read_text("utf-8").split()
    assert "docs/methods/" in ignored and "docs/reference/" in ignored

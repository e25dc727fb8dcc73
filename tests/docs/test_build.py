"""The documentation builds offline, and a warning is an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sequester.checker import write_checker
from tests.axe import ABSENT as NO_AXE
from tests.axe import violations
from tests.browser import ABSENT as NO_BROWSER
from tests.browser import Browser
from tests.docs.blocks import ROOT

pytest.importorskip("furo", reason="the docs extra is not installed: the pages were not built")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the pages, and what building them said."""
    folder = tmp_path_factory.mktemp("docs")
    environment = os.environ | {"SEQUESTER_DOCS_PICTURES": "no", "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", str(folder / "trees")]
    out = subprocess.run(
        [*command, str(ROOT / "docs"), str(folder / "html")], capture_output=True, text=True, env=environment
    )
    return folder / "html", out


def test_the_pages_build_without_a_warning(built):
    html, out = built
    assert out.returncode == 0, out.stderr
    assert "From a raw file to a release" in (html / "tutorial.html").read_text("utf-8")
    for page in html.rglob("*.html"):
        text = page.read_text("utf-8")
        for outside in ('src="http', 'href="http', "url(http", "@import"):
            fetched = [line for line in text.splitlines() if outside in line and "<a " not in line]
            assert not fetched, f"{page.name} loads something: {fetched[0][:200]}"


LOOKED_AT = (
    "index", "first-hour", "tutorial", "gallery", "install", "coming-from", "r", "checker", "signing", "guarantees",
    "reference/cli", "results/index", "methods/kapra",
)  # fmt: skip
"""Pages of every make: prose, pictures, tables, code, generated ones."""


@pytest.mark.skipif(bool(NO_BROWSER or NO_AXE), reason=NO_BROWSER or NO_AXE)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_the_pages(built, scheme):
    html, _ = built
    write_checker(html / "verify.html")
    with Browser() as browser:
        browser.scheme(scheme)
        for name in (*LOOKED_AT, "verify"):
            browser.open(html / f"{name}.html")
            assert violations(browser.page) == [], name


def test_screenshots_are_small():
    shots = sorted((ROOT / "docs" / "_static").glob("*.png"))
    assert {p.name for p in shots} >= {"public-report.png", "custodian-report.png", "demo.png"}
    for shot in shots:
        assert shot.read_bytes().startswith(b"\x89PNG") and shot.stat().st_size < 150_000, shot.name


def test_generated_pages_are_not_committed():
    ignored = Path(ROOT / ".gitignore").read_text("utf-8").split()
    assert "docs/methods/" in ignored and "docs/reference/" in ignored

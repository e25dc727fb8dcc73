"""How the pages are built: offline, from the text here and from what the code says about itself."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import generate  # noqa: E402

from sequester.checker import write_checker  # noqa: E402
from sequester.version import VERSION  # noqa: E402

EXTRA = HERE / "_build" / "extra"
EXTRA.mkdir(parents=True, exist_ok=True)
write_checker(EXTRA / "verify.html")

project = "sequester"
author = "the sequester authors"
copyright = author
version = release = VERSION
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"sequester {VERSION}"
html_static_path = ["_static"]
html_extra_path = ["_build/extra"]
html_css_files = ["tables.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"font-stack": "system-ui, sans-serif", "font-stack--monospace": "ui-monospace, monospace"},
    "dark_css_variables": {"font-stack": "system-ui, sans-serif", "font-stack--monospace": "ui-monospace, monospace"},
    "footer_icons": [],
}
suppress_warnings = ["misc.highlighting_failure"]


def _only_pages_that_exist(app, docname, source):
    """Results are written by other commands; the table of contents names them once they are there."""
    if docname == "index":
        if not (HERE / "results" / "index.md").exists():
            source[0] = source[0].replace("results/index\n", "")
        if not (HERE / "risk.md").exists():
            source[0] = source[0].replace("risk\n", "")


def setup(app):
    generate.write_all(HERE)
    app.connect("source-read", _only_pages_that_exist)

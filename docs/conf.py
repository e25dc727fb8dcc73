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
exclude_patterns = ["_build", "_templates"]
html_theme = "furo"
html_title = f"sequester {VERSION}"
templates_path = ["_templates"]
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


TOC = "```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


def _results_behind_one_page(app, docname, source):
    """Pages of results stand in a list on their first page, not in the sidebar of every page."""
    if docname == "results/index":
        pages = sorted(p for p in (HERE / "results").glob("*.md") if p.name != "index.md")
        lines = [f"- [{p.read_text('utf-8').splitlines()[0].lstrip('# ')}]({p.name}) (`{p.stem}`)" for p in pages]
        source[0] = source[0].replace(TOC, "## All pages\n\n" + "\n".join(lines) + "\n")
    elif docname.startswith("results/"):
        source[0] = "---\norphan: true\n---\n" + source[0]


REACHABLE = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<th class="head"><p></p></th>': "<td></td>",
}
"""What the theme leaves out for people who use a keyboard or a screen reader."""


def _reachable(app, error):
    for page in Path(app.outdir).rglob("*.html") if error is None and app.builder.name == "html" else ():
        text = page.read_text("utf-8")
        for written, better in REACHABLE.items() if page.name != "verify.html" else ():
            text = text.replace(written, better)
        page.write_text(text, "utf-8")


def setup(app):
    generate.write_all(HERE)
    app.connect("source-read", _results_behind_one_page)
    app.connect("build-finished", _reachable)

"""axe-core, the accessibility checker, run inside a page. `make test` gets it by npm; nothing of it is kept here."""

from __future__ import annotations

from pathlib import Path

SCRIPT = Path(__file__).parents[1] / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
ABSENT = "" if SCRIPT.is_file() else "axe-core is not installed (npm): no page was checked with it"
RUN = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations.map(
  v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 120)).join(' | '))"""


def violations(page) -> list[str]:
    """What axe-core finds wrong with the page that a Playwright page shows; nothing where it is not installed."""
    if ABSENT:
        return []
    page.evaluate(SCRIPT.read_text("utf-8"))
    found: list[str] = page.evaluate(RUN)
    return found

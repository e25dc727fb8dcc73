"""How useful is what is left? Figures that compare a release with its original: private evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sequester.layouts import LAYOUTS
from sequester.release import Evidence

if TYPE_CHECKING:
    from sequester.model import Data
    from sequester.release import Claim


def measure(original: Data, claim: Claim, **options: Any) -> Evidence:
    """Compare a release with its original."""
    layout = LAYOUTS[claim.layout]
    if not layout.measure:
        sentence = f"Releases of the layout '{layout.name}' have no measures; compare the tables with SQL."
        return Evidence(about="measure", saw_original=True, summary=sentence)
    return layout.load("measure")(original, claim, **options)


def portraits(original: Data, claim: Claim) -> list[Evidence]:
    """What the original and the release look like side by side, for the pictures of the custodian's report."""
    layout = LAYOUTS[claim.layout]
    if not layout.portrait:
        return []
    from sequester.utility.plain_figures import five_figures

    found: list[Evidence] = layout.load("portrait")(original, claim)
    rows: dict[str, list[dict[str, Any]]] = {"five": five_figures(original, claim)}
    for item in found:
        rows |= item.rows if item.about == "portrait" else {}
    others = [item for item in found if item.about != "portrait"]
    kept = {name: table for name, table in rows.items() if table}
    return ([Evidence(about="portrait", saw_original=True, rows=kept)] if kept else []) + others

"""Parts of a report for a page that is put together elsewhere: pictures and tables as cleaned markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sequester.bundle.atomic import private_of
from sequester.bundle.manifest import read_manifest
from sequester.bundle.private import read_evidence
from sequester.pages.custodian import changed_section, finding_sections
from sequester.pages.page import render
from sequester.pages.pictures import custodian_pictures, public_pictures
from sequester.pages.pictures.risk import risk_pictures
from sequester.pages.thumbnail import before_after as draw
from sequester.query.bundle import Bundle


def side_by_side(claim: Any, evidence: Sequence[Mapping[str, Any]]) -> str:
    """Original beside release as in the custodian's report: what changed, and the pictures, as HTML sections. Private.

    Parameters
    ----------
    claim
        A release or an opened bundle.
    evidence
        JSON of what was computed on the original: portraits, measures, attacks.
    """
    pictures = custodian_pictures(claim, evidence)
    shown = {p.replaces for p in pictures}
    more = [p for p in public_pictures(claim) if p.title not in shown]
    sections = [*changed_section(evidence), *risk_pictures(evidence), *pictures, *more]
    return render("sections.html", sections=sections)


def before_after(path: str | Path) -> tuple[str, str]:
    """A small picture of original and release from a bundle and its private folder, and what it shows. Private."""
    folder = Path(path)
    return draw(Bundle(folder, read_manifest(folder)), read_evidence(private_of(folder)))


def findings(evidence: Sequence[Mapping[str, Any]], *, tables: bool = True) -> str:
    """What evidence says, as HTML sections: pictures of risk, checks, figures and, if asked, the tables behind them.

    Parameters
    ----------
    evidence
        JSON of `assess`, `attack`, `verify` or `measure`.
    tables
        Also the rows behind the pictures, folded.
    """
    lines = [dict(item) for item in evidence]
    sections = [*risk_pictures(lines), *(s for item in lines for s in finding_sections(item))]
    if not tables:
        sections = [replace(s, more=()) for s in sections]
    return render("sections.html", sections=sections)


def released(bundle: Any) -> str:
    """What a bundle looks like, as HTML sections, from the bundle alone.

    Parameters
    ----------
    bundle
        An opened bundle.
    """
    return render("sections.html", sections=public_pictures(bundle))

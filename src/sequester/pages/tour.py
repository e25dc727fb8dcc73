"""The page the demo leaves: a tour for someone who will sign for the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sequester.pages.page import Section, render
from sequester.pages.public import GRADES


def tour_page(stops: Sequence[Mapping[str, Any]], *, seconds: float) -> str:
    """The tour as HTML.

    Parameters
    ----------
    stops
        One mapping per release: `title`, `story`, `guarantee` (JSON), `method`, `commands`, `links`, `findings`, and
        where there is one a `picture` (SVG made here) with what it `shows`.
    seconds
        How long the demo took.
    """
    overview = tuple(
        (s["title"], s["method"], s["guarantee"]["level"], s["guarantee"]["unit"], s["guarantee"]["status"])
        for s in stops
    )
    sections = [
        Section(
            title="What was published?",
            says="Every row is one release of invented patients, made a moment ago on this machine.",
            caption="Releases of this demo",
            columns=("Data", "Method", "Promise", "Protects", "Grade"),
            rows=overview,
            after="The grades are honest: " + "; ".join(f"{g} means {GRADES[g]}" for g in _grades(stops)) + ".",
        )
    ]
    sections += [_stop(s) for s in stops]
    sections.append(
        Section(
            title="What now?",
            says="Every command on this page can be run again in this folder. With your own file, begin like this:",
            command="sequester methods\nsequester publish METHOD --help",
        )
    )
    return render(
        "tour.html",
        title="sequester: a tour",
        subtitle="From raw files to releases that can be checked, in one minute.",
        private=False,
        sections=sections,
        footer=f"Made by sequester demo in {seconds:.0f} seconds. All people on these pages are invented.",
    )


def _grades(stops: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(s["guarantee"]["status"] for s in stops))


def _stop(stop: Mapping[str, Any]) -> Section:
    promise = stop["guarantee"]
    facts = [
        ("The promise", promise["statement"]),
        ("Protects each", promise["unit"]),
        ("Grade", f"{promise['status']}: {GRADES[promise['status']]}"),
        (
            "Not covered",
            promise["not_covered"][0] + (" And more: see the report." if promise["not_covered"][1:] else ""),
        ),
        *stop["findings"],
    ]
    return Section(
        title=stop["title"],
        says=stop["story"],
        links=tuple(stop["links"]),
        svg=stop.get("picture", ""),
        alt=stop.get("shows", ""),
        small=True,
        facts=tuple(facts),
        after="The commands that made it:",
        command="\n".join(stop["commands"]),
    )

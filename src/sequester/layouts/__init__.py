"""What a release looks like: its tables and columns, one file per layout. Nobody else parses them by name.

A method declares the layout it publishes (`Method.layout`), the manifest carries its name, and everything that looks
at a release dispatches on it: measures, queries, attacks, pictures and portraits. A new method with a known layout
therefore just works. The judges are the exception on purpose: they read the tables with code of their own.

Each file has a class with `read(claim)`, which gives the tables back as arrays, and what writes them. Where a part is
named as `package.module:name`, it is loaded when it is used.

A new layout: one file here, and one value in the list below; or a `Layout` value in a package of your own, named in the
entry point group `sequester.layouts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sequester.lazy import Registry, load


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A shape of releases, and who knows how to look at it."""

    name: str
    """As it stands in the manifest."""
    bundle: str = "sequester.query.bundle:Bundle"
    """Class of an opened bundle, with the questions it answers."""
    measure: str = ""
    """`measure(original, claim, **options) -> Evidence`."""
    plain: str = ""
    """`Plain`: five plain figures of use, in halves of the real people."""
    portrait: str = ""
    """`portrait(original, claim) -> list[Evidence]`: before and after, for the custodian's pictures."""
    pictures: str = ""
    """Module with `public(bundle)` and `custodian(bundle, evidence)`."""
    attacks: tuple[str, ...] = ()
    """`attack(scene) -> list[Outcome]`, each."""
    members: str = ""
    """`members(data) -> score(inside, claim)`: does a release look as if a person had been in?"""
    named: str = ""
    """`named(data, claim) -> (share, what it is)`: linkage for everybody, where it is cheap."""
    closest: str = ""
    """Distance to the closest record: a smoke test, never a result."""
    shown: str = ""
    """`shown(claim, original) -> set`: the points it shows, in the words of its kind's `points`."""
    copies: tuple[str, ...] = ("csv",)
    """Formats a table may be copied to."""
    follows: str = ""
    """Name of what `--next` tells (`symbol`, `state`), where the bundle can tell what follows."""

    def load(self, part: str) -> Any:
        """The object behind one of the parts, such as `measure`."""
        return load(getattr(self, part))


_PLAIN, _MEMBERS = "sequester.utility.plain_figures:", "sequester.attacks.members:"
_SERIES_ATTACKS = (
    "sequester.attacks.series:attack_linkage",
    "sequester.attacks.membership:attack_linkage",
    "sequester.attacks.series:attack_inference",
    "sequester.attacks.series:attack_ranks",
    "sequester.attacks.ends:attack_membership",
    "sequester.attacks.ends:attack_envelopes",
)


def _of_series(name: str, **more: Any) -> Layout:
    return Layout(
        name=name,
        **more,
        bundle="sequester.query.series:SeriesBundle",
        measure="sequester.utility.series:measure_series",
        portrait="sequester.utility.series_portrait:portrait",
        pictures="sequester.pages.pictures.series",
        attacks=_SERIES_ATTACKS,
        shown="sequester.attacks.series:shown",
    )


BOXES = _of_series("boxes", plain=_PLAIN + "SERIES", members=_MEMBERS + "series", named=_MEMBERS + "rows_named")
"""A range per record and time, with or without a pattern."""
DRAWN = _of_series("drawn", plain=_PLAIN + "SERIES", members=_MEMBERS + "series")
"""A drawn value per record and time."""
LETTERS = _of_series("letters")
"""A letter per record and time."""
STATES = Layout(
    name="states",
    bundle="sequester.query.activity:ActivityBundle",
    measure="sequester.utility.activity:measure_activity",
    plain=_PLAIN + "ACTIVITY",
    portrait="sequester.utility.activity_portrait:portrait",
    pictures="sequester.pages.pictures.activity",
    attacks=(
        "sequester.attacks.activity:attack_linkage",
        "sequester.attacks.activity:attack_moments",
        "sequester.attacks.activity:attack_resemblance",
    ),
    closest="sequester.attacks.activity:closest_records",
    members=_MEMBERS + "activity",
    shown="sequester.attacks.activity:shown",
)
"""A sequence of states per person."""
LOG = Layout(
    name="log",
    bundle="sequester.query.events:EventBundle",
    measure="sequester.utility.events:measure_events",
    plain=_PLAIN + "EVENTS",
    portrait="sequester.utility.event_portrait:portrait",
    pictures="sequester.pages.pictures.events",
    attacks=(
        "sequester.attacks.events:attack_copies",
        "sequester.attacks.events:attack_linkage",
        "sequester.attacks.events:attack_membership",
        "sequester.attacks.events:attack_inference",
    ),
    closest="sequester.attacks.events:closest_records",
    members=_MEMBERS + "events",
    shown="sequester.attacks.events:shown",
    copies=("csv", "xes", "omop", "fhir", "meds"),
    follows="state",
)
"""An event log: object, time, state."""
GRAMS = Layout(
    name="grams",
    bundle="sequester.query.symbols:SymbolBundle",
    measure="sequester.utility.symbols:measure_symbols",
    plain=_PLAIN + "SYMBOLS",
    portrait="sequester.utility.suggest_k:portrait",
    pictures="sequester.pages.pictures.symbols",
    attacks=("sequester.attacks.symbols:attack_rare", "sequester.attacks.symbols:attack_membership"),
    members=_MEMBERS + "symbols",
    shown="sequester.attacks.symbols:shown",
    follows="symbol",
)
"""Counts of short patterns."""
DOCUMENTS = Layout(
    name="documents",
    bundle="sequester.query.text:TextBundle",
    measure="sequester.utility.text:measure_text",
    plain=_PLAIN + "TEXT",
    portrait="sequester.utility.text_portrait:portrait",
    pictures="sequester.pages.pictures.text",
    attacks=(
        "sequester.attacks.text:attack_names",
        "sequester.attacks.text:attack_linkage",
        "sequester.attacks.text_knowledge:attack_known_words",
        "sequester.attacks.text_knowledge:attack_two_notes",
        "sequester.attacks.text_knowledge:attack_gaps",
        "sequester.attacks.text:attack_membership",
    ),
    members=_MEMBERS + "text",
    named=_MEMBERS + "alone_by_two_runs",
    shown="sequester.attacks.text:shown",
    copies=("csv", "jsonl", "folder"),
)
"""Texts with gaps."""

PLAIN = Layout(name="plain")
"""Tables of any other shape: they are published, verified and asked by SQL; nothing here can draw or measure them."""

LAYOUTS: Registry[Layout] = Registry(
    "sequester.layouts",
    {layout.name: layout for layout in (BOXES, DRAWN, LETTERS, STATES, LOG, GRAMS, DOCUMENTS, PLAIN)},
    made=load,
)
"""Name → layout; installed packages bring theirs through the entry point group `sequester.layouts`."""


def copies_of(method: type) -> tuple[str, ...]:
    """Formats in which a method's tables can be copied, known before it has parameters."""
    name = getattr(method, "layout", None)  # a property where parameters decide the layout
    return LAYOUTS[name].copies if isinstance(name, str) else ("csv",)


def layout_of(manifest: Mapping[str, Any]) -> Layout:
    return LAYOUTS[manifest["layout"]]

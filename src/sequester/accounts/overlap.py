"""What two releases of the same people tell together, where each hides a person among k.

Whoever knows that a person is in both releases, and in which group of each, is left with the people who share both
groups. The smallest such set is what the two releases together promise; each promises k by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sequester.errors import counted, verb_for

Groups = Mapping[Any, Hashable]
"""Person → the groups that person's records are in."""


@dataclass(frozen=True)
class Together:
    """What an earlier release and this one tell together."""

    bundle: str
    """Name of the earlier one."""
    shared: int
    """People (or documents) in both."""
    smallest: int | None
    """The smallest set of people who fit one person in both; None where there are no groups to compare."""
    below: int
    """People hidden among fewer than k."""
    k: int | None
    differing: int = 0
    """Documents of which each release shows another part."""
    releases: int = 1
    """How many earlier releases were looked at together."""
    apart: int = 0
    """Of tables of counts: people who are in one of the two only."""

    @property
    def says(self) -> str:
        """A sentence for the custodian; empty where the earlier release adds nothing."""
        if self.apart:
            return (
                f"This table and '{self.bundle}' are made from nearly the same people: "
                f"{counted(self.apart, 'person is', 'people are')} in one of them only. Whoever subtracts one table "
                "from the other sees what they have. Publish once, or when at least k people have come or gone."
            )
        if self.differing:
            return (
                f"{self.differing} of {counted(self.shared, 'document')} in both this release and '{self.bundle}' show "
                "different parts of their text. A reader of both sees all those parts together."
            )
        if self.smallest is None or self.k is None or self.smallest >= self.k:
            return ""
        if not self.bundle:
            return (
                f"Whoever knows in which of the {counted(self.releases + 1, 'release')} a person is, and in which "
                f"group of each, finds {self.below} of {counted(self.shared, 'person', 'people')} among fewer than "
                f"{counted(self.k, 'person', 'people')}, some among {self.smallest}. Publish with the earlier groups "
                "(--grouping from NAME.private)."
            )
        return (
            f"Together with '{self.bundle}', {self.below} of {counted(self.shared, 'person', 'people')} "
            f"{verb_for(self.below, 'is', 'are')} hidden among fewer than "
            f"{counted(self.k, 'person', 'people')}, some among {self.smallest}. Publish with the earlier groups "
            f"(--grouping from {self.bundle.removesuffix('.bundle')}.private) to keep them together."
        )


def grouping(tables: Mapping[str, Any], private: Mapping[str, Any]) -> Mapping[str, frozenset[Hashable]] | None:
    """Who is in which group of a release, from its tables and its private maps; None where it has no groups."""
    clusters = private.get("records")
    if clusters is not None and {"person", "cluster"} <= set(clusters.column_names):
        return _gathered(clusters["person"].to_pylist(), clusters["cluster"].to_pylist())
    origin, records = private.get("origin"), tables.get("records")
    if origin is None or "person" not in origin.column_names:
        return None
    people = origin["person"].to_pylist()
    if "group" in origin.column_names:
        return _gathered(people, origin["group"].to_pylist())
    if records is None or not {"record", "group"} <= set(records.column_names):
        return None
    group_of = dict(zip(records["record"].to_pylist(), records["group"].to_pylist(), strict=True))
    return _gathered(people, [group_of.get(r) for r in origin["record"].to_pylist()])


def compared(bundle: str, earlier: Groups, now: Groups, k: int | None) -> Together:
    """Two groupings of partly the same people."""
    both = earlier.keys() & now.keys()
    held = Counter((earlier[p], now[p]) for p in both)
    sizes = [held[earlier[p], now[p]] for p in both]
    below = sum(size < k for size in sizes) if k else 0
    return Together(bundle, len(both), min(sizes, default=None), below, k)


def compared_with_all(earlier: Iterable[Groups], now: Groups, k: int | None) -> Together:
    """This grouping and all earlier ones: whoever was in the same group every time, or absent, cannot be told apart."""
    before = list(earlier)
    held = {p: tuple(groups.get(p) for groups in before) + (now[p],) for p in now}
    fits = Counter(held.values())
    sizes = [fits[signature] for signature in held.values()]
    below = sum(size < k for size in sizes) if k else 0
    return Together("", len(held), min(sizes, default=None), below, k, releases=len(before))


def compared_counts(bundle: str, shared: int, differ: int, k: int | None) -> Together:
    """Two tables of counts: few people who are in one only can be seen by subtracting."""
    return Together(bundle, shared, None, 0, k, apart=differ if 0 < differ < (k or 2) else 0)


def compared_texts(bundle: str, earlier: Mapping[Any, Hashable], now: Mapping[Any, Hashable]) -> Together:
    """Two releases of partly the same documents, by original document."""
    both = earlier.keys() & now.keys()
    return Together(bundle, len(both), None, 0, None, differing=sum(earlier[d] != now[d] for d in both))


def texts(tables: Mapping[str, Any], private: Mapping[str, Any]) -> dict[str, str] | None:
    """Original document → released text; None where the release holds no documents."""
    known, released = private.get("documents"), tables.get("documents")
    if known is None or released is None or "original" not in known.column_names or "text" not in released.column_names:
        return None
    text_of = dict(zip(released["document"].to_pylist(), released["text"].to_pylist(), strict=True))
    pairs = zip(known["original"].to_pylist(), known["document"].to_pylist(), strict=True)
    return {original: text_of[document] for original, document in pairs if document in text_of}


def marks_of(layout: str, tables: Mapping[str, Any], private: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """What later releases are compared with: `groups`, `texts` or `counts`, and a mark per person or document."""
    groups = grouping(tables, private)
    if groups:
        return "groups", {p: repr(sorted(str(x) for x in g)) for p, g in groups.items()}
    shown = texts(tables, private)
    if shown:
        return "texts", shown
    return ("counts", {}) if layout == "grams" else ("", {})


def _gathered(people: list[str], groups: list[Hashable]) -> Mapping[str, frozenset[Hashable]]:
    out: dict[str, set[Hashable]] = {}
    for person, group in zip(people, groups, strict=True):
        out.setdefault(person, set()).add(group)
    return {p: frozenset(g) for p, g in out.items()}

"""The groups of an earlier release, kept: what hid a person then hides the same person among the same people now.

People are in one *class* if no reader of all releases so far can tell them apart by the groups they were in: they were
in the same group of every release, and absent from the same ones. A class is published as one group, if at least k of
its people are here; else its people stay out. So the people of a release are hidden among k over all releases together.

    class of an earlier release ─ at least k are here ─→ one group; who is absent becomes a class apart
                                └ fewer ───────────────→ nobody of it is published; the class stays whole
    newcomers                   ─ at least k ──────────→ groups of their own, found by the method
                                └ fewer ───────────────→ they wait for the next release
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.accounts.overlap import grouping
from sequester.errors import InputError, counted, verb_for
from sequester.method import Method
from sequester.model import Data
from sequester.query.bundle import Bundle
from sequester.release import Note, Release

TABLE = "classes"
"""Private table of a release with kept groups: person, class, and whether the release shows the person."""


@dataclass(frozen=True)
class Kept:
    """Data that can be published with the groups of an earlier release."""

    data: Data
    """Those who are published."""
    groups: np.ndarray
    """Class of every record of `data`, numbered from 0; -1 for newcomers."""
    classes: Mapping[str, int]
    """Everybody of earlier releases → class as readers of this release will know it."""
    notes: tuple[Note, ...]


def bundle_beside(place: str | Path) -> Path:
    """`NAME.private` or `NAME.bundle` → `NAME.bundle`."""
    path = Path(place)
    return path.with_name(f"{path.name.removesuffix('.private')}.bundle") if path.suffix == ".private" else path


def keep_groups(data: Data, method: Method, place: str | Path) -> Kept:
    """Who can be published in the groups of an earlier release, and who has to wait.

    Parameters
    ----------
    data, method
        What is about to be published, and how.
    place
        The earlier release: its `NAME.private`, with `NAME.bundle` beside it.
    """
    earlier = _opened(place)
    if earlier.kind != data.kind:
        raise InputError(f"grouping: '{earlier.path.name}' holds {earlier.kind} data, this is {data.kind} data.")
    method.require_groups_kept(data)
    k = int(method.parameters["k"])
    before = _classes(earlier)
    takes_part = method.takes_part(data)
    here = {person: i for i, person in enumerate(data.persons.tolist()) if takes_part[i]}
    members: dict[int, list[str]] = {}
    for person, number in before.items():
        members.setdefault(number, []).append(person)
    groups = np.full(data.n_records, -2, dtype=np.int64)  # -2: stays out
    after: dict[str, int] = {}
    waiting = left = thinned = 0
    for number, people in enumerate(people for _, people in sorted(members.items())):
        present = [p for p in people if p in here]
        shown = len(present) >= k
        waiting += 0 if shown else len(present)
        left += len(people) - len(present) if shown else 0
        thinned += shown and len(present) < len(people)
        if shown:
            groups[[here[p] for p in present]] = number
        staying = set(present) if shown else set()
        after |= {p: 2 * number + (p not in staying) for p in people}
    new = [i for p, i in here.items() if p not in before]
    if len(new) >= k:
        groups[new] = -1
    rows = np.flatnonzero(groups >= -1)
    if not len(rows):
        raise InputError(
            f"grouping: no group of '{earlier.path.name}' has k={counted(k, 'person', 'people')} left in the data, and "
            f"fewer than {counted(k, 'person', 'people')} are new. Lower k, or publish without the earlier groups."
        )
    _, dense = np.unique(groups[rows], return_inverse=True)
    dense = dense - int((groups[rows] == -1).any())
    notes = _notes(earlier.path.name, k, waiting, len(new) if len(new) < k else 0, left, thinned)
    return Kept(data.take(rows), dense.astype(np.int64), after, notes)


def with_classes(release: Release, kept: Kept) -> Release:
    """The release with what the next one must know: the class of everybody, published or not."""
    groups = grouping(release.tables, release.private) or {}
    classes = dict(kept.classes)
    first = max(classes.values(), default=-1) + 1
    numbers: dict[Any, int] = {}
    for person in kept.data.persons[kept.groups == -1].tolist():
        classes[person] = first + numbers.setdefault(groups[person], len(numbers))
    shown = set(kept.data.persons.tolist())
    table = pa.table(
        {
            "person": pa.array(list(classes), pa.string()),
            "class": pa.array(list(classes.values()), pa.int64()),
            "shown": pa.array([p in shown for p in classes], pa.bool_()),
        }
    )
    return replace(release, private={**release.private, TABLE: table}, notes=(*release.notes, *kept.notes))


def part_published(source: Data, private: Mapping[str, pa.Table]) -> Data:
    """The people of an original whom a release with kept groups shows; the whole original for any other release."""
    found = private.get(TABLE)
    if found is None or not {"person", "shown"} <= set(found.column_names):
        return source
    shown = {p for p, here in zip(found["person"].to_pylist(), found["shown"].to_pylist(), strict=True) if here}
    rows = np.flatnonzero([p in shown for p in source.persons.tolist()])
    return source.take(rows) if len(rows) < source.n_records else source


def _opened(place: str | Path) -> Bundle:
    from sequester.flow import open_bundle

    path = bundle_beside(place)
    if not (path / "manifest.json").is_file():
        raise InputError(
            f"grouping: '{path.name}' does not exist. Name the private folder of an earlier release, with its bundle "
            "beside it."
        )
    return open_bundle(path, check=False, private=True)


def _classes(earlier: Bundle) -> dict[str, int]:
    """Person → class, from the earlier release's own memory or, for the first of a chain, from its groups."""
    found = earlier.private.get(TABLE)
    if found is not None:
        return dict(zip(found["person"].to_pylist(), found["class"].to_pylist(), strict=True))
    groups = grouping(earlier.tables, earlier.private)
    if not groups:
        raise InputError(
            f"grouping: '{earlier.path.name}' has no groups of people, or its private folder is gone. Groups can be "
            "kept from releases of kapra, kp-naive, mcka and mdav-ka."
        )
    several = sum(len(of) > 1 for of in groups.values())
    if several:
        raise InputError(
            f"grouping: {counted(several, 'person is', 'people are')} in several groups of '{earlier.path.name}', so "
            "no group can be kept for them. Groups are kept for one record per person."
        )
    numbers: dict[Any, int] = {}
    return {person: numbers.setdefault(next(iter(of)), len(numbers)) for person, of in sorted(groups.items())}


def _notes(name: str, k: int, waiting: int, new: int, left: int, thinned: int) -> tuple[Note, ...]:
    lines = []
    if waiting:
        lines.append(
            f"{counted(waiting, 'person stays', 'people stay')} out: fewer than {k} of their group in '{name}' are in "
            "the data. Published in another group they would stand out."
        )
    if new:
        lines.append(
            f"{counted(new, 'person is', 'people are')} new and {verb_for(new, 'stays', 'stay')} out until the next "
            f"release: a group of their own needs {k}."
        )
    if left:
        lines.append(
            f"{counted(left, 'person', 'people')} of '{name}' {verb_for(left, 'is', 'are')} gone from "
            f"{counted(thinned, 'group')} published again. A reader of both "
            "releases can compare those groups and learn something about them."
        )
    return tuple(Note("grouping", says) for says in lines)

"""Points that one person alone has, and the points a release shows: the traces an outlier leaves.

Someone who knows everybody else's record (the strongest bystander) looks for what only the target could have caused.
Which points there are, the kind of data tells (`Kind.points`); which a release shows, its layout (`Layout.shown`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import numpy as np

from sequester.kinds import kind_named
from sequester.layouts import LAYOUTS
from sequester.model.kind import Data
from sequester.release import Claim

Points = set[Hashable]


def own_points(data: Data) -> list[Points]:
    """For every person, in sorted order, the points nobody else in the data has."""
    people, owner = np.unique(data.persons.astype(str), return_inverse=True)
    sets: list[Points] = [set() for _ in people]
    for row, points in enumerate(kind_named(data.kind).load("points")(data)):
        sets[owner[row]] |= points
    held: Counter[Hashable] = Counter()
    for mine in sets:
        held.update(mine)
    return [{p for p in mine if held[p] == 1} for mine in sets]


def shown_points(claim: Claim, data: Data) -> Points:
    """The points a release shows, in the same words as `own_points`."""
    return LAYOUTS[claim.layout].load("shown")(claim, data)

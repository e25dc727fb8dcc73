"""Was this series in the data? By the ends of released ranges, and by whether some envelope holds the series at all.

Ends that are true values are looked for as they stand; ends that are multiples of a published step are compared by the
cells of that step. The stronger question is the second one: a member lies inside an envelope at every known time, and
the more times are known, the fewer strangers do.

Points that one person alone has, and the points a release shows: the traces an outlier leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import numpy as np

from sequester.attacks.membership import membership
from sequester.attacks.outcome import Outcome, Scene
from sequester.attacks.series import Shown, read_shown
from sequester.errors import counted
from sequester.kinds import kind_named
from sequester.layouts import LAYOUTS
from sequester.model import Series
from sequester.model.kind import Data
from sequester.release import Claim

KNOWN = (4, 16)
"""Numbers of known values that are tried besides all of them."""
INSIDE = 1000.0
"""Score of a series that some envelope holds, before the ends it meets are added."""


def attack_membership(scene: Scene) -> list[Outcome]:
    """Count how often a person's value is the end of a released range at that time."""
    met = _compared(scene, "series ends")
    if met is None:
        return []
    shown, inside, members, strangers, step = met
    return membership(
        "membership by ends of ranges",
        ends_met(shown, members, step),
        ends_met(shown, strangers, step),
        scene.claim,
        oddness=(distance_from_centre(members, inside.values), distance_from_centre(strangers, inside.values)),
        says="A person's values are ends of released ranges more often than a stranger's."
        if not step
        else "A person's values lie in the end cells of released ranges more often than a stranger's.",
    )


def attack_envelopes(scene: Scene) -> list[Outcome]:
    """Ask whether some envelope holds a series at all known times: 4 values, 16 values, and the whole series."""
    met = _compared(scene, "series envelopes")
    if met is None or met[0].lo is met[0].hi:  # drawn values hold nothing
        return []
    shown, _, members, strangers, step = met
    rng = scene.rng("series envelopes, times")
    n_times = len(shown.columns)
    outcomes = []
    for known in [*(n for n in KNOWN if n < n_times), n_times]:
        at = np.arange(n_times) if known == n_times else np.sort(rng.permutation(n_times)[:known])
        mine, theirs = (envelope_scores(shown, people, at, step, of=strangers) for people in (members, strangers))
        what = "whole series" if known == n_times else f"{counted(known, 'value')}"
        lie = "lie" if known not in (1, n_times) else "lies"
        held = float((theirs >= INSIDE).mean()) if len(strangers) else None
        for outcome in membership(
            f"membership by envelopes, {what}", mine, theirs, scene.claim,
            says=f"A person's {what} {lie} inside some envelope and at its ends more often than a stranger's.",
        ):  # fmt: skip
            outcome.more["strangers_inside"] = held
            outcomes.append(outcome)
    return outcomes


def _compared(scene: Scene, name: str) -> tuple[Shown, Series, np.ndarray, np.ndarray, float] | None:
    """The release, the people inside it, values of members and of strangers, and the step of its ends."""
    inside, control = scene.inside, scene.control
    if not isinstance(inside, Series) or not isinstance(control, Series) or scene.control_claim is None:
        return None
    shown = read_shown(scene.control_claim, inside)
    if shown is None:
        return None
    rng = scene.rng(name)
    members = inside.values[scene.targets(inside.n_records, rng)]
    strangers = control.values[scene.targets(control.n_records, rng)]
    return shown, inside, members, strangers, float(scene.control_claim.parameters.get("ends_step") or 0.0)


def envelope_scores(shown: Shown, values: np.ndarray, at: np.ndarray, step: float, of: np.ndarray) -> np.ndarray:
    """Best score of every series over all envelopes.

    Inside at all known times: 1000 and, for every end whose cell the value lies in, how rare that is among `of`.
    Outside: less the further it sticks out. Unknown values stick out nowhere.
    """
    lo, hi = np.unique(np.hstack([shown.lo[:, at], shown.hi[:, at]]), axis=0).reshape(-1, 2, len(at)).swapaxes(0, 1)
    known, crowd = values[:, shown.columns[at]], of[:, shown.columns[at]]
    spread = max(float(np.nanmax(hi) - np.nanmin(lo)), 1e-300)
    low_end, high_end = _cells(lo, step, False), _cells(hi, step, True)
    rare = []
    for ends, up in ((low_end, False), (high_end, True)):
        cells = _cells(crowd, step, up)
        share = np.array([np.isin(cells[:, j], ends[:, j]).mean() for j in range(len(at))])
        rare.append(-np.log(0.98 * share + 0.01))
    below, above = _cells(known, step, False), _cells(known, step, True)
    best = np.full(len(values), -np.inf)
    slack = 1e-9 * spread
    for g in range(len(lo)):
        out = np.nan_to_num(np.maximum(lo[g] - known, known - hi[g]), nan=0.0).max(axis=1)
        hits = (below == low_end[g]) @ rare[0] + (above == high_end[g]) @ rare[1]
        best = np.maximum(best, np.where(out <= slack, INSIDE + hits, -out / spread))
    return best


def _cells(values: np.ndarray, step: float, up: bool) -> np.ndarray:
    """Number of the multiple a value is rounded to; the value itself where nothing is rounded."""
    if not step:
        return values
    at = values / step
    whole = np.round(at)
    way = np.ceil(at) if up else np.floor(at)
    return np.where(np.abs(at - whole) <= 1e-9 * np.maximum(1.0, np.abs(whole)), whole, way)


def distance_from_centre(values: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Largest distance of each series from the middle of `of` at any time, in quartile ranges."""
    low, middle, high = (_quantiles(of, q) for q in (0.25, 0.5, 0.75))
    spread = np.where(high > low, high - low, 1.0)
    return np.nan_to_num(np.abs(values - middle) / spread).max(axis=1, initial=0.0)


def _quantiles(values: np.ndarray, q: float) -> np.ndarray:
    return np.array([np.quantile(v, q) if len(v := c[~np.isnan(c)]) else 0.0 for c in values.T])


def ends_met(shown: Shown, values: np.ndarray, step: float = 0.0) -> np.ndarray:
    """For every series the number of published times at which its value, or its cell, is an end of some range."""
    out = np.zeros(len(values))
    for at, column in enumerate(shown.columns):
        mine = values[:, column]
        if not step:
            out += np.isin(mine, np.unique(np.concatenate([shown.lo[:, at], shown.hi[:, at]])))
            continue
        low, high = _cells(shown.lo[:, at], step, False), _cells(shown.hi[:, at], step, True)
        out += np.isin(_cells(mine, step, False), low) | np.isin(_cells(mine, step, True), high)
    return out


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
